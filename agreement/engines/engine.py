"""What an engine version is: rules, each of which can be switched off, and answers over window contents."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from agreement.inputs import WindowSource, sources, with_sources
from agreement.outputs import in_order
from agreement.recordings import Push, Recording, Row, Triple
from agreement.traces import background
from lars.terms import Iri
from lars.windows import Interval
from solver.facts import STREAM_PREDICATE, Chosen, Fact, Situation, Static
from solver.job import Halo, ask, evaluate
from translate.query import EngineQuery, Profile, Semantics, Setting
from translate.tau import answered, translated
from translate.windows import Now

Off = frozenset[str]
"""The names of the rules that are read as the specification says."""
NOTHING_OFF: Off = frozenset()


@dataclass(frozen=True, slots=True)
class EngineRule:
    """A numbered rule of an engine, in one line, as it shows where it differs from the specification."""

    name: str
    says: str


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine version, as users name it: a state machine over its pushes.

    `specification` names the profile of what it should do. `rules` are where it does otherwise;
    with all of them off its reports are those of the specification, on the engine's own clock with
    windows that begin at multiples of their slide. `timed` says whether report times are predicted,
    beside their rows: they are where the clock is driven by the pushes.
    """

    name: str
    specification: str
    rules: tuple[EngineRule, ...]
    recorded: Callable[[EngineQuery, Static, Sequence[Push], Off], Recording]
    timed: bool = True

    def run(
        self, query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off = NOTHING_OFF
    ) -> Recording:
        """Return what the engine reports; the rules named by `off` are read as the specification says.

        Each report carries the number of the push that triggered it. Raises LarsError for a query
        that the engine cannot run.
        """
        return self.recorded(query, static, pushes, off)


_Item = TypeVar("_Item")


def needed(items: Sequence[_Item], enough: Callable[[Sequence[_Item]], bool]) -> tuple[_Item, ...]:
    """Return some of the items that are enough, and no fewer of which are: left out the last first.

    >>> needed([1, 2, 3, 4], lambda kept: sum(kept) >= 4)
    (1, 3)
    """
    kept = tuple(items)
    for item in reversed(items):
        fewer = tuple(other for other in kept if other != item)
        if enough(fewer):
            kept = fewer
    return kept


BAGS: Final = Setting(Profile.SPARQL11, semantics=Semantics.BAG, ordered=True)
"""SPARQL 1.1 to the letter: what engines that hand their windows to a SPARQL processor answer."""


_TOGETHER: Final = 4
"""How many contents one program answers: triples of different contents are joined before they part."""

Content = Mapping[WindowSource, Iterable[Triple]]
"""What each source shows; a source that is left out shows nothing."""


def answers(
    query: EngineQuery, contents: Sequence[Content], static: Static, setting: Setting = BAGS
) -> list[tuple[Row, ...]]:
    """Return the rows that the query has over each content, in their order; V in the order of `columns`.

    An ASK has one row, () where it is true, none where it is false.
    """
    names = {source: Iri(f"urn:x-lars:source:{n}") for n, source in enumerate(sources(query))}
    snapshot = with_sources(query, lambda source: WindowSource(names[source], Now()))
    output = answered(snapshot, setting)
    # Whoever reads the static data warns of it once, not for each run.
    known = background(static, query.dataset, lambda _: None)
    program = translated(snapshot, setting)
    used = _Used(Halo((ask(program, output.predicate, Chosen((0,))),)))
    texts = {source: str(name) for source, name in names.items()}
    found: list[tuple[Row, ...]] = []
    for start in range(0, len(contents), _TOGETHER):
        part = contents[start : start + _TOGETHER]
        times = tuple(range(len(part)))
        question = ask(program, output.predicate, Chosen(times))
        timeline = Interval(0, len(part) - 1)
        rows: list[list[Row]] = [[] for _ in part]
        for answer in evaluate(
            [question], Situation(timeline, list(used.facts(part, texts)), known), timeline
        ):
            rows[answer.t].append(answer.row)
        found += [tuple(in_order(output, own)) for own in rows]
    return found


@dataclass(frozen=True, slots=True)
class _Used:
    """The triples that a question can use: contents are much alike, so each triple is looked at once."""

    halo: Halo
    known: dict[tuple[str, Triple], bool] = field(default_factory=dict)

    def facts(self, contents: Sequence[Content], names: Mapping[WindowSource, str]) -> Iterator[Fact]:
        """Yield what each content shows, at its number."""
        for t, content in enumerate(contents):
            for source, shown in content.items():
                name = names[source]
                for triple in dict.fromkeys(shown):
                    if self._is_used(name, triple):
                        yield Fact(t, STREAM_PREDICATE, (*triple, name))

    def _is_used(self, stream: str, triple: Triple) -> bool:
        key = stream, triple
        if key not in self.known:
            fact = Fact(0, STREAM_PREDICATE, (*triple, stream))
            self.known[key] = bool(self.halo.slices_of(fact, (Interval(0, 0),)))
        return self.known[key]


def columns(query: EngineQuery, setting: Setting = BAGS) -> tuple[str, ...]:
    """Return the names of the columns that `answers` gives, in their order."""
    return tuple(variable.name for variable in answered(query, setting).variables)
