"""Read the windows of queries as values; lengths and slides may have any notation of durations.

The notations are 1m30s, 10 SECONDS, PT1M30S, and integers without a unit, which count milliseconds or
seconds.
"""

import re
from fractions import Fraction
from typing import Final

from lars.durations import NANOSECONDS, Duration
from translate.errors import UnsupportedError
from translate.model import windows
from translate.model.manner import DAYS, Manner
from translate.sparql import Document, Phrase, Token

_ZERO: Final = Duration(0)
_ISO: Final = re.compile(
    r"P(?:(?P<Y>\d+)Y)?(?:(?P<MO>\d+)M)?(?:(?P<W>\d{1,18})W)?(?:(?P<D>\d{1,18})D)?"
    r"(?:T(?=\d)(?:(?P<H>\d{1,18})H)?(?:(?P<M>\d{1,18})M)?(?:(?P<S>\d{1,18}(?:\.\d{1,9})?)S)?)?",
    re.IGNORECASE | re.ASCII,
)
_PARTS: Final = {
    "W": 7 * NANOSECONDS["d"],
    "D": NANOSECONDS["d"],
    "H": NANOSECONDS["h"],
    "M": NANOSECONDS["m"],
    "S": NANOSECONDS["s"],
}
_USUAL: Final = frozenset(("REPORT ON_WINDOW_CLOSE", "TICK TIME_DRIVEN", "WITH POLICY wait", "EMIT ON_CLOSE"))


def read_window(document: Document, window: Phrase, manner: Manner) -> windows.WindowExpression:
    """Return the window in brackets; raise QueryError or UnsupportedError if the window is invalid."""
    kind = next(window.phrases())
    match kind.name:
        case "now":
            return windows.Now(manner.grain)
        case "unbounded":
            return windows.Unbounded()
        case "rows":
            return windows.Rows(_rows(document, kind), manner.elements)
        case "interval":
            return _interval(document, kind, manner)
        case "past":
            return _past(document, kind, manner)
        case "placed":
            return _placed(document, kind, manner)
        case "tuples":
            raise _unsupported(document, kind, "a tuple window with PAST or FUTURE", "[TRIPLES n]")
        case _:
            return _range(document, kind, manner)


def strategies(window: Phrase) -> tuple[str, ...]:
    """Return the report strategies in a window's text that differ from the default strategies."""
    found = window.find_all("report", "tick", "policy", "emit", "late", "delay")
    words = (" ".join(" ".join(token.text for token in part.tokens()).split()) for part in found)
    return tuple(one for one in words if one not in _USUAL)


def _rows(document: Document, rows: Phrase) -> int:
    """Return the size of a tuple window, in tuples; a slide other than one tuple is an error."""
    (step,) = (*rows.phrases(), None)[:1]
    if step is not None:
        word, count = step.tokens()
        if _count(document, count) != 1:
            construct = f"a tuple window with {word.text.upper()}"
            raise UnsupportedError(construct, document.place(word.start), covered="a slide of 1")
    size = next(part for part in rows.parts if isinstance(part, Token))
    return _count(document, size)


def _count(document: Document, token: Token) -> int:
    if int(token.text) == 0:
        raise document.unexpected(token, "a number of triples, an integer from 1 on")
    return int(token.text)


def _unsupported(document: Document, part: Phrase, construct: str, covered: str) -> UnsupportedError:
    return UnsupportedError(construct, document.place(part.first().start), covered=covered)


def _range(document: Document, kind: Phrase, manner: Manner) -> windows.Range:
    length, slide = kind.find("length"), kind.find("slide")
    if (future := kind.find("future")) is not None:
        return _ahead(document, kind, next(future.phrases()), manner)
    assert length is not None
    width, tumbling = _longer_than_zero(document, length, manner), kind.find("tumbling") is not None
    if manner.anchored and kind.find("backward") is not None:
        return windows.Range(width, None, ends="low-open")
    step = width if tumbling or manner.tumbles else None
    step = step if slide is None else _slide(document, slide, manner)
    opens = None if step is None else manner.opens
    if (written := kind.find("origin")) is not None:
        opens = read_length(document, next(written.phrases()), manner)
    tumbling = tumbling and slide is None
    # A window without a slide has the ends of Table 1 (closed), unless the language defines other ends.
    ends = manner.ends_alone if step is None and opens is None else manner.ends
    window = windows.Range(width, step, tumbling=tumbling, ends=ends, opens=opens)
    return windows.on_grid(window) if manner.grid else window


def _milliseconds(token: Token) -> Duration:
    return Duration(int(token.text) * NANOSECONDS["ms"])


def _past(document: Document, kind: Phrase, manner: Manner) -> windows.WindowExpression:
    """Return the window of Janus that a RANGE with an OFFSET before the evaluation time T defines.

    The window is [T - offset, T - offset + length], unless a reading gives OFFSET another meaning.
    """
    offset, length, step = kind.tokens()
    if int(step.text) == 0:
        raise document.unexpected(step, "a STEP that is longer than zero")
    if manner.offset == "end":
        return _ending(document, length, _milliseconds(offset))
    if int(length.text) > int(offset.text):
        raise document.unexpected(length, f"a RANGE of at most the OFFSET, {offset}")
    past = _milliseconds(offset)
    until = Duration(past.nanoseconds - _milliseconds(length).nanoseconds)
    slide = _milliseconds(step) if manner.offset == "step" else None
    if past == _ZERO and slide is None:
        return windows.Now()
    return windows.Range(past, slide, None if until == _ZERO else until, ends="closed")


