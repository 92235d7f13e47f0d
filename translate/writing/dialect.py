"""How one text is written: its language, its terms, its windows and durations, and the windows' names."""

from dataclasses import dataclass
from typing import Final

from lars.durations import NANOSECONDS, Duration
from lars.language.terms import Variable
from translate.model.patterns import StreamBlock
from translate.model.query import Language, MergedStream
from translate.model.windows import Now, Range, Rows, Unbounded, WindowExpression
from translate.writing.expression_text import CannotSayError, Terms

_WORDS: Final = {
    Language.CSPARQL: {"d": "d", "h": "h", "m": "m", "s": "s", "ms": "ms"},
    # The engine drops the last digit of h and d, so its longest unit is the minute.
    Language.CQELS: {"m": "m", "s": "s", "ms": "ms", "ns": "ns"},
    Language.SPARQLSTREAM: {"d": " DAY", "h": " HR", "m": " MIN", "s": " S", "ms": " MS"},
    Language.RSPQL: {"d": "P{}D", "h": "PT{}H", "m": "PT{}M", "s": "PT{}S"},
}
_WINDOWS: Final = {
    Language.CSPARQL: "its windows are [RANGE n STEP n] and [RANGE TRIPLES n]",
    Language.CQELS: "its windows are [NOW], [ALL], [TRIPLES n] and [RANGE n SLIDE n]",
    Language.SPARQLSTREAM: "its windows are [NOW - n TO NOW - n SLIDE n] and [TRIPLES n]",
    Language.RSPQL: "its windows are [RANGE n STEP n], [FROM NOW-n TO NOW-n STEP n] and [ELEMENTS n]",
}


def write_duration(duration: Duration, language: Language) -> str:
    """Return a duration in the longest unit of the language that divides it.

    >>> write_duration(Duration(90 * 10**9), Language.SPARQLSTREAM)
    '90 S'
    """
    words = _WORDS[language]
    for unit, word in words.items():
        count, rest = divmod(duration.nanoseconds, NANOSECONDS[unit])
        if count and not rest:
            return word.format(count) if "{}" in word else f"{count}{word}"
    if language is Language.RSPQL and duration.nanoseconds:
        seconds, rest = divmod(duration.nanoseconds, NANOSECONDS["s"])
        return f"PT{seconds}.{rest:09}".rstrip("0") + "S"
    *units, last = words
    accepted = f"a duration is longer than zero and a whole number of {', '.join(units)} or {last}"
    raise CannotSayError(f"the duration {duration}", language, accepted)


def write_window(window: WindowExpression, language: Language) -> str:
    """Return a window in its brackets; raise CannotSayError where the language has no such window.

    >>> write_window(Range(Duration(10**10), Duration(10**9)), Language.CSPARQL)
    '[RANGE 10s STEP 1s]'
    """
    length = _Lengths(language)
    match language, window:
        case Language.CSPARQL, Range(size, slide, None) if slide is not None:
            return f"[RANGE {length(size)} STEP {length(slide)}]"
        case Language.CSPARQL, Rows(count):
            return f"[RANGE TRIPLES {count}]"
        case Language.CSPARQL, Range(_, None, None):
            raise length.cannot(window, f"it has no window without a STEP: {_WINDOWS[language]}")
        case Language.CQELS, Range(size, slide, None):
            return f"[RANGE {length(size)}{length.after(' SLIDE ', slide)}]"
        case ((Language.CQELS | Language.SPARQLSTREAM), Rows(count)):
            return f"[TRIPLES {count}]"
        case ((Language.CQELS | Language.SPARQLSTREAM), Now()):
            return "[NOW]"
        case Language.CQELS, Unbounded():
            return "[ALL]"
        case Language.SPARQLSTREAM, Range(size, slide, until):
            end = length.after(" TO NOW - ", until)
            return f"[NOW - {length(size)}{end}{length.after(' SLIDE ', slide)}]"
        case Language.RSPQL, Range(size, slide, None):
            return f"[RANGE {length(size)}{length.after(' STEP ', slide)}]"
        case Language.RSPQL, Range(size, slide, until):  # as the drafts write it: RSP4J has RANGE alone
            end = length.after("-", until)
            return f"[FROM NOW-{length(size)} TO NOW{end}{length.after(' STEP ', slide)}]"
        case Language.RSPQL, Now():
            return "[FROM NOW TO NOW]"
        case Language.RSPQL, Rows(count):
            return f"[ELEMENTS {count}]"
        case _:
            raise length.cannot(window, _WINDOWS[language])


class _Lengths:
    """The durations of one language, and its refusals."""

    def __init__(self, language: Language) -> None:
        self.language = language

    def __call__(self, duration: Duration) -> str:
        return write_duration(duration, self.language)

    def after(self, words: str, duration: Duration | None) -> str:
        return "" if duration is None else f"{words}{self(duration)}"

    def cannot(self, window: WindowExpression, accepted: str) -> CannotSayError:
        return CannotSayError(f"the window {window}", self.language, accepted)


Windows = tuple[tuple[MergedStream, str], ...]


@dataclass(frozen=True, slots=True)
class Dialect:
    """A language with the terms of one text; `windows` names those that RSP-QL declares.

    With `read_here` it has what this program reads in it too: VALUES and windows that its engine lacks.
    """

    language: Language
    terms: Terms
    windows: Windows = ()
    read_here: bool = False

    def cannot(self, construct: str, accepted: str) -> CannotSayError:
        """Return the error that the language has no words for a construct."""
        return CannotSayError(construct, self.language, accepted)

    def block(self, block: StreamBlock) -> str:
        """Return what stands before the { of a block that reads a stream."""
        match self.language:
            case Language.CSPARQL:
                accepted = "its windows stand in FROM STREAM <s> and merge into the default graph"
                raise self.cannot(f"that {block.stream} is read by one pattern alone", accepted)
            case Language.RSPQL:
                return f"WINDOW <{self._window(block)}>"
            case _:
                return f"STREAM {self.terms.name(block.stream)} {self.window(block.window)}"

    def window(self, window: WindowExpression) -> str:
        """Return a window in its brackets; raise CannotSayError where the language has no such window."""
        is_other = self.language is not Language.CSPARQL or isinstance(window, Rows)
        slides = isinstance(window, Range) and window.slide is not None
        # All windows of CQELS are read in C-SPARQL, whose own are others than it has.
        as_cqels = self.read_here and not is_other and not slides
        return write_window(window, Language.CQELS if as_cqels else self.language)

    def _window(self, block: StreamBlock) -> str:
        if isinstance(block.stream, Variable):
            raise self.cannot(f"the variable stream name {block.stream}", "a window is declared ON an IRI")
        read = MergedStream(block.stream, block.window)
        return next(name for window, name in self.windows if window == read)

    def values_inside(self) -> None:
        """Raise where the language has no VALUES among the patterns."""
        if self.language is Language.CQELS and not self.read_here:
            raise self.cannot("VALUES inside a pattern", "it has BINDINGS at the end of the query")
