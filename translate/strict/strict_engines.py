"""The exact grammars of engine versions: the queries that their own parsers reject, and the reasons."""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Final

from translate.errors import NeedsRdf12Error, QueryError
from translate.strict import strict_cqels, strict_csparql, strict_janus, strict_kolibrie, strict_rspql


class StrictEngine(Enum):
    """An engine version whose own parser is known exactly."""

    CSPARQL_097 = "csparql-0.9.7"
    CQELS = "cqels-1.x"
    RSP4J = "rsp4j"
    RSP_JS = "rsp-js"
    RSP_RS = "rsp-rs"
    KOLIBRIE = "kolibrie"
    JANUS = "janus"


_CHECKS: Final[Mapping[StrictEngine, Callable[[str, str], None]]] = {
    StrictEngine.CSPARQL_097: strict_csparql.check_csparql,
    StrictEngine.CQELS: strict_cqels.check_cqels,
    StrictEngine.RSP4J: strict_rspql.check_rsp4j,
    StrictEngine.RSP_JS: strict_rspql.check_rsp_js,
    StrictEngine.RSP_RS: strict_rspql.check_rsp_rs,
    StrictEngine.KOLIBRIE: strict_kolibrie.check_kolibrie,
    StrictEngine.JANUS: strict_janus.check_janus,
}


def check_strict(text: str, source: str, engine: StrictEngine) -> None:
    """Raise QueryError, with place and reason, if the engine's own parser rejects the query.

    `source` names the text in messages. The translation can still reject a query that passes.

    >>> check_strict("SELECT ?s { STREAM <s> [NOW] { ?s ?p ?o } }", "q.rq", StrictEngine.CQELS)
    """
    try:
        _CHECKS[engine](text, source)
    except NeedsRdf12Error as error:
        raise QueryError(
            error.place, f"found {error.construct}; {engine.value} reads SPARQL 1.1, not SPARQL 1.2"
        ) from None
