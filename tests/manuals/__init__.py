"""What the manuals show is what the program does."""
