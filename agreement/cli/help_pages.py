"""Options on a command line, and help: commands by purpose, options by subject, examples."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from agreement.cli.commands import COMMANDS
from agreement.cli.outputs import OUTPUT
from agreement.documents.options import DeclaredOption, check_idle
from lars.errors import LarsError


def parameter(option: DeclaredOption) -> inspect.Parameter:
    """Return the parameter of an option or input, whose value Typer hands to the option's reader."""
    default = inspect.Parameter.empty if option.needed else _default(option)
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(
        option.name, kind, default=default, annotation=Annotated[_annotation(option), _info(option)]
    )


def _annotation(option: DeclaredOption) -> object:
    """Return the type that Typer reads; what has a reader of its own is read as text."""
    kind = str if option.option.read is not None else option.kind
    if option.option.repeated or option.several_in_shell:
        kind = list[kind]  # type: ignore[valid-type]
    return kind if option.needed else kind | None


def _default(option: DeclaredOption) -> object:
    return None if option.option.read is not None or option.several else option.field.default


def _info(option: DeclaredOption) -> object:
    declaration = option.option
    if declaration.argument:
        return typer.Argument(metavar=declaration.metavar, help=declaration.help, show_default=False)
    explained, is_shown = declaration.help, not option.needed
    if declaration.read is not None:
        is_shown = False
        if "[default" not in explained and not option.needed and option.plain_default is not None:
            explained = f"{explained}  [default: {option.default_text}]"
    flags = [option.flag, *([declaration.short] if declaration.short else [])]
    if option.kind is bool:
        flags = [f"{option.flag}/--no-{option.flag[2:]}"] if option.field.default else flags
        metavar = None
    else:
        metavar = declaration.metavar
    return typer.Option(
        *flags,
        metavar=metavar,
        help=explained,
        show_default=is_shown,
        rich_help_panel=option.heading,
        min=declaration.least,
        max=declaration.most,
    )


_Click = Any
"""Typer hands over contexts, commands and formatters of click, whose classes it keeps to itself."""
_FIRST: Final = "Options"
_KINDS: Final = {
    "list[Path]": "FILE",
    "path": "FILE",
    "str": "TEXT",
    "int": "N",
    "int range": "N",
    "float range": "X",
}


_NO_SHELL: Final = "completion is installed from within bash, zsh, fish or powershell: none of them is found"


class LarsCommand(TyperCommand):
    """A command whose help has its options under headings, and its examples as they are typed.

    Of the command line, what would say nothing is refused.
    """

    def invoke(self, ctx: _Click) -> object:
        """Run the command, unless an option would say nothing."""
        sources = ((param, ctx.get_parameter_source(param.name)) for param in self.params)
        parameters = [
            param for param, source in sources if source is not None and source.name == "COMMANDLINE"
        ]
        about = COMMANDS[str(self.name)]
        kinds = (about.answering.request, *about.outputs)
        check_idle(kinds, {param.opts[0]: ctx.params[str(param.name)] for param in parameters})
        return super().invoke(ctx)

    def collect_usage_pieces(self, ctx: _Click) -> list[str]:  # noqa: ARG002
        """Return what stands behind the command's name: its inputs as the manuals write them."""
        inputs = (param.metavar for param in self.params if param.param_type_name == "argument")
        return [*map(str, inputs), "[OPTIONS]"]

    def format_help_text(self, ctx: _Click, formatter: _Click) -> None:  # noqa: ARG002
        """Write what the command does, wrapped, and its examples, not wrapped: they can be copied."""
        for paragraph in inspect.cleandoc(self.help or "").split("\n\n"):
            formatter.write_paragraph()
            with formatter.indentation():
                if paragraph.startswith("Example"):
                    formatter.write("".join(f"  {line}\n" for line in paragraph.splitlines()))
                else:
                    formatter.write_text(paragraph)

    def format_options(self, ctx: _Click, formatter: _Click) -> None:
        """Write the options by subject, those of the output last."""
        sections: dict[str, list[tuple[str, str]]] = {"Input": [], _FIRST: []}
        for param in self.get_params(ctx):
            name, text = param.get_help_record(ctx) or ("", "")
            if param.param_type_name == "argument":
                sections["Input"].append((str(param.metavar), text))
            else:
                last = OUTPUT if param.name == "help" else _FIRST
                heading = getattr(param, "rich_help_panel", None) or last
                sections.setdefault(heading, []).append((_plain(name), text))
        sections[OUTPUT] = sections.pop(OUTPUT)
        for heading, rows in sections.items():
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows, col_max=26)


def _plain(name: str) -> str:
    """Return an option with the kind of its value as a reader calls it, not as Python does."""
    return re.sub(r"<(.*)>", lambda kind: _KINDS.get(kind[1], kind[1]), name)


class NamedCommands(Mapping[str, _Click]):
    """All commands by name, each made by `load` when it is looked up."""

    def __init__(self, load: Callable[[str], _Click]) -> None:
        self._load = load
        self._names = sorted(COMMANDS)

    def __getitem__(self, name: str) -> _Click:
        if name not in self._names:
            raise KeyError(name)
        return self._load(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class LarsGroup(TyperGroup):
    """The command `lars` itself, whose help has each command under what it is for."""

    def parse_args(self, ctx: _Click, args: list[str]) -> list[str]:
        """Read the options before the command; without anything the help is asked for."""
        try:
            return super().parse_args(ctx, args or ["--help"])
        except typer.Exit as ended:
            # Typer's own words for that go to standard output.
            if ended.exit_code:
                raise LarsError(_NO_SHELL) from None
            raise
        except (OSError, RuntimeError) as error:
            raise LarsError(f"completion cannot be installed: {error}; --show-completion prints it") from None

    def format_commands(self, ctx: _Click, formatter: _Click) -> None:  # noqa: ARG002
        """Write each command with the whole first sentence of its help."""
        for purpose in dict.fromkeys(about.purpose for about in COMMANDS.values()):
            known = [self.commands[name] for name, about in COMMANDS.items() if about.purpose == purpose]
            with formatter.section(purpose):
                first = [inspect.cleandoc(command.help or "").split("\n\n")[0] for command in known]
                formatter.write_dl(
                    [(f"{command.name:9}", text) for command, text in zip(known, first, strict=True)]
                )
