"""The settings of a user for judging."""

from dataclasses import field, replace
from typing import Final

from agreement.comparing.matching.likeness import Likeness
from agreement.documents import recordings
from agreement.documents.requests import EmptyReports, MatchBy, sources
from agreement.engines import specifications
from lars.dataclass import dataclass
from lars.language.windows import Bounds
from solver.deadlines import NEVER, Deadline
from translate.model.query import Semantics


@dataclass(frozen=True, slots=True)
class Options:
    """The settings of a user for judging: start times, the registration time, and the comparison.

    - `starts` are the start times to try. If None, all start times that can change the verdict are tried.
    - `registered` is the time point at which the query was registered.
    - `until` is the last time point to compare. By default, comparison ends at the last element.
    - `early`: reports may come up to this many ms before their evaluation.
    - `late`: reports must come less than this many ms after their evaluation. If None, the slide is the
      limit.
    - `bounds` and `rows` replace the window bounds and the row semantics of the specification.
    - `times`: for an engine version, the times of reports are compared too, if they are comparable.
    - `pushes`: for an engine version, rejected pushes and printed window bounds are compared too.
    - `numbers` are the numbers of rows, which all judging engines share.
    - `most` is the maximum number of combinations of start times to try, before the `deadline`.
    - `whole` is the number of combinations to judge completely, even if none fits.
    - `worth`: with very many evaluations, a choice gets no verdict if its score cannot exceed `worth`.
    """

    starts: tuple[int, ...] | None = None
    until: int | None = None
    registered: int = 0
    bounds: tuple[Bounds, ...] | None = None
    rows: Semantics | None = None
    likeness: Likeness = field(default_factory=Likeness)
    empty: EmptyReports = "compared"
    early: float = 0
    late: float | None = None
    match: MatchBy = "time"
    times: bool = True
    pushes: bool = False
    most: int | None = None
    whole: int = 256
    deadline: Deadline = NEVER
    worth: float = 0
    numbers: recordings.RowNumbers | None = field(default=None, compare=False)


def with_rows_of(specification: specifications.Specification, options: Options) -> Options:
    """Return the options with the row semantics (set or multiset) of the specification."""
    return replace(options, likeness=replace(options.likeness, semantics=specification.rows))


_HINT: Final = 128
"""The number of combinations of start times of several windows that are tried for a hint.

A guess: a hint judges the recording once per possible fault, so each judgement must be short.
"""
_WHOLE: Final = 16
"""The number of combinations that are judged completely for a hint, even if none fits; a guess as `_HINT`."""


def narrow_options(options: Options, task: specifications.Task) -> Options:
    """Return the options with fewer start times, for a judgement that only explains another judgement."""
    return replace(options, most=_HINT if len(sources(task.query)) > 1 else None, whole=_WHOLE)
