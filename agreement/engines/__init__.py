"""Simulate engine versions by numbered rules that can be switched off; `registry` lists their names."""
