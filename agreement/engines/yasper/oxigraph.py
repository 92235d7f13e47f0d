"""Where Oxigraph 0.5 answers otherwise than SPARQL 1.1: alternatives of paths (A14), GROUP_CONCAT (A15).

?x :p|:q ?y   =   { SELECT DISTINCT ?x ?y { ?x :p|:q ?y } }
GROUP_CONCAT(?x)   =   GROUP_CONCAT(IF(?x is a text, ?x, an error))
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from itertools import count
from typing import Final

from lars.language.formulas import Call
from lars.language.terms import XSD, Iri, Literal, Term, Variable
from translate.analysis import occurring_variables, rebuilt
from translate.model import patterns as algebra
from translate.model.patterns import (
    Alternative,
    Duplicates,
    Inverse,
    Modifiers,
    Path,
    PathSequence,
    variables,
)
from translate.tau import in_order

_DISTINCT: Final = Modifiers(Duplicates.DISTINCT)
_STRING: Final = Iri(XSD + "string")


def _fresh(pattern: algebra.Pattern) -> Iterator[Variable]:
    taken = occurring_variables(pattern)
    names = (Variable(f"made_{number}") for number in count(1))
    return (name for name in names if name not in taken)


def with_distinct_alternatives(pattern: algebra.Pattern) -> algebra.Pattern:
    """Return the pattern in which what several alternatives of a path connect is one solution."""
    fresh = _fresh(pattern)

    def change(part: algebra.Pattern) -> algebra.Pattern | None:
        match part:
            case algebra.StreamBlock(_, _, algebra.PathPattern(subject, path, object_)):
                steps = _steps(subject, path, object_, fresh)
                return reduce(algebra.Join, (_once(replace(part, pattern=step), step.path) for step in steps))
            case algebra.PathPattern(subject, path, object_):
                steps = _steps(subject, path, object_, fresh)
                return reduce(algebra.Join, (_once(step, step.path) for step in steps))
            case _:
                return None

    return rebuilt(pattern, change)


def _steps(
    subject: Term, path: Path, object_: Term, fresh: Iterator[Variable]
) -> Iterator[algebra.PathPattern]:
    """Yield what a path becomes, whose sequences are joins."""
    if isinstance(path, PathSequence):
        between = next(fresh)
        yield from _steps(subject, path.left, between, fresh)
        yield from _steps(between, path.right, object_, fresh)
    else:
        yield algebra.PathPattern(subject, path, object_)


def _once(pattern: algebra.Pattern, path: Path) -> algebra.Pattern:
    while isinstance(path, Inverse):
        path = path.path
    if not isinstance(path, Alternative):
        return pattern
    return algebra.Select(pattern, tuple(in_order(variables(pattern))), _DISTINCT)


def with_texts_concatenated(pattern: algebra.Pattern) -> algebra.Pattern:
    """Return the pattern in whose groups, those of subqueries too, only texts can be concatenated."""
    fresh = _fresh(pattern)

    def change(part: algebra.Pattern) -> algebra.Pattern | None:
        if not isinstance(part, algebra.Group):
            return None
        inner, aggregates = rebuilt(part.pattern, change), []
        for variable, aggregation in part.aggregates:
            if aggregation.function == "GROUP_CONCAT":
                (given,) = aggregation.arguments
                text, nothing = next(fresh), next(fresh)
                inner = algebra.Extend(inner, text, Call("IF", (_is_text(given), given, nothing)))
                aggregates.append((variable, replace(aggregation, arguments=(text,))))
            else:
                aggregates.append((variable, aggregation))
        return replace(part, pattern=inner, aggregates=tuple(aggregates))

    return rebuilt(pattern, change)


def _is_text(given: Variable) -> Call:
    plain = Call("=", (Call("DATATYPE", (given,)), _STRING))
    return Call("||", (plain, Call("!=", (Call("LANG", (given,)), Literal("")))))
