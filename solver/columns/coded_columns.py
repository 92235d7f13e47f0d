"""Terms as small integers (codes), and a trace as columns of codes.

Joins and sorting use the codes. At the end, the codes are converted back to texts.
"""

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count, islice, pairwise, repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language.formulas import Aggregation
from lars.language.terms import NULL, Atom, Constant, Number, Signature, Term, Variable
from lars.language.windows import LARGEST_TIME, Interval
from solver.columns.arrays import (
    Array,
    Mask,
    arrow_mask,
    arrow_numbers,
    arrow_strings,
    distinct,
    distinct_pairs,
    keys,
    mask_of,
    numbers_of,
    ranked,
    validity_of,
)
from solver.facts import STREAM_PREDICATE, Fact, constant_of
from solver.rdf import value

if TYPE_CHECKING:
    import pyarrow as pa

    from solver.columns.hashing import Hashes, Slots

Key = TypeVar("Key")
NULL_CODE: Final = 0
NO_CODE: Final = -1
"""The code of an undefined arithmetic result; no term has this code, and it does not equal itself."""
_EXACT: Final = 2**53
_FEW_TEXTS: Final = 2**13
"""The number of texts below which a Python dictionary is not slower than Arrow."""
_MOST_PACKED: Final = 2**30
"""The number of bytes of texts in Arrow arrays that are joined to one array; Arrow would fail at 2 GB."""
_MOST_JOINED: Final = 2**24
"""The number of bytes up to which neighboring Arrow arrays of texts are joined to one array."""
_LOOKUP: Final = 256
"""The number of texts that are copied from Arrow, and later hashed again, in the time of a short look-up."""
_TERMS_FOR_EACH_ROW: Final = 8
"""The number of terms per row above which only the terms of the column are sorted, not all terms."""
_NO_SLOTS: Final = np.empty(0, np.int32)
_NO_HASHES: Final = np.empty(0, np.uint64)
_LEAST, _GREATEST = -(2**31), 2**31 - 1


class Numbering(defaultdict[Key, int]):
    """A dictionary from keys to numbers 0, 1, 2, ...; a new key gets the next number at its first look-up.

    >>> import pickle
    >>> numbers = Numbering({"a": 0})
    >>> numbers["b"], numbers["a"], pickle.loads(pickle.dumps(numbers))["c"]
    (1, 0, 2)
    """

    def __init__(self, known: Mapping[Key, int] | None = None) -> None:
        super().__init__(None, known or {})
        # Counts in C: millions of terms get their numbers here.
        self.default_factory = count(len(self)).__next__

    def __reduce__(self) -> Any:
        return Numbering, (dict(self),)


class CodedTerms(ABC):
    """A set of terms, each with an integer as its code."""

    @abstractmethod
    def code(self, text: str) -> int:
        """Return the code of a term, given as text; for an unknown term, the code equals no other code."""

    @abstractmethod
    def arrow(self, codes: Array) -> "pa.Array":
        """Return the texts of codes, written like input atoms; null is written `null`."""

    @abstractmethod
    def __len__(self) -> int:
        """Return a number that is greater than the code of each term."""

    def matching(self, terms: Sequence[Term], columns: Sequence[Array], rows: int) -> Mask:
        """Return a mask of the rows of codes that match an atom with the given terms as arguments.

        A row matches if it has the codes of the constants, and equal codes at the positions of each variable.
        """
        places: dict[Variable, int] = {}
        mask = np.ones(rows, np.bool_)
        for place, term in enumerate(terms):
            if not isinstance(term, Variable):
                mask &= columns[place] == self.code(str(term))
            elif places.setdefault(term, place) != place:
                mask &= columns[place] == columns[places[term]]
        return mask

    def fitting_any(self, patterns: Iterable[Atom], columns: Sequence[Array], rows: int) -> Mask:
        """Return a mask of the rows of codes that match the arguments of at least one of the patterns."""
        mask = np.zeros(rows, np.bool_)
        for pattern in patterns:
            mask |= self.matching(pattern.arguments, columns, rows)
        return mask


