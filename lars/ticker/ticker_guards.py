"""Guards for Ticker: windows that make input visible, and facts with values for grounding variables.

Ticker's reasoner clingo sees only input that is in a window. Ticker's reasoner incremental grounds a rule
with the values that facts give to the variables of the rule, and drops a rule without values.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

from lars.analysis import LiteralForm
from lars.language.formulas import Arithmetic, Comparison, Operation, Relation, compute, holds
from lars.language.program import Rule, variables
from lars.language.terms import Atom, Constant, Number, Signature, Variable, signature, unify
from lars.language.windows import TimeWindow
from lars.ticker import ticker_rules

Values = dict[Variable, set[Constant]]
_MOST_ROUNDS: Final = 600
"""The maximum number of rounds in which arithmetic gives new numbers."""
_MOST_PAIRS: Final = 1_000_000


def counting(rules: Iterable[ticker_rules.PlainRule]) -> bool:
    """Return whether a rule computes or compares numbers, so that the export must keep numbers as numbers."""
    parts = (part for rule in rules for part in rule.body if isinstance(part, Comparison))
    return any(part.relation in ticker_rules.ORDERED or isinstance(part.right, Operation) for part in parts)


def scoping_rules(rules: Sequence[ticker_rules.PlainRule], name: str) -> Iterator[ticker_rules.PlainRule]:
    """Yield an auxiliary rule with a window for each input atom that the rules use only without a window."""
    heads = {signature(rule.head) for rule in rules}
    plain: dict[Atom, Rule] = {}
    scoped: set[Atom] = set()
    for rule in rules:
        for part in rule.body:
            if (
                isinstance(part, LiteralForm)
                and isinstance(part.atom, Atom)
                and signature(part.atom) not in heads
            ):
                if part.window is None:
                    plain.setdefault(part.atom, rule.source)
                else:
                    scoped.add(part.atom)
    for atom, source in plain.items():
        if atom not in scoped:
            body = (LiteralForm(atom, "◇", window=TimeWindow(1)),)
            yield ticker_rules.PlainRule(source, Atom(name), None, body, "auxiliary")


def guarded_rules(
    rules: tuple[ticker_rules.PlainRule, ...],
    stream: Mapping[int, Iterable[Atom]],
    last: int,
    names: Iterator[str],
) -> tuple[ticker_rules.PlainRule, ...]:
    """Return the rules and facts with the possible values of variables, without rules that never apply.

    Negated literals whose input never arrives are omitted. Time variables have the values from 0 to `last`.
    Raises ExportError for arithmetic with unlimited or negative values.
    """
    facts = tuple(rule for rule in rules if not rule.body)
    domains = _Domains(rules, stream, last)
    plain_rules = [domains.possible(rule) for rule in rules if rule.body and domains.values(rule) is not None]
    plain_rules += scoping_rules((*plain_rules, *facts), next(names))
    predicates = {signature(rule.head) for rule in facts}
    numbered = counting(rules)
    known: dict[frozenset[Constant], str] = {}
    found: list[ticker_rules.PlainRule] = []
    for rule in plain_rules:
        _check_head_time(rule)
        values, guards = domains.values(rule) or {}, list[ticker_rules.Part]()
        for variable in _unguarded(rule, predicates):
            domain = frozenset(values[variable])
            if domain not in known:
                with ticker_rules.exporting(rule.source):
                    _check_written(domain, numbered=numbered)
                known[domain] = next(names)
            guards.append(LiteralForm(Atom(known[domain], (variable,))))
        found.append(replace(rule, body=(*rule.body, *guards)))
    ordered = {name: sorted(domain, key=str) for domain, name in known.items()}
    return (*found, *facts, *(_fact(name, value) for name, domain in ordered.items() for value in domain))


def _fact(name: str, value: Constant) -> ticker_rules.PlainRule:
    return ticker_rules.PlainRule(Rule(Atom(name, (value,))), Atom(name, (value,)), role="auxiliary")


def _check_written(domain: frozenset[Constant], *, numbered: bool) -> None:
    for value in domain:
        if numbered and isinstance(value, Number) and not 0 <= value.value < ticker_rules.FIRST_TERM:
            raise ticker_rules.InexpressibleError(
                f"the number {value.value} as a result of arithmetic, because "
                f"Ticker's numbers are from 0 to {ticker_rules.FIRST_TERM - 1}"
            )


def _check_head_time(rule: ticker_rules.PlainRule) -> None:
    """Raise ExportError for a rule head @_T if facts must give the values of T before the run.

    With a constant time, such as in `p at 2`, Ticker wrongly derives p at the present time while the body
    holds.
    """
    if rule.time in _grounded(rule):
        with ticker_rules.exporting(rule.source):
            raise ticker_rules.InexpressibleError(
                f"the head {rule.source.head}, because its reasoner incremental keeps {rule.head} "
                f"beyond the time {rule.time} if {rule.time} also occurs without @, or together with "
                "another time variable"
            )


def _grounded(rule: ticker_rules.PlainRule) -> frozenset[Variable]:
    """Return the variables whose values the reasoner takes from facts.

    The reasoner takes the values of all variables from facts, except of a single time variable that occurs
    only in @.
    """
    forms = [part for part in rule.body if isinstance(part, LiteralForm)]
    times = frozenset(form.time for form in forms if isinstance(form.time, Variable))
    parts = (form.atom if isinstance(form, LiteralForm) else form for form in rule.body)
    used = frozenset().union(*map(variables, parts), variables(rule.head))
    return used | times if len(times - used) > 1 else used


def _unguarded(rule: ticker_rules.PlainRule, predicates: set[Signature]) -> list[Variable]:
    """Return the variables of a rule that need a value, but occur in no body atom of the given predicates."""
    facts = (
        form.atom
        for form in rule.body
        if isinstance(form, LiteralForm) and form.positive and form.window is None
    )
    known = (variables(atom) for atom in facts if isinstance(atom, Atom) and signature(atom) in predicates)
    return sorted(_grounded(rule).difference(*known))


class _Domains:
    """The possible constants of each variable of a rule, at any time."""

    def __init__(
        self, rules: tuple[ticker_rules.PlainRule, ...], stream: Mapping[int, Iterable[Atom]], last: int
    ) -> None:
        self.derived = {signature(rule.head) for rule in rules if rule.body}
        self.times = set(map(Number, range(last + 1)))
        self.rows: dict[Signature, dict[Atom, set[Number]]] = {}
        for rule in rules:
            if not rule.body:
                self.rows.setdefault(signature(rule.head), {}).setdefault(rule.head, set())
        for t, atoms in stream.items():
            for atom in atoms:
                self.rows.setdefault(signature(atom), {}).setdefault(atom, set()).add(Number(t))
        self.columns: dict[Signature, list[set[Constant]]] = {
            (name, arity): [set() for _ in range(arity)] for name, arity in self.derived
        }
        self.reached: set[Signature] = set()
        self._grow(rules)

    def _grow(self, rules: tuple[ticker_rules.PlainRule, ...]) -> None:
        known = self._constants(rules)
        computed, rounds = 0, 0
        while grown := [rule for rule in rules if rule.body and self._grows(rule)]:
            before = computed
            computed = len(set[Constant]().union(*chain.from_iterable(self.columns.values())) - known)
            # Other values are finitely many, and each reaches all rules in the end.
            rounds += computed > before
            if rounds > _MOST_ROUNDS:
                with ticker_rules.exporting(grown[0].source):
                    raise ticker_rules.InexpressibleError("arithmetic that computes new values without end")

    def _constants(self, rules: Iterable[ticker_rules.PlainRule]) -> set[Constant]:
        """Return all constants that do not come from arithmetic: constants of rule heads, input and times."""
        atoms = chain((rule.head for rule in rules), *self.rows.values())
        written = (term for atom in atoms for term in atom.arguments if not isinstance(term, Variable))
        return {*written, *self.times}

    def _grows(self, rule: ticker_rules.PlainRule) -> bool:
        """Add the atoms that a rule derives to the known atoms; return whether some atoms are new."""
        if (values := self.values(rule)) is None:
            return False
        columns = self.columns[signature(rule.head)]
        before = sum(map(len, columns)), len(self.reached)
        self.reached.add(signature(rule.head))
        for column, term in zip(columns, rule.head.arguments, strict=True):
            column.update(values[term] if isinstance(term, Variable) else {term})
        return before != (sum(map(len, columns)), len(self.reached))

    def possible(self, rule: ticker_rules.PlainRule) -> ticker_rules.PlainRule:
        """Return the rule without the negated literals whose atom never holds."""
        parts = (part for part in rule.body
                 if not isinstance(part, LiteralForm) or part.positive or self._narrow({}, part))  # fmt: skip
        return replace(rule, body=tuple(parts))

    def values(self, rule: ticker_rules.PlainRule) -> Values | None:
        """Return the constants of each variable; None if the rule's positive body has no instance."""
        terms: Values = {}
        for part in rule.body:
            if isinstance(part, LiteralForm) and part.positive and not self._narrow(terms, part):
                return None
        parts = [part for part in rule.body if isinstance(part, Comparison)]
        # Bounds on known variables first: what is computed from these variables is bounded too.
        bounds = [
            part for part in parts if not isinstance(part.right, Operation) and variables(part) <= {*terms}
        ]
        with ticker_rules.exporting(rule.source):
            for part in (*bounds, *parts):
                _compare(terms, part)
        return terms if all(terms.values()) else None

    def _narrow(self, terms: Values, form: LiteralForm) -> bool:
        assert isinstance(form.atom, Atom)
        predicate = signature(form.atom)
        rows = {
            atom.arguments: times
            for atom, times in self.rows.get(predicate, {}).items()
            if unify(form.atom, atom, {}) is not None
        }
        derived = predicate in self.reached
        for number, term in enumerate(form.atom.arguments):
            seen = {one for row in rows if not isinstance(one := row[number], Variable)}
            column = seen | self.columns[predicate][number] if derived else seen
            if isinstance(term, Variable):
                terms[term] = terms[term] & column if term in terms else set(column)
            elif term not in column:
                return False
        if isinstance(form.time, Variable):
            times: set[Constant] = set(self.times) if derived else set[Constant]().union(*rows.values())
            terms[form.time] = terms[form.time] & times if form.time in terms else times
        return derived or bool(rows)


