"""Explain why an atom is in the answer streams of a program, and check whether a stream is an answer stream.

`lars explain` reads an atom in full, or with the short names that tables show. `lars check` reads a stream as
text, as a stream of atoms, or as output of `lars solve --json`.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import cached_property, partial
from itertools import chain, islice
from pathlib import Path
from typing import Final, Literal

import numpy as np

from agreement.answering.asked_atoms import AskedAtom, fits, is_open, is_variable, read_question
from agreement.answering.solve.solving import (
    SolvingTask,
    asked_span,
    in_mode,
    program_on_trace,
    query_on_trace,
)
from agreement.comparing.agree import AgreementTask, comparison_trace, pairs
from agreement.documents.dates import NO_DATES, Dates
from agreement.documents.outputs import quantity, short, shorten
from agreement.documents.requests import PROGRAM_SUFFIXES, EvaluationOptions, check_evaluated
from agreement.documents.traces import Trace, point_on, set_span, with_dates
from lars import explain, semantics
from lars.analysis import intensional, nearby, on_own_absence, reach
from lars.dataclass import dataclass
from lars.errors import LarsError, PlacedError, about, cut
from lars.explain import provers, restore, sight, violations, without_constraints
from lars.language.formulas import At, Comparison, Expression
from lars.language.program import Program, atoms, head_atom
from lars.language.stream import Moment, Stream, stream_of, write_moments
from lars.language.terms import (
    NULL,
    Atom,
    Constant,
    Iri,
    Number,
    Signature,
    Symbol,
    Term,
    Variable,
    signature,
    write_name,
)
from lars.language.terms import Literal as RdfLiteral
from lars.language.windows import Interval, Window
from lars.semantics import Background, all_background, check_candidate
from lars.text import VARIABLE, Scanner, read_ground_atom, read_stream
from solver.facts import Situation, atom_of, atoms_of, split
from solver.job import Question, answers_at
from solver.pointwise import models
from solver.rdf import evaluate
from solver.relational import encode
from solver.settings import Time, TraceOptions, Warn, unsaid
from solver.traces import MalformedPart, point_of, read_time
from translate.model.query import EngineQuery
from translate.sparql import number
from translate.tau import TRIGGER, columns

_LISTED: Final = 8
_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,60}(\.[0-9]{1,60})?([eE][+-]?[0-9]{1,3})?")


class ShortNames:
    """The short names by which users can write atoms of a program and its data, such as `ann` for an IRI.

    `columns` is the number of columns in the rows of a query; None for a program.
    """

    def __init__(self, program: Program, known: Iterable[Atom], columns: int | None) -> None:
        self._query = columns is not None
        self._columns = columns
        self._program = program
        self._known = known

    @cached_property
    def _atoms(self) -> Sequence[Atom]:
        """The atoms of the program, then those of its data, which most questions do not need."""
        rules = self._program.rules
        written = [atom for rule in rules for part in rule.body for atom, _, _ in atoms(part)]
        heads = [atom for rule in rules if (atom := head_atom(rule)) is not None]
        return *heads, *written, *self._known

    @cached_property
    def _signatures(self) -> frozenset[Signature]:
        return frozenset(map(signature, self._atoms))

    @cached_property
    def _terms(self) -> dict[str, list[Constant]]:
        """The RDF terms that each short name can mean, for example `ann` for `<http://e/ann>`."""
        terms = dict.fromkeys(term for atom in self._atoms for term in atom.arguments)
        constants: dict[str, list[Constant]] = {"null": []}
        for term in terms:
            if not isinstance(term, Variable):
                for text in dict.fromkeys((str(term), short(str(term)))):
                    constants.setdefault(text, []).append(term)
        return constants

    def resolve(self, asked_atom: AskedAtom, held: Iterable[Atom], note: Warn) -> Atom:
        """Return the atom that a user's text means: an atom in `held` if one fits, otherwise a new atom.

        If the text has a variable or `_`, and several atoms fit, the first atom in alphabetical order is
        returned, and `note` receives the others.
        """
        name = self._predicate(asked_atom)
        same = [atom for atom in dict.fromkeys(held) if signature(atom) == name]
        if any(map(self._is_open, asked_atom.arguments)):
            return self._first(asked_atom, same, note)
        likely = [atom for atom in same if all(map(_means, asked_atom.arguments, atom.arguments))]
        likely = likely or [atom for atom in same if _fits(asked_atom.arguments, atom)]
        exact = [atom for atom in likely if tuple(map(_parsed, asked_atom.arguments)) == atom.arguments]
        likely = exact or likely
        unnamed = name[1] - len(asked_atom.arguments)
        if len(likely) > 1 and not unnamed:
            words = _in_words(sorted(map(str, likely)))
            raise LarsError(f"{asked_atom.text} is ambiguous; candidates: {words}")
        if likely:
            return likely[0]
        if unnamed:
            raise LarsError(
                f"{asked_atom.text}: no such row; to ask about a missing row, use {name[0]} with "
                f"{name[1]} arguments, of which the last arguments distinguish equal rows of a "
                "multiset"
            )
        return Atom(name[0], tuple(self._term(text, asked_atom) for text in asked_atom.arguments))

    def _is_open(self, text: str) -> bool:
        """Return whether an argument is a variable or `_`; a term that occurs may look like a variable.

        In an atom of a query, only names with ? are variables, so that no misspelled name is one.
        """
        if self._query:
            return is_open(text)
        return is_variable(text) and text not in self._terms

    def _first(self, asked_atom: AskedAtom, same: Sequence[Atom], note: Warn) -> Atom:
        arguments = asked_atom.arguments
        fitting = sorted((atom for atom in same if _fits(arguments, atom, self._is_open)), key=str)
        if not fitting:
            for text in (text for text in arguments if not self._is_open(text)):
                self._term(text, asked_atom)  # raises an error for a name that occurs nowhere
            held = (
                _in_words(sorted(shorten(str(atom)) for atom in same)) if same else "none of this predicate"
            )
            raise LarsError(
                f"{asked_atom.text}: no atom of this form holds at this time; found {held}; use "
                "an atom without variables to see why it does not hold"
            )
        if len(fitting) > 1:
            others = _in_words(shorten(str(atom)) for atom in fitting[1:])
            note(f"{asked_atom.text}: {len(fitting)} atoms fit; this is the first; the others: {others}")
        return fitting[0]

    def _predicate(self, atom: AskedAtom) -> Signature:
        short_for = {"ans": "ans1"} if self._query else {}
        predicate = (short_for.get(atom.name, atom.name), len(atom.arguments))
        if predicate not in self._signatures:
            # In a multiset an answer has more arguments than a row: witnesses distinguish equal rows.
            predicates = [
                one for one in self._signatures if one[0] == predicate[0] == "ans1" and one[1] > predicate[1]
            ]
            if predicate[1] == self._columns and predicates:
                return predicates[0]
            known = sorted(f"{write_name(name)}/{arity}" for name, arity in self._signatures)
            if self._columns is not None and atom.name == "ans":
                problem = f"the atom has {quantity(predicate[1], 'term')}, but a row of the query has"
                remedy = "write _ for any term" if self._columns else "use the atom ans"
                raise LarsError(f"{atom.text}: {problem} {self._columns}; {remedy}")
            text = f"{write_name(predicate[0])}/{predicate[1]}"
            raise LarsError(f"{atom.text}: unknown predicate {text}; expected one of {_in_words(known)}")
        return predicate

    def _term(self, text: str, atom: AskedAtom) -> Constant:
        parsed = _parsed(text)
        if parsed == NULL:
            # A term that ends in /null has a longer name; an unbound variable has none.
            return NULL
        if isinstance(parsed, Iri | RdfLiteral):
            return parsed  # in full, the term may occur or not
        terms = self._terms.get(text, [])
        if not terms and self._query:
            # Possible values of an aggregate are in no trace; - means unbound in the tables.
            terms = [number(text)] if _NUMBER.fullmatch(text) else [NULL] if text == "-" else []
        plain = Symbol if self._query else Symbol | Number
        if len(terms) > 1 and isinstance(parsed, plain) and parsed in terms:
            # The name x or the number 3 of a program, not <http://e/x> or "3"^^xsd:integer, which have
            # the same short name.
            return parsed
        if len(terms) > 1 and _NUMBER.fullmatch(text) and number(text) in terms:
            terms = [number(text)]  # digits without quotes are this number, as in Turtle
        if len(terms) > 1:
            raise LarsError(f"{atom.text}: {text} is ambiguous; candidates: {_in_words(map(str, terms))}")
        if terms:
            return terms[0]
        if isinstance(parsed, Number | Symbol) and not self._query:
            return parsed
        raise self._unknown(text, atom)

    def warning(self, atom: Atom) -> str | None:
        """Return a warning about names in the arguments of an atom that occur nowhere; None if all occur."""
        absent = [term for term in atom.arguments if isinstance(term, Symbol) and not self._occurs(term)]
        if not absent:
            return None
        texts = list(dict.fromkeys(map(str, absent)))
        similar = [name for text in texts for name in get_close_matches(text, self._written, _LISTED)]
        known = _in_words(dict.fromkeys(similar) or self._written)
        verb = "does" if len(texts) == 1 else "do"
        return (
            f"{' and '.join(texts)} {verb} not occur in the program, the trace or the static data. If the "
            f"spelling is wrong, use a term that occurs, such as {known}."
        )

    def _occurs(self, term: Symbol) -> bool:
        return term == NULL or term in self._terms.get(str(term), ())

    @property
    def _written(self) -> list[str]:
        """The short names of terms that occur, sorted, without literals and full IRIs."""
        return sorted(name for name, terms in self._terms.items() if terms and name[:1] not in '<"')

    def _unknown(self, text: str, atom: AskedAtom) -> LarsError:
        remedy = f", or ?{text} for a variable" if VARIABLE.fullmatch(text) and text[:1] != "?" else ""
        close = get_close_matches(text, self._written, _LISTED) or self._written
        return LarsError(
            f"{atom.text}: {cut(text)} is not a term of the program, the trace or the static data; "
            f"expected one of {_in_words(close)}{remedy}"
        )


def _means(text: str, term: Term) -> bool:
    return text in (str(term), short(str(term))) or _parsed(text) == term


def _fits(arguments: Sequence[str], atom: Atom, is_open: Callable[[str], bool] = lambda _: False) -> bool:
    # In a multiset, an atom has more arguments than its row.
    terms = [None if term == NULL else str(term) for term in atom.arguments[: len(arguments)]]
    return fits(arguments, terms, is_open)


def _parsed(text: str) -> Constant | None:
    scanner = Scanner(text, "atom")
    try:
        term = scanner.constant()
    except LarsError:
        return None
    return term if scanner.skip() == len(text) else None


def _in_words(texts: Iterable[str]) -> str:
    every: Sequence[str] = tuple(texts)
    more = f", … ({len(every)} in all)" if len(every) > _LISTED else ""
    return ", ".join(every[:_LISTED]) + more if every else "none"


_TRIPLE: Final = ("triple", 4)
"""The predicate of a query's static data."""
_MOST: Final = 1000
"""The maximum number of answer streams that are examined at one time."""


