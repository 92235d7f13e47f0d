"""Engines behind one protocol: engine versions, specifications and programs accept queries and pushes.

An adapter is a program that reads and writes JSON lines of the protocol on its standard streams.
"""
