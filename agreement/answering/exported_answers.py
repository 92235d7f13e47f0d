"""What a reasoner printed, read back: the same answers as those of `lars solve`.

It is read by the legend of the export: what names, numbers and times of the reasoner's output stand for.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, Literal, assert_never

from pydantic import BaseModel, ConfigDict

from agreement.answering.solve.solving import AnswerRows, Streams
from agreement.documents.outputs import in_order
from agreement.documents.placed import check_data, json_of
from agreement.engines.r2s import relation_to_stream
from lars.errors import LarsError
from lars.files import TextFile, TextLine, read_file
from lars.language.stream import Moment, write_moments
from lars.language.terms import NULL, Atom, Constant, Number, Signature, Variable
from lars.ticker.ticker_rules import FIRST_TERM
from solver.facts import constant_of
from solver.job import Whole
from solver.pointwise.standalone_files import shown_atoms
from translate.model.query import ToStream
from translate.tau import Output

LEGEND_FILE: Final = "legend.json"
_LEGEND_ACCEPTED: Final = f"the file {LEGEND_FILE} that `lars export` wrote"


class LegendPart(BaseModel):
    """An object of the legend."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class LegendName(LegendPart):
    """The predicate that a name of the output stands for; `timed`: a time is its last argument."""

    predicate: str
    arity: int
    timed: bool = False

    @property
    def signature(self) -> Signature:
        """Name and arity of the predicate."""
        return self.predicate, self.arity


class LegendOrder(LegendPart):
    """A column that ORDER BY sorts by."""

    column: int
    descending: bool


class LegendColumns(LegendPart):
    """How the rows of a query's answers are read, as `translate.tau.Output` says, and what is reported."""

    variables: list[str]
    width: int
    order: list[LegendOrder]
    bag: bool
    report: Literal["RSTREAM", "ISTREAM", "DSTREAM"]

    @property
    def output(self) -> Output:
        """The columns as the translation has them."""
        order = tuple((key.column, key.descending) for key in self.order)
        return Output(tuple(map(Variable, self.variables)), self.width, order, self.bag)


def columns_of(output: Output, report: ToStream) -> LegendColumns:
    """Return how a query's answers are read."""
    return LegendColumns(
        variables=[variable.name for variable in output.variables],
        width=output.width,
        order=[LegendOrder(column=column, descending=descending) for column, descending in output.order],
        bag=output.bag,
        report=report.value,
    )


class Legend(LegendPart):
    """What `lars export --read` has to know.

    `times` are the evaluation times, of which those from `first` on are shown. Of a query the rows
    have `columns`. `background` are atoms that hold anyway. Where one of `violations` is shown there is no
    answer set; `overflows` are shown where arithmetic left the reasoner's numbers. `origin` is the dateTime
    of time 0, null where times are numbers alone.
    """

    to: Literal["ticker", "asp"]
    times: list[int]
    first: int
    names: dict[str, LegendName]
    terms: dict[str, str] = {}
    background: list[str] = []
    columns: LegendColumns | None = None
    violations: list[str] = []
    overflows: list[str] = []
    origin: str | None = None

    def text(self) -> str:
        """Return the legend as JSON, a key a line."""
        keys = (
            f"{json.dumps(key)}: {json.dumps(value)}" for key, value in self.model_dump(mode="json").items()
        )
        return "{\n" + ",\n".join(keys) + "\n}\n"


def read_legend(path: Path) -> Legend:
    """Return the legend of a file; raises LarsError with the place of what is wrong."""
    return check_data(Legend, json_of(read_file(path, _LEGEND_ACCEPTED), _LEGEND_ACCEPTED))


_ACCEPTED: Final = "what run.sh of an export printed"
_MODEL: Final = re.compile(r"(?:.*\(t=|(?:No m|M)odel at T )(\d+)\)?(?::\s*(.*))?")
_SET: Final = re.compile(r"[A-Za-z]*Set\d?\((.*)\)|-?")
_ATOM: Final = re.compile(r"\s*([a-z]\w*)(?:\(\s*(-?\d+(?:\s*,\s*-?\d+)*)\s*\))?\s*(?:,|$)")
_TIME: Final = re.compile(r"t=(\d+):")
_DONE: Final = ("SATISFIABLE", "OPTIMUM FOUND")
_NONE: Final = "UNSATISFIABLE"

AnswerSets = Mapping[int, tuple[frozenset[Moment], ...]]
"""The answer sets at each time point, as derived atoms with their times."""


def read_answers(output: Path, legend: Path) -> AnswerRows | Streams:
    """Return what a reasoner has answered, from what it printed; raises LarsError with places."""
    known, file = read_legend(legend), read_file(output, _ACCEPTED)
    match known.to:
        case "ticker":
            answers = dict(_ticker_answers(known, file))
        case "asp":
            answers = dict(_asp_answers(known, file))
        case _:
            assert_never(known.to)
    if missing := [t for t in known.times if t not in answers]:
        raise LarsError(f"{output}: nothing is said of the time {missing[0]}; accepted: {_ACCEPTED}")
    return _rows(known, answers) if known.columns is not None else _streams(known, answers)


