"""A file for each format of traces: recognition, reading by row and by block, writing."""