@dataclass(frozen=True, slots=True)
class ProgramSituation:
    """A program with its input and static data, for evaluation by the definitions of LARS or by the solver.

    - `program` is the LARS program. The program of a query includes the trigger of push or pull.
    - `stream` contains only the input, and `background` only the static data, without facts of the program.
    - `situation` contains the input and the static data for the solver.
    - `dates` converts time points to dateTimes; `at` is the time that the user requested.
    """

    program: Program
    stream: Stream
    background: frozenset[Atom]
    situation: Situation
    query: EngineQuery | None
    dates: Dates = NO_DATES
    at: int = 0


def situation_of(task: SolvingTask, warn: Warn) -> ProgramSituation:
    """Return the query or program that the user requested, with its trace and static data.

    Raises:
        LarsError: The input is unreadable, or contains atoms that the program derives.
    """
    return situation_in(task, warn)[0]


def situation_in(task: SolvingTask, warn: Warn) -> tuple[ProgramSituation, Interval]:
    """Return the query or program of a task with its input, and the interval of time points to answer."""
    program: Program
    query: EngineQuery | None = None
    if task.path.suffix in PROGRAM_SUFFIXES:
        program, trace, _ = program_on_trace(task, warn)
    else:
        query, trace, task = query_on_trace(task, warn)
        program = in_mode(query, task)
    here = situation_on(program, query, trace, task.span[1], task.trace.options)
    return here, asked_span(task, trace, None).meet(trace.timeline)


