"""Read cells of many rows together; each distinct cell is read once as a term or atom.

Arrow cuts the cells from lines. A pattern recognizes usual cells. All unusual cells are read one by one. If
an error concerns a whole row, the code that reads rows one by one (`cells`) reports the error.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from math import gcd
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lars.dataclass import dataclass
from lars.language.windows import LARGEST_TIME
from solver.columns import (
    NO_CODE,
    NULL_CODE,
    Array,
    Mask,
    TermCodes,
    arrow_mask,
    arrow_numbers,
    arrow_text,
    arrow_texts,
    bytes_of,
    distinct,
    first_bytes,
    mask_of,
    numbers_of,
)
from solver.facts import STREAM_PREDICATE
from solver.rdf import NotATerm, blanks_in, is_triple_term
from solver.traces.input_files import RowColumns, TraceFile, file_blank
from solver.traces.trace_times import LARGEST, Clock, Instant, MalformedPart, TimeKind

Bytes = npt.NDArray[np.uint8]
Zones = npt.NDArray[np.int16]
Cells = tuple[pa.Array, Array]
"""The distinct binary texts of a column, and for each row the index of its text."""
Content = TypeVar("Content")
_RETURN: Final = ord("\r")


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """The lines of a file as bytes: line i is data[starts[i]:starts[i + 1]], and its text ends at ends[i].

    After the text, the line may have a carriage return and a line feed.
    """

    data: Bytes
    starts: Array
    ends: Array

    def __len__(self) -> int:
        return len(self.ends)

    def text(self, number: int) -> bytes:
        """Return the bytes of the line `number` without its line end."""
        return self.data[self.starts[number] : self.starts[number + 1]].tobytes().removesuffix(b"\n")

    def places(self, character: str) -> Array:
        """Return the offsets at which a character occurs in all lines."""
        return np.flatnonzero(self.data == ord(character))


def lines_of(text: bytes) -> Lines:
    """Return the lines of a text; the last line may lack its line feed."""
    data = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero(data == ord("\n"))
    if not text.endswith(b"\n"):
        ends = np.append(ends, len(text))
    starts = np.concatenate(([0], np.minimum(ends + 1, len(text))))
    returned = (ends > starts[:-1]) & (data[np.maximum(ends - 1, 0)] == _RETURN) if text else 0
    return Lines(data, starts, ends - returned)


def term_cuts(lines: Lines, count: int) -> tuple[list[Array], Mask]:
    """Return the offsets at which terms start in each line, and a mask of the lines that end with " .".

    For each line, the result has `count` starts. The first two are the starts of the second and the third
    term. All others are the starts of the last terms of the line, with the dot as the last term. If a line
    has fewer terms, some starts are equal. The starts in lines outside the mask are arbitrary.
    """
    blanks, last = lines.places(" "), count - 2
    first, after = np.searchsorted(blanks, lines.starts[:-1]), np.searchsorted(blanks, lines.ends)
    whole = after - first > last
    chosen = np.flatnonzero(whole)
    places = [first[chosen], first[chosen] + 1, *(after[chosen] - number for number in range(last, 0, -1))]
    cuts = np.zeros((count, len(lines)), np.int64)
    cuts[:, chosen] = blanks[np.array(places)] + 1
    ends = lines.ends[chosen] - 1
    whole[chosen] = (cuts[-1, chosen] == ends) & (lines.data[ends] == ord("."))
    return list(cuts), whole


def fields_of(lines: Lines, cuts: Sequence[Array], among: Mask) -> Cells:
    """Return the fields that begin at the cuts, one row per line, for the lines in the mask `among`.

    Lines that are not in the mask have empty fields. The text after the last cut is in no field.
    """
    starts = lines.starts[:-1]
    offsets = np.stack([np.where(among, cut, starts) for cut in (starts, *cuts)], axis=1)
    encoded = arrow_texts(lines.data, np.append(offsets.ravel(), lines.starts[-1])).dictionary_encode()
    return encoded.dictionary, numbers_of(encoded.indices).reshape(len(lines), -1)[:, :-1]


def used_cells(texts: pa.Array, places: npt.NDArray[np.integer]) -> Cells:
    """Return cells (distinct texts, and the index of each row's text) without texts that no row uses."""
    used = np.zeros(len(texts), np.bool_)
    used[places] = True
    if used.all():
        return texts, places.astype(np.int64, copy=False)
    return texts.filter(arrow_mask(used)), (np.cumsum(used) - 1)[places]


def _read_alone(texts: pa.Array, mask: Mask, read: Callable[[str], Content]) -> Iterator[tuple[int, Content]]:
    """Yield the index and the result of `read` for each text in the mask that `read` accepts."""
    for place in np.flatnonzero(mask).tolist():
        with suppress(MalformedPart, NotATerm, UnicodeDecodeError):
            yield place, read(texts[place].as_py().decode())


_FAR: Final = LARGEST // 2


@dataclass(frozen=True, slots=True, eq=False)
class TimeColumn:
    """A column of times that a clock has converted, with the notation of each time.

    The field `readable` is a mask of the rows whose time is certain. The field `zones` contains the time
    zones of dateTimes, in minutes ahead of UTC.
    """

    kinds: npt.NDArray[np.int8]
    values: Array
    readable: Mask
    zones: Zones


def counted_times(clock: Clock, values: Array) -> TimeColumn:
    """Return a column of integers as times that the clock converts."""
    common = gcd(clock.unit.nanoseconds, clock.integer_unit.nanoseconds)
    unit, trace_unit = clock.unit.nanoseconds // common, clock.integer_unit.nanoseconds // common
    kinds, zones = np.full(len(values), TimeKind.INTEGER, np.int8), np.zeros(len(values), np.int16)
    if max(unit, trace_unit) > LARGEST or clock.kind not in (None, TimeKind.INTEGER):
        return TimeColumn(kinds, values, np.zeros(len(values), np.bool_), zones)
    whole, rest = (values, 0) if unit == 1 else np.divmod(values, unit)
    known = (values >= 0) & (rest == 0) & (whole <= LARGEST_TIME // trace_unit)
    return TimeColumn(kinds, np.where(known, whole, 0) * trace_unit, known, zones)


def dated_times(clock: Clock, kind: TimeKind, values: Array, known: Mask, zones: Zones) -> TimeColumn:
    """Return dateTimes (in ns since 1970) as times for the clock; only rows in the mask `known` are valid."""
    kinds, origin = np.full(len(values), kind, np.int8), clock.zero
    if clock.kind not in (None, kind):
        return TimeColumn(kinds, values, np.zeros_like(known), zones)
    if origin is None:
        return TimeColumn(kinds, values, known, zones)
    if origin.kind is not kind or max(abs(origin.value), clock.unit.nanoseconds) > _FAR:
        return TimeColumn(kinds, values, np.zeros_like(known), zones)
    known = known & (abs(values) <= _FAR)
    points, rest = np.divmod(np.where(known, values, 0) - origin.value, clock.unit.nanoseconds)
    known &= (points >= 0) & (points <= LARGEST_TIME) & (rest == 0)
    return TimeColumn(kinds, points, known, zones)


def read_times(cells: Cells, clock: Clock, read: Callable[[str], Instant], around: str = "") -> TimeColumn:
    """Return the times in cells; a usual time consists of digits between two texts `around`.

    The function `read` reads all other times; it raises MalformedPart for errors that concern the whole row.
    """
    texts, places = cells
    usual = mask_of(pc.match_substring_regex(texts, f"^{around}[0-9]{{1,18}}{around}$"))
    digits = texts.filter(arrow_mask(usual))
    if around:
        digits = pc.replace_substring(digits, around, "")
    integers = counted_times(clock, numbers_of(digits.cast(pa.string()).cast(pa.int64())))
    kinds, values, readable = np.zeros(len(texts), np.int8), np.zeros(len(texts), np.int64), usual.copy()
    zones = np.zeros(len(texts), np.int16)
    kinds[usual], values[usual], readable[usual] = integers.kinds, integers.values, integers.readable
    for place, time in _read_alone(texts, ~usual, lambda text: clock.stamp(read(text))):
        kinds[place], values[place], readable[place], zones[place] = time.kind, time.value, True, time.zone
    return TimeColumn(kinds[places], values[places], readable[places], zones[places])


_BARE: Final = r"[A-Za-z][A-Za-z0-9+.\-]*:[!#-;=?-\[\]_a-z~]*"
_LITERAL: Final = rf'"[^"\\\x00-\x1f\x7f]*"(\^\^<{_BARE}>|@[a-z]{{1,8}}(-[a-z0-9]{{1,8}})*)?'
_CHANGED: Final = r"#(string|langString|dirLangString)>$"
"""Matches the ends of literals that are not canonical, and of some that are."""
_LESS, _GREATER, _NOTHING = map(arrow_text, (b"<", b">", b""))
_ASCII: Final = r"^[\x00-\x7f]*$"


@dataclass(frozen=True, slots=True, eq=False)
class TermColumn:
    """A column of codes of terms, with the first character of each term's text (0 for an uncertain term).

    The first character of a triple term without blank nodes is a bracket. Blank nodes whose codes need the
    whole element are uncertain.
    """

    codes: Array
    leads: npt.NDArray[np.uint8]

    def are(self, leads: str) -> Mask:
        """Return a mask of the terms that begin with one of the characters `leads`, such as < for IRIs."""
        mask = np.zeros(len(self.leads), np.bool_)
        for lead in leads.encode():
            mask |= self.leads == lead  # np.isin takes twenty times as long
        return mask

    def at(self, places: npt.NDArray[np.integer]) -> "TermColumn":
        """Return the terms at the given positions."""
        return TermColumn(self.codes[places], self.leads[places])

    @staticmethod
    def of_nulls(rows: int) -> "TermColumn":
        """Return a column that contains only null."""
        return TermColumn(np.full(rows, NULL_CODE), np.zeros(rows, np.uint8))


def shared_texts(columns: Sequence[pa.Array]) -> tuple[pa.Array, list[Array]]:
    """Return the distinct texts of several arrays, and for each array the indexes of its texts."""
    encoded = pa.concat_arrays(columns).dictionary_encode()
    borders = np.cumsum(list(map(len, columns)))[:-1]
    return encoded.dictionary, np.split(numbers_of(encoded.indices), borders)


def read_terms(
    source: TraceFile, texts: pa.Array, read: Callable[[str], str], terms: TermCodes, *, bare: bool = False
) -> TermColumn:
    """Return the terms in distinct texts; an empty text is null. If `bare`, IRIs need no < and >.

    The function `read` returns the canonical text of a term; it raises MalformedPart or NotATerm for errors
    that concern the whole row.
    """
    codes, leads = np.full(len(texts), NO_CODE), np.zeros(len(texts), np.uint8)
    begins, empty = first_bytes(texts), numbers_of(pc.binary_length(texts)) == 0
    codes[empty] = NULL_CODE
    usual = usual_terms(texts)
    codes[usual] = terms.codes_of_arrow(_some(texts, usual).cast(pa.string()))
    leads[usual] = begins[usual]
    if (blanks := _blanks_of_file(source, texts, begins)).any():
        labels = pc.utf8_slice_codeunits(_some(texts, blanks).cast(pa.string()), len("_:"))
        named = pc.binary_join_element_wise(pa.scalar(file_blank(source, "")), labels, "")
        codes[blanks] = terms.codes_of_arrow(named)
        leads[blanks] = begins[blanks]
        usual |= blanks
    if bare and len(others := np.flatnonzero(~usual & ~empty & (begins != ord("<")))):
        chosen = np.zeros(len(texts), np.bool_)
        chosen[others] = True
        chosen[others] = _iris(_some(texts, chosen), f"^{_BARE}$", 0)
        whole = pc.binary_join_element_wise(_LESS, _some(texts, chosen), _GREATER, _NOTHING)
        codes[chosen] = terms.codes_of_arrow(whole.cast(pa.string()))
        leads[chosen] = ord("<")
        usual |= chosen
    alone = dict(_read_alone(texts, ~(usual | empty), read))
    codes[[*alone]] = terms.codes(alone.values())
    leads[[*alone]] = [*map(_lead, alone.values())]
    return TermColumn(codes, leads)


def _some(texts: pa.Array, mask: Mask) -> pa.Array:
    return texts if mask.all() else texts.filter(arrow_mask(mask))


def _lead(text: str) -> int:
    if blanks_in(text):
        return 0
    return ord("(" if is_triple_term(text) else text[0])


_LABEL: Final = "^_:[A-Za-z0-9]([A-Za-z0-9_]*[A-Za-z0-9])?$"


def _blanks_of_file(source: TraceFile, texts: pa.Array, begins: npt.NDArray[np.uint8]) -> Mask:
    """Return a mask of the texts that are blank nodes with a usual label whose scope is the whole file."""
    blanks: Mask = begins == ord("_")
    if source.options.blank_nodes == "element":
        blanks[:] = False
    if blanks.any():
        blanks[blanks] = mask_of(pc.match_substring_regex(_some(texts, blanks), _LABEL))
    return blanks


def usual_terms(texts: pa.Array) -> Mask:
    """Return a mask of the texts that are certainly canonical texts of RDF terms."""
    begins, canonical = first_bytes(texts), np.zeros(len(texts), np.bool_)
    if (iris := begins == ord("<")).any():
        canonical[iris] = _iris(_some(texts, iris), f"^<{_BARE}>$", 1)
    if (literals := begins == ord('"')).any():
        quoted = _some(texts, literals)
        usual = mask_of(pc.match_substring_regex(quoted, f"^{_LITERAL}$"))
        usual &= ~mask_of(pc.match_substring_regex(quoted, _CHANGED))
        try:
            _some(quoted, usual).cast(pa.string())
        except pa.ArrowInvalid:  # no UTF-8
            usual &= mask_of(pc.match_substring_regex(quoted, _ASCII))
        canonical[literals] = usual
    return canonical


_IN_IRIS: Final = np.zeros(256, np.bool_)
"""The bytes of an IRI as `_BARE` has them, by number."""
_IN_IRIS[[byte for byte in range(128) if re.fullmatch("[!#-;=?-\\[\\]_a-z~]", chr(byte))]] = True
_HTTP: Final = b"http"
_LONGEST_SCHEME: Final = len("https:")


def _iris(texts: pa.Array, pattern: str, around: int) -> Mask:
    """Return a mask of the nonempty texts that match the pattern of an IRI.

    The argument `around` is the number of characters, such as <, on each side of the IRI.

    The pattern is slow for many texts, so the function checks texts that begin with http: or https: by their
    bytes.
    """
    ends, data = bytes_of(texts)
    first, last = ends[:-1] + around, ends[1:] - 1
    odd = np.flatnonzero(~_IN_IRIS[data[ends[0] :]]) + ends[0]
    counts = np.diff(np.searchsorted(odd, ends)) if len(odd) else np.zeros(len(texts), np.int64)
    mask: Mask = (counts == 2 * around) & (last - first >= _LONGEST_SCHEME + around)
    if around:
        mask &= (data[ends[:-1]] == ord("<")) & (data[last] == ord(">"))
    for place, character in enumerate(_HTTP):
        mask &= data[np.minimum(first + place, last)] == character
    after = data[np.minimum(first + len(_HTTP), last)]
    secure = (after == ord("s")) & (data[np.minimum(first + len(_HTTP) + 1, last)] == ord(":"))
    mask &= (after == ord(":")) | secure
    if not mask.all():
        mask[~mask] = mask_of(pc.match_substring_regex(_some(texts, ~mask), pattern))
    return mask


_TRIPLE: Final = (STREAM_PREDICATE, 4)


def triple_rows(
    source: TraceFile, terms: TermCodes, times: TimeColumn, columns: Sequence[TermColumn]
) -> RowColumns:
    """Return the rows that are certainly triples, from columns with subject, predicate, object and stream.

    All other rows are read one by one: they may have an error, or blank nodes whose labels depend on the
    whole element.
    """
    s, p, o, own = columns
    number = NULL_CODE if source.stream is None else terms.code(source.stream)
    named = own.codes != NULL_CODE
    usual = s.are("<_") & p.are("<") & o.are('<_"(') & (~named | own.are("<"))
    regular = times.readable & usual
    if source.stream is None and source.candidates:
        regular &= named
    elif source.stream is not None and not source.candidates:
        regular &= ~named | (own.codes == number)
    streams = np.where(named, own.codes, number)
    rows = np.flatnonzero(regular)
    chosen = slice(None) if len(rows) == len(regular) else rows
    codes = tuple(column[chosen] for column in (s.codes, p.codes, o.codes, streams))
    spelled = times.kinds[chosen], times.values[chosen], codes, codes[3], times.zones[chosen]
    return RowColumns(_TRIPLE, rows, *spelled)


_NAME: Final = "[a-z_][A-Za-z0-9_]*"
# Of IRIs those in which nothing looks like the end of an argument.
_IRI: Final = r"<[A-Za-z][A-Za-z0-9+.\-]*:[!#-'*+.-;=?-\[\]_a-z~\-]*>"
_ARGUMENT: Final = rf"({_NAME}|0|-?[1-9][0-9]{{0,8}}|{_IRI})"
_ATOM: Final = rf"{_NAME}(\({_ARGUMENT}(, ?{_ARGUMENT})*\))?"
_RESERVED: Final = r"(^|[(, ])(not|true|false|mod|_)($|[(),])"


def _usual(texts: pa.Array, pattern: str) -> Mask:
    """Return a mask of the texts that match a pattern and contain no reserved word."""
    usual = mask_of(pc.match_substring_regex(texts, f"^{pattern}$"))
    return usual & ~mask_of(pc.match_substring_regex(texts, _RESERVED))


def atom_rows(cells: Cells, times: TimeColumn, terms: TermCodes) -> list[RowColumns]:
    """Return the rows with an atom in usual notation, in separate columns for each predicate and arity."""
    texts, places = cells
    usual = _usual(texts, _ATOM)
    atoms = texts.filter(arrow_mask(usual)).cast(pa.string())
    for old, new in ((", ", ","), ("(", ","), (")", "")):
        atoms = pc.replace_substring(atoms, old, new)
    parts = pc.split_pattern(atoms, ",")  # predicate and arguments
    begins, words = numbers_of(parts.offsets).astype(np.int64), parts.values
    heads = words.take(arrow_numbers(begins[:-1])).dictionary_encode()
    is_argument = np.ones(len(words), np.bool_)
    is_argument[begins[:-1]] = False
    codes = np.zeros(len(words), np.int64)
    arguments = words.filter(arrow_mask(is_argument)).dictionary_encode()
    codes[is_argument] = terms.codes(arguments.dictionary.to_pylist())[numbers_of(arguments.indices)]
    rows = np.flatnonzero(times.readable & usual[places])
    numbers = (np.cumsum(usual) - 1)[places[rows]]
    arities = np.diff(begins) - 1
    # An atom of fewer arguments has any code in the places of others.
    columns = [
        codes[np.minimum(begins[numbers] + place, len(codes) - 1)]
        for place in range(1, int(arities.max(initial=0)) + 1)
    ]
    kinds = numbers_of(heads.indices).astype(np.int64) * (len(columns) + 1) + arities
    return _by_signature(heads.dictionary, kinds[numbers], rows, columns, times)


def predicate_rows(
    predicates: Cells, arguments: Sequence[Cells], times: TimeColumn, terms: TermCodes
) -> list[RowColumns]:
    """Return the rows whose cells contain a predicate and arguments in the usual notation.

    The rows of each predicate and arity are in separate columns.
    """
    names, placed = predicates
    certain = times.readable & _usual(names, _NAME)[placed]
    going, arities = np.ones(len(placed), np.bool_), np.zeros(len(placed), np.int64)
    columns = []
    for texts, places in arguments:
        usual, there = _usual(texts, _ARGUMENT), (numbers_of(pc.binary_length(texts)) > 0)[places]
        # No argument follows an empty cell.
        certain &= ~there | (usual[places] & going)
        going &= there
        arities += there
        codes = np.zeros(len(texts), np.int64)
        codes[usual] = terms.codes(texts.filter(arrow_mask(usual)).cast(pa.string()).to_pylist())
        columns.append(codes[places])
    rows = np.flatnonzero(certain)
    kinds = (placed * (len(columns) + 1) + arities)[rows]
    return _by_signature(names, kinds, rows, [column[rows] for column in columns], times)


def _by_signature(
    names: pa.Array, kinds: Array, rows: Array, columns: Sequence[Array], times: TimeColumn
) -> list[RowColumns]:
    """Return atoms in separate columns for each predicate and arity.

    The kind of a row in `kinds` is (index of its predicate's name) · (number of columns + 1) + arity.
    """
    every, room = [], len(columns) + 1
    for kind in distinct(kinds).tolist():
        mask = kinds == kind
        name, own = (names[kind // room].cast(pa.string()).as_py(), kind % room), rows[mask]
        codes = tuple(column[mask] for column in columns[: kind % room])
        streams = np.full(len(own), NO_CODE)
        spelled = times.kinds[own], times.values[own], codes, streams, times.zones[own]
        every.append(RowColumns(name, own, *spelled))
    return every
