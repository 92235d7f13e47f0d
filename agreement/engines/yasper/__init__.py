"""YASPER for C-SPARQL and for CQELS, rules Y and YC, and RSP-JS 1.3.5, rules R: arrivals open windows."""
