"""What all functions of the library share: what they are given, what results are, who is told what."""
