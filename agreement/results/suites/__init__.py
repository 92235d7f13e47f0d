"""`lars suite`: what is made and run, and what it says of published claims; and the papers."""