def _ending(document: Document, length: Token, offset: Duration) -> windows.Range:
    """Return the window [T - offset - length, T - offset), as the documents of Janus define OFFSET."""
    if int(length.text) == 0:
        raise document.unexpected(length, "a RANGE that is longer than zero")
    past = Duration(offset.nanoseconds + _milliseconds(length).nanoseconds)
    return windows.Range(past, None, None if offset == _ZERO else offset, ends="high-open")


def _placed(document: Document, kind: Phrase, manner: Manner) -> windows.Span:
    start, end = kind.tokens()
    if int(start.text) >= int(end.text):
        raise document.unexpected(end, f"an END after the START, {start}")
    return windows.Span(_milliseconds(start), _milliseconds(end), manner.causal)


def _ahead(document: Document, kind: Phrase, future: Phrase, manner: Manner) -> windows.Range:
    """Return a window that looks ahead of its anchor (the evaluation time or an element).

    If the window only has a part after its anchor, a query sees the window when it closes.
    """
    length, slide = kind.find("length"), kind.find("slide")
    ahead = _longer_than_zero(document, future, manner)
    past = None if length is None else _longer_than_zero(document, length, manner)
    if manner.anchored:  # (a, a + L] without a part before the anchor a, which is excluded.
        return windows.Range(past or _ZERO, None, ends="low-open", ahead=ahead)
    every = Duration(ahead.nanoseconds + (past or _ZERO).nanoseconds)
    step = every if slide is None else _slide(document, slide, manner)
    if past is not None:
        return windows.Range(past, step, ends="low-open", ahead=ahead)
    return windows.on_grid(windows.Range(ahead, step, ends="low-open"))


def _slide(document: Document, slide: Phrase, manner: Manner) -> Duration:
    return _longer_than_zero(document, next(slide.phrases()), manner)


def _interval(document: Document, kind: Phrase, manner: Manner) -> windows.WindowExpression:
    """Return a window between two times before now.

    The field `until` of the window is the distance of its end from now.
    """
    first, *_ = ends = [part for part in kind.phrases() if part.name == "before"]
    past, until = (*(_before(document, end, manner) for end in ends), _ZERO)[:2]
    written = kind.find("slide")
    slide = None if written is None else _slide(document, written, manner)
    if until != _ZERO and past <= until:
        lengths = "" if past == _ZERO else f": {past} and {until} before NOW"
        raise document.unexpected(first.first(), f"a window that begins before it ends{lengths}")
    if past != _ZERO:
        return windows.Range(past, slide, None if until == _ZERO else until, ends=manner.ends)
    if slide is not None:
        covered = "[NOW], and a slide of longer windows"
        raise UnsupportedError("a slide of [NOW]", document.place(first.first().start), covered=covered)
    return windows.Now()


def _before(document: Document, end: Phrase, manner: Manner) -> Duration:
    length = end.find("length")
    return _ZERO if length is None else read_length(document, length, manner)


def _longer_than_zero(document: Document, length: Phrase, manner: Manner) -> Duration:
    duration = read_length(document, length, manner)
    if duration == _ZERO:
        raise document.unexpected(length.first(), "a duration that is longer than zero")
    return duration


def step_of(window: Phrase) -> Duration | None:
    """Return the STEP of a window of Janus with OFFSET; None for other windows."""
    past = window.find("past")
    return None if past is None else _milliseconds((*past.tokens(),)[-1])


def idle_step(window: Phrase) -> str | None:
    """Return the STEP, as text, of a window that moves with each element; None without such a STEP."""
    kind = next(window.phrases())
    slide = kind.find("slide")
    if slide is None or not any(kind.find_all("future", "backward")):
        return None
    return f"STEP {' '.join(token.text for token in slide.tokens())}"


def read_every(document: Document, every: Phrase, manner: Manner) -> Duration:
    """Return the duration of COMPUTED EVERY."""
    return _longer_than_zero(document, next(every.phrases()), manner)


def read_length(document: Document, length: Phrase, manner: Manner) -> Duration:
    """Return a duration: numbers with units, a duration of XML Schema, or an integer without a unit.

    If an integer has no unit, its unit is the unit of the query language, such as milliseconds.
    """
    if manner.bare is not None and length.find("bare_size") is not None:
        return Duration(int(length.first().text) * manner.bare.nanoseconds)
    first, *others = length.tokens()
    if first.text[0] in "pP":
        return _iso(document, first)
    # The grammar of SPARQLstream allows a length without a unit, but no document defines this unit.
    if not others:
        if int(first.text) == 0:
            return _ZERO
        covered = "an integer and a unit, as in 10 S"
        raise UnsupportedError("a duration without a unit", document.place(first.start), covered=covered)
    pairs = zip((first, *others[1::2]), others[::2], strict=True)
    return Duration(sum(int(size.text) * manner.lengths[unit.text.lower()] for size, unit in pairs))


def _iso(document: Document, token: Token) -> Duration:
    match = _ISO.fullmatch(token.text)
    if match is None or not any(match.groupdict().values()):
        raise document.unexpected(token, "a duration, as in PT10S, PT1H30M or P1D")
    if match["Y"] or match["MO"]:
        raise UnsupportedError(f"the duration {token}", document.place(token.start), covered=DAYS)
    return Duration(sum(int(Fraction(match[part] or 0) * length) for part, length in _PARTS.items()))