def _rows(legend: Legend, answer_sets: AnswerSets) -> AnswerRows:
    assert legend.columns is not None
    output = legend.columns.output
    texts = {}
    for t, answers in answer_sets.items():
        if len(answers) != 1:
            raise LarsError(f"{len(answers)} answer sets at {t}; accepted: one, which a query has")
        atoms = [atom for u, atom in answers[0] if u == t and len(atom.arguments) == output.width]
        rows = [tuple(None if term == NULL else str(term) for term in atom.arguments) for atom in atoms]
        texts[t] = in_order(output, rows)
    reported = relation_to_stream(ToStream(legend.columns.report), legend.times, texts)
    return AnswerRows(
        output.variables, [(t, reported[t]) for t in legend.times if t >= legend.first], legend.origin
    )


def _streams(legend: Legend, answer_sets: AnswerSets) -> Streams:
    always = frozenset(legend.background)
    at = []
    for t in legend.times:
        answers = {
            write_moments((moment for moment in answer if str(moment[1]) not in always), t)
            for answer in answer_sets.get(t, ())
        }
        at.append((t, tuple(sorted(answers))))
    return Streams(tuple(at), Whole(), legend.origin)


def _ticker_answers(legend: Legend, file: TextFile) -> Iterator[tuple[int, tuple[frozenset[Moment], ...]]]:
    """Yield what lines `18s (t=18): Set(p(1), pMoment(1,17))` say; the last one of a time counts."""
    for line in file.lines():
        if (model := _MODEL.fullmatch(line.text.strip())) is not None:
            t, text = int(model[1]), model[2] or "-"
            atoms = list(_ticker_atoms(line, text))
            absent = text == "-" or any(name in legend.violations for name, _ in atoms)
            yield t, () if absent else (frozenset(_ticker_moments(legend, line, t, atoms)),)


def _ticker_atoms(line: TextLine, text: str) -> Iterator[tuple[str, list[int]]]:
    match = _SET.fullmatch(text.strip())
    if match is None:
        raise line.error("found no set of atoms; accepted: Set(p(1), q), or - for none")
    rest, end = (match[1] or "").strip(), 0
    while end < len(rest):
        if (atom := _ATOM.match(rest, end)) is None:
            raise line.error(f"found {rest[end:][:80]!r}; accepted: atoms as p(1,2), q")
        end = atom.end()
        yield atom[1], [int(number) for number in (atom[2] or "").split(",") if number]


def _ticker_moments(
    legend: Legend, line: TextLine, t: int, atoms: Iterable[tuple[str, list[int]]]
) -> Iterator[Moment]:
    for name, numbers in atoms:
        if (known := legend.names.get(name)) is not None:
            row = tuple(_term(legend, line, number) for number in numbers[: known.arity])
            yield numbers[-1] if known.timed else t, Atom(known.predicate, row)


def _term(legend: Legend, line: TextLine, number: int) -> Constant:
    if (text := legend.terms.get(str(number))) is not None:
        return constant_of(text)
    if abs(number) >= FIRST_TERM:
        raise line.error(f"found the number {number}, which stands for no term of the legend")
    return Number(number)


def _asp_answers(legend: Legend, file: TextFile) -> Iterator[tuple[int, tuple[frozenset[Moment], ...]]]:
    """Yield what follows each line t=18: up to SATISFIABLE or UNSATISFIABLE, an answer set a line."""
    t, answers = None, list[frozenset[Moment]]()
    # Lines that are blank count: they are answer sets without atoms.
    for number, text in enumerate(file.text.split("\n"), 1):
        line = TextLine(file, number, 0, text.removesuffix("\r"))
        if (begun := _TIME.fullmatch(line.text)) is not None:
            t, answers = int(begun[1]), []
        elif t is None and line.text.strip():
            raise line.error("found no time; accepted: t=18: before the answer sets of a time point")
        elif t is not None and line.text in {*_DONE, _NONE}:
            yield t, tuple(answers)
            t = None
        elif t is not None:
            answers.append(frozenset(_asp_moments(legend, line, t)))
    if t is not None:
        raise LarsError(f"{file.name}: what is printed of {t} is not complete; accepted: {_ACCEPTED}")


def _asp_moments(legend: Legend, line: TextLine, t: int) -> Iterator[Moment]:
    try:
        atoms = list(shown_atoms(line.text))
    except LarsError as error:
        raise line.error(f"{error}; accepted: atoms as p(1) q, one answer set a line") from None
    for name, arguments in atoms:
        if name in legend.overflows:
            raise line.error(f"arithmetic left 32 bit at {t}; accepted: smaller numbers")
        if (known := legend.names.get(name)) is not None:
            terms = tuple(map(constant_of, arguments))
            time = terms[-1] if known.timed else Number(t)
            assert isinstance(time, Number)
            yield time.value, Atom(known.predicate, terms[: known.arity])
