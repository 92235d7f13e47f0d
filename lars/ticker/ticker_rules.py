"""The rules of a program in the language of Ticker, or an error for a construct that Ticker lacks.

Ticker has windows ⊞^n ★ a around one atom, and arithmetic with one operation per step. Ticker compares bound
terms and does not bind variables by =. If only = binds a variable to a term, the term therefore replaces the
variable.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, count
from typing import Final, Literal

from lars import analysis
from lars.analysis import ExportError, InexpressibleError
from lars.dataclass import dataclass
from lars.language import formulas as logic
from lars.language import terms
from lars.language.formulas import (
    RELATIONS,
    Arithmetic,
    ArithmeticOperator,
    Assign,
    BodyLiteral,
    Comparison,
    Formula,
    SetLiteral,
    Test,
)
from lars.language.program import (
    Head,
    Program,
    Rule,
    assignment,
    close,
    formulas,
    put,
    ready,
    set_literals,
    variables,
)
from lars.language.windows import NOW, TimeWindow, TupleWindow, Window, misses_last

Reasoner = Literal["clingo", "incremental"]
"""The two reasoners of Ticker; each reasoner has different faults."""


@dataclass(frozen=True, slots=True)
class TickerInput:
    """The input at each time point from 0 to `last`, in arrival order; `last` is None if unknown.

    The field `single` is true if the program without its constraints has exactly one answer stream at each
    time point of the input. If several answer streams exist, Ticker shows only one answer stream. If no
    answer stream exists, Ticker shows nothing.
    """

    atoms: Mapping[int, tuple[terms.Atom, ...]]
    last: int | None
    single: bool = False

    @property
    def size(self) -> int | None:
        """The number of pairs of an input atom and its time; None if the input is unknown."""
        return None if self.last is None else sum(map(len, self.atoms.values()))

    def signatures(self) -> frozenset[terms.Signature]:
        """Return the predicates of the input."""
        return frozenset(map(terms.signature, chain.from_iterable(self.atoms.values())))


UNKNOWN: Final = TickerInput({}, None)
"""The input of an export that has no trace."""
_LONGEST_WINDOW: Final = 2**31 - 1
"""The greatest window length of Ticker in time points; a greater length overflows."""


@contextmanager
def exporting(rule: Rule, part: int | None = None) -> Iterator[None]:
    """Turn an InexpressibleError in the block into an ExportError with the rule and its body literal."""
    try:
        yield
    except InexpressibleError as refused:
        raise ExportError(f"Ticker cannot express {refused}", rule, part) from None


def fresh_name(name: str, taken: frozenset[str]) -> str:
    """Return the name, with a number at the end if `taken` contains the name."""
    return next(new for n in count(1) if (new := name if n == 1 else f"{name}{n}") not in taken)


def hidden_names(taken: frozenset[str]) -> Iterator[str]:
    """Yield names for auxiliary predicates, without the names in `taken`."""
    return (name for n in count(1) if (name := f"aux{n}") not in taken)


def variables_of(part: analysis.LiteralForm | Comparison) -> frozenset[terms.Variable]:
    """Return the variables in the atom and time of a literal, or in a comparison."""
    return (
        variables(part.atom) | variables(part.time)
        if isinstance(part, analysis.LiteralForm)
        else variables(part)
    )


def ticker_literal(
    literal: Formula | Test | Assign | SetLiteral, reasoner: Reasoner, met: TickerInput
) -> analysis.LiteralForm | None:
    """Return a body literal in a form that Ticker can express; None if the literal always holds.

    The resulting literal has one atom and at most one window. Its time window is [t - n, t], with n = 0 only
    under @, and is not longer than the known input. Raises InexpressibleError for a formula that no window of
    Ticker expresses.
    """
    if isinstance(literal, SetLiteral):
        raise InexpressibleError(f"{literal}: Ticker has no aggregates and no orders")
    if isinstance(literal, Test | Assign):
        raise InexpressibleError(
            f"the SPARQL condition {literal}, because Ticker has numbers in place of RDF terms; "
            "use `lars export`, which evaluates the condition for the terms of a trace"
        )
    form = _form(literal)
    if form.mode == "@" and not isinstance(form.atom, terms.Atom):
        raise InexpressibleError(f"the constant true in {literal}")
    window = None if form.window is None else _size(form.window, form.mode, reasoner, met)
    if form.window is None and form.mode != "":
        raise InexpressibleError(f"the operator {form.mode} without a window in {literal}")
    if form.mode == "¬@¬":
        raise InexpressibleError(f"the operator ¬ between @ and its atom in {literal}")
    if isinstance(form.atom, terms.Atom):
        return replace(form, window=window, mode="" if window is None else form.mode)
    if form.positive and not isinstance(window, TupleWindow):
        return None
    raise InexpressibleError(f"the constant true in {literal}")


def _form(formula: Formula) -> analysis.LiteralForm:
    try:
        return analysis.literal_form(formula)
    except analysis.UnsupportedFormulaError as nested:
        raise InexpressibleError(f"{nested.construct}: {nested.formula}") from None


def _size(
    window: Window, mode: analysis.Mode, reasoner: Reasoner, met: TickerInput
) -> TimeWindow | TupleWindow | None:
    match window:
        case TimeWindow():
            return _time_window(window, mode, met)
        case TupleWindow(size, source, ties, by):
            if source is not None:
                raise InexpressibleError(
                    f"the window {window} of one stream, because Ticker's tuple windows count "
                    "the tuples of all streams"
                )
            if ties != "arrival" or by is not None:
                raise InexpressibleError(
                    f"the window {window}, because Ticker's only tuple window is ⊞^#n, which keeps the last "
                    "arrivals"
                )
            if mode == "□":
                raise InexpressibleError(
                    f"□ in {window}, because in an empty window, □ is true in LARS and false in Ticker"
                )
            if mode == "":
                raise InexpressibleError(f"the window {window} without ◇ or @")
            # The reasoner clingo shows one tuple more than the window says.
            most = None if met.size is None else met.size + 2
            number = _bounded(window, size, most) - (reasoner == "clingo")
            if number < 1:
                raise InexpressibleError(
                    f"the window {window}, because the least size of a tuple window in Ticker is "
                    f"{size - number + 1}"
                )
            return TupleWindow(number)
        case _:
            raise InexpressibleError(
                f"the window {window}, because Ticker's windows have the same length at all times"
            )


def _bounded(window: Window, length: int, most: int | None) -> int:
    """Return the length of a window, limited to `most`.

    The limit keeps programs small, because Ticker creates a rule for each position in a window.
    """
    if most is None and length > _LONGEST_WINDOW:
        raise InexpressibleError(
            f"the window {window}, because the greatest length in Ticker is {_LONGEST_WINDOW}"
        )
    return length if most is None else min(length, most)


def _time_window(window: TimeWindow, mode: analysis.Mode, met: TickerInput) -> TimeWindow | None:
    if window.past is None:
        raise InexpressibleError(f"the window {window}, whose length is not limited")
    if window.future or window.step > 1:
        raise InexpressibleError(
            f"the window {window}, because it does not always end at the evaluation time"
        )
    if window.past and misses_last(window.ends):
        raise InexpressibleError(f"the window {window}, because it does not contain the evaluation time")
    length = _bounded(window, -(window.offsets[0] or 0), met.last)
    # The window contains the time itself, so that a ⊞ without ◇, □ or @ says nothing.
    if mode == "" or (length == 0 and mode in {"◇", "□"}):
        return None
    return TimeWindow(length)


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources of a program's atoms: rules (`derived`), facts (`facts`) and input.

    The field `known_input` is the input, if the input is known. The field `names` contains the names of all
    predicates.
    """

    derived: frozenset[terms.Signature]
    facts: frozenset[terms.Signature]
    known_input: TickerInput
    names: frozenset[str]

    @property
    def input(self) -> frozenset[terms.Signature]:
        """The predicates of the input, if the input is known."""
        return self.known_input.signatures()

    @property
    def mixed(self) -> frozenset[terms.Signature]:
        """The predicates whose atoms come from facts and also from rules or input."""
        return self.facts & (self.derived | self.input)

    def without_needless_window(self, form: analysis.LiteralForm) -> analysis.LiteralForm:
        """Return the literal without its window if only facts give its atom.

        Raises InexpressibleError if Ticker's windows treat an atom from facts differently from LARS.
        """
        assert isinstance(form.atom, terms.Atom)
        predicate = terms.signature(form.atom)
        name = f"{terms.Atom(predicate[0])}/{predicate[1]}"
        if isinstance(form.window, TupleWindow) and self.facts & self.input:
            raise InexpressibleError(
                "a tuple window: Ticker counts input atoms that are also facts, but LARS does not count them"
            )
        if form.window is None or predicate not in self.derived | self.facts:
            return form
        if isinstance(form.window, TupleWindow):
            raise InexpressibleError(
                f"a tuple window over {name}: derived atoms and facts are not tuples in LARS"
            )
        if predicate in self.facts and form.mode != "◇":
            raise InexpressibleError(
                f"{form.mode} over {name}: its facts hold at every time in LARS, but in Ticker only at the "
                "current time"
            )
        if predicate in self.facts - self.mixed:
            return replace(form, window=None, mode="")
        return form


