"""What is wrong with an input, said once: place, what was found, what is accepted."""

from dataclasses import dataclass


class LarsError(Exception):
    """The base of every error that a user's input can cause; its text is the whole message."""


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a text: line and column count from 1; `line_text` is the line itself.

    >>> print(Place("q.rq", 2, 3, "a b c"))
    q.rq:2:3
    """

    source: str
    line: int
    column: int
    line_text: str

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}"

    def excerpt(self) -> str:
        """Return the line with a caret under the place; a long line is cut around it."""
        start = max(0, self.column - 60)
        shown = "".join(one if one.isprintable() else " " for one in self.line_text[start : start + 110])
        return f"  {shown}\n  {' ' * (self.column - 1 - start)}^"


def place_at(source: str, text: str, offset: int) -> Place:
    r"""Return the place of the character at `offset` (from 0; the end of the text is allowed).

    >>> str(place_at("q.rq", "ab\ncd", 4))
    'q.rq:2:2'
    """
    line_start = text.rfind("\n", 0, offset) + 1
    line_end = text.find("\n", offset)
    line_text = text[line_start : len(text) if line_end < 0 else line_end]
    return Place(source, text.count("\n", 0, offset) + 1, offset - line_start + 1, line_text)


class PlacedError(LarsError):
    """An error at a place of a text: `problem` says what was found and what is accepted."""

    def __init__(self, place: Place, problem: str) -> None:
        super().__init__(f"{place}: {problem}\n{place.excerpt()}")
        self.place = place
        self.problem = problem
