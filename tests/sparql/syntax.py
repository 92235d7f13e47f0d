"""The syntax trees of random queries: SPARQL 1.1 as its grammar has it, before any algebra."""

from dataclasses import dataclass, field

XSD = "http://www.w3.org/2001/XMLSchema#"
E = "http://e/"


@dataclass(frozen=True, slots=True)
class Iri:
    value: str


@dataclass(frozen=True, slots=True)
class Blank:
    """A blank node: of the data, or in a pattern a variable without a name."""

    label: str


@dataclass(frozen=True, slots=True)
class Literal:
    lexical: str
    datatype: str = XSD + "string"
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Var:
    name: str


Constant = Iri | Blank | Literal
Term = Constant | Var
Triple = tuple[Constant, Constant, Constant]


@dataclass(frozen=True, slots=True)
class Inverse:
    path: "Path"


@dataclass(frozen=True, slots=True)
class Sequence:
    left: "Path"
    right: "Path"


@dataclass(frozen=True, slots=True)
class Alternative:
    left: "Path"
    right: "Path"


@dataclass(frozen=True, slots=True)
class Repeated:
    """`often` is *, + or ?."""

    path: "Path"
    often: str


@dataclass(frozen=True, slots=True)
class Negated:
    forward: tuple[Iri, ...]
    backward: tuple[Iri, ...] = ()


Path = Iri | Inverse | Sequence | Alternative | Repeated | Negated


@dataclass(frozen=True, slots=True)
class Op:
    """An operator or built-in function, by its name in SPARQL; `NEG` is unary minus."""

    name: str
    arguments: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Exists:
    group: "Group"
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Aggregate:
    """`argument` None is *."""

    function: str
    argument: "Expression | None"
    distinct: bool = False
    separator: str = " "


Expression = Var | Iri | Literal | Op | Exists | Aggregate


@dataclass(frozen=True, slots=True)
class Step:
    """A triple pattern, or a path between two terms."""

    subject: Term
    verb: Var | Path
    object: Term


@dataclass(frozen=True, slots=True)
class Triples:
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Group:
    parts: tuple["Part", ...] = ()


@dataclass(frozen=True, slots=True)
class Optional:
    group: Group


@dataclass(frozen=True, slots=True)
class Union:
    groups: tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class Minus:
    group: Group


@dataclass(frozen=True, slots=True)
class Filter:
    condition: Expression


@dataclass(frozen=True, slots=True)
class Bind:
    expression: Expression
    variable: Var


@dataclass(frozen=True, slots=True)
class Values:
    """None in a row is UNDEF."""

    names: tuple[Var, ...]
    rows: tuple[tuple[Constant | None, ...], ...]


@dataclass(frozen=True, slots=True)
class InGraph:
    name: Iri | Var
    group: Group


@dataclass(frozen=True, slots=True)
class Item:
    """What SELECT and GROUP BY list: a variable, an expression (a key alone), or `expression AS variable`."""

    variable: Var | None
    expression: Expression | None = None


@dataclass(frozen=True, slots=True)
class Key:
    expression: Expression
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Select:
    """A query or subquery; without items it is SELECT *."""

    where: Group
    items: tuple[Item, ...] = ()
    duplicates: str = ""
    keys: tuple[Item, ...] = ()
    having: tuple[Expression, ...] = ()
    order: tuple[Key, ...] = ()
    limit: int | None = None
    offset: int = 0
    values: Values | None = None


Part = Triples | Group | Optional | Union | Minus | Filter | Bind | Values | InGraph | Select


@dataclass(frozen=True, slots=True)
class Query:
    """`form` is SELECT, ASK or CONSTRUCT; the last two only use WHERE and the modifiers of `select`."""

    form: str
    select: Select
    template: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Dataset:
    default: frozenset[Triple]
    named: dict[Iri, frozenset[Triple]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Case:
    query: Query
    dataset: Dataset