NumberedLiteral = tuple[int, BodyLiteral]


def without_equalities(rule: Rule) -> tuple[Head | None, list[NumberedLiteral]]:
    """Return the head and the numbered body of a rule, in which terms replace variables that only = binds."""
    head, body = rule.head, list(enumerate(rule.body))
    binding_parts = (binder for formula in formulas(rule.body) for binder in analysis.binders(formula))
    bound = frozenset().union(*map(variables, binding_parts), *map(variables, set_literals(rule.body)))
    while (equality := _equality(body, bound)) is not None:
        number, variable, term = equality
        binding: terms.Binding = {variable: term}
        # A SPARQL condition stays as it is written: Ticker cannot express it, and errors show it.
        body = [(n, part if isinstance(part, logic.Test | logic.Assign) else close(part, binding))
                for n, part in body if n != number]  # fmt: skip
        head = None if head is None else _put_head(head, binding)
    return head, body


def _equality(
    body: list[NumberedLiteral], bound: frozenset[terms.Variable]
) -> tuple[int, terms.Variable, terms.Term] | None:
    for number, part in body:
        match assignment(part, bound):
            case (variable, value) if not isinstance(value, logic.Operation):
                return number, variable, value
    return None


def _put_head(head: Head, binding: terms.Binding) -> Head:
    head_here = put(head, binding)
    return (
        head_here
        if isinstance(head_here, terms.Atom | logic.At)
        else logic.At(terms.Number(-1), terms.Atom("false"))
    )


