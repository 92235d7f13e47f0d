"""The rows of many reference times from one clingo program, each row with intervals of consecutive times.

  a(X) ← ⊞^w ◇ b(X, Y), c(Y), not d(X)
  a(X,M,N) :- in'0(X,Y,A0,B0); c(Y,A1,B1); M = max(A0,A1); N = min(B0,B1); M <= N    without `not`
  a(X,T,T) :- ..; T = M..N; not d'at(X,T)                                            with it

As time advances, both ends of a window only move forward, so a fact is in a window at consecutive times. The
host gives clingo the first and the last index of the times at which a fact is in the window. Tests compare
the result with the encoding for a single time.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import cache, cached_property, lru_cache

import clingo

from lars import analysis
from lars.dataclass import dataclass
from lars.language.formulas import BodyLiteral, Comparison, Condition, SetLiteral
from lars.language.program import Program, Rule, formulas
from lars.language.terms import NULL, Atom, Signature, signature
from lars.language.windows import NOW, IntervalWindow, TupleWindow, Window
from solver import facts
from solver.pointwise import asp_terms
from solver.pointwise.encoding import AspNames, RuleWriter
from solver.pointwise.point_evaluation import Host, InputRows, ground

_NULL = asp_terms.symbol(NULL)


def have_runs(program: Program, background: Iterable[Signature]) -> bool:
    """Return whether `runs` can evaluate the program, if the background has the given predicates.

    The program must not have recursion, arithmetic on variables, aggregates or orders. Heads must hold at the
    reference time. The operand of each window must be a formula ◇ a with an input atom a. Tuple windows must
    have ties `arrival` and no partitions.
    """
    rules, derived = program.rules, analysis.intensional(program)
    known = {*background, *map(signature, program.facts)}
    if derived & known or analysis.positive_loops(program) or analysis.strata(program) is None:
        return False
    if any(not isinstance(rule.head, Atom) or any(map(_is_beyond, rule.body)) for rule in rules):
        return False
    try:
        forms = [analysis.literal_form(part) for rule in rules for part in formulas(rule.body)]
    except analysis.UnsupportedFormulaError:
        return False
    return all(_has_runs(form, derived | known) for form in forms)


def _is_beyond(literal: BodyLiteral) -> bool:
    if isinstance(literal, Comparison):
        return any(
            True
            for side in (literal.left, literal.right)
            for _ in asp_terms.wrapping(side, asp_terms.RuleNames())
        )
    return isinstance(literal, SetLiteral)


def _has_runs(form: analysis.LiteralForm, elsewhere: Container[Signature]) -> bool:
    if not isinstance(form.atom, Atom):
        return False
    match form.window:
        case None:
            return form.mode == ""
        case TupleWindow(ties="arrival", by=None) | IntervalWindow():
            return form.mode == "◇" and signature(form.atom) not in elsewhere
        case _:
            return False


def runs(
    program: Program, situation: facts.Situation, times: Sequence[int], output: Signature
) -> Iterator[tuple[facts.Row, facts.Span]]:
    """Yield the rows of a derived predicate, each with the first and last index of one of its intervals.

    An index is a position in `times`, which must ascend. The intervals of one row are neither overlapping nor
    adjacent. The function requires that `have_runs` returns True for the program.
    """
    arrived = frozenset((fact.predicate, len(fact.arguments)) for fact in situation.facts)
    encoding = RunEncoding(program, frozenset(situation.background), input=arrived, last=len(times) - 1)
    host = Host(encoding.hosted, {}, {}, _facts(encoding, situation, times))
    control = clingo.Control(["--warn=none"])
    show = f"#show. #show {asp_terms.predicate_name(output[0])}/{output[1] + 2}.\n"
    control.add("base", [], "\n".join((*encoding.lines(), host.input_rules(), show)))
    ground(control, host, program, situation)
    spans: dict[facts.Row, list[facts.Span]] = {}
    index = {clingo.Number(place): place for place in range(len(times))}
    with control.solve(yield_=True) as models:
        # A stratified program has one model, which grounding alone computes.
        for model in models:
            for atom in model.symbols(shown=True):
                *terms, first, last = atom.arguments
                facts.unite(spans.setdefault(tuple(map(_text, terms)), []), (index[first], index[last]))
    for row, united in spans.items():
        yield from ((row, span) for span in united)


@lru_cache(maxsize=2**16)
def _text(term: clingo.Symbol) -> str | None:
    return None if term == _NULL else asp_terms.text_of(term)


@dataclass(frozen=True)
class RunEncoding(AspNames):
    """The translation of a program to ASP over the indexes 0 to `last` of many evaluation times.

    The field `input` contains the predicates of arriving atoms. In ASP, a derived atom has its interval of
    indexes as arguments, and `p'at` lists the atoms of p at each single index. The ASP predicate `in'7`
    contains the visible input of the window and atom with number 7 in `windowed_atoms`, with intervals of
    indexes. The ASP predicate `always'p` contains the background atoms of p, without intervals.
    """

    input: frozenset[Signature] = frozenset()
    last: int = 0

    def lines(self) -> Iterator[str]:
        """Yield the lines of the ASP text.

        The text does not contain the facts, which are the input of `windowed_atoms` and the background.
        """
        spread: dict[str, int] = {}
        for rule in self.program.proper_rules:
            writer = _RunWriter(self, rule)
            yield from (f"% {rule}", *writer.lines(), *writer.tables())
            spread |= writer.spread
        for name, arity in spread.items():
            names = [f"X{i}" for i in range(arity)]
            yield f"{_at_index(name, names)} :- {asp_terms.call(name, [*names, 'A', 'B'])}; T = A..B."

    @cached_property
    def windowed_atoms(self) -> dict[tuple[Window, Atom], int]:
        """Maps the window and the atom of each input literal to a number, in program order."""
        atoms = ((form.window, form.atom) for form in self.literals if isinstance(form.atom, Atom))
        seen = (
            (window or NOW, facts.canonical_atom(atom))
            for window, atom in atoms
            if self.is_input(window, signature(atom))
        )
        return {pair: i for i, pair in enumerate(dict.fromkeys(seen))}

    def is_input(self, window: Window | None, predicate: Signature) -> bool:
        """Return whether a literal with the predicate and the window reads input, and not derived atoms."""
        return window is not None or (predicate in self.input and predicate not in self.derived)

    def always_name(self, predicate: Signature) -> str:
        """Return the name of the predicate for background atoms."""
        return f"always'{asp_terms.predicate_name(predicate[0])}"


class _RunWriter(RuleWriter):
    """The writer of one LARS rule as an ASP rule over intervals of indexes of evaluation times.

    The field `spread` contains the predicates that the rule reads at single indexes and not as intervals.
    """

    def __init__(self, encoding: RunEncoding, rule: Rule) -> None:
        super().__init__(encoding, rule)
        self._encoding = encoding
        carrying = (part for part in rule.body if self._carries_run(part))
        self._runs = {part: number for number, part in enumerate(dict.fromkeys(carrying))}
        self.spread: dict[str, int] = {}

    def lines(self, more: Sequence[str] = ()) -> Iterator[str]:
        """Yield the ASP rule; the literals `more` are at the end of its body."""
        body = [part for literal in self.rule.body for part in self.literal(literal)]
        first, last = self._ends()
        body += [*self.meets(), *more]
        if self.spread:
            body.append(f"T = {first}..{last}")
            first = last = "T"
        assert isinstance(self.rule.head, Atom)
        head = asp_terms.call(
            asp_terms.predicate_name(self.rule.head.predicate),
            [*self.names.terms(self.rule.head), first, last],
        )
        yield f"{head} :- {'; '.join(body)}."

    def literal(self, literal: BodyLiteral) -> list[str]:
        """Return the ASP body literals for one LARS body literal."""
        if isinstance(literal, Condition | SetLiteral):
            return super().literal(literal)
        form = analysis.literal_form(literal)
        name, arguments = self._source(form)
        if literal in self._runs:
            number = self._runs[literal]
            return [asp_terms.call(name, [*arguments, f"A{number}", f"B{number}"])]
        if form.positive:
            return [asp_terms.call(name, arguments)]
        if not self._has_run(form):
            return [f"not {asp_terms.call(name, arguments)}"]
        self.spread[name] = len(arguments)
        return [f"not {_at_index(name, arguments)}"]

    def binding(self) -> list[str]:
        """Return the ASP literals that bind the body's variables and intersect its intervals of indexes."""
        return [*super().binding(), *self.meets()]

    def meets(self) -> list[str]:
        """Return the ASP literals that compute the intersection of all intervals of indexes in the body."""
        parts = []
        for i in range(1, len(self._runs)):
            before = ("A0", "B0") if i == 1 else (f"M{i - 1}", f"N{i - 1}")
            # max(a, b) = (a + b + |a - b|) / 2, because an aggregate #max is much slower.
            parts.append(f"M{i} = ({before[0]}+A{i}+|{before[0]}-A{i}|)/2")
            parts.append(f"N{i} = ({before[1]}+B{i}-|{before[1]}-B{i}|)/2")
            parts.append(f"M{i} <= N{i}")
        return parts

    def _ends(self) -> tuple[str, str]:
        match len(self._runs):
            case 0:
                return "0", str(self._encoding.last)
            case 1:
                return "A0", "B0"
            case count:
                return f"M{count - 1}", f"N{count - 1}"

    def _carries_run(self, literal: BodyLiteral) -> bool:
        if isinstance(literal, Condition | SetLiteral):
            return False
        form = analysis.literal_form(literal)
        return form.positive and self._has_run(form)

    def _has_run(self, form: analysis.LiteralForm) -> bool:
        assert isinstance(form.atom, Atom)
        predicate = signature(form.atom)
        return predicate in self._encoding.derived or self._encoding.is_input(form.window, predicate)

    def _source(self, form: analysis.LiteralForm) -> tuple[str, list[str]]:
        """Return the name of the ASP atom for a literal, and its arguments except its interval of indexes."""
        atom = form.atom
        assert isinstance(atom, Atom)
        if signature(atom) in self._encoding.derived:
            return asp_terms.predicate_name(atom.predicate), self.names.terms(atom)
        if self._encoding.is_input(form.window, signature(atom)):
            number = self._encoding.windowed_atoms[form.window or NOW, facts.canonical_atom(atom)]
            return f"in'{number}", [self.names.term(variable) for variable in facts.variables_in_order(atom)]
        return self._encoding.always_name(signature(atom)), self.names.terms(atom)


