"""The reasons why a query cannot be translated, with places in its text."""

from lars.errors import LarsError, Place, PlacedError


class QueryError(PlacedError):
    """An error at a place of the query's text, with the token found and the expected form."""


class UnknownFunctionError(QueryError):
    """The query calls an unknown function; the rest of the query is readable."""


class UnsupportedError(PlacedError):
    """The query uses a construct that τ does not cover; the error has its name and its place."""

    def __init__(self, construct: str, place: Place, *, covered: str) -> None:
        super().__init__(place, f"no translation for {construct}; covered: {covered}")
        self.construct = construct


class NeedsRdf12Error(UnsupportedError):
    """The query has a construct of SPARQL 1.2, but is read as a query of SPARQL 1.1."""


class ModelError(LarsError):
    """Two queries do not stem from one (V, P, D, S), or cs / cq are not defined for a query."""
