"""The functions `explain` and `check`.

`explain` shows why an answer contains an atom or not. `check` decides whether a stream is an answer stream of
a program.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from rich.console import RenderableType

from agreement.answering import explaining
from agreement.answering.explaining import AtomExplanation, CheckReadings, NoAnswerStream
from agreement.answering.solve import solving
from agreement.documents import requests
from agreement.documents.dates import Dates
from agreement.documents.options import flags_of
from agreement.documents.outputs import Json, clip_text, shorten
from agreement.documents.table_files import OutTable
from agreement.results.base.library import Findings, Listeners, lines_table, offered_functions
from agreement.results.renderings import check_report, explanation_report
from agreement.results.renderings.explanation_report import short_text, why_in_words
from lars.analysis import nearby
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.files import exists, text_in
from lars.language.stream import Moment
from lars.options import argument, needed, option
from solver.settings import Time
from solver.traces.input_files import STANDARD_INPUT

_LONG: Final = 1_000
_RULES: Final = 200
ACCEPTED = (
    "expected lars explain QUERY|PROGRAM.lars TRACE.. --at TIME 'ans(25,rayban,b)', "
    "or the folder of an experiment in place of QUERY and TRACE"
)

_ACCEPTED_CALL: Final = (
    "expected explain(QUERY or program, TRACE.., atom='ans(25,rayban,b)', at=TIME), or the folder of an "
    "experiment in place of QUERY and TRACE"
)

if TYPE_CHECKING:
    from agreement.results.renderings.pages.page import Page


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainRequest:
    """The arguments of `lars explain`.

    Prints the rules and triples from which the answer follows.
    If the query has no such answer, prints the missing triple or the false condition, or prints that the
    query is not evaluated at this time.

    Examples:
    lars explain samples/coupons --at 18 'ans(25,rayban,b)'
    lars explain samples/door/door.lars samples/door/door.atoms --at 4 'guard(bob)'
    """

    inputs: tuple[str, ...] = argument(
        "QUERY|PROGRAM.lars|EXPERIMENT_DIR TRACE.. ATOM",
        "A query, a program or an experiment; then its traces; then, in quotes, the atom to explain.",
        default=(),
        source="trace",
    )
    atom: str | None = option(None, "Atom to explain, if the atom is not the last argument.", last_input=True)
    at: Time | None = requests.time_option("Time point at which the atom holds or is missing.")
    how: requests.ProgramOptions
    model: int | None = option(
        None,
        "Number of the answer stream to explain, if the program has several answer streams. The first is 1.",
        requests.readers.ordinal,
    )


def asked_of(request: ExplainRequest, accepted: str = ACCEPTED) -> tuple[list[Path], str]:
    """Return the paths of a request, and the atom to explain: the option `atom`, or else the last input."""
    inputs = [*map(str, request.inputs), *([] if request.atom is None else [request.atom])]
    if not inputs:
        raise LarsError(f"nothing to explain; {accepted}")
    paths = [Path(text) for text in inputs[:-1]]
    if inputs[-1] and exists(Path(inputs[-1])):
        raise LarsError(f"missing the atom to explain after {inputs[-1]}; {accepted}")
    if not paths:
        raise LarsError(f"{inputs[-1]}: no such file, and no atom follows; {accepted}")
    for path in paths:
        if path != STANDARD_INPUT and not exists(path):
            raise LarsError(f"{path}: no such file or folder; {accepted}")
    return paths, inputs[-1]


def situate(
    request: ExplainRequest, paths: Sequence[Path], listeners: Listeners
) -> explaining.ProgramSituation:
    """Return the program of a request, with its input up to the requested time."""
    path, how = paths[0], request.how
    how.check(path)
    requests.check_for_programs(path, flags_of(model=request.model))
    if exists(path, folder=True) and not exists(path / requests.EXPERIMENT_FILE):
        raise LarsError(f"{path}: a folder without {requests.EXPERIMENT_FILE}; {ACCEPTED}")
    task = solving.solving_task(path, paths[1:], how, (None, request.at), listeners.note).in_process()
    if not requests.is_experiment(path):
        return explaining.situation_of(task, listeners.warn)
    # Loads the schema of experiments, which queries do not need.
    from agreement.experiments.as_input import on_read
    from agreement.experiments.experiment import read_experiment

    period = () if how.evaluation.period is None else (how.evaluation.period,)
    options = requests.ComparisonOptions(period=period, input_options=how.input_options, reading=how.reading)
    compared = on_read(read_experiment(path), options, listeners.warn)
    compared = replace(compared, trace=replace(compared.trace, runner=task.trace.runner))
    if how.semantics is not None:
        compared = replace(compared, setting=replace(compared.setting, semantics=how.semantics))
    return explaining.query_of_comparison(compared, task, listeners.warn)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ExplainResult(Findings):
    """The result of `explain`: a tree with a proof of an atom, or with the premises that the atom lacks.

    `dates` maps time points to dateTimes.
    """

    verdict: ClassVar[str | None] = "holds"

    dates: Dates = field()  # not the property of the base
    _explanation: AtomExplanation | NoAnswerStream
    _here: explaining.ProgramSituation = field()
    _path: Path = field()

    @property
    def holds(self) -> bool:
        """Whether the answer contains the atom."""
        return isinstance(self._explanation, AtomExplanation) and self._explanation.proof is not None

    @property
    def ending(self) -> tuple[int, str | None]:
        """The exit code, which is always 0, even if the answer does not contain the atom."""
        return 0, None

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        return explanation_report.as_json(self._explanation, self.dates)

    def parts(self) -> Iterable[RenderableType]:
        """Yield the lines of the tree."""
        return explanation_report.text_lines(self._explanation, self.dates)

    @property
    def _moment(self) -> Moment:
        assert self._explanation.moment is not None, "a question about an atom"
        return self._explanation.moment

    @property
    def headline(self) -> str:
        """One line with the verdict: whether the answer contains the atom."""
        t, _ = self._moment
        return f"{self._atom} {'holds' if self.holds else 'does not hold'} at {self.dates.option(t)}"

    @property
    def _atom(self) -> str:
        """The explained atom as text with shortened terms."""
        _, atom = self._moment
        return clip_text(shorten(str(atom)), _LONG)

    def page(self) -> "Page":
        """Return the content of the HTML report."""
        # Loads what only pages need.
        from agreement.results.renderings.pages.blocks import first_lines, text_page
        from agreement.results.renderings.pages.moving import moving
        from agreement.results.renderings.pages.page import Page

        explanation, parts = self._explanation, list(self.parts())
        dates = (
            self.dates if explanation.world is None else self.dates.within(explanation.world.view.timeline)
        )
        at, program, proof = (
            (explanation.t, explanation.program, None)
            if isinstance(explanation, NoAnswerStream)
            else (explanation.world.t, explanation.world.program, explanation.proof)
        )
        question = f"Why is this so in the answer at {self.dates.option(at)}?"
        head = Page(f"{self._atom}, explained", question, self.holds, self.headline, self.warnings, "Why")
        lines = list(map(str, parts))
        about: Json = {
            "proof": self.holds,
            "lines": first_lines(lines) if self.holds else [],
            "why": self._held(dates) + why_in_words(proof, lines, dates),
            "rules": [clip_text(short_text(rule), _LONG) for rule in program.rules[:_RULES]],
            "dates": dates.for_script(),
            "moving": moving(self._here, self._here.stream.timeline, at, self._path),
        }
        page = text_page(head, self.document(), () if self.holds else parts)
        return replace(page, page=page.page | about)

    def _held(self, dates: Dates) -> str:
        """Return a sentence about the last earlier evaluation with the row, or about a violated constraint.

        The sentence is empty if neither explains anything.
        """
        explained = self._explanation
        if not isinstance(explained, AtomExplanation):
            return ""
        held = explanation_report.held_before(explained, dates) or explanation_report.excluded_by(explained)
        return "" if held is None else f"{held[0].upper()}{held[1:]}. "

    def tables(self) -> Sequence[OutTable]:
        """Return the table `lines`, with one row for each line of the tree."""
        return lines_table(self.parts(), "a line of the tree")


@offered_functions(ExplainRequest)
def explain(request: ExplainRequest, listeners: Listeners) -> ExplainResult:
    """Return why an answer contains an atom at a time or not, for an experiment, query or program.

    >>> result = explain("samples/coupons", atom="ans(25,rayban,b)", at=18)
    >>> result.holds, result.text.split(" ")[0]
    (True, 'ans1(25,')
    """
    at_flag, accepted = ("--at TIME", ACCEPTED) if listeners.source_files is None else ("at", _ACCEPTED_CALL)
    paths, atom = asked_of(request, accepted)
    if request.at is None:
        raise LarsError(f"{at_flag} is missing; {accepted}")
    here = situate(request, paths, listeners)
    last = max((fact.t for fact in here.situation.facts), default=here.at)
    _, near = nearby(here.program, here.stream, here.at)
    if here.at > last and last not in near:
        at, end = map(here.dates.text, (here.at, last))
        listeners.note(f"no window at {at} contains an element: the last element of the trace is at {end}")
    explanation = explaining.explain_atom(here, atom, request.model, paths[0], listeners.note)
    assert explanation.moment is not None, "a question about an atom"
    if (warning := explaining.warning_about(here, explanation.moment[1])) is not None:
        listeners.warn(warning)
    return ExplainResult(here.dates, explanation, here, paths[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest:
    """The arguments of `lars check`.

    If the stream is not an answer stream, prints the violated rule, or the atom that no rule derives.

    Example, with an answer that lars solve printed:
    lars solve samples/door/door.lars samples/door/door.atoms --to 3 > answers.txt
    lars check samples/door/door.lars samples/door/door.atoms --at 3 --answer answers.txt
    """

    program: Path = requests.program_argument()
    answer: Path = option(
        needed,
        "File with the stream to check. With -, lars reads standard input.",
        metavar="FILE",
        source="trace",
    )
    at: Time = requests.reference_time_option(needed)
    trace: tuple[Path, ...] = requests.trace_argument()
    how: requests.ProgramOptions


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CheckResult(Findings):
    """The result of `check`: for each stream, the verdict, and the violated rule or the underivable atom."""

    verdict: ClassVar[str | None] = "correct"

    _readings: tuple[CheckReadings, ...]
    _at: int
    dates: Dates = field()  # not the property of the base

    @property
    def correct(self) -> bool:
        """Whether each given stream is an answer stream of the program."""
        return all(readings.correct for readings in self._readings)

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        return check_report.json_document(self._readings, self._at, self.dates)

    def parts(self) -> Iterable[RenderableType]:
        """Yield the verdict on each stream."""
        return check_report.text_lines(self._readings, self._at, self.dates)

    def tables(self) -> Sequence[OutTable]:
        """Return the table `lines`, with one row for each line of the text."""
        return lines_table(self.parts(), "a line of the text")


@offered_functions(CheckRequest)
def check(request: CheckRequest, listeners: Listeners) -> CheckResult:
    """Return whether a stream, in a file or as text, is an answer stream of a program or query at a time.

    >>> from agreement.api import solve
    >>> door = "samples/door/door.lars", "samples/door/door.atoms"
    >>> answer = solve(*door, to=3).text + chr(10)
    >>> check(*door, answer=answer, at=3).correct
    True
    """
    path, how, span = request.program, request.how, (None, request.at)
    how.check(path)
    task = solving.solving_task(path, request.trace, how, span, listeners.note).in_process()
    text = text_in(request.answer, explaining.ACCEPTED_STREAMS)
    met = explaining.situation_of(task, listeners.warn)
    streams = explaining.read_candidates(text, str(request.answer), met.at, met.dates)
    readings = tuple(explaining.check(met, stream, met.at) for stream in streams)
    return CheckResult(readings, met.at, met.dates)
