"""The answers of a query over given window contents, by the same translation as everything else.

Each content becomes one time point of an artificial stream, and each window of the query ⊞^0 there:
one program then answers all contents at once.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from agreement.inputs import background
from agreement.outputs import in_order
from agreement.recordings.recording import Row, Triple
from lars.terms import Iri, Variable
from lars.windows import Interval
from solver.evaluate import ask, evaluate
from solver.facts import STREAM_PREDICATE, Fact
from solver.gate import Chosen
from solver.situation import Situation
from solver.static import Static
from translate.answers import answered
from translate.patterns import Pattern, StreamBlock
from translate.profiles import Profile, Semantics, Setting
from translate.query import EngineQuery, MergedStream
from translate.rebuilding import rebuilt
from translate.strategies import stream_blocks
from translate.translation import translated
from translate.windows import Now, WindowExpression

BAGS: Final = Setting(Profile.SPARQL11, semantics=Semantics.BAG, ordered=True)
"""SPARQL 1.1 to the letter: what engines that hand their windows to a SPARQL processor answer."""


_Read = TypeVar("_Read", StreamBlock, MergedStream)


@dataclass(frozen=True, slots=True)
class Source:
    """A window of a query on a stream; blocks that name the same of both share it."""

    stream: Iri | Variable
    window: WindowExpression


Content = Mapping[Source, Iterable[Triple]]
"""What each source shows; a source that is left out shows nothing."""


def sources(query: EngineQuery) -> tuple[Source, ...]:
    """Return the windows of a query in the order of its text, each once."""
    merged = (Source(part.stream, part.window) for part in (*query.merged, *query.declared))
    blocks = (Source(block.stream, block.window) for block in stream_blocks(query.pattern))
    return tuple(dict.fromkeys((*merged, *blocks)))


def answers(
    query: EngineQuery, contents: Sequence[Content], static: Static, setting: Setting = BAGS
) -> list[tuple[Row, ...]]:
    """Return the rows that the query has over each content, in their order; V in the order of `columns`.

    An ASK has one row, () where it is true, none where it is false.
    """
    names = {source: Iri(f"urn:x-lars:source:{n}") for n, source in enumerate(sources(query))}
    snapshot = at_once(query, names)
    output = answered(snapshot, setting)
    facts = [
        Fact(t, STREAM_PREDICATE, (*triple, str(names[source])))
        for t, content in enumerate(contents)
        for source, shown in content.items()
        for triple in dict.fromkeys(shown)
    ]
    times = tuple(range(len(contents)))
    question = ask(translated(snapshot, setting), output.predicate, Chosen(times))
    timeline = Interval(0, max(0, len(contents) - 1))
    known = background(static, query.dataset, _unheard)
    found: list[list[Row]] = [[] for _ in contents]
    for answer in evaluate([question], Situation(timeline, facts, known), timeline):
        found[answer.t].append(answer.row)
    return [tuple(in_order(output, rows)) for rows in found]


def columns(query: EngineQuery, setting: Setting = BAGS) -> tuple[str, ...]:
    """Return the names of the columns that `answers` gives, in their order."""
    return tuple(variable.name for variable in answered(query, setting).variables)


def at_once(query: EngineQuery, names: Mapping[Source, Iri]) -> EngineQuery:
    """Return the query with each source a stream of its own, of which it sees what is there now."""

    def change(part: Pattern) -> Pattern | None:
        return _now(part, names) if isinstance(part, StreamBlock) else None

    return replace(
        query,
        merged=tuple(_now(part, names) for part in query.merged),
        declared=tuple(_now(part, names) for part in query.declared),
        pattern=rebuilt(query.pattern, change),
    )


def _now(part: _Read, names: Mapping[Source, Iri]) -> _Read:
    return replace(part, stream=names[Source(part.stream, part.window)], window=Now())


def _unheard(message: str) -> None:
    # Whoever reads the static data warns of it once, not for each run.
    del message
