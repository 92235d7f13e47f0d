"""The window in brackets after a stream's name, in the syntax of the papers and of the engines."""

import re
from typing import Final

from lars.durations import Duration
from translate.dialects.lengths import ReadLength, WindowReader, read_length, read_words, reader_at
from translate.model.windows import Now, Range, Rows, Unbounded, WindowExpression
from translate.sparql import Document, Token

WINDOWS: Final = "NOW, RANGE, TRIPLES, ROWS or ALL"
_ROWS: Final = ("TRIPLES", "ROWS", "ELEMENTS", "ITEM")
_RANGES: Final = ("RANGE", "SLIDING", "TUMBLING")  # the last two are Kolibrie's, and mean the same there
_STRATEGIES: Final = {
    "REPORT": ("ON_WINDOW_CLOSE", "ON_CONTENT_CHANGE", "NON_EMPTY_CONTENT", "PERIODIC"),
    "TICK": ("TIME_DRIVEN", "TUPLE_DRIVEN", "BATCH_DRIVEN"),
}
_STRATEGY: Final = re.compile(r"\w+")
_LOG: Final = ("START", "OFFSET")


def open_window(document: Document, token: Token, example: str) -> WindowReader:
    """Return the reader after the [ that the token must be."""
    if not token.is_word("["):
        raise document.unexpected(token, f"[ and a window, as in {example}")
    return reader_at(document, token.end)


def read_window(document: Document, token: Token) -> tuple[WindowExpression, int]:
    """Return the window of C-SPARQL or CQELS whose [ the token is, and the first character after it.

    Raises QueryError where the window is wrong, UnsupportedError for a tuple window that slides.
    """
    reader = open_window(document, token, "[RANGE 30s SLIDE 5s]")
    match reader.text:
        case "NOW":
            return Now(), reader.next().close()
        case "ALL":
            return Unbounded(), reader.next().close()
        case "RANGE":
            return _read_range(reader.next())
        case "TRIPLES" | "ROWS":
            return _read_rows(reader)
        case _:
            raise reader.unexpected(WINDOWS)


def _read_rows(reader: WindowReader) -> tuple[WindowExpression, int]:
    """Return a tuple window; one that slides by one is the window that does not slide."""
    word, reader = reader.text, reader.next()
    if reader.text in ("?", "$"):
        raise reader.unsupported("a parameter in the place of a number", f"[{word} n]")
    size, reader = reader.count(f"the number of triples after {word}")
    if reader.text in ("STEP", "SLIDE"):
        slide, after = reader.next().count(f"the number of triples after {reader.text}")
        if slide != 1:
            raise reader.unsupported(f"a tuple window with {reader.text}", f"[{word} n]")
        reader = after
    return Rows(size), reader.close()


def _read_range(reader: WindowReader) -> tuple[WindowExpression, int]:
    if reader.text in _ROWS:
        return _read_rows(reader)
    if reader.text == "UNBOUNDED":
        return Unbounded(), reader.next().close()
    length, reader = read_length(reader, "RANGE", ", UNBOUNDED or TRIPLES n")
    if reader.text in ("STEP", "SLIDE"):
        slide, reader = read_length(reader.next(), reader.text)
        return Range(length, slide), reader.close("] or another part of the duration")
    if reader.text == "TUMBLING":
        return Range(length, length, tumbling=True), reader.next().close()
    return Range(length), reader.close("STEP, SLIDE, TUMBLING, ] or another part of the duration")


def read_now_window(document: Document, token: Token) -> tuple[WindowExpression, int]:
    """Return the window of SPARQLstream, as [NOW - 10 S TO NOW - 5 S SLIDE 5 S] or [TRIPLES 5]."""
    reader = open_window(document, token, "[NOW - 10 S SLIDE 5 S]")
    if reader.text in _ROWS:
        return _read_rows(reader)
    return _read_interval(reader, read_words)


