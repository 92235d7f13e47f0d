"""Possible faults of engines with their input: triples are lost, kept too long, or counted differently.

A fault (switch) changes the input with which a run is judged. If the run is correct on the changed input, the
fault explains the run.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial, reduce
from itertools import accumulate, combinations, count, groupby, islice, pairwise, product
from operator import attrgetter
from typing import Final

from agreement.comparing.matching.places import ReportMatch
from agreement.documents.outputs import plain
from agreement.documents.requests import sources
from agreement.engines import specifications
from agreement.engines.engine import RspqlDefinition
from agreement.engines.specifications.elements import PushedTriple
from agreement.proving.hunting.references import HuntedRun, JudgedRun, Switch
from lars.durations import Duration
from lars.language.formulas import Call
from lars.language.terms import Iri, Variable
from solver.facts import Row, Static, Triple
from solver.rdf import blanks_in, with_blanks
from translate.analysis import rebuild
from translate.model import patterns
from translate.model.query import EngineQuery
from translate.model.windows import Range

STARTS: Final = 10
"""The number of start times t0 of the first window that are tried: 0, 1, and so on."""


def ranges(task: specifications.Task) -> list[tuple[Duration, Duration | None]]:
    """Return the length and the slide (or None) of each time-based window of a query."""
    windows = (source.window for source in sources(task.query))
    return [(window.length, window.slide) for window in windows if isinstance(window, Range)]


def all_streams(subject: JudgedRun) -> Iterable[JudgedRun]:
    """Return the run to judge if an engine has the fault that windows contain the triples of all streams.

    In the returned run, each triple arrives in each stream of the query.
    """
    task = subject.recorded.task
    names = dict.fromkeys(str(source.stream) for source in sources(task.query))
    if len(names) == 1:
        return (subject,)
    copies = (replace(triple, stream=name) for triple in task.elements for name in names)
    return (subject.with_elements(tuple(copies)),)


Loss = Callable[[specifications.Task], Iterable[frozenset[int]]]
"""A function that returns alternative sets of triples that an engine may lose, as numbers of the triples."""


def input_changes() -> Iterator[Switch]:
    """Yield the possible faults of engines with their input, such as lost triples."""
    for says, lost in _LOSSES:
        yield Switch(says, RspqlDefinition.ALL_TRIPLES, partial(_without, lost))
    yield Switch(
        "windows lose no triples: a triple stays in all windows that close later",
        "Definition 13: a window contains the arrivals between its own ends",
        _never_forgotten,
    )
    yield Switch(
        "a window already contains the triple that makes the window close",
        "Definition 13: a window contains the arrivals between its own ends",
        _shown_at_once,
    )
    yield Switch(
        "a window closes with the first triple at its end: it does not contain other triples of this time",
        "Definition 13: a window contains the arrivals between its own ends",
        _closed_at_once,
    )
    yield Switch(
        "an arrival removes triples older than RANGE before the windows that it closes are evaluated",
        "Definition 13: a window contains the arrivals between its own ends",
        _removed_early,
    )
    yield Switch(
        "a window lacks the triple that arrived last before the window is evaluated",
        RspqlDefinition.ALL_TRIPLES,
        _lagging,
    )
    yield Switch(
        "a late triple counts as of the latest time before it",
        "Definitions 9 and 13: a triple is in the windows that contain its own time, or it is not accepted",
        _restamped,
    )
    for step in _ROUNDINGS:
        yield Switch(
            f"the times of triples are rounded down to multiples of {step} time points",
            "Definitions 9 and 13: a triple is in the windows that contain its own time",
            partial(_rounded, step),
        )
    yield Switch(
        "a triple counts as often as it arrives in a window",
        "Definition 14: the content of a window is an RDF graph, which is a set",
        _counted,
    )
    yield Switch(
        "a triple replaces the earlier triples with the same subject and predicate",
        "Definition 14: the content of a window is an RDF graph, in which a property may have several values",
        _replaced,
    )
    for says, renamed in _RENAMINGS:
        yield Switch(says, _OF_ELEMENTS, partial(_with_blanks, renamed))
    for says, kept in _kept_parts():
        yield Switch(says, RspqlDefinition.ALL_TRIPLES, partial(_showing, kept))
    yield Switch(
        "only one of several static triples with the same subject and predicate is used",
        "SPARQL 1.1, 13: the default graph of the dataset",
        _with_one_static,
    )
    yield Switch(
        "static data are ignored", "SPARQL 1.1, 13: the default graph of the dataset", _without_static
    )
    for says, least in (
        ("only the first evaluation reads the static data", 0),
        ("after the first report with a row, evaluations do not read the static data", 1),
    ):
        once = partial(_with_static_once, least)
        yield Switch(says, "SPARQL 1.1, 13: the default graph of the dataset", once)


def _without(lost: Loss, subject: JudgedRun) -> Iterator[JudgedRun]:
    task = subject.recorded.task
    for numbers in dict.fromkeys(lost(task)):
        if not numbers:
            yield subject
            continue
        left = tuple(triple for triple in task.elements if triple.number not in numbers)
        yield subject.with_elements(left)


def _without_static(subject: JudgedRun) -> Iterable[JudgedRun]:
    return (_on_static(Static(frozenset(), {}), subject),)


def _with_static_once(least: int, subject: JudgedRun) -> Iterable[JudgedRun]:
    """Return the run to judge if evaluations after the first one with `least` rows read no static data.

    The rows of these evaluations are the rows without static data, for windows that begin at t0 = 0.
    """
    static = subject.recorded.task.run.static
    if not static.default and not static.named:
        return (subject,)
    subject = subject.with_options(t0=(0,))
    (without,) = _without_static(subject)
    best = without.judgement.best
    rows = {one.at: one.right_rows for one in (*best.transient, *best.windows, *best.later) if one.right}
    return (replace(subject, pattern=partial(_first_with_static, rows, least)),)


def _first_with_static(
    without: Mapping[float, Sequence[Row]], least: int, windows: Sequence[ReportMatch]
) -> bool:
    """Return whether rows are right up to the first evaluation with `least` rows, then those in `without`."""
    is_first = True
    for one in windows:
        if one.right is None:
            if one.problem is not None:
                return False
            continue
        if Counter(one.came_rows) != Counter(one.right_rows if is_first else without.get(one.at, ())):
            return False
        is_first = is_first and len(one.came_rows) < least
    return True


def _on_static(static: Static, subject: JudgedRun) -> JudgedRun:
    task = subject.recorded.task
    changed = replace(task, run=replace(task.run, static=static))
    return replace(subject, recorded=replace(subject.recorded, task=changed))


_MOST_STATIC: Final = 8


def _with_one_static(subject: JudgedRun) -> Iterable[JudgedRun]:
    """Yield runs to judge if an engine keeps only one static object per subject and predicate."""
    static = subject.recorded.task.run.static
    groups: dict[tuple[str, ...], list[Triple]] = {}
    for triple in sorted(static.default):
        groups.setdefault(triple[:2], []).append(triple)
    if len(groups) == len(static.default):
        yield subject
        return
    for chosen in islice(product(*groups.values()), _MOST_STATIC):
        yield _on_static(replace(static, default=frozenset(chosen)), subject)


def _showing(kept: specifications.KeptPart, subject: JudgedRun) -> Iterable[JudgedRun]:
    """Return the run to judge if an engine has the fault that windows lose a part of their content.

    The function `kept` selects the part that a window keeps.
    """
    recorded = subject.recorded
    return (replace(subject, recorded=replace(recorded, task=replace(recorded.task, kept=kept))),)


def _kept_parts() -> Iterator[tuple[str, specifications.KeptPart]]:
    for most in _CAPACITIES:
        some = "triple" if most == 1 else f"{most} triples"
        yield f"a window contains at most its last {some}", partial(_some, slice(-most, None))
        yield f"a window contains at most its first {some}", partial(_some, slice(most))
    for says, left in (("first", slice(1, None)), ("last", slice(-1))):
        yield f"a window lacks its {says} triple", partial(_some, left)
        yield f"a window of several triples lacks its {says} triple", partial(_some_of_several, left)
    for says, place in (("first", 0), ("last", -1)):
        yield f"a window contains only the triples of its {says} instant", partial(_of_instant, place)


_CAPACITIES: Final = (1, 2, 3, 5)


def _some(part: slice, _: Sequence[PushedTriple], span: range, __: int) -> range:
    return span[part]


def _some_of_several(part: slice, _: Sequence[PushedTriple], span: range, __: int) -> range:
    return span[part] if len(span) > 1 else span


def _of_instant(place: int, elements: Sequence[PushedTriple], span: range, _: int) -> range:
    own = [n for n in span if elements[n].t == elements[span[place]].t]
    return range(own[0], own[-1] + 1) if own else span


def _removed_early(subject: JudgedRun) -> Iterable[JudgedRun]:
    """Yield runs to judge if an engine has the fault that an arrival removes old triples too early.

    In an engine with this fault, the next arrival removes old triples before a window is evaluated. The
    removed triples are older than the arrival by at least the window's length, or by at least one time point
    more.
    """
    task = subject.recorded.task
    times = sorted({one.t for one in task.elements})
    for length in dict.fromkeys(length.points(task.unit) for length, _ in ranges(task)):
        # An engine may or may not count a triple that is exactly as old as the window is long.
        for reach in (length, length + 1):
            yield from _showing(partial(_not_older, times, reach), subject)


def _not_older(
    times: Sequence[int], reach: int, elements: Sequence[PushedTriple], span: range, end: int
) -> range:
    """Return the content of a window that arrived less than `reach` time points before the next arrival.

    `times` contains the times of all arrivals, and `end` the end of the window, in time points.
    """
    place = bisect_right(times, end)
    oldest = times[place] - reach if place < len(times) else -1
    return range(next((n for n in span if elements[n].t > oldest), span.stop), span.stop)


def _lagging(subject: JudgedRun) -> Iterator[JudgedRun]:
    """Yield runs to judge if each triple enters its windows only when the next triple arrives.

    The first arrival after the end of a window causes the evaluation of the window. The triple that arrived
    before this arrival is not yet in the window. A window without other triples may report or not.
    """
    recorded = subject.recorded
    elements = sorted(recorded.task.elements, key=attrgetter("number"))
    reach = list(accumulate((one.t for one in elements), max))
    for only_kept, changed in product((True, False), _showing(partial(_without_newest, reach), subject)):
        task = replace(changed.recorded.task, only_kept=only_kept)
        yield replace(changed, recorded=replace(changed.recorded, task=task))


def _without_newest(reach: Sequence[int], elements: Sequence[PushedTriple], span: range, end: int) -> range:
    """Return the content of a window without the last arrival before the first arrival after its end.

    `reach` contains the latest time up to each arrival.
    """
    newest = bisect_right(reach, end) - 1
    return span[:-1] if span and elements[span[-1]].number == newest else span


def pauses(wrong: Sequence[HuntedRun]) -> Iterator[Switch]:
    """Yield the possible faults that windows lose their content at a pause of the input.

    The function tries the longest pause that occurs in all wrong runs, and slightly shorter pauses.
    """
    gaps = (max((later.t - one.t for one, later in pairwise(run.pushes)), default=0.0) for run in wrong)
    longest, tick = min(gaps, default=0.0), min((run.query.tick for run in wrong), default=1)
    shorter = (longest - number * tick for number in reversed(range(_PAUSES)))
    for gap in (one for one in shorter if one > 0):
        yield Switch(
            f"after a pause of {plain(gap)} ms or more, windows do not contain earlier triples",
            "Definition 13: a window contains the arrivals between its own ends",
            partial(_emptied, gap),
        )


_PAUSES: Final = 8


def _emptied(gap: float, subject: JudgedRun) -> Iterable[JudgedRun]:
    """Return runs to judge if windows lose their content at a pause of at least `gap` ms.

    The windows of an engine with this fault contain only triples after the last pause of this length.
    """
    task = subject.recorded.task
    times = sorted({one.t for one in task.elements})
    after = [0, *(t for one, t in pairwise(times) if (t - one) * task.unit.milliseconds >= gap)]
    if len(after) == 1:
        return (subject,)
    return (
        replace(one, recorded=replace(one.recorded, task=replace(one.recorded.task, only_kept=only_kept)))
        for one in _showing(partial(_after_pause, times, after), subject)
        for only_kept in (True, False)
    )


def _after_pause(
    times: Sequence[int], after: Sequence[int], elements: Sequence[PushedTriple], span: range, end: int
) -> range:
    """Return the triples in a window that arrive after the last pause of the input.

    A pause that ends at the next arrival after the window also counts. `after` contains the time points at
    which pauses end.
    """
    following = times[min(bisect_right(times, end), len(times) - 1)]
    oldest = after[bisect_right(after, following) - 1]
    return range(next((n for n in span if elements[n].t >= oldest), span.stop), span.stop)


def _closed_at_once(subject: JudgedRun) -> Iterable[JudgedRun]:
    """Yield runs to judge if the first triple at the end of a window closes the window at once.

    The window loses other triples that arrive at its end. In the first returned run, the first triple of any
    stream closes the window. In the second returned run, the first triple of each window's own stream closes
    the window.
    """
    first: dict[int, int] = {}
    for one in subject.recorded.task.elements:
        first[one.t] = min(one.number, first.get(one.t, one.number))
    for all_of_them in (True, False):
        yield from _showing(partial(_up_to_first, first if all_of_them else {}), subject)


def _up_to_first(first: Mapping[int, int], elements: Sequence[PushedTriple], span: range, end: int) -> range:
    """Return the content of a window without triples at its end, except for the first triple at its end.

    `first` contains, for each time, the number of the first triple of all streams. If `first` is empty, the
    first triple of the window's own stream counts.
    """
    at_end = [n for n in span if elements[n].t == end]
    known = first.get(end, elements[at_end[0]].number if at_end else 0)
    return range(span.start, next((n for n in at_end if elements[n].number > known), span.stop))


_MOST_REPEATED: Final = 10_000
"""The maximum number of copied triples in a changed run; with more, a fault is not tried."""


def _never_forgotten(subject: JudgedRun) -> Iterable[JudgedRun]:
    """Return the run to judge if an engine has the fault that triples never leave windows.

    In the returned run, each triple arrives again at each later time point.
    """
    elements, until = subject.recorded.task.elements, subject.recorded.task.until
    if sum(until + 1 - one.t for one in elements) > _MOST_REPEATED:
        return (subject,)
    copies = [replace(one, t=t) for one in elements for t in range(one.t, until + 1)]
    return (subject.with_elements(tuple(sorted(copies, key=attrgetter("t")))),)


def _shown_at_once(subject: JudgedRun) -> Iterable[JudgedRun]:
    """Return the run to judge if a window contains the later triple whose arrival closes the window.

    In the returned run, each triple also arrives at each time point since the previous arrival.
    """
    elements = sorted(subject.recorded.task.elements, key=attrgetter("number"))
    before = accumulate((triple.t for triple in elements), max, initial=0)
    since = [(triple, min(time, triple.t)) for triple, time in zip(elements, before, strict=False)]
    if sum(triple.t + 1 - time for triple, time in since) > _MOST_REPEATED:
        return (subject,)
    copies = [replace(triple, t=t) for triple, time in since for t in range(time, triple.t + 1)]
    return (subject.with_elements(tuple(sorted(copies, key=attrgetter("t")))),)


def _restamped(subject: JudgedRun) -> Iterator[JudgedRun]:
    """Yield the runs to judge if a late triple gets the latest time, of any stream or of its own stream."""
    elements = sorted(subject.recorded.task.elements, key=attrgetter("number"))
    if not subject.late:
        yield subject
        return
    for of_any in (True, False):
        latest: dict[str, int] = {}
        changed: list[PushedTriple] = []
        for one in elements:
            stream = "" if of_any else one.stream
            latest[stream] = max(one.t, latest.get(stream, one.t))
            changed.append(replace(one, t=latest[stream]))
        yield replace(subject, late=()).with_elements(tuple(sorted(changed, key=attrgetter("t"))))


_ROUNDINGS: Final = (2, 3, 5, 10)


def _rounded(step: int, subject: JudgedRun) -> Iterable[JudgedRun]:
    """Return the run to judge if each triple counts as of the last multiple of `step` time points."""
    task = subject.recorded.task
    elements = tuple(replace(one, t=one.t // step * step) for one in task.elements)
    if all(one.t == other.t for one, other in zip(elements, task.elements, strict=True)):
        return (subject,)
    # The clock of the engine also stands at the last multiple, so later windows are not yet due.
    last = max(one.t for one in elements)
    return (subject.with_elements(elements).with_options(until=last - 1),)


_MOST_COPIES: Final = 32


def _counted(subject: JudgedRun) -> Iterable[JudgedRun]:
    """Return the run to judge if a triple counts in a window as often as it arrives.

    In the returned run, each repetition of a triple has a new predicate, which the changed query also
    matches.
    """
    task = subject.recorded.task
    seen: Counter[tuple[str, Triple]] = Counter()
    elements: list[PushedTriple] = []
    for one in task.elements:
        number = seen[one.stream, one.triple]
        seen[one.stream, one.triple] += 1
        node, predicate, object_ = one.triple
        own = (node, f"{predicate[:-1]}#{number}>" if number else predicate, object_)
        elements.append(replace(one, triple=own))
    # Rounded up to a power of two, so that the runs of a query share few changed queries.
    most = 1 << (max(seen.values(), default=1) - 1).bit_length()
    if most == 1 or most > _MOST_COPIES:
        return (subject,)
    changed = replace(task.with_query(_of_arrivals(task.query, most)), elements=tuple(elements))
    return (replace(subject, recorded=replace(subject.recorded, task=changed)),)


def _replaced(subject: JudgedRun) -> Iterable[JudgedRun]:
    """Return the run to judge if a new value of a property replaces the old value.

    In the returned run, each value of a property has its own node. Two triples connect the subject and the
    value of the property with the value's node. When the next value arrives, a third triple marks the node as
    replaced. The changed query reads only nodes that are not marked as replaced.
    """
    task = subject.recorded.task
    nodes: dict[tuple[str, ...], str] = {}
    elements: list[PushedTriple] = []
    for number, one in enumerate(task.elements):
        name, predicate, object_ = one.triple
        key, node = (one.stream, name, predicate), f"<{_VALUE}{number}>"
        value, of_value, replaced = (f"<{predicate[1:-1]}{end}>" for end in _ENDS)
        parts = [(name, value, node), (node, of_value, object_)]
        if key in nodes:
            parts.append((nodes[key], replaced, node))
        nodes[key] = node
        elements += [replace(one, triple=part) for part in parts]
    if len(nodes) == len(task.elements):
        return (subject,)
    changed = replace(task.with_query(_of_latest(task.query)), elements=tuple(elements))
    return (replace(subject, recorded=replace(subject.recorded, task=changed)),)


_VALUE: Final = "urn:value:"
_ENDS: Final = ("#value", "#of-value", "#replaced")


@cache
def _of_latest(query: EngineQuery) -> EngineQuery:
    numbers = count()

    def latest(block: patterns.StreamBlock, triple: patterns.TriplePattern) -> patterns.Pattern:
        if not isinstance(triple.predicate, Iri):
            return replace(block, pattern=patterns.Bgp((triple,)))
        node, found, other = (Variable(f"any_value{next(numbers)}") for _ in range(3))
        value, of_value, replaced = (Iri(f"{triple.predicate.value}{end}") for end in _ENDS)
        both = (
            patterns.TriplePattern(triple.subject, value, node),
            patterns.TriplePattern(node, of_value, triple.object),
        )
        mark = patterns.Bgp((patterns.TriplePattern(node, replaced, other),))
        exists = patterns.Exists(found, replace(block, pattern=mark))
        return patterns.Filter(replace(block, pattern=patterns.Bgp(both)), Call("!", (found,)), (exists,))

    def changed(part: patterns.Pattern) -> patterns.Pattern | None:
        if not isinstance(part, patterns.StreamBlock) or not isinstance(part.pattern, patterns.Bgp):
            return None
        return reduce(patterns.Join, (latest(part, triple) for triple in part.pattern.triples))

    return replace(query, pattern=rebuild(query.pattern, changed))


_OF_ELEMENTS: Final = "RDF 1.1 Concepts, 3.4: a label means one blank node, only within its own element"
_TriplesRenamed = Callable[[Triple], Triple]
"""A function that returns a triple with other blank nodes."""


def _as_one(own: Triple) -> Triple:
    subject, predicate, object_ = (with_blanks(term, lambda _: "_:one") for term in own)
    return subject, predicate, object_


def _as_two(own: Triple) -> Triple:
    return own[0], own[1], with_blanks(own[2], lambda label: f"_:{label.removeprefix('_:')}o")


_RENAMINGS: Final[tuple[tuple[str, _TriplesRenamed], ...]] = (
    ("all blank nodes are one node", _as_one),
    ("a blank node that is the subject and the object of a triple becomes two nodes", _as_two),
)


def _with_blanks(renamed: _TriplesRenamed, subject: JudgedRun) -> Iterable[JudgedRun]:
    elements = tuple(
        replace(one, triple=renamed(one.triple)) if any(map(blanks_in, one.triple)) else one
        for one in subject.recorded.task.elements
    )
    return (subject if elements == subject.recorded.task.elements else subject.with_elements(elements),)


@cache
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
    paths: list[patterns.Path] = [Iri(f"{name}#{number}" if number else name) for number in range(most)]
    return patterns.PathPattern(triple.subject, reduce(patterns.Alternative, paths), triple.object)


def _first(task: specifications.Task) -> Iterator[frozenset[int]]:
    yield frozenset([min((triple.number for triple in task.elements), default=0)])


def _same_instant(place: int, task: specifications.Task) -> Iterator[frozenset[int]]:
    """Yield the numbers of the triples that an engine loses if it keeps one triple per time point.

    `place` is 0 if the engine keeps the first triple, and -1 if the engine keeps the last triple.
    """
    groups = (list(group) for _, group in groupby(task.elements, attrgetter("t")))
    kept = frozenset(group[place].number for group in groups)
    yield frozenset(pushed_triple.number for pushed_triple in task.elements) - kept


def _second_of_instant(task: specifications.Task) -> Iterator[frozenset[int]]:
    groups = (list(group) for _, group in groupby(task.elements, attrgetter("t")))
    yield frozenset(group[1].number for group in groups if len(group) > 1)


def _each(step: int, task: specifications.Task) -> Iterator[frozenset[int]]:
    numbers = [triple.number for triple in task.elements]
    # The engine may also have begun to count before the first triple, so each offset is tried.
    yield from (frozenset(numbers[place::step]) for place in (step - 1, *range(step - 1)))


def _at_zero(task: specifications.Task) -> Iterator[frozenset[int]]:
    yield frozenset(triple.number for triple in task.elements if not triple.t)


def _ever_again(task: specifications.Task) -> Iterator[frozenset[int]]:
    yield _repeated(task.elements, lambda _: -1)


def _again(task: specifications.Task) -> Iterator[frozenset[int]]:
    """Yield numbers of triples that an engine loses if it ignores repetitions of triples that it still keeps.

    An engine may keep a triple until all windows that contain the triple have reported, which depends on t0.
    An engine may also keep a triple for a fixed time. The function tries both.
    """
    known = ranges(task)
    width = max((length.points(task.unit) for length, _ in known), default=0)
    slide = max(1, min((slide.points(task.unit) for _, slide in known if slide), default=1))
    # An engine may remove triples only at the next evaluations.
    for later, first in product(range(_EVALUATIONS_LATER), range(width - 1, width + min(slide, STARTS))):
        yield _repeated(task.elements, partial(_opening, first, slide, width + later * slide))
    times: dict[tuple[str, Triple], list[int]] = {}
    for triple in task.elements:
        times.setdefault((triple.stream, triple.triple), []).append(triple.t)
    for gap in sorted({u - t for same in times.values() for t, u in combinations(same, 2) if u > t}):
        yield _repeated(task.elements, partial(_earlier, gap + 1))


_EVALUATIONS_LATER: Final = 3
"""The number of delays to try: an engine may remove a triple at once, or one or two evaluations later."""


def _opening(first: int, slide: int, width: int, t: int) -> int:
    """Return the opening time of the first window that closes at time t or later.

    Windows close at the times `first` + k · `slide`, and are `width` time points long.
    """
    return first - (first - t) // slide * slide - width


def _earlier(by: int, t: int) -> int:
    return t - by


def _repeated(elements: Iterable[PushedTriple], kept: Callable[[int], int]) -> frozenset[int]:
    """Return the numbers of the triples that arrive again while an engine still keeps the same triple.

    At time t, the engine still keeps a triple that has arrived after time `kept(t)`.
    """
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
    ("only the first triple of an instant counts", partial(_same_instant, 0)),
    ("only the last triple of an instant counts", partial(_same_instant, -1)),
    ("the second triple of an instant is lost", _second_of_instant),
    ("triples of time 0 are lost", _at_zero),
    ("every second triple is lost", partial(_each, 2)),
    ("every third triple is lost", partial(_each, 3)),
    ("every fourth triple is lost", partial(_each, 4)),
    ("the first triple is lost", _first),
    ("a triple that arrived before, at any time, is lost", _ever_again),
    ("a triple that arrives again while it is kept counts only at its first time", _again),
)
