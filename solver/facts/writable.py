"""Which constants clingo has a symbol for: asked of each term that is read, so that nothing fails later."""

from typing import Final

from lars.errors import LarsError
from lars.language.terms import Constant, Number, Symbol

_LEAST: Final = -(2**31)
_GREATEST: Final = 2**31 - 1
_SHOWN: Final = 100


class UnwritableTermError(LarsError):
    """A constant has no ASP symbol; `problem` says why."""

    def __init__(self, constant: Constant, problem: str) -> None:
        shown = ascii(str(constant))[1:-1]
        super().__init__(f"no ASP symbol for {shown[:_SHOWN]}{'…' * (len(shown) > _SHOWN)}: {problem}")


def check_writable(constant: Constant) -> None:
    """Raise UnwritableTermError for a number outside 32 bit, or text with NUL or a lone surrogate."""
    match constant:
        case Number(value):
            if not _LEAST <= value <= _GREATEST:
                raise UnwritableTermError(constant, "numbers of the logic are 32 bit")
        case _:
            # A name is written with its NUL escaped.
            text = constant.name if isinstance(constant, Symbol) else str(constant)
            if "\0" in text:
                raise UnwritableTermError(constant, "NUL ends a text in ASP")
            try:
                text.encode()
            except UnicodeEncodeError:
                raise UnwritableTermError(constant, "a lone surrogate is no character") from None
