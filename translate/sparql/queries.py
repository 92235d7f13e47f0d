"""The translation of a query's syntax tree to its pattern and form (SPARQL 1.1, Sections 11 and 18.2).

Consecutive triples and paths are read first (SPARQL 1.1, Sections 18.2.2.3 to 5), then the groups around
them. Each query or subquery is one level: its groups, aggregates, SELECT and modifiers (18.2.4). The form,
dataset, template and streaming clauses of the whole query are read last.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import reduce
from itertools import chain as chain_of
from itertools import groupby, pairwise
from typing import Final, TypeGuard, get_args

from lars.dataclass import dataclass
from lars.language.formulas import Aggregation, Call, Expression, OrderKey
from lars.language.program import variables as variables_of_expression
from lars.language.terms import NULL, RDF, Blank, Constant, Iri, Literal, Term, TripleTerm, Variable
from translate.analysis import depth, nullable
from translate.errors import UnsupportedError
from translate.model import patterns as algebra
from translate.model.patterns import (
    EMPTY,
    Bgp,
    Exists,
    Path,
    PathPattern,
    Pattern,
    StreamBlock,
    TriplePattern,
    variables,
)
from translate.model.query import Dataset, EngineQuery, Form
from translate.model.windows import Rows
from translate.sparql import expressions
from translate.sparql.syntax_tree import AnyWindow, Part, Phrase, deep_recursion, query_of
from translate.sparql.tokens import VERSIONS_12, Token


@dataclass(frozen=True, slots=True, eq=False)
class Unnamed:
    """A blank node that a query contains as [ .. ] or ( .. ), without a label."""


Quoted = tuple["Member", Part | Iri, "Member"]
"""A triple term in the query's text; the members of a triple term can be triple terms."""
Member = Part | Unnamed | Iri | Quoted
"""A member of a triple: a phrase of the syntax tree, a blank node in brackets, an IRI, or a triple term."""
_Triples = Iterator[tuple[Member, Part | Iri, Member]]


