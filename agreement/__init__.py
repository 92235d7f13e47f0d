"""Whether push and pull agree, why not, and the command `lars`."""
