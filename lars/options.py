"""The declaration of an option, as a field of the value that the option sets.

A field has a type, a default and a help text. Commands, Python and `experiment.toml` read the option by this
declaration. The value of an option can belong to any layer of the program: the settings of a job are also
options of commands.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, field
from enum import Enum
from pathlib import Path
from typing import Any, Final, Literal, TypeVar, get_args, get_origin

from lars.dataclass import dataclass

Reader = Callable[[Any], Any]
"""A function that returns the value of an option from texts of a shell, or from a value of Python.

The function raises WrongValueError or LarsError with the value and the expected form.
"""
DataSource = Literal["trace", "static", "streams"]
KEY: Final = "option"
"""The key of an option in the metadata of its field."""
_OUTSIDE: Final = {Path: "str | Path", bool: "bool", int: "int", float: "float", str: "str"}


@dataclass(frozen=True, slots=True)
class Option:
    """The declaration of an option of a command: its help text, its spelling, and the reader of its value.

    The field `shell_name` is the name of the option in a shell, if it differs from the field name. The field
    `short` is a second name of the option. The field `default_text` is the default of the option in the help
    text. If `repeated` is true, the option may occur several times in a command. If `argument` is true, the
    option is a positional argument; if `last_input` is true, it is the last positional argument. The field
    `keyword` is the type of the option in Python, if it differs from the type of the dataclass field that
    declares the option. The field `source` is the kind of data in the option's files; in Python, such data
    can also be given as a value. A number that a user gives for the option must be from `least` to `most`.
    The field `kind` is the type of the declaring field without None; if `several` is true, `kind` is the type
    of the items in a sequence.
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
        """The flag of the option in a shell, such as `--within` for the Python name `within` or `within_`."""
        return self.shell_name or f"--{self.name.rstrip('_').replace('_', '-')}"

    @property
    def needed(self) -> bool:
        """Whether the option has no default."""
        return self.default is MISSING

    @property
    def plain_default(self) -> Any:
        """The default of the option as a user would write it; None if the option has no default."""
        if self.needed or self.default in (None, ()):
            return None
        plain = self.default_text or plain_value(self.default)
        return plain if isinstance(plain, str | float | int) else str(plain)

    @property
    def several_in_shell(self) -> bool:
        """Whether a user can give several values for the option in a shell.

        If an option has its own reader and is not repeated, this reader splits a single text into the values.
        """
        return self.repeated or (self.several and self.read is None)

    @property
    def choices(self) -> tuple[str, ...]:
        """The valid texts of an option whose type is an enumeration or a literal type.

        If the option has any other type, the tuple is empty.
        """
        return tuple(choices_of(self.kind))

    @property
    def python_type(self) -> str:
        """The type of the option as a keyword argument in Python, as text."""
        if self.keyword is not None:
            return self.keyword
        if self.source == "static":
            return "StaticSource | Sequence[StaticSource] | Mapping[str, StaticSource] | None"
        if self.source is not None:
            return f"{'TraceSource' if self.several else 'TextSource'}{' | None' if self.optional else ''}"
        plain = f"Literal[{', '.join(map(repr, self.choices))}]" if self.choices else _OUTSIDE[self.kind]
        whole = f"{plain} | Sequence[{plain}]" if self.several else plain
        return f"{whole} | None" if self.optional or self.several else whole


_Read = TypeVar("_Read", bound=Reader)
_KINDS: Final = dict[Reader, tuple[str, str]]()
"""For each reader, the name of its values in the help text, and their type in Python."""


def kind_of_value(metavar: str, keyword: str) -> Callable[[_Read], _Read]:
    """Return a decorator of a reader, which names the kind of value that the reader returns.

    Options with this reader have the given `metavar` and `keyword`, unless they declare their own.

    >>> word = kind_of_value("WORD", "str")(str.upper)
    >>> declaration = option(None, "A word.", word).metadata[KEY]
    >>> declaration.metavar, declaration.keyword
    ('WORD', 'str | None')
    """

    def declared(read: _Read) -> _Read:
        _KINDS[read] = metavar, keyword
        return read

    return declared


def option(default: Any, help_text: str, read: Reader | None = None, **more: Any) -> Any:
    """Return the dataclass field that declares an option."""
    if read in _KINDS:
        metavar, keyword = _KINDS[read]
        can_be_left_out = default in (None, ()) and "default_text" not in more
        more = {"metavar": metavar, "keyword": f"{keyword} | None" if can_be_left_out else keyword, **more}
    return field(default=default, metadata={KEY: Option(help_text, read, **more)})


needed: Final = MISSING
"""The default of a required option."""


def argument(metavar: str, help_text: str, *, default: Any = needed, **more: Any) -> Any:
    """Return the dataclass field that declares a positional input.

    If the field has no `default`, the user must give the positional input.
    """
    return option(default, help_text, metavar=metavar, argument=True, **more)


def choices_of(kind: Any) -> Mapping[str, Any]:
    """Map the texts of an enumeration or literal type to its values; return an empty mapping for other types.

    >>> choices_of(Literal["stop", "skip"])
    {'stop': 'stop', 'skip': 'skip'}
    """
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {str(member.value): member for member in kind}
    return {word: word for word in get_args(kind)} if get_origin(kind) is Literal else {}


def plain_value(value: Any) -> Any:
    """Return a value as a user would write it: a member of an enumeration becomes its text."""
    return value.value if isinstance(value, Enum) else value


def pairs(names: Sequence[str] | Mapping[str, Any]) -> Sequence[tuple[str, Any]]:
    """Return names with their values, from texts NAME=VALUE or from a mapping."""
    if isinstance(names, Mapping):
        return [*names.items()]
    return [(name, value) for name, _, value in (text.partition("=") for text in names)]
