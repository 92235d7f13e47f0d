"""Recorded answers of engines, with their input: one module per format."""

from agreement.documents.recordings.case import Case, read_case
from agreement.documents.recordings.reading import is_log, read_recording
from agreement.documents.recordings.recording import (
    ANSWER,
    SLACK,
    Push,
    Recording,
    Report,
    as_lexical,
    in_columns,
    in_common_columns,
    pushes_of,
)
from agreement.documents.recordings.row_numbers import (
    RowNumbers,
    RowsByNumber,
    number_rows,
    rows_of,
    together,
)
from agreement.documents.recordings.term_entries import static_lines, static_of, stream_iri, triple_of