def situation_on(
    program: Program, query: EngineQuery | None, trace: Trace, at: Time | None, options: TraceOptions
) -> ProgramSituation:
    """Return a program together with the whole input of a trace and the time `at` that the user requested."""
    facts = trace.facts(trace.timeline)
    return ProgramSituation(
        program,
        stream_of(trace.timeline, ((fact.t, atom_of(fact)) for fact in facts)),
        frozenset(atoms_of(trace.background)),
        Situation(trace.timeline, facts, trace.background),
        query,
        Dates(trace.origin, options.time_point),
        0 if at is None else point_on(trace, at, options),
    )


AnswerStreams = tuple[tuple[frozenset[Moment], ...], bool]
"""The derived atoms of answer streams in the order of `lars solve`, and whether more answer streams exist."""


def answer_streams(here: ProgramSituation, program: Program, t: int, path: Path) -> AnswerStreams:
    """Return the answer streams of a program at time t, for the input and static data in `here`.

    The windows of `program` must not reach further than the windows of the program in `here`.

    Raises:
        LarsError: The solver rejects the program; the message contains the path.
    """
    _, interval = nearby(here.program, here.stream, t)
    facts = [fact for fact in here.situation.facts if fact.t in interval]
    situation = Situation(here.situation.timeline, facts, here.situation.background)
    try:
        streams = list(islice(models(program, situation, t), _MOST + 1))
    except LarsError as error:
        raise (error if here.query is not None else about(path, error)) from None
    # The order is that of `lars solve`, so that the numbers agree.
    ordered = sorted(streams[:_MOST], key=lambda stream: write_moments(stream, t))
    return tuple(ordered), len(streams) > _MOST


