"""`lars export`: write a program and its trace as files for Ticker or clingo, and read their answers.

For Ticker, the module writes the program in Ticker's language, the input with a line for each time point, and
a script. For clingo, the module writes the rules, the input as facts, and a script that evaluates each time
point. The export appears as a complete folder or not at all, and never replaces other data. The file
legend.json maps names, numbers and times in a reasoner's output back to predicates, terms and dateTimes.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal, assert_never

from pydantic import BaseModel

from agreement.answering.solve.solving import (
    AnswerRows,
    SolvingTask,
    Streams,
    asked_span,
    in_mode,
    program_on_trace,
    query_on_trace,
    used_predicates,
)
from agreement.answering.solve.translating import placed_refusal
from agreement.documents.outputs import in_order
from agreement.documents.placed import check_data, json_of
from agreement.documents.requests import PROGRAM_SUFFIXES
from agreement.engines.r2s import relation_to_stream
from lars.analysis import ExportError, intensional, strata, windows, with_windows
from lars.dataclass import dataclass
from lars.durations import NANOSECONDS, Duration
from lars.errors import LarsError
from lars.files import TextFile, TextLine, exists, read_file, replacement_path
from lars.language.formulas import Assign, BodyLiteral, Test
from lars.language.program import Program, Rule, set_literals
from lars.language.stream import Moment, ToStream, write_moments
from lars.language.terms import NULL, Atom, Constant, Number, Signature, Variable, signature
from lars.language.windows import Interval, TimeWindow, TupleWindow, Window
from lars.semantics import all_background
from lars.ticker import Reasoner
from lars.ticker.ticker_rules import FIRST_TERM, TickerInput
from lars.ticker.ticker_writer import TickerWriter, ticker_writer, with_signs
from solver.facts import Fact, Gate, Multiples, Situation, atom_of, atoms_of, constant_of, counts, times_of
from solver.job import Question, Whole, ask
from solver.pointwise import HostedCondition, condition_arguments, models
from solver.pointwise.asp_terms import GREATEST
from solver.pointwise.standalone_files import decided_conditions, shown_atoms, standalone
from solver.settings import Warn
from translate.tau import Output, output_of

LEGEND_FILE: Final = "legend.json"
_LEGEND_ACCEPTED: Final = f"the file {LEGEND_FILE} that `lars export` wrote"


class LegendName(BaseModel, extra="forbid", strict=True, frozen=True):
    """The predicate of a program that a name in the output of Ticker or clingo represents.

    If `timed` is true, the last argument of each atom with this name is a time.
    """

    predicate: str
    arity: int
    timed: bool = False

    @property
    def signature(self) -> Signature:
        """The name and arity of the predicate."""
        return self.predicate, self.arity


class LegendOrder(BaseModel, extra="forbid", strict=True, frozen=True):
    """A column by which ORDER BY sorts the rows of a query, with the direction of the order."""

    column: int
    descending: bool


class LegendColumns(BaseModel, extra="forbid", strict=True, frozen=True):
    """The columns of a query's answers (see `translate.tau.Output`), and the relation-to-stream operator."""

    variables: list[str]
    width: int
    order: list[LegendOrder]
    bag: bool
    report: ToStream

    @property
    def output(self) -> Output:
        """Return the columns as an object of the class `translate.tau.Output`."""
        order = tuple((key.column, key.descending) for key in self.order)
        return Output(tuple(map(Variable, self.variables)), self.width, order, self.bag)


def columns_of(output: Output, report: ToStream) -> LegendColumns:
    """Return the columns of a query's answers in the form in which the legend of an export stores them."""
    return LegendColumns(
        variables=[variable.name for variable in output.variables],
        width=output.width,
        order=[LegendOrder(column=column, descending=descending) for column, descending in output.order],
        bag=output.bag,
        report=report,
    )


