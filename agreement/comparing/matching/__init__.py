"""Match answers: rows up to names of blank nodes, answers row by row, and sequences of answers."""