def _at_index(name: str, arguments: list[str]) -> str:
    return asp_terms.call(f"{name}'at", [*arguments, "T"])


def _facts(encoding: RunEncoding, situation: facts.Situation, times: Sequence[int]) -> InputRows:
    """Return the facts for clingo: the visible input with intervals of indexes, and the background."""
    rows: dict[Signature, list[clingo.Symbol]] = {}
    inside = [fact for fact in dict.fromkeys(situation.facts) if fact.t in situation.timeline]
    arrived = sorted(inside, key=lambda fact: fact.t)
    held = facts.with_facts(encoding.program, situation.background)
    for (window, atom), number in encoding.windowed_atoms.items():
        name = f"in'{number}", len(facts.variables_in_order(atom)) + 2
        places = [atom.arguments.index(variable) for variable in facts.variables_in_order(atom)]
        matches, spans = facts.matcher(atom), dict[tuple[str, ...], list[facts.Span]]()
        counted, shown = _window_facts(window, arrived, situation, times, encoding)
        for place, fact in counted:
            if matches(fact) and situation.sees(fact) and (span := shown(place)) is not None:
                facts.unite(spans.setdefault(tuple([fact.arguments[place] for place in places]), []), span)
        for row in held.get(signature(atom), ()):
            # `have_runs` excludes windows over background predicates, so this atom has no window.
            if matches(facts.Fact(0, atom.predicate, tuple(row))):
                spans[tuple([row[place] for place in places])] = [(0, len(times) - 1)]
        timed: Iterator[tuple[str | int, ...]] = (
            (*terms, *span) for terms, united in spans.items() for span in united
        )
        rows[name] = list(asp_terms.tuples_of(timed))
    for predicate, some in held.items():
        always = encoding.always_name(predicate), predicate[1]
        rows.setdefault(always, []).extend(asp_terms.tuples_of(some))
    return rows


