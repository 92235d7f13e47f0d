"""Kolibrie at commit 846becb: windows, a store for all of them, joins by text (rules B and E)."""
