"""Models of engine versions: C-SPARQL, CQELS, YASPER and similar engines, RSP-JS, rsp-rs, and Kolibrie."""
