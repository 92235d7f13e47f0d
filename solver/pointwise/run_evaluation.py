"""The fast way: answers of many reference times in one clingo run, as runs of consecutive ones.

A fact is seen through a window at consecutive reference times, since a window's ends never move
back. So atoms carry the first and last index of such a run, a positive body is the intersection
of its runs, and only what a negation looks at is spread over single indexes.
Covered: stratified programs whose windows stand over input atoms with ◇, and whose heads hold at
the reference time: all that τ, τ1 and τ2 make. `solver.pointwise` is the oracle.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import clingo

from lars.analysis import LiteralForm, Mode, UnsupportedFormulaError, intensional, literal_form, strata
from lars.formulas import Comparison, Truth
from lars.program import Program, formulas, head_atom, is_fact
from lars.terms import NULL, Atom, Signature, signature
from lars.windows import Ties, TupleWindow
from solver.facts import Row, Situation, Span, Visible, symbol, symbol_of, text_of, unite
from solver.pointwise.asp_terms import can_wrap
from solver.pointwise.callbacks import Host
from solver.pointwise.grounding import ground
from solver.pointwise.run_encoding import IntervalEncoding

_NULL = symbol(NULL)


class Run(NamedTuple):
    """A row that is an answer at the consecutive reference times `first` to `last`, by index."""

    row: Row
    first: int
    last: int


def is_covered(program: Program, background: Iterable[Signature] = ()) -> bool:
    """Return whether `runs` evaluates the program, with a background of these predicates."""
    facts = (head_atom(rule) for rule in program.rules if is_fact(rule))
    elsewhere = {*intensional(program), *background, *(signature(atom) for atom in facts if atom)}
    if strata(program) is None or any(not isinstance(rule.head, Atom) for rule in program.rules):
        return False
    try:
        forms = [literal_form(part) for rule in program.rules for part in formulas(rule.body)]
    except UnsupportedFormulaError:
        return False
    sums = (part for rule in program.rules for part in rule.body if isinstance(part, Comparison))
    return not any(map(can_wrap, sums)) and all(_is_covered(form, elsewhere) for form in forms)


def _is_covered(form: LiteralForm, elsewhere: set[Signature]) -> bool:
    if isinstance(form.window, TupleWindow) and (form.window.by, form.window.ties) != (None, Ties.ARRIVAL):
        return False
    if form.mode is Mode.NOW and form.window is None:
        return True
    if form.mode is not Mode.SOME or form.window is None or isinstance(form.atom, Truth):
        return False
    return signature(form.atom) not in elsewhere


def runs(program: Program, situation: Situation, times: Sequence[int], output: Signature) -> Iterator[Run]:
    """Yield the atoms of `output` that the program derives at the ascending reference times.

    One row can come in several runs, which may overlap. The program is one that `is_covered`.
    """
    if not times:
        return
    control, _ = _grounded(IntervalEncoding(program, situation, len(times), output), situation, times)
    with control.solve(yield_=True) as found:
        # A stratified program has one model: gringo has evaluated it, the solver only hands it over.
        for model in found:
            for shown in model.symbols(shown=True):
                *terms, first, last = shown.arguments
                yield Run(tuple(map(row_text, terms)), _index(first), _index(last))


def _grounded(
    encoding: IntervalEncoding, situation: Situation, times: Sequence[int]
) -> tuple[clingo.Control, "_FactHost"]:
    control = clingo.Control(["--warn=none"])
    control.add("base", [], encoding.text())
    host = _FactHost(encoding, Visible(situation, times))
    ground(control, host, encoding.program, situation)
    return control, host


@lru_cache(maxsize=2**16)
def row_text(term: clingo.Symbol) -> str | None:
    """Return the text of an answer's term, None for null."""
    return None if term == _NULL else text_of(term)


@lru_cache(maxsize=2**16)
def _index(term: clingo.Symbol) -> int:
    # There are as many indexes as reference times, and asking clingo costs more than looking up.
    return term.number


class _FactHost(Host):
    """What the program calls while it is grounded: its conditions, its input, its background.

    `united_runs` are those of recursive atoms, in the order in which they were derived.
    """

    def __init__(self, encoding: IntervalEncoding, visible: Visible) -> None:
        super().__init__(encoding.hosted, encoding.gathered, {}, encoding.count - 1)
        self._inputs = [visible.tuples(wanted) for wanted in encoding.wanted]
        self._background = list(encoding.background.values())
        self.united_runs: dict[tuple[clingo.Symbol, ...], list[Span]] = {}

    def facts(self, number: clingo.Symbol) -> list[clingo.Symbol]:
        """Return the tuples of an input predicate: variables' terms, first and last index."""
        return self._inputs[number.number]

    def united(self, *run: clingo.Symbol) -> list[clingo.Symbol]:
        """Return the longest run known so far around a run of an atom; nothing when that is not new."""
        *atom, first, last = run
        spans = self.united_runs.setdefault(tuple(atom), [])
        span = unite(spans, (first.number, last.number))
        return [] if span is None else [clingo.Function("", [*map(clingo.Number, span)])]

    def background(self, number: clingo.Symbol) -> list[clingo.Symbol]:
        """Return the atoms of B of a predicate as tuples of their terms, and the number."""
        rows = self._background[number.number]
        return [clingo.Function("", [*map(symbol_of, row), number]) for row in rows]
