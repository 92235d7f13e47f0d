"""How one text is written: its language, its terms, and the names of its windows."""

from dataclasses import dataclass

from lars.terms import Variable
from translate.patterns import StreamBlock
from translate.query import Language, MergedStream
from translate.writing.errors import CannotSayError
from translate.writing.terms import Terms
from translate.writing.windows import write_window

Windows = tuple[tuple[MergedStream, str], ...]


@dataclass(frozen=True, slots=True)
class Dialect:
    """A language with the terms of one text; `windows` names those that RSP-QL declares."""

    language: Language
    terms: Terms
    windows: Windows = ()

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
                return f"STREAM {self.terms.name(block.stream)} {write_window(block.window, self.language)}"

    def _window(self, block: StreamBlock) -> str:
        if isinstance(block.stream, Variable):
            raise self.cannot(f"the variable stream name {block.stream}", "a window is declared ON an IRI")
        read = MergedStream(block.stream, block.window)
        return next(name for window, name in self.windows if window == read)

    def values_inside(self) -> None:
        """Raise where the language has no VALUES among the patterns."""
        if self.language is Language.CQELS:
            raise self.cannot("VALUES inside a pattern", "it has BINDINGS at the end of the query")