def prover_of(here: ProgramSituation, program: Program, t: int, derived: frozenset[Moment]) -> explain.Prover:
    """Return a prover that can explain the atoms of the answer stream with the given derived atoms.

    If a tuple window can keep some of several elements of one time point, the prover uses one choice of
    elements.
    """
    value: Callable[[Expression], Constant | None] = partial(evaluate, binding={})
    prover = next(provers(program, here.stream, derived, t, here.background, value), None)
    assert prover is not None, "an answer stream has a choice of ties that it is for"
    return prover


@dataclass(frozen=True, slots=True)
class NoAnswerStream:
    """The reason why a program has no answer stream at time t.

    The field `relaxed` contains the answer streams of the program without constraints and without rules whose
    heads are at times outside the timeline. The field `world` contains the first answer stream in `relaxed`
    and all rules of the program. The field `violations` contains the rules that this stream violates. If
    `relaxed` contains no answer stream, `circular` contains the predicates that depend on their own absence,
    with the numbers of their rules. The field `moment` is the atom of the question; None if the question is
    only why no answer stream exists.
    """

    program: Program
    t: int
    moment: Moment | None
    relaxed: AnswerStreams
    world: explain.IndexedPoint | None
    violations: tuple[explain.Violation, ...]
    circular: Mapping[Signature, tuple[int, ...]]


def unanswered_at(here: ProgramSituation, t: int, path: Path) -> NoAnswerStream:
    """Return the reason why a program has no answer stream at time t.

    Raises:
        LarsError: The solver rejects the program; the message contains the path.
    """
    without = without_constraints(here.program, here.stream.timeline)
    return why_unanswered(here, t, None, answer_streams(here, without, t, path))


def why_unanswered(
    here: ProgramSituation, t: int, moment: Moment | None, streams: AnswerStreams
) -> NoAnswerStream:
    """Return the reason why a program has no answer stream at time t.

    The argument `streams` contains the answer streams of the program without constraints and without rules
    whose heads are at times outside the timeline.
    """
    if not streams[0]:
        circular = on_own_absence(here.program)
        return NoAnswerStream(here.program, t, moment, streams, None, (), circular)
    first = prover_of(here, without_constraints(here.program, here.stream.timeline), t, streams[0][0])
    world = restore(first.world, here.program)
    return NoAnswerStream(here.program, t, moment, streams, world, tuple(violations(world)), {})


Sought = explain.Sight | Literal["background"]
"""The kind of an atom that no rule derives: input, with the nearest arrival times, or static data."""


HeldBefore = tuple[int, tuple[tuple[Window, Moment, int | None], ...]]
"""The last earlier time of a row, and the input of its proof that has left windows since then.

For each input atom, the tuple contains the window, and the first time at which the window does not show the
atom (None for a tuple-based window).
"""


@dataclass(frozen=True, slots=True)
class AtomExplanation:
    """The explanation why an atom holds or does not hold in answer stream number `number`.

    - `proof` shows why the atom holds. If the atom does not hold, `shortfalls` contains the rule instances
      that come closest to deriving the atom.
    - `more` is true if the program has further answer streams that were not examined.
    - If no rule derives the atom, `sought` is the kind of the atom.
    - `silent` is the reason why the query is not evaluated at this time; None if the query is evaluated.
    - `held` contains the last earlier time at which an evaluation of the query has the row, and the input of
      its proof that has left windows since then; None if no input has left a window.
    - `excluded` contains the answer streams with the atom of the program without constraints, and the rules
      that the first of them violates; None if no such answer stream exists, or if the atom holds.
    """

    world: explain.IndexedPoint
    moment: Moment
    number: int
    count: int
    more: bool
    proof: explain.Proof | None
    shortfalls: Mapping[explain.AbsentAtom, explain.Shortfall]
    sought: Sought | None
    silent: str | None
    held: HeldBefore | None = None
    excluded: NoAnswerStream | None = None


