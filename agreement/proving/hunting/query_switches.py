"""Possible faults of engines in reading a query: operators, conditions, algebra, solutions and windows.

A fault (switch) changes the query by which a run is judged. If the run is correct under the changed query,
the fault explains the run.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial, reduce
from itertools import count, permutations
from operator import attrgetter, itemgetter
from types import UnionType
from typing import Any, Final, get_args

from agreement.documents.requests import WindowSource, sources, with_sources
from agreement.engines.engine import RspqlDefinition
from agreement.engines.specifications import Task
from agreement.engines.specifications.elements import PushedTriple
from agreement.proving.hunting.input_switches import all_streams
from agreement.proving.hunting.references import JudgedRun, Switch
from lars.durations import NANOSECONDS, Duration
from lars.language.formulas import Aggregation, Call, Expression
from lars.language.stream import ToStream
from lars.language.terms import XSD, Iri, Literal, Term, Variable
from translate.analysis import mentioned_variables, parts, rebuild, rename, stream_blocks
from translate.model import patterns
from translate.model.patterns import Duplicates, variables
from translate.model.query import EngineQuery
from translate.model.windows import Range


def operators() -> Iterator[Switch]:
    """Yield the possible faults that an engine treats one of RSTREAM, ISTREAM and DSTREAM as another."""
    for operator in get_args(ToStream):

        def changed(query: EngineQuery, operator: ToStream = operator) -> EngineQuery:
            return query if query.to_stream is None else replace(query, to_stream=operator)

        right = f"{RspqlDefinition.OPERATORS}, not always {operator}"
        yield _of_query(f"reported as {operator}, regardless of the query", right, changed)
    for said, done in permutations(get_args(ToStream), 2):
        sentence = f"{said} is reported as {done}"
        yield _of_query(sentence, RspqlDefinition.OPERATORS, partial(_with_operators, {said: done}))
    exchanged: dict[ToStream, ToStream] = {"ISTREAM": "DSTREAM", "DSTREAM": "ISTREAM"}
    yield _of_query(
        "ISTREAM and DSTREAM are exchanged", RspqlDefinition.OPERATORS, partial(_with_operators, exchanged)
    )


def _with_operators(other: Mapping[ToStream, ToStream], query: EngineQuery) -> EngineQuery:
    said = query.to_stream
    return query if said is None else replace(query, to_stream=other.get(said, said))


QueryChange = Callable[[EngineQuery], EngineQuery]


def _of_query(sentence: str, right: str, change: QueryChange) -> Switch:
    # Equal queries share one changed query, because answers of all its runs are cached by its object.
    changed_query = cache(change)

    def changed(subject: JudgedRun) -> Iterable[JudgedRun]:
        task = subject.recorded.task
        other = changed_query(task.query)
        if other == task.query:
            return (subject,)
        return (replace(subject, recorded=replace(subject.recorded, task=task.with_query(other))),)

    return Switch(sentence, right, changed)


def _of_pattern(
    sentence: str,
    right: str,
    kind: type[patterns.Pattern] | UnionType,
    change: Callable[[Any], patterns.Pattern],
) -> Switch:
    """Return the possible fault that an engine misreads each pattern of a kind, such as FILTER.

    The function `change` returns the misread pattern for a pattern of the query. Inner patterns are changed
    before outer patterns. `sentence` describes the fault, and `right` is the rule that the fault violates.
    """

    def changed(part: patterns.Pattern) -> patterns.Pattern | None:
        if not isinstance(part, kind):
            return None
        inner = (name for name in ("left", "right", "pattern") if name in part.__match_args__)
        changes: dict[str, Any] = {name: rebuild(getattr(part, name), changed) for name in inner}
        return change(replace(part, **changes))

    return _of_query(sentence, right, lambda query: replace(query, pattern=rebuild(query.pattern, changed)))


def query_changes() -> Iterator[Switch]:
    """Yield the possible faults of engines in reading a query, such as an ignored FILTER."""
    yield from _conditions()
    yield from _algebra()
    yield from _solutions()
    yield from _windows()


_TRUE: Final = Literal("true", f"{XSD}boolean")


_FILTERED: Final = "SPARQL 1.1, 18.5, Filter: a solution must make the condition true"


def _conditions() -> Iterator[Switch]:
    kind = patterns.Filter
    yield _of_filters("FILTER is ignored", lambda part: part.pattern)
    yield _of_pattern("FILTER is ignored, including EXISTS", _FILTERED, kind, lambda part: part.pattern)
    for says, change in (
        (
            "FILTER is negated: it keeps what it should reject",
            lambda part: replace(part, condition=Call("!", (part.condition,))),
        ),
        (
            "FILTER confuses > with >=, and < with <=",
            lambda part: replace(part, condition=_at_border(part.condition)),
        ),
        (
            "FILTER compares texts where it should compare numbers",
            lambda part: replace(part, condition=_as_texts(part.condition)),
        ),
        (
            "FILTER compares terms where it should compare values",
            lambda part: replace(part, condition=_as_terms(part.condition)),
        ),
        (
            "FILTER keeps solutions for which its condition is an error",
            lambda part: replace(part, condition=Call("COALESCE", (part.condition, _TRUE))),
        ),
    ):
        yield _of_filters(says, change)
    yield _of_pattern(
        "HAVING is ignored",
        "SPARQL 1.1, 18.2.4.1: HAVING is a filter on the solutions of GROUP BY",
        kind,
        lambda part: part.pattern if _is_having(part) else part,
    )
    yield _of_pattern(
        "EXISTS and NOT EXISTS are ignored",
        "SPARQL 1.1, 8.1: FILTER EXISTS tests whether a pattern matches",
        kind,
        lambda part: part.pattern if part.exists else part,
    )
    # Two possible faults: a hunt must not report what no run has tried.
    for says, change in (
        ("NOT EXISTS is evaluated as EXISTS", _as_exists),
        ("EXISTS is evaluated as NOT EXISTS", _as_no_exists),
    ):
        yield _of_pattern(
            says, "SPARQL 1.1, 8.1: FILTER EXISTS tests whether a pattern matches", kind, change
        )


PartChange = Callable[[Any], patterns.Pattern]


def _as_exists(part: patterns.Filter) -> patterns.Pattern:
    match part.condition:
        case Call("!", (Variable() as test,)) if any(one.variable == test for one in part.exists):
            return replace(part, condition=test)
        case _:
            return part


def _as_no_exists(part: patterns.Filter) -> patterns.Pattern:
    is_test = any(one.variable == part.condition for one in part.exists)
    return replace(part, condition=Call("!", (part.condition,))) if is_test else part


def _unless(spared: Callable[[Any], object], change: PartChange, part: patterns.Pattern) -> patterns.Pattern:
    return part if spared(part) else change(part)


def _of_filters(sentence: str, change: PartChange) -> Switch:
    """Return a possible fault of FILTER without EXISTS.

    The fault has two interpretations, because it can also concern HAVING.
    """
    return _of_two_readings(
        *(
            _of_pattern(sentence, _FILTERED, patterns.Filter, partial(_unless, spared, change))
            for spared in (lambda part: part.exists or _is_having(part), attrgetter("exists"))
        )
    )


def _of_two_readings(first: Switch, second: Switch) -> Switch:
    """Return one possible fault for two faults with the same sentence; a run can show either of them."""

    def changed(subject: JudgedRun) -> Iterable[JudgedRun]:
        (one,), (other,) = first.change(subject), second.change(subject)
        same = one.recorded.task.query == other.recorded.task.query
        return (one,) if same else (one, other)

    return replace(first, change=changed)


def _is_having(part: patterns.Filter) -> bool:
    inner = part.pattern
    while isinstance(inner, patterns.Extend | patterns.Filter):
        inner = inner.pattern
    return isinstance(inner, patterns.Group)


_BORDERS: Final = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}


def _at_border(condition: Expression) -> Expression:
    if not isinstance(condition, Call):
        return condition
    function = _BORDERS.get(condition.function, condition.function)
    return Call(function, tuple(map(_at_border, condition.arguments)))


def _as_texts(condition: Expression) -> Expression:
    if not isinstance(condition, Call):
        return condition
    if condition.function in _BORDERS:
        return Call(condition.function, tuple(Call("STR", (term,)) for term in condition.arguments))
    return Call(condition.function, tuple(map(_as_texts, condition.arguments)))


def _as_terms(condition: Expression) -> Expression:
    if not isinstance(condition, Call):
        return condition
    same = Call("SAMETERM", condition.arguments)
    match condition.function:
        case "=":
            return same
        case "!=":
            return Call("!", (same,))
        case function:
            return Call(function, tuple(map(_as_terms, condition.arguments)))


def _algebra() -> Iterator[Switch]:
    left_join = "SPARQL 1.1, 18.5, LeftJoin: a solution without a match for the OPTIONAL part stays"
    yield _of_pattern("OPTIONAL is evaluated as a join", left_join, patterns.LeftJoin, _as_join)
    optional = "SPARQL 1.1, 18.5, LeftJoin: a match for the OPTIONAL part binds its variables"
    yield _of_pattern(
        "OPTIONAL is ignored if its pattern reads another window, or static data",
        optional,
        patterns.LeftJoin,
        lambda part: _without_branch("right", part) if _reads(part.right) - _reads(part.left) else part,
    )
    yield _of_pattern("OPTIONAL is ignored", optional, patterns.LeftJoin, lambda part: part.left)
    yield _of_pattern(
        "OPTIONAL is evaluated as UNION",
        optional,
        patterns.LeftJoin,
        lambda part: patterns.Union(part.left, part.right),
    )
    union = "SPARQL 1.1, 18.5, Union: the solutions of both branches"
    for says, name in (("first", "right"), ("last", "left")):
        sentence = f"only the {says} branch of UNION is evaluated"
        yield _of_pattern(sentence, union, patterns.Union, partial(_without_branch, name))
    for says, name in (("first", "left"), ("last", "right")):
        other = "last" if says == "first" else "first"
        yield _of_pattern(
            f"the {other} branch of UNION is evaluated only if the {says} branch has no solution",
            union,
            patterns.Union,
            partial(_unless_other, name),
        )
    yield _of_pattern(
        "UNION is evaluated as a join",
        union,
        patterns.Union,
        lambda part: patterns.Join(part.left, part.right),
    )
    yield _of_pattern("UNION loses equal solutions", union, patterns.Union, _distinct)
    minus = "SPARQL 1.1, 18.5, Minus: a solution with a compatible one on the other side is removed"
    yield _of_pattern("MINUS is ignored", minus, patterns.Minus, lambda part: part.left)
    yield _of_pattern(
        "MINUS is evaluated as FILTER NOT EXISTS: also if both sides share no variable",
        "SPARQL 1.1, 8.3.3: MINUS removes nothing if no variable is shared",
        patterns.Minus,
        _as_not_exists,
    )
    yield from _tables_and_paths()
    join = "SPARQL 1.1, 18.5, Join: solutions are joined if their shared variables are equal"
    often = "SPARQL 1.1, 18.5, Join: a solution occurs as often as pairs of solutions give the solution"
    yield _of_pattern("joins lose equal solutions", often, patterns.Join, _distinct)
    yield _of_pattern(
        "joins of several windows lose equal solutions",
        often,
        patterns.Join,
        lambda part: _distinct(part) if _joins_windows(part) else part,
    )
    yield _of_pattern("patterns are joined without their shared variables", join, patterns.Bgp, _apart)
    yield _of_pattern(
        "patterns are joined without their shared variables, inside of windows",
        join,
        patterns.StreamBlock,
        lambda part: replace(part, pattern=_apart(part.pattern)),
    )
    yield _of_pattern(
        "predicates are not compared: a pattern matches triples with any predicate",
        "SPARQL 1.1, 18.3.1: a triple matches if its predicate is the predicate of the pattern",
        patterns.Bgp | patterns.StreamBlock,
        _any_predicate,
    )
    yield _of_pattern(
        "only the last triple pattern of a group is matched",
        "SPARQL 1.1, 18.3.1: a solution matches all triple patterns of a group",
        patterns.StreamBlock,
        lambda part: replace(part, pattern=_one_triple(part.pattern, -1)),
    )
    yield _of_pattern(
        "only the first triple pattern of a group is matched",
        "SPARQL 1.1, 18.3.1: a solution matches all triple patterns of a group",
        patterns.StreamBlock,
        lambda part: replace(part, pattern=_one_triple(part.pattern, 0)),
    )


def _tables_and_paths() -> Iterator[Switch]:
    bound = "SPARQL 1.1, 18.5, Extend: BIND gives the variable the value of its expression"
    yield _of_pattern("BIND is ignored", bound, patterns.Extend, lambda part: part.pattern)
    table = "SPARQL 1.1, 10.2: VALUES has one solution for each of its rows"
    for says, place in (("first", slice(1)), ("last", slice(-1, None))):
        sentence = f"only the {says} row of VALUES is used"
        yield _of_pattern(sentence, table, patterns.Values, partial(_some_rows, place))
    yield _of_pattern("VALUES is ignored", table, patterns.Values, lambda _: patterns.EMPTY)
    path = "SPARQL 1.1, 18.4: + and * walk a path any number of times"
    yield _of_pattern(
        "the paths + and * are walked once at most",
        path,
        patterns.PathPattern | patterns.StreamBlock,
        _walked_once,
    )


def _as_not_exists(part: patterns.Minus) -> patterns.Pattern:
    found = Variable(f"any_match{next(_FRESH)}")
    exists = (patterns.Exists(found, part.right),)
    return patterns.Filter(part.left, Call("!", (found,)), exists)


def _some_rows(place: slice, part: patterns.Values) -> patterns.Pattern:
    return replace(part, rows=part.rows[place])


def _walked_once(part: patterns.Pattern) -> patterns.Pattern:
    if not isinstance(part, patterns.PathPattern):
        return part

    def once(path: patterns.Path) -> patterns.Path:
        match path:
            case patterns.RepeatedPath(inner, "+"):
                return once(inner)
            case patterns.RepeatedPath(inner, _):
                return patterns.RepeatedPath(once(inner), "?")
            case patterns.Inverse(inner):
                return patterns.Inverse(once(inner))
            case patterns.PathSequence(left, right) | patterns.Alternative(left, right):
                return replace(path, left=once(left), right=once(right))
            case _:
                return path

    walked = once(part.path)
    if isinstance(walked, Iri):
        return patterns.Bgp((patterns.TriplePattern(part.subject, walked, part.object),))
    return replace(part, path=walked)


def _as_join(part: patterns.LeftJoin) -> patterns.Pattern:
    both = patterns.Join(part.left, part.right)
    return both if part.condition is None else patterns.Filter(both, part.condition, part.exists)


def _reads(pattern: patterns.Pattern) -> set[object]:
    """Return the windows that a query pattern reads, and "static" if the pattern reads static data."""
    read: set[object] = {(block.stream, block.name) for block in stream_blocks(pattern)}

    def hidden(part: patterns.Pattern) -> patterns.Pattern | None:
        return patterns.EMPTY if isinstance(part, patterns.StreamBlock) else None

    static = (isinstance(part, patterns.Bgp) and part.triples for part in parts(rebuild(pattern, hidden)))
    return read | {"static"} if any(static) else read


def _without_branch(name: str, part: patterns.Union | patterns.LeftJoin) -> patterns.Pattern:
    """Return a UNION or OPTIONAL in which one branch has no solutions, but still reads its windows.

    `name` is left or right.
    """
    without = patterns.Filter(part.left if name == "left" else part.right, Call("!", (_TRUE,)))
    return replace(part, left=without) if name == "left" else replace(part, right=without)


def _unless_other(name: str, part: patterns.Union) -> patterns.Pattern:
    """Return a UNION that has the solutions of the other branch only if the branch `name` has none."""
    first: patterns.Pattern = getattr(part, name)
    number = next(_FRESH)
    names = {one: Variable(f"{one.name}_first{number}") for one in mentioned_variables(first)}
    found = Variable(f"any_first{number}")
    other = "right" if name == "left" else "left"
    left: patterns.Pattern = getattr(part, other)
    left = patterns.Filter(left, Call("!", (found,)), (patterns.Exists(found, rename(first, names)),))
    return replace(part, **{other: left})


def _distinct(part: patterns.Pattern) -> patterns.Pattern:
    names = tuple(sorted(variables(part), key=attrgetter("name")))
    return patterns.Select(part, names, patterns.Modifiers("DISTINCT"))


_FRESH: Final = count()


def _joins_windows(part: patterns.Join) -> bool:
    """Return whether both sides of a join read windows, but not exactly the same windows."""
    left, right = (
        {block.name or block.stream for block in stream_blocks(side)} for side in (part.left, part.right)
    )
    return bool(left and right and left != right)


def _any_predicate(part: patterns.Pattern) -> patterns.Pattern:
    if not isinstance(part, patterns.Bgp):
        return part
    triples = (
        replace(triple, predicate=Variable(f"any_{next(_FRESH)}"))
        if isinstance(triple.predicate, Iri)
        else triple
        for triple in part.triples
    )
    return patterns.Bgp(tuple(triples))


def _apart(group: patterns.Pattern) -> patterns.Pattern:
    """Return triple patterns that share no variable, because repeated variables have new names.

    Without shared variables, each triple pattern matches independently of the others.
    """
    if not isinstance(group, patterns.Bgp):
        return group
    used: set[Variable] = set()
    triples: list[patterns.TriplePattern] = []
    for number, triple in enumerate(group.triples):
        own = {term for term in triple.terms if isinstance(term, Variable)}
        new: dict[Term, Term] = {name: Variable(f"{name.name}_apart{number}") for name in own & used}
        subject, predicate, object_ = (new.get(term, term) for term in triple.terms)
        triples.append(patterns.TriplePattern(subject, predicate, object_))
        used |= own
    return patterns.Bgp(tuple(triples))


def _one_triple(group: patterns.Pattern, place: int) -> patterns.Pattern:
    whole = isinstance(group, patterns.Bgp) and len(group.triples) > 1
    return patterns.Bgp((group.triples[place],)) if whole and isinstance(group, patterns.Bgp) else group


def _solutions() -> Iterator[Switch]:
    yield _of_query(
        "projection is lost: all variables are reported, not only the variables of SELECT",
        "SPARQL 1.1, 18.5, Project: the variables that SELECT names",
        _unprojected,
    )
    kept = "SPARQL 1.1, 18.5, Distinct: DISTINCT keeps one of equal solutions"
    deviations: tuple[tuple[str, patterns.Duplicates], ...] = (
        ("DISTINCT is ignored", ""),
        ("equal rows are reported once, as if each SELECT had DISTINCT", "DISTINCT"),
    )
    for says, duplicates in deviations:
        yield _of_query(says, kept, partial(_with_duplicates, duplicates))
    grouped = "SPARQL 1.1, 18.5.1: an aggregate ranges over all solutions of its group"
    yield _of_pattern(
        "an aggregate over no solution is not reported: COUNT does not give 0",
        "SPARQL 1.1, 18.5.1: without GROUP BY all solutions form one group, even without a solution",
        patterns.Group,
        _without_empty_group,
    )
    yield _of_pattern("the keys of GROUP BY are not bound", grouped, patterns.Group, _without_keys)
    yield _of_pattern("GROUP BY is ignored", grouped, patterns.Group, lambda part: replace(part, keys=()))
    for says, distinct in (
        ("aggregates count equal values once, as if each had DISTINCT", True),
        ("DISTINCT in aggregates is ignored: equal values are counted each time", False),
    ):
        counting = partial(_aggregating, change=partial(replace, distinct=distinct))
        yield _of_pattern(says, grouped, patterns.Group, counting)
    for function in _AGGREGATES:
        yield _of_pattern(
            f"every aggregate is evaluated as {function}",
            grouped,
            patterns.Group,
            partial(_all_as, function, _AGGREGATES),
        )
    for said, done in permutations(_AGGREGATES, 2):
        sentence = f"{said} is evaluated as {done}"
        yield _of_pattern(sentence, grouped, patterns.Group, partial(_all_as, done, (said,)))
    yield _of_pattern(
        "SUM ignores values that are not numbers",
        "SPARQL 1.1, 18.5.1.3: a sum with a value that is not a number is an error, so the variable is "
        "unbound",
        patterns.Group,
        _of_numbers,
    )
    smallest = "SPARQL 1.1, 18.5.1.5 and 18.5.1.6: MIN and MAX order values as ORDER BY does"
    yield _of_two_readings(
        *(
            _of_pattern(
                "MIN and MAX compare texts where they should compare numbers",
                smallest,
                patterns.Group,
                partial(_extremes_of_texts, typed=typed),
            )
            for typed in (True, False)
        )
    )
    yield _of_pattern(
        "AVG is cut to an integer",
        "SPARQL 1.1, 18.5.1.4: the average of integers is a decimal",
        patterns.Group,
        _average_cut,
    )
    yield _of_query(
        "ASK is negated: it is true without a solution",
        "SPARQL 1.1, 16.3: ASK is true if a solution exists",
        _negated_ask,
    )
    yield _of_query(
        "ASK is always answered by true",
        "SPARQL 1.1, 16.3: ASK is false without a solution",
        lambda query: (
            replace(query, pattern=patterns.LeftJoin(patterns.EMPTY, query.pattern))
            if query.form == "ASK"
            else query
        ),
    )
    yield _of_query("LIMIT and OFFSET are ignored", "SPARQL 1.1, 18.5, Slice", unlimited)
    for says, descending in (
        ("ORDER BY is descending where it should be ascending", True),
        ("ORDER BY ignores DESC: every order is ascending", False),
    ):
        ordered = "SPARQL 1.1, 15.1: the order is ascending, unless DESC is used"
        yield _of_query(says, ordered, partial(_ordered, descending))
    yield _of_query(
        "ORDER BY compares texts where it should compare numbers",
        "SPARQL 1.1, 15.1: ORDER BY orders numbers by the operator <",
        _ordered_by_texts,
    )
    for says, by in (
        ("OFFSET is one more than in the query", (1, 0)),
        ("LIMIT is one more than in the query", (0, 1)),
    ):
        yield _of_query(says, "SPARQL 1.1, 18.5, Slice", partial(_sliced, *by))


@cache
def unlimited(query: EngineQuery) -> EngineQuery:
    """Return the query without LIMIT and OFFSET."""
    return replace(query, modifiers=replace(query.modifiers, offset=0, limit=None))


def _without_empty_group(group: patterns.Group) -> patterns.Group:
    if group.keys:
        return group
    key = Variable("any_group")
    return replace(group, pattern=patterns.Extend(group.pattern, key, _TRUE), keys=(key,))


def _without_keys(group: patterns.Group) -> patterns.Group:
    """Return a GROUP BY whose keys have new names, so that the original key variables are unbound."""
    inner, keys = group.pattern, list[Variable]()
    for key in group.keys:
        keys.append(Variable(f"{key.name}_key"))
        inner = patterns.Extend(inner, keys[-1], key)
    return replace(group, pattern=inner, keys=tuple(keys))


def _aggregating(group: patterns.Group, change: Callable[[Aggregation], Aggregation]) -> patterns.Group:
    return replace(group, aggregates=tuple((name, change(one)) for name, one in group.aggregates))


_AGGREGATES: Final = ("COUNT", "SUM", "AVG", "MIN", "MAX", "SAMPLE")


def _all_as(function: str, those: Sequence[str], group: patterns.Group) -> patterns.Group:
    """Return a GROUP BY with the aggregate `function` in place of the aggregates in `those`.

    COUNT(*) is not replaced.
    """
    return _aggregating(
        group, lambda one: replace(one, function=function) if one.function in those and one.arguments else one
    )


def _of_numbers(group: patterns.Group) -> patterns.Group:
    """Return a GROUP BY in which SUM adds 0 for each value that is not a number."""
    inner, aggregates = group.pattern, list[tuple[Variable, Aggregation]]()
    for name, one in group.aggregates:
        value = one
        if one.function == "SUM":
            number = Variable(f"{name.name}_number")
            expression = Call("IF", (Call("ISNUMERIC", one.arguments), one.arguments[0], _ZERO))
            inner = patterns.Extend(inner, number, expression)
            value = replace(one, arguments=(number,))
        aggregates.append((name, value))
    return replace(group, pattern=inner, aggregates=tuple(aggregates))


_ZERO: Final = Literal("0", f"{XSD}integer")


def _extremes_of_texts(group: patterns.Group, *, typed: bool) -> patterns.Pattern:
    """Return a GROUP BY in which MIN and MAX compare the texts of values.

    The result is a number, if it is the text of one and `typed` is true; otherwise, it is the text.
    """
    inner, aggregates, texts = group.pattern, list[tuple[Variable, Aggregation]](), dict[Variable, Variable]()
    for name, one in group.aggregates:
        if one.function not in {"MIN", "MAX"}:
            aggregates.append((name, one))
            continue
        text, extreme = Variable(f"{name.name}_text"), Variable(f"{name.name}_extreme")
        inner = patterns.Extend(inner, text, Call("STR", one.arguments))
        aggregates.append((extreme if typed else name, replace(one, arguments=(text,))))
        if typed:
            texts[name] = extreme
    by_text: patterns.Pattern = replace(group, pattern=inner, aggregates=tuple(aggregates))
    for name, extreme in texts.items():
        numbers = (Call(f"<{XSD}{kind}>", (extreme,)) for kind in ("integer", "decimal", "double"))
        by_text = patterns.Extend(by_text, name, Call("COALESCE", (*numbers, extreme)))
    return by_text


def _average_cut(group: patterns.Group) -> patterns.Pattern:
    """Return a GROUP BY in which the value of each AVG is rounded down to an integer."""
    averages = {name: one for name, one in group.aggregates if one.function == "AVG"}
    exact = {name: Variable(f"{name.name}_exact") for name in averages}
    aggregates = tuple((exact.get(name, name), one) for name, one in group.aggregates)
    cut: patterns.Pattern = replace(group, aggregates=aggregates)
    for name, whole in exact.items():
        cut = patterns.Extend(cut, name, Call(f"<{XSD}integer>", (Call("FLOOR", (whole,)),)))
    return cut


def _negated_ask(query: EngineQuery) -> EngineQuery:
    if query.form != "ASK":
        return query
    found = Variable("any_solution")
    asked = patterns.LeftJoin(patterns.EMPTY, patterns.Extend(query.pattern, found, _TRUE))
    return replace(query, pattern=patterns.Filter(asked, Call("!", (Call("BOUND", (found,)),))))


def _ordered(descending: bool, query: EngineQuery) -> EngineQuery:
    order = tuple(replace(key, descending=descending) for key in query.modifiers.order)
    return replace(query, modifiers=replace(query.modifiers, order=order))


def _ordered_by_texts(query: EngineQuery) -> EngineQuery:
    pattern, order = query.pattern, list(query.modifiers.order)
    for place, key in enumerate(order):
        text = Variable(f"{key.variable.name}_text")
        pattern = patterns.Extend(pattern, text, Call("STR", (key.variable,)))
        order[place] = replace(key, variable=text)
    return replace(query, pattern=pattern, modifiers=replace(query.modifiers, order=tuple(order)))


def _sliced(skipped: int, more: int, query: EngineQuery) -> EngineQuery:
    modifiers = query.modifiers
    if not modifiers.slices or (more and modifiers.limit is None):
        return query
    limit = None if modifiers.limit is None else modifiers.limit + more
    return replace(query, modifiers=replace(modifiers, offset=modifiers.offset + skipped, limit=limit))


def _unprojected(query: EngineQuery) -> EngineQuery:
    inner = query.pattern
    while isinstance(inner, patterns.Extend):
        inner = inner.pattern
    if query.form != "SELECT" or isinstance(inner, patterns.Group):
        return query
    more = sorted(variables(query.pattern) - set(query.result), key=attrgetter("name"))
    return replace(query, result=(*query.result, *more))


def _with_duplicates(duplicates: Duplicates, query: EngineQuery) -> EngineQuery:
    if duplicates == "" and query.modifiers.duplicates != "DISTINCT":
        return query
    return replace(query, modifiers=replace(query.modifiers, duplicates=duplicates))


_LONG: Final = "Definitions 11 and 13: the RANGE of the query"


def _windows() -> Iterator[Switch]:
    """Yield the possible faults of windows, such as other lengths, slides or streams."""
    long = _LONG
    often = "Definitions 11 and 13: the STEP of the query"
    for says, right, change in (
        ("windows are one time point longer", long, partial(_sized, 1, 0)),
        ("windows are one time point shorter", long, partial(_sized, -1, 0)),
        ("the STEP is one time point longer", often, partial(_sized, 0, 1)),
        ("the STEP is one time point shorter", often, partial(_sized, 0, -1)),
        ("windows are twice as long as RANGE", long, lambda w: replace(w, length=_times(2, w.length))),
        ("windows are half as long as RANGE", long, lambda w: replace(w, length=_times(0.5, w.length))),
        ("windows are as long as STEP, not RANGE", long, lambda w: replace(w, length=w.slide or w.length)),
        (
            "STEP is ignored: each window begins when the preceding window ends",
            often,
            lambda w: replace(w, slide=w.length),
        ),
        ("the STEP is twice as long", often, lambda w: replace(w, slide=w.slide and _times(2, w.slide))),
    ):
        yield _of_windows(says, right, change)
    steps_longer = partial(_begun_earlier, _of_windows("", long, _one_step_longer).change, _slide)
    longer = partial(_kept_longer, steps_longer)
    yield Switch("a triple stays in the windows one STEP too long", long, longer)
    for name, clause, right in (("length", "RANGE", long), ("slide", "STEP", often)):
        for choose, says in (
            (itemgetter(0), f"{clause} of the first window"),
            (itemgetter(-1), f"{clause} of the last window"),
            (min, f"shortest {clause} of the query"),
            (max, f"longest {clause} of the query"),
        ):
            yield _of_query(f"all windows have the {says}", right, partial(_alike, name, choose))
    for number in range(_STREAMS):
        yield _of_query(
            f"all windows contain stream {number + 1}",
            RspqlDefinition.OWN_STREAM,
            partial(_on_stream, number),
        )
    yield _of_query(
        "only the last of the windows on one stream receives triples", RspqlDefinition.OWN_STREAM, _last_alone
    )
    yield _of_query(
        "only the first of the windows on one stream receives triples",
        RspqlDefinition.OWN_STREAM,
        _first_alone,
    )
    yield Switch("windows contain the triples of all streams", RspqlDefinition.OWN_STREAM, all_streams)
    yield _of_query("the streams of the windows are exchanged", RspqlDefinition.OWN_STREAM, _exchanged)
    yield _of_query("the names of the windows are exchanged", RspqlDefinition.OWN_STREAM, _renamed)
    for place, says in ((0, "first"), (-1, "last")):
        yield Switch(
            f"the {says} of several windows has its content of one slide earlier",
            "Definition 13: a window contains the arrivals between its own ends",
            partial(_one_slide_old, place),
        )
    yield Switch(
        "an open window contains the input of its last RANGE, not the input since it opened",
        "Definition 13: a window contains the arrivals between its own ends",
        _open_for_range,
    )
    yield Switch(
        "when one window closes, the other windows still have the content of their own last close",
        "Definition 17: an evaluation reads the active window of each window at the same time",
        _closed_last,
    )
    yield _of_query(
        "patterns outside windows also match the triples of streams",
        "SPARQL 1.1, 13: the default graph of the dataset",
        _static_with_streams,
    )
    yield _of_query(
        "the content of one window is also matched in the other windows",
        "Definition 14: each window is a separate graph",
        _merged,
    )


_STREAMS: Final = 2


def _times(factor: float, length: Duration) -> Duration:
    return Duration(int(length.nanoseconds * factor))


def _sized(longer: int, wider: int, window: Range) -> Range:
    """Return a window with another length (by `longer` units of time) and slide (by `wider` units).

    The unit is 1 s if the length and the slide are multiples of 1 s, otherwise 1 ms.
    """
    spans = (window.length, *filter(None, (window.slide,)))
    unit = (
        NANOSECONDS["s"]
        if all(not span.nanoseconds % NANOSECONDS["s"] for span in spans)
        else NANOSECONDS["ms"]
    )
    slide = None if window.slide is None else Duration(window.slide.nanoseconds + wider * unit)
    return replace(window, length=Duration(window.length.nanoseconds + longer * unit), slide=slide)


def _one_step_longer(window: Range) -> Range:
    more = 0 if window.slide is None else window.slide.nanoseconds
    return replace(window, length=Duration(window.length.nanoseconds + more))


def other_lengths(wrong: Sequence[JudgedRun]) -> Iterator[Switch]:
    """Yield the possible faults that windows are longer or shorter by several time points, as in wrong runs.

    The function tries the largest difference that a wrong run requires, and the most frequent differences.
    """
    tick = min((subject.recorded.task.unit.milliseconds for subject in wrong), default=1)
    seen = Counter(by / tick for subject in wrong for by in set(subject.length_errors()))
    tried = [max(seen, default=0), min(seen, default=0), *(by for by, _ in seen.most_common(_LENGTHS_TRIED))]
    for by in (int(by) for by in dict.fromkeys(tried) if abs(by) > 1 and not by % 1):
        length = Duration(round(by * tick * NANOSECONDS["ms"]))
        says = f"windows are {abs(by)} time points {'longer' if by > 0 else 'shorter'}"
        change = _of_sources(says, _LONG, partial(_lengthened, length)).change
        yield Switch(says, _LONG, partial(_begun_earlier, change, partial(_points, length)))


LENGTHS_MEASURED: Final = 60
_LENGTHS_TRIED: Final = 8
"""The number of wrong runs in which differences of lengths are measured, and of differences; guesses."""


def _points(length: Duration, task: Task) -> int:
    return length.points(task.unit)


def _slide(task: Task) -> int:
    slides = (one.window.slide for one in sources(task.query) if isinstance(one.window, Range))
    return max((slide.points(task.unit) for slide in slides if slide is not None), default=0)


def _lengthened(by: Duration, source: WindowSource) -> WindowSource:
    """Return a window that is longer or shorter by a duration; if nothing is left of it, nothing arrives."""
    if not isinstance(source.window, Range):
        return source
    length = Duration(source.window.length.nanoseconds + by.nanoseconds)
    if length.nanoseconds <= 0:
        return replace(source, stream=_own_stream(0))
    return replace(source, window=replace(source.window, length=length))


def _begun_earlier(
    change: Callable[[JudgedRun], Iterable[JudgedRun]], earlier: Callable[[Task], int], subject: JudgedRun
) -> Iterator[JudgedRun]:
    """Yield the run to judge if longer windows close when they should, or open when they should.

    Windows that are longer by a slide, and that close when they should, open a slide earlier. The function
    `earlier` returns the number of time points by which windows are longer.
    """
    options, by = subject.recorded.options, earlier(subject.recorded.task)
    for changed in change(subject):
        if changed is not subject and options.starts is not None:
            yield changed.with_options(t0=tuple(start - by for start in options.starts))
        elif changed is not subject and not options.aligned:
            yield changed.with_options(registered=options.first - by)
        yield changed


_MOST_AGAIN: Final = 100
"""The number of time points in a slide up to which a triple arrives again in a changed run; a guess."""


def _kept_longer(
    otherwise: Callable[[JudgedRun], Iterable[JudgedRun]], subject: JudgedRun
) -> Iterator[JudgedRun]:
    """Yield the runs to judge if each window keeps its triples one of its slides too long.

    With different slides, no start time moves all windows as far as they are longer. Then each window reads
    a stream of its own, in which each triple arrives again at each time point up to one slide later.
    """
    task = subject.recorded.task
    windows = sources(task.query)
    slides = [one.window.slide if isinstance(one.window, Range) else None for one in windows]
    points = [0 if slide is None else slide.points(task.unit) for slide in slides]
    if 0 < min(points) < max(points) <= _MOST_AGAIN:
        elements = list(task.elements)
        for number, (source, later) in enumerate(zip(windows, points, strict=True)):
            elements += (
                replace(one, t=one.t + more, stream=str(_own_stream(number)))
                for one in task.elements
                if one.stream == str(source.stream)
                for more in range(later + 1)
                if one.t + more <= task.last
            )
        changed = task.with_query(_on_own_streams(task.query))
        changed = replace(changed, elements=tuple(sorted(elements, key=attrgetter("t"))))
        yield replace(subject, recorded=replace(subject.recorded, task=changed))
    yield from otherwise(subject)


def _open_for_range(subject: JudgedRun) -> Iterable[JudgedRun]:
    """Return the run to judge if windows that stay open show as much as windows that close.

    In the returned run, each window reads a stream of its own, so that its length is known.
    """
    task = subject.recorded.task
    windows = [source.window for source in sources(task.query)]
    lengths = [one.length.points(task.unit) for one in windows if isinstance(one, Range)]
    if len(windows) == 1 or len(lengths) < len(windows):
        return (subject,)
    changed, times = _on_own_elements(task)
    changed = replace(changed, kept=partial(_last_of_width, dict(zip(times, lengths, strict=True))))
    return (replace(subject, recorded=replace(subject.recorded, task=changed)),)


def _closed_last(subject: JudgedRun) -> Iterator[JudgedRun]:
    """Yield the runs to judge if a window that stays open shows what it contained at its last close.

    In the first returned run, each close counts. In the second returned run, a close counts only if it causes
    an evaluation, which needs a closing window with a triple. Windows begin at t0 = 0.
    """
    task = subject.recorded.task
    windows = [source.window for source in sources(task.query)]
    if len(windows) == 1 or not all(isinstance(one, Range) and one.slide is not None for one in windows):
        yield subject
        return
    changed = task.with_query(_of_closed_windows(task.query))
    yield replace(subject, recorded=replace(subject.recorded, task=changed))
    changed, times = _on_own_elements(task)
    closing = {
        name: (*_sizes(one, task), own) for (name, own), one in zip(times.items(), windows, strict=True)
    }
    changed = replace(changed, kept=partial(_at_last_evaluation, closing))
    yield replace(subject, recorded=replace(subject.recorded, task=changed)).with_options(t0=(0,))


def _sizes(window: object, task: Task) -> tuple[int, int]:
    """Return the length and the slide of a window in time points."""
    assert isinstance(window, Range)
    assert window.slide is not None
    return window.length.points(task.unit), window.slide.points(task.unit)


@cache
def _of_closed_windows(query: EngineQuery) -> EngineQuery:
    def closed(source: WindowSource) -> WindowSource:
        assert isinstance(source.window, Range)
        return replace(source, window=replace(source.window, opens=Duration(0)))

    return with_sources(query, closed)


def _at_last_evaluation(
    closing: Mapping[str, tuple[int, int, Sequence[int]]],
    elements: Sequence[PushedTriple],
    span: range,
    end: int,
) -> range:
    """Return the content of a window at its last close that caused an evaluation, up to the time `end`.

    `closing` contains the length, the slide and the times of the triples of each window, by its stream.
    """
    # Another change of the same run may give the triples to other streams.
    if not elements or elements[0].stream not in closing:
        return span
    width, slide, _ = closing[elements[0].stream]
    for close in range(end - (end - width) % slide, width - 1, -slide):
        if any(_closes_with_triples(close, *window) for window in closing.values()):
            first, after = (bisect_right(elements, t, key=attrgetter("t")) for t in (close - width, close))
            return range(first, after)
    return range(0)


def _closes_with_triples(t: int, width: int, slide: int, times: Sequence[int]) -> bool:
    closes = t >= width and (t - width) % slide == 0
    return closes and bisect_right(times, t - width) < bisect_right(times, t)


def _on_own_elements(task: Task) -> tuple[Task, Mapping[str, Sequence[int]]]:
    """Return the query and the input with a stream for each window, and the times of its triples."""
    own = {str(_own_stream(number)): source.stream for number, source in enumerate(sources(task.query))}
    copies = [
        replace(one, stream=name)
        for name, of in own.items()
        for one in task.elements
        if one.stream == str(of)
    ]
    elements = tuple(sorted((*task.elements, *copies), key=attrgetter("t")))
    times = {name: [one.t for one in elements if one.stream == name] for name in own}
    return replace(task.with_query(_on_own_streams(task.query)), elements=elements), times


def _last_of_width(
    widths: Mapping[str, int], elements: Sequence[PushedTriple], span: range, end: int
) -> range:
    """Return the content of a window that contains all arrivals since its width before the time `end`."""
    if not elements or elements[0].stream not in widths:
        return span
    first = bisect_right(elements, end - widths[elements[0].stream], key=attrgetter("t"))
    return range(min(span.start, first), span.stop)


def _own_stream(number: int) -> Iri:
    return Iri(f"http://e/own-stream-{number}")


@cache
def _on_own_streams(query: EngineQuery) -> EngineQuery:
    windows = sources(query)

    def own(source: WindowSource) -> WindowSource:
        return replace(source, stream=_own_stream(windows.index(source)))

    return with_sources(query, own)


def _of_windows(sentence: str, right: str, change: Callable[[Range], Range]) -> Switch:
    def changed(source: WindowSource) -> WindowSource:
        window = source.window
        if not isinstance(window, Range):
            return source
        other = change(window)
        short = other.slide is not None and other.slide.nanoseconds <= 0
        return source if short or other.length.nanoseconds <= 0 else replace(source, window=other)

    return _of_sources(sentence, right, changed)


def _of_sources(sentence: str, right: str, changed: Callable[[WindowSource], WindowSource]) -> Switch:
    return _of_query(sentence, right, lambda query: with_sources(query, changed))


def _alike(name: str, choose: Callable[[Sequence[Duration]], Duration], query: EngineQuery) -> EngineQuery:
    windows = [source.window for source in sources(query) if isinstance(source.window, Range)]
    sizes: list[Duration | None] = [getattr(window, name) for window in windows]
    known = [size for size in sizes if size is not None]
    if len(windows) <= 1 or len(known) < len(windows):
        return query
    size: Any = choose(known)
    return with_sources(
        query,
        lambda one: (
            replace(one, window=replace(one.window, **{name: size})) if isinstance(one.window, Range) else one
        ),
    )


def _on_stream(number: int, query: EngineQuery) -> EngineQuery:
    names = list(dict.fromkeys(source.stream for source in sources(query)))
    if number >= len(names) or len(names) == 1:
        return query
    return with_sources(query, lambda source: replace(source, stream=names[number]))


def _exchanged(query: EngineQuery) -> EngineQuery:
    names = list(dict.fromkeys(source.stream for source in sources(query)))
    other = dict(zip(names, names[::-1], strict=True))
    return with_sources(query, lambda source: replace(source, stream=other[source.stream]))


def _renamed(query: EngineQuery) -> EngineQuery:
    """Return the query with other names of windows: the first window has the name of the last, and so on."""
    every = sources(query)
    other = dict(zip(every, every[::-1], strict=True))
    return with_sources(
        query, lambda source: replace(source, stream=other[source].stream, window=other[source].window)
    )


_NO_STREAM: Final = Iri("http://e/no-stream")


def _last_alone(query: EngineQuery) -> EngineQuery:
    return _fed(query, {source.stream: source for source in sources(query)})


def _first_alone(query: EngineQuery) -> EngineQuery:
    return _fed(query, {source.stream: source for source in reversed(sources(query))})


def _fed(query: EngineQuery, only: dict[Iri | Variable, WindowSource]) -> EngineQuery:
    return with_sources(
        query, lambda one: one if only[one.stream] == one else replace(one, stream=_NO_STREAM)
    )


def _one_slide_old(place: int, subject: JudgedRun) -> Iterable[JudgedRun]:
    """Return the run to judge if one window has the content of one slide earlier.

    In the returned run, this window reads a separate stream, in which all triples arrive one slide later.
    """
    task = subject.recorded.task
    several = sources(task.query)
    late = several[place]
    if len(several) == 1 or not isinstance(late.window, Range) or late.window.slide is None:
        return (subject,)
    slide, own = late.window.slide.points(task.unit), str(_OWN_STREAM)
    copies = (
        replace(one, t=one.t + slide, stream=own) for one in task.elements if one.stream == str(late.stream)
    )
    # Copies after the last arrival would move the end of the judged time.
    elements = (*task.elements, *(one for one in copies if one.t <= task.last))
    query = _on_own_stream(late, task.query)
    changed = replace(task.with_query(query), elements=tuple(sorted(elements, key=attrgetter("t"))))
    return (replace(subject, recorded=replace(subject.recorded, task=changed)),)


_OWN_STREAM: Final = Iri("http://e/own-stream")


@cache
def _on_own_stream(late: WindowSource, query: EngineQuery) -> EngineQuery:
    return with_sources(query, lambda one: replace(one, stream=_OWN_STREAM) if one == late else one)


def _blocks(query: EngineQuery, pattern: patterns.Bgp | patterns.PathPattern) -> list[patterns.Pattern]:
    """Return one STREAM block for each window of a query, each with the given pattern."""
    every = dict.fromkeys((one.stream, one.window, one.name) for one in stream_blocks(query.pattern))
    return [patterns.StreamBlock(stream, window, pattern, name) for stream, window, name in every]


def _static_with_streams(query: EngineQuery) -> EngineQuery:
    def everywhere(triple: patterns.TriplePattern) -> patterns.Pattern:
        alone = patterns.Bgp((triple,))
        every: list[patterns.Pattern] = [alone, *_blocks(query, alone)]
        return _distinct(reduce(patterns.Union, every))

    def changed(part: patterns.Pattern) -> patterns.Pattern | None:
        if isinstance(part, patterns.StreamBlock | patterns.Graph):
            return part
        if not isinstance(part, patterns.Bgp) or not part.triples:
            return None
        return reduce(patterns.Join, map(everywhere, part.triples))

    return query if query.merged else replace(query, pattern=rebuild(query.pattern, changed))


def _merged(query: EngineQuery) -> EngineQuery:
    def changed(part: patterns.Pattern) -> patterns.Pattern | None:
        if not isinstance(part, patterns.StreamBlock):
            return None
        # The merged windows form one graph, in which equal triples count once.
        return _distinct(reduce(patterns.Union, _blocks(query, part.pattern)))

    several = len(_blocks(query, patterns.Bgp(()))) > 1
    return replace(query, pattern=rebuild(query.pattern, changed)) if several else query
