r"""Texts of strangers, made fit to be seen: on terminals, in messages and on pages.

A control character moves the cursor or colours what follows, one of direction turns the line around,
one without width hides: each is written as N-Triples, Turtle, SPARQL and LARS programs write it.
"""

from typing import Final

_SHORT: Final = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
_BASIC: Final = 0xFFFF


def printable(text: str) -> str:
    r"""Return a text with an escape for each character that is not seen but the space and line feeds.

    >>> print(printable("a\x1b[2J \u202eb"))
    a\u001B[2J \u202Eb
    """
    lines = text.split("\n")
    return text if all(map(str.isprintable, lines)) else "\n".join(map(on_one_line, lines))


def on_one_line(text: str) -> str:
    r"""Return a text as `printable` does, line feeds written as escapes too.

    >>> print(on_one_line("a\nb"))
    a\nb
    """
    return text if text.isprintable() else "".join(map(_seen, text))


def _seen(one: str) -> str:
    if one.isprintable():
        return one
    code = ord(one)
    return _SHORT.get(one) or (f"\\u{code:04X}" if code <= _BASIC else f"\\U{code:08X}")
