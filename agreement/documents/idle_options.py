"""Options that would say nothing where they stand: declared beside them, refused with where they would.

A request or group has them as `IDLE`, a tuple of `IdleOptions`; those of a request come first.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from agreement.documents.options import groups_of
from lars.errors import LarsError

OptionValues = Mapping[str, Any]
"""What is given: the values of options by their long names, of inputs by the names of their fields."""
OptionTest = Callable[[OptionValues], bool]
_BESIDE_ANY: Final = ("--schema", "--fields", "--read", "--legend", "--quiet", "--verbose", "--memory")


@dataclass(frozen=True, slots=True)
class IdleOptions:
    """In a situation these options (or inputs) say nothing; `accepted` says where they do.

    Without `names` these are all others.
    """

    situation: OptionTest
    names: tuple[str, ...]
    accepted: str


def has(name: str, value: object = None) -> OptionTest:
    """Return whether an option is given, with that value if one is named."""
    return lambda said: name in said and (value is None or _plain(said[name]) == value)


def has_not(name: str, value: str) -> OptionTest:
    """Return whether an option has another value, or none."""
    return lambda said: _plain(said.get(name)) != value


def alone(name: str) -> IdleOptions:
    """Return that beside an option no other says anything."""
    return IdleOptions(has(name), (), f"accepted without {name}, which prints what it says and nothing else")


def idle_options(*kinds: type[Any]) -> Iterator[IdleOptions]:
    """Yield what requests and groups of options declare, and then what groups in them do."""
    for kind in kinds:
        for group in groups_of(kind):
            yield from vars(group).get("IDLE", ())


def check_idle(kinds: tuple[type[Any], ...], said: OptionValues) -> None:
    """Raise LarsError for options that would say nothing, of what these requests and groups declare."""
    for one in idle_options(*kinds):
        if not one.situation(said):
            continue
        idle = [name for name in said if (name in one.names if one.names else name not in _BESIDE_ANY)]
        if idle:
            named = (name if name[:1] == "-" else _joined(said[name]) for name in idle)
            raise LarsError(f"{', '.join(named)}: {one.accepted}")


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value


def _joined(value: Any) -> str:
    return " ".join(map(str, value if isinstance(value, list | tuple) else [value]))
