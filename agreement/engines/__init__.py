"""Models of engine versions: numbered rules that can be switched off, over windows and their answers."""