Part = analysis.LiteralForm | logic.Comparison
Numeric = terms.Variable | terms.Number
FIRST_TERM: Final = 10**9
"""The first number that represents a term; numbers in the program are smaller, and remain unchanged."""
_LARGEST: Final = terms.Number(FIRST_TERM - 1)
ORDERED: Final = frozenset(RELATIONS) - {"=", "!="}


Role = Literal["program", "moments", "violation", "auxiliary"]
"""The role of a rule's head in the program for Ticker.

`program`: the head is the rule's own atom. `moments`: the head is the rule's atom with the time of its @ as
last argument, because Ticker prints only present atoms. `violation`: the head means that a constraint is
violated, so no answer stream exists. `auxiliary`: the head is not part of the answer.
"""


@dataclass(frozen=True, slots=True)
class PlainRule:
    """A rule in the form that Ticker requires, with one operation or relation in each comparison.

    The field `source` is the original rule, and `time` is the time variable of the head. In a rule for
    Ticker, an operation is on the right of =, and its result is on the left of =. Earlier literals of the
    body bind both operands of an operation.
    """

    source: Rule
    head: terms.Atom
    time: terms.Variable | None = None
    body: tuple[Part, ...] = ()
    role: Role = "program"


def plain_rules(
    program: Program, background: tuple[terms.Atom, ...], reasoner: Reasoner, met: TickerInput
) -> tuple[PlainRule, ...]:
    """Return the rules of a program for Ticker, facts last.

    In the result, each rule follows the auxiliary rules that it needs.

    Raises ExportError for the first construct that Ticker cannot express; aggregates and orders are checked
    first.
    """
    analysis.check_safety(program)
    for rule in program.rules:
        for number, part in enumerate(rule.body):
            with exporting(rule, number):
                if isinstance(part, SetLiteral):
                    ticker_literal(part, reasoner, met)
    _check_single(program, reasoner, met)
    known = tuple(dict.fromkeys((*program.facts, *background)))
    predicates, derived = frozenset(map(terms.signature, known)), analysis.intensional(program)
    taken = frozenset(name for name, _ in program.predicates | predicates | met.signatures())
    sources, hidden = Sources(derived, predicates, met, taken), hidden_names(taken)
    rules: list[PlainRule] = []
    for rule in program.proper_rules:
        rules += _RuleReader(rule, sources, hidden, reasoner).rules()
    if any(not _is_supported(rule, reasoner) for rule in rules):
        # What a rule derives holds at a time, what a fact says has none: no rule is without a body.
        truth = terms.Atom(next(hidden))
        always = analysis.LiteralForm(truth)
        rules = [
            plain_rule
            if _is_supported(plain_rule, reasoner)
            else replace(plain_rule, body=(*plain_rule.body, always))
            for plain_rule in rules
        ]
        rules.append(PlainRule(Rule(truth), truth, role="auxiliary"))
    return (*rules, *_fact_rules(known, sources.mixed, hidden))


