"""Rules over runs of reference times as ASP text; see `run_evaluation`."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from lars.analysis import LiteralForm, intensional, literal_form, positive_loops
from lars.formulas import Assign, Comparison, Gathered, Relation, Test, Truth
from lars.program import Program, Rule, is_fact
from lars.terms import Atom, Signature, signature
from lars.windows import NOW, Window
from solver.facts import Relevance, Situation, WindowedAtom, renamed, variables_in_order, with_facts
from solver.pointwise.asp_terms import RuleNames, comparison
from solver.pointwise.callbacks import (
    HostedCondition,
    Place,
    call,
    columns,
    condition_arguments,
    condition_atom,
    gathering,
    place,
    predicate_name,
    table,
)


@dataclass(frozen=True, slots=True)
class _Call:
    """An ASP predicate with its arguments' texts."""

    name: str
    arguments: list[str]

    def with_run(self, first: str, last: str) -> str:
        """Return the atom with its first and last index."""
        return call(self.name, [*self.arguments, first, last])

    def __str__(self) -> str:
        return call(self.name, self.arguments)


@dataclass(slots=True)
class _Body:
    """One rule's body: atoms with a run, atoms that always hold, what binds, negations, the rest."""

    runs: list[_Call] = field(default_factory=list)
    steady: list[_Call] = field(default_factory=list)
    binders: list[str] = field(default_factory=list)
    points: list[str] = field(default_factory=list)
    rest: list[str] = field(default_factory=list)

    def domain(self, arguments: list[str]) -> str:
        """Return the least part of the body that binds the arguments: one atom, or all that bind."""
        positive = [*(_numbered_run(i, run) for i, run in enumerate(self.runs)), *map(str, self.steady)]
        atoms = [*self.runs, *self.steady]
        alone = [
            text for text, atom in zip(positive, atoms, strict=True) if {*arguments} <= {*atom.arguments}
        ]
        return "; ".join(alone[:1] or [*positive, *self.binders])


def _numbered_run(number: int, run: _Call) -> str:
    return run.with_run(f"A{number}", f"B{number}")


