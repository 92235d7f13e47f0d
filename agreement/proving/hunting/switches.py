"""What an engine may do in place of what is right: a change of the specification, query, input or answers.

In the order in which they are preferred where two explain the same.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial, reduce
from itertools import accumulate, combinations, count, groupby, permutations, product
from math import ceil
from operator import attrgetter, itemgetter
from types import UnionType
from typing import Any, Final

from agreement.comparing.judge import Options
from agreement.comparing.judge.diagnosis import variations
from agreement.comparing.matching.places import ReportMatch
from agreement.documents.recordings import Recording, Report
from agreement.documents.requests import MatchBy, WindowSource, sources, with_sources
from agreement.engines import specifications
from agreement.engines.engine import RspqlDefinition
from agreement.engines.specifications.parameters import Combination
from agreement.engines.specifications.reporting import PushedTriple
from agreement.proving.hunting.references import JudgedRun, Pattern, Switch, any_truth
from lars.durations import NANOSECONDS, Duration
from lars.language.formulas import Aggregation, Call, Expression
from lars.language.terms import XSD, Iri, Literal, Term, Variable
from lars.language.windows import Bounds
from solver.facts import Row, Static, Triple
from translate.analysis import rebuild, stream_blocks
from translate.model import patterns
from translate.model.patterns import Duplicates, variables
from translate.model.query import EngineQuery, Form, ToStream
from translate.model.windows import Range

_PARAMETERS: Final = {
    "report": "Definition 23 (when a window reports)",
    "bounds": "Definition 13 (which ends a window contains)",
    "slide": "Definition 13 (how windows slide)",
    "tick": "Definition 23 (what arrives as one)",
    "stream": "Definitions 20 to 22 (RSTREAM, ISTREAM, DSTREAM)",
    "empty": "Definition 24 (what of an answer without rows is reported)",
    "combination": "Definition 23 (which windows have to report)",
}
_BOUNDS: Final = {"open": "bounds = open: windows are open at both ends, (o, c)"}
_ROWS: Final = "SPARQL 1.1, 18.5: the answer is the multiset of all solutions"
_TIMES: Final = RspqlDefinition.AT_ITS_CLOSE


def switches_of(of: specifications.Specification, options: Options) -> tuple[Switch, ...]:
    """Return all switches but those that only some runs tell."""
    return (
        *_parameters(of),
        *_at_arrivals(of),
        *_start_times(options),
        *_operators(),
        *_queries(),
        *_inputs(),
        *_answers(),
    )


def _parameters(of: specifications.Specification) -> Iterator[Switch]:
    fields = type(of).model_fields
    every = [
        *((says, other) for says, other in variations(of) if other.rows is of.rows),
        *(
            (f"combination = {specifications.in_words(value)}", of.model_copy(update={"combination": value}))
            for value in Combination
            if value is not of.combination
        ),
    ]
    for says, changed in every:
        name = next(field for field in fields if getattr(of, field) != getattr(changed, field))
        value = getattr(changed, name)
        right = f"{_PARAMETERS.get(name, name)}: {name} = {specifications.in_words(getattr(of, name))}"
        sentence = _BOUNDS.get(specifications.in_words(value), says) if name == "bounds" else says
        yield Switch(sentence, right, partial(_with_parameter, name, value))


def _at_arrivals(of: specifications.Specification) -> Iterator[Switch]:
    """Yield that windows follow the arrivals, which is two changes of a specification at once."""
    yield Switch(
        "each arrival is answered at once over the window that ends there: report = content-change, "
        "slide = ignored",
        f"{_PARAMETERS['report']}: report = {specifications.in_words(of.report)}",
        _following_arrivals,
    )


def _following_arrivals(subject: JudgedRun) -> Iterable[JudgedRun]:
    changes = {
        "report": frozenset((specifications.Strategy.CONTENT_CHANGE,)),
        "slide": specifications.Slide.IGNORED,
    }
    for bounds, tick in product(
        (Bounds.LOW_OPEN, Bounds.CLOSED), (specifications.Tick.INSTANT, specifications.Tick.TRIPLE)
    ):
        ends = {"bounds": (bounds,), "tick": tick}
        specification = subject.specification.model_copy(update={**changes, **ends})
        changed = _with_options(replace(subject, specification=specification), bounds=None, until=None)
        new = _of_new(changed)
        for one in (changed,) if new is changed else (changed, new):
            yield one
            yield from _begun_earlier(one)


def _of_new(subject: JudgedRun) -> JudgedRun:
    """Return the run without the reports at triples that come twice at one instant: these change nothing."""
    recorded = subject.recorded
    pushes, reports = recorded.run.pushes, recorded.recording.reports
    again = {number for number, push in enumerate(pushes) if push in pushes[:number]}
    left = tuple(one for one in reports if one.trigger not in again)
    if left == reports:
        return subject
    return replace(subject, recorded=replace(recorded, recording=replace(recorded.recording, reports=left)))


def _with_parameter(name: str, value: object, subject: JudgedRun) -> Iterable[JudgedRun]:
    specification = subject.specification.model_copy(update={name: value})
    changed = replace(subject, specification=specification)
    return (_with_options(changed, bounds=None) if name == "bounds" else changed,)


def _with_options(subject: JudgedRun, **options: object) -> JudgedRun:
    changed = replace(subject.recorded.options, **options)  # type: ignore[arg-type]
    return replace(subject, recorded=replace(subject.recorded, options=changed))


def _start_times(options: Options) -> Iterator[Switch]:
    if options.starts is not None:
        right = f"t0 = {', '.join(map(str, options.starts))}, as given"
        for start in range(_STARTS):
            if start not in options.starts:
                at = partial(_with_start, start)
                yield Switch(f"windows begin at another t0: {start}", right, at)
        yield Switch("windows begin at the time of the first triple", right, _with_first)
    right = f"{RspqlDefinition.GRID}, and none opens before it"
    yield Switch("windows that opened before time 0 report too", right, _begun_earlier)


def _with_start(start: int, subject: JudgedRun) -> Iterable[JudgedRun]:
    return (_with_options(subject, starts=(start,)),)


def _with_first(subject: JudgedRun) -> Iterable[JudgedRun]:
    return _with_start(min((triple.t for triple in subject.recorded.task.elements), default=0), subject)


def _begun_earlier(subject: JudgedRun) -> Iterable[JudgedRun]:
    """Yield windows that begin so early that those were open at 0 that would be had they always run."""
    unit = subject.recorded.task.unit
    earlier = -max((length.points(unit) for length, _ in _ranges(subject.recorded.task)), default=0)
    return (_with_options(subject, starts=None, registered=earlier),)


def _ranges(task: specifications.Task) -> list[tuple[Duration, Duration | None]]:
    windows = (source.window for source in sources(task.query))
    return [(window.length, window.slide) for window in windows if isinstance(window, Range)]


def _operators() -> Iterator[Switch]:
    for operator in ToStream:

        def changed(query: EngineQuery, operator: ToStream = operator) -> EngineQuery:
            return query if query.to_stream is None else replace(query, to_stream=operator)

        right = f"{RspqlDefinition.OPERATORS}, not always {operator.value}"
        yield _of_query(f"reported as {operator.value}, whatever the query says", right, changed)
    for said, done in permutations(ToStream, 2):
        sentence = f"{said.value} is reported as {done.value}"
        yield _of_query(sentence, RspqlDefinition.OPERATORS, partial(_with_operators, {said: done}))
    exchanged = {ToStream.ISTREAM: ToStream.DSTREAM, ToStream.DSTREAM: ToStream.ISTREAM}
    yield _of_query(
        "ISTREAM and DSTREAM are exchanged", RspqlDefinition.OPERATORS, partial(_with_operators, exchanged)
    )


def _with_operators(other: Mapping[ToStream, ToStream], query: EngineQuery) -> EngineQuery:
    said = query.to_stream
    return query if said is None else replace(query, to_stream=other.get(said, said))


QueryChange = Callable[[EngineQuery], EngineQuery]


def _of_query(sentence: str, right: str, change: QueryChange) -> Switch:
    known: dict[int, tuple[EngineQuery, EngineQuery]] = {}

    def changed(subject: JudgedRun) -> Iterable[JudgedRun]:
        task = subject.recorded.task
        # One object for all runs of a query: what is known of its pattern is known by that.
        _, other = known.setdefault(id(task.query), (task.query, change(task.query)))
        if other == task.query:
            return (subject,)
        return (replace(subject, recorded=replace(subject.recorded, task=replace(task, query=other))),)

    return Switch(sentence, right, changed)


def _of_pattern(
    sentence: str,
    right: str,
    kind: type[patterns.Pattern] | UnionType,
    change: Callable[[Any], patterns.Pattern],
) -> Switch:
    """Return a switch by which each pattern of a kind is read as another, innermost first."""

    def changed(part: patterns.Pattern) -> patterns.Pattern | None:
        if not isinstance(part, kind):
            return None
        inner = (name for name in ("left", "right", "pattern") if name in part.__match_args__)
        parts: dict[str, Any] = {name: rebuild(getattr(part, name), changed) for name in inner}
        return change(replace(part, **parts))

    return _of_query(sentence, right, lambda query: replace(query, pattern=rebuild(query.pattern, changed)))


def _queries() -> Iterator[Switch]:
    """Yield what of a query may be left out or read otherwise."""
    yield from _conditions()
    yield from _algebra()
    yield from _solutions()
    yield from _windows()


_TRUE: Final = Literal("true", f"{XSD}boolean")
_FILTERED: Final = "SPARQL 1.1, 18.5, Filter: a solution for which the condition is not true is none"


def _conditions() -> Iterator[Switch]:
    kind = patterns.Filter
    yield _of_pattern("FILTER is ignored, EXISTS too", _FILTERED, kind, lambda part: part.pattern)
    for says, change in (
        ("FILTER is ignored", lambda part: part.pattern),
        (
            "FILTER is negated: it keeps what it should reject",
            lambda part: replace(part, condition=Call("!", (part.condition,))),
        ),
        (
            "FILTER compares at the border otherwise: > as >=, < as <=, and the reverse",
            lambda part: replace(part, condition=_at_border(part.condition)),
        ),
        (
            "FILTER compares texts where it should compare numbers",
            lambda part: replace(part, condition=_as_texts(part.condition)),
        ),
        (
            "FILTER keeps solutions for which its condition is an error",
            lambda part: replace(part, condition=Call("COALESCE", (part.condition, _TRUE))),
        ),
    ):
        yield _of_pattern(says, _FILTERED, kind, partial(_unless, attrgetter("exists"), change))
    yield _of_pattern(
        "EXISTS and NOT EXISTS are ignored",
        "SPARQL 1.1, 8.1: FILTER EXISTS tests whether a pattern matches",
        kind,
        lambda part: part.pattern if part.exists else part,
    )
    yield _of_pattern(
        "NOT EXISTS is evaluated as EXISTS, and the reverse",
        "SPARQL 1.1, 8.1: FILTER EXISTS tests whether a pattern matches",
        kind,
        lambda part: replace(part, condition=Call("!", (part.condition,))) if part.exists else part,
    )


PartChange = Callable[[Any], patterns.Pattern]


def _unless(spared: Callable[[Any], object], change: PartChange, part: patterns.Pattern) -> patterns.Pattern:
    return part if spared(part) else change(part)


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


def _algebra() -> Iterator[Switch]:
    left_join = "SPARQL 1.1, 18.5, LeftJoin: a solution without a match for the OPTIONAL part stays"
    yield _of_pattern("OPTIONAL is evaluated as a join", left_join, patterns.LeftJoin, _as_join)
    optional = "SPARQL 1.1, 18.5, LeftJoin: a match for the OPTIONAL part binds its variables"
    yield _of_pattern("OPTIONAL is ignored", optional, patterns.LeftJoin, lambda part: part.left)
    yield _of_pattern(
        "OPTIONAL is evaluated as UNION",
        optional,
        patterns.LeftJoin,
        lambda part: patterns.Union(part.left, part.right),
    )
    union = "SPARQL 1.1, 18.5, Union: the solutions of both branches"
    for says, name in (("first", "right"), ("last", "left")):
        sentence = f"of UNION only the {says} branch is evaluated"
        yield _of_pattern(sentence, union, patterns.Union, partial(_without_branch, name))
    yield _of_pattern(
        "UNION is evaluated as a join",
        union,
        patterns.Union,
        lambda part: patterns.Join(part.left, part.right),
    )
    yield _of_pattern("UNION loses equal solutions", union, patterns.Union, _distinct)
    minus = "SPARQL 1.1, 18.5, Minus: a solution with a compatible one on the other side is removed"
    yield _of_pattern("MINUS is ignored", minus, patterns.Minus, lambda part: part.left)
    join = "SPARQL 1.1, 18.5, Join: solutions are joined where their shared variables are equal"
    yield _of_pattern("patterns are joined without their shared variables", join, patterns.Bgp, _apart)
    yield _of_pattern(
        "patterns are joined without their shared variables, inside of windows",
        join,
        patterns.StreamBlock,
        lambda part: replace(part, pattern=_apart(part.pattern)),
    )
    yield _of_pattern(
        "predicates are not compared: a pattern matches triples of any",
        "SPARQL 1.1, 18.3.1: a triple matches where its predicate is that of the pattern",
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


def _as_join(part: patterns.LeftJoin) -> patterns.Pattern:
    both = patterns.Join(part.left, part.right)
    return both if part.condition is None else patterns.Filter(both, part.condition, part.exists)


def _without_branch(name: str, part: patterns.Union) -> patterns.Pattern:
    """Return a UNION of which one branch has no solution: its windows still report."""
    branch: patterns.Pattern = getattr(part, name)
    return replace(part, **{name: patterns.Filter(branch, Call("!", (_TRUE,)))})


def _distinct(part: patterns.Pattern) -> patterns.Pattern:
    names = tuple(sorted(variables(part), key=attrgetter("name")))
    return patterns.Select(part, names, patterns.Modifiers(Duplicates.DISTINCT))


_FRESH: Final = count()


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
    """Return a group in which each variable that triple patterns share stands in the first of them alone."""
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
        "projection is lost: all variables are reported, not those that SELECT names",
        "SPARQL 1.1, 18.5, Project: the variables that SELECT names",
        _unprojected,
    )
    kept = "SPARQL 1.1, 18.5, Distinct: equal solutions once, where DISTINCT says so"
    for says, duplicates in (
        ("DISTINCT is ignored", Duplicates.KEPT),
        ("equal rows are reported once, as if each SELECT had DISTINCT", Duplicates.DISTINCT),
    ):
        yield _of_query(says, kept, partial(_with_duplicates, duplicates))
    grouped = "SPARQL 1.1, 18.5.1: an aggregate is of all solutions of its group"
    yield _of_pattern(
        "an aggregate over no solution is not reported: COUNT gives no 0",
        "SPARQL 1.1, 18.5.1: without GROUP BY all solutions are one group, also where there is none",
        patterns.Group,
        _without_empty_group,
    )
    yield _of_pattern("GROUP BY is ignored", grouped, patterns.Group, lambda part: replace(part, keys=()))
    yield _of_pattern(
        "aggregates take equal values once where they should count each, and the reverse",
        grouped,
        patterns.Group,
        lambda part: _aggregating(part, lambda one: replace(one, distinct=not one.distinct)),
    )
    for function in ("COUNT", "SUM", "AVG", "MIN", "MAX", "SAMPLE"):
        yield _of_pattern(
            f"every aggregate is evaluated as {function}",
            grouped,
            patterns.Group,
            partial(_all_as, function),
        )
    yield _of_query(
        "ASK is always answered by true",
        "SPARQL 1.1, 16.3: ASK is false without a solution",
        lambda query: (
            replace(query, pattern=patterns.LeftJoin(patterns.EMPTY, query.pattern))
            if query.form is Form.ASK
            else query
        ),
    )
    yield _of_query(
        "LIMIT and OFFSET are ignored",
        "SPARQL 1.1, 18.5, Slice",
        _unlimited,
    )


@cache
def _unlimited(query: EngineQuery) -> EngineQuery:
    return replace(query, modifiers=replace(query.modifiers, offset=0, limit=None))


def _without_empty_group(group: patterns.Group) -> patterns.Group:
    if group.keys:
        return group
    key = Variable("any_group")
    return replace(group, pattern=patterns.Extend(group.pattern, key, _TRUE), keys=(key,))


def _aggregating(group: patterns.Group, change: Callable[[Aggregation], Aggregation]) -> patterns.Group:
    return replace(group, aggregates=tuple((name, change(one)) for name, one in group.aggregates))


def _all_as(function: str, group: patterns.Group) -> patterns.Group:
    return _aggregating(group, lambda one: replace(one, function=function))


def _unprojected(query: EngineQuery) -> EngineQuery:
    if query.form is not Form.SELECT or isinstance(query.pattern, patterns.Group | patterns.Extend):
        return query
    more = sorted(variables(query.pattern) - set(query.result), key=attrgetter("name"))
    return replace(query, result=(*query.result, *more))


def _with_duplicates(duplicates: Duplicates, query: EngineQuery) -> EngineQuery:
    if duplicates is Duplicates.KEPT and query.modifiers.duplicates is not Duplicates.DISTINCT:
        return query
    return replace(query, modifiers=replace(query.modifiers, duplicates=duplicates))


def _windows() -> Iterator[Switch]:
    """Yield windows of other lengths and slides, on other streams, shown together."""
    long = "Definitions 11 and 13: the RANGE that the query says"
    often = "Definitions 11 and 13: the STEP that the query says"
    for says, right, change in (
        ("windows are one time point longer", long, partial(_sized, 1, 0)),
        ("windows are one time point shorter", long, partial(_sized, -1, 0)),
        ("the STEP is one time point longer", often, partial(_sized, 0, 1)),
        ("the STEP is one time point shorter", often, partial(_sized, 0, -1)),
        ("windows are twice as long as RANGE says", long, lambda w: replace(w, length=_times(2, w.length))),
        ("windows are half as long as RANGE says", long, lambda w: replace(w, length=_times(0.5, w.length))),
        (
            "windows are as long as STEP says, not RANGE",
            long,
            lambda w: replace(w, length=w.slide or w.length),
        ),
        ("STEP is ignored: each window begins where one ends", often, lambda w: replace(w, slide=w.length)),
        ("the STEP is twice as long", often, lambda w: replace(w, slide=w.slide and _times(2, w.slide))),
    ):
        yield _of_windows(says, right, change)
    for number in range(_STREAMS):
        yield _of_query(
            f"all windows show stream {number + 1}", RspqlDefinition.OWN_STREAM, partial(_on_stream, number)
        )
    yield _of_query(
        "of the windows on one stream only the last is fed", RspqlDefinition.OWN_STREAM, _last_alone
    )
    yield _of_query(
        "of the windows on one stream only the first is fed", RspqlDefinition.OWN_STREAM, _first_alone
    )
    yield Switch(
        "windows show the triples of all streams",
        RspqlDefinition.OWN_STREAM,
        _all_streams,
    )
    yield _of_query("windows show each other's streams", RspqlDefinition.OWN_STREAM, _exchanged)
    yield _of_query(
        "what one window shows is matched in the others too",
        "Definition 14: each window is a graph of its own",
        _merged,
    )


_STREAMS: Final = 2


def _all_streams(subject: JudgedRun) -> Iterable[JudgedRun]:
    task = subject.recorded.task
    names = dict.fromkeys(str(source.stream) for source in sources(task.query))
    if len(names) == 1:
        return (subject,)
    copies = (replace(triple, stream=name) for triple in task.elements for name in names)
    return (_with_elements(subject, tuple(copies)),)


def _times(factor: float, length: Duration) -> Duration:
    return Duration(int(length.nanoseconds * factor))


def _sized(longer: int, wider: int, window: Range) -> Range:
    """Return a window whose length and slide are so many time points more: seconds, or milliseconds."""
    spans = (window.length, *filter(None, (window.slide,)))
    unit = (
        NANOSECONDS["s"]
        if all(not span.nanoseconds % NANOSECONDS["s"] for span in spans)
        else NANOSECONDS["ms"]
    )
    slide = None if window.slide is None else Duration(window.slide.nanoseconds + wider * unit)
    return replace(window, length=Duration(window.length.nanoseconds + longer * unit), slide=slide)


def _of_windows(sentence: str, right: str, change: Callable[[Range], Range]) -> Switch:
    def changed(source: WindowSource) -> WindowSource:
        window = source.window
        if not isinstance(window, Range):
            return source
        other = change(window)
        short = other.slide is not None and other.slide.nanoseconds <= 0
        return source if short or other.length.nanoseconds <= 0 else replace(source, window=other)

    return _of_query(sentence, right, lambda query: with_sources(query, changed))


def _on_stream(number: int, query: EngineQuery) -> EngineQuery:
    names = list(dict.fromkeys(source.stream for source in sources(query)))
    if number >= len(names) or len(names) == 1:
        return query
    return with_sources(query, lambda source: replace(source, stream=names[number]))


def _exchanged(query: EngineQuery) -> EngineQuery:
    names = list(dict.fromkeys(source.stream for source in sources(query)))
    other = dict(zip(names, names[::-1], strict=True))
    return with_sources(query, lambda source: replace(source, stream=other[source.stream]))


_NO_STREAM: Final = Iri("http://e/no-stream")


def _last_alone(query: EngineQuery) -> EngineQuery:
    return _fed(query, {source.stream: source for source in sources(query)})


def _first_alone(query: EngineQuery) -> EngineQuery:
    return _fed(query, {source.stream: source for source in reversed(sources(query))})


def _fed(query: EngineQuery, only: dict[Iri | Variable, WindowSource]) -> EngineQuery:
    return with_sources(
        query, lambda one: one if only[one.stream] == one else replace(one, stream=_NO_STREAM)
    )


def _merged(query: EngineQuery) -> EngineQuery:
    every = list(dict.fromkeys((one.stream, one.window, one.name) for one in stream_blocks(query.pattern)))

    def changed(part: patterns.Pattern) -> patterns.Pattern | None:
        if not isinstance(part, patterns.StreamBlock):
            return None
        whole: patterns.Pattern | None = None
        for stream, window, name in every:
            block = patterns.StreamBlock(stream, window, part.pattern, name)
            whole = block if whole is None else patterns.Union(whole, block)
        # What all windows show together is a graph, a set.
        return None if whole is None else _distinct(whole)

    return replace(query, pattern=rebuild(query.pattern, changed)) if len(every) > 1 else query


Loss = Callable[[specifications.Task], Iterable[frozenset[int]]]
"""Which triples an engine may lose, by their numbers: alternatives."""
_STARTS: Final = 10


def _inputs() -> Iterator[Switch]:
    for says, lost in _LOSSES:
        yield Switch(says, RspqlDefinition.ALL_TRIPLES, partial(_without, lost))
    yield Switch(
        "windows forget nothing: a triple stays in all that close later",
        "Definition 13: a window shows what arrived between its own ends",
        _never_forgotten,
    )
    yield Switch(
        "the triple that makes a window close is in it already",
        "Definition 13: a window shows what arrived between its own ends",
        _shown_at_once,
    )
    yield Switch(
        "a triple counts as often as it arrives in a window",
        "Definition 14: what a window shows is an RDF graph, a set",
        _counted,
    )
    yield Switch(
        "static data are ignored", "SPARQL 1.1, 13: the default graph of the dataset", _without_static
    )


def _without(lost: Loss, subject: JudgedRun) -> Iterator[JudgedRun]:
    task = subject.recorded.task
    for numbers in dict.fromkeys(lost(task)):
        if not numbers:
            yield subject
            continue
        left = tuple(triple for triple in task.elements if triple.number not in numbers)
        yield _with_elements(subject, left)


def _with_elements(subject: JudgedRun, elements: tuple[PushedTriple, ...]) -> JudgedRun:
    recorded = subject.recorded
    return replace(subject, recorded=replace(recorded, task=replace(recorded.task, elements=elements)))


def _without_static(subject: JudgedRun) -> Iterable[JudgedRun]:
    recorded = subject.recorded
    return (
        replace(
            subject, recorded=replace(recorded, task=replace(recorded.task, static=Static(frozenset(), {})))
        ),
    )


def _never_forgotten(subject: JudgedRun) -> Iterable[JudgedRun]:
    """Yield a run in which every triple comes again at each later time point, so in all later windows."""
    elements, until = subject.recorded.task.elements, subject.recorded.task.until
    copies = [replace(one, t=t) for one in elements for t in range(one.t, until + 1)]
    return (_with_elements(subject, tuple(sorted(copies, key=attrgetter("t")))),)


def _shown_at_once(subject: JudgedRun) -> Iterable[JudgedRun]:
    """Yield a run in which every triple comes at each time point since the arrival before it, too."""
    elements = sorted(subject.recorded.task.elements, key=attrgetter("number"))
    before = accumulate((triple.t for triple in elements), max, initial=0)
    since = ((triple, min(time, triple.t)) for triple, time in zip(elements, before, strict=False))
    copies = [replace(triple, t=t) for triple, time in since for t in range(time, triple.t + 1)]
    return (_with_elements(subject, tuple(sorted(copies, key=attrgetter("t")))),)


_MOST_COPIES: Final = 32


def _counted(subject: JudgedRun) -> Iterable[JudgedRun]:
    """Yield a run in which each arrival has a predicate of its own, and the query asks for any of these."""
    task = subject.recorded.task
    seen: Counter[tuple[str, Triple]] = Counter()
    elements: list[PushedTriple] = []
    for one in task.elements:
        number = seen[one.stream, one.triple]
        seen[one.stream, one.triple] += 1
        node, predicate, object_ = one.triple
        own = (node, f"{predicate[:-1]}#{number}>" if number else predicate, object_)
        elements.append(replace(one, triple=own))
    most = 1 << (max(seen.values(), default=1) - 1).bit_length()
    if most == 1 or most > _MOST_COPIES:
        return (subject,)
    known = _COUNTED.setdefault((id(task.query), most), (task.query, _of_arrivals(task.query, most)))
    changed = replace(task, query=known[1], elements=tuple(elements))
    return (replace(subject, recorded=replace(subject.recorded, task=changed)),)


_COUNTED: Final[dict[tuple[int, int], tuple[EngineQuery, EngineQuery]]] = {}


def _of_arrivals(query: EngineQuery, most: int) -> EngineQuery:
    def changed(part: patterns.Pattern) -> patterns.Pattern | None:
        if not isinstance(part, patterns.StreamBlock) or not isinstance(part.pattern, patterns.Bgp):
            return None
        alone = (_any_arrival(triple, most) for triple in part.pattern.triples)
        blocks: list[patterns.Pattern] = [replace(part, pattern=each) for each in alone]
        return reduce(patterns.Join, blocks)

    return replace(query, pattern=rebuild(query.pattern, changed))


def _any_arrival(triple: patterns.TriplePattern, most: int) -> patterns.Bgp | patterns.PathPattern:
    if not isinstance(triple.predicate, Iri):
        return patterns.Bgp((triple,))
    name = triple.predicate.value
    paths: list[patterns.Path] = [
        patterns.Link(Iri(f"{name}#{number}" if number else name)) for number in range(most)
    ]
    return patterns.PathPattern(triple.subject, reduce(patterns.Alternative, paths), triple.object)


def _first(task: specifications.Task) -> Iterator[frozenset[int]]:
    yield frozenset([min((triple.number for triple in task.elements), default=0)])


def _same_instant(place: int, task: specifications.Task) -> Iterator[frozenset[int]]:
    """Yield all triples of an instant but the first, or the last."""
    groups = (list(group) for _, group in groupby(task.elements, attrgetter("t")))
    kept = frozenset(group[place].number for group in groups)
    yield frozenset(pushed_triple.number for pushed_triple in task.elements) - kept


def _each_third(task: specifications.Task) -> Iterator[frozenset[int]]:
    numbers = [triple.number for triple in task.elements]
    yield from (frozenset(numbers[place::_THIRD]) for place in (_THIRD - 1, 0, 1))


_THIRD: Final = 3


def _each_second(task: specifications.Task) -> Iterator[frozenset[int]]:
    numbers = [triple.number for triple in task.elements]
    yield from (frozenset(numbers[place::2]) for place in (1, 0))


def _at_zero(task: specifications.Task) -> Iterator[frozenset[int]]:
    yield frozenset(triple.number for triple in task.elements if not triple.t)


def _ever_again(task: specifications.Task) -> Iterator[frozenset[int]]:
    yield _repeated(task.elements, lambda _: -1)


def _again(task: specifications.Task) -> Iterator[frozenset[int]]:
    """Yield the triples that arrive again while an engine keeps them, for each way to keep them.

    It may keep them as long as a window that can still report shows them, whatever t0, or for some time.
    """
    ranges = _ranges(task)
    width = max((length.points(task.unit) for length, _ in ranges), default=0)
    slide = max(1, min((slide.points(task.unit) for _, slide in ranges if slide), default=1))
    for first in range(width - 1, width + min(slide, _STARTS)):
        yield _repeated(task.elements, partial(_opening, first, slide, width))
    times: dict[tuple[str, Triple], list[int]] = {}
    for triple in task.elements:
        times.setdefault((triple.stream, triple.triple), []).append(triple.t)
    for gap in sorted({u - t for same in times.values() for t, u in combinations(same, 2) if u > t}):
        yield _repeated(task.elements, partial(_earlier, gap + 1))


def _opening(first: int, slide: int, width: int, t: int) -> int:
    """Return when the window opened that closes next from t on; windows close at `first` + k `slide`."""
    return first - (first - t) // slide * slide - width


def _earlier(by: int, t: int) -> int:
    return t - by


def _repeated(elements: Iterable[PushedTriple], kept: Callable[[int], int]) -> frozenset[int]:
    """Return what arrives again after it has counted, if it did so later than `kept` says of the time."""
    counted: dict[tuple[str, Triple], int] = {}
    lost = set[int]()
    for triple in elements:
        before = counted.get((triple.stream, triple.triple))
        if before is not None and before > kept(triple.t):
            lost.add(triple.number)
        else:
            counted[triple.stream, triple.triple] = triple.t
    return frozenset(lost)


_LOSSES: Final[tuple[tuple[str, Loss], ...]] = (
    ("of the triples of one instant only the first counts", partial(_same_instant, 0)),
    ("of the triples of one instant only the last counts", partial(_same_instant, -1)),
    ("triples of time 0 are lost", _at_zero),
    ("every second triple is lost", _each_second),
    ("every third triple is lost", _each_third),
    ("the first triple is lost", _first),
    ("a triple that has come before is lost, however long ago", _ever_again),
    ("a triple that arrives again while it is kept counts at its first time alone", _again),
)


def _answers() -> Iterator[Switch]:
    """Yield answers that are right but for one thing."""
    yield Switch(
        "ASK is answered by 1 or 0, or a text, not by a boolean",
        "SPARQL 1.1, 16.3: ASK gives true or false",
        partial(_reported, lambda recording: _each(recording, any_truth)),
    )
    yield Switch(
        "a variable without a value is reported as an empty text",
        "SPARQL 1.1, 18.5, LeftJoin: a variable that nothing binds has no value",
        _with_unbound,
    )
    yield Switch(
        "LIMIT keeps other rows than those that ORDER BY puts first",
        "SPARQL 1.1, 18.5, Slice and OrderBy: the first solutions in the order of ORDER BY",
        _out_of_order,
    )
    yield Switch(
        "rows do not keep the kinds of terms: datatypes, languages, or which are IRIs",
        "RDF 1.1 Concepts, 3.3: terms of other kinds are other terms",
        _lexical,
    )
    yield Switch("each row is reported twice", _ROWS, partial(_reported, _rows_halved))
    yield Switch("each report comes twice", RspqlDefinition.EACH_WINDOW, partial(_reported, _halved))
    for says, kept in _OF_SEVERAL:
        yield Switch(says, RspqlDefinition.EACH_WINDOW, partial(_of_several, kept))
    for says, pattern in _PATTERNS:
        yield Switch(says, _ROWS, partial(_with_pattern, pattern))
    for slides in (1, -1, 2):
        text = f"by {'one slide' if abs(slides) == 1 else '2 slides'}"
        yield Switch(
            f"every report is {'late' if slides > 0 else 'early'} {text}", _TIMES, partial(_by_slides, slides)
        )
    yield Switch("every report has the time at which its window opens", _TIMES, _at_opening)
    yield Switch("all reports have the same time", _TIMES, _at_one_time)
    for says, factor in (("a thousandfold", 0.001), ("a thousandth", 1000.0)):
        yield Switch(f"times of reports are {says} of what they should be", _TIMES, partial(_scaled, factor))
    yield Switch("a report waits for the next triple, and has its time", _TIMES, _at_arrival)


def _at_arrival(subject: JudgedRun) -> Iterable[JudgedRun]:
    """Yield the run with its answers in their order alone, where each report has the time of its push.

    It says nothing of a run without reports.
    """
    recorded = subject.recorded
    pushes, reports = recorded.run.pushes, recorded.recording.reports
    if not reports:
        return (subject,)
    if any(one.trigger is None or one.t != pushes[one.trigger].t for one in reports):
        return ()
    return (_with_options(subject, match=MatchBy.SEQUENCE, until=None),)


def _with_pattern(pattern: Pattern, subject: JudgedRun) -> Iterable[JudgedRun]:
    return (replace(subject, pattern=pattern),)


def _reported(change: Callable[[Recording], Recording | None], subject: JudgedRun) -> Iterable[JudgedRun]:
    recording = change(subject.recorded.recording)
    if recording is None or recording == subject.recorded.recording:
        return () if recording is None else (subject,)
    return (replace(subject, recorded=replace(subject.recorded, recording=recording)),)


def _each(recording: Recording, change: Callable[[Report], Report]) -> Recording:
    return replace(recording, reports=tuple(map(change, recording.reports)))


def _by_slides(slides: int, subject: JudgedRun) -> Iterable[JudgedRun]:
    task = subject.recorded.task
    for slide in dict.fromkeys(slide.points(task.unit) for _, slide in _ranges(task) if slide):
        yield from moved(slides * slide * task.unit.milliseconds, subject)


def _at_opening(subject: JudgedRun) -> Iterable[JudgedRun]:
    task = subject.recorded.task
    lengths = dict.fromkeys(length.points(task.unit) for length, _ in _ranges(task))
    for length in lengths:
        yield from moved(-length * task.unit.milliseconds, subject)


def _at_one_time(subject: JudgedRun) -> Iterable[JudgedRun]:
    """Yield the run with its answers in their order alone, where all have one time."""
    times = {one.t for one in subject.recorded.recording.reports}
    if not times:
        yield subject
    elif len(times) == 1:
        yield _with_options(subject, match=MatchBy.SEQUENCE, until=None)


def moved(by: float, subject: JudgedRun) -> Iterable[JudgedRun]:
    """Yield the run with reports so many ms earlier; what is then due after its end is not judged."""
    task = subject.recorded.task
    until = subject.recorded.options.until
    end = (task.last if until is None else until) - max(0, ceil(by / task.unit.milliseconds))
    strict = _with_options(subject, late=0.0, until=end if end > 0 else until)
    return _reported(lambda recording: _each(recording, lambda one: replace(one, t=one.t - by)), strict)


def _scaled(factor: float, subject: JudgedRun) -> Iterable[JudgedRun]:
    return _reported(lambda recording: _each(recording, lambda one: replace(one, t=one.t * factor)), subject)


_EMPTY_TEXT: Final = '""'


def _with_unbound(subject: JudgedRun) -> Iterable[JudgedRun]:
    """Yield the run with no value for an empty text; it says nothing of a run without any."""
    if not any(_EMPTY_TEXT in row for one in subject.recorded.recording.reports for row in one.rows):
        return (subject,)

    def unbound(report: Report) -> Report:
        rows = (tuple(None if text == _EMPTY_TEXT else text for text in row) for row in report.rows)
        return replace(report, rows=tuple(rows))

    return _reported(lambda recording: _each(recording, unbound), subject)


def _out_of_order(subject: JudgedRun) -> Iterable[JudgedRun]:
    """Yield the run with as many rows in each report as LIMIT and OFFSET leave, of all without these."""
    task = subject.recorded.task
    modifiers = task.query.modifiers
    if not modifiers.slices or not modifiers.order:
        return (subject,)
    query = _unlimited(task.query)
    least, most = modifiers.offset, modifiers.limit

    def some(whole: list[Row], came: list[Row]) -> bool:
        left = max(0, len(whole) - least)
        return len(came) == (left if most is None else min(most, left)) and not Counter(came) - Counter(whole)

    changed = replace(subject.recorded, task=replace(task, query=query))
    return (replace(subject, recorded=changed, pattern=in_each(some)),)


def _lexical(subject: JudgedRun) -> Iterable[JudgedRun]:
    """Yield the run with the pattern that terms are right but for their kinds; a boolean may be a text."""
    recorded = subject.recorded
    told = any("^^" in (text or "") for one in recorded.recording.reports for row in one.rows for text in row)
    changed = recorded if told else replace(recorded, recording=_each(recorded.recording, any_truth))
    return (replace(subject, recorded=changed, pattern=in_each(_of_other_kinds)),)


def _of_other_kinds(right: list[Row], came: list[Row]) -> bool:
    return Counter(map(_plainly, right)) == Counter(map(_plainly, came))


def _plainly(row: Row) -> Row:
    return tuple(text and _TERM.sub(r"\1\2", text) for text in row)


_TERM: Final = re.compile(r'<([^>]*)>|"(.*)"(?:@[-\w]+|\^\^<[^>]*>)?', re.DOTALL)


def _rows_halved(recording: Recording) -> Recording | None:
    counts = [Counter(report.rows) for report in recording.reports]
    if any(count % 2 for rows in counts for count in rows.values()):
        return None
    halves = ([row for row, count in rows.items() for _ in range(count // 2)] for rows in counts)
    both = zip(recording.reports, halves, strict=True)
    return replace(recording, reports=tuple(replace(report, rows=tuple(rows)) for report, rows in both))


def _halved(recording: Recording) -> Recording | None:
    left: list[Report] = []
    kept: list[Report] = []
    for report in recording.reports:
        same = [one for one in left if one.t == report.t and Counter(one.rows) == Counter(report.rows)]
        if same:
            left.remove(same[0])
            kept.append(report)
        else:
            left.append(report)
    return None if left else replace(recording, reports=tuple(kept))


OneOfSeveral = Callable[[Sequence[ReportMatch]], ReportMatch]
_OF_SEVERAL: Final[tuple[tuple[str, OneOfSeveral], ...]] = (
    ("of the windows that close between two arrivals only the first reports", itemgetter(0)),
    ("of the windows that close between two arrivals only the last reports", itemgetter(-1)),
)


def _of_several(kept: OneOfSeveral, subject: JudgedRun) -> Iterable[JudgedRun]:
    """Yield the run with the pattern that of the windows that one arrival finds closed one reports."""
    times = [triple.t * subject.recorded.task.unit.milliseconds for triple in subject.recorded.task.elements]

    def alone(place: Callable[[Sequence[float], float], int], windows: Sequence[ReportMatch]) -> bool:
        due: dict[int, list[ReportMatch]] = {}
        for window in windows:
            if window.rows.shared or window.rows.missing or window.rows.extra:
                due.setdefault(place(times, window.at), []).append(window)
        silent = [window for several in due.values() for window in several if window is not kept(several)]
        wrong = [window for window in windows if window.problem is not None]
        return wrong == silent and not any(window.rows.actual for window in silent)

    for place in (bisect_left, bisect_right):
        yield replace(subject, pattern=partial(alone, place))


def _rows_of(window: ReportMatch) -> tuple[list[Row], list[Row]]:
    return [*window.rows.shared, *window.rows.missing], [*window.rows.shared, *window.rows.extra]


def in_each(holds: Callable[[list[Row], list[Row]], bool]) -> Pattern:
    """Return the pattern that in each window the rows that are right and that came have a relation."""

    def pattern(windows: Sequence[ReportMatch]) -> bool:
        # Rows say nothing of a report that belongs to no window, or of one that is wrong though it is empty.
        strange = any(one.right is None or (one.problem is not None and one.rows.equal) for one in windows)
        return not strange and all(holds(*_rows_of(window)) for window in windows)

    return pattern


def _without_one(right: list[Row], came: list[Row]) -> bool:
    lost = Counter(right) - Counter(came)
    return lost.total() == bool(right) and not Counter(came) - Counter(right)


def _without_one_of_several(right: list[Row], came: list[Row]) -> bool:
    return right == came if len(right) < _SEVERAL else _without_one(right, came)


_SEVERAL: Final = 2


def _at_most_one(right: list[Row], came: list[Row]) -> bool:
    return len(came) == min(1, len(right)) and not Counter(came) - Counter(right)


def _none_of_several(right: list[Row], came: list[Row]) -> bool:
    return came == (right if len(right) < _SEVERAL else [])


def _lost_report(place: int, windows: Sequence[ReportMatch]) -> bool:
    """Whether of all reports with rows one is missing, and the others are right."""
    due = [window for window in windows if window.rows.expected]
    wrong = [window for window in windows if window.problem is not None]
    return wrong == due[place:][:1] and not any(window.rows.actual for window in wrong)


def _every_other(first: int, windows: Sequence[ReportMatch]) -> bool:
    due = [window for window in windows if window.rows.expected]
    wrong = [window for window in windows if window.problem is not None]
    return wrong == due[first::2] and not any(window.rows.actual for window in wrong)


def _after_first(windows: Sequence[ReportMatch]) -> bool:
    due = [window for window in windows if window.rows.expected]
    wrong = [window for window in windows if window.problem is not None]
    return wrong == due[1:] and not any(window.rows.actual for window in wrong)


Reporting = Callable[[Counter[Row], Counter[Row] | None, Counter[Row]], Counter[Row]]
"""What is reported: by what is right, what was right before (with rows), and the most of each row so far."""


def _remembering(reporting: Reporting, windows: Sequence[ReportMatch]) -> bool:
    """Whether what came is what is reported by the right rows up to it."""
    before: Counter[Row] | None = None
    ever: Counter[Row] = Counter()
    for window in windows:
        right, came = map(Counter, _rows_of(window))
        if window.triples is None or came != reporting(right, before, ever):
            return False
        before, ever = right or before, ever | right
    return True


def _without_kind(start: str, end: str, right: list[Row], came: list[Row]) -> bool:
    """Whether rows are missing that have a term of a kind, by its first and last characters, and no other."""
    kind = re.compile(f"{start}.*{end}", re.DOTALL)
    kept = [row for row in right if not any(text and kind.fullmatch(text) for text in row)]
    return Counter(kept) == Counter(came)


_KINDS_OF_TERMS: Final = (
    ("texts with a language", '"', r"@[-\w]+"),
    ("texts", '"', '"'),
    ("numbers", '"', ">"),
    ("IRIs", "<", ">"),
)
_PATTERNS: Final[tuple[tuple[str, Pattern], ...]] = (
    *(
        (f"rows with {kind} are not reported", in_each(partial(_without_kind, start, end)))
        for kind, start, end in _KINDS_OF_TERMS
    ),
    ("each report is one row short", in_each(_without_one)),
    ("each report of several rows is one row short", in_each(_without_one_of_several)),
    ("each report has one row at most", in_each(_at_most_one)),
    ("an answer of several rows is not reported", in_each(_none_of_several)),
    (
        "a report that equals the one before is missing",
        partial(_remembering, lambda right, before, _: Counter() if right == before else right),
    ),
    (
        "a row that has been reported before never comes again",
        partial(_remembering, lambda right, _, ever: right - ever),
    ),
    (
        "a report has the rows of those before it too",
        partial(_remembering, lambda right, _, ever: right | ever),
    ),
    ("the first report is missing", partial(_lost_report, 0)),
    ("the last report is missing", partial(_lost_report, -1)),
    ("every second report is missing", partial(_every_other, 1)),
    ("every second report is missing, from the first on", partial(_every_other, 0)),
    ("only the first report comes", _after_first),
)
