"""An option of a request as a parameter that Typer reads from the command line."""

import inspect
from typing import Annotated, Any

import typer

from agreement.documents.options import DeclaredOption


def parameter(one: DeclaredOption) -> inspect.Parameter:
    """Return the parameter of an option or input, whose value Typer hands to the option's reader."""
    default: Any = inspect.Parameter.empty if one.needed else _default(one)
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(
        one.name, kind, default=default, annotation=Annotated[_annotation(one), _info(one)]
    )


def _annotation(one: DeclaredOption) -> Any:
    """Return the type that Typer reads; what has a reader of its own is read as text."""
    kind = str if one.option.read is not None else one.kind
    if one.option.repeated or one.several_in_shell:
        kind = list[kind]  # type: ignore[valid-type]
    return kind if one.needed else kind | None


def _default(one: DeclaredOption) -> Any:
    return None if one.option.read is not None or one.several else one.field.default


def _info(one: DeclaredOption) -> Any:
    said = one.option
    if said.argument:
        return typer.Argument(metavar=said.metavar, help=said.help, show_default=False)
    explained, shown = said.help, not one.needed
    if said.read is not None:
        shown = False
        if "[default" not in explained and not one.needed and one.plain_default is not None:
            explained = f"{explained}  [default: {one.default_text}]"
    flags = [one.flag, *([said.short] if said.short else [])]
    if one.kind is bool:
        flags = [f"{one.flag}/--no-{one.flag[2:]}"] if one.field.default else flags
        metavar = None
    else:
        metavar = said.metavar
    return typer.Option(
        *flags,
        metavar=metavar,
        help=explained,
        show_default=shown,
        rich_help_panel=one.heading,
        min=said.least,
        max=said.most,
    )
