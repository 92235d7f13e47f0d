"""Formulas with ◇, □, @, ⊞ and ¬, and the conditions in rule bodies."""

import operator
import re
from collections.abc import Callable, Mapping
from typing import Final, Literal, get_args

from lars.dataclass import dataclass
from lars.language import terms
from lars.language.windows import Window

ArithmeticOperator = Literal["+", "-", "*", "/", "mod"]
"""Operators of integer arithmetic in LARS: / is floor division, and mod is the remainder of this division."""
OPERATORS: Final[Mapping[str, ArithmeticOperator]] = {word: word for word in get_args(ArithmeticOperator)}


def compute(how: ArithmeticOperator, left: int, right: int) -> int | None:
    """Return the result of an arithmetic operation, or None for a division or remainder by 0."""
    return None if right == 0 and how in ("/", "mod") else _COMPUTE[how](left, right)


@dataclass(frozen=True, slots=True)
class Operation:
    """An integer arithmetic expression with two operands.

    The expression has no value if an operand is not a number, or if it divides by 0.
    """

    operator: ArithmeticOperator
    left: "Arithmetic"
    right: "Arithmetic"

    def __str__(self) -> str:
        return f"({self.left} {self.operator} {self.right})"


Arithmetic = terms.Term | Operation


Relation = Literal["=", "!=", "<", "<=", ">", ">="]
"""Relations of comparisons in LARS: = and != compare all terms; <, <=, > and >= compare only numbers."""
RELATIONS: Final[Mapping[str, Relation]] = {word: word for word in get_args(Relation)}


def holds(relation: Relation, left: int, right: int) -> bool:
    """Return whether the relation holds between two numbers."""
    return _HOLDS[relation](left, right)


