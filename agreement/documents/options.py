"""Options, declared once: what a field of a request says beside its type and default, and what is made of it.

A request is a dataclass. Its fields are options, inputs (`argument`), or groups, which are dataclasses
again: the first sentence of a group's docstring is the heading of its options, `HEADING` that of a
request's own. From what is given by the names of fields, in a shell or in Python, `build` makes the request.

A request or group has as `IDLE`, a tuple of `IdleOptions`, those options that would say nothing where they
stand: declared beside them, refused with where they would. Those of a request come first.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from datetime import datetime, time
from difflib import get_close_matches
from enum import Enum
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from agreement.documents.values import WrongValueError, cut
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
    """What an option is for, how it is written, and how its value is read.

    `shell_name` is its name in a shell where that is not the field's, `short` a second one, `default_text`
    what its default is called there; what is `repeated` stands there several times, an `argument` by
    itself, and what is not `in_shell` Python alone can give. `keyword` is the type of what Python may give
    where that is not the field's own; `source` says what data its files hold, which Python may give by value.
    Numbers lie in least..most.
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
    in_shell: bool = True


def option(default: Any, help_text: str, read: Reader | None = None, **more: Any) -> Any:
    """Return the field of an option."""
    return field(default=default, metadata={_KEY: Option(help_text, read, **more)})


needed: Final = MISSING
"""The default of an option that has none: it has to be given."""


def argument(metavar: str, help_text: str, **more: Any) -> Any:
    """Return the field of an input, which has no name in a shell; without `default` it is needed."""
    default = {"default": more.pop("default")} if "default" in more else {}
    return field(**default, metadata={_KEY: Option(help_text, metavar=metavar, argument=True, **more)})


@dataclass(frozen=True, slots=True)
class DeclaredOption:
    """An option of a request: the fields that lead to it, its type, default and declaration.

    `kind` is the type without None, of a sequence that of its items, which `several` says.
    """

    path: tuple[str, ...]
    kind: Any
    several: bool
    optional: bool
    field: "Field[Any]"
    option: Option
    heading: str | None

    @property
    def name(self) -> str:
        """The field's name, which is the keyword's; some have _ behind, since Python keeps their name."""
        return self.path[-1]

    @property
    def flag(self) -> str:
        """The option as it is written in a shell."""
        return self.option.shell_name or f"--{self.name.rstrip('_').replace('_', '-')}"

    @property
    def needed(self) -> bool:
        """Whether it has no default."""
        return self.field.default is MISSING

    @property
    def plain_default(self) -> Any:
        """The default as a user writes it; None where none is said."""
        default = self.field.default
        return None if default == () else default.value if isinstance(default, Enum) else default

    @property
    def several_in_shell(self) -> bool:
        """Whether a shell's parser takes it several times: what has a reader of its own takes one text."""
        return self.several and self.option.read is None

    @property
    def default_text(self) -> str:
        """The default as a shell has it."""
        return self.option.default_text or str(self.plain_default)

    @property
    def choices(self) -> tuple[str, ...]:
        """What is accepted of an enumeration; of other types nothing."""
        is_choice = isinstance(self.kind, type) and issubclass(self.kind, Enum)
        return tuple(str(member.value) for member in self.kind) if is_choice else ()

    @property
    def keyword(self) -> str:
        """The type of the keyword in Python, as it is written there."""
        if self.option.keyword is not None:
            return self.option.keyword
        if self.option.source is not None:
            return self._source
        plain = f"Literal[{', '.join(map(repr, self.choices))}]" if self.choices else _OUTSIDE[self.kind]
        whole = f"{plain} | Sequence[{plain}]" if self.several else plain
        return f"{whole} | None" if self.optional or self.several else whole

    @property
    def _source(self) -> str:
        """The type of what Python may give by value in place of a file."""
        if self.option.source == "static":
            return "StaticSource | Sequence[StaticSource] | Mapping[str, StaticSource] | None"
        plain = "TraceSource" if self.several else "TextSource"
        return f"{plain} | None" if self.optional else plain


def _all(request: Any) -> tuple[DeclaredOption, ...]:
    return tuple(_declared(request, (), getattr(request, "HEADING", None)))


def _declared(kind: type[Any], path: tuple[str, ...], heading: str | None) -> Iterator[DeclaredOption]:
    hints = get_type_hints(kind)
    for member in fields(kind):
        here, hint = (*path, member.name), hints[member.name]
        if (declaration := member.metadata.get(_KEY)) is not None:
            yield DeclaredOption(here, *_kind(hint, declaration.read), member, declaration, heading)
        elif is_dataclass(hint):
            yield from _declared(hint, here, str(hint.__doc__).partition(".")[0])  # type: ignore[arg-type]


def _kind(hint: Any, read: Reader | None) -> tuple[Any, bool, bool]:
    """Return the type of one value, whether there may be several, and whether there may be none."""
    members = [member for member in get_args(hint) if member is not NoneType] if _is_union(hint) else [hint]
    optional = _is_union(hint) and NoneType in get_args(hint)
    (kind, *others) = members
    several = not others and get_origin(kind) in (tuple, Sequence)
    if several:
        kind = get_args(kind)[0]
    return (hint if others or read else kind), several, optional


def _is_union(hint: Any) -> bool:
    return get_origin(hint) is Union or type(hint).__name__ == "UnionType"


declared: Final[Callable[[Any], tuple[DeclaredOption, ...]]] = cache(_all)
"""The options of a request's type in the order of its fields, those of groups where the group stands."""


def groups_of(kind: type[Any]) -> Iterator[type[Any]]:
    """Yield a request or group, and then the groups in it."""
    yield kind
    hints = get_type_hints(kind)
    for member in fields(kind):
        if is_dataclass(hints[member.name]) and not member.metadata:
            yield from groups_of(hints[member.name])


