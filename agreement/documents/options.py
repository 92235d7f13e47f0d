"""Options of commands: declarations as fields of a request, with type, default and help text.

A request is a dataclass whose fields are options, inputs (`argument`), or groups of options. A group is
also a dataclass. `HEADING` of a group is the heading of its options in the help text. A group without
`HEADING` has the heading of the surrounding request or group. `WITHOUT` of a request contains the names of
options in its groups that have no effect in the command; the command does not have these options.

`build` creates a request from values by field name, for the shell and for Python. `IDLE` of a request or
group is a tuple of `IdleOptions`: options without effect in a situation. The entries of the request come
before the entries of its groups.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, Field, fields, replace
from datetime import datetime, time
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

from lars.dataclass import dataclass
from lars.errors import LarsError, PlacedError, WrongValueError, cut
from lars.options import KEY, Option, choices_of, plain_value


def _members(kind: type[Any]) -> Mapping[str, Any]:
    hints = get_type_hints(kind)
    return {
        member.name: _of_field(member, hints[member.name]) if member.metadata else hints[member.name]
        for member in fields(kind)
        if member.metadata or member.default is MISSING
    }


members: Final[Callable[[Any], Mapping[str, Any]]] = cache(_members)
"""The options and groups of a request or group, by the names of its fields.

The mapping omits a field with a default that is not an option; other code sets such a field later.
"""


def _of_field(member: "Field[Any]", hint: Any) -> Option:
    declaration: Option = member.metadata[KEY]
    types = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    kinds = [kind for kind in types if kind is not NoneType]
    several = len(kinds) == 1 and get_origin(kinds[0]) in (tuple, Sequence)
    kind = get_args(kinds[0])[0] if several else kinds[0]
    return replace(
        declaration,
        name=member.name,
        default=member.default,
        kind=hint if len(kinds) > 1 or declaration.read else kind,
        several=several,
        optional=len(kinds) < len(types),
    )


def _all(kind: type[Any]) -> tuple[Option, ...]:
    without = getattr(kind, "WITHOUT", ())
    every = _declared(kind, getattr(kind, "HEADING", None))
    return tuple(member for member in every if member.name not in without)


declared: Final[Callable[[Any], tuple[Option, ...]]] = cache(_all)
"""The options of a request's type in the order of its fields.

The options of a group are at the place of the group.
"""


def _declared(kind: type[Any], heading: str | None) -> Iterator[Option]:
    for member in members(kind).values():
        if isinstance(member, Option):
            yield replace(member, heading=member.heading or heading)
        else:
            yield from _declared(member, getattr(member, "HEADING", heading))


def options_of(request: Any) -> Iterator[tuple[Option, Any]]:
    """Yield each option of a request with its value."""
    for name, member in members(type(request)).items():
        value = getattr(request, name)
        if isinstance(member, Option):
            yield member, value
        else:
            yield from options_of(value)


_Request = TypeVar("_Request")
_Group = TypeVar("_Group")


def groups_of(request: Any, kind: type[_Group]) -> Iterator[_Group]:
    """Yield the option groups of a request that have the type `kind`, including groups inside groups."""
    for name, member in members(type(request)).items():
        if not isinstance(member, Option):
            group = getattr(request, name)
            yield from (group,) if isinstance(group, kind) else groups_of(group, kind)


def over(options: _Group, usual: _Group) -> _Group:
    """Return a group of options; an option that is not given has the value that it has in `usual`."""
    group: Any = options
    changes = dict[str, Any]()
    for name, member in members(type(group)).items():
        own, other = getattr(group, name), getattr(usual, name)
        if not isinstance(member, Option):
            changes[name] = over(own, other)
        elif own in (member.default, {}):  # an empty table, which only Python can give, sets nothing
            changes[name] = other
    combined: _Group = replace(group, **changes)
    return combined


Convert = Callable[[Option, Any], Any]
"""A function that converts the given value of an option to the type that its reader expects."""


def build(request: type[_Request], option_values: Mapping[str, Any], convert: Convert) -> _Request:
    """Return a request from values by field name; the value None means the default of the field."""
    values = {
        name: convert(member, option_values.get(name))
        if isinstance(member, Option)
        else build(member, option_values, convert)
        for name, member in members(request).items()
    }
    return request(**{name: value for name, value in values.items() if value is not None})


def in_shell(declared_option: Option, value: Any) -> Any:
    """Return the value of a command-line option; numbers and other plain types have already been read."""
    if value is None or value == []:
        return None
    with naming(lambda: f"{declared_option.flag} {cut(_joined(value))}"):
        if declared_option.read is not None:
            return declared_option.read(value)
        return tuple(value) if declared_option.several else value


@contextmanager
def naming(text: Callable[[], str]) -> Iterator[None]:
    """If the block raises an error about a value, add the text of the value to the error message."""
    try:
        yield
    except PlacedError:
        raise
    except (LarsError, WrongValueError) as error:
        raise LarsError(f"{text()}: {error}") from None


def check_range(declared_option: Option, value: Any) -> None:
    """Raise LarsError for a number outside the option's range."""
    least, most = declared_option.least, declared_option.most
    if declared_option.kind is float and isinstance(value, int) and abs(value) > sys.float_info.max:
        raise LarsError(f"expected a number up to {sys.float_info.max:.0e}")
    if (least is not None and value < least) or (most is not None and value > most):
        ends = ("" if end is None else str(end) for end in (least, most))
        raise LarsError(f"expected a number in {'..'.join(ends)}")


