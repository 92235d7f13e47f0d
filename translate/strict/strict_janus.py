"""The queries that the Janus-QL specification rejects."""

from collections.abc import Callable, Container
from typing import Final

from lars.language.terms import Iri
from translate.dialects import lift
from translate.model.query import Language
from translate.sparql import Document, Phrase, Token, query_of, tokenize
from translate.strict.engine_parsers import check_prefixes, rejection

_ENGINE: Final = "Janus-QL"
_Label = Callable[[Token], Iri]
_PATHS: Final = ("alternative", "sequence", "repeated", "inverse", "negated")


def check_janus(text: str, source: str) -> None:
    """Raise QueryError at the first construct that the Janus-QL specification rejects.

    The check allows OPTIONAL, UNION and BIND: they are not in the grammar of Janus-QL, but the specification
    does not reject them.
    """
    document = tokenize(text, source, rdf12=False)
    check_prefixes(document)
    tree, scope = lift(document, Language.JANUS)
    query = query_of(tree)
    if query.name != "select":
        form = next(one for one in document.tokens if one.is_word("CONSTRUCT", "ASK", "DESCRIBE"))
        raise rejection(document, form, _ENGINE, "queries other than SELECT")
    for token in document.tokens:
        if token.is_word("ISTREAM", "DSTREAM"):
            raise rejection(document, token, _ENGINE, "operators other than RStream")
    label = scope.document.label
    live = _check_windows(document, query, label)
    for part in query.find_all("service", *_PATHS):
        what = "SERVICE" if part.name == "service" else "property paths"
        raise rejection(document, part.first(), _ENGINE, what)
    for inner in query.find_all("subselect"):
        _check_subquery(document, inner, [name for name, is_live in live.items() if is_live], label)


def _check_windows(document: Document, query: Phrase, label: _Label) -> dict[str, bool]:
    """Map the name of each window to whether it is live (with RANGE) or historical (with START and END).

    Raises QueryError for an invalid window and for a WINDOW block without a declared window.
    """
    live: dict[str, bool] = {}
    for clause in query.phrases():
        if clause.name == "declared":
            name, window = clause.find("label"), clause.find("window")
            assert name is not None
            assert window is not None
            live[label(name.first()).value] = window.find("range") is not None
            if window.find("range") is None and clause.find("log") is None:
                raise rejection(
                    document, window.first(), _ENGINE, "START and OFFSET ON STREAM; it has ON LOG"
                )
    for block in query.find_all("block"):
        _, name_token, *_ = block.tokens()
        if label(name_token).value not in live:
            raise rejection(document, name_token, _ENGINE, "a window that no FROM NAMED WINDOW declares")
    return live


def _check_subquery(document: Document, inner: Phrase, live: Container[str], label: _Label) -> None:
    """Raise QueryError if a subquery uses a window in `live`, or selects a single variable."""
    for block in inner.find_all("block"):
        _, name, *_ = block.tokens()
        if label(name).value in live:
            raise rejection(document, name, _ENGINE, "a live window in a subquery")
    chosen = inner.find("projection")
    if chosen is not None and len(chosen.parts) == 1:
        raise rejection(document, chosen.first(), _ENGINE, "a subquery of one variable")
