"""`decide`: do push and pull agree on every stream; `contained`: does one query answer what another does."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, Literal, Unpack

from rich.console import RenderableType

from agreement.agree import Overrides
from agreement.containment import Containment, Deadline, Holds, contained_in_units, two_queries
from agreement.containment import report as containment_report
from agreement.decide import (
    SEARCHED,
    Decided,
    Decider,
    DecisionTask,
    PeriodDecision,
    VariantClasses,
    decision_task,
    in_finer_units,
    report,
)
from agreement.inputs import InterpretationOptions, arguments
from agreement.inputs.question_options import QuestionOptions
from agreement.library.basis.agree_request import title_of
from agreement.library.basis.boundary import Heard, Told, offered
from agreement.library.basis.findings import Findings, JsonObject
from agreement.library.basis.keywords import (
    ReadingKeywords,
    StaticKeywords,
    assign_texts,
    interpretation,
    question_options,
)
from agreement.library.basis.sources import Desk, TextSource
from agreement.table_files import Column, OutTable
from translate.tau import columns

if TYPE_CHECKING:
    from agreement.report import Page


@dataclass(frozen=True, slots=True)
class DecisionRequest:
    """Which queries are asked about, for which periods, and how they are read."""

    inputs: tuple[Path, ...]
    given: QuestionOptions
    reading: InterpretationOptions
    assign: Sequence[str]
    seconds: float | None = None


def decision(request: DecisionRequest, told: Told) -> "Decision":
    """Return the verdict of each period."""
    given, assigned = request.given, arguments.assignments(request.assign)
    asked = Overrides(given.period, given.unit, request.reading, assigned)
    task = decision_task(request.inputs, given.trace(), asked, told.warn)
    seconds = SEARCHED if request.seconds is None else request.seconds
    decider, found = Decider(task.questions[0], seconds=seconds), []
    for done, one in enumerate(task.periods):
        told.progress(done, len(task.periods))
        found.append(in_finer_units(task.questions[0], decider.decide(one)))
    return Decision((), (), tuple(found), task, VariantClasses(task.questions[0]), title_of(request.inputs))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Decision(Findings):
    """What `decide` returns: for each period a verdict, the theorem and the premises that it rests on."""

    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    verdicts: tuple[PeriodDecision, ...]
    _task: DecisionTask = field()
    _variants: VariantClasses = field()
    _title: str = field()
    _main: ClassVar[str] = "verdicts"

    @property
    def holds(self) -> bool | None:
        """Whether push and pull agree on every stream, for every period; None where that is open."""
        said = {one.verdict for one in self.verdicts}
        if said & {Decided.NEVER, Decided.STATIC} or any(one.witness for one in self.verdicts):
            return False
        return None if Decided.OPEN in said else True

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        question = self._task.questions[0]
        named = columns(question.pair.csparql)
        return report.as_json(self.verdicts, self._variants, question.setting.unit, named)

    def to_json(self) -> JsonObject:
        """Return the document that `lars decide --json` prints."""
        found: JsonObject = json.loads(json.dumps(self.document()))
        return found

    def parts(self) -> Iterable[RenderableType]:
        """Yield the verdicts, what was checked, and a stream for each kind of difference."""
        yield from report.as_text(self.verdicts, self._task.questions[0].setting.unit)
        yield from report.variants_text(self._variants)

    def page(self) -> "Page":
        """Return what the page says: verdicts by period, premises with their places in the query."""
        # Loads what only pages need.
        from agreement.report import DecideContent, decide_page

        text = self._task.questions[0].places.text
        content = DecideContent(self._title, text, self.verdicts, self.holds, tuple(self.parts()))
        return decide_page(content, self.document(), self.warnings)

    def tables(self) -> Sequence[OutTable]:
        """Return the table `verdicts`."""
        rows = (
            (one.period, one.verdict.value, None if one.theorem is None else one.theorem.value)
            for one in self.verdicts
        )
        return (OutTable("verdicts", _COLUMNS, rows),)


_COLUMNS = (
    Column("period", int, "the pulling period, in time points"),
    Column("verdict", str, "always, never, depends on the static data, or open"),
    Column("theorem", str, "what it rests on; none: nothing, it is open"),
)


class DecideKeywords(StaticKeywords, ReadingKeywords):
    """The keywords of `decide` that other functions have too."""


@offered
def decide(
    *inputs: TextSource,
    period: int | str | Sequence[int] | None = None,
    assign: Mapping[str, Sequence[str]] | None = None,
    time_limit: float | None = None,
    **options: Unpack[DecideKeywords],
) -> Decision:
    """Return whether push and pull agree on every stream: of an experiment, or of one or two queries.

    >>> query = "SELECT ?x WHERE { STREAM <urn:s> [NOW] { ?x <urn:p> ?y } }"
    >>> [(one.period, one.verdict.value) for one in decide(query, period="1,2").verdicts]
    [(1, 'always'), (2, 'never')]
    """
    desk, heard = Desk(), Heard()
    with desk.naming():
        given = question_options(desk, period, options)
        files = tuple(map(desk.given, inputs))
        request = DecisionRequest(files, given, interpretation(options), assign_texts(assign), time_limit)
        found = decision(request, heard.told(options.get("progress")))
    return replace(found, warnings=tuple(map(desk.plain, heard.warnings)), notes=tuple(heard.notes))


SECONDS: Final = 60.0
"""How long containment is decided, where nobody says."""


@dataclass(frozen=True, slots=True)
class ContainmentRequest:
    """Two queries in one mode, whether both directions are asked for, and for how many seconds."""

    inputs: tuple[Path, ...]
    unit: str | None
    reading: InterpretationOptions
    rename: Sequence[str]
    equivalent: bool
    seconds: float | None = None


def containment(request: ContainmentRequest) -> "ContainmentFound":
    """Return whether each answer of one query is one of the other."""
    one, other = two_queries(request.inputs, request.unit, request.reading, request.rename)
    deadline = Deadline.after(SECONDS if request.seconds is None else request.seconds)
    one, other = (replace(query, deadline=deadline) for query in (one, other))
    found = [(one, other, contained_in_units(one, other))]
    if request.equivalent:
        found.append((other, one, contained_in_units(other, one)))
    return ContainmentFound((), (), tuple(found), tuple(map(str, request.inputs)))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ContainmentFound(Findings):
    """What `contained` returns: in each direction that was asked for, what was found and why."""

    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    _found: tuple[containment_report.Direction, ...] = field()
    _files: tuple[str, ...] = field()

    @property
    def directions(self) -> tuple[Containment, ...]:
        """What was found of the first query in the second, then, if asked for, of the second in the first."""
        return tuple(found for *_, found in self._found)

    @property
    def holds(self) -> bool | None:
        """Whether it holds in all of them; None where that is open."""
        said = {one.holds for one in self.directions}
        return False if Holds.NO in said else None if Holds.OPEN in said else True

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        return containment_report.as_json(self._found, self._files)

    def to_json(self) -> JsonObject:
        """Return the document that `lars decide --contained --json` prints."""
        found: JsonObject = json.loads(json.dumps(self.document()))
        return found

    def parts(self) -> Iterable[RenderableType]:
        """Yield each direction, and the data that refute it."""
        return containment_report.as_text(self._found, self._files)

    def page(self) -> "Page":
        """Return what the page says."""
        # Loads what only pages need.
        from agreement.report import PageHead, text_page

        one, other = (Path(file).name for file in self._files)
        both = (
            "Have both the same answers"
            if len(self._found) > 1
            else f"Is each answer of {one} one of {other}"
        )
        answer = {True: "Yes.", False: "No.", None: "It is open."}[self.holds]
        head = PageHead(f"{one} and {other}", f"{both}, on every stream and static data?", self.holds, answer)
        return text_page(head, self.document(), self.parts())

    def tables(self) -> Sequence[OutTable]:
        """Return the table `directions`."""
        rows = ((found.holds.value, found.why) for found in self.directions)
        said = Column("found", str, "contained, not contained, or open"), Column("why", str, "the reason")
        return (OutTable("directions", said, rows),)


@offered
def contained(
    one: TextSource,
    other: TextSource,
    *,
    equivalent: bool = False,
    rename: Mapping[str, str] | None = None,
    unit: str | None = None,
    profile: Literal["paper2015", "sparql11"] | None = None,
    bounds: Literal["closed", "low-open", "high-open"] | None = None,
    time_limit: float | None = None,
) -> ContainmentFound:
    """Return whether each answer of one query is one of another, at every time on every stream.

    >>> near, far = (f"SELECT ?x {{ STREAM <urn:s> [RANGE {n}s] {{ ?x <urn:p> 1 }} }}" for n in (5, 9))
    >>> contained(near, far).holds, contained(far, near).holds
    (True, False)
    """
    desk = Desk()
    with desk.naming():
        read = interpretation({"profile": profile, "bounds": bounds})
        renamed = [f"{name}={new}" for name, new in (rename or {}).items()]
        files = desk.given(one), desk.given(other)
        found = containment(ContainmentRequest(files, unit, read, renamed, equivalent, time_limit))
    return replace(found, _files=tuple(map(desk.plain, found._files)))  # noqa: SLF001