_COMPUTE: Final[Mapping[ArithmeticOperator, Callable[[int, int], int]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.floordiv,
    "mod": operator.mod,
}
_HOLDS: Final[Mapping[Relation, Callable[[int, int], bool]]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison of two terms or arithmetic results; RDF literals are compared as terms, not by value."""

    left: Arithmetic
    relation: Relation
    right: Arithmetic

    def __str__(self) -> str:
        return f"{_bare(self.left)} {self.relation} {_bare(self.right)}"


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a SPARQL operator or function; `function` is its SPARQL name in upper case.

    Operators are `=`, `!=`, `<`, `<=`, `>`, `>=`, `+`, `-`, `*`, `/`, `&&`, `||`, `!`, `NEG` (unary minus)
    and `IN`. The name of a cast or extension function is its IRI in brackets.

    >>> print(Call(">=", (terms.Variable("n"), terms.Literal("20", terms.XSD + "integer"))))
    ?n >= 20
    """

    function: str
    arguments: tuple["Expression", ...]

    def __str__(self) -> str:
        return write_expression(self)


Expression = terms.Term | Call


@dataclass(frozen=True, slots=True)
class Test:
    """A test [e] or ¬[e], which holds if the SPARQL expression e has the effective boolean value `value`.

    In the expression, the term null means an unbound variable. If the evaluation of the expression is an
    error, neither [e] nor ¬[e] holds (SPARQL 1.1, 17.2).

    >>> print(Test(Call("BOUND", (terms.Variable("n"),)), value=False))
    ¬[BOUND(?n)]
    """

    expression: Expression
    value: bool = True

    def __str__(self) -> str:
        return f"{'' if self.value else '¬'}[{write_expression(self.expression)}]"


@dataclass(frozen=True, slots=True)
class Assign:
    """An assignment ?y := [e], as BIND in SPARQL: the variable gets the value of e, or null for an error."""

    variable: terms.Variable
    expression: Expression

    def __str__(self) -> str:
        return f"{self.variable} := [{write_expression(self.expression)}]"


Condition = Comparison | Test | Assign

RANDOM: Final = frozenset(("RAND", "UUID", "STRUUID", "BNODE"))
"""Functions whose value differs from row to row, even for equal arguments."""
AGGREGATES: Final = ("COUNT", "SUM", "AVG", "MIN", "MAX", "SAMPLE", "GROUP_CONCAT")
SCALED: Final = frozenset(("SUM", "AVG", "MIN", "MAX"))
"""Aggregates that depend on the values of numbers and not only on which terms are distinct."""


@dataclass(frozen=True, slots=True)
class Aggregation:
    """An aggregate of SPARQL over a multiset: COUNT, SUM, AVG, MIN, MAX, SAMPLE or GROUP_CONCAT.

    The field `arguments` contains one variable; only COUNT allows any number of variables. COUNT without
    arguments counts the elements of the multiset. COUNT with several arguments and `distinct` counts distinct
    tuples. `separator` belongs to GROUP_CONCAT. Source: SPARQL 1.1, 18.5.1.

    >>> print(Aggregation("SUM", (terms.Variable("x"),), distinct=True))
    SUM(DISTINCT ?x)
    """

    function: str
    arguments: tuple[terms.Variable, ...] = ()
    distinct: bool = False
    separator: str = " "

    def __str__(self) -> str:
        inside = ", ".join(map(str, self.arguments)) or "*"
        separator = f"; {terms.Literal(self.separator)}" if self.separator != " " else ""
        return f"{self.function}({'DISTINCT ' if self.distinct else ''}{inside}{separator})"


@dataclass(frozen=True, slots=True)
class Gather:
    """An aggregate literal: `variable` is the aggregate of the instances of `atom` now, for each group.

    Each instance is one element of a multiset, so equal values of two instances count twice. The instances of
    a group have equal values of `keys`, which are variables of the atom. The literal binds `keys` and
    `variable`, and holds once for each group that has an instance. Without keys, all instances form one
    group, and the literal holds even if this group is empty. The variable of an aggregate literal is null if
    the aggregate is an error.
    """

    variable: terms.Variable
    aggregation: Aggregation
    atom: terms.Atom
    keys: tuple[terms.Variable, ...] = ()

    def __str__(self) -> str:
        by = f" by {', '.join(map(str, self.keys))}" if self.keys else ""
        return f"{self.variable} := {self.aggregation} of {self.atom}{by}"


@dataclass(frozen=True, slots=True)
class OrderKey:
    """A key of ORDER BY: the values of a variable, ascending or descending (SPARQL 1.1, 15.1)."""

    variable: terms.Variable
    descending: bool = False

    def __str__(self) -> str:
        return f"{'desc ' if self.descending else ''}{self.variable}"


@dataclass(frozen=True, slots=True)
class Among:
    """An order literal: it selects `limit` instances of `atom` that hold now, after skipping `offset`.

    In each group of equal `keys`, which are variables of the atom, `order` ranks the instances. If instances
    have equal ranks, the texts of their arguments decide; unbound arguments come first. If `limit` is None,
    the literal selects all instances after the offset.
    """

    atom: terms.Atom
    order: tuple[OrderKey, ...] = ()
    offset: int = 0
    limit: int | None = None
    keys: tuple[terms.Variable, ...] = ()

    def __str__(self) -> str:
        last = "" if self.limit is None else str(self.offset + self.limit)
        by = f" by {', '.join(map(str, self.order))}" if self.order else ""
        per = f" per {', '.join(map(str, self.keys))}" if self.keys else ""
        return f"{self.atom} among {self.offset + 1}..{last}{by}{per}"


SetLiteral = Gather | Among
"""Literals over all instances of an atom at the reference time; the atom's predicate is in a lower layer."""


@dataclass(frozen=True, slots=True)
class Truth:
    """The constant true, which holds at every time point of the timeline."""

    def __str__(self) -> str:
        return "true"


@dataclass(frozen=True, slots=True)
class Not:
    """¬α. In a rule body, ¬α and `not α` mean the same, because the FLP reduct defines answer streams."""

    inner: "Formula"

    def __str__(self) -> str:
        return f"¬{self.inner}"


@dataclass(frozen=True, slots=True)
class Diamond:
    """◇α: α holds at some time point of the timeline."""

    inner: "Formula"

    def __str__(self) -> str:
        return f"◇ {self.inner}"


@dataclass(frozen=True, slots=True)
class Box:
    """□α: α holds at every time point of the timeline."""

    inner: "Formula"

    def __str__(self) -> str:
        return f"□ {self.inner}"


@dataclass(frozen=True, slots=True)
class At:
    """@_t α: α holds at t, and t is in the timeline. If t is a variable, the formula @_t α binds t."""

    time: terms.Variable | terms.Number
    inner: "Formula"

    def __str__(self) -> str:
        return f"@_{self.time} {self.inner}"


@dataclass(frozen=True, slots=True)
class In:
    """⊞^w α: α holds in the content of the window w."""

    window: Window
    inner: "Formula"

    def __str__(self) -> str:
        return f"{self.window} {self.inner}"


Compound = Not | Diamond | Box | At | In
"""Formulas with one operand; each formula therefore contains exactly one atom or `true`."""
Formula = terms.Atom | Truth | Compound
BodyLiteral = Formula | Condition | SetLiteral


def _bare(side: Arithmetic) -> str:
    return str(side)[1:-1] if isinstance(side, Operation) else str(side)


_INFIX = frozenset(("=", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "&&", "||"))
_PREFIX = {"!": "!", "NEG": "-"}
_BARE = {
    terms.XSD + "integer": re.compile(r"-?(0|[1-9][0-9]*)"),
    terms.XSD + "decimal": re.compile(r"-?[0-9]+\.[0-9]+"),
    terms.XSD + "double": re.compile(r"-?[0-9]+(\.[0-9]+)?[eE][+-]?[0-9]+"),
    terms.XSD + "boolean": re.compile("true|false"),
}


def write_expression(expression: Expression, *, nested: bool = False) -> str:
    """Return the SPARQL text of an expression; integers, decimals, doubles and booleans have no quotes.

    In the returned text, 5 is an RDF literal, and #5 is a number of LARS.

    >>> print(write_expression(Call("+", (terms.Literal("2.5", terms.XSD + "decimal"), terms.Number(3)))))
    2.5 + #3
    """
    match expression:
        case Call(function, (left, right)) if function in _INFIX:
            text = f"{write_expression(left, nested=True)} {function} {write_expression(right, nested=True)}"
            return f"({text})" if nested else text
        case Call(function, (inner,)) if function in _PREFIX:
            return f"{_PREFIX[function]}({write_expression(inner)})"
        case Call("IN", (needle, *options)):
            text = f"{write_expression(needle, nested=True)} IN ({_expressions_text(tuple(options))})"
            return f"({text})" if nested else text
        case Call(function, arguments):
            return f"{function}({_expressions_text(arguments)})"
        case terms.Literal(lexical, datatype) if datatype in _BARE and _BARE[datatype].fullmatch(lexical):
            return lexical
        case terms.Number(value):
            return f"#{value}"
        case terms.Variable(name):
            return f"?{name}"
        case _:
            return str(expression)


def _expressions_text(expressions: tuple[Expression, ...]) -> str:
    return ", ".join(map(write_expression, expressions))
