"""Warnings about queries: whether two queries express the same Q, and remarks on the answers of a query."""

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from itertools import islice
from math import gcd
from typing import Final

from lars.durations import Duration
from lars.language.formulas import Call, Expression
from lars.language.program import variables as variables_of
from lars.language.terms import RDF_TYPE, Iri, Variable
from lars.language.windows import LastWindow
from translate.analysis.model_queries import model_of_cqels, stream_blocks
from translate.analysis.nullability import Variables, null_pairs, nullable, witnesses
from translate.analysis.rewriting import (
    children,
    expressions_of,
    keeps_ties,
    occurring_variables,
    parts,
    rename,
    tests_of,
)
from translate.errors import ModelError
from translate.model import patterns as algebra
from translate.model.patterns import Pattern, variables
from translate.model.query import Dataset, EngineQuery, Language, Setting
from translate.model.windows import Now, Range, Rows, Span, Unbounded, WindowExpression, window_operator


def check_comparable(csparql: EngineQuery, cqels: EngineQuery) -> None:
    """Raise ModelError if two queries differ in V, in their form or in D: their rows are incomparable.

    A query without FROM and FROM NAMED reads the dataset of the other query.
    """
    if (csparql.form, frozenset(csparql.result)) != (cqels.form, frozenset(cqels.result)):
        raise ModelError(different_variables(csparql, cqels))
    if csparql.template != cqels.template or csparql.described != cqels.described:
        raise ModelError("the two queries construct or describe different triples")
    check_slices(csparql, cqels)
    if differing := different_datasets(csparql, cqels):
        raise ModelError(differing)


def different_variables(csparql: EngineQuery, cqels: EngineQuery) -> str:
    """Return the difference of two queries in V or in their form, as text."""
    return (
        "the two queries do not return the same variables, so their rows cannot be compared: "
        f"C-SPARQL {csparql.form} {_columns_text(csparql)}, "
        f"CQELS {cqels.form} {_columns_text(cqels)}"
    )


def check_slices(csparql: EngineQuery, cqels: EngineQuery) -> None:
    """Raise ModelError if the queries keep different slices of their rows."""
    slices = csparql.modifiers.slices or cqels.modifiers.slices
    if slices and csparql.modifiers != cqels.modifiers:
        raise ModelError("the two queries differ in their LIMIT, OFFSET, ORDER BY or DISTINCT")


def different_datasets(csparql: EngineQuery, cqels: EngineQuery) -> str | None:
    """Return the difference of two queries in D, or None if they agree or if one query has no dataset."""
    datasets = csparql.dataset, cqels.dataset
    if Dataset() in datasets or datasets[0] == datasets[1]:
        return None
    return (
        "the two queries name different datasets, so they do not stem from one (V, P, D, S): "
        f"C-SPARQL {_graphs(csparql.dataset)}, CQELS {_graphs(cqels.dataset)}"
    )


def _graphs(dataset: Dataset) -> str:
    names = (f"FROM NAMED {graph}" for graph in dataset.named)
    return " ".join((*(f"FROM {graph}" for graph in dataset.default), *names))


NO_MODEL: Final = "the two queries do not stem from one (V, P, D, S)"


def differences(csparql: EngineQuery, cqels: EngineQuery, unit: Duration) -> Iterator[str]:
    """Yield the differences that prevent a common (V, P, D, S).

    A single text contains all differences in STEP.
    """
    pulled, pushed = _reading(csparql), _reading(cqels)
    titles = [query.language.manner.title for query in (csparql, cqels)]
    if titles[0] == titles[1]:
        titles = [f"{title} ({how})" for title, how in zip(titles, ("pull", "push"), strict=True)]
    if have_one_pattern(csparql, cqels) is False:
        texts = in_local_names(f"{pulled[0]}", f"{pushed[0]}")
        wide = max(map(len, titles))
        yield "\n".join((
            f"{NO_MODEL}: P: the patterns differ",
            *(f"  {title:{wide}} {text}" for title, text in zip(titles, texts, strict=True)),
        ))  # fmt: skip
    windows, blocks = _steps(pulled[1], unit), _steps(pushed[1], unit)
    for title, one, another in ((titles[0], windows, blocks), (titles[1], blocks, windows)):
        for stream, window in sorted(one.keys() - another.keys(), key=str):
            yield f"{NO_MODEL}: S: only the {title} query reads {stream} {window}"
    if any(windows[source] != blocks[source] for source in windows.keys() & blocks.keys()):
        # The usual pair: C-SPARQL must say a STEP, and CQELS ignores its SLIDE.
        steps = ", ".join(
            f"{title} {_reads_text(one)}" for title, one in zip(titles, (windows, blocks), strict=True)
        )
        yield f"the two queries differ in STEP: {steps}"


