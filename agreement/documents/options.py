"""Options, declared once as fields of a request with type, default and help text, and their use.

A request is a dataclass. Its fields are options, inputs (`argument`), or groups, which are dataclasses again:
a `HEADING` is the heading of a group's options in the help, for options without their own. A group without
one has the heading of the request or group around it. `build` makes the request from values by the names of
fields, in a shell or in Python.

A request or group declares options without effect in a situation as `IDLE`, a tuple of `IdleOptions`. A
request's own entries come first.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from datetime import datetime, time
from enum import Enum
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from agreement.documents.values import WrongValueError, choices_of, cut
from lars.errors import LarsError, PlacedError

Reader = Callable[[Any], Any]
"""Makes an option's value of what is given: a text or texts of a shell, a value of Python.

Raises WrongValueError, or LarsError, that says what was found and what is accepted.
"""
DataSource = Literal["trace", "static", "streams"]
_KEY: Final = "option"
_OUTSIDE: Final = {Path: "str | Path", bool: "bool", int: "int", float: "float", str: "str"}


@dataclass(frozen=True, slots=True)
class Option:
    """An option: its purpose, its spelling, and the reader of its value.

    `shell_name` is its name in a shell if different from the field's; `short` is a second name,
    `default_text` its default for the help. A `repeated` option occurs several times; an `argument` is
    positional. The `last_input` is the last positional text, with a name only in Python. `keyword` is its
    type in Python if different from the field's; `source` is the kind of data in its files, which Python may
    give by value. Numbers are limited to least..most. The other attributes describe the field: `kind` is its
    type without None, or the type of a sequence's items if `several`.
    """

    help: str
    read: Reader | None = None
    metavar: str | None = None
    shell_name: str | None = None
    short: str | None = None
    default_text: str | None = None
    keyword: str | None = None
    source: DataSource | None = None
    least: float | None = None
    most: float | None = None
    repeated: bool = False
    argument: bool = False
    last_input: bool = False
    name: str = ""
    default: Any = None
    kind: Any = object
    several: bool = False
    optional: bool = False
    heading: str | None = None

    @property
    def flag(self) -> str:
        """The option as written in a shell; Python's reserved names have _ at their end."""
        return self.shell_name or f"--{self.name.rstrip('_').replace('_', '-')}"

    @property
    def needed(self) -> bool:
        """Whether the option has no default."""
        return self.default is MISSING

    @property
    def plain_default(self) -> Any:
        """The default as a user writes it, or None."""
        return None if self.needed or self.default == () else _plain(self.default)

    @property
    def several_in_shell(self) -> bool:
        """Whether a shell's parser collects several values; an option with its own reader takes one text."""
        return self.repeated or (self.several and self.read is None)

    @property
    def choices(self) -> tuple[str, ...]:
        """The valid texts of an enumeration or of words; empty for other types."""
        return tuple(choices_of(self.kind))

    @property
    def python_type(self) -> str:
        """The keyword's type in Python, as text."""
        if self.keyword is not None:
            return self.keyword
        if self.source == "static":
            return "StaticSource | Sequence[StaticSource] | Mapping[str, StaticSource] | None"
        if self.source is not None:
            return f"{'TraceSource' if self.several else 'TextSource'}{' | None' if self.optional else ''}"
        plain = f"Literal[{', '.join(map(repr, self.choices))}]" if self.choices else _OUTSIDE[self.kind]
        whole = f"{plain} | Sequence[{plain}]" if self.several else plain
        return f"{whole} | None" if self.optional or self.several else whole


def option(default: Any, help_text: str, read: Reader | None = None, **more: Any) -> Any:
    """Return the field of an option."""
    return field(default=default, metadata={_KEY: Option(help_text, read, **more)})


needed: Final = MISSING
"""The default of an option that has none: it has to be given."""


def argument(metavar: str, help_text: str, *, default: Any = needed, **more: Any) -> Any:
    """Return the field of a positional input; without `default` it is required."""
    return option(default, help_text, metavar=metavar, argument=True, **more)


def _members(kind: type[Any]) -> Mapping[str, Any]:
    hints = get_type_hints(kind)
    return {
        member.name: _of_field(member, hints[member.name]) if member.metadata else hints[member.name]
        for member in fields(kind)
        if member.metadata or member.default is MISSING
    }


members: Final[Callable[[Any], Mapping[str, Any]]] = cache(_members)
"""What a request or group consists of, by the names of its fields: options, and other groups.

A field with a default that is no option is set by who knows it, once the request is read.
"""


