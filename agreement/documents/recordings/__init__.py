"""Recorded answers of engines, with their input: one module per format."""

from agreement.documents.recordings.case import Case, read_case
from agreement.documents.recordings.reading import read_recording
from agreement.documents.recordings.recording import (
    ANSWER,
    SLACK,
    Push,
    Recording,
    Report,
    RowNumbers,
    RowsByNumber,
    as_lexical,
    in_columns,
    in_common_columns,
    number_rows,
    pushes_of,
    rows_of,
    static_lines,
    static_of,
    stream_iri,
    together,
    triple_of,
)
