"""The engine versions by name; each is imported when it is asked for."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from agreement.engines.engine import Engine
from lars.errors import LarsError


def _csparql_097() -> Engine:
    from agreement.engines.csparql_097 import CSparql097

    return CSparql097()


def _cqels_1x() -> Engine:
    from agreement.engines.cqels_1x import Cqels1x

    return Cqels1x()


def _yasper_csparql() -> Engine:
    from agreement.engines.yasper_csparql import YasperCsparql

    return YasperCsparql()


def _yasper_cqels() -> Engine:
    from agreement.engines.yasper_cqels import YasperCqels

    return YasperCqels()


def _rsp_js_135() -> Engine:
    from agreement.engines.rsp_js_135 import RspJs135

    return RspJs135()


def _cqels_2011() -> Engine:
    from agreement.engines.cqels_2011 import Cqels2011

    return Cqels2011()


class _Engines(Mapping[str, Engine]):
    """The engine of each name, made when it is looked up."""

    def __init__(self, made: Mapping[str, Callable[[], Engine]]) -> None:
        self._made = made

    def __getitem__(self, name: str) -> Engine:
        return self._made[name]()

    def __contains__(self, name: object) -> bool:
        return name in self._made

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)


ENGINES: Final[Mapping[str, Engine]] = _Engines(
    {
        "csparql-0.9.7": _csparql_097,
        "cqels-1.x": _cqels_1x,
        "yasper-csparql": _yasper_csparql,
        "yasper-cqels": _yasper_cqels,
        "rsp-js-1.3.5": _rsp_js_135,
        "cqels-2011": _cqels_2011,
    }
)


def engine(name: str) -> Engine:
    """Return the engine version of that name, or raise LarsError with the names that there are."""
    if name not in ENGINES:
        raise LarsError(f"found the engine {name!r}; accepted: {', '.join(ENGINES)}")
    return ENGINES[name]
