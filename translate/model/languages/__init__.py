"""The query languages, one file for each: what a language adds to SPARQL, as one value `MANNER`."""