def options_of(request: Any) -> Iterator[tuple[DeclaredOption, Any]]:
    """Yield each option of a request with its value."""
    for declared_option in declared(type(request)):
        value = request
        for name in declared_option.path:
            value = getattr(value, name)
        yield declared_option, value


_Request = TypeVar("_Request")
Convert = Callable[[DeclaredOption, Any], Any]
"""Makes what is given for an option a value of the type that its reader takes."""


def build(request: type[_Request], option_values: Mapping[str, Any], convert: Convert) -> _Request:
    """Return a request with what is given by the names of fields; None stands for the default."""
    values = {
        declared_option.path: convert(declared_option, option_values.get(declared_option.name))
        for declared_option in declared(request)
    }
    request_of_kind: _Request = _built(
        request, (), {path: value for path, value in values.items() if value is not None}
    )
    return request_of_kind


def _built(kind: Any, path: tuple[str, ...], values: Mapping[tuple[str, ...], Any]) -> Any:
    made: dict[str, Any] = {}
    hints = get_type_hints(kind)
    for member in fields(kind):
        here = (*path, member.name)
        if here in values:
            made[member.name] = values[here]
        elif is_dataclass(hints[member.name]) and not member.metadata:
            made[member.name] = _built(hints[member.name], here, values)
    return kind(**made)


def in_shell(declared_option: DeclaredOption, value: Any) -> Any:
    """Return the value of an option of a command line, whose plain types the shell's parser has read."""
    if value is None or value == []:
        return None
    return _read(declared_option, value, lambda: f"{declared_option.flag} {cut(_joined(value))}")


def in_python(declared_option: DeclaredOption, value: Any) -> Any:
    """Return the value of a keyword; files have been put in the place of data."""
    if value is None:
        return None

    def found() -> str:
        return f"{declared_option.name}={cut(repr(value))}"

    if declared_option.choices and not declared_option.option.read:
        return _member(declared_option, value, found)
    if declared_option.several and not declared_option.option.read:
        return tuple(value) if isinstance(value, list | tuple) else (value,)
    _check_range(declared_option, value, found)
    return _read(
        declared_option, declared_option.kind(value) if declared_option.kind in (Path, bool) else value, found
    )


def _read(declared_option: DeclaredOption, value: Any, text: Callable[[], str]) -> Any:
    if declared_option.option.read is None:
        return tuple(value) if declared_option.several else value
    try:
        return declared_option.option.read(value)
    except PlacedError:
        raise
    except (LarsError, WrongValueError) as error:
        raise LarsError(f"{text()}: {error}") from None


def _check_range(declared_option: DeclaredOption, value: Any, text: Callable[[], str]) -> None:
    """Raise LarsError for a number outside of what is accepted."""
    least, most = declared_option.option.least, declared_option.option.most
    if (least is not None and value < least) or (most is not None and value > most):
        ends = ("" if end is None else str(end) for end in (least, most))
        raise LarsError(f"{text()}: accepted: a number in {'..'.join(ends)}")


def _member(declared_option: DeclaredOption, value: Any, text: Callable[[], str]) -> Any:
    try:
        return declared_option.kind(value)
    except ValueError:
        raise LarsError(f"{text()}: accepted: {', '.join(declared_option.choices)}") from None


def check_names(function: str, request: type[Any], names: Iterable[str]) -> None:
    """Raise TypeError for a keyword that is none, with the one that is probably meant."""
    known = [declared_option.name for declared_option in declared(request)]
    for name in names:
        if name not in known:
            close = get_close_matches(name, known, 1)
            meant = f"; did you mean {close[0]!r}?" if close else ""
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{meant}")


def shell_words(request: Any) -> Iterator[str]:
    """Yield the options of a request that say something other than their default, as a shell has them."""
    for declared_option, value in options_of(request):
        if value is True:
            yield declared_option.flag
        elif value != declared_option.field.default:
            for each in _texts(value):
                yield from (declared_option.flag, each)


def flags_of(*groups: Any, **options: object) -> list[str]:
    """Return the options that say something other than their default, written as in a shell."""
    in_groups = [
        declared_option.flag
        for group in groups
        for declared_option, value in options_of(group)
        if value != declared_option.field.default
    ]
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
    match value:
        case Enum():
            return str(value.value)
        case datetime() | time():
            return value.isoformat()
        case _:
            return str(value)


def _joined(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


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
    return lambda values: name in values and (value is None or _plain(values[name]) == value)


def has_not(name: str, value: str) -> OptionTest:
    """Return whether an option has another value, or none."""
    return lambda values: _plain(values.get(name)) != value


def alone(name: str) -> IdleOptions:
    """Return that beside an option no other says anything."""
    return IdleOptions(has(name), (), f"accepted without {name}, which prints what it says and nothing else")


def idle_options(*kinds: type[Any]) -> Iterator[IdleOptions]:
    """Yield what requests and groups of options declare, and then what groups in them do."""
    for kind in kinds:
        for group in groups_of(kind):
            yield from vars(group).get("IDLE", ())


def check_idle(kinds: tuple[type[Any], ...], values: OptionValues) -> None:
    """Raise LarsError for options that would say nothing, of what these requests and groups declare."""
    for options in idle_options(*kinds):
        if not options.situation(values):
            continue
        idle = [
            name for name in values if (name in options.names if options.names else name not in _BESIDE_ANY)
        ]
        if idle:
            names = (name if name[:1] == "-" else _joined(values[name]) for name in idle)
            raise LarsError(f"{', '.join(names)}: {options.accepted}")


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value
