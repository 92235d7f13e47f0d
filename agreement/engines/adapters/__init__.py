"""Run engines behind one protocol: engine versions, specifications and programs receive queries and triples.

An adapter is a program that reads and writes JSON lines of the protocol on its standard streams.
"""