def query_of_comparison(task: AgreementTask, solving_task: SolvingTask, warn: Warn) -> ProgramSituation:
    """Return one of two compared queries with its trace: the query for --engine, by default for CQELS."""
    query, trace = _query_of(solving_task.path, task, solving_task.evaluation, warn)
    check_evaluated(query, solving_task.evaluation, solving_task.setting.trigger)
    period = task.periods[0] if len(task.periods) == 1 else None
    evaluation = replace(solving_task.evaluation, period=period)
    _reach(trace, solving_task.span[1], task)
    setting = with_dates(task.setting, trace)
    moded_by = replace(solving_task, evaluation=evaluation, setting=setting)
    return situation_on(in_mode(query, moded_by), query, trace, solving_task.span[1], task.trace.options)


def _reach(trace: Trace, at: Time | None, task: AgreementTask) -> None:
    """Extend the default timeline of a trace to the time that the user requested, if this time is later."""
    said = task.trace.timeline is not None or task.span != (None, None)
    if at is not None and not said and point_on(trace, at, task.trace.options) > trace.timeline.last:
        set_span(trace, (None, at), task.trace.options)


def _query_of(
    path: Path, task: AgreementTask, evaluation: EvaluationOptions, warn: Warn
) -> tuple[EngineQuery, Trace]:
    """Return the query for an engine: a query of the experiment, or a query that the comparison derives.

    The trace of the query comes with it.

    Without an engine, the function returns the pushed query of the experiment, or else the pulled query. If
    the mode is pull, the function prefers the pulled query.
    """
    engine = evaluation.engine
    sides = (task.csparql, task.cqels) if evaluation.mode == "pull" else (task.cqels, task.csparql)
    given = [query for query in sides if query is not None]
    for query in given:
        if engine in {None, query.language}:
            return query, comparison_trace(task, [query], warn)
    assert engine is not None, "without an engine, the first query is found"
    if len(given) == 1:
        # Of the ways to read a query of C-SPARQL this is the first of a comparison.
        trace = comparison_trace(task, given, warn)
        derived, *_ = pairs(task.csparql, task.cqels, trace.predicates(), task.assigned)
        for query in (derived.cqels, derived.csparql):
            if query.language is engine:
                one, other = engine.manner.title, given[0].language.manner.title
                warn(f"the {one} query is derived from the {other} query")
                return query, trace
    remedy = " or ".join(f"--engine {query.language.value}" for query in given)
    raise LarsError(f"{path}: the experiment has no query in {engine.manner.title}; use {remedy}")


def explain_atom(
    here: ProgramSituation, text: str, model: int | None, path: Path, note: Warn = unsaid
) -> AtomExplanation | NoAnswerStream:
    """Return the explanation why an atom holds or does not hold in an answer stream at the requested time.

    The argument `text` is the atom as the user wrote it. If the text has variables and several atoms fit, the
    first atom is explained, and `note` receives the others. The argument `model` is the number of the answer
    stream. By default, the function explains the first answer stream with the atom. If no answer stream
    exists at the time, the function returns the reason why none exists.

    Raises:
        LarsError: The time is outside the timeline, or the text can mean several atoms.
    """
    asked_atom, t = read_question(text), here.at
    timeline = here.stream.timeline
    for time in (t, t if asked_atom.t is None else asked_atom.t):
        if time not in timeline:
            raise LarsError(f"the time point {time} is outside the timeline {timeline}")
    found = answer_streams(here, here.program, t, path)
    without = without_constraints(here.program, timeline)
    instead = None if found[0] else answer_streams(here, without, t, path)
    _check_model(model, found, t)
    streams, _ = instead or found
    known = all_background(here.program, here.background)
    moment_time = t if asked_atom.t is None else asked_atom.t
    names = ShortNames(
        here.program, _input_atoms(here, streams), None if here.query is None else len(columns(here.query))
    )
    held = (*known, *(a for stream in streams for u, a in stream if u == moment_time))
    try:
        atom = names.resolve(asked_atom, held, note)
    except LarsError:
        # Of a form with variables, no atom can be absent, but an evaluation can.
        if not streams or not any(map(is_open, asked_atom.arguments)):
            raise
        silent = _silent(here, prover_of(here, here.program, t, streams[0]).world)
        if silent is None:
            raise
        raise LarsError(f"{asked_atom.text}: {silent}") from None
    if instead is not None:
        return why_unanswered(here, t, (moment_time, atom), instead)
    moment = moment_time, atom
    explained = _explained(here, t, moment, found, model)
    if not found[1] and not any(moment in stream for stream in found[0]):
        same = without.rules == here.program.rules
        relaxed, more = ((), False) if same else answer_streams(here, without, t, path)
        if with_atom := tuple(stream for stream in relaxed if moment in stream):
            explained = replace(explained, excluded=why_unanswered(here, t, moment, (with_atom, more)))
    if explained.proof is not None or moment_time != t:
        return explained
    return replace(explained, held=_held_before(here, explained.world, atom, path))


