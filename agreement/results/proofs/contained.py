"""The function `contained`: whether one query contains all answers of another query, on all streams."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import ClassVar, Final

from rich.console import RenderableType

from agreement.documents.table_files import Column, OutTable
from agreement.proving.containment import contained_in_units, two_queries
from agreement.proving.decisions import Decision, all_hold
from agreement.results.base.library import Findings, Listeners, offered_functions
from agreement.results.proofs.traceless import DecideRequest
from agreement.results.renderings import decision_report
from agreement.results.renderings.pages.blocks import text_page
from agreement.results.renderings.pages.page import Page
from lars.dataclass import dataclass
from solver.deadlines import Deadline

SECONDS: Final = 60.0
"""The default number of seconds for deciding whether the answers of a query are answers of another."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ContainmentResult(Findings):
    """The result of `contained`: the verdict and its reason, in each requested direction."""

    verdict: ClassVar[str | None] = "holds"

    _directions: tuple[decision_report.Direction, ...]
    _files: tuple[str, ...]

    @property
    def directions(self) -> tuple[Decision, ...]:
        """The verdicts: whether the second query contains the first and, if requested, the reverse."""
        return tuple(containment for *_, containment in self._directions)

    @property
    def holds(self) -> bool | None:
        """Whether containment holds in all requested directions; None if the verdict is open."""
        return all_hold(self.directions)

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        return decision_report.containment_json(self._directions, self._files)

    def parts(self) -> Iterable[RenderableType]:
        """Yield the verdict of each direction, and a stream that refutes containment."""
        return decision_report.containment_text(self._directions, self._files)

    def page(self) -> Page:
        """Return the content of the HTML report."""
        one, other = (Path(file).name for file in self._files)
        if one == other:
            one, other = self._files
        both = (
            "Have both the same answers"
            if len(self._directions) > 1
            else f"Is each answer of {one} one of {other}"
        )
        answer = {True: "Yes.", False: "No.", None: "It is open."}[self.holds]
        question = f"{both}, on every stream and static data?"
        head = Page(f"{one} and {other}", question, self.holds, answer, self.warnings)
        return text_page(head, self.document(), self.parts())

    def tables(self) -> Sequence[OutTable]:
        """Return the table `directions`."""
        pairs = (self._files, self._files[::-1])
        answers = zip(pairs, self.directions, strict=False)
        rows = ((*pair, _FOUND[answer.holds], answer.why) for pair, answer in answers)
        columns_of_both = (
            Column("of", str, "the query whose answers the verdict is about"),
            Column("in", str, "the query that returns these answers too, if they are contained"),
            Column("found", str, "verdict on containment: contained, not contained, or open"),
            Column("why", str, "the reason"),
        )
        return (OutTable("directions", columns_of_both, rows),)


_FOUND: Final = {True: "contained", False: "not contained", None: "open"}


@offered_functions(DecideRequest, without=("period", "static", "assign", "contained", "delay", "wait"))
def contained(request: DecideRequest, listeners: Listeners) -> ContainmentResult:
    """Return whether each answer of a query is an answer of another query, at every time on every stream.

    >>> near, far = (f"SELECT ?x {{ STREAM <urn:s> [RANGE {n}s] {{ ?x <urn:p> 1 }} }}" for n in (5, 9))
    >>> contained(near, far).holds, contained(far, near).holds
    (True, False)
    """
    inputs = request.inputs
    how = request.options
    one, other = two_queries(inputs, how.unit, how.reading, request.rename or {}, listeners.warn)
    deadline = Deadline.after(SECONDS if request.time_limit is None else request.time_limit)
    # The second direction, too, has its time.
    first = deadline.nearer(0.5) if request.equivalent else deadline
    searched = one.searched if request.time_limit is None else inf
    one, other = (replace(query, deadline=first, searched=searched) for query in (one, other))
    containments = [(one, other, contained_in_units(one, other))]
    if request.equivalent:
        one, other = (replace(query, deadline=deadline) for query in (one, other))
        containments.append((other, one, contained_in_units(other, one)))
    named = (
        map(str, inputs)
        if listeners.source_files is None
        else map(listeners.source_files.plain, map(str, inputs))
    )
    return ContainmentResult(tuple(containments), tuple(named))