class Legend(BaseModel, extra="forbid", strict=True, frozen=True):
    """The legend of an export, with which `lars export --read` interprets the output of a reasoner.

    - `times` are the evaluation times. Answers at times before `first` are not shown.
    - `columns` are the columns of a query; null for a program.
    - `background` contains the atoms that hold at every time.
    - `violations` are names of atoms. If a reasoner derives an atom with a name in `violations`, no answer
      set exists.
    - `overflows` are names of atoms. If a reasoner derives an atom with a name in `overflows`, a calculated
      number was too large for the reasoner.
    - `origin` is the dateTime of time 0; null if times are integers.
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
        """Return the legend as JSON with one key per line."""
        keys = (
            f"{json.dumps(key)}: {json.dumps(value)}" for key, value in self.model_dump(mode="json").items()
        )
        return "{\n" + ",\n".join(keys) + "\n}\n"


def read_legend(path: Path) -> Legend:
    """Read the legend of an export from a file.

    Raises:
        LarsError: The file is not a legend; the message contains the place of the error.
    """
    return check_data(Legend, json_of(read_file(path, _LEGEND_ACCEPTED), _LEGEND_ACCEPTED))


_ACCEPTED: Final = "the output of run.sh of an export"
_MODEL: Final = re.compile(r"(?:.*\(t=|(?:No m|M)odel at T )(\d+)\)?(?::\s*(.*))?")
_SET: Final = re.compile(r"[A-Za-z]*Set\d?\((.*)\)|-?")
_ATOM: Final = re.compile(r"\s*([a-z]\w*)(?:\(\s*(-?\d+(?:\s*,\s*-?\d+)*)\s*\))?\s*(?:,|$)")
_TIME: Final = re.compile(r"t=(\d+):")
_DONE: Final = ("SATISFIABLE", "OPTIMUM FOUND")
_NONE: Final = "UNSATISFIABLE"

AnswerSets = Mapping[int, tuple[frozenset[Moment], ...]]
"""The answer sets at each time point; an answer set contains derived atoms with their times."""


def read_answers(output: Path, legend: Path) -> AnswerRows | Streams:
    """Return the answers in the output of a reasoner.

    Raises:
        LarsError: The output is invalid or incomplete; the message contains the place of the error.
    """
    known, file = read_legend(legend), read_file(output, _ACCEPTED)
    match known.to:
        case "ticker":
            answers = dict(_ticker_answers(known, file))
        case "asp":
            answers = dict(_asp_answers(known, file))
        case _:
            assert_never(known.to)
    if missing := [t for t in known.times if t not in answers]:
        raise LarsError(f"{output}: no answer for the time {missing[0]}; expected {_ACCEPTED}")
    return _rows(known, answers) if known.columns is not None else _streams(known, answers)


def _rows(legend: Legend, answer_sets: AnswerSets) -> AnswerRows:
    assert legend.columns is not None
    output = legend.columns.output
    texts = {}
    for t, answers in answer_sets.items():
        if len(answers) != 1:
            raise LarsError(f"{len(answers)} answer sets at {t}; expected exactly one answer set for a query")
        atoms = [atom for u, atom in answers[0] if u == t and len(atom.arguments) == output.width]
        rows = [tuple(None if term == NULL else str(term) for term in atom.arguments) for atom in atoms]
        texts[t] = in_order(output, rows)
    reported = relation_to_stream(legend.columns.report, legend.times, texts)
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
    """Yield each time in Ticker's output, with its answers.

    A line of Ticker's output is for example `18s (t=18): Set(p(1), pMoment(1,17))`. If several lines of
    Ticker's output have the same time, the last line counts.
    """
    for line in file.lines():
        if (model := _MODEL.fullmatch(line.text.strip())) is not None:
            t, text = int(model[1]), model[2] or "-"
            atoms = list(_ticker_atoms(line, text))
            absent = text == "-" or any(name in legend.violations for name, _ in atoms)
            yield t, () if absent else (frozenset(_ticker_moments(legend, line, t, atoms)),)


def _ticker_atoms(line: TextLine, text: str) -> Iterator[tuple[str, list[int]]]:
    match = _SET.fullmatch(text.strip())
    if match is None:
        raise line.error("found no set of atoms; expected atoms such as Set(p(1), q), or - if no atom holds")
    rest, end = (match[1] or "").strip(), 0
    while end < len(rest):
        if (atom := _ATOM.match(rest, end)) is None:
            raise line.error(f"found {rest[end:][:80]!r}; expected atoms such as p(1,2), q")
        end = atom.end()
        yield atom[1], [int(number) for number in (atom[2] or "").split(",") if number]


def _ticker_moments(
    legend: Legend, line: TextLine, t: int, atoms: Iterable[tuple[str, list[int]]]
) -> Iterator[Moment]:
    for name, numbers in atoms:
        if (known := _known(legend, line, name, len(numbers))) is not None:
            row = tuple(_term(legend, line, number) for number in numbers[: known.arity])
            yield numbers[-1] if known.timed else t, Atom(known.predicate, row)


def _known(legend: Legend, line: TextLine, name: str, count: int) -> LegendName | None:
    """Return the entry of the legend for the name of an atom; None if the legend does not contain the name.

    `count` is the number of the atom's arguments.
    """
    known = legend.names.get(name)
    if known is not None and count != known.arity + known.timed:
        raise line.error(
            f"found {name} with {count} argument{'s' * (count != 1)}; expected "
            f"{known.arity + known.timed}, as in the file {LEGEND_FILE} of the same export"
        )
    return known


def _term(legend: Legend, line: TextLine, number: int) -> Constant:
    if (text := legend.terms.get(str(number))) is not None:
        return constant_of(text)
    if abs(number) >= FIRST_TERM:
        raise line.error(f"found the number {number}; expected a number that the file {LEGEND_FILE} contains")
    return Number(number)


def _asp_answers(legend: Legend, file: TextFile) -> Iterator[tuple[int, tuple[frozenset[Moment], ...]]]:
    """Yield each time in clingo's output, with its answer sets.

    After a line with the time, such as `t=18:`, each line contains one answer set, up to the line
    SATISFIABLE.
    """
    t, answers = None, list[frozenset[Moment]]()
    # Lines that are blank count: they are answer sets without atoms.
    for number, text in enumerate(file.text.split("\n"), 1):
        line = TextLine(file, number, 0, text.removesuffix("\r"))
        if (begun := _TIME.fullmatch(line.text)) is not None:
            t, answers = int(begun[1]), []
        elif t is None and line.text.strip():
            raise line.error(
                "found no time in front of the answer sets; expected the time point, such as t=18:"
            )
        elif t is not None and line.text in {*_DONE, _NONE}:
            yield t, tuple(answers)
            t = None
        elif t is not None:
            answers.append(frozenset(_asp_moments(legend, line, t)))
    if t is not None:
        raise LarsError(f"{file.name}: the output for the time {t} is not complete; expected {_ACCEPTED}")


def _asp_moments(legend: Legend, line: TextLine, t: int) -> Iterator[Moment]:
    try:
        atoms = list(shown_atoms(line.text))
    except LarsError as error:
        raise line.error(f"{error}; expected atoms such as p(1) q, with one answer set per line") from None
    for name, arguments in atoms:
        if name in legend.overflows:
            raise line.error(f"arithmetic exceeded 32 bit at {t}; expected smaller numbers")
        if (known := _known(legend, line, name, len(arguments))) is not None:
            terms = tuple(map(constant_of, arguments))
            time = terms[-1] if known.timed else Number(t)
            if not isinstance(time, Number):
                raise line.error(f"found {name} with the last argument {time}; expected a time")
            yield time.value, Atom(known.predicate, terms[: known.arity])


MOST: Final = 10_000
"""The maximum number of evaluation times of an export.

