"""Match answers: rows up to the names of blank nodes, answers row by row, and sequences of answers."""
