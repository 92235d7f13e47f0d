"""What a user must know of a query before reading its answers: each remark names its decision."""

from collections.abc import Iterator
from itertools import product

from lars.program import variables as variables_of
from lars.terms import Iri, Variable
from translate.nullability import Variables, null_sets, nullable
from translate.patterns import (
    Duplicates,
    Extend,
    Filter,
    Graph,
    Group,
    Join,
    LeftJoin,
    Minus,
    Pattern,
    Select,
    Service,
    variables,
)
from translate.profiles import Profile, Semantics, Setting
from translate.query import EngineQuery, Form, Language, ToStream
from translate.rebuilding import parts
from translate.strategies import stream_blocks
from translate.windows import Range, WindowExpression
from translate.witnesses import witnesses


def remarks(
    query: EngineQuery, setting: Setting, *, pushed: bool | None = None, rows: bool = False
) -> tuple[str, ...]:
    """Return warnings: a slide under push (W2), joins over null (T1), MINUS as Diff (T2).

    `pushed` says whether the query is evaluated under push, as CQELS is where nobody says.
    With `rows` the answers themselves are shown: then also sets where SPARQL counts (T12); without,
    that ISTREAM and DSTREAM are left out of the logic (T14).
    """
    if pushed is None:
        pushed = query.language is Language.CQELS
    found = list(_slides(query, setting)) if pushed else []
    if setting.profile is Profile.PAPER2015:
        found += [remark for part in parts(query.pattern) for remark in _differences(part)]
    found += query.notes
    found += [_service(part) for part in parts(query.pattern) if isinstance(part, Service)]
    if rows:
        found += _multiplicities(query, setting)
    elif query.to_stream in (ToStream.ISTREAM, ToStream.DSTREAM):
        found.append(f"T14: {query.to_stream.value} is left out: the rules give all answers at each time")
    return tuple(dict.fromkeys(found))


def _slides(query: EngineQuery, setting: Setting) -> Iterator[str]:
    for window, stream in _windows(query):
        match window:
            case Range(_, slide) if slide is not None and slide.points(setting.unit) > 1:
                yield (
                    f"W2: under push the pivot of {window} on {stream} hides what is newer than "
                    f"the last multiple of {slide}: rows come late or never (CQELS itself ignores SLIDE)"
                )
            case _:
                pass


def _windows(query: EngineQuery) -> Iterator[tuple[WindowExpression, Iri | Variable]]:
    yield from ((part.window, part.stream) for part in query.merged)
    yield from ((block.window, block.stream) for block in stream_blocks(query.pattern))


def _service(part: Service) -> str:
    return f"SERVICE {part.name} is evaluated on the graph of that name in the static data"


def _differences(part: Pattern) -> Iterator[str]:
    match part:
        case Graph(name, inner):
            if isinstance(name, Variable) and name in nullable(inner):
                yield _joined_unbound(frozenset((name,)))
        case Join(left, right) | LeftJoin(left, right, _):
            unbound = frozenset().union(*(mine ^ theirs for mine, theirs in _nulls(left, right)))
            if unbound:
                yield _joined_unbound(unbound)
        case Minus(left, right):
            yield from _minus(left, right)
        case _:
            pass


def _nulls(left: Pattern, right: Pattern) -> Iterator[tuple[Variables, Variables]]:
    shared = variables(left) & variables(right)
    yield from product(null_sets(left, shared), null_sets(right, shared))


def _minus(left: Pattern, right: Pattern) -> Iterator[str]:
    # Diff removes where all shared variables are the same, null too; Minus where those that both
    # sides bind are, and there is one.
    shared = variables(left) & variables(right)
    for mine, theirs in _nulls(left, right):
        both = shared - mine - theirs
        if bool(both) == (mine != theirs):
            unbound = (mine | theirs) & shared
            which = f"{_names(unbound)} can be unbound" if unbound else "its two sides share no variable"
            yield f"T2: paper2015 reads MINUS as Diff and {which}: it can differ from SPARQL 1.1 (sparql11)"
            return


def _joined_unbound(names: frozenset[Variable]) -> str:
    return (
        f"T1: paper2015 joins unbound {_names(names)} as a constant, so its answer can differ "
        "from SPARQL 1.1 (sparql11)"
    )


def _multiplicities(query: EngineQuery, setting: Setting) -> Iterator[str]:
    if setting.semantics is Semantics.BAG:
        return
    whole = Select(query.pattern, query.result, query.modifiers)
    shown = query.form is Form.SELECT and _can_repeat(whole)
    slices = (part for part in parts(whole) if isinstance(part, Select) and part.modifiers.slices)
    if shown or any(map(_can_repeat, slices)):
        yield "T12: equal rows are one, as in a set; SPARQL 1.1 counts them (--semantics bag)"


def _can_repeat(select: Select) -> bool:
    if select.modifiers.duplicates is Duplicates.DISTINCT:
        return False
    known = _determined(select.pattern, frozenset(select.result))
    return bool(witnesses(select.pattern)) or not variables(select.pattern) <= known


def _determined(pattern: Pattern, known: Variables) -> Variables:
    """Return the variables that can have one value only where the known ones have theirs."""
    match pattern:
        case Extend(inner, variable, expression):
            below = _determined(inner, known)
            return below | {variable} if variables_of(expression) <= below else below
        case Group(_, keys, aggregates) if frozenset(keys) <= known:
            return known.union(variable for variable, _ in aggregates)
        case Filter(inner, _):
            return _determined(inner, known)
        case _:
            return known


def _names(names: frozenset[Variable]) -> str:
    return ", ".join(f"?{name.name}" for name in sorted(names))