def _reading(query: EngineQuery) -> tuple[Pattern, tuple[algebra.StreamBlock, ...]]:
    """Return P and S of a query: its pattern and its windows."""
    if query.language.manner.merges:
        return query.pattern, query.merged
    model = model_of_cqels(query)
    return model.pattern, model.streams


_IRI: Final = re.compile(r"<([^<>\"{}|^`\\\s]*)>")
_LONG: Final = 150


def in_local_names(*texts: str) -> list[str]:
    """Return the texts of patterns; if a text is long, local names replace IRIs.

    IRIs with equal local names are written in full.

    >>> in_local_names("{?a <http://e/p> <http://f/q> . ?a <http://e/q> ?b}" + " " * 150)[0].strip()
    '{?a p <http://f/q> . ?a <http://e/q> ?b}'
    """
    if all(len(text) <= _LONG for text in texts):
        return list(texts)
    iris = {iri for text in texts for iri in _IRI.findall(text)}
    names = {iri: "a" if iri == RDF_TYPE.value else iri.replace("#", "/").rpartition("/")[2] for iri in iris}
    counts = Counter(names.values())
    known = {iri: name for iri, name in names.items() if name and counts[name] == 1}
    return [_IRI.sub(lambda match: known.get(match[1], match[0]), text) for text in texts]


def have_one_pattern(csparql: EngineQuery, cqels: EngineQuery) -> bool | None:
    """Return whether two queries have one P, up to renaming of variables that only their patterns use.

    The result is None if the search for a renaming ends early, because too many are possible.
    """
    others = tuple((one.result, one.modifiers, one.template, one.described) for one in (csparql, cqels))
    mine, theirs = _reading(csparql)[0], _reading(cqels)[0]
    if normal(mine) == normal(theirs):
        return True
    kept = occurring_variables(others)
    sides = mine, theirs
    groups = [dict.fromkeys(sorted(occurring_variables(side) - kept), 0) for side in sides]
    tried = _renamings(sides, groups)
    for names in islice(tried, _MOST_STEPS):
        if names and keeps_ties(theirs, names) and normal(rename(theirs, names)) == normal(mine):
            return True
    return False if next(tried, _DONE) is _DONE else None


def _renamings(
    sides: tuple[Pattern, Pattern], groups: Sequence[Mapping[Variable, int]]
) -> Iterator[Mapping[Variable, Variable] | None]:
    """Yield renamings of the grouped variables of the second pattern to those of the first pattern.

    A renaming keeps groups. Groups are split until variables of a group have equal occurrences beside the
    other groups. Then one variable of a group gets a group of its own. None is yielded for each split.
    """
    while True:
        yield None
        numbers: dict[Hashable, int] = {}
        split = [
            {name: numbers.setdefault(_occurrences(side, own, name), len(numbers)) for name in own}
            for side, own in zip(sides, groups, strict=True)
        ]
        sizes, others = (Counter(own.values()) for own in split)
        if sizes != others:
            return
        is_stable = len(numbers) == len(set(groups[0].values()))
        groups = split
        if is_stable:
            break
    mine, theirs = groups
    several = [number for number, size in sizes.items() if size > 1]
    if not several:
        named = {number: name for name, number in mine.items()}
        yield {name: named[number] for name, number in theirs.items()}
        return
    number = min(several, key=lambda one: (sizes[one], one))
    first = next(name for name in mine if mine[name] == number)
    for name in theirs:
        if theirs[name] == number:
            yield from _renamings(sides, ({**mine, first: -1}, {**theirs, name: -1}))


def _occurrences(pattern: Pattern, groups: Mapping[Variable, int], name: Variable) -> Hashable:
    """Return a form of the pattern that is equal for variables with equal occurrences beside the groups."""
    shown = {each: Variable(f"group {number}") for each, number in groups.items()}
    return groups[name], normal(rename(pattern, shown | {name: Variable("this")}))


