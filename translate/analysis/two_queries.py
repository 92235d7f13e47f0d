"""Comparison of two queries: whether they come from one model (V, P, D, S), and where they differ."""

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from itertools import islice
from typing import Final

from lars.durations import Duration
from lars.language.terms import RDF_TYPE, Iri, Variable
from translate.analysis.model_queries import model_of_cqels
from translate.analysis.rewriting import direct_parts, keeps_ties, occurring_variables, rename, tests_of
from translate.errors import ModelError
from translate.model import patterns as algebra
from translate.model.patterns import Pattern
from translate.model.query import Dataset, EngineQuery, Language
from translate.model.windows import Range, WindowExpression


def check_comparable(csparql: EngineQuery, cqels: EngineQuery) -> None:
    """Raise ModelError if two queries differ in variables, form or dataset, so their rows are incomparable.

    A query without FROM and FROM NAMED reads the dataset of the other query.
    """
    if (csparql.form, frozenset(csparql.result)) != (cqels.form, frozenset(cqels.result)):
        raise ModelError(different_variables(csparql, cqels))
    if not have_one_output(csparql, cqels):
        raise ModelError(DIFFERENT_OUTPUT)
    check_slices(csparql, cqels)
    if differing := different_datasets(csparql, cqels):
        raise ModelError(differing)


DIFFERENT_OUTPUT: Final = "the two queries construct or describe different triples"


def have_one_output(csparql: EngineQuery, cqels: EngineQuery) -> bool:
    """Return whether two queries have the same triples in CONSTRUCT and the same terms in DESCRIBE.

    The order of triples and terms does not matter.
    """
    one, other = ((frozenset(query.template), frozenset(query.described)) for query in (csparql, cqels))
    return one == other


def different_variables(csparql: EngineQuery, cqels: EngineQuery) -> str:
    """Return a text that describes how two queries differ in their form or in their result variables V."""
    return (
        "the two queries do not return the same variables, so their rows cannot be compared: "
        f"C-SPARQL {csparql.form} {_columns_text(csparql)}, "
        f"CQELS {cqels.form} {_columns_text(cqels)}"
    )


def check_slices(csparql: EngineQuery, cqels: EngineQuery) -> None:
    """Raise ModelError if LIMIT or OFFSET selects different slices of the rows of two queries."""
    slices = csparql.modifiers.slices or cqels.modifiers.slices
    if slices and csparql.modifiers != cqels.modifiers:
        raise ModelError("the two queries differ in their LIMIT, OFFSET, ORDER BY or DISTINCT")


def different_datasets(csparql: EngineQuery, cqels: EngineQuery) -> str | None:
    """Describe how the datasets of two queries differ; None if they agree or if a query has no dataset."""
    datasets = csparql.dataset, cqels.dataset
    # The graphs of FROM are merged, and FROM NAMED names a set: neither order nor repetition matters.
    graphs = {(frozenset(dataset.default), frozenset(dataset.named)) for dataset in datasets}
    if Dataset() in datasets or len(graphs) == 1:
        return None
    return (
        "the two queries name different datasets, so they are not two forms of one query: "
        f"C-SPARQL {_graphs(csparql.dataset)}, CQELS {_graphs(cqels.dataset)}"
    )


def _graphs(dataset: Dataset) -> str:
    names = (f"FROM NAMED {graph}" for graph in dataset.named)
    return " ".join((*(f"FROM {graph}" for graph in dataset.default), *names))


NO_MODEL: Final = "the two queries are not two forms of one query"
_USUAL: Final = ". This pair is usual: CQELS evaluates when data arrive, so do not add a SLIDE"


