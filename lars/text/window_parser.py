"""Reading windows: what stands after ⊞^ ([+]^)."""

import re
from typing import Final

from lars.language.terms import Constant
from lars.language.windows import Bounds, SlidingWindow, Ties, TimeWindow, TupleWindow, Window
from lars.text.scanner import Scanner

_COMMA, _HASH, _QUOTE = re.compile(","), re.compile("#"), re.compile("'")
_BRACE, _UNBRACE = re.compile(r"\{"), re.compile(r"\}")
_SIZE: Final = re.compile(r"([0-9]{1,1000})(?!\w)|(?:∞|inf(?!\w))|(now(?!\w))", re.IGNORECASE)
_COUNT: Final = re.compile(r"([0-9]{1,1000})(?!\w)")
_FUTURE: Final = re.compile(r"(-?[0-9]{1,1000})(?!\w)")
_ZERO: Final = re.compile("0+(?![0-9])")
_SLIDING: Final = re.compile(r"sliding(?!\w)")
_BY, _PREDICATE = re.compile(r"by(?![\w:])"), re.compile(r"predicate(?!\w)")
_TIES: Final = re.compile(rf"(?:{'|'.join(ties.value for ties in Ties)})(?![\w:])")
_ENDS: Final = re.compile("|".join(bounds.value for bounds in Bounds))


def read_window(scanner: Scanner) -> Window:
    """Read a window's size and whatever else its braces hold."""
    braced = scanner.accept(_BRACE) is not None
    window: Window
    if braced and scanner.accept(_SLIDING):
        window = _active(scanner)
    elif scanner.accept(_HASH):
        window = _tuples(scanner, braced=braced)
    else:
        window = _times(scanner, braced=braced)
    if braced:
        scanner.expect(
            _UNBRACE,
            "the } that ends a window, as in {30}, {30,0,5 low-open}, {#5 <iri>} or {#5 by 1,2 choose}",
        )
    return window


def _tuples(scanner: Scanner, *, braced: bool) -> TupleWindow:
    size = int(scanner.expect(_COUNT, "a number of tuples").group(1))
    if not braced:
        return TupleWindow(size)
    by = _places(scanner) if scanner.accept(_BY) else None
    source = None if scanner.peek(_TIES) or scanner.peek(_UNBRACE) else _source(scanner)
    ties = scanner.accept(_TIES)
    return TupleWindow(size, source, Ties(ties.group()) if ties else Ties.ARRIVAL, by)


def _active(scanner: Scanner) -> SlidingWindow:
    slides, opens = "the window's slide", "the time at which the first window opens"
    width = _positive(scanner, "the window's width")
    scanner.expect(_COMMA, f"a comma and {slides}")
    slide = _positive(scanner, slides)
    scanner.expect(_COMMA, f"a comma and {opens}")
    return SlidingWindow(width, slide, int(scanner.expect(_FUTURE, opens).group(1)))


def _positive(scanner: Scanner, what: str) -> int:
    if scanner.peek(_ZERO):
        scanner.fail(f"{what}, at least 1")
    return int(scanner.expect(_COUNT, what).group(1))


def _places(scanner: Scanner) -> tuple[int, ...]:
    if scanner.accept(_PREDICATE):
        return ()
    return scanner.listed(lambda: _place(scanner))


def _place(scanner: Scanner) -> int:
    if scanner.peek(_ZERO):
        scanner.fail("an argument's place, counted from 1")
    return int(
        scanner.expect(_COUNT, "the places of the arguments that part the stream, or predicate").group(1)
    )


def _source(scanner: Scanner) -> Constant:
    start = scanner.skip()
    is_word = not scanner.peek(_QUOTE) and scanner.name() is not None
    scanner.offset = start
    if is_word:
        # As a stream's name it would hide a misspelt choose.
        scanner.fail("all, choose, arrival, by 1,2, or a stream: <iri>, e:name, or 'name' in quotes")
    return scanner.constant()


def _times(scanner: Scanner, *, braced: bool) -> TimeWindow:
    size = scanner.expect(
        _SIZE, "a window: 30, ∞ (inf), now, #5, {30,0,5}, {30 low-open}, {#5 <iri>} or {#5 by 1 all}"
    )
    past = 0 if size.group(2) else None if size.group(1) is None else int(size.group(1))
    future, step, ends = 0, 1, Bounds.CLOSED
    if braced and scanner.accept(_COMMA):
        future = _future(scanner, past)
        scanner.expect(_COMMA, "a comma and the window's step")
        step = _positive(scanner, "the window's step")
    if braced and (found := scanner.accept(_ENDS)):
        ends = Bounds(found.group())
    return TimeWindow(past, future, step, ends)


def _future(scanner: Scanner, past: int | None) -> int:
    start = scanner.skip()
    future = int(scanner.expect(_FUTURE, "the window's reach after the pivot").group(1))
    if past is not None and future < -past:
        scanner.offset = start
        scanner.fail(f"{-past} or more: the window ends where it begins, {past} before the pivot, or later")
    return future