def _is_supported(rule: PlainRule, reasoner: Reasoner) -> bool:
    if reasoner == "clingo":
        return bool(rule.body)
    # Negated literals can be left out where the input is known.
    return any(isinstance(part, analysis.LiteralForm) and part.positive for part in rule.body)


def _check_single(program: Program, reasoner: Reasoner, met: TickerInput) -> None:
    if analysis.strata(program) is not None:
        return
    absent = analysis.on_own_absence(program)
    own = [*absent.values()] or [analysis.unstratified_rules(program)]
    number = min(rule for rules in own for rule in rules)
    with exporting(program.rules[number - 1]):
        # First: no trace makes such a program right for this reasoner.
        if reasoner == "incremental" and absent:
            raise InexpressibleError("an atom that depends on its own absence, for its reasoner incremental")
        if not met.single:
            raise InexpressibleError(
                "a program in which an atom depends on its own absence or through □ on itself, because "
                "Ticker shows only one of several answer streams, and nothing if no answer stream exists; "
                "`lars export` accepts the program if a trace has one answer stream at each time"
            )


def _fact_rules(
    known: tuple[terms.Atom, ...], mixed: frozenset[terms.Signature], hidden: Iterator[str]
) -> Iterator[PlainRule]:
    # What is a fact counts there as nothing else: what is also derived or input gets a rule for its facts.
    renamed = {predicate: next(hidden) for predicate in sorted(mixed)}
    for (name, arity), own in renamed.items():
        row = tuple(terms.Variable(f"#{n}") for n in range(1, arity + 1))
        body = analysis.LiteralForm(terms.Atom(own, row))
        yield PlainRule(
            Rule(terms.Atom(name, row), (terms.Atom(own, row),)), terms.Atom(name, row), None, (body,)
        )
    for atom in known:
        own = renamed.get(terms.signature(atom), atom.predicate)
        role: Role = "auxiliary" if terms.signature(atom) in renamed else "program"
        yield PlainRule(Rule(atom), replace(atom, predicate=own), role=role)


