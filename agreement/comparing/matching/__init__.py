"""How alike answers are: rows up to the names of blank nodes, answers row by row, sequences of them."""
