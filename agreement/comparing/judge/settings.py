"""The user's settings for judging a recording."""

from dataclasses import replace
from typing import Final

from agreement.comparing.matching.likeness import Likeness
from agreement.documents.requests import JudgeOptions, sources
from agreement.engines import specifications


def likeness_of(options: JudgeOptions) -> Likeness:
    """Return the settings for comparing rows: as multisets, unless the user chooses sets."""
    return Likeness(options.semantics or "bag", options.tolerance, options.lexical, options.rounding)


def with_rows_of(specification: specifications.Specification, options: JudgeOptions) -> JudgeOptions:
    """Return the options with the row semantics (set or multiset) of the specification."""
    return replace(options, semantics=specification.rows)


_HINT: Final = 128
"""The number of combinations of start times of several windows that are tried for a hint.

A hint names a possible fault, and the recording is judged once per fault. The number is a guess.
"""
_WHOLE: Final = 16
"""The number of combinations of start times with a complete verdict for a hint; a guess."""


def narrow_options(options: JudgeOptions, task: specifications.Task) -> JudgeOptions:
    """Return the options with fewer start times, for a judgement that only tests a possible fault."""
    return replace(options, most=_HINT if len(sources(task.query)) > 1 else None, whole=_WHOLE)
