"""Programs and streams of atoms as text, both ways: scanner, reader, notation, formatting."""

from lars.text.atom_streams import read_ground_atom, read_line, read_stream
from lars.text.formatting import format_program
from lars.text.notation import read, to_ascii
from lars.text.scanner import VARIABLE, Scanner
