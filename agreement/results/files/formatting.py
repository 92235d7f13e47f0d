"""The function `fmt`, which formats LARS programs."""

from pathlib import Path

from agreement.results.base.library import Listeners, PrintedTexts, offered_functions
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.files import rewrite, text_in
from lars.options import argument, option
from lars.text import format_program

_CHANGED = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatRequest:
    """The arguments of `lars fmt`.

    Example:
    lars fmt samples/door/door.lars --ascii
    """

    files: tuple[Path, ...] = argument(
        "FILE..", "LARS programs to format. With -, lars reads standard input."
    )
    write: bool = option(False, "Write the formatted text to the files.")
    check: bool = option(
        False,
        "Only print the names of the files that are not formatted. End with exit code 1 if a file is "
        "not formatted.",
    )
    ascii_only: bool = option(
        False, "Use ASCII syntax: [+]^5 <> p :- q instead of ⊞^5 ◇ p ← q.", shell_name="--ascii"
    )


@offered_functions(FormatRequest)
def fmt(request: FormatRequest, listeners: Listeners) -> PrintedTexts:
    """Return formatted programs.

    With `write`, the function rewrites the files. With `check`, the function returns the names of the files
    that would change.
    """
    del listeners
    if request.write and request.check:
        raise LarsError("cannot combine --write with --check, which changes nothing; use one of them")
    if request.write and Path("-") in request.files:
        raise LarsError(
            "-: cannot rewrite standard input; use fmt without --write to print the formatted text"
        )
    # All are read before any is written: one that is no program leaves the others as they are.
    texts = {path: text_in(path, "a LARS program") for path in request.files}
    texts_by_path = {
        path: format_program(text, str(path), ascii=request.ascii_only) for path, text in texts.items()
    }
    changed = [path for path in texts if texts_by_path[path] != texts[path]]
    if request.write:
        for path in changed:
            rewrite(path, texts_by_path[path])
        return PrintedTexts(())
    if request.check:
        return PrintedTexts(tuple(map(str, changed)), _CHANGED if changed else 0)
    return PrintedTexts(tuple(text.removesuffix("\n") for text in texts_by_path.values()))
