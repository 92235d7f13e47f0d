"""`compare`: where two specifications or engine versions part on a trace, and which rule parts them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from rich.console import RenderableType

from agreement.compare import comparing, parting_report
from agreement.compare.comparing import ProfilesFound
from agreement.compare.parting import Parted
from agreement.compare.sides import Placing
from agreement.inputs import TOLERANCE, InputOptions, options
from agreement.inputs.options import BadLineOptions
from agreement.judge import RefusedCase, all_refused
from agreement.library.basis.boundary import Heard, Told, offered
from agreement.library.basis.findings import Findings, JsonObject
from agreement.library.basis.keywords import (
    BoundsName,
    InputKeywords,
    SemanticsName,
    bad_lines,
    chosen,
    input_options,
)
from agreement.library.basis.sources import Desk, TraceSource
from agreement.matching.likeness import Likeness
from agreement.table_files import Column, OutTable
from lars.errors import LarsError
from lars.windows import Bounds
from translate.query import Semantics

if TYPE_CHECKING:
    from agreement.report import Page


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """Two profiles by name, what they are compared on, and how."""

    names: tuple[str, str]
    inputs: tuple[Path, ...]
    given: InputOptions
    bad_lines: BadLineOptions
    placing: Placing
    likeness: Likeness
    times: bool


def comparison(request: CompareRequest, told: Told) -> "ProfileComparison":
    """Return where two profiles part, on a trace or on each of some recorded cases."""
    cases = comparing.are_cases(request.inputs)
    queries, traces = ([], []) if cases else comparing.queries_and_traces(request.inputs)
    read = request.given if cases else request.given.fitted(queries, told.note)
    trace = read.trace(traces, request.bad_lines)
    how = (request.placing, request.likeness, request.times)
    asked = comparing.ComparedProfiles(request.names, trace, read.time_point, *how)
    if not cases:
        return ProfileComparison((), (), (comparing.on_trace(asked, queries, told.warn, told.progress),))
    if wrong := options.given(request.given, request.bad_lines):
        raise LarsError(f"{', '.join(wrong)}: accepted with a query and a trace; a case has its own")
    every = comparing.on_cases(asked, request.inputs, told.progress)
    found = tuple(one for one in every if not isinstance(one, RefusedCase))
    refused = tuple(one for one in every if isinstance(one, RefusedCase))
    if not found:
        raise LarsError(str(all_refused(refused, len(refused))))
    return ProfileComparison((), (), found, refused)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ProfileComparison(Findings):
    """What `compare` returns: where two profiles part, on a trace or on several cases."""

    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    found: tuple[ProfilesFound, ...]
    _refused: tuple[RefusedCase, ...] = ()

    @property
    def same(self) -> bool | None:
        """Whether both report the same everywhere; None where they do in the cases that can be compared."""
        same = all(one.parting.same for one in self.found)
        return None if same and self._refused else same

    @property
    def refused(self) -> Mapping[str, str]:
        """Of the cases that cannot be compared, why."""
        return {one.id: one.problem for one in self._refused}

    @property
    def incomparable(self) -> str | None:
        """How many cases cannot be compared, and why the first cannot; None without any."""
        return all_refused(self._refused, len(self._refused) + len(self.found))

    @property
    def differences(self) -> tuple[Parted, ...]:
        """The places at which they part, each with the rules that part them there."""
        return tuple(parted for one in self.found for parted in one.parting.parted)

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        return parting_report.as_json(self.found, self._refused)

    def to_json(self) -> JsonObject:
        """Return the document that `lars compare --json` prints."""
        found: JsonObject = json.loads(json.dumps(self.document()))
        return found

    def parts(self) -> Iterable[RenderableType]:
        """Yield the comparison for a reader."""
        return parting_report.as_text(self.found, self._refused)

    def page(self) -> "Page":
        """Return what the page of the comparison says."""
        # Loads what only pages need.
        from agreement.report import PageHead, text_page

        first, second = self.found[0].parting.names
        asked = f"Where do {first} and {second} report something else, and which rule parts them?"
        said = " ".join(map(parting_report.summary, self.found)) if len(self.found) == 1 else ""
        answer = said or self.text.rpartition("\n")[2]
        head = PageHead(f"{first} and {second}", asked, self.same, answer, self.warnings)
        return text_page(head, self.document(), self.parts())

    def tables(self) -> Sequence[OutTable]:
        """Return the table `differences`."""
        return (OutTable("differences", _COLUMNS, self._rows()),)

    def _rows(self) -> Iterable[tuple[str | None, int, str, bool]]:
        for one in self.found:
            for parted in one.parting.parted:
                causes = " ".join(cause.rule.name for cause in parted.causes)
                yield one.title, parted.difference.place, causes, parted.undone


_COLUMNS = (
    Column("case", str, "the recorded case; none: a trace"),
    Column("place", int, "the number of the push, or the time unit"),
    Column("parted_by", str, "the rules or fields that part them there"),
    Column("undone", bool, "whether nothing differs without them"),
)


@offered
def compare(
    first: str,
    second: str,
    *inputs: TraceSource,
    t0: int | None = None,
    bounds: BoundsName | None = None,
    semantics: SemanticsName | None = None,
    tolerance: float = TOLERANCE,
    times: bool = True,
    **options: Unpack[InputKeywords],
) -> ProfileComparison:
    """Return where two profiles, specifications or engine versions, part on a query and traces, or on cases.

    >>> met = "samples/judged/met/"
    >>> found = compare("cqels", "cqels-1.x", met + "query.cqels.rq", met + "doors.nq")
    >>> found.same, [parted.difference.place for parted in found.differences]
    (False, [6])
    """
    desk, heard = Desk(), Heard()
    with desk.naming():
        request = CompareRequest(
            (first, second),
            tuple(map(desk.given, inputs)),
            input_options(desk, options),
            bad_lines(options),
            Placing(t0, chosen("bounds", Bounds, bounds)),
            Likeness(chosen("semantics", Semantics, semantics) or Semantics.BAG, tolerance),
            times,
        )
        found = comparison(request, heard.told(options.get("progress")))
    return replace(found, warnings=tuple(map(desk.plain, heard.warnings)), notes=tuple(heard.notes))