def _window_facts(
    window: Window,
    arrived: Sequence[facts.Fact],
    situation: facts.Situation,
    times: Sequence[int],
    naming: AspNames,
) -> tuple[Iterable[tuple[int, facts.Fact]], Callable[[int], facts.Span | None]]:
    """Return the numbered facts that a window can contain, and a function from a number to indexes of times.

    The number of a fact is its time, or for a tuple window its position among the atoms that the window
    counts. The indexes are those of the times at which the window contains the fact.
    """
    if isinstance(window, TupleWindow):
        counted = [
            fact
            for fact in arrived
            if (fact.predicate, len(fact.arguments)) not in naming.derived
            and facts.counts(window, fact.arguments)
        ]
        moments = [fact.t for fact in counted]
        come = [bisect_right(moments, t) for t in times]
        return enumerate(counted), _run([n - window.size for n in come], [n - 1 for n in come])
    bounds = [window.bounds(t, situation.timeline) for t in times]
    run = _run([ends.first for ends in bounds], [ends.last for ends in bounds])
    return ((fact.t, fact) for fact in arrived), cache(run)


def _run(firsts: Sequence[int], lasts: Sequence[int]) -> Callable[[int], facts.Span | None]:
    # Neither end of a window moves back, so the indexes at which it contains a place are consecutive.
    def run(place: int) -> facts.Span | None:
        first, last = bisect_left(lasts, place), bisect_right(firsts, place) - 1
        return (first, last) if first <= last else None

    return run
