"""Run engines through one protocol: real engines, models of engine versions, and specifications.

An adapter is a program that reads and writes JSON lines of the protocol on its standard streams.
"""
