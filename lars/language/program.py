"""Rules and programs, their variables, and the substitution of terms for variables."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import field, replace
from typing import Final, assert_never

from lars.dataclass import dataclass
from lars.errors import LarsError, Place, place_at
from lars.files import TextFile
from lars.language import formulas as logic
from lars.language import terms
from lars.language.formulas import Arithmetic, BodyLiteral, Condition, Expression, Formula, SetLiteral
from lars.language.windows import Window

Head = terms.Atom | logic.At


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a rule: the text, and the offsets at which the rule and its body literals begin."""

    file: TextFile
    start: int
    literals: tuple[int, ...]

    def place(self, number: int | None = None) -> Place:
        """Return the place of the body literal `number`, from 0.

        If the body has no such literal, return the place of the rule.
        """
        offset = self.start if number is None or number >= len(self.literals) else self.literals[number]
        return place_at(self.file.name, self.file.text, offset)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule α ← β1, …, βn. The head is an atom, an atom under @_T, or None for a constraint.

    A rule without a body and without variables is a fact, which belongs to the background B. The field
    `origin` is the place of the rule in a text.
    """

    head: Head | None
    body: tuple[BodyLiteral, ...] = ()
    origin: Origin | None = field(default=None, compare=False, repr=False)

    @property
    def predicate(self) -> terms.Signature | None:
        """The predicate that the rule derives; None for a constraint."""
        atom = head_atom(self)
        return None if atom is None else terms.signature(atom)

    @property
    def quotation(self) -> str:
        """The rule as error messages quote it, with its place if the rule was read from a text."""
        where = "" if self.origin is None else f" at {self.origin.place()}"
        return f"the rule{where}\n  {self}"

    def __str__(self) -> str:
        head = "" if self.head is None else str(self.head)
        if self.head is not None and not self.body:
            return f"{head}."
        return f"{head} ← {', '.join(map(write_literal, self.body))}.".lstrip()


@dataclass(frozen=True, slots=True)
class Program:
    """A LARS program: its rules in the order of the text, which does not affect the meaning.

    The field `notes` contains remarks about the reading of the program's text, for the user. The field
    `answers` contains the predicates that the text itself defines, without auxiliary predicates; None means
    all predicates.
    """

    rules: tuple[Rule, ...]
    notes: tuple[str, ...] = field(default=(), compare=False)
    answers: frozenset[terms.Signature] | None = field(default=None, compare=False, repr=False)

    @property
    def facts(self) -> tuple[terms.Atom, ...]:
        """The heads of the program's facts, which belong to the background."""
        return tuple(rule.head for rule in self.rules if is_fact(rule) and isinstance(rule.head, terms.Atom))

    @property
    def proper_rules(self) -> tuple[Rule, ...]:
        """The rules that are not facts, in program order."""
        return tuple(rule for rule in self.rules if not is_fact(rule))

    @property
    def predicates(self) -> frozenset[terms.Signature]:
        """The predicates in heads and bodies of the program."""
        heads = (atom for rule in self.rules if (atom := head_atom(rule)) is not None)
        used = (atom for rule in self.rules for literal in rule.body for atom, _, _ in atoms(literal))
        return frozenset(map(terms.signature, (*heads, *used)))

    def __str__(self) -> str:
        return "\n".join(map(str, self.rules))


def write_literal(literal: BodyLiteral) -> str:
    """Return the literal as text in a rule body, with `not` for ¬."""
    return f"not {write_literal(literal.inner)}" if isinstance(literal, logic.Not) else str(literal)


def head_atom(rule: Rule) -> terms.Atom | None:
    """Return the atom in the head of the rule, with or without @, or None for a constraint."""
    match rule.head:
        case logic.At(_, terms.Atom() as atom):
            return atom
        case terms.Atom() as atom:
            return atom
        case None:
            return None
        case _:
            raise LarsError(f"a head is an atom or @_T atom, not {rule.head}")


def is_fact(rule: Rule) -> bool:
    """Return whether the rule is a fact: a ground atom that holds at every time point, without a body."""
    return not rule.body and isinstance(rule.head, terms.Atom) and not variables(rule.head)


def head_time(rule: Rule, t: int) -> terms.Variable | terms.Number:
    """Return the time at which the rule derives its head if the rule is evaluated at t."""
    return rule.head.time if isinstance(rule.head, logic.At) else terms.Number(t)


def formulas(body: Iterable[BodyLiteral]) -> Iterator[Formula]:
    """Yield the formulas of a rule body, without its conditions, aggregates and orders."""
    return (part for part in body if not isinstance(part, Condition | SetLiteral))


def set_literals(body: Iterable[BodyLiteral]) -> Iterator[SetLiteral]:
    """Yield the aggregates and orders of a body, which depend on all instances of an atom."""
    return (part for part in body if isinstance(part, SetLiteral))


def nested(literal: BodyLiteral) -> Iterator[BodyLiteral]:
    """Yield the literal and its nested formulas, outer formulas first, down to its atom or true."""
    yield literal
    while isinstance(literal, logic.Compound):
        literal = literal.inner
        yield literal


def rebuild(formula: Formula, change: Callable[[Formula], Formula]) -> Formula:
    """Return the formula after applying `change` to each nested formula, innermost formulas first."""
    if isinstance(formula, logic.Compound):
        formula = replace(formula, inner=rebuild(formula.inner, change))
    return change(formula)