class IntervalEncoding:
    """A program over `count` reference times as ASP text, and what it asks the host for.

    A derived atom carries its run; `p'at` spreads p over single indexes; `part'p` are the runs of a
    recursive p as its rules derive them; `always'p` is B's p; `in'7` holds the input of `wanted[7]`.
    """

    def __init__(self, program: Program, situation: Situation, count: int, output: Signature | None) -> None:
        self.program = program
        self.count = count
        self.output = output
        self.background = with_facts(program, situation.background)
        self.derived = intensional(program)
        self.recursive = tuple(positive_loops(program))
        self.wanted: dict[WindowedAtom, int] = {}
        self.conditions: dict[Place, int] = {}
        self.gathered: dict[Gathered, int] = {}
        self._input = {(fact.predicate, len(fact.arguments)) for fact in situation.facts}
        self._relevance = Relevance(program, output)
        self._spread: dict[str, int] = {}

    def text(self) -> str:
        """Return the whole program; afterwards `wanted`, `conditions`, `gathered` are complete."""
        rules = [line for rule in self.program.rules if not is_fact(rule) for line in self._rule(rule)]
        lines = [
            *rules,
            *self._gathering(),
            *self._inputs(),
            *self._always(),
            *self._points(),
            *self._united(),
        ]
        if self.output is not None:
            lines.append(f"#show {predicate_name(self.output[0])}/{self.output[1] + 2}.")
        return "\n".join(lines) + "\n"

    def _gathering(self) -> Iterator[str]:
        for literal, number in self.gathered.items():
            names = RuleNames()
            useful = frozenset((renamed(literal.atom),))
            source, timed = self._source(None, literal.atom, useful, names)
            span = ("A", "B") if timed else ("0", self._last)
            instance = source.with_run(*span) if timed else str(source)
            terms = [names.term(variable) for variable in variables_in_order(literal.atom)]
            yield from gathering(literal, number, instance, terms, span)

    def _inputs(self) -> Iterator[str]:
        for wanted, number in self.wanted.items():
            names = ",".join((*_numbered(len(wanted.variables)), "A", "B"))
            yield f"in'{number}({names}) :- ({names}) = @facts({number})."
            if signature(wanted.atom) in self.background:
                # A plain atom of the input that B may hold too; windows never stand over such.
                always = _Call(_always(signature(wanted.atom)), RuleNames().terms(wanted.atom))
                seen_always = _Call(f"in'{number}", [f"V{v.name}" for v in wanted.variables])
                yield f"{seen_always.with_run('0', self._last)} :- {always}."

    def _always(self) -> Iterator[str]:
        for number, predicate in enumerate(self.background):
            names = _numbered(predicate[1])
            row = "".join(f"{part}," for part in (*names, number))  # (0,) is a tuple, (0) a number
            yield f"{call(_always(predicate), names)} :- ({row}) = @background({number})."
            if predicate in self.derived:
                whole = self._head(predicate, names).with_run("0", self._last)
                yield f"{whole} :- {call(_always(predicate), names)}."

    @property
    def hosted(self) -> dict[int, HostedCondition]:
        """The SPARQL conditions by their numbers."""
        return {number: condition for (condition, _), number in self.conditions.items()}

    @property
    def _last(self) -> str:
        return str(self.count - 1)

    def _points(self) -> Iterator[str]:
        for name, arity in self._spread.items():
            names = _numbered(arity)
            yield f"{call(name + _AT, [*names, 'T'])} :- {call(name, [*names, 'A', 'B'])}; T = A..B."

    def _rule(self, rule: Rule) -> Iterator[str]:
        names, body = RuleNames(), _Body()
        for literal in rule.body:
            if isinstance(literal, Comparison):
                part = body.binders if literal.relation is Relation.EQUAL else body.rest
                part.append(comparison(literal, names))
            elif isinstance(literal, Gathered):
                number = self.gathered.setdefault(literal, len(self.gathered) + 1)
                terms = [names.term(variable) for variable in columns(literal)]
                body.runs.append(_Call(f"gathered'{number}", terms))
            elif not isinstance(literal, Test | Assign):
                self._literal(literal_form(literal), rule, names, body)
        for literal in rule.body:
            if isinstance(literal, Test | Assign):
                yield from self._condition(literal, rule, names, body)
        first, last, parts = _meet(body.runs, self._last)
        if body.points:
            parts.append(f"T = {first}..{last}")
            first = last = "T"
        assert isinstance(rule.head, Atom)
        head = self._head(signature(rule.head), names.terms(rule.head)).with_run(first, last)
        parts += [*map(str, body.steady), *body.binders, *body.rest, *body.points]
        yield f"{head} :- {'; '.join(parts) or '#true'}."

    def _head(self, predicate: Signature, arguments: list[str]) -> _Call:
        name = predicate_name(predicate[0])
        return _Call(f"{_PART}{name}" if predicate in self.recursive else name, arguments)

    def _united(self) -> Iterator[str]:
        # Going round a loop makes ever more runs of one atom: the host unites them as they come.
        for number, (name, arity) in enumerate(self.recursive):
            names = _numbered(arity)
            asked = ",".join((str(number), *names, "A", "B"))
            part = _Call(f"{_PART}{predicate_name(name)}", names).with_run("A", "B")
            whole = _Call(predicate_name(name), names).with_run("C", "D")
            yield f"{whole} :- {part}; (C,D) = @united({asked})."

    def _condition(
        self, condition: HostedCondition, rule: Rule, names: RuleNames, body: _Body
    ) -> Iterator[str]:
        number = self.conditions.setdefault(place(condition, rule), len(self.conditions) + 1)
        arguments = [names.term(name) for name in condition_arguments(condition)]
        yield from table(condition, number, arguments, body.domain(arguments))
        value = names.term(condition.variable) if isinstance(condition, Assign) else ""
        part = body.binders if isinstance(condition, Assign) else body.rest
        part.append(condition_atom(condition, number, arguments, value))

    def _literal(self, form: LiteralForm, rule: Rule, names: RuleNames, body: _Body) -> None:
        if isinstance(form.atom, Truth):
            body.rest += [] if form.positive else ["#false"]
            return
        useful = self._relevance.useful(form.atom, rule)
        source, timed = self._source(form.window, form.atom, useful, names)
        if form.positive:
            (body.runs if timed else body.steady).append(source)
        elif timed:
            self._spread[source.name] = len(source.arguments)
            body.points.append(f"not {call(source.name + _AT, [*source.arguments, 'T'])}")
        elif signature(form.atom) in self.background:
            body.rest.append(f"not {source}")

    def _source(
        self, window: Window | None, atom: Atom, useful: frozenset[Atom], names: RuleNames
    ) -> tuple[_Call, bool]:
        """Return the ASP atom for a literal's atom, and whether it carries a run."""
        predicate = signature(atom)
        if predicate in self.derived:
            return _Call(predicate_name(atom.predicate), names.terms(atom)), True
        if predicate in self._input or window is not None:
            wanted = WindowedAtom(window or NOW, renamed(atom), useful)
            number = self.wanted.setdefault(wanted, len(self.wanted))
            return _Call(f"in'{number}", [names.term(v) for v in variables_in_order(atom)]), True
        return _Call(_always(predicate), names.terms(atom)), False


_AT = "'at"
_PART = "part'"


def _always(predicate: Signature) -> str:
    return f"always'{predicate_name(predicate[0])}"


def _numbered(count: int) -> list[str]:
    return [f"X{i}" for i in range(count)]


def _meet(runs: list[_Call], last_index: str) -> tuple[str, str, list[str]]:
    """Return names of the first and last index that the runs share, and the literals that bind them."""
    if not runs:
        return "0", last_index, []
    parts = [_numbered_run(i, run) for i, run in enumerate(runs)]
    first, last = "A0", "B0"
    for i in range(1, len(runs)):
        # The greater of two is (a + b + |a - b|) / 2: arithmetic, where an aggregate would be slow.
        parts.append(f"M{i} = ({first}+A{i}+|{first}-A{i}|)/2")
        parts.append(f"N{i} = ({last}+B{i}-|{last}-B{i}|)/2")
        parts.append(f"M{i} <= N{i}")
        first, last = f"M{i}", f"N{i}"
    return first, last, parts