def differences(csparql: EngineQuery, cqels: EngineQuery, unit: Duration) -> Iterator[str]:
    """Yield a text for each difference that prevents two queries from having the same model (V, P, D, S).

    If windows differ in STEP, a single text describes all of them.
    """
    pulled, pushed = _reading(csparql), _reading(cqels)
    titles = [query.language.manner.title for query in (csparql, cqels)]
    if titles[0] == titles[1]:
        titles = [f"{title} ({how})" for title, how in zip(titles, ("pull", "push"), strict=True)]
    if have_one_pattern(csparql, cqels) is False:
        texts = in_local_names(f"{pulled[0]}", f"{pushed[0]}")
        wide = max(map(len, titles))
        yield "\n".join((
            f"{NO_MODEL}: the patterns differ",
            *(f"  {title:{wide}} {text}" for title, text in zip(titles, texts, strict=True)),
        ))  # fmt: skip
    windows, blocks = _steps(pulled[1], unit), _steps(pushed[1], unit)
    for title, one, another in ((titles[0], windows, blocks), (titles[1], blocks, windows)):
        for stream, window in sorted(one.keys() - another.keys(), key=str):
            yield f"{NO_MODEL}: only the {title} query reads {stream} {window}"
    if not any(query.language.manner.merges for query in (csparql, cqels)):
        read, pushed_read = (_kinds_by_stream(blocks) for blocks in (pulled[1], pushed[1]))
        for stream in sorted(read.keys() & pushed_read.keys(), key=str):
            if read[stream] != pushed_read[stream]:
                yield f"{NO_MODEL}: the queries match different patterns in {stream}"
    if any(windows[source] != blocks[source] for source in windows.keys() & blocks.keys()):
        # C-SPARQL requires a STEP, and CQELS ignores SLIDE, so this difference is usual.
        steps = ", ".join(
            f"{title} {_reads_text(one)}" for title, one in zip(titles, (windows, blocks), strict=True)
        )
        usual = cqels.language is Language.CQELS and _reads_text(blocks) == "none"
        yield f"the two queries differ in STEP: {steps}{_USUAL if usual else ''}"


def _reading(query: EngineQuery) -> tuple[Pattern, tuple[algebra.StreamBlock, ...]]:
    """Return the pattern of a query without streams (P), and the blocks that read its streams (S)."""
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
    """Return whether two queries have equal patterns after renaming variables that only their patterns use.

    The function returns None if too many renamings are possible, so that the search ends early.
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
    """Yield renamings of the grouped variables of the second pattern to variables of the first pattern.

    A renaming maps the variables of a group to the variables of the corresponding group. The search splits
    the groups of variables until all variables of a group occur in the same way outside the groups. If no
    group can be split, one variable of a group gets a new group. The function yields None for each split, so
    that the caller can stop the search.
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
    """Return a value that is equal for two variables if they have one group and occur in the same way.

    The value contains the pattern in which the group's number replaces each other variable.
    """
    shown = {each: Variable(f"group {number}") for each, number in groups.items()}
    return groups[name], normal(rename(pattern, shown | {name: Variable("this")}))


_MOST_STEPS: Final = 2_000
_DONE: Final = object()
_Reads = dict[tuple[Iri | Variable, WindowExpression], set[str]]


def _steps(reads: tuple[algebra.StreamBlock, ...], unit: Duration) -> _Reads:
    """Map each stream and window, without the window's step, to the texts of its steps.

    A step of one time point counts as no step.
    """
    result: _Reads = {}
    for read in reads:
        window, step = read.window, "none"
        if isinstance(window, Range) and window.slide is not None:
            step = str(window.slide) if window.slide.points(unit) > 1 else step
            window = replace(window, slide=None)
        result.setdefault((read.stream, window), set()).add(step)
    return result


def _kinds_by_stream(
    reads: tuple[algebra.StreamBlock, ...],
) -> dict[Iri | Variable, Counter[tuple[Hashable, ...]]]:
    """Map each stream to the multiset of its triple patterns, in which None replaces each variable."""
    result: dict[Iri | Variable, Counter[tuple[Hashable, ...]]] = {}
    for read in reads:
        triples = (triple for triple in _conjuncts(read) if isinstance(triple, algebra.TriplePattern))
        kinds = (
            tuple(None if isinstance(term, Variable) else term for term in triple.terms) for triple in triples
        )
        result.setdefault(read.stream, Counter()).update(kinds)
    return result


def _reads_text(reads: _Reads) -> str:
    return " and ".join(sorted(set().union(*reads.values())))


def normal(pattern: Pattern) -> Hashable:
    """Return a form in which patterns are equal if they differ only in the nesting or the order of AND."""
    match pattern:
        case algebra.Bgp() | algebra.Join() | algebra.StreamBlock():
            return "AND", frozenset(Counter(_conjuncts(pattern)).items())
        case algebra.Union(left, right):
            # A multiset: P UNION P has each solution twice, so it is not P UNION Q with one of both.
            return "UNION", frozenset(Counter((normal(left), normal(right))).items())
        case algebra.PathPattern() | algebra.Values():
            return pattern
        case _:
            own = tuple(getattr(pattern, field.name) for field in fields(pattern) if field.name not in _PARTS)
            tests = tuple((test.variable, normal(test.pattern)) for test in tests_of(pattern))
            return type(pattern).__name__, own, tests, *map(normal, direct_parts(pattern))


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


def _columns_text(query: EngineQuery) -> str:
    return " ".join(f"?{variable.name}" for variable in sorted(query.result))