def _of_field(member: "Field[Any]", hint: Any) -> Option:
    declaration: Option = member.metadata[_KEY]
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
    return tuple(_declared(kind, getattr(kind, "HEADING", None)))


declared: Final[Callable[[Any], tuple[Option, ...]]] = cache(_all)
"""The options of a request's type in the order of its fields; a group's options are in its place."""


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
Convert = Callable[[Option, Any], Any]
"""Converts the given value of an option to the type that the option's reader expects."""


def build(request: type[_Request], option_values: Mapping[str, Any], convert: Convert) -> _Request:
    """Return a request from values by field name; None means the default."""
    values = {
        name: convert(member, option_values.get(name))
        if isinstance(member, Option)
        else build(member, option_values, convert)
        for name, member in members(request).items()
    }
    return request(**{name: value for name, value in values.items() if value is not None})


def in_shell(declared_option: Option, value: Any) -> Any:
    """Return the value of an option of a command line, whose plain types the shell's parser has read."""
    if value is None or value == []:
        return None
    with naming(lambda: f"{declared_option.flag} {cut(_joined(value))}"):
        if declared_option.read is not None:
            return declared_option.read(value)
        return tuple(value) if declared_option.several else value


@contextmanager
def naming(text: Callable[[], str]) -> Iterator[None]:
    """Add the value's text to the message of an error about the value."""
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
    """Return the choice that a text names; raises LarsError for any other value."""
    choices = choices_of(declared_option.kind)
    if isinstance(value, str) and value in choices:
        return choices[value]
    raise LarsError(f"expected {', '.join(choices)}")


def shell_words(request: Any) -> Iterator[str]:
    """Yield the options of a request that differ from their defaults, as words of a shell."""
    for declared_option, value in options_of(request):
        if value is True:
            yield declared_option.flag
        elif value != declared_option.default:
            for each in _texts(value):
                yield from (declared_option.flag, each)


def flags_of(*groups: Any, **options: object) -> list[str]:
    """Return the options that differ from their defaults, as written in a shell."""
    every = (pair for group in groups for pair in options_of(group))
    in_groups = [declared_option.flag for declared_option, value in every if value != declared_option.default]
    alone = [f"--{name.replace('_', '-')}" for name, value in options.items() if value is not None]
    return [*in_groups, *alone]


def names_of(*groups: type[Any]) -> frozenset[str]:
    """Return the options of groups, written as in a shell."""
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
    return value.isoformat() if isinstance(value, datetime | time) else str(_plain(value))


def _joined(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value


OptionValues = Mapping[str, Any]
"""The given values: of options by their long names, of inputs by the names of their fields."""
OptionTest = Callable[[OptionValues], bool]
_BESIDE_ANY: Final = ("--schema", "--fields", "--read", "--legend", "--quiet", "--verbose", "--memory")


@dataclass(frozen=True, slots=True)
class IdleOptions:
    """Options or inputs without effect in a situation, which are rejected in it.

    They have an effect only with `requires`, or only without `excludes`. Without `names` these are all other
    options.
    """

    situation: OptionTest
    names: tuple[str, ...]
    requires: str = ""
    excludes: str = ""

    def problem(self, names: Sequence[str]) -> str:
        """Return the error message for these names."""
        listed = " and ".join(names)
        if self.excludes:
            return f"cannot combine {listed} with {self.excludes}; leave one of them out"
        return f"{listed} {'requires' if len(names) == 1 else 'require'} {self.requires}"


def has(name: str, *choices: str) -> OptionTest:
    """Return whether an option is given, with one of the values if any are named."""
    return lambda values: name in values and (not choices or _plain(values[name]) in choices)


def has_not(name: str, *choices: str) -> OptionTest:
    """Return whether an option is not given, or with another value if any are named."""
    return lambda values: not has(name, *choices)(values)


def alone(name: str) -> IdleOptions:
    """Return the rule that an option excludes all other options."""
    return IdleOptions(has(name), (), excludes=f"{name}, which prints and exits")


def idle_options(kind: type[Any]) -> Iterator[IdleOptions]:
    """Yield the declarations of a request or group, then those of its groups."""
    yield from vars(kind).get("IDLE", ())
    for part in members(kind).values():
        if not isinstance(part, Option):
            yield from idle_options(part)


def check_idle(declared_idle: Iterable[IdleOptions], values: OptionValues) -> None:
    """Raise LarsError for options without effect."""
    for options in declared_idle:
        if not options.situation(values):
            continue
        idle = [
            name for name in values if (name in options.names if options.names else name not in _BESIDE_ANY)
        ]
        if idle:
            names = [name if name[:1] == "-" else _joined(values[name]) for name in idle]
            raise LarsError(options.problem(names))
