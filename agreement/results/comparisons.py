"""`compare`: where two specifications or engine versions part on a trace, and which rule parts them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.console import RenderableType

from agreement.comparing.compare import (
    ComparedProfiles,
    DifferenceWithRules,
    TraceComparison,
    are_cases,
    on_cases,
    on_trace,
    queries_and_traces,
)
from agreement.comparing.judge import RefusedCase, all_refused
from agreement.comparing.matching.likeness import Likeness
from agreement.documents import requests
from agreement.documents.options import argument, flags_of, option
from agreement.documents.outputs import NO_ROWS, quantity
from agreement.documents.table_files import Column, OutTable
from agreement.experiments.experiment import read_experiment
from agreement.experiments.grid import by_profile, experiment_query, query_files
from agreement.results.base.library import Findings, Listeners, offered_functions
from agreement.results.renderings import parting_report
from lars.errors import LarsError
from lars.files import exists
from lars.language.windows import Bounds
from solver.memory import FAILED
from solver.settings import Time
from translate.model.query import Semantics

if TYPE_CHECKING:
    from agreement.results.renderings.pages.page import Page


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareRequest:
    """What `lars compare` is asked.

    Prints the first time at which the engines report different rows, and the rule of an engine that explains
    the difference.

    Example, in samples/judged/met:
    lars compare cqels cqels-1.x query.cqels.rq doors.nq
    """

    first: str = argument(
        "PROFILE",
        "First engine: a specification (csparql, cqels, sparqlstream, rspql, or a .toml "
        "file), an engine version, or a real engine as adapter:COMMAND.",
    )
    second: str = argument(
        "PROFILE", "Second engine, in the same form. With two queries, it runs the second."
    )
    inputs: tuple[Path, ...] = argument(
        "CASE.json.. | QUERY [QUERY] TRACE..",
        "Recorded cases (.json); or one query, or one per engine, followed by recorded streams.",
        default=(),
        source="trace",
    )
    t0: Time | None = requests.time_option(
        "Start time t0 of the windows of specifications. [default: windows close at multiples of the slide]"
    )
    bounds: Bounds | None = requests.bounds_option()
    semantics: Semantics | None = requests.semantics_option()
    tolerance: float = option(
        requests.TOLERANCE, "Relative difference at which two numbers still count as equal.", least=0, most=1
    )
    times: bool = option(True, "Also compare the moments within one push at which reports arrive.")
    fail_on_empty: bool = requests.fail_on_empty_option()
    input_options: requests.InputOptions
    bad_lines: requests.BadLineOptions


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CompareResult(Findings):
    """What `compare` returns: where two profiles part, on a trace or on several cases."""

    verdict: ClassVar[str | None] = "same"

    comparisons: tuple[TraceComparison, ...]
    _refused: tuple[RefusedCase, ...] = ()
    _fails_on_empty: bool = False

    @property
    def same(self) -> bool | None:
        """Whether both report the same everywhere; None where they do in the cases that can be compared."""
        same = all(comparison.parting.same for comparison in self.comparisons)
        return None if same and self._refused else same

    @property
    def refused(self) -> Mapping[str, str]:
        """Of the cases that cannot be compared, why."""
        return {case.id: case.problem for case in self._refused}

    @property
    def incomparable(self) -> str | None:
        """How many cases cannot be compared, and why the first cannot; None without any."""
        return all_refused(self._refused, len(self._refused) + len(self.comparisons))

    @property
    def differences(self) -> tuple[DifferenceWithRules, ...]:
        """The places at which they part, each with the rules that part them there."""
        return tuple(parted for comparison in self.comparisons for parted in comparison.parting.parted)

    @property
    def ending(self) -> tuple[int, str | None]:
        """1 where they part, 2 where cases cannot be compared, 3 by --fail-on-empty."""
        if self.incomparable is not None:
            return 2, self.incomparable
        empty = sum(comparison.parting.is_empty for comparison in self.comparisons)
        if self._fails_on_empty and self.same and empty:
            several = quantity(len(self.comparisons), "comparison")
            return FAILED, f"--fail-on-empty{NO_ROWS} in {empty} of {several}"
        return int(not self.same), None

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        return parting_report.as_json(self.comparisons, self._refused)

    def parts(self) -> Iterable[RenderableType]:
        """Yield the comparison for a reader."""
        return parting_report.as_text(self.comparisons, self._refused)

    def page(self) -> "Page":
        """Return what the page of the comparison says."""
        # Loads what only pages need.
        from agreement.results.renderings.pages.blocks import text_page
        from agreement.results.renderings.pages.page import PageHead
        from agreement.results.renderings.parting_report import parting_timelines

        first, second = self.comparisons[0].parting.names
        question = f"Where do {first} and {second} report something else, and which rule parts them?"
        sentence = (
            " ".join(map(parting_report.summary, self.comparisons)) if len(self.comparisons) == 1 else ""
        )
        answer = sentence or self.text.rpartition("\n")[2]
        head = PageHead(f"{first} and {second}", question, self.same, answer, self.warnings)
        if len(self.comparisons) > 1:
            return text_page(head, self.document(), self.parts())
        (comparison,) = self.comparisons
        page = text_page(head, self.document(), parting_report.page_parts(comparison))
        return replace(page, page=page.page | {"timelines": parting_timelines(comparison)})

    def tables(self) -> Sequence[OutTable]:
        """Return the table `differences`."""
        return (OutTable("differences", _COLUMNS, self._rows()),)

    def _rows(self) -> Iterable[tuple[str | None, int, str, bool]]:
        for comparison in self.comparisons:
            for parted in comparison.parting.parted:
                causes = " ".join(cause.rule.name for cause in parted.causes)
                yield comparison.title, parted.difference.place, causes, parted.undone


_COLUMNS = (
    Column("case", str, "the recorded case; none: a trace"),
    Column("place", int, "the number of the push, or the time unit"),
    Column("parted_by", str, "the rules or fields that part them there"),
    Column("undone", bool, "whether nothing differs without them"),
)


def _unfolded(request: CompareRequest, listeners: Listeners) -> CompareRequest:
    """Return a request with the queries and traces of an experiment in its place, if one is named."""
    if not any(exists(path / requests.EXPERIMENT_FILE) or path.suffix == ".toml" for path in request.inputs):
        return request
    profiles = [request.first, request.second]
    read = experiment_query(request.inputs, request.input_options, profiles, listeners.note)
    if read is None:
        raise LarsError("an experiment has its queries and traces; leave out the other inputs")
    files = query_files(read_experiment(request.inputs[0]), profiles)
    queries = tuple(dict.fromkeys(by_profile(files, name) for name in profiles))
    return replace(request, inputs=(*queries, *read.traces), input_options=read.input_options)


@offered_functions(CompareRequest)
def compare(request: CompareRequest, listeners: Listeners) -> CompareResult:
    """Return where two profiles, specifications or engine versions, part on a query and traces, or on cases.

    >>> met = "samples/judged/met/"
    >>> result = compare("cqels", "cqels-1.x", met + "query.cqels.rq", met + "doors.nq")
    >>> result.same, [parted.difference.place for parted in result.differences]
    (False, [6])
    """
    request = _unfolded(request, listeners)
    cases = are_cases(request.inputs)
    queries, traces = ([], []) if cases else queries_and_traces(request.inputs)
    read = request.input_options if cases else request.input_options.as_engines_count(queries, listeners.note)
    trace = read.trace(traces, request.bad_lines)
    likeness = Likeness(request.semantics or Semantics.BAG, request.tolerance)
    how = (request.t0, request.bounds, likeness, request.times)
    profiles = ComparedProfiles((request.first, request.second), trace, read.time_point, *how)
    if not cases:
        found = on_trace(profiles, queries, listeners.warn, listeners.progress)
        return CompareResult((found,), (), request.fail_on_empty)
    if wrong := flags_of(request.input_options, request.bad_lines):
        raise LarsError(
            f"cannot combine {' and '.join(wrong)} with a recorded case, which contains its query and trace"
        )
    every = on_cases(profiles, request.inputs, listeners.progress)
    comparisons = tuple(comparison for comparison in every if not isinstance(comparison, RefusedCase))
    refused = tuple(comparison for comparison in every if isinstance(comparison, RefusedCase))
    if not comparisons:
        raise LarsError(str(all_refused(refused, len(refused))))
    return CompareResult(comparisons, refused, request.fail_on_empty)