_MOST_STEPS: Final = 2_000
_DONE: Final = object()
_Reads = dict[tuple[Iri | Variable, WindowExpression], set[str]]


def _steps(reads: tuple[algebra.StreamBlock, ...], unit: Duration) -> _Reads:
    """Return the windows without steps, mapped to their steps; a step of one time point counts as no step."""
    result: _Reads = {}
    for read in reads:
        window, step = read.window, "none"
        if isinstance(window, Range) and window.slide is not None:
            step = str(window.slide) if window.slide.points(unit) > 1 else step
            window = replace(window, slide=None)
        result.setdefault((read.stream, window), set()).add(step)
    return result


def _reads_text(reads: _Reads) -> str:
    return " and ".join(sorted(set().union(*reads.values())))


def normal(pattern: Pattern) -> Hashable:
    """Return a form in which patterns are equal if they differ only in the nesting or the order of AND."""
    match pattern:
        case algebra.Bgp() | algebra.Join() | algebra.StreamBlock():
            return "AND", frozenset(Counter(_conjuncts(pattern)).items())
        case algebra.Union(left, right):
            return "UNION", frozenset(Counter((normal(left), normal(right))).items())
        case algebra.PathPattern() | algebra.Values():
            return pattern
        case _:
            own = tuple(getattr(pattern, field.name) for field in fields(pattern) if field.name not in _PARTS)
            tests = tuple((test.variable, normal(test.pattern)) for test in tests_of(pattern))
            return type(pattern).__name__, own, tests, *map(normal, _inner(pattern))


_PARTS: Final = ("pattern", "left", "right", "exists")


def _conjuncts(pattern: Pattern) -> Iterator[Hashable]:
    match pattern:
        case algebra.Bgp(triples):
            yield from triples
        case algebra.StreamBlock(_, _, inner):
            yield from _conjuncts(inner)
        case algebra.Join(left, right):
            yield from _conjuncts(left)
            yield from _conjuncts(right)
        case _:
            yield normal(pattern)


def is_pushed(query: EngineQuery) -> bool:
    """Return whether input triggers the query by default, because of its language or its windows."""
    reads: list[algebra.StreamBlock] = [*query.declared, *stream_blocks(query.pattern)]
    ungridded = [_has_no_grid(read.window) for read in reads]
    match query.language.manner.pushed:
        case "any":
            return not ungridded or any(ungridded)
        case "all":
            return all(ungridded)
        case said:
            return said == "always"


def _has_no_grid(window: WindowExpression) -> bool:
    return isinstance(window, Now | Rows | Unbounded) or (isinstance(window, Range) and window.slide is None)


def is_historical(query: EngineQuery) -> bool:
    """Return whether all windows of a query are between two fixed times, so that its answers never change."""
    reads: list[algebra.StreamBlock] = [*query.declared, *stream_blocks(query.pattern)]
    return bool(reads) and all(isinstance(read.window, Span) for read in reads)


def default_period(query: EngineQuery, unit: Duration) -> int | None:
    """Return the pull period that a query defines, in time points: the STEP of its windows.

    If windows have their own closing times, the period is the greatest period that includes every close.
    Without a STEP, the period is the period of COMPUTED EVERY. The result is None if the query has neither
    STEP nor COMPUTED EVERY, or if its windows have different steps. CQELS ignores SLIDE, and its queries are
    never pulled.
    """
    windows = [part.window for part in (*query.merged, *query.declared)]
    if not is_pushed(query):
        windows += [block.window for block in stream_blocks(query.pattern)]
    if windows and all(isinstance(window, Range) and window.opens is not None for window in windows):
        closes = gcd(*(n for window in windows for n in _closes(window, unit)))
        return Duration(closes * unit.nanoseconds).timed(unit)
    if is_historical(query):
        return unit.timed(unit)
    steps = {window.slide for window in windows if isinstance(window, Range) and window.slide}
    if not steps and query.every is not None:
        steps = {query.every}
    return steps.pop().timed(unit) if len(steps) == 1 else None


def _closes(window: WindowExpression, unit: Duration) -> tuple[int, int]:
    """Return the distance between two closes of a window, and the first close."""
    operator = window_operator(window, Variable("s"), unit, None)
    assert isinstance(operator, LastWindow)
    return operator.slide, operator.close


