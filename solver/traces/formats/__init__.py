"""How each format writes an element: read line by line, row by row, exactly, with the columns of faults."""