def warning_about(here: ProgramSituation, atom: Atom) -> str | None:
    """Return a warning about names in an atom that occur nowhere; None if all names occur."""
    width = None if here.query is None else len(columns(here.query))
    return ShortNames(here.program, _input_atoms(here, ()), width).warning(atom)


def _input_atoms(here: ProgramSituation, streams: Sequence[frozenset[Moment]]) -> Iterable[Atom]:
    derived = (atom for stream in streams for _, atom in stream)
    return chain(chain.from_iterable(here.stream.input.values()), here.background, derived)


def _check_model(model: int | None, streams: AnswerStreams, t: int) -> None:
    known, more = streams
    count = len(known)
    if model is not None and count and model > count:
        only = f"; lars examined only the first {count} answer streams of more than {count}" if more else ""
        raise LarsError(f"--model {model}: expected 1..{count}, the answer streams at {t}{only}")


def _explained(
    here: ProgramSituation, t: int, moment: Moment, streams: AnswerStreams, model: int | None
) -> AtomExplanation:
    known, more = streams
    holding = (number for number, stream in enumerate(known, 1) if moment in stream)
    number = next(holding, 1) if model is None else model
    prover = prover_of(here, here.program, t, known[number - 1])
    proof = prover.proof(moment)
    missed = {} if proof is not None else explain.Searcher(prover.world).shortfalls(moment)
    sought = None if proof is not None else _sought(here, prover.world, moment)
    silent = _silent(here, prover.world)
    count = len(known)
    return AtomExplanation(
        world=prover.world,
        moment=moment,
        number=number,
        count=count,
        more=more,
        proof=proof,
        shortfalls=missed,
        sought=sought,
        silent=silent,
    )


_LONGEST_PAST: Final = 10_000
"""The number of time points before an evaluation in which the last evaluation with a row is searched."""


def _held_before(
    here: ProgramSituation, world: explain.IndexedPoint, atom: Atom, path: Path
) -> HeldBefore | None:
    """Return the last earlier time at which a query has a row, and the input that has left windows since.

    The trigger of the query has no effect on the result: the row can be the row of the other side.
    """
    gate, rest = split(here.program, TRIGGER)
    reached = reach(here.program)
    timeline = here.stream.timeline
    if here.query is None or gate is None or signature(atom) not in intensional(rest):
        return None
    # A tuple window keeps its atoms as long as no others come.
    past = _LONGEST_PAST if reached.past is None or reached.tuples else min(_LONGEST_PAST, reached.past)
    times = np.arange(max(timeline.first, world.t - past), world.t)
    row = tuple(None if term == NULL else str(term) for term in atom.arguments)
    answers = answers_at(Question(rest, signature(atom), None), encode(here.situation), times)
    last = max((end for _, _, end in answers.of_rows([row]).rows()), default=None)
    if last is None:
        return None
    streams, _ = answer_streams(here, rest, last, path)
    near, _ = nearby(here.program, here.stream, last)
    before = prover_of(replace(here, stream=near), rest, last, streams[0])
    proof = before.proof((last, atom)) or {}
    rules = (support for support in proof.values() if isinstance(support, explain.RuleInstance))
    every = (premise.evidence for rule in rules for premise in rule.premises)
    seen = (one for one in every if isinstance(one, explain.WindowContent))
    left = dict.fromkeys(
        (one.window, moment, explain.time_left(one.window, moment[0], world.t, timeline))
        for one in seen
        for moment in explain.present(one)
        if not world.view.through(one.window, world.t).has(moment[1], moment[0])
    )
    return (last, tuple(left)) if left else None


def _sought(here: ProgramSituation, world: explain.IndexedPoint, moment: Moment) -> Sought | None:
    """Return whether an atom that no rule can derive is static data or input; None if a rule can derive it.

    If the atom is input, the result contains the arrival times that are nearest to the time of the atom.
    """
    name = signature(moment[1])
    if name in intensional(here.program):
        return None
    always = {*map(signature, world.view.background), *here.situation.background}
    always |= {_TRIPLE} if here.query is not None else set()
    if name in always and name not in {signature(atom) for atom in world.view.input_times}:
        return "background"
    return sight(world, At(Number(moment[0]), moment[1]))