def _compare(terms: Values, part: Comparison) -> None:
    match part:
        case Comparison(Variable() as result, "=", Operation(operator, left, right)):
            pairs = [
                sorted(n.value for n in _side(terms, side) if isinstance(n, Number)) for side in (left, right)
            ]
            if len(pairs[0]) * len(pairs[1]) > _MOST_PAIRS:
                raise ticker_rules.InexpressibleError(f"{part}, which has more than {_MOST_PAIRS} values")
            results = (compute(operator, one, other) for one in pairs[0] for other in pairs[1])
            values: set[Constant] = {Number(value) for value in results if value is not None}
            terms[result] = terms[result] & values if result in terms else values
        case Comparison(left, relation, right):
            _related(terms, left, relation, right)
            _related(terms, right, _TURNED[relation], left)


def _side(terms: Values, side: Arithmetic) -> set[Constant]:
    assert not isinstance(side, Operation)
    return terms[side] if isinstance(side, Variable) else {side}


_TURNED: Final[Mapping[Relation, Relation]] = {
    "=": "=",
    "!=": "!=",
    "<": ">",
    "<=": ">=",
    ">": "<",
    ">=": "<=",
}


def _related(terms: Values, side: Arithmetic, relation: Relation, other: Arithmetic) -> None:
    """Remove the values of a variable `side` that are not in the relation to any value of `other`."""
    if not isinstance(side, Variable) or relation == "!=":
        return
    others = _side(terms, other)
    if relation == "=":
        terms[side] &= others
        return
    bounds = [_place(term) for term in others]
    if not bounds:
        terms[side] = set()
        return
    bound = max(bounds) if relation in {"<", "<="} else min(bounds)
    terms[side] = {term for term in terms[side] if holds(relation, _place(term), bound)}


def _place(constant: Constant) -> int:
    # Ticker orders the numbers of terms too, above those of the logic, as a bound on numbers expects.
    return constant.value if isinstance(constant, Number) else ticker_rules.FIRST_TERM
