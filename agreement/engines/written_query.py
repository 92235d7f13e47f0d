"""A query with its text, for engines whose parsers take it otherwise than its language says."""

from dataclasses import dataclass, field, fields

from translate.model.query import EngineQuery


@dataclass(frozen=True, slots=True)
class WrittenQuery(EngineQuery):
    """A query with the text it was read from, and the name of the text in messages.

    The algebra does not say whether a FILTER stands inside of STREAM or behind it, which triples
    stand in one run, nor on which lines windows are declared: engines treat these differently.
    """

    text: str = field(default="", compare=False)
    source: str = field(default="query", compare=False)
    base: str = field(default="", compare=False)


def with_its_text(query: EngineQuery, text: str, source: str, base: str = "") -> WrittenQuery:
    """Return a query with the text that it was read from."""
    known = {one.name: getattr(query, one.name) for one in fields(EngineQuery)}
    return WrittenQuery(**known, text=text, source=source, base=base)