@dataclass(slots=True)
class TriplesRun:
    """A sequence of triples blocks with only FILTERs between them; a new variable replaces each blank node.

    A new variable also replaces each triple term that contains variables. The field `quoted` maps this
    variable to the three parts of the triple term.
    """

    scope: expressions.Scope
    number: int = field(init=False)
    blank: dict[str | Unnamed, Variable] = field(default_factory=dict)
    triples: list[TriplePattern | PathPattern] = field(default_factory=list)
    quoted: dict[Variable, tuple[Term, Term, Term]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.scope.runs += 1
        self.number = self.scope.runs

    def read(self, block: Phrase) -> None:
        """Add the triples of a block; raise QueryError if another sequence uses the same blank node label."""
        for subject, path, object_ in _triples(block):
            first = self._term(subject)
            self.triples.append(_connection(first, path, self._term(object_), self.scope))

    def patterns(self) -> Iterator[Bgp | PathPattern]:
        """Yield the patterns in the order of the text; adjacent triple patterns form one pattern.

        If the sequence has triple terms, a basic graph pattern contains only triple patterns that share
        variables.
        """
        for is_triple, parts in groupby(self.triples, lambda part: isinstance(part, TriplePattern)):
            triples = [part for part in parts if isinstance(part, TriplePattern)] if is_triple else []
            if self.quoted and triples:
                yield from map(Bgp, _connected(triples, self._opened()))
            elif triples:
                yield Bgp(tuple(triples))
            else:
                yield from (part for part in parts if isinstance(part, PathPattern))

    def _opened(self) -> frozenset[Variable]:
        """Return the variables that replace triple terms, and the variables inside these triple terms."""
        inside = (part for parts in self.quoted.values() for part in parts if isinstance(part, Variable))
        return frozenset((*self.quoted, *inside))

    def opened(self, pattern: Pattern) -> Pattern:
        """Return a pattern extended by conditions, so that the parts of its triple terms match, too.

        The extended pattern binds the variables in a triple term and compares its other parts. A term that is
        not a triple term does not match, because SUBJECT of such a term is an error.
        """
        conditions: list[Expression] = []
        # Outer triple terms first, because their parts bind the variables of the triple terms inside.
        for name, parts in reversed(self.quoted.items()):
            if name not in variables(pattern):
                continue
            for function, part in zip(PARTS, parts, strict=True):
                value = Call(function, (name,))
                if isinstance(part, Variable) and part not in variables(pattern):
                    pattern = algebra.Extend(pattern, part, value)
                    conditions.append(Call("BOUND", (part,)))
                else:
                    conditions.append(Call("SAMETERM", (value, part)))
        if not conditions:
            return pattern
        return algebra.Filter(pattern, reduce(lambda one, other: Call("&&", (one, other)), conditions))

    def _term(self, member: Member) -> Term:
        if isinstance(member, Iri):
            return member
        if isinstance(member, tuple):
            return self._triple_term(member)
        if not (isinstance(member, Unnamed) or _is_blank(member)):
            return self.scope.term(member)
        label = member if isinstance(member, Unnamed) else member.text
        if (
            isinstance(member, Token)
            and self.scope.labels.setdefault(member.text, self.number) != self.number
        ):
            accepted = f"another label: {label} occurs in two basic graph patterns"
            raise self.scope.unexpected(member, accepted)
        if label not in self.blank:
            self.blank[label] = self.scope.fresh("b")
        return self.blank[label]

    def _triple_term(self, member: Quoted) -> Term:
        subject, verb, object_ = member
        if isinstance(verb, Phrase):
            raise self.scope.unexpected(verb, "a variable or an IRI: a path has no triple to annotate")
        terms = self._term(subject), self._term(verb), self._term(object_)
        if (whole := TripleTerm(*terms)).is_fixed():
            return whole
        name = self.scope.fresh("t")
        self.quoted[name] = terms
        return name


def _connected(
    triples: Sequence[TriplePattern], opened: frozenset[Variable]
) -> Iterator[tuple[TriplePattern, ...]]:
    """Yield groups of triple patterns; triple patterns in different groups share no variable.

    A single group contains all triple patterns without a connection to a variable in `opened`.
    """
    groups: list[tuple[frozenset[Variable], tuple[TriplePattern, ...]]] = []
    for triple in triples:
        names = frozenset(variables(Bgp((triple,))))
        touched = [group for group in groups if names & group[0]]
        rest = [group for group in groups if not names & group[0]]
        joined = names.union(*(own for own, _ in touched))
        groups = [*rest, (joined, (*chain_of.from_iterable(own for _, own in touched), triple))]
    loose = [own for names, own in groups if not names & opened]
    for names, own in groups:
        if names & opened:
            yield own
        elif own is loose[0]:
            yield tuple(chain_of.from_iterable(loose))


def _triples(block: Phrase) -> _Triples:
    """Yield the triples of a block; triples inside [ .. ] follow the triple that contains the brackets."""
    for same in block.phrases():
        subject, own = _member(same.parts[0])
        yield from own
        yield from _properties(subject, same.parts[1:])


PARTS: Final = ("SUBJECT", "PREDICATE", "OBJECT")
"""The functions that return the parts of a triple term, in the order of the parts."""


def _properties(subject: Member, properties: Sequence[Part]) -> _Triples:
    for verb, objects in zip(properties[::2], properties[1::2], strict=True):
        assert isinstance(objects, Phrase)
        for part in objects.parts:
            annotated = isinstance(part, Phrase) and part.name == "annotated"
            node, *annotations = part.parts if isinstance(part, Phrase) and annotated else (part,)
            object_, own = _member(node)
            yield subject, verb, object_
            yield from own
            yield from _annotations((subject, verb, object_), annotations)


def _annotations(triple: Quoted, parts: Iterable[Part]) -> _Triples:
    """Yield the triples of the reifiers and of the annotation blocks {| .. |} after an object.

    An annotation block describes the reifier before it, or a new reifier.
    """
    reifier: Member | None = None
    for part in parts:
        assert isinstance(part, Phrase)
        if part.name == "reifier" or reifier is None:
            reifier = _reifier(part.parts if part.name == "reifier" else ())
            yield reifier, _REIFIES, triple
        if part.name == "annotation":
            yield from _properties(reifier, part.parts)
            reifier = None


def _reifier(parts: Sequence[Part]) -> Member:
    return _member(parts[0])[0] if parts else Unnamed()


def _member(part: Part) -> tuple[Member, _Triples]:
    """Return the subject, predicate or object that a part denotes, and the triples in its brackets."""
    match part:
        case Phrase("anonymous"):
            return Unnamed(), iter(())
        case Phrase("nil"):
            return _NIL, iter(())
        case Phrase("blank", properties):
            node = Unnamed()
            return node, _properties(node, properties)
        case Phrase("list", items):
            cells = [Unnamed() for _ in items]
            return cells[0], _list(cells, items)
        case Phrase("triple_term", (one, verb, two)):
            return (_member(one)[0], verb, _member(two)[0]), iter(())
        case Phrase("reified", (one, verb, two, *reifier)):
            subject, own = _member(one)
            object_, others = _member(two)
            name = _reifier([inner for part in reifier if isinstance(part, Phrase) for inner in part.parts])
            return name, chain_of(own, others, [(name, _REIFIES, (subject, verb, object_))])
        case _:
            return part, iter(())


_FIRST, _REST, _NIL = Iri(f"{RDF}first"), Iri(f"{RDF}rest"), Iri(f"{RDF}nil")
_REIFIES: Final = Iri(f"{RDF}reifies")


def _list(cells: Sequence[Unnamed], items: Sequence[Part]) -> _Triples:
    members = [_member(item) for item in items]
    rests: tuple[Member, ...] = (*cells[1:], _NIL)
    for cell, rest, (item, _) in zip(cells, rests, members, strict=True):
        yield cell, _FIRST, item
        yield cell, _REST, rest
    for _, own in members:
        yield from own


def _is_blank(part: Part) -> TypeGuard[Token]:
    return isinstance(part, Token) and part.kind == "a blank node"


def read_template(block: Phrase, scope: expressions.Scope) -> tuple[TriplePattern, ...]:
    """Return the triples of a CONSTRUCT template.

    Blank nodes keep their labels, and [] gets a fresh label.
    """
    invented: dict[Unnamed, Blank] = {}

    def term(member: Member) -> Term:
        if isinstance(member, Iri):
            return member
        if isinstance(member, tuple):
            return TripleTerm(*map(term, member))
        if isinstance(member, Unnamed):
            if member not in invented:
                invented[member] = Blank(scope.fresh("b").name)
            return invented[member]
        if isinstance(member, Token) and _is_blank(member):
            return Blank(member.text[2:])
        return scope.term(member)

    return tuple(TriplePattern(*(term(member) for member in triple)) for triple in _triples(block))


def _connection(
    subject: Term, verb: Part | Iri, object_: Term, scope: expressions.Scope
) -> TriplePattern | PathPattern:
    if isinstance(verb, Iri):
        return TriplePattern(subject, verb, object_)
    if isinstance(verb, Token):
        return TriplePattern(subject, scope.term(verb), object_)
    match read_path(verb, scope):
        case algebra.Inverse(Iri() as iri):
            return TriplePattern(object_, iri, subject)
        case longer:
            return PathPattern(subject, longer, object_)


def read_path(part: Part, scope: expressions.Scope) -> Path:
    """Return the property path that a part of the syntax tree denotes (SPARQL 1.1, 18.2.2.3).

    Sequences and alternatives associate to the left.
    """
    match part:
        case Phrase("alternative", parts):
            return expressions.chain(algebra.Alternative, [read_path(one, scope) for one in parts])
        case Phrase("sequence", parts):
            if len(parts) > expressions.LONGEST:
                raise scope.unexpected(
                    parts[expressions.LONGEST], f"a path of at most {expressions.LONGEST} steps"
                )
            return expressions.chain(algebra.PathSequence, [read_path(one, scope) for one in parts])
        case Phrase("inverse", (inner,)):
            return algebra.Inverse(read_path(inner, scope))
        case Phrase("repeated", (inner, Token() as often)):
            return algebra.RepeatedPath(read_path(inner, scope), algebra.REPETITIONS[often.text])
        case Phrase("negated", parts):
            forward = tuple(_iri(one, scope) for one in parts if isinstance(one, Token))
            return algebra.NegatedSet(
                forward, tuple(_iri(one.parts[0], scope) for one in parts if isinstance(one, Phrase))
            )
        case _:
            return _iri(part, scope)


def _iri(part: Part, scope: expressions.Scope) -> Iri:
    term = scope.term(part)
    assert isinstance(term, Iri)
    return term


_DEEPEST: Final = 256
_MOST_PARTS: Final = 4096
_DIGITS: Final = 18
_Stream = StreamBlock | None
"""The block around a group; basic graph patterns and paths in the group read the stream of this block."""
ReadExpression = tuple[Expression, tuple[Exists, ...]]
"""An expression, and the patterns of the EXISTS in the expression."""


def read_group(node: Phrase, stream: _Stream, scope: expressions.Scope) -> Pattern:
    """Return the pattern that a group { .. } of the syntax tree denotes."""
    return _filtered(*_read_parts(node, stream, scope))


def _filtered(pattern: Pattern, condition: ReadExpression | None) -> Pattern:
    return pattern if condition is None else algebra.Filter(pattern, *condition)


def read_expression(
    part: Part,
    stream: _Stream,
    scope: expressions.Scope,
    read_aggregate: Callable[[Phrase], Variable] | None = None,
) -> ReadExpression:
    """Return an expression with a new variable in place of each EXISTS, and the EXISTS tests."""
    tests: list[Exists] = []

    def inner(phrase: Phrase) -> Variable:
        if phrase.name != "aggregate":
            variable = scope.fresh("e")
            tests.append(Exists(variable, read_group(phrase, stream, scope)))
            return variable
        if read_aggregate is None:
            accepted = (
                "no aggregate: aggregates can be in SELECT, HAVING and ORDER BY, and not in an aggregate"
            )
            raise scope.unexpected(phrase, accepted)
        return read_aggregate(phrase)

    return expressions.translate_expression(part, scope, inner), tuple(tests)


def _size(expression: Expression, sizes: Mapping[Variable, int]) -> int:
    """Return the size of an expression after expressions of the given sizes replace its variables."""
    match expression:
        case Call(_, arguments):
            return 1 + sum(_size(each, sizes) for each in arguments)
        case Variable() if expression in sizes:
            return sizes[expression]
        case _:
            return 1


def _check_depth(pattern: Pattern, part: Part, scope: expressions.Scope) -> None:
    """Raise QueryError at the given part if the pattern is too deeply nested for recursive functions."""
    if depth(pattern) > _DEEPEST:
        accepted = (
            f"a query whose patterns stand at most {_DEEPEST} behind or inside each other (four triple "
            "patterns count as one)"
        )
        raise scope.unexpected(part, accepted)


def _read_parts(
    node: Phrase, stream: _Stream, scope: expressions.Scope
) -> tuple[Pattern, ReadExpression | None]:
    """Return the pattern of a group without its filters, and the conjunction of the filters."""
    pattern = _beginning(node, stream)
    run: TriplesRun | None = None
    filters: list[ReadExpression] = []
    for part in node.parts:
        match part:
            case Phrase("subselect"):
                if _each(stream) is not None:
                    raise scope.unsupported(f"SELECT inside STREAM {_each(stream)}", part, "SELECT")
                return read_level(part, stream, scope), None
            case Phrase("filter", (condition,)):
                # A FILTER applies to the whole group, and does not end a basic graph pattern (5.1).
                expression, exists = read_expression(condition, stream, scope)
                filters.append((expressions.as_condition(condition, expression, scope), exists))
            case Phrase("triples"):
                run = run or TriplesRun(scope)
                run.read(part)
            case _:
                pattern = _extended(_closed(pattern, run, stream), part, stream, scope)
                run = None
                _check_depth(pattern, part, scope)
    pattern = _closed(pattern, run, stream)
    _check_depth(pattern, node, scope)
    return pattern, expressions.chain(conjunction, filters) if filters else None


def _each(stream: _Stream) -> Variable | None:
    """Return the variable of STREAM ?s, which ranges over streams; None for other blocks."""
    return stream.stream if stream is not None and isinstance(stream.stream, Variable) else None


_UNREAD: Final = ("optional", "minus", "bind", "data")
"""Elements of a group that bind no variable stream if they come first."""


def _beginning(node: Phrase, stream: _Stream) -> Pattern:
    """Return the pattern before the first element of a group, which is empty outside of a variable stream.

    In a variable stream, each group has a solution for each stream. If the first element of a group does not
    bind the variable, the streams that have a triple in the window bind it.
    """
    first = next((part.name for part in node.phrases() if part.name != "filter"), "bind")
    return EMPTY if stream is None or _each(stream) is None or first not in _UNREAD else stream


def _check_minus(
    before: Pattern, removed: Pattern, part: Phrase, stream: _Stream, scope: expressions.Scope
) -> None:
    """Raise UnsupportedError for a MINUS whose two sides share only the variable of STREAM ?s for sure.

    The variable of the stream is bound on both sides, but outside of the pattern that MINUS evaluates.
    """
    each = _each(stream)
    sides = [variables(side) - nullable(side) for side in (before, removed)]
    if each is not None and not frozenset.intersection(*sides) - {each}:
        construct = f"MINUS inside STREAM {each} whose two sides share no variable that is always bound"
        raise scope.unsupported(construct, part)


def _extended(before: Pattern, part: Part, stream: _Stream, scope: expressions.Scope) -> Pattern:
    """Return the pattern `before` of earlier elements of a group, extended by the next element `part`."""
    match part:
        case Phrase("optional", (_, Phrase() as group)):
            # The FILTER of an OPTIONAL group also sees the variables before OPTIONAL, as in LeftJoin (T3).
            optional, condition = _read_parts(group, stream, scope)
            return algebra.LeftJoin(before, optional, *(condition or ()))
        case Phrase("minus", (_, Phrase() as group)):
            removed = read_group(group, stream, scope)
            _check_minus(before, removed, part, stream, scope)
            return algebra.Minus(before, removed)
        case Phrase("union"):
            branches = [read_group(group, stream, scope) for group in part.phrases()]
            return join(before, expressions.chain(algebra.Union, branches))
        case Phrase("bind", (_, expression, name)):
            read, exists = read_expression(expression, stream, scope)
            variable = scope.check_new(name, variables(before))
            return algebra.Extend(before, variable, read, exists)
        case Phrase("data"):
            return join(before, _read_values(part, scope))
        case Phrase("static", (Phrase() as group,)):
            return join(before, read_group(group, None, scope))
        case Phrase(_, (*_, name, Phrase() as group)):
            return join(before, _read_graph(part, name, group, stream, scope))
        case _:
            raise AssertionError(part)


def _read_graph(
    part: Phrase, name: Part, group: Phrase, stream: _Stream, scope: expressions.Scope
) -> Pattern:
    """Return the pattern of GRAPH or SERVICE, or of a STREAM or WINDOW block."""
    word = part.name.upper()
    if stream is not None and scope.implicit is not None:
        construct = f"{word} in a query whose patterns all match its only stream"
        covered = "a block STREAM name { .. } around the patterns of the stream"
        raise UnsupportedError(
            construct, scope.document.place(scope.first(name, word).start), covered=covered
        )
    if stream is not None and part.name != "graph":
        raise scope.unsupported(f"{word} inside a block of a stream", name, word)
    if part.name == "block":
        block = scope.blocks[part.first().start]
        if isinstance(block, AnyWindow):
            return _read_any_window(part.first().text.upper(), block, group, scope)
        return _read_block(block, group, scope)
    term = scope.term(name)
    assert isinstance(term, Iri | Variable)
    if stream is not None:
        return _read_stream_graph(name, group, replace(stream, graph=term), scope)
    inner = read_group(group, None, scope)
    if part.name == "service":
        return algebra.Service(term, inner, part.find("silent") is not None)
    return algebra.Graph(term, inner)


def _read_stream_graph(name: Part, group: Phrase, stream: StreamBlock, scope: expressions.Scope) -> Pattern:
    """Return the pattern of GRAPH inside a STREAM or WINDOW block, which may contain only triple patterns."""
    others = [part for part in group.phrases() if part.name != "triples"]
    if others or not any(group.phrases()):
        words = {"data": "VALUES", "subselect": "SELECT"}
        what = words.get(others[0].name, others[0].name.upper()) if others else "no triple pattern"
        place = scope.document.place(scope.first(others[0] if others else name).start)
        raise UnsupportedError(
            f"{what} inside GRAPH of a window", place, covered="triple patterns inside GRAPH of a window"
        )
    # A tuple window counts only the triples of a stream; triples in graphs are atoms of another predicate.
    if any(isinstance(window, Rows) for window in scope.windows()):
        raise scope.unsupported("GRAPH of a window beside a tuple window", name)
    return read_group(group, stream, scope)


def _read_block(stream: StreamBlock, group: Phrase, scope: expressions.Scope) -> Pattern:
    pattern, condition = _read_parts(group, stream, scope)
    return _filtered(stream if pattern == EMPTY else pattern, condition)


def _read_any_window(word: str, block: AnyWindow, group: Phrase, scope: expressions.Scope) -> Pattern:
    if isinstance(block.name, Iri) or not block.windows:
        scope.notes.append(
            f"{word} {block.name} is empty, because the query does not declare a window with this name"
        )
        return algebra.Values(
            scope.bindable_variables(algebra.Graph(block.name, read_group(group, None, scope))), ()
        )
    branches: list[Pattern] = []
    for stream, _ in zip(block.windows, scope.repeating(len(block.windows)), strict=True):
        branches.append(
            algebra.Join(_read_block(stream, group, scope), algebra.Values((block.name,), ((stream.name,),)))
        )
    return reduce(algebra.Union, branches)


def _read_values(node: Phrase, scope: expressions.Scope) -> algebra.Values:
    """Return the table of VALUES."""
    head, *table = node.phrases()
    names = tuple(map(scope.variable, head.parts))
    for index, part in enumerate(head.parts):
        if names[index] in names[:index]:
            raise scope.unexpected(part, f"another variable: VALUES has {names[index]} already")
    for row in table:
        if len(row.parts) != len(names):
            accepted = f"a row of as many terms as VALUES has variables: {len(names)}, not {len(row.parts)}"
            raise scope.unexpected(row if row.parts else head, accepted)
    return algebra.Values(names, tuple(tuple(_constant(part, scope) for part in row.parts) for row in table))


def _constant(part: Part, scope: expressions.Scope) -> Constant | None:
    if isinstance(part, Token) and part.is_word("UNDEF"):
        return None
    if isinstance(part, Phrase) and part.name == "triple_term":
        return TripleTerm(*(_constant(one, scope) or NULL for one in part.parts))
    term = scope.term(part)
    assert not isinstance(term, Variable)
    return term


def conjunction(left: ReadExpression, right: ReadExpression) -> ReadExpression:
    """Return the conjunction of two conditions."""
    return Call("&&", (left[0], right[0])), left[1] + right[1]


def _closed(pattern: Pattern, run: TriplesRun | None, stream: _Stream) -> Pattern:
    """Return a pattern, joined with the patterns of the sequence of triples `run`, if it is not None."""
    for part in () if run is None else run.patterns():
        assert run is not None
        pattern = join(pattern, run.opened(part if stream is None else replace(stream, pattern=part)))
    return pattern


def join(left: Pattern, right: Pattern) -> Pattern:
    """Return the join P1 AND P2, or only one of the patterns if the other pattern is empty (18.2.2.8)."""
    if EMPTY in (left, right):
        return right if left == EMPTY else left
    return algebra.Join(left, right)


def variable_of(seen: ReadExpression) -> Variable | None:
    """Return the variable if an expression is only a variable.

    The result is None for EXISTS, which a variable represents, and for any other expression.
    """
    expression, exists = seen
    return expression if isinstance(expression, Variable) and not exists else None


def has_aggregate(part: Part | None) -> bool:
    """Return whether a part of a query contains an aggregate outside EXISTS."""
    if not isinstance(part, Phrase) or part.name in ("exists", "not_exists"):
        return False
    return part.name == "aggregate" or any(map(has_aggregate, part.parts))


def read_level(tree: Phrase, stream: _Stream, scope: expressions.Scope) -> algebra.Select:
    """Return the pattern of a query or subquery, with its groups, SELECT clause and modifiers.

    The clauses are read in the order of the text.
    """
    clauses = map(tree.find, ("projection", "having", "orderby"))
    grouped = tree.find("groupby") is not None or any(map(has_aggregate, clauses))
    return _Level(tree, stream, scope, grouped, tree.name in ("select", "subselect")).read()


@dataclass(frozen=True, slots=True)
class _Level:
    """The reader of one query or one subquery (a level).

    The field `grouped` is true if the query has GROUP BY or aggregates. The field `selects` is true if the
    form of the query is SELECT. The field `items` contains the expressions of SELECT, and `keys` the
    variables of GROUP BY. The field `aggregates` maps each aggregate to its variable. The field `arguments`
    maps new variables to the expressions that are arguments of aggregates.
    """

    tree: Phrase
    stream: _Stream
    scope: expressions.Scope
    grouped: bool
    selects: bool
    items: dict[Variable, ReadExpression] = field(default_factory=dict)
    keys: list[Variable] = field(default_factory=list)
    aggregates: dict[tuple[Aggregation, Expression | None], tuple[Variable, Aggregation]] = field(
        default_factory=dict
    )
    arguments: dict[Variable, ReadExpression] = field(default_factory=dict)

    def read(self) -> algebra.Select:
        """Return the query's pattern: first Group, then HAVING, VALUES, SELECT and ORDER BY extend it."""
        tree, scope = self.tree, self.scope
        result = self._select() if self.selects else []
        where = tree.find("group") or Phrase(
            "group", () if (template := tree.find("template")) is None else template.parts
        )
        inside = read_group(where, self.stream, scope)
        inside = self._with_aggregates(inside)
        pattern = self._extended_by_keys(inside)
        samples = self._samples() if self.grouped and self.selects else {}
        having = None if (clause := tree.find("having")) is None else self._having(clause)
        order = self._order()
        if self.grouped:
            pattern = self._group(pattern, scope.bindable_variables(inside))
        if having is not None:
            pattern = algebra.Filter(pattern, *having)
        values = EMPTY if (table := tree.find("data")) is None else _read_values(table, scope)
        self._check_names(inside, values)
        pattern = join(pattern, values)
        if self.selects and not self._parts("projection"):
            result = list(scope.bindable_variables(pattern))
        for variable, sample in samples.items():
            if variable not in variables(pattern):
                pattern = algebra.Extend(pattern, variable, sample)
        for variable, item in self.items.items():
            if item[0] != variable:  # otherwise the group binds it
                pattern = algebra.Extend(pattern, variable, *item)
        for key, expression in order:
            if expression is not None:
                pattern = algebra.Extend(pattern, key.variable, *expression)
        _check_depth(pattern, tree, scope)
        modifiers = self._modifiers(tuple(key for key, _ in order))
        return algebra.Select(pattern, tuple(dict.fromkeys(result)), modifiers)

    def _parts(self, clause: str) -> tuple[Part, ...]:
        found = self.tree.find(clause)
        return () if found is None else found.parts

    def _select(self) -> list[Variable]:
        scope, result = self.scope, list[Variable]()
        for part in self._parts("projection"):
            expression, name = part.parts if isinstance(part, Phrase) else (None, part)
            variable = scope.variable(name)
            if isinstance(part, Phrase) and part.name == "bare":
                scope.notes.append(f"SELECT .. AS {variable} without brackets is read as (.. AS {variable})")
            if expression is not None:
                if variable in result:
                    accepted = f"a variable that SELECT has not named: {variable} is"
                    raise scope.unexpected(name, accepted)
                self.items[variable] = self._selected(expression, variable)
            result.append(variable)
        return result

    def _selected(self, part: Part, variable: Variable) -> ReadExpression:
        if isinstance(part, Phrase) and part.name == "aggregate":
            where = self.tree.find("group")
            inside = where is not None and any(token.text[1:] == variable.name for token in where.tokens())
            return self._aggregate(part, None if inside and self.hides else variable), ()
        return self._expression(part)

    def _with_aggregates(self, pattern: Pattern) -> Pattern:
        """Return the pattern, extended by the aggregates of AGGREGATE clauses (C-SPARQL's first papers).

        Unlike GROUP BY, AGGREGATE keeps all solutions, and adds the aggregate of its group to each solution.
        An AGGREGATE clause may use the variables of earlier AGGREGATE clauses. Source: Barbieri et al.,
        C-SPARQL (2010).
        """
        clauses = [part for part in self.tree.phrases() if part.name == "added"]
        extended, condition = pattern, None
        for clause in clauses:
            construct = (
                "AGGREGATE after an AGGREGATE with FILTER"
                if condition is not None
                else "AGGREGATE together with GROUP BY, HAVING or another aggregate"
                if self.grouped
                else "AGGREGATE with LIMIT or OFFSET"
                if self._parts("limit") or self._parts("offset")
                else "AGGREGATE after VALUES"
                if self._parts("data")
                else None
            )
            if construct is not None:  # The papers do not define which of the two comes first.
                raise self.scope.unsupported(construct, clause, "AGGREGATE")
            extended = algebra.Join(extended, self._added(clause, pattern, extended))
            condition = clause.find("filter")
        if condition is None:
            return extended
        expression, exists = read_expression(condition.parts[0], self.stream, self.scope)
        read_as = expressions.as_condition(condition.parts[0], expression, self.scope)
        return algebra.Filter(extended, read_as, exists)

    def _added(self, clause: Phrase, pattern: Pattern, extended: Pattern) -> algebra.Select:
        """Return the pattern that computes one AGGREGATE clause over the WHERE pattern."""
        scope, (name, function, *others) = self.scope, clause.parts
        assert isinstance(function, Phrase)
        keys = [part for part in others if isinstance(part, Token)]
        word, *arguments = function.parts or (None,)
        bound, unbound = variables(extended), nullable(extended)
        for part in (*keys, *arguments):
            if scope.variable(part) not in bound:
                raise scope.unexpected(part, "a variable of the pattern")
        for part in keys:
            if scope.variable(part) in unbound:
                raise scope.unsupported("AGGREGATE with a grouping variable that can be unbound", part)
        # AGGREGATE clauses keep the number of solutions, so the pattern without them counts the same.
        used = frozenset(map(scope.variable, (*keys, *arguments)))
        variable, grouped = scope.check_new(name, bound), tuple(dict.fromkeys(map(scope.variable, keys)))
        how = Aggregation(
            word.text.upper() if isinstance(word, Token) else "COUNT", tuple(map(scope.variable, arguments))
        )
        whole = pattern if used <= variables(pattern) else extended
        return algebra.Select(algebra.Group(whole, grouped, ((variable, how),)), (*grouped, variable))

    @property
    def hides(self) -> bool:
        """Whether SELECT may reuse a variable of its pattern after AS (in grouped queries of SPARQL 1.2)."""
        return self.grouped and self.scope.document.rdf12

    def _extended_by_keys(self, pattern: Pattern) -> Pattern:
        scope, keys = self.scope, self.keys
        for part in self._parts("groupby"):
            condition, alias = (
                part.parts if isinstance(part, Phrase) and part.name == "item" else (part, None)
            )
            expression = read_expression(condition, self.stream, scope)
            if alias is None and (key := variable_of(expression)) is not None:
                keys.append(key)
                continue
            bound = variables(pattern).union(keys)
            keys.append(scope.fresh("k") if alias is None else scope.check_new(alias, bound))
            pattern = algebra.Extend(pattern, keys[-1], *expression)
        return pattern

    def _samples(self) -> dict[Variable, Variable]:
        """Map each variable in SELECT that is not a key of GROUP BY to a variable for its sample (18.2.4.1).

        Variables in expressions of SELECT that are not keys become samples, too. SPARQL does not allow these
        variables (11.4), but engines do.
        """
        scope, tree = self.scope, self.tree
        if not self._parts("projection"):
            word = "GROUP" if (clause := tree.find("groupby")) else ""
            accepted = "no groups: SELECT * names the variables of solutions, which are not grouped"
            raise scope.unexpected(
                clause or tree.find("having") or tree.find("orderby") or tree, accepted, word
            )
        before: dict[Variable, ReadExpression] = {}
        samples: dict[Variable, Variable] = {}
        for part in self._parts("projection"):
            variable = scope.variable(part.parts[1] if isinstance(part, Phrase) else part)
            if variable in self.items:
                alone = variable_of(self.items[variable])
                taken = {*self.keys, *before, *dict(self.aggregates.values())}
                # (?x AS ?y) with a ?x that is no key means (SAMPLE(?x) AS ?y), so both get the same model.
                self.items[variable] = (
                    self._behind_groups(self.items[variable], before, grouped=True)
                    if alone is None or alone in taken or self.hides
                    else (self._sample(alone, variable), ())
                )
                before[variable] = variable, ()
            elif variable not in self.keys:
                samples[variable] = self._sample(variable)
        return samples

    def _check_names(self, *patterns: Pattern) -> None:
        bound = frozenset(self.keys).union(*map(variables, patterns[self.hides :]))
        for part in self._parts("projection"):
            if isinstance(part, Phrase):
                self.scope.check_new(part.parts[1], bound)

    def _having(self, clause: Phrase) -> ReadExpression:
        # SPARQL 1.1 leaves the names of SELECT unbound in HAVING. The queries of C-SPARQL and CQELS
        # use them there, (COUNT(?x) AS ?n) .. HAVING (?n > 1): a name stands for its expression.
        aliases: dict[Variable, ReadExpression] = {}
        sizes: dict[Variable, int] = {}
        for name, item in self.items.items():
            aliases[name] = self._behind_groups(item, aliases, grouped=False)
            sizes[name] = _size(item[0], sizes)
        read = [(part, *self._expression(part)) for part in clause.parts]
        for part, expression, _ in read:
            for name in variables_of_expression(expression) & sizes.keys():
                # Only parts that names add are counted: the expression itself is no larger than its text.
                if sizes[name] - _size(self.items[name][0], {}) > _MOST_PARTS:
                    accepted = f"a name that stands for at most {_MOST_PARTS} parts: {name} stands for more"
                    raise self.scope.unexpected(part, accepted)
        conditions = [
            (expressions.as_condition(part, read_as, self.scope), tests) for part, read_as, tests in read
        ]
        exists = [self._behind_groups(condition, aliases, grouped=self.grouped) for condition in conditions]
        return reduce(conjunction, exists)

    def _order(self) -> list[tuple[OrderKey, ReadExpression | None]]:
        """Return the keys of ORDER BY, each with its expression, or with None if the key is a variable."""
        aliases: dict[Variable, ReadExpression] = {name: (name, ()) for name in self.items}
        order: list[tuple[OrderKey, ReadExpression | None]] = []
        for part in self._parts("orderby"):
            match part:
                case Phrase("directed", (direction, key)) | Phrase("postfix", (key, direction)):
                    pass
                case _:
                    direction, key = part, part
            descending = isinstance(direction, Token) and direction.is_word("DESC")
            expression = self._behind_groups(self._expression(key), aliases, grouped=self.grouped)
            if (variable := variable_of(expression)) is not None:
                order.append((OrderKey(variable, descending), None))
            else:
                order.append((OrderKey(self.scope.fresh("o"), descending), expression))
        return order

    def _modifiers(self, order: tuple[OrderKey, ...]) -> algebra.Modifiers:
        words = {part.text.upper() for part in self.tree.parts if isinstance(part, Token)}
        duplicates: algebra.Duplicates = next(
            (one for one in get_args(algebra.Duplicates) if one in words), ""
        )
        return algebra.Modifiers(duplicates, order, self._count("offset") or 0, self._count("limit"))

    def _count(self, clause: str) -> int | None:
        for part in self._parts(clause):
            assert isinstance(part, Token)
            if len(part.text) > _DIGITS:
                raise self.scope.unexpected(part, f"an integer of at most {_DIGITS} digits")
            return int(part.text)
        return None

    def _aggregate(self, node: Phrase, name: Variable | None = None) -> Variable:
        """Return the variable that replaces an aggregate of the text.

        If the same aggregate did not occur before, this variable is `name`, or a new variable if `name` is
        None.
        """
        scope, (word, *operands) = self.scope, node.parts
        distinct = node.find("distinct")
        argument, *separators = operands if distinct is None else operands[1:]
        assert isinstance(word, Token)
        expression: ReadExpression | None = None
        if argument is not node.find("all"):
            expression = read_expression(argument, self.stream, scope)
        separator = scope.term(separators[0]) if separators else Literal(" ")
        assert isinstance(separator, Literal)
        how = Aggregation(word.text.upper(), (), distinct is not None, separator.lexical)
        return self._name_of(how, expression, name)

    def _expression(self, part: Part) -> ReadExpression:
        """Return the expression of a part, with a variable in place of each aggregate."""
        return read_expression(part, self.stream, self.scope, self._aggregate)

    def _name_of(
        self, how: Aggregation, seen: ReadExpression | None, name: Variable | None = None
    ) -> Variable:
        """Return the variable of the aggregate `how` over `seen`, or over solutions if `seen` is None."""
        key = how, None if seen is None else seen[0]
        if key not in self.aggregates:
            variable = name or self.scope.fresh("a")
            if seen is not None:
                argument = variable_of(seen) or self.scope.fresh("x")
                how = replace(how, arguments=(argument,))
                if variable_of(seen) is None:
                    self.arguments[argument] = seen
            self.aggregates[key] = variable, how
        return self.aggregates[key][0]

    def _behind_groups(
        self, seen: ReadExpression, aliases: Mapping[Variable, ReadExpression], *, grouped: bool
    ) -> ReadExpression:
        """Return an expression of a grouped query in which only variables of the groups occur.

        The expressions in `aliases` replace their names.

        The sample of a group replaces a variable that is not a key (18.2.4.1).
        """
        expression, exists = seen
        apart = {test.variable for test in exists}.union(self.keys, dict(self.aggregates.values()))
        used = list(exists)

        def replaced(inner: Expression) -> Expression:
            match inner:
                case Call(function, arguments):
                    return Call(function, tuple(map(replaced, arguments)))
                case Variable() if inner in aliases and inner not in apart:
                    used.extend(test for test in aliases[inner][1] if test not in used)
                    return aliases[inner][0]
                case Variable() if grouped and inner not in apart:
                    return self._sample(inner)
                case _:
                    return inner

        return replaced(expression), tuple(used)

    def _sample(self, variable: Variable, name: Variable | None = None) -> Variable:
        """Return the variable for the sample of `variable`, which is not a key of GROUP BY."""
        note = f"{variable} is not a key of GROUP BY: a group has one value of it, as with SAMPLE({variable})"
        self.scope.notes.append(note)
        return self._name_of(Aggregation("SAMPLE", ()), (variable, ()), name)

    def _group(self, pattern: Pattern, everything: tuple[Variable, ...]) -> algebra.Group:
        """Return the Group of a pattern; COUNT(DISTINCT *) counts distinct values of all variables."""
        for name, expression in self.arguments.items():
            pattern = algebra.Extend(pattern, name, *expression)
        # An aggregate of one argument omits unbound values, so one variable is doubled to form a tuple.
        whole = everything * 2 if len(everything) == 1 else everything
        # Written and implied samples follow the order of SELECT; aggregates inside expressions come last.
        order = {name: place for place, name in enumerate(self.items)}
        aggregates = tuple(
            (variable, replace(how, arguments=whole) if how.distinct and not how.arguments else how)
            for variable, how in sorted(
                self.aggregates.values(), key=lambda one: order.get(one[0], len(order))
            )
        )
        return algebra.Group(pattern, tuple(dict.fromkeys(self.keys)), aggregates)


_FORMS: Final[Mapping[str, Form]] = {
    "select": "SELECT",
    "ask": "ASK",
    "construct": "CONSTRUCT",
    "construct_where": "CONSTRUCT",
    "describe": "DESCRIBE",
}


def translate(tree: Phrase, scope: expressions.Scope) -> EngineQuery:
    """Return the query of a syntax tree; `scope` contains the streaming clauses that have been read.

    Raises QueryError and UnsupportedError with the place in the text.
    """
    with deep_recursion():
        return _read(query_of(tree), scope)


def _read(tree: Phrase, scope: expressions.Scope) -> EngineQuery:
    form = _FORMS[tree.name]
    template = tuple(
        triple
        for part in (tree.find("template"),)
        for block in (() if part is None else part.phrases())
        for triple in read_template(block, scope)
    )
    solutions = read_level(tree, scope.implicit, scope)
    described = _described(tree, scope, solutions) if form == "DESCRIBE" else ()
    return replace(
        scope.query,
        form=form,
        result=_result(form, solutions, template, described),
        pattern=solutions.pattern,
        dataset=_dataset(tree, scope),
        modifiers=solutions.modifiers,
        template=template,
        described=described,
        notes=(*scope.query.notes, *_unknown_versions(scope), *scope.notes),
    )


def _unknown_versions(scope: expressions.Scope) -> Iterator[str]:
    """Yield a note for each VERSION that is not a known version of SPARQL."""
    read_as = "1.2" if scope.document.rdf12 else "1.1"
    for word, label in pairwise(scope.document.tokens[: scope.document.after]):
        if word.is_word("VERSION") and label.text[1:-1] not in ("1.1", *VERSIONS_12):
            yield f"VERSION {label} is unknown: the query is read as SPARQL {read_as}"


def _described(
    tree: Phrase, scope: expressions.Scope, solutions: algebra.Select
) -> tuple[Iri | Variable, ...]:
    """Return the terms of DESCRIBE without duplicates; * means all variables in scope."""
    named = tree.find("described")
    if named is None or not named.parts:
        return scope.bindable_variables(solutions.pattern)
    terms = dict.fromkeys(map(scope.term, named.parts))
    return tuple(term for term in terms if isinstance(term, Iri | Variable))


def _result(
    form: Form,
    solutions: algebra.Select,
    template: tuple[TriplePattern, ...],
    described: tuple[Iri | Variable, ...],
) -> tuple[Variable, ...]:
    match form:
        case "SELECT":
            return solutions.result
        case "ASK":
            return ()
        case "DESCRIBE":
            return tuple(term for term in described if isinstance(term, Variable))
        case "CONSTRUCT":
            bound = variables(solutions.pattern)
            terms = dict.fromkeys(leaf for triple in template for leaf in TripleTerm(*triple.terms).leaves())
            return tuple(term for term in terms if isinstance(term, Variable) and term in bound)


def _dataset(tree: Phrase, scope: expressions.Scope) -> Dataset:
    """Return the dataset: the graphs of FROM and the graphs of FROM NAMED."""
    clauses = {"default": list[Iri](), "named": list[Iri]()}
    for part in tree.phrases():
        if part.name in clauses:
            clauses[part.name].append(_iri(part.parts[0], scope))
    return Dataset(tuple(clauses["default"]), tuple(clauses["named"]))
