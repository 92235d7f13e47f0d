"""A file for each format: recognised, read row by row, with the columns of faults, and in blocks, written."""
