"""What a user must know of a query before reading its answers: each remark names its decision."""

from collections.abc import Iterator

from lars.terms import Variable
from translate.nullability import nullable
from translate.patterns import (
    Bgp,
    Extend,
    Filter,
    Graph,
    Join,
    LeftJoin,
    Minus,
    Pattern,
    StreamBlock,
    Union,
    variables,
)
from translate.profiles import Profile, Setting
from translate.query import EngineQuery, Language
from translate.strategies import stream_blocks
from translate.windows import Range


def remarks(query: EngineQuery, setting: Setting) -> tuple[str, ...]:
    """Return warnings: a slide under push (W2), joins over null (T1), MINUS as Diff (T2)."""
    found = list(_slides(query, setting)) if query.language is Language.CQELS else []
    if setting.profile is Profile.PAPER2015:
        found += _differences(query.pattern)
    return tuple(dict.fromkeys(found))


def _slides(query: EngineQuery, setting: Setting) -> Iterator[str]:
    for block in stream_blocks(query.pattern):
        match block.window:
            case Range(_, slide) if slide is not None and slide.points(setting.unit) > 1:
                yield (
                    f"W2: under push the pivot of {block.window} on {block.stream} hides what is newer than "
                    f"the last multiple of {slide}: rows come late or never (CQELS itself ignores SLIDE)"
                )
            case _:
                pass


def _differences(pattern: Pattern) -> Iterator[str]:
    match pattern:
        case Bgp() | StreamBlock():
            return
        case Graph(name, inner):
            if isinstance(name, Variable) and name in nullable(inner):
                yield _joined_unbound(frozenset((name,)))
            yield from _differences(inner)
        case Filter(inner, _) | Extend(inner, _, _):
            yield from _differences(inner)
        case Join(left, right) | LeftJoin(left, right, _) | Minus(left, right):
            yield from _at(pattern, left, right)
            yield from _differences(left)
            yield from _differences(right)
        case Union(left, right):
            yield from _differences(left)
            yield from _differences(right)


def _at(pattern: Join | LeftJoin | Minus, left: Pattern, right: Pattern) -> Iterator[str]:
    shared = variables(left) & variables(right)
    unbound = shared & (nullable(left) | nullable(right))
    if isinstance(pattern, Minus) and (not shared or unbound):
        which = f"{_names(unbound)} can be unbound" if shared else "its two sides share no variable"
        yield f"T2: paper2015 reads MINUS as Diff and {which}, so it can differ from SPARQL 1.1 (sparql11)"
    elif unbound:
        yield _joined_unbound(unbound)


def _joined_unbound(names: frozenset[Variable]) -> str:
    return (
        f"T1: paper2015 joins unbound {_names(names)} as a constant, so its answer can differ "
        "from SPARQL 1.1 (sparql11)"
    )


def _names(names: frozenset[Variable]) -> str:
    return ", ".join(f"?{name.name}" for name in sorted(names))
