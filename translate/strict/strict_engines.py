"""The exact grammars of engine versions: queries that an engine's own parser rejects, and the reasons."""

from collections.abc import Callable, Mapping
from typing import Final, Literal

from translate.errors import NeedsRdf12Error, QueryError
from translate.strict import (
    strict_cqels,
    strict_cqels2,
    strict_csparql,
    strict_janus,
    strict_kolibrie,
    strict_rspql,
)

StrictEngine = Literal[
    "csparql-0.9.7", "cqels-1.x", "rsp4j", "rsp-js", "rsp-rs", "kolibrie", "janus", "cqels4j", "cqels-rs"
]
"""The name of an engine version for which the exact parser is known."""


_CHECKS: Final[Mapping[StrictEngine, Callable[[str, str], None]]] = {
    "csparql-0.9.7": strict_csparql.check_csparql,
    "cqels-1.x": strict_cqels.check_cqels,
    "rsp4j": strict_rspql.check_rsp4j,
    "rsp-js": strict_rspql.check_rsp_js,
    "rsp-rs": strict_rspql.check_rsp_rs,
    "kolibrie": strict_kolibrie.check_kolibrie,
    "janus": strict_janus.check_janus,
    "cqels4j": strict_cqels2.check_cqels4j,
    "cqels-rs": strict_cqels2.check_cqels_rs,
}


def check_strict(text: str, source: str, engine: StrictEngine) -> None:
    """Raise QueryError, with a place and a reason, if the engine's own parser rejects the query.

    The argument `source` is the name of the text in messages. A query that passes this check may still have
    no translation.

    >>> check_strict("SELECT ?s { STREAM <s> [NOW] { ?s ?p ?o } }", "q.rq", "cqels-1.x")
    """
    try:
        _CHECKS[engine](text, source)
    except NeedsRdf12Error as error:
        raise QueryError(
            error.place, f"found {error.construct}; {engine} reads SPARQL 1.1, not SPARQL 1.2"
        ) from None
