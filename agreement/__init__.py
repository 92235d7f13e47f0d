"""The command `lars`: do engines agree, are their answers correct, and what causes a difference."""
