"""The command `lars`: do engines agree, is what they answered correct, and why not."""
