"""`lars fmt`: LARS programs in the one way to write them."""

from pathlib import Path
from typing import Annotated

import typer

from agreement.commands.app import STANDARD_INPUT, command, print_lines, print_text, text_in
from lars.errors import LarsError
from lars.files import rewrite
from lars.text import format_program

_CHANGED = 1


@command
def fmt(
    *,
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE..", help="LARS programs, - is standard input.")
    ],
    write: Annotated[bool, typer.Option("--write", help="Rewrite the files in place.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Name the files that would change; exit 1.")] = False,
    ascii_only: Annotated[
        bool, typer.Option("--ascii", help="Write [+]^5 <> p :- q, not ⊞^5 ◇ p ← q.")
    ] = False,
) -> None:
    """Print LARS programs formatted; comments and prefixes are kept.

    Example:
    lars fmt samples/door/door.lars --ascii
    """
    if write and check:
        raise LarsError("--write changes files and --check does not: give one of them")
    if write and STANDARD_INPUT in files:
        raise LarsError("-: standard input cannot be rewritten; without --write its text is printed")
    # All are read before any is written: one that is no program leaves the others as they are.
    texts = {path: text_in(path, "a LARS program") for path in files}
    found = {path: format_program(text, str(path), ascii=ascii_only) for path, text in texts.items()}
    changed = [path for path in texts if found[path] != texts[path]]
    if write:
        for path in changed:
            rewrite(path, found[path])
    elif check:
        print_lines(map(str, changed))
        if changed:
            raise typer.Exit(_CHANGED)
    else:
        for text in found.values():
            print_text(text)
