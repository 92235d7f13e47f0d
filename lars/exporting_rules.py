"""The rules of a program as stream reasoners know them: equalities put in, arithmetic step by step."""

from collections.abc import Iterator
from typing import Final

from lars.dependencies import intensional, strata
from lars.equalities import without_equalities
from lars.exporting import (
    FIRST_TERM,
    Compared,
    Computed,
    InexpressibleError,
    Look,
    Part,
    PlainRule,
    Reasoner,
    Sources,
    exporting,
    look,
)
from lars.formulas import Arithmetic, At, BodyLiteral, Comparison, Gathered, Operation, Operator, Relation
from lars.grounding import ready
from lars.program import Program, Rule, atoms, head_atom, is_fact
from lars.safety import check_safety
from lars.terms import Atom, Number, Term, Variable, signature

Numeric = Variable | Number
_LARGEST: Final = Number(FIRST_TERM - 1)
_ORDERED: Final = frozenset(Relation) - {Relation.EQUAL, Relation.UNEQUAL}


def plain_rules(program: Program, engine: Reasoner, background: tuple[Atom, ...]) -> tuple[PlainRule, ...]:
    """Return the program's rules, facts last, each after the auxiliary rules that it needs.

    Raises ExportError for the first construct that the engine cannot express.
    """
    check_safety(program)
    for rule in program.rules:
        for number, part in enumerate(rule.body):
            with exporting(engine.name, rule, number):
                # Before stratification, which a gathered literal can hinder too.
                _ = look(part) if isinstance(part, Gathered) else None
    facts = tuple(atom for rule in program.rules if is_fact(rule) and (atom := head_atom(rule)) is not None)
    known = tuple(dict.fromkeys((*facts, *background)))
    sources = Sources(intensional(program), frozenset(map(signature, known)), strata(program) is not None)
    if not sources.stratified and not engine.unstratified:
        _refuse_loop(program, engine)
    used = {atom.predicate for rule in program.rules for part in rule.body for atom, _, _ in atoms(part)}
    used |= {atom.predicate for rule in program.rules if (atom := head_atom(rule)) is not None}
    used |= {atom.predicate for atom in background}
    hidden = (name for n in range(1, FIRST_TERM) if (name := f"aux{n}") not in used)
    found: list[PlainRule] = []
    for rule in program.rules:
        if not is_fact(rule):
            found += _RuleReader(rule, engine, sources, hidden).rules()
    return (*found, *(PlainRule(Rule(atom), atom, None, ()) for atom in known))


def _refuse_loop(program: Program, engine: Reasoner) -> None:
    for end, rule in enumerate(program.rules, start=1):
        if strata(Program(program.rules[:end])) is None:
            with exporting(engine.name, rule):
                raise InexpressibleError("a predicate that hangs on its own absence, or on itself through □")


