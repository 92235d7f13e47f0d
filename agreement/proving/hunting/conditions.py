"""Learn a condition under which an engine's reports are wrong or rows are missing.

The condition is a set of properties that nearly all wrong reports or rows have, and few correct ones. The
condition is learned from all judged runs, so it is valid for these runs, independent of the cause. Properties
describe the query, the content of a window, arrival times, and earlier reports.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from agreement.comparing.matching.places import ReportMatch
from agreement.documents.outputs import short
from agreement.documents.recordings import Push
from agreement.documents.requests import sources
from agreement.engines.engine import columns
from agreement.proving.hunting.hunted_queries import HuntedQuery
from agreement.proving.hunting.references import HuntedRun
from lars.dataclass import dataclass
from lars.language.terms import XSD
from solver.facts import Row
from translate.analysis import stream_blocks
from translate.model import patterns
from translate.model.query import EngineQuery
from translate.model.windows import Range

Traits = Mapping[str, int]
"""The properties of a report or row, each as a text with a number.

The number is 1 if a property holds and 0 if it does not hold. If the text contains `{}`, the number is
inserted there.
"""
_FEW: Final = 3
"""The number of wrong reports or rows from which on common properties are searched."""
_MOST: Final = 3
_LEAVES, _TOLD = 0.75, 0.5
"""The share of correct reports that one property may keep, and the share that all properties may keep."""
_SURELY: Final = 0.8
_NEARLY_ALL: Final = 0.9
_COUNT_MORE: Final = 2
_SPARED: Final = 0.05
"""No property is added if the number of correct reports per wrong report is at most this number."""


@dataclass(frozen=True, slots=True)
class CommonTraits:
    """Properties that nearly all wrong reports (or rows) have, and that few correct reports (or rows) have.

    `wrong` is the number of wrong reports or rows with all properties, and `right` the number of correct
    reports or rows with all properties. `elsewhere` is the number of wrong reports or rows that lack a
    property.
    """

    traits: tuple[str, ...]
    wrong: int
    right: int
    elsewhere: int

    def text(self, items: str) -> str:
        """Return the properties and their counts as a text; `items` is a plural noun, such as "reports"."""
        more = f"; wrong without these traits: {self.elsewhere}" if self.elsewhere else ""
        return f"{' and '.join(self.traits)} ({self.wrong} of {self.wrong + self.right} such {items}{more})"


def condition(wrong: Sequence[Traits], right: Sequence[Traits], apart: int = 0) -> CommonTraits | None:
    """Return properties that nearly all wrong reports or rows have, and few correct reports or rows.

    `apart` is the number of further wrong reports without any of the properties. If no properties are found,
    or fewer than three reports or rows are wrong, the function returns None.
    """
    if len(wrong) < max(_FEW, _NEARLY_ALL * (len(wrong) + apart)):
        return None
    mine, others, chosen = list(wrong), list(right), list[Trait]()
    while len(others) > _SPARED * len(mine) and len(chosen) < _MOST:
        least, said = _NEARLY_ALL * len(wrong), {trait.text for trait in chosen}
        untold = (trait for trait in _traits(mine) if trait.text not in said)
        tests = [trait for trait in untold if sum(map(trait.holds, mine)) >= least]
        shares = [_share(trait, mine, others) for trait in tests]
        best = min(range(len(tests)), key=shares.__getitem__, default=None)
        if best is None or shares[best] > _LEAVES:
            break
        chosen.append(tests[best])
        mine, others = ([one for one in items if tests[best].holds(one)] for items in (mine, others))
    texts = tuple(map(str, chosen))
    learned = CommonTraits(texts, len(mine), len(others), len(wrong) - len(mine) + apart)
    return learned if chosen and len(others) <= _TOLD * len(right) else None


@dataclass(frozen=True, slots=True)
class Trait:
    """A property of a report or row, such as "at most 2 triples are in the window".

    A report or row has the property if its number for `text` is at least `least` and at most `most`.
    """

    text: str
    least: int
    most: int

    def holds(self, item: Traits) -> bool:
        """Return whether a report or row has the property."""
        return self.least <= item.get(self.text, 0) <= self.most

    def __str__(self) -> str:
        """Return the property as a text."""
        if "{}" not in self.text:
            return self.text
        most = f"at most {self.most}" if self.most else "no"
        return self.text.format(f"{self.least} or more" if self.most == _ENDLESS else most)


_ENDLESS: Final = 1 << 62


def _share(trait: Trait, wrong: Sequence[Traits], right: Sequence[Traits]) -> float:
    """Return a cost that is small if a property distinguishes wrong from correct reports (or rows).

    The cost is the share of correct items that have the property, plus twice the share of wrong items that
    lack the property.
    """
    lost = len(wrong) - sum(map(trait.holds, wrong))
    return sum(map(trait.holds, right)) / len(right) + _COUNT_MORE * lost / len(wrong)


def _traits(wrong: Sequence[Traits]) -> Iterator[Trait]:
    """Yield the properties that all wrong reports or rows have, or all except a few outliers.

    If a property contains a number, the number is a lower or an upper limit.
    """
    few = int(len(wrong) * (1 - _NEARLY_ALL) / 2)
    for text in dict.fromkeys(text for traits in wrong for text in traits):
        numbers = sorted(traits.get(text, 0) for traits in wrong)
        if "{}" not in text:
            yield Trait(text, 1, 1)
        else:
            yield from (Trait(text, numbers[n], _ENDLESS) for n in (0, few))
            yield from (Trait(text, 0, numbers[-1 - n]) for n in (0, few))


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """A run of an engine, with the expected rows and the reported rows of each window.

    `places` has one entry for each window. If `by_push` is true, `places` has one entry for each pushed
    triple instead.
    """

    run: HuntedRun
    places: tuple[ReportMatch, ...]
    by_push: bool = False

    @property
    def closes(self) -> list[float | None]:
        """For each evaluation, the time in ms at which its windows close; None if no window closes."""
        return [None if self.by_push or place.right is None else place.at for place in self.places]

    @property
    def lost(self) -> list[Counter[Row]]:
        """For each window of the run, the expected rows that the engine did not report."""
        return [Counter(place.right_rows) - Counter(place.came_rows) for place in self.places]

    @property
    def more(self) -> list[Counter[Row]]:
        """For each window of the run, the reported rows that are not expected."""
        return [Counter(place.came_rows) - Counter(place.right_rows) for place in self.places]


def where_wrong(wrong: Sequence[ComparedRun], right: Sequence[ComparedRun]) -> str:
    """Return a text with a condition that nearly all wrong reports satisfy, and few correct reports.

    If no condition is found, the text is empty.
    """
    items: dict[bool, list[Traits]] = {True: [], False: []}
    apart = 0
    for one in (*wrong, *right):
        told = _told(one.run.query)
        for n, (place, t) in enumerate(zip(one.places, one.closes, strict=True)):
            # A report where no window closes has no window whose content could be described.
            apart += t is None and place.problem is not None
            if t is not None and (place.right_rows or place.came_rows or place.problem):
                items[place.problem is not None].append(dict(_of_place(one, n, t)) | told)
    learned = condition(items[True], items[False], apart)
    if learned is None:
        return ""
    only = "" if learned.elsewhere else " only"
    return f"wrong{only} where {learned.text('reports')}"


def missing_rows(wrong: Sequence[ComparedRun], right: Sequence[ComparedRun]) -> str:
    """Return a text that describes the missing rows, and that is not true for most reported rows.

    If no description is found, the text is empty.
    """
    items: dict[bool, list[Traits]] = {True: [], False: []}
    for one in (*wrong, *right):
        names, before = columns(one.run.query.read), set[Row]()
        for place, lost, t in zip(one.places, one.lost, one.closes, strict=True):
            for row in place.right_rows:
                traits = dict(_of_row(names, row, before, place.right_rows.count(row)))
                items[row in lost].append(traits | dict(_of_sources(one.run, t, row)))
            before = set(place.right_rows) or before
    learned = condition(items[True], items[False])
    if learned is None or learned.elsewhere or learned.wrong < _SURELY * (learned.wrong + learned.right):
        return ""
    return f"missing rows, and hardly any others, {learned.text('rows')}"


def _of_place(one: ComparedRun, n: int, t: float) -> Iterator[tuple[str, int]]:
    """Yield properties of report number `n` of a run, whose window closes at time `t` (in ms).

    The properties describe the content of windows, earlier reports, and arrivals near time `t`.
    """
    place, run = one.places[n], one.run
    due = [other.right_rows for other in one.places[:n] if other.right_rows]
    right = place.right_rows
    yield "the preceding report has the same rows", int(bool(due) and set(due[-1]) == set(right))
    yield "{} reports precede in the run", len(due)
    yield "{} rows are right", len(right)
    yield "a row is right more than once", int(len(set(right)) < len(right))
    yield (
        "a right row was also right at the preceding report",
        int(bool(due) and not set(due[-1]).isdisjoint(right)),
    )
    yield (
        "a right row was not right at the preceding report",
        int(not due or not set(right) <= set(due[-1])),
    )
    yield from _of_windows(run, t)
    times = [push.t for push in run.pushes]
    before, after = (
        max((u for u in times if u <= t), default=0.0),
        min((u for u in times if u > t), default=t),
    )
    yield "nothing comes for {} ms around the close", round(after - before)
    between = sum(other is not None and before <= other < after for other in one.closes)
    yield "{} windows close between the same two arrivals", between
    yield "the window closes after {} ms", round(t)
    length, step = run.query.windows[0]
    odd = round(t / run.query.tick - length) // step % 2
    yield "the number of the window is odd", 1 - odd
    yield "the number of the window is even", odd


def _of_windows(run: HuntedRun, t: float) -> Iterator[tuple[str, int]]:
    query = run.query
    windows = [_shown(run, n, t) for n in range(len(query.windows))]
    # Several windows can contain the same triple.
    shown = list({id(push): push for window in windows for push in window}.values())
    repeated = any(len({(push.stream, push.triple) for push in own}) < len(own) for own in windows)
    together = any(len({push.t for push in own}) < len(own) for own in windows)
    steps = [step * query.tick for _, step in query.windows]
    yield "a triple arrives exactly when the window closes", int(any(push.t == t for push in shown))
    opens = {t - length * query.tick for length, _ in query.windows}
    yield "a triple arrives exactly when the window opens", int(any(push.t in opens for push in run.pushes))
    yield "a triple comes twice in the window", int(repeated)
    yield "several triples in the window have one time", int(together)
    yield "a window contains no triple", int(not all(windows))
    old = [all(push.t <= t - step for push in window) for window, step in zip(windows, steps, strict=True)]
    yield "a window has nothing new since the preceding close", int(any(old))
    yield "a window has something new since the preceding close", int(not all(old))
    pairs = zip(windows, steps, strict=True)
    both = any(push.t <= t - step for window, step in pairs for push in window)
    yield "the window shares a triple with the preceding window", int(both)
    yield "{} triples are in the window", len(shown)
    kinds = Counter(_kind(push.triple[2]) for push in shown)
    yield "{} kinds of objects are in the window", len(kinds)
    for kind in sorted({_kind(triple[2]) for _, triple in query.letters}):
        yield f"{{}} triples with {kind} are in the window", kinds[kind]
    for name in sorted({triple[1] for _, triple in query.letters}):
        several = sum(push.triple[1] == name for push in shown)
        yield f"{{}} triples of {short(name)} are in the window", several
        earlier = sum(push.triple[1] == name and push.t <= min(opens) for push in run.pushes)
        yield f"{{}} triples of {short(name)} arrived before the window opened", earlier


def _shown(run: HuntedRun, number: int, t: float) -> list[Push]:
    """Return the triples in a window that closes at time `t` (in ms).

    The window contains the triples of its stream in the interval (t - length, t]. Windows of triples have no
    number.
    """
    read = [source for source in sources(run.query.read) if isinstance(source.window, Range)]
    length, name = run.query.windows[number][0] * run.query.tick, str(read[number].stream)
    return [push for push in run.pushes if push.stream == name and t - length < push.t <= t]


def _told(query: HuntedQuery) -> dict[str, int]:
    constructs = {f"the query has {name}": 1 for name in _constructs(query.read)}
    return constructs | {f"the query is {query.name}": 1}


def _constructs(query: EngineQuery) -> Iterator[str]:
    kinds = {
        "OPTIONAL": patterns.LeftJoin,
        "FILTER": patterns.Filter,
        "UNION": patterns.Union,
        "MINUS": patterns.Minus,
        "aggregates": patterns.Group,
        "BIND": patterns.Extend,
        "VALUES": patterns.Values,
    }
    parts = list(_parts(query.pattern))
    yield from (name for name, kind in kinds.items() if any(isinstance(part, kind) for part in parts))
    if query.form != "SELECT":
        yield query.form
    if query.modifiers.duplicates == "DISTINCT":
        yield "DISTINCT"
    if query.to_stream is not None and query.to_stream != "RSTREAM":
        yield query.to_stream
    if len(sources(query)) > 1:
        yield "several windows"
    if any(isinstance(part, patterns.Bgp) and part.triples for part in parts):
        yield "static data"
    blocks = [block.pattern for block in stream_blocks(query.pattern)]
    if any(isinstance(group, patterns.Bgp) and len(group.triples) > 1 for group in blocks):
        yield "several triple patterns"
    windows = [source.window for source in sources(query) if isinstance(source.window, Range)]
    if any(w.slide and w.length.nanoseconds > w.slide.nanoseconds for w in windows):
        yield "overlapping windows"
    if any(w.slide and w.length.nanoseconds < w.slide.nanoseconds for w in windows):
        yield "gaps between windows"


def _parts(pattern: patterns.Pattern) -> Iterator[patterns.Pattern]:
    yield pattern
    for name in ("left", "right", "pattern"):
        inner = getattr(pattern, name, None) if not isinstance(pattern, patterns.StreamBlock) else None
        if inner is not None:
            yield from _parts(inner)


def _of_row(names: Sequence[str], row: Row, before: set[Row], times: int) -> Iterator[tuple[str, int]]:
    yield "were also right at the preceding report", int(row in before)
    yield "are new: not right at the preceding report", int(row not in before)
    yield "occur more than once", int(times > 1)
    for name, text in zip(names, row, strict=False):
        yield f"have {_kind(text)}", 1
        yield f"have {_kind(text)} as ?{name}", 1
        if text is not None:
            yield f"have {text} as ?{name}", 1


def _of_sources(run: HuntedRun, t: float | None, row: Row) -> Iterator[tuple[str, int]]:
    """Yield properties of the triples from which a row may come.

    A row may come from a triple if the row contains the subject and the object of the triple.
    """
    if t is None:
        return
    times = Counter(push.t for push in run.pushes)
    shown = [push for n in range(len(run.query.windows)) for push in _shown(run, n, t)]
    own = [push for push in shown if {push.triple[0], push.triple[2]} <= set(row)]
    if not own:
        return
    known = {(push.stream, push.triple) for push in own}
    every = [push for push in run.pushes if (push.stream, push.triple) in known]
    yield (
        "come from a triple that arrives with other triples at one instant",
        int(any(times[one.t] > 1 for one in own)),
    )
    yield "come from a triple that arrives at the close", int(any(push.t == t for push in own))
    yield "come from a triple that comes again in the stream", int(len(every) > len(known))
    yield (
        "come from a triple that also arrived before the window opened",
        int(any(push.t < min(one.t for one in shown) for push in every)),
    )
    yield "come from the first triple of the window", int(own[0] is min(shown, key=lambda push: push.t))
    yield "come from the last triple of the window", int(own[-1] is shown[-1])


def _kind(text: str | None) -> str:
    if text is None:
        return "no value"
    if not text.startswith('"'):
        return "a blank node" if text.startswith("_") else "an IRI"
    if text.endswith('"'):
        return "a text without a language"
    if text.endswith(">"):
        return f"a value of {text.rpartition('^^')[2].removeprefix(f'<{XSD}').strip('<>')}"
    return "a text with a language"
