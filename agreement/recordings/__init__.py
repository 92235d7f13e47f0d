"""Recorded answers of engines, and what was recorded with them: one file per format."""

from agreement.recordings.case import Case, read_case
from agreement.recordings.reading import ReadingOptions, read_recording
from agreement.recordings.recording import (
    SLACK,
    Answers,
    Push,
    Recording,
    Report,
    Row,
    Triple,
    as_lexical,
    in_common_columns,
    pushes_of,
)
from agreement.recordings.value_types import MILLISECOND