The number MOST also limits the time points of an export whose clock ticks at each time point.
"""


@dataclass(frozen=True, slots=True)
class ExportedProgram:
    """A program to export, with its input and its evaluation times.

    - `program` has no trigger, because the program is evaluated at all `times`. The field `triggered` is the
      same program with the trigger of push. Only answers at times in `span` are shown.
    - `columns` are the columns of a query; None for a program.
    - `origin` is the dateTime of time 0; None if times are integers.
    """

    program: Program
    triggered: Program
    situation: Situation
    times: tuple[int, ...]
    span: Interval
    columns: LegendColumns | None
    origin: str | None

    @property
    def answer(self) -> Signature | None:
        """The predicate whose atoms are the answers of a query; None if a program is exported."""
        return None if self.columns is None else self.columns.output.predicate


def export_program(task: SolvingTask, warn: Warn) -> ExportedProgram:
    """Return the program to export, for a query or program and its trace."""
    task = task.in_process()
    if task.path.suffix in PROGRAM_SUFFIXES:
        columns, (program, trace, _) = None, program_on_trace(task, warn)
        question, report = Question(program, Whole(), None), "RSTREAM"
    else:
        query, trace, task = query_on_trace(task, warn)
        output, report = output_of(query, task.setting), query.operator
        columns, program = columns_of(output, report), in_mode(query, task)
        question = ask(program, output.predicate)
    span = asked_span(task, trace, 1)
    facts = trace.facts(trace.timeline)
    # Rows are new or gone relative to the previous evaluation, also before the first time shown.
    begin = span.first if report == "RSTREAM" else _time_before(question.gate, facts, span.first)
    within = Interval(begin, span.last)
    return ExportedProgram(
        question.program,
        question.program if isinstance(question.gate, Multiples) else program,
        Situation(trace.timeline, facts, trace.background),
        _times(question.gate, facts, within),
        span,
        columns,
        trace.origin,
    )


def _time_before(gate: Gate, facts: Iterable[Fact], t: int) -> int:
    """Return the last evaluation time before time t.

    If no evaluation is earlier, the result is 0 for pull, and t for push.
    """
    match gate:
        case None:
            return max(t - 1, 0)
        case Multiples():
            before = ((t - 1 - (t - 1 - offset) % period, offset) for period, offset in gate.series)
            return max((last for last, first in before if last >= first), default=0)
        case _:
            return max(times_of(gate, facts, Interval(0, t - 1)), default=t) if t else t


def _times(gate: Gate, facts: Iterable[Fact], within: Interval) -> tuple[int, ...]:
    match gate:
        case None:
            fewest = within.last - within.first + 1
        case Multiples(periods):
            fewest = (within.last - within.first) // min(periods)
        case _:
            fewest = 0
    times = tuple(times_of(gate, facts, within)) if fewest <= MOST else ()
    if max(fewest, len(times)) > MOST:
        raise LarsError(
            f"more than {MOST} evaluation times from {within.first} to {within.last}; use a "
            "shorter interval (--from, --until) or a longer --period"
        )
    return times


def plainer(exported_program: ExportedProgram) -> tuple[Program, tuple[Atom, ...]]:
    """Return an equivalent program that Ticker can read more easily, and facts to add to the program.

    If all evaluations are at multiples of a window's slide, the function removes the slide. If a tuple window
    counts all input, the function removes the name of its stream. The function replaces each SPARQL condition
    by an atom, and returns facts for the terms that satisfy the condition.
    """
    if any(True for rule in exported_program.triggered.rules for _ in set_literals(rule.body)):
        return exported_program.triggered, ()

    def shown(window: Window) -> Window:
        match window:
            case TimeWindow(_, 0, step) if step > 1 and not any(t % step for t in exported_program.times):
                return replace(window, step=1)
            case TupleWindow() if all(
                counts(window, fact.arguments) for fact in exported_program.situation.facts
            ):
                return replace(window, source=None)
            case _:
                return window

    decided = decided_conditions(exported_program.program, exported_program.situation, exported_program.times)
    used = {
        name
        for name, _ in (
            *used_predicates(exported_program.triggered),
            *exported_program.situation.background,
            *map(signature, map(atom_of, exported_program.situation.facts)),
        )
    }
    fresh = (name for n in range(1, 10**9) if (name := f"condition{n}") not in used)
    names: dict[HostedCondition, str] = {condition: next(fresh) for condition in decided}

    def atomic(literal: BodyLiteral) -> BodyLiteral:
        if not isinstance(literal, Test | Assign):
            return literal
        return Atom(names[literal], _columns(literal))

    program = with_windows(exported_program.triggered, shown)
    rules = (Rule(rule.head, tuple(map(atomic, rule.body))) for rule in program.rules)
    facts = (
        Atom(names[condition], row) for condition, rows in decided.items() for row in sorted(rows, key=str)
    )
    return Program(tuple(rules)), tuple(facts)


def _columns(condition: Test | Assign) -> tuple[Variable, ...]:
    arguments = condition_arguments(condition)
    return (*arguments, condition.variable) if isinstance(condition, Assign) else arguments


def input_of(exported_program: ExportedProgram, program: Program) -> Iterator[tuple[int, Atom]]:
    """Yield each input atom that a program can read, with its time, in order of arrival.

    Atoms that arrive after the last time of the export are left out.
    """
    used = used_predicates(program)
    tuples = any(isinstance(window, TupleWindow) for window in windows(program))
    for fact in dict.fromkeys(exported_program.situation.facts):
        if fact.t <= exported_program.span.last and (tuples or (fact.predicate, len(fact.arguments)) in used):
            yield fact.t, atom_of(fact)


def background_of(exported_program: ExportedProgram, program: Program) -> tuple[Atom, ...]:
    """Return the atoms of the static data whose predicates occur in a program."""
    used = used_predicates(program)
    return tuple(atom for atom in atoms_of(exported_program.situation.background) if signature(atom) in used)


def _script(name: str, **values: object) -> str:
    """Return the text of a script template, with the given values in place of names such as @name@."""
    text = files("agreement.answering").joinpath(name).read_text(encoding="utf-8")
    return re.sub("@([a-z]+)@", lambda match: str(values[match[1]]), text)


def ticker_files(
    exported_program: ExportedProgram, reasoner: Reasoner, clock: Duration, path: Path
) -> dict[str, str]:
    """Return the files of an export for Ticker: each file name with the text of the file.

    `path` is the file of the program, for error messages.

    Raises:
        LarsError: Ticker cannot express a construct of the program. The error contains the place of the
        construct.
    """
    if clock.nanoseconds % NANOSECONDS["ms"]:
        raise LarsError(
            f"cannot export a time point of {clock} to Ticker; use --clock with whole milliseconds"
        )
    last = exported_program.span.last
    if last >= MOST:
        raise LarsError(
            f"cannot export for Ticker, because the timeline ends at {last} and Ticker requires an end of "
            f"at most {MOST - 1}; use --until"
        )
    program, facts = plainer(exported_program)
    background = (*background_of(exported_program, program), *facts)
    signed, stream, arrival = with_signs(program, _stream(exported_program, program), reasoner)
    try:
        writer = ticker_writer(signed, clock, reasoner, background, stream)
        text = writer.text()
    except ExportError as error:
        raise placed_refusal(error, program, path) from None
    except LarsError as error:
        raise LarsError(f"{path}: {error}") from None
    lines = [writer.line(stream.atoms.get(t, ())) for t in range(last + 1)]
    run = _script(
        "run_ticker.sh",
        tick=clock.nanoseconds // NANOSECONDS["ms"],
        reasoner=reasoner,
        legend=LEGEND_FILE,
        arrival=writer.predicates[signature(arrival)],
    )
    return {
        "program.lars": text,
        "stream.txt": "".join(f"{line}\n" for line in lines),
        LEGEND_FILE: _ticker_legend(exported_program, writer, background).text(),
        "run.sh": run,
    }


def _stream(exported_program: ExportedProgram, program: Program) -> TickerInput:
    atoms: dict[int, list[Atom]] = {}
    for t, atom in input_of(exported_program, program):
        atoms.setdefault(t, []).append(atom)
    at = {t: tuple(those) for t, those in atoms.items()}
    return TickerInput(
        at, exported_program.span.last, single=strata(program) is not None or _is_single(exported_program)
    )


def _is_single(program: ExportedProgram) -> bool:
    """Return whether the program without its constraints has exactly one answer stream at each time point."""
    free = Program(tuple(rule for rule in program.triggered.rules if rule.head is not None))
    times = range(program.span.last + 1)
    return all(len(list(islice(models(free, program.situation, t), 2))) == 1 for t in times)


def _ticker_legend(program: ExportedProgram, writer: TickerWriter, background: tuple[Atom, ...]) -> Legend:
    predicates = {program.answer} if program.answer is not None else intensional(program.program)
    names = {
        name: LegendName(predicate=predicate, arity=arity, timed=role == "moments")
        for role in ("program", "moments")
        for name, (predicate, arity) in writer.heads(role).items()
        if (predicate, arity) in predicates
    }
    always = all_background(program.program, background)
    return _legend(
        "ticker",
        program,
        names,
        terms={str(number): str(term) for term, number in writer.terms.items()},
        background=sorted(str(atom) for atom in always if signature(atom) in predicates),
        violations=list(writer.heads("violation")),
    )


def _legend(
    to: Literal["ticker", "asp"], program: ExportedProgram, names: dict[str, LegendName], **others: Any
) -> Legend:
    return Legend(
        to=to,
        times=list(program.times),
        first=program.span.first,
        names=names,
        columns=program.columns,
        origin=program.origin,
        **others,
    )


def asp_files(program: ExportedProgram) -> dict[str, str]:
    """Return the files of an export for clingo: each file name with the text of the file.

    Raises:
        LarsError: The times are too large for the arithmetic of clingo.
    """
    if program.situation.timeline.last > GREATEST:
        raise LarsError(
            f"the timeline ends at {program.situation.timeline.last}, but clingo requires an end "
            f"of at most {GREATEST}; use --until, a coarser --unit, or an --origin nearer to the "
            "trace"
        )
    written = standalone(program.program, program.situation, program.times, program.answer)
    run = _script(
        "run_clingo.sh", times=" ".join(map(str, program.times)), clock=written.clock, legend=LEGEND_FILE
    )
    names = {
        name: LegendName(predicate=predicate, arity=arity, timed=timed)
        for name, ((predicate, arity), timed) in written.names.items()
    }
    legend = _legend("asp", program, names, overflows=sorted(written.overflows))
    return {
        "program.lp": "".join(f"{line}\n" for line in written.rules),
        "stream.lp": "".join(f"{line}\n" for line in written.facts),
        LEGEND_FILE: legend.text(),
        "run.sh": run,
    }


_FILES: Final = frozenset((LEGEND_FILE, "run.sh", "program.lars", "stream.txt", "program.lp", "stream.lp"))
_RUNNABLE: Final = 0o755


def export_to(
    folder: Path, task: SolvingTask, ticker: tuple[Reasoner, Duration] | None, warn: Warn, *, overwrite: bool
) -> str:
    """Write a program with its trace as files for Ticker, or for clingo if `ticker` is None.

    For Ticker, the argument `ticker` contains the reasoner and the duration of a time point.

    Returns:
        A text with the names of the files and how to run them.
    """
    _check_free(folder, overwrite=overwrite)
    program = export_program(task, warn)
    if not program.times:
        raise LarsError(
            f"{task.path}: no evaluation time in the timeline; use other values of --from, --to or --period"
        )
    texts = asp_files(program) if ticker is None else ticker_files(program, *ticker, task.path)
    _write(folder, texts)
    done = "run.sh runs the program. `lars export --read` reads the output of run.sh"
    return f"{folder}: {', '.join(texts)}; {done}"


def _check_free(folder: Path, *, overwrite: bool) -> None:
    """Raise LarsError if an export cannot be written to the folder, for example over other files."""
    if not exists(folder.parent, folder=True):
        raise LarsError(f"{folder}: cannot write the folder: the folder {folder.parent} does not exist")
    if exists(folder) and not folder.is_dir():
        raise LarsError(f"{folder}: cannot write the folder: a file has this name; use another name")
    held = sorted(path.name for path in folder.iterdir()) if exists(folder) else []
    if held and not overwrite:
        raise LarsError(
            f"{folder}: cannot write the folder: the folder exists already; use another name, or --overwrite"
        )
    if other := [name for name in held if name not in _FILES]:
        raise LarsError(f"{folder}: cannot overwrite the folder: {other[0]} in it is not a file of an export")


def _write(folder: Path, texts: Mapping[str, str]) -> None:
    with replacement_path(folder, folders=True) as new:
        new.mkdir()
        for name, text in texts.items():
            (new / name).write_text(text, encoding="utf-8")
        (new / "run.sh").chmod(_RUNNABLE)
