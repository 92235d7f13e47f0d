"""C-SPARQL 0.9.7, rules W1 to W6: one window kept by Esper on a clock of ticks, answers by Jena.

For tests: `CSPARQL_097` in csparql_097, and how it chooses its window in esper.
"""