class TermCodes(CodedTerms):
    """A growing dictionary from the texts of terms to codes, for terms of the input and computed terms.

    `aggregates` are the codes of computed aggregates, by aggregation and by a digest of the codes in the
    multiset. `aggregated` contains the last column of such codes of each aggregation, with a digest of all
    its multisets.

    >>> codes = TermCodes()
    >>> codes.code("<x:a>"), codes.code("null"), codes.code("<x:a>"), codes.texts((1, 0))
    (1, 0, 1, ['<x:a>', None])
    """

    def __init__(self) -> None:
        self._codes = Numbering({str(NULL): NULL_CODE})
        # The text of each code; None for null, and for a text that only Arrow has so far.
        self._texts: list[str | None] = [None]
        self._listed_keys = 1
        # Most terms of a long trace are never looked up: their texts stay in Arrow. The arrays have the texts
        # of the first codes, also of those that Python has, and the table finds a code by the text's hash.
        self._packed: list[tuple[int, pa.Array]] = []
        self._slots: Slots = _NO_SLOTS
        self._hashes: Hashes = _NO_HASHES
        self._hashed = 0
        self._lookups = 0
        self._constants: dict[int, Constant] = {NULL_CODE: NULL}
        self._ranks = np.empty(0, np.int64)
        self.aggregates: defaultdict[Aggregation, dict[bytes, int]] = defaultdict(dict)
        self.aggregated: dict[Aggregation, tuple[bytes, Array]] = {}

    def __len__(self) -> int:
        return len(self._texts) + len(self._codes) - self._listed_keys

    def __getstate__(self) -> dict[str, Any]:
        self._unpack()
        return vars(self)

    def code(self, text: str) -> int:
        """Return the code of a term's text; a new term gets the next code."""
        if self._packed and text not in self._codes:
            self._find([text])
        return self._codes[text]

    def codes(self, texts: Iterable[str]) -> Array:
        """Return the codes of many texts."""
        if self._packed:
            texts = list(texts)
            self._find([text for text in dict.fromkeys(texts) if text not in self._codes])
        return np.array(list(map(self._codes.__getitem__, texts)), np.int64)

    def codes_of_arrow(self, texts: "pa.Array") -> Array:
        """Return the codes of texts (strings of Arrow, none of them twice).

        If many texts are given, new texts are stored only as an Arrow array.
        """
        if len(texts) < _FEW_TEXTS:
            return self.codes(texts.to_pylist())
        from solver.columns.hashing import text_hashes

        self._pack_listed()
        hashes = text_hashes(texts)
        codes = self._known(texts, hashes)
        new = codes == NO_CODE
        if new.any():
            fresh = texts if new.all() else texts.filter(arrow_mask(new))
            codes[new] = np.arange(len(self), len(self) + len(fresh))
            self._pack(fresh, hashes[new])
            self._texts += [None] * len(fresh)
            self._codes.default_factory = count(len(self)).__next__
        return codes

    def of_constant(self, constant: Constant | None) -> int:
        """Return the code of a constant; None has the code of null."""
        return NULL_CODE if constant is None else self.code(str(constant))

    def constant(self, code: int) -> Constant:
        """Return the constant with the given code."""
        term = self._constants.get(code)
        if term is None:
            text = self._listed()[code] or self._shown(np.array([code]))[code]
            term = self._constants[code] = constant_of(text or "")
        return term

    def constants(self, codes: Array) -> list[Constant]:
        """Return the constants with the given codes."""
        self._shown(codes)
        return list(map(self.constant, codes.tolist()))

    def texts(self, codes: Sequence[int]) -> list[str | None]:
        """Return the texts of codes; null is None."""
        return list(map(self._shown(np.array(codes, np.int64)).__getitem__, codes))

    def atom_texts(self, codes: Array) -> list[str]:
        """Return the texts of codes, written like input atoms; null is written `null`."""
        texts = self._shown(codes)
        return [texts[code] or str(NULL) for code in codes.tolist()]

    def arrow(self, codes: Array) -> "pa.Array":
        """Return the texts of codes, written like input atoms; null is written `null`."""
        packed = sum(some.nbytes for _, some in self._packed)
        if not 0 < packed < _MOST_PACKED or len(codes) < len(self) // 2:
            return arrow_strings(self.atom_texts(codes))
        # Texts that only Arrow has stay there.
        import pyarrow as pa

        self._pack_listed()
        every = pa.concat_arrays([some for _, some in self._packed])
        return every.take(arrow_numbers(np.ascontiguousarray(codes)))

    def ranks(self, codes: Array) -> Array:
        """Return the rank of each code by the sorted order of texts, null first; equal codes share a rank.

        >>> TermCodes().ranks(np.array([0])).tolist()
        [0]
        """
        if len(self._ranks) < len(self) <= _TERMS_FOR_EACH_ROW * len(codes):
            self._ranks = _ranks([text or "" for text in self._shown(np.arange(len(self)))])
        if len(self._ranks) == len(self):
            return self._ranks[codes]
        used, places = np.unique(codes, return_inverse=True)
        texts = self._shown(used)
        return _ranks([texts[code] or "" for code in used.tolist()])[places]

    def numbers(self, codes: Array) -> tuple[Array, Mask]:
        """Return the integers of LARS that codes denote, and a mask of the codes that denote such an integer.

        RDF literals such as "5"^^xsd:integer are not integers of LARS.
        """
        return self._values(codes, _number, np.int64)

    def doubles(self, codes: Array) -> tuple[npt.NDArray[np.float64], Mask]:
        """Return the xsd:double or small integer of each code, and a mask of the codes with such a value."""
        return self._values(codes, _double, np.float64)

    def of_kinds(self, codes: Array) -> Array:
        """Return for each code the code of a term of the same kind; few terms represent all.

        Kinds are null, IRIs, blank nodes, literals, triple terms, and the terms of LARS. A kind may have
        several representatives.

        >>> codes = TermCodes()
        >>> codes.of_kinds(codes.codes(["<x:a>", "_:a", "<x:b>", "null", "nullify"])).tolist()
        [1, 2, 1, 0, 4]
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        used, places = np.unique(codes, return_inverse=True)
        if self._packed:
            self._pack_listed()
            borders = np.searchsorted(used, [*(first for first, _ in self._packed), len(self)]).tolist()
            parts = [
                some.take(arrow_numbers(used[begin:end] - first))
                for (first, some), (begin, end) in zip(self._packed, pairwise(borders), strict=True)
            ]
            texts = pa.concat_arrays(parts)
        else:
            texts = arrow_strings(self.atom_texts(used))
        # The notation of each kind begins in another way, at the latest after "<<" of a triple term. Only
        # null can begin like a term of another kind: the name nullify.
        begins = pc.binary_slice(texts.cast(pa.binary()), 0, 3).dictionary_encode()
        numbers = np.where(used == NULL_CODE, -1, numbers_of(begins.indices))
        _, firsts, kinds = np.unique(numbers, return_index=True, return_inverse=True)
        return used[firsts][kinds][places]

    def _values(
        self, codes: Array, read: Callable[[Constant], float | None], kind: type[np.generic]
    ) -> tuple[npt.NDArray[Any], Mask]:
        used, places = np.unique(codes, return_inverse=True)
        self._shown(used)
        values = [None if code < 0 else read(self.constant(code)) for code in used.tolist()]
        known = np.array([number is not None for number in values], np.bool_)
        return np.array([number or 0 for number in values], kind)[places], known[places]

    def of_numbers(self, values: Array) -> Array:
        """Return the codes of integers.

        Raises:
            LarsError: An integer is outside 32 bits.
        """
        each, places = np.unique(values, return_inverse=True)
        return self.codes(map(str, map(_within, each.tolist())))[places]

    def _listed(self) -> list[str | None]:
        # A dictionary keeps the order in which its keys came, which is that of the codes.
        newest = [*islice(reversed(self._codes), len(self._codes) - self._listed_keys)]
        self._texts.extend(reversed(newest))
        self._listed_keys = len(self._codes)
        return self._texts

    def _shown(self, codes: Array) -> list[str | None]:
        """Return the list of texts by code, after copying the texts of the given codes from Arrow arrays."""
        texts = self._listed()
        for first, some in self._packed:
            inside = codes[(codes >= max(first, NULL_CODE + 1)) & (codes < first + len(some))]
            missing = [code for code in distinct(inside).tolist() if texts[code] is None]
            if missing:
                places = arrow_numbers(np.array(missing, np.int64) - first)
                for code, text in zip(missing, some.take(places).to_pylist(), strict=True):
                    texts[code] = text
        return texts

    def _find(self, texts: list[str]) -> None:
        """Add the codes of texts that so far are stored only in Arrow arrays to the dictionary."""
        if not texts:
            return
        self._lookups += 1
        if self._lookups * _LOOKUP > len(self):
            self._unpack()
            return
        from solver.columns.hashing import text_hashes

        self._pack_listed()
        wanted = arrow_strings(texts)
        codes = self._known(wanted, text_hashes(wanted)).tolist()
        self._codes |= {text: code for text, code in zip(texts, codes, strict=True) if code != NO_CODE}
        self._listed_keys = len(self._codes)

    def _known(self, texts: "pa.Array", hashes: "Hashes") -> Array:
        """Return the codes of texts with the given hashes; NO_CODE for texts without a code."""
        import pyarrow.compute as pc

        from solver.columns.hashing import found_hashes

        codes = found_hashes(self._slots, self._hashes, hashes)
        places = np.flatnonzero(codes != NO_CODE)
        wrong = places[~self._are(codes[places], texts, places)]
        if len(wrong):
            # Several texts have one hash, and the table finds only the first of them.
            wanted, codes[wrong] = texts.take(arrow_numbers(wrong)), NO_CODE
            for first, some in self._packed:
                numbers = pc.index_in(some, value_set=wanted)
                there = validity_of(numbers)
                codes[wrong[numbers_of(numbers)[there]]] = first + np.flatnonzero(there)
        return codes

    def _are(self, codes: Array, texts: "pa.Array", places: Array) -> Mask:
        """Return a mask of the codes that are the codes of the texts at the given places."""
        import pyarrow as pa
        import pyarrow.compute as pc

        numbers = np.searchsorted([first for first, _ in self._packed], codes, "right") - 1
        order = np.argsort(numbers, kind="stable")
        borders = np.searchsorted(numbers[order], range(len(self._packed) + 1)).tolist()
        parts = [
            some.take(arrow_numbers(codes[order[begin:end]] - first))
            for (first, some), (begin, end) in zip(self._packed, pairwise(borders), strict=True)
        ]
        mask = np.zeros(len(codes), np.bool_)
        if parts:
            mask[order] = mask_of(pc.equal(pa.concat_arrays(parts), texts.take(arrow_numbers(places[order]))))
        return mask

    def _pack_listed(self) -> None:
        """Add the texts that so far only Python has to the arrays of Arrow."""
        texts = self._listed()[self._hashed :]
        if texts:
            from solver.columns.hashing import text_hashes

            packed = arrow_strings([str(NULL) if text is None else text for text in texts])
            self._pack(packed, text_hashes(packed))

    def _pack(self, texts: "pa.Array", hashes: "Hashes") -> None:
        """Add the texts of the next codes, and their hashes, to the arrays of Arrow."""
        import pyarrow as pa

        from solver.columns.hashing import add_hashes, hash_table, room

        first, end = self._hashed, self._hashed + len(texts)
        if end > len(self._hashes):
            known = np.concatenate((self._hashes[:first], hashes))
            self._slots = hash_table(known)
            self._hashes = np.empty(room(self._slots), np.uint64)
            self._hashes[:end] = known
        else:
            self._hashes[first:end] = hashes
            add_hashes(self._slots, hashes, first)
        self._hashed = end
        # Each join at least doubles an array, so no text is copied often.
        while self._packed and _are_joined(before := self._packed[-1][1], texts):
            (first, _), texts = self._packed.pop(), pa.concat_arrays([before, texts])
        self._packed.append((first, texts))

    def _unpack(self) -> None:
        """Copy all texts that are stored only in Arrow arrays to the dictionary."""
        self._listed()
        for first, some in self._packed:
            texts = some.to_pylist()
            self._texts[first : first + len(texts)] = texts
            self._codes.update(zip(texts, range(first, first + len(texts)), strict=True))
        self._texts[NULL_CODE] = None
        self._listed_keys = len(self._codes)
        self._packed, self._hashed, self._lookups = [], 0, 0
        self._slots, self._hashes = _NO_SLOTS, _NO_HASHES


def _are_joined(before: "pa.Array", texts: "pa.Array") -> bool:
    sizes: tuple[int, int] = before.nbytes, texts.nbytes
    return sizes[0] <= 2 * sizes[1] and sum(sizes) <= _MOST_JOINED


def used_texts(columns: Sequence[Array], terms: TermCodes) -> tuple[list[str], list[Array]]:
    """Return the distinct texts in columns of codes, and the columns as indexes into these texts."""
    places, used = ranked(columns)
    return terms.atom_texts(used), places


def _ranks(texts: Sequence[str]) -> Array:
    """Return the rank of each text in the sorted order; the texts must be distinct."""
    ranks = np.empty(len(texts), np.int64)
    ranks[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    return ranks


def _within(number: int) -> int:
    if not _LEAST <= number <= _GREATEST:
        raise LarsError(f"the number {number} does not fit into 32 bits; use a smaller number")
    return number


def _number(constant: Constant) -> int | None:
    return _within(constant.value) if isinstance(constant, Number) else None


def _double(constant: Constant) -> float | None:
    number = value(constant)
    if type(number) is float:
        return number
    return float(number) if type(number) is int and abs(number) <= _EXACT else None


@dataclass(frozen=True, slots=True, eq=False)
class InputAtoms:
    """The input atoms of one predicate, in the order of time and then of arrival.

    - `t` are the times of the atoms.
    - `arrival` contains a number for each atom; the atoms of all predicates arrive in the order of the
      numbers.
    - `columns` are the codes of the arguments.
    - `since` contains the first time at which evaluations see each atom, if data came late; None means that
      each atom is seen from its own time on.
    """

    t: Array
    arrival: Array
    columns: tuple[Array, ...]
    since: Array | None = None

    def take(self, places: Array | Mask | slice) -> "InputAtoms":
        """Return the atoms at the given positions, or the atoms that a mask selects."""
        if not isinstance(places, slice) and places.dtype == np.bool_:
            places = np.flatnonzero(places)  # which each column would find again
        columns = tuple(column[places] for column in self.columns)
        since = None if self.since is None else self.since[places]
        return InputAtoms(self.t[places], self.arrival[places], columns, since)

    def within(self, interval: Interval) -> "InputAtoms":
        """Return the atoms with times in an interval, without copying the columns."""
        # Within 64 bits, since columns that are compared with more become floating-point numbers.
        first, last = (min(max(end, -1), LARGEST_TIME + 1) for end in (interval.first, interval.last))
        last = max(last, first - 1)
        begin, end = np.searchsorted(self.t, first, "left"), np.searchsorted(self.t, last, "right")
        return self.take(slice(begin, end))

    def near(self, times: Array, past: int, future: int) -> "InputAtoms":
        """Return the atoms in the interval [t - past, t + future] of at least one of the times t."""
        steps = np.zeros(len(self.t) + 1, np.int64)
        past, future = min(past, LARGEST_TIME), min(future, LARGEST_TIME)
        np.add.at(steps, np.searchsorted(self.t, times - past, "left"), 1)
        np.add.at(steps, np.searchsorted(self.t, times + future, "right"), -1)
        return self.take(np.cumsum(steps[:-1]) > 0)

    def first_arrivals(self) -> Mask:
        """Return a mask of the atoms without an equal atom that arrived earlier at the same time."""
        (key,) = keys([(*self.columns, self.t - self.t.min(initial=LARGEST_TIME))], [len(self.t)], 1)
        _, places = np.unique(key, return_index=True)
        mask = np.zeros(len(self.t), np.bool_)
        mask[places] = True
        return mask


Atoms = Mapping[Signature, InputAtoms]
"""Input atoms by predicate."""


def together(parts: Sequence[InputAtoms]) -> InputAtoms:
    """Return the atoms of several collections (at least one), one collection after another."""
    if len(parts) == 1:
        return parts[0]
    columns = zip(*(part.columns for part in parts), strict=True)
    t, arrival = (np.concatenate([getattr(part, name) for part in parts]) for name in ("t", "arrival"))
    return InputAtoms(t, arrival, tuple(map(np.concatenate, columns)))


def in_time_order(atoms: Atoms) -> Atoms:
    """Return atoms sorted by time, then by arrival, with new numbers of arrival in this order."""
    if not atoms:
        return {}
    arrival = np.concatenate([some.arrival for some in atoms.values()])
    t = np.concatenate([some.t for some in atoms.values()])
    # Both are nearly sorted, which a stable sort finishes fast.
    in_order = len(atoms) == 1 and bool((arrival[1:] >= arrival[:-1]).all())
    order = np.arange(len(arrival)) if in_order else np.argsort(arrival, kind="stable")
    since = [some.since for some in atoms.values() if some.since is not None]
    if since:
        order = order[np.argsort(np.concatenate(since)[order], kind="stable")]
    t = t if in_order and not since else t[order]
    order = order[np.argsort(t, kind="stable")] if (t[1:] < t[:-1]).any() else order
    if len(atoms) == 1:
        ((name, some),) = atoms.items()
        is_sorted = bool((order[1:] > order[:-1]).all())
        return {name: replace(some if is_sorted else some.take(order), arrival=np.arange(len(order)))}
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order))
    borders = np.cumsum([len(some.t) for some in atoms.values()])[:-1]
    numbered = zip(atoms.items(), np.split(number, borders), strict=True)
    return {name: _sorted_by(numbers, some) for (name, some), numbers in numbered}


def _sorted_by(numbers: Array, atoms: InputAtoms) -> InputAtoms:
    atoms = replace(atoms, arrival=numbers)
    return atoms if (numbers[1:] > numbers[:-1]).all() else atoms.take(np.argsort(numbers))


def atoms_by_predicate(
    times: Array, predicates: Sequence[str], arities: Array, codes: Array
) -> Mapping[Signature, InputAtoms]:
    """Return atoms by predicate, from atoms in arrival order.

    `codes` contains the arguments of all atoms, one atom after another.
    """
    numbers: Numbering[Signature] = Numbering()
    pairs = zip(predicates, arities.tolist(), strict=True)
    kinds = np.array(list(map(numbers.__getitem__, pairs)), np.int64)
    begins = np.cumsum(arities) - arities
    order = np.argsort(times, kind="stable")
    kinds, atoms = kinds[order], {}
    for (name, arity), number in numbers.items():
        arrival = np.flatnonzero(kinds == number)
        places = order[arrival]
        columns = tuple(codes[begins[places] + place] for place in range(arity))
        atoms[name, arity] = InputAtoms(times[places], arrival, columns)
    return atoms


@dataclass(frozen=True, slots=True)
class TimeBins:
    """The division of a timeline into bins of `width` time points; bin i begins at first + i * width."""

    first: int
    width: int
    count: int

    def counts(self, times: Array) -> Array:
        """Return the number of times in each bin.

        >>> TimeBins(first=4, width=3, count=2).counts(np.array([3, 4, 6, 7, 9, 10])).tolist()
        [2, 2]
        """
        numbers: Array = self.counts_of(times, np.zeros_like(times), 1)[0]
        return numbers

    def counts_of(self, times: Array, kinds: Array, count: int) -> Array:
        """Return the number of times in each bin, as a table with one row for each of `count` kinds.

        The argument `kinds` contains the kind of each time, as a number from 0 to `count` - 1.
        """
        places = (times - self.first) // self.width
        inside = (places >= 0) & (places < self.count)
        cells = kinds[inside] * self.count + places[inside]
        numbers = np.bincount(cells, minlength=count * self.count).astype(np.int64)
        return numbers.reshape(count, self.count)


@dataclass(frozen=True, slots=True, eq=False)
class TraceColumns:
    """A trace whose input atoms are stored in columns.

    - `terms` maps terms to their codes.
    - `atoms` are the input atoms of each predicate.
    - `last` is the last time of the trace.
    - `origin` is the dateTime of time 0; None if times are integers.
    - `shift` is the number of time points from 1970 to time 0, or 0 if integers do not count from 1970.
    """

    terms: TermCodes
    atoms: Mapping[Signature, InputAtoms]
    last: int
    origin: str | None = None
    shift: int = 0

    @property
    def on_time(self) -> "TraceColumns":
        """The same trace without delays: evaluations see each atom from the time of the atom on."""
        return replace(self, atoms={name: replace(some, since=None) for name, some in self.atoms.items()})

    def as_it_came(self, wait: int, lateness: int | None) -> "TraceColumns":
        """Return the trace as evaluations with a wait see it, without atoms with a delay above `lateness`.

        The arguments `wait` and `lateness` are numbers of time points. An evaluation at t sees the atoms that
        arrive up to t + `wait`.
        """
        atoms = dict(self.atoms)
        for name, some in atoms.items():
            assert some.since is not None
            kept = some if lateness is None else some.take(some.since - some.t <= lateness)
            assert kept.since is not None
            atoms[name] = replace(kept, since=kept.since - wait)
        return replace(self, atoms=atoms)

    def within(self, interval: Interval) -> "TraceColumns":
        """Return the trace with only the atoms whose times are in an interval."""
        return replace(self, atoms={name: some.within(interval) for name, some in self.atoms.items()})

    def pairs(self, predicate: Signature, one: int, other: int) -> frozenset[tuple[str, str]]:
        """Return the pairs of terms at two argument positions of the atoms of a predicate."""
        if predicate not in self.atoms:
            return frozenset()
        columns = self.atoms[predicate].columns
        pairs = distinct_pairs(columns[one], columns[other])
        return frozenset(zip(*map(self.terms.atom_texts, pairs), strict=True))

    def facts(self, within: Interval) -> list[Fact]:
        """Return the input atoms in an interval, ascending in time, and in arrival order at each time."""
        facts: list[Fact] = []
        arrivals = [np.empty(0, np.int64)]
        for (name, arity), some in self.atoms.items():
            atoms = some.within(within)
            texts = (self.terms.atom_texts(column) for column in atoms.columns)
            rows = zip(*texts, strict=True) if arity else [()] * len(atoms.t)
            facts += map(Fact, atoms.t.tolist(), repeat(name), rows)
            arrivals.append(atoms.arrival)
        order = np.argsort(np.concatenate(arrivals), kind="stable")
        return [facts[place] for place in order.tolist()]


def trace_columns(facts: Sequence[Fact]) -> TraceColumns:
    """Return facts, given in arrival order, as a trace in columns.

    Raises:
        LarsError: A time is above the largest supported time.
    """
    terms = TermCodes()
    # Not zip(*facts): that holds an iterator for each fact.
    times, predicates, arguments = (list(map(itemgetter(place), facts)) for place in range(3))
    latest = max(times, default=0)
    if latest > LARGEST_TIME:
        raise LarsError(f"an atom arrives at {latest}; expected times up to {LARGEST_TIME}")
    arities = np.array(list(map(len, arguments)), np.int64)
    codes = terms.codes(chain.from_iterable(arguments))
    atoms = atoms_by_predicate(np.array(times, np.int64), predicates, arities, codes)
    return TraceColumns(terms, atoms, latest)


def arrivals(atoms: Mapping[Signature, InputAtoms], within: Interval, bins: TimeBins) -> tuple[Array, Array]:
    """Return the codes of the streams with triples in an interval, and the number of their triples by bin."""
    some = atoms.get((STREAM_PREDICATE, 4))
    if some is None:
        return np.empty(0, np.int64), np.empty((0, bins.count), np.int64)
    input_atoms = some.within(within)
    streams = input_atoms.columns[3]
    codes = np.flatnonzero(np.bincount(streams, minlength=1))
    ranks = np.zeros(int(codes.max(initial=0)) + 1, np.int64)
    ranks[codes] = np.arange(len(codes))
    return codes, bins.counts_of(input_atoms.t, ranks[streams], len(codes))
