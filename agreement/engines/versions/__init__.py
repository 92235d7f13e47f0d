"""Simulated engine versions: C-SPARQL 0.9.7, CQELS 1.x and of 2011, YASPER with its ports, Kolibrie."""