def _silent(here: ProgramSituation, world: explain.IndexedPoint) -> str | None:
    if here.query is None or world.holds((world.t, TRIGGER)):
        return None
    # A condition on the time: triggers by input have none.
    times = [
        literal
        for rule in here.program.rules
        if rule.head == TRIGGER
        for literal in rule.body
        if isinstance(literal, Comparison)
    ]
    why = "no input arrives that triggers the query"
    if times:
        is_multiple = len(times) == 1 and times[0].right == Number(0)
        why = "the time is not a multiple of the period" if is_multiple else "no window closes at this time"
    return f"the query is not evaluated at {here.dates.option(world.t)}: {why}"


ACCEPTED_STREAMS: Final = (
    "a stream with one time point per line, such as 18: ans(a) p. or the output of `lars solve`, "
    'such as 18: {ans(a), @_17 p} or {"t": 18, "answer_streams": [["ans(a)", "@_17 p"]]}'
)
_AT: Final = re.compile(r"@_([0-9]{1,19})(?=\s)")
_DATE: Final = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[0-9]{2}:?){3}(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:[0-9]{2})?"
_TIME: Final = re.compile(rf"([0-9]{{1,19}}|{_DATE}):")
_SOLVED: Final = re.compile(rf"\s*(?:[0-9]{{1,19}}|{_DATE}):\s*(?:\{{|no answer stream)")
_ROWS: Final = re.compile(r"""\s*(?:t: \(|\{"t": [0-9]+, "rows")""")
_OPEN, _CLOSE, _COMMA = re.compile(r"\{"), re.compile(r"\}"), re.compile(",")
_OR, _NONE = re.compile(r"\|"), re.compile("no answer stream|…")
_WIDEST: Final = 60

Moments = tuple[Moment, ...]


def read_candidates(text: str, source: str, t: int, dates: Dates) -> list[Moments]:
    """Return the streams for time t from a text, which is a stream of atoms or the output of `lars solve`.

    Raises:
        LarsError: The text is neither an atom stream nor output of `lars solve`, or contains no stream for t.
        The error message contains the file and the line.
    """
    plain = text.removeprefix("\ufeff")
    if _ROWS.match(plain):
        problem = (
            "found rows of a query; check atoms of the program that `lars translate QUERY --mode push` prints"
        )
        raise LarsError(f"{source}:1:1: {problem}; expected {ACCEPTED_STREAMS}")
    if _SOLVED.match(plain):
        return _of_time(list(_solved(plain, source, dates)), source, t, dates)
    if not plain.lstrip().startswith(("{", "[")):
        return [tuple(read_stream(text, source))]
    return _of_time(list(_solved_json(plain, source)), source, t, dates)


def _of_time(
    situations: Sequence[tuple[int, list[Moments]]], source: str, t: int, dates: Dates
) -> list[Moments]:
    chosen = [streams for u, streams in situations if u == t]
    if not chosen:
        times = ", ".join(dates.option(u) for u, _ in situations)
        text = times if len(times) <= _WIDEST else f"{times[:_WIDEST]}…"
        raise LarsError(
            f"{source}: no answer streams for the time {dates.option(t)}; the file has answer "
            f"streams for {text}"
        )
    if not any(chosen):
        raise LarsError(
            f"{source}: nothing to check: the file contains `no answer stream` at {dates.option(t)}"
        )
    return [stream for streams in chosen for stream in streams]


def _solved(text: str, source: str, dates: Dates) -> Iterator[tuple[int, list[Moments]]]:
    """Yield each time in the text output of `lars solve`, with the answer streams at this time."""
    scanner = Scanner(text, source)
    while scanner.skip() < len(text):
        written = scanner.expect(_TIME, "a time and its atoms, such as 18: {ans(a), @_17 p}").group(1)
        t = int(written) if written.isdecimal() else _dated(written, source, dates)
        streams: list[Moments] = []
        while not scanner.accept(_NONE) and scanner.accept(_OPEN):
            streams.append(tuple(_held(scanner, t)))
            scanner.accept(_OR)
        yield t, streams


def _dated(written: str, source: str, dates: Dates) -> int:
    try:
        return point_of(read_time(written), dates.zero, dates.unit)
    except (MalformedPart, LarsError) as error:
        raise LarsError(f"{source}: {error}") from None


