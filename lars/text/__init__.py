"""Programs and streams of atoms as text: the scanner, the reader, the notation and the formatter."""

from lars.text.atom_streams import read_ground_atom, read_line, read_stream
from lars.text.formatting import format_program
from lars.text.notation import read, to_ascii
from lars.text.reasoner_meaning import LOG_LINE, read_reasoner_program
from lars.text.reasoner_programs import is_reasoner_program
from lars.text.reasoner_writing import write_reasoner_program
from lars.text.scanner import VARIABLE, Scanner
