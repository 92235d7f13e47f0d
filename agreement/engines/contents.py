"""The answers of a query over given window contents, by the same translation as everything else.

Each content becomes one time point of an artificial stream, and each window of the query ⊞^0 there:
one program then answers all contents at once.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from agreement.inputs import background
from agreement.outputs import in_order
from agreement.recordings.recording import Row, Triple
from agreement.sources import Source, sources, with_sources
from lars.terms import Iri
from lars.windows import Interval
from solver.evaluate import ask, evaluate
from solver.facts import STREAM_PREDICATE, Fact
from solver.gate import Chosen
from solver.situation import Situation
from solver.static import Static
from translate.answers import answered
from translate.profiles import Profile, Semantics, Setting
from translate.query import EngineQuery
from translate.translation import translated
from translate.windows import Now

__all__ = ["BAGS", "Content", "Source", "answers", "columns", "sources"]

BAGS: Final = Setting(Profile.SPARQL11, semantics=Semantics.BAG, ordered=True)
"""SPARQL 1.1 to the letter: what engines that hand their windows to a SPARQL processor answer."""


_TOGETHER: Final = 4
"""How many contents one program answers: triples of different contents are joined before they part."""

Content = Mapping[Source, Iterable[Triple]]
"""What each source shows; a source that is left out shows nothing."""


def answers(
    query: EngineQuery, contents: Sequence[Content], static: Static, setting: Setting = BAGS
) -> list[tuple[Row, ...]]:
    """Return the rows that the query has over each content, in their order; V in the order of `columns`.

    An ASK has one row, () where it is true, none where it is false.
    """
    names = {source: Iri(f"urn:x-lars:source:{n}") for n, source in enumerate(sources(query))}
    snapshot = with_sources(query, lambda source: Source(names[source], Now()))
    output = answered(snapshot, setting)
    known = background(static, query.dataset, _unheard)
    program = translated(snapshot, setting)
    found: list[tuple[Row, ...]] = []
    for start in range(0, len(contents), _TOGETHER):
        part = contents[start : start + _TOGETHER]
        times = tuple(range(len(part)))
        question = ask(program, output.predicate, Chosen(times))
        timeline = Interval(0, len(part) - 1)
        rows: list[list[Row]] = [[] for _ in part]
        for answer in evaluate([question], Situation(timeline, _facts(part, names), known), timeline):
            rows[answer.t].append(answer.row)
        found += [tuple(in_order(output, own)) for own in rows]
    return found


def _facts(contents: Sequence[Content], names: Mapping[Source, Iri]) -> list[Fact]:
    texts = {source: str(name) for source, name in names.items()}
    return [
        Fact(t, STREAM_PREDICATE, (*triple, name))
        for t, content in enumerate(contents)
        for name, shown in ((texts[source], shown) for source, shown in content.items())
        for triple in dict.fromkeys(shown)
    ]


def columns(query: EngineQuery, setting: Setting = BAGS) -> tuple[str, ...]:
    """Return the names of the columns that `answers` gives, in their order."""
    return tuple(variable.name for variable in answered(query, setting).variables)


def _unheard(message: str) -> None:
    # Whoever reads the static data warns of it once, not for each run.
    del message