def _held(scanner: Scanner, t: int) -> Iterator[Moment]:
    while not scanner.accept(_CLOSE):
        timed = scanner.accept(_AT)
        yield (int(timed.group(1)) if timed else t), read_ground_atom(scanner)
        if not scanner.peek(_CLOSE):
            scanner.expect(_COMMA, "a comma or }")


def _solved_json(text: str, source: str) -> Iterator[tuple[int, list[Moments]]]:
    """Yield each time in the output of `lars solve --json`, with the answer streams at this time."""
    try:
        pieces = [(1, json.loads(text))]
    except (ValueError, RecursionError):
        pieces = [
            (number, _line_of(line, source, number))
            for number, line in enumerate(text.split("\n"), 1)
            if line.strip()
        ]
    for line, piece in pieces:
        match piece:
            case {"t": int(t), "answer_streams": [*streams]} if type(t) is int and _are_texts(streams):
                place = f"{source}:{line}"
                yield t, [tuple(_moment(atom, place, t) for atom in stream) for stream in streams]
            case _:
                problem = "not a JSON object with t and answer_streams"
                raise LarsError(f"{source}:{line}: {problem}; expected {ACCEPTED_STREAMS}")


def _line_of(line: str, source: str, number: int) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise LarsError(f"{source}:{number}: not valid JSON: {error}; expected {ACCEPTED_STREAMS}") from None


def _are_texts(streams: list[object]) -> bool:
    return all(
        isinstance(stream, list) and all(isinstance(atom, str) for atom in stream) for stream in streams
    )


def _moment(text: str, source: str, t: int) -> Moment:
    scanner = Scanner(text, source)
    try:
        timed = scanner.accept(_AT)
        atom = read_ground_atom(scanner)
        if scanner.skip() < len(text):
            scanner.fail("the end of the atom")
    except PlacedError as error:
        raise LarsError(f"{source}: not an atom: {error.problem}\n{error.place.excerpt()}") from None
    return (int(timed.group(1)) if timed else t), atom


def candidate(moments: Moments, program: Program, data: Stream, background: Background) -> Stream:
    """Return the stream to check: the atoms in the user's text and, if necessary, the input.

    If no atom of the text has a predicate of the input, the text contains only derived atoms, and the
    function adds the input. Atoms of the static data in the text have no effect.
    """
    own = intensional(program)
    arrived = [(u, atom) for u, atoms in data.input.items() for atom in atoms]
    names = {signature(atom) for _, atom in arrived} - own
    whole = [(u, atom) for u, atom in moments if atom not in background]
    full = any(signature(atom) in names for _, atom in whole)
    given = [(u, atom) for u, atom in arrived if not full or atom in background or signature(atom) in own]
    by_time: dict[int, dict[Atom, None]] = {}
    for u, atom in (*given, *whole):
        by_time.setdefault(u, {})[atom] = None
    return Stream(data.timeline, {u: tuple(atoms) for u, atoms in sorted(by_time.items())})


@dataclass(frozen=True, slots=True)
class CheckReadings:
    """The verdicts, by two semantics of `not not`, whether a stream is an answer stream of a program.

    The field `flp` is the verdict by the semantics of LARS (FLP semantics). The field `founded` is the
    verdict by a semantics in which an atom may support itself through `not not`.
    """

    flp: semantics.Verdict
    founded: semantics.Verdict

    @property
    def correct(self) -> bool:
        """Whether the stream is an answer stream of the program under the FLP semantics."""
        return isinstance(self.flp, semantics.IsAnswerStream)

    @property
    def differs(self) -> bool:
        """Whether the FLP semantics and the founded semantics of `not not` give different verdicts."""
        return isinstance(self.founded, semantics.IsAnswerStream) != self.correct


def check(situation: ProgramSituation, moments: Moments, t: int) -> CheckReadings:
    """Return the verdicts, by two semantics of `not not`, whether atoms are an answer stream at time t."""
    background = all_background(situation.program, situation.background)
    stream = candidate(moments, situation.program, situation.stream, background)
    flp = semantics.ReferencePoint(t, background)
    verdict = _judged(situation, stream, flp)
    if isinstance(verdict, semantics.IsAnswerStream | semantics.NotAnInterpretation):
        return CheckReadings(verdict, verdict)
    return CheckReadings(verdict, _judged(situation, stream, replace(flp, reading="founded")))


def _judged(
    situation: ProgramSituation, stream: Stream, point: semantics.ReferencePoint
) -> semantics.Verdict:
    value: Callable[[Expression], Constant | None] = partial(evaluate, binding={})
    return check_candidate(situation.program, situation.stream, stream, point, value)