def atoms(literal: BodyLiteral) -> Iterator[tuple[terms.Atom, bool, tuple[Window, ...]]]:
    """Yield the atom of the literal, a boolean, and the windows around the atom.

    The boolean is true if the atom is under an even number of ¬, and for the atom of an aggregate or order.
    """
    *around, innermost = nested(literal)
    atom = innermost.atom if isinstance(innermost, SetLiteral) else innermost
    if isinstance(atom, terms.Atom):
        negations = sum(isinstance(part, logic.Not) for part in around)
        yield atom, negations % 2 == 0, tuple(part.window for part in around if isinstance(part, logic.In))


def calls(expression: Expression) -> Iterator[logic.Call]:
    """Yield each call in an expression, outer calls first."""
    if isinstance(expression, logic.Call):
        yield expression
        for argument in expression.arguments:
            yield from calls(argument)


def variables(part: BodyLiteral | Expression | Arithmetic | None) -> frozenset[terms.Variable]:
    """Return every variable that occurs in a formula, condition, expression or term.

    For an aggregate literal, the result contains only the keys and the variable of the aggregate's value. All
    other variables of its atom are local.
    """
    match part:
        case terms.Variable():
            return frozenset((part,))
        case terms.Atom(_, arguments) | logic.Call(_, arguments):
            return frozenset().union(*map(variables, arguments))
        case logic.Not(inner) | logic.Diamond(inner) | logic.Box(inner) | logic.In(_, inner):
            return variables(inner)
        case logic.At(time, inner):
            return variables(time) | variables(inner)
        case logic.Comparison(left, _, right) | logic.Operation(_, left, right):
            return variables(left) | variables(right)
        case logic.Test(expression, _):
            return variables(expression)
        case logic.Assign(variable, expression):
            return variables(variable) | variables(expression)
        case logic.Gather(variable, _, _, keys):
            return frozenset((variable, *keys))
        case logic.Among(atom):
            return variables(atom)
        case terms.TripleTerm():
            return frozenset().union(*map(variables, part.terms))
        case (
            terms.Iri()
            | terms.Literal()
            | terms.Blank()
            | terms.Symbol()
            | terms.Number()
            | logic.Truth()
            | None
        ):
            return frozenset()
        case _:
            assert_never(part)


def ready(condition: Condition, known: AbstractSet[terms.Variable]) -> bool:
    """Return whether the known variables suffice to decide a condition or to compute its assignment."""
    match condition:
        case logic.Assign(_, expression):
            return variables(expression) <= known
        case logic.Comparison(left, "=", right):
            sides = ((left, right), (right, left))
            missing = variables(condition) - known
            return not missing or any(missing == {side} - variables(other) for side, other in sides)
        case _:
            return variables(condition) <= known


def assignment(
    part: BodyLiteral, known: AbstractSet[terms.Variable]
) -> tuple[terms.Variable, Arithmetic] | None:
    """Return the variable and the value of an equation that assigns an unknown variable; otherwise None."""
    match part:
        case logic.Comparison(terms.Variable() as left, "=", right) if left not in known:
            return left, right
        case logic.Comparison(left, "=", terms.Variable() as right) if right not in known:
            return right, left
        case _:
            return None


FALSE: Final = logic.Not(logic.Truth())


def put(formula: Formula, binding: Mapping[terms.Variable, terms.Term]) -> Formula:
    """Return the formula with values for its variables; if the value of t is not a number, @_t is false.

    >>> time, formula = terms.Variable("T"), terms.Atom("p", (terms.Variable("X"),))
    >>> print(put(logic.At(time, formula), {time: terms.Number(3)}))
    @_3 p(X)
    """

    def change(part: Formula) -> Formula:
        match part:
            case terms.Atom():
                return terms.substitute(part, binding)
            case logic.At(time, inner):
                moment = _term(time, binding)
                return logic.At(moment, inner) if isinstance(moment, terms.Number | terms.Variable) else FALSE
            case _:
                return part

    return rebuild(formula, change)


def close(literal: BodyLiteral, binding: Mapping[terms.Variable, terms.Term]) -> BodyLiteral:
    """Return a body literal with values for its variables; aggregates and orders are unchanged.

    Aggregates and orders range over all instances of their atom.
    """
    match literal:
        case logic.Comparison(left, relation, right):
            return logic.Comparison(_side(left, binding), relation, _side(right, binding))
        case logic.Test(expression, value):
            return logic.Test(put_terms(expression, binding), value)
        case logic.Assign(variable, expression):
            return logic.Assign(variable, put_terms(expression, binding))
        case logic.Gather() | logic.Among():
            return literal
        case _:
            return put(literal, binding)


def put_terms(expression: Expression, binding: Mapping[terms.Variable, terms.Term]) -> Expression:
    """Return a SPARQL expression with values in place of its bound variables."""
    if isinstance(expression, logic.Call):
        return logic.Call(
            expression.function, tuple(put_terms(part, binding) for part in expression.arguments)
        )
    return _term(expression, binding)


def _side(side: Arithmetic, binding: Mapping[terms.Variable, terms.Term]) -> Arithmetic:
    if isinstance(side, logic.Operation):
        return logic.Operation(side.operator, _side(side.left, binding), _side(side.right, binding))
    return _term(side, binding)


def _term(term: terms.Term, binding: Mapping[terms.Variable, terms.Term]) -> terms.Term:
    return binding.get(term, term) if isinstance(term, terms.Variable) else term