def _read_interval(reader: WindowReader, read: ReadLength) -> tuple[WindowExpression, int]:
    """Return a window between two times before now: `until` is where it ends, and zero is now."""
    first = reader
    past, reader = _before_now(reader, read, "NOW or TRIPLES")
    until = Duration(0)
    if reader.text == "TO":
        until, reader = _before_now(reader.next(), read, "NOW after TO")
    slide, end = _read_slide(reader, read)
    if past <= until and past != Duration(0):
        raise first.unexpected(f"a window that begins before it ends: {past} and {until} before NOW")
    if past < until:
        raise first.unexpected("a window that begins before it ends")
    if past == Duration(0) and slide is not None:
        raise first.unsupported("a slide of [NOW]", "[NOW], and a slide of longer windows")
    window = Range(past, slide, until if until != Duration(0) else None)
    return (Now() if past == Duration(0) else window), end


def _before_now(reader: WindowReader, read: ReadLength, accepted: str) -> tuple[Duration, WindowReader]:
    reader = reader.expect("NOW", accepted)
    if reader.text != "-":
        return Duration(0), reader
    reader = reader.next()
    if reader.text in ("?", "$"):
        raise reader.unsupported("a parameter in the place of a duration", "durations")
    return read(reader, "NOW -")


def _read_slide(reader: WindowReader, read: ReadLength) -> tuple[Duration | None, int]:
    """Return the slide and the end of the window; SLIDE alone is a slide by time points."""
    if reader.text not in ("SLIDE", "STEP"):
        return None, reader.close("-, TO NOW, SLIDE or ]")
    word, reader = reader.text, reader.next()
    if reader.text == "]":
        return None, reader.close()
    first = reader
    slide, reader = read(reader, word)
    if slide == Duration(0):
        raise first.unexpected(f"a duration after {word} that is longer than zero")
    return slide, reader.close()


def read_named_window(document: Document, token: Token, read: ReadLength) -> tuple[WindowExpression, int]:
    """Return the window of RSP-QL, as [RANGE PT10S STEP PT5S], [ELEMENTS 5] or [FROM NOW-PT2H TO NOW-PT1H].

    Of Kolibrie's its strategies are read too, and left out: [RANGE 4 STEP 2 REPORT PERIODIC TICK
    TIME_DRIVEN]. Raises UnsupportedError for the windows of Janus, which are another language.
    """
    reader = open_window(document, token, "[RANGE PT10S STEP PT5S]")
    if reader.text in _ROWS:
        return _read_rows(reader)
    if reader.text == "FROM":
        return _read_interval(reader.next(), read)
    if reader.text in _LOG:
        raise reader.unsupported(f"the window {reader.text} of Janus", "[RANGE duration STEP duration]")
    word = reader.text
    if word not in _RANGES:
        raise reader.unexpected("RANGE, ELEMENTS or FROM NOW-")
    reader = reader.next()
    if reader.text == "TRIPLES":
        return _read_rows(reader)
    length, reader = read(reader, word)
    return _read_named_slide(length, reader, read)


def _read_named_slide(
    length: Duration, reader: WindowReader, read: ReadLength
) -> tuple[WindowExpression, int]:
    if reader.text == ",":  # as the drafts of RSP-QL wrote
        reader = reader.next()
    slide = None
    if reader.text in ("STEP", "SLIDE"):
        slide, reader = read(reader.next(), reader.text)
    for word, accepted in _STRATEGIES.items():
        if reader.text == word:
            reader = _after_strategy(reader.next(), accepted)
    return Range(length, slide), reader.close("STEP or ]")


def _after_strategy(reader: WindowReader, accepted: tuple[str, ...]) -> WindowReader:
    """Return the reader after the name of a strategy, whose parts are no pieces of their own."""
    name = _STRATEGY.match(reader.document.text, reader.start)
    if name is None or name.group() not in accepted:
        raise reader.unexpected(", ".join(accepted))
    return reader_at(reader.document, name.end())
