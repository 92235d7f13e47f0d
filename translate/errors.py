"""The errors for queries that cannot be translated, with places in the text of the query."""

from lars.errors import LarsError, Place, PlacedError


class QueryError(PlacedError):
    """An error at a place in the text of the query; the message names the found and the expected text."""


class UnknownFunctionError(QueryError):
    """The query calls an unknown function, but its text is otherwise valid."""


class UnsupportedError(PlacedError):
    """The query uses a construct that τ does not cover; the error has the construct's name and its place."""

    def __init__(self, construct: str, place: Place, *, covered: str) -> None:
        super().__init__(place, f"no translation for {construct}; covered: {covered}")
        self.construct = construct


class NeedsRdf12Error(UnsupportedError):
    """The query is read as SPARQL 1.1, but has a construct of SPARQL 1.2."""


class ModelError(LarsError):
    """Two queries do not have one model (V, P, D, S), or a query has no translation cs(Q) or cq(Q)."""