class _RuleReader:
    """The reader of one rule.

    `known` are the variables bound so far, and `numbers` are the numeric variables.

    `natural` are the variables whose values are never negative. `times` are the variables whose values are
    time points of a window.
    """

    def __init__(self, rule: Rule, sources: Sources, hidden: Iterator[str], reasoner: Reasoner) -> None:
        self.rule, self.sources, self.hidden, self.reasoner = rule, sources, hidden, reasoner
        self.head, self.body = without_equalities(rule)
        self.tests: list[Part] = []
        self.auxiliary: list[PlainRule] = []
        self.known: set[terms.Variable] = set()
        self.numbers: set[terms.Variable] = set()
        self.natural: set[terms.Variable] = set()
        self.times: set[terms.Variable] = set()
        self._fresh = 0

    def rules(self) -> list[PlainRule]:
        """Return the auxiliary rules and the rule itself.

        If the head has a time, the result also contains a rule for the head with the role `moments`.
        """
        forms = [form for number, part in self.body for form in self._form(number, part)]
        for form in forms:
            self._bind(form)
        present: list[Part] = [part for form in forms if form.positive for part in self._separated(form)]
        self._compare()
        absent = [self._absent(form) for form in forms if not form.positive]
        body = (*present, *self.tests, *absent)
        with exporting(self.rule):
            head, time = self._head()
        if head is None:
            violation = terms.Atom(fresh_name("violation", self.sources.names))
            return [*self.auxiliary, PlainRule(self.rule, violation, None, body, "violation")]
        rules = [*self.auxiliary, PlainRule(self.rule, head, time, body)]
        if time is not None:
            moments = terms.Atom(
                fresh_name(f"{head.predicate}Moment", self.sources.names), (*head.arguments, time)
            )
            rules.append(PlainRule(self.rule, moments, None, body, "moments"))
        return rules

    def fresh(self) -> terms.Variable:
        """Return a variable that the rule does not have, since no program text has # in a name."""
        self._fresh += 1
        return terms.Variable(f"#{self._fresh}")

    def _form(self, number: int, part: BodyLiteral) -> Iterator[analysis.LiteralForm]:
        if not isinstance(part, logic.Comparison):
            with exporting(self.rule, number):
                if (form := ticker_literal(part, self.reasoner, self.sources.known_input)) is not None:
                    literal_form = self.sources.without_needless_window(form)
                    yield self._now(literal_form) if literal_form.window == NOW else literal_form

    def _now(self, form: analysis.LiteralForm) -> analysis.LiteralForm:
        """Return an auxiliary atom in place of @ in a window of length 0, which is longer in Ticker.

        In Ticker, a window of length 0 contains now and the time point before. The auxiliary atom has only
        the latest of the two times at which the atom holds.
        """
        assert isinstance(form.atom, terms.Atom)
        assert form.time is not None
        row, own, later = sorted(variables(form.atom)), self.fresh(), self.fresh()
        near, older, text = (next(self.hidden) for _ in range(3))
        literal_form = analysis.LiteralForm(form.atom, "@", own, TimeWindow(1))
        once, again, before = (
            terms.Atom(near, (*row, own)),
            terms.Atom(near, (*row, later)),
            terms.Atom(older, (*row, own)),
        )
        step = logic.Comparison(later, "=", logic.Operation("+", own, terms.Number(1)))
        for head, body in (
            (once, (analysis.LiteralForm(form.atom), literal_form)),
            (before, (analysis.LiteralForm(once), analysis.LiteralForm(again), step)),
            (
                terms.Atom(text, (*row, own)),
                (analysis.LiteralForm(once), analysis.LiteralForm(before, positive=False)),
            ),
        ):
            self.auxiliary.append(PlainRule(self.rule, head, None, body, "auxiliary"))
        if form.positive and isinstance(form.time, terms.Variable):
            self._time(form.time)
        return analysis.LiteralForm(terms.Atom(text, (*row, form.time)), positive=form.positive)

    def _bind(self, form: analysis.LiteralForm) -> None:
        if form.positive:
            self.known |= variables_of(form)
            if isinstance(form.time, terms.Variable):
                self._time(form.time)

    def _time(self, variable: terms.Variable) -> None:
        for known in (self.numbers, self.natural, self.times):
            known.add(variable)

    def _separated(self, form: analysis.LiteralForm) -> tuple[Part, ...]:
        """Return the literal without ¬; a comparison replaces a fixed time in @, which Ticker lacks."""
        present = replace(form, positive=True)
        if not isinstance(form.time, terms.Number):
            return (present,)
        time = self.fresh()
        return replace(present, time=time), logic.Comparison(time, "=", form.time)

    def _absent(self, form: analysis.LiteralForm) -> analysis.LiteralForm:
        if not isinstance(form.time, terms.Number):
            return form
        atom = terms.Atom(next(self.hidden), tuple(sorted(variables_of(form))))
        self.auxiliary.append(PlainRule(self.rule, atom, None, self._separated(form), "auxiliary"))
        return analysis.LiteralForm(atom, positive=False)

    def _head(self) -> tuple[terms.Atom | None, terms.Variable | None]:
        match self.head:
            case logic.At(terms.Variable() as time, terms.Atom() as atom) if time in self.times:
                return atom, time
            case logic.At(time):
                raise InexpressibleError(
                    f"the head {self.head}, because no window of the body contains @_{time} and binds {time}"
                )
            case head:
                return head, None

    def _compare(self) -> None:
        pending = [(number, part) for number, part in self.body if isinstance(part, logic.Comparison)]
        while pending:
            first = next(pair for pair in pending if ready(pair[1], self.known))
            pending.remove(first)
            with exporting(self.rule, first[0]):
                self._compared(first[1])

    def _compared(self, part: logic.Comparison) -> None:
        for side, other in ((part.left, part.right), (part.right, part.left)):
            if (
                isinstance(side, terms.Variable)
                and side not in self.known
                and isinstance(other, logic.Operation)
            ):
                self._operation(other, side)
                return
        ordered = part.relation in ORDERED
        left, right = self._side(part.left, ordered=ordered), self._side(part.right, ordered=ordered)
        self.tests.append(logic.Comparison(left, part.relation, right))

    def _side(self, side: Arithmetic, *, ordered: bool) -> terms.Term:
        return self._number(side) if ordered or isinstance(side, logic.Operation) else side

    def _number(self, side: Arithmetic) -> Numeric:
        match side:
            case logic.Operation():
                return self._operation(side, self.fresh())
            case terms.Variable():
                if side not in self.numbers:
                    self.numbers.add(side)
                    self.tests.append(logic.Comparison(side, "<=", _LARGEST))
                return side
            case terms.Number():
                return side
            case _:
                raise InexpressibleError(f"arithmetic or order on {side}, which is not a number")

    def _operation(self, operation: logic.Operation, result: terms.Variable) -> terms.Variable:
        left, right = self._number(operation.left), self._number(operation.right)
        match operation.operator:
            case "/":
                self._check_division(operation, left, right)
                self._step(result, "/", left, right)
            case "mod":
                self._check_division(operation, left, right)
                quotient, multiple = self.fresh(), self.fresh()
                self._step(quotient, "/", left, right)
                self._step(multiple, "*", quotient, right)
                self._step(result, "-", left, multiple)
                self.natural.add(result)
            case operator:
                self._step(result, operator, left, right)
        return result

    def _check_division(self, operation: logic.Operation, left: Numeric, right: Numeric) -> None:
        if not (self._is_natural(left) and isinstance(right, terms.Number) and right.value > 0):
            raise InexpressibleError(
                f"{operation}, because Ticker divides only a time, and only by a number above 0"
            )

    def _is_natural(self, side: Numeric) -> bool:
        return side in self.natural if isinstance(side, terms.Variable) else side.value >= 0

    def _step(
        self, result: terms.Variable, operator: ArithmeticOperator, left: Numeric, right: Numeric
    ) -> None:
        self.tests.append(logic.Comparison(result, "=", logic.Operation(operator, left, right)))
        self.known.add(result)
        self.numbers.add(result)
        if operator != "-" and self._is_natural(left) and self._is_natural(right):
            self.natural.add(result)