class _RuleReader:
    """Reads one rule; `known` are the variables bound so far, `numbers` those that are numbers.

    Of these, `natural` are never negative, and `times` lie in a window, so in the timeline.
    """

    def __init__(self, rule: Rule, engine: Reasoner, sources: Sources, hidden: Iterator[str]) -> None:
        self.rule, self.engine, self.sources, self.hidden = rule, engine, sources, hidden
        self.head, self.body = without_equalities(rule)
        self.tests: list[Part] = []
        self.auxiliary: list[PlainRule] = []
        self.known: set[Variable] = set()
        self.numbers: set[Variable] = set()
        self.natural: set[Variable] = set()
        self.times: set[Variable] = set()
        self._fresh = 0

    def rules(self) -> list[PlainRule]:
        """Return the auxiliary rules and the rule."""
        seen = [found for number, part in self.body for found in self._look(number, part)]
        for one in seen:
            self._bind(one)
        looks: list[Part] = [part for one in seen if one.positive for part in self._separated(one)]
        self._compare()
        absent = [self._absent(one) for one in seen if not one.positive]
        with exporting(self.engine.name, self.rule):
            head, time = self._head()
        rule = PlainRule(self.rule, head, time, (*looks, *self.tests, *absent))
        return [*self.auxiliary, rule]

    def fresh(self) -> Variable:
        """Return a variable that the rule does not have: no text of a program has # in a name."""
        self._fresh += 1
        return Variable(f"#{self._fresh}")

    def _look(self, number: int, part: BodyLiteral) -> Iterator[Look]:
        if not isinstance(part, Comparison):
            with exporting(self.engine.name, self.rule, number):
                if (found := look(part)) is not None:
                    self.sources.check(found, self.engine)
                    yield found

    def _bind(self, seen: Look) -> None:
        if seen.positive:
            self.known |= seen.variables()
            if isinstance(seen.time, Variable):
                self.numbers.add(seen.time)
                self.natural.add(seen.time)
                self.times.add(seen.time)

    def _separated(self, seen: Look) -> tuple[Part, ...]:
        tests: list[Part] = []
        time = self._apart(seen.time, tests) if isinstance(seen.time, Number) else seen.time
        arguments: list[Term] = []
        for term in seen.atom.arguments:
            plain = isinstance(term, Variable) and term not in (*arguments, time)
            arguments.append(term if self.engine.constants or plain else self._apart(term, tests))
        atom = Atom(seen.atom.predicate, tuple(arguments))
        return (Look(atom, seen.mode, time, seen.window), *tests)

    def _apart(self, term: Term, tests: list[Part]) -> Variable:
        apart = self.fresh()
        tests.append(Compared(apart, Relation.EQUAL, term))
        return apart

    def _absent(self, seen: Look) -> Look:
        inside = self._separated(seen)
        if len(inside) == 1:
            return seen
        atom = Atom(next(self.hidden), tuple(sorted(seen.variables())))
        self.auxiliary.append(PlainRule(self.rule, atom, None, inside, hidden=True))
        return Look(atom, positive=False)

    def _head(self) -> tuple[Atom | None, Variable | None]:
        match self.head:
            case At(Variable() as time, Atom() as atom) if time in self.times:
                return atom, time
            case At(time):
                raise InexpressibleError(
                    f"the head {self.head}: no @_{time} in a window of its body binds it"
                )
            case head:
                return head, None

    def _compare(self) -> None:
        pending = [(number, part) for number, part in self.body if isinstance(part, Comparison)]
        while pending:
            first = next(one for one in pending if ready(one[1], self.known))
            pending.remove(first)
            with exporting(self.engine.name, self.rule, first[0]):
                self._compared(first[1])

    def _compared(self, part: Comparison) -> None:
        for side, other in ((part.left, part.right), (part.right, part.left)):
            if isinstance(side, Variable) and side not in self.known and isinstance(other, Operation):
                self._operation(other, side)
                return
        ordered = part.relation in _ORDERED
        left, right = self._side(part.left, ordered=ordered), self._side(part.right, ordered=ordered)
        self.tests.append(Compared(left, part.relation, right))

    def _side(self, side: Arithmetic, *, ordered: bool) -> Term:
        return self._number(side) if ordered or isinstance(side, Operation) else side

    def _number(self, side: Arithmetic) -> Numeric:
        match side:
            case Operation():
                return self._operation(side, self.fresh())
            case Variable():
                if side not in self.numbers:
                    self.numbers.add(side)
                    self.tests.append(Compared(side, Relation.AT_MOST, _LARGEST))
                return side
            case Number():
                return side
            case _:
                raise InexpressibleError(f"arithmetic or order on {side}, which is no number")

    def _operation(self, operation: Operation, result: Variable) -> Variable:
        left, right = self._number(operation.left), self._number(operation.right)
        match operation.operator:
            case Operator.DIVIDE:
                self._check_division(operation, left, right)
                self._step(result, Operator.DIVIDE, left, right)
            case Operator.MOD:
                self._check_division(operation, left, right)
                quotient, multiple = self.fresh(), self.fresh()
                self._step(quotient, Operator.DIVIDE, left, right)
                self._step(multiple, Operator.TIMES, quotient, right)
                self._step(result, Operator.MINUS, left, multiple)
                self.natural.add(result)
            case operator:
                self._step(result, operator, left, right)
        return result

    def _check_division(self, operation: Operation, left: Numeric, right: Numeric) -> None:
        if not self.engine.divides:
            raise InexpressibleError(f"division in whole numbers: {operation}")
        if not (self._is_natural(left) and isinstance(right, Number) and right.value > 0):
            raise InexpressibleError(f"{operation}: only a time is divided, and only by a number above zero")

    def _is_natural(self, side: Numeric) -> bool:
        return side in self.natural if isinstance(side, Variable) else side.value >= 0

    def _step(self, result: Variable, operator: Operator, left: Numeric, right: Numeric) -> None:
        self.tests.append(Computed(result, operator, left, right))
        self.known.add(result)
        self.numbers.add(result)
        if operator is not Operator.MINUS and self._is_natural(left) and self._is_natural(right):
            self.natural.add(result)
