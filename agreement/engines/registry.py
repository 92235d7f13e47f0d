"""The models of engine versions, by their names."""

from collections.abc import Mapping
from typing import Final

from agreement.engines.engine import Engine
from agreement.engines.versions.cqels import CQELS_1X, CQELS_2011
from agreement.engines.versions.csparql2 import CSPARQL_2
from agreement.engines.versions.csparql_097 import CSPARQL_097, CSPARQL_097_POM
from agreement.engines.versions.kolibrie import KOLIBRIE_846BECB
from agreement.engines.versions.rsp_js import RSP_JS_135
from agreement.engines.versions.rsp_rs import RSP_RS_035
from agreement.engines.versions.yasper import YASPER_CQELS, YASPER_CSPARQL
from agreement.engines.versions.yasper_101 import YASPER_101
from lars.errors import LarsError

_VERSIONS: Final = (
    CSPARQL_097,
    CQELS_1X,
    YASPER_CSPARQL,
    YASPER_CQELS,
    RSP_JS_135,
    RSP_RS_035,
    KOLIBRIE_846BECB,
    YASPER_101,
    CSPARQL_2,
    CQELS_2011,
    CSPARQL_097_POM,
)

ENGINES: Final[Mapping[str, Engine]] = {version.name: version for version in _VERSIONS}


def engine(name: str) -> Engine:
    """Return the model of the engine version with a name.

    Raises:
        LarsError: The name is unknown; the message contains the known names.
    """
    if name not in ENGINES:
        raise LarsError(f"unknown engine {name!r}; use {', '.join(ENGINES)}")
    return ENGINES[name]
