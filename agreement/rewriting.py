"""What `lars translate --to` prints: a query's text in another language, or what that cannot say."""

from collections.abc import Iterator
from dataclasses import replace

from agreement.translating import Wanted, Warn, as_merged, as_written, variants
from translate.query import EngineQuery, Language
from translate.strategies import stream_blocks
from translate.writing import write_query

_BLOCKS = (Language.CQELS, Language.RSPQL)


def rewritten(wanted: Wanted, language: Language, warn: Warn) -> Iterator[str]:
    """Yield the query in a language; where its parts can be read in several ways, each of them.

    Raises LarsError where the language has no words for what the query says.
    """
    written = as_written(wanted, warn)
    if language in _BLOCKS and written.merged:
        found = variants(replace(wanted, engine=Language.CQELS), warn)
    elif language is Language.CSPARQL and any(stream_blocks(written.pattern)):
        found = [("cs(Q)", as_merged(written))]
        warn(
            "C-SPARQL merges its windows and the static data into one graph: which part is matched in which "
            "stream is lost, and answers can differ"
        )
    else:
        found = [(language.value, written)]
    for name, query in found:
        if len(found) > 1:
            yield f"# {name}"
        yield write_query(_kept(query, written), language).rstrip("\n")


def _kept(query: EngineQuery, written: EngineQuery) -> EngineQuery:
    # What cs and cq have no place for: how the query is registered, and when it reports.
    return replace(
        query,
        name=written.name,
        every=written.every,
        registers_stream=written.registers_stream,
        to_stream=written.to_stream,
    )