def _columns_text(query: EngineQuery) -> str:
    return " ".join(f"?{variable.name}" for variable in sorted(query.result))


def remarks(
    query: EngineQuery,
    setting: Setting,
    *,
    pushed: bool | None = None,
    rows: bool = False,
    derived: bool = False,
) -> tuple[str, ...]:
    """Return the warnings about a query: W2, T1, T2, T6, T12, T13 and T14.

    W2 is a slide under push, T1 joins over null, and T2 MINUS as Diff. T6 is a variable of SELECT, of an
    expression or of a template that no pattern binds. T13 is an aggregate without GROUP BY. If `pushed` is
    true, input triggers the query; None means the default of the query. With `rows`, the answers are shown,
    and T12 is added if SPARQL counts equal rows but the setting does not. Without `rows`, T14 is added, since
    the logic omits ISTREAM and DSTREAM. `derived` means that `lars` derived a CQELS query, so that a SLIDE is
    the STEP of the given query.
    """
    if pushed is None:
        pushed = is_pushed(query)
    texts = list(_slides(query, setting, derived=derived)) if pushed else []
    whole = tuple(parts(query.pattern))
    if setting.profile == "paper2015":
        texts += [remark for part in whole for remark in _differences(part)]
    texts += query.notes
    texts += unbound_remarks(query)
    if any(isinstance(part, algebra.Group) and part.aggregates and not part.keys for part in whole):
        texts.append(
            "T13: an aggregate without GROUP BY: if nothing matches, C-SPARQL has one row (COUNT, SUM and "
            "AVG are 0), CQELS none"
        )
    texts += [
        f"SERVICE {part.name} is evaluated on the graph of that name in the static data"
        for part in whole
        if isinstance(part, algebra.Service)
    ]
    if rows:
        texts += _multiplicities(query, setting)
    elif query.to_stream in ("ISTREAM", "DSTREAM"):
        word = query.language.manner.operators[query.to_stream]
        texts.append(f"T14: {word} is omitted, because the rules give all answers at each time")
    return tuple(dict.fromkeys(texts))


def _slides(query: EngineQuery, setting: Setting, *, derived: bool) -> Iterator[str]:
    without = query.language is Language.CQELS
    remedy = "remove SLIDE to read the window as CQELS does" if without else "use a shorter slide"
    if derived:
        remedy = (
            "the CQELS query is derived, and its SLIDE is the STEP of the given query. To push at each "
            "triple, print the query by `lars translate EXPERIMENT --to cqels`, remove SLIDE, and compare "
            "both queries"
        )
    reads: list[algebra.StreamBlock] = [*query.merged, *stream_blocks(query.pattern)]
    for read in reads:
        slide = read.window.slide if isinstance(read.window, Range) else None
        if slide is not None and slide.points(setting.unit) > 1:
            yield (
                f"W2: push with {read.window} on {read.stream} ignores triples that arrived after the last "
                f"multiple of {slide}, so rows are late or missing; {remedy}"
            )


def _differences(part: Pattern) -> Iterator[str]:
    match part:
        case algebra.Graph(name, inner):
            if isinstance(name, Variable) and name in nullable(inner):
                yield _joined_unbound(frozenset((name,)))
        case algebra.Join(left, right) | algebra.LeftJoin(left, right, _):
            unbound = frozenset().union(*(mine ^ theirs for mine, theirs in _nulls(left, right)))
            if unbound:
                yield _joined_unbound(unbound)
        case algebra.Minus(left, right):
            yield from _minus(left, right)
        case _:
            pass


def _nulls(left: Pattern, right: Pattern) -> Iterator[tuple[Variables, Variables]]:
    shared = variables(left) & variables(right)
    yield from null_pairs(left, right, shared)


def _minus(left: Pattern, right: Pattern) -> Iterator[str]:
    # Diff removes where all shared variables are the same, null too; Minus where those that both
    # sides bind are, and there is one.
    shared = variables(left) & variables(right)
    for mine, theirs in _nulls(left, right):
        both = shared - mine - theirs
        if bool(both) == (mine != theirs):
            unbound = (mine | theirs) & shared
            which = f"{_names(unbound)} can be unbound" if unbound else "its two sides share no variable"
            yield (
                f"T2: paper2015 evaluates MINUS as Diff, and {which}, so the answer can differ from "
                "SPARQL 1.1 (sparql11)"
            )
            return


