"""Match the rows of two answers, up to the names of blank nodes, and match two sequences of answers."""