def member_of(declared_option: Option, value: Any) -> Any:
    """Return the value of an option that a text names; raise LarsError if the text is not a valid choice."""
    choices = choices_of(declared_option.kind)
    if isinstance(value, str) and value in choices:
        return choices[value]
    raise LarsError(f"expected {', '.join(choices)}")


def shell_words(request: Any) -> Iterator[str]:
    """Yield the options of a request with values other than the defaults, as words of a command line."""
    for declared_option, value in options_of(request):
        if value == declared_option.default:
            continue
        if isinstance(value, bool):
            yield declared_option.flag if value else f"--no-{declared_option.flag.removeprefix('--')}"
        else:
            for each in _texts(value):
                yield from (declared_option.flag, each)


def flags_of(*groups: Any, **options: object) -> list[str]:
    """Return the flags of the options with values other than the defaults."""
    every = (pair for group in groups for pair in options_of(group))
    in_groups = [declared_option.flag for declared_option, value in every if value != declared_option.default]
    alone = [f"--{name.replace('_', '-')}" for name, value in options.items() if value is not None]
    return [*in_groups, *alone]


def names_of(*groups: type[Any]) -> frozenset[str]:
    """Return the flags, such as --period, of all options in the given groups."""
    return frozenset(declared_option.flag for group in groups for declared_option in declared(group))


def _texts(value: Any) -> Iterator[str]:
    match value:
        case Mapping():
            # Streams are kept by their files, and written before them.
            yield from (
                f"{content}={key}" if isinstance(key, Path) else f"{key}={content}"
                for key, content in value.items()
            )
        case tuple():
            yield from map(_text, value)
        case _:
            yield _text(value)


def _text(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime | time) else str(plain_value(value))


def _joined(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


OptionValues = Mapping[str, Any]
"""The given values of options by their long names, and of inputs by their field names."""
OptionTest = Callable[[OptionValues], bool]
_BESIDE_ANY: Final = ("--schema", "--fields", "--read", "--legend", "--quiet", "--verbose", "--memory")


@dataclass(frozen=True, slots=True)
class IdleOptions:
    """Options or inputs that have no effect in a situation, so that `lars` rejects them in this situation.

    The options have an effect only if the condition `requires` holds, or only if the condition `excludes`
    does not hold. If `names` is empty, all other options have no effect.
    """

    situation: OptionTest
    names: tuple[str, ...]
    requires: str = ""
    excludes: str = ""

    def problem(self, names: Sequence[str]) -> str:
        """Return the error message for the given options that have no effect."""
        listed = " and ".join(names)
        if self.excludes:
            return f"cannot combine {listed} with {self.excludes}; use only one of them"
        return f"{listed} {'requires' if len(names) == 1 else 'require'} {self.requires}"


def has(name: str, *choices: str) -> OptionTest:
    """Return a condition that is true if an option is given.

    If `values` are given, the condition is true if the option has one of the `values`.
    """
    return lambda values: name in values and (not choices or plain_value(values[name]) in choices)


def has_not(name: str, *choices: str) -> OptionTest:
    """Return a condition that is true if an option is not given.

    If `values` are given, the condition is true if the option has none of the `values`.
    """
    return lambda values: not has(name, *choices)(values)


def alone(name: str) -> IdleOptions:
    """Return the rule that an option cannot be combined with any other option."""
    return IdleOptions(has(name), (), excludes=f"{name}, which prints and exits")


def idle_options(kind: type[Any]) -> Iterator[IdleOptions]:
    """Yield the options without effect (`IDLE`) of a request or group, and then of its inner groups."""
    yield from vars(kind).get("IDLE", ())
    for part in members(kind).values():
        if not isinstance(part, Option):
            yield from idle_options(part)


def check_idle(declared_idle: Iterable[IdleOptions], values: OptionValues) -> None:
    """Raise LarsError if an option is given that has no effect with the other given options."""
    for options in declared_idle:
        if not options.situation(values):
            continue
        idle = [
            name for name in values if (name in options.names if options.names else name not in _BESIDE_ANY)
        ]
        if idle:
            names = [name if name[:1] == "-" else _joined(values[name]) for name in idle]
            raise LarsError(options.problem(names))
