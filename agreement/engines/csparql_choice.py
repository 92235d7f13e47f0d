"""Which window C-SPARQL 0.9.7 uses (rule W1): of the statements for its windows, the first of a hash set."""

from collections.abc import Sequence
from typing import Final, assert_never

from lars.durations import NANOSECONDS
from lars.errors import LarsError
from translate.query import MergedStream
from translate.windows import Now, Range, Rows, Sliding, Unbounded, WindowExpression

_INT: Final = 1 << 32
_GREATEST: Final = 2**31 - 1
_OFFSET: Final = _GREATEST + 1000
_BUCKETS: Final = 16
_ACCEPTED: Final = "[RANGE l STEP d], [RANGE l TUMBLING] or [RANGE TRIPLES n], l and d whole seconds"


def chosen(windows: Sequence[MergedStream]) -> MergedStream:
    """Return the one whose statement comes first in the order of Java's `HashSet<String>`.

    That is by bucket; in a bucket they stand in the order of the query. Raises LarsError for a
    window that the engine does not have.
    """
    return min(windows, key=lambda part: bucket(statement(part)))


def statement(part: MergedStream) -> str:
    """Return the text by which the engine asks Esper for a window; streams are numbered by their hash.

    >>> from lars.terms import Iri
    >>> statement(MergedStream(Iri("http://e/S"), Rows(3)))
    'select irstream * from STREAM2302724542.win:length_batch(3) output snapshot every 3 events'
    """
    number = java_string_hash(part.stream.value) + _OFFSET
    return f"select irstream * from STREAM{number}.{_view(part.window)}"  # noqa: S608  (no SQL, and never run)


def _view(window: WindowExpression) -> str:
    match window:
        case Rows(count):
            return f"win:length_batch({count}) output snapshot every {count} events"
        case Range():
            length, step = seconds(window)
            if window.tumbling:
                return f"win:time_batch({length} seconds)"
            return f"win:time({length} seconds) output snapshot every {step} seconds"
        case Now() | Unbounded() | Sliding():
            raise refused(window)
        case _:
            assert_never(window)


def seconds(window: Range) -> tuple[int, int]:
    """Return length and step in seconds; raise for what is no window of the engine."""
    if window.slide is None or window.until is not None:
        raise refused(window)
    length, step = (divmod(part.nanoseconds, NANOSECONDS["s"]) for part in (window.length, window.slide))
    if length[1] or step[1]:
        raise refused(window)
    return length[0], step[0]


def refused(window: WindowExpression) -> LarsError:
    """Return the error that C-SPARQL 0.9.7 has no such window."""
    return LarsError(f"csparql-0.9.7 has no window {window}; accepted: {_ACCEPTED}")


def java_string_hash(text: str) -> int:
    """Return Java's `String.hashCode`: of UTF-16 units, a signed number of 32 bits.

    >>> java_string_hash("http://e/S"), java_string_hash("polygenelubricants")
    (155239895, -2147483648)
    """
    units = text.encode("utf-16-be")
    total = 0
    for place in range(0, len(units), 2):
        total = (31 * total + int.from_bytes(units[place : place + 2], "big")) % _INT
    return total - _INT if total > _GREATEST else total


def bucket(text: str) -> int:
    """Return in which of its 16 buckets a `HashSet` of few strings keeps a text.

    >>> bucket("a")
    1
    """
    code = java_string_hash(text) % _INT
    return (code ^ (code >> 16)) % _BUCKETS