def unbound_remarks(query: EngineQuery) -> Iterator[str]:
    """Yield the warnings T6 about variables that no pattern binds."""
    selects = [
        (part.result, part.pattern) for part in parts(query.pattern) if isinstance(part, algebra.Select)
    ]
    if query.form == "SELECT":
        selects.append((query.result, query.pattern))
    names = dict.fromkeys(
        name for result, pattern in selects for name in result if name not in variables(pattern)
    )
    if names:
        yield (
            f"T6: {_names(frozenset(names))} is selected, but no pattern binds it, so it is "
            "unbound in every row"
        )
    whole = algebra.Select(query.pattern, query.result, query.modifiers)
    if loose := frozenset(_loose(whole, frozenset())):
        yield f"T6: {_names(loose)} is in an expression, but no pattern there binds it, so it is unbound"
    if missing := occurring_variables(query.template) - variables(query.pattern):
        yield (
            f"T6: {_names(missing)} is in the template, but no pattern binds it, so its triples are left out"
        )


def _loose(pattern: Pattern, outer: Variables) -> Iterator[Variable]:
    """Yield the variables that expressions of a pattern read, but that nothing binds for them.

    `outer` are the variables that an EXISTS around the pattern receives.
    """
    bound = outer.union(*map(variables, _inner(pattern)))
    tests = tests_of(pattern)
    read = frozenset().union(*map(_read, expressions_of(pattern)))
    match pattern:
        case algebra.Select(_, result, modifiers):
            read = frozenset(key.variable for key in modifiers.order)
            outer &= frozenset(result)
        case algebra.Group(_, keys, aggregates):
            read = frozenset(keys).union(*(aggregation.arguments for _, aggregation in aggregates))
        case _:
            pass
    yield from read - bound - {test.variable for test in tests}
    for part in _inner(pattern):
        yield from _loose(part, outer)
    for test in tests:
        yield from _loose(test.pattern, bound)


def _inner(pattern: Pattern) -> tuple[Pattern, ...]:
    """Return the direct parts of a pattern, without the patterns of EXISTS."""
    return children(pattern)[: len(children(pattern)) - len(tests_of(pattern))]


def _read(expression: Expression) -> Variables:
    """Return the variables whose values an expression needs; BOUND and COALESCE accept unbound variables."""
    match expression:
        case Call("BOUND" | "COALESCE", _):
            return frozenset()
        case Call(_, arguments):
            return frozenset().union(*map(_read, arguments))
        case _:
            return variables_of(expression)


def _joined_unbound(names: frozenset[Variable]) -> str:
    return (
        f"T1: paper2015 joins unbound {_names(names)} as a constant, so its answer can differ "
        "from SPARQL 1.1 (sparql11)"
    )


def _multiplicities(query: EngineQuery, setting: Setting) -> Iterator[str]:
    if setting.semantics == "bag":
        return
    whole = algebra.Select(query.pattern, query.result, query.modifiers)
    is_shown = query.form == "SELECT" and _can_repeat(whole)
    slices = (part for part in parts(whole) if isinstance(part, algebra.Select) and part.modifiers.slices)
    if is_shown or any(map(_can_repeat, slices)):
        yield "T12: equal rows are shown once, as in a set; SPARQL 1.1 counts them (--semantics bag)"


def _can_repeat(select: algebra.Select) -> bool:
    if select.modifiers.duplicates == "DISTINCT":
        return False
    known = _determined(select.pattern, frozenset(select.result))
    return bool(witnesses(select.pattern)) or not variables(select.pattern) <= known


def _determined(pattern: Pattern, known: Variables) -> Variables:
    """Return the variables whose values the known variables determine."""
    match pattern:
        case algebra.Extend(inner, variable, expression):
            below = _determined(inner, known)
            return below | {variable} if variables_of(expression) <= below else below
        case algebra.Group(_, keys, aggregates) if frozenset(keys) <= known:
            return known.union(variable for variable, _ in aggregates)
        case algebra.Filter(inner, _):
            return _determined(inner, known)
        case _:
            return known


def _names(names: frozenset[Variable]) -> str:
    return ", ".join(f"?{name.name}" for name in sorted(names))
