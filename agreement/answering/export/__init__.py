"""`lars export`: a program and its trace as files that another reasoner runs, and its answers read back."""

from agreement.answering.export.answers import read_answers
from agreement.answering.export.folders import ExportTask, export_to
