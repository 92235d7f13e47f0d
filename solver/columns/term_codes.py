"""Terms as small numbers: what is joined and sorted are codes; texts come back at the end."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import compress, count, islice, repeat
from operator import is_
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np
import numpy.typing as npt

from lars.errors import LarsError
from lars.language.formulas import Aggregation
from lars.language.terms import NULL, Atom, Constant, Number, Term, Variable
from solver.columns.arrays import Array, Mask, arrow_strings
from solver.facts import constant_of
from solver.rdf import value

if TYPE_CHECKING:
    import pyarrow as pa

Key = TypeVar("Key")
NULL_CODE: Final = 0
NO_CODE: Final = -1
"""What arithmetic without a value leaves: it is equal to no term, and to none of its own kind."""
_EXACT: Final = 2**53
_MANY: Final = 8
"""With so many terms for each row of a column, only those of the column are put in order."""
_LEAST, _GREATEST = -(2**31), 2**31 - 1


class NumberRangeError(LarsError):
    """A number of the logic outside 32 bit, which the reference evaluation can't hold."""

    def __init__(self, number: int) -> None:
        super().__init__(f"no number of the logic: {number}; accepted are numbers of 32 bit")


class Numbering(dict[Key, int]):
    """Keys with their numbers; a new key gets the next one."""

    def __missing__(self, key: Key) -> int:
        self[key] = number = len(self)
        return number


class CodedTerms(ABC):
    """Terms that have numbers, their codes."""

    @abstractmethod
    def code(self, text: str) -> int:
        """Return the code of a term's text; a number that no atom has where none has the term."""

    @abstractmethod
    def arrow(self, codes: Array) -> "pa.Array":
        """Return the texts of codes as input atoms have them, `null` for null."""

    @abstractmethod
    def __len__(self) -> int:
        """Return a number above all codes."""

    def matching(self, terms: Sequence[Term], columns: Sequence[Array], rows: int) -> Mask:
        """Return which rows have the constants among the terms, and equal codes for equal variables."""
        places: dict[Variable, int] = {}
        mask = np.ones(rows, np.bool_)
        for place, term in enumerate(terms):
            if not isinstance(term, Variable):
                mask &= columns[place] == self.code(str(term))
            elif places.setdefault(term, place) != place:
                mask &= columns[place] == columns[places[term]]
        return mask

    def fitting_any(self, patterns: Iterable[Atom], columns: Sequence[Array], rows: int) -> Mask:
        """Return which rows fit the arguments of some of the patterns."""
        mask = np.zeros(rows, np.bool_)
        for pattern in patterns:
            mask |= self.matching(pattern.arguments, columns, rows)
        return mask


class TermCodes(CodedTerms):
    """A growing dictionary of terms, by their texts: of a situation, and of what programs compute of it.

    `aggregates` are the codes of aggregates of multisets, known by a digest of the elements' codes.

    >>> codes = TermCodes()
    >>> codes.code("<x:a>"), codes.code("null"), codes.code("<x:a>"), codes.texts((1, 0))
    (1, 0, 1, ['<x:a>', None])
    """

    def __init__(self) -> None:
        self._codes = Numbering({str(NULL): NULL_CODE})
        self._texts: list[str | None] = [None]
        self._constants: dict[int, Constant] = {NULL_CODE: NULL}
        self._ranks = np.empty(0, np.int64)
        self.aggregates: dict[tuple[Aggregation, bytes], int] = {}

    def __len__(self) -> int:
        return len(self._codes)

    def code(self, text: str) -> int:
        """Return the code of a term's text."""
        return self._codes[text]

    def codes(self, texts: Iterable[str]) -> Array:
        """Return the codes of many texts."""
        names, known = list(texts), self._codes
        codes_of_texts = list(map(known.get, names))
        if None in codes_of_texts:
            fresh = dict.fromkeys(compress(names, map(is_, codes_of_texts, repeat(None))))
            known.update(zip(fresh, count(len(known))))
            codes_of_texts = list(map(known.get, names))
        return np.array(codes_of_texts, np.int64)

    def of_constant(self, constant: Constant | None) -> int:
        """Return the code of a constant; None is null."""
        return NULL_CODE if constant is None else self._codes[str(constant)]

    def constant(self, code: int) -> Constant:
        """Return the constant that a code stands for."""
        term = self._constants.get(code)
        if term is None:
            term = self._constants[code] = constant_of(self._listed()[code] or "")
        return term

    def texts(self, codes: Sequence[int]) -> list[str | None]:
        """Return the texts of codes, None for null."""
        return list(map(self._listed().__getitem__, codes))

    def atom_texts(self, codes: Array) -> list[str]:
        """Return the texts of codes as input atoms have them, `null` for null."""
        texts = self._listed()
        return [texts[code] or str(NULL) for code in codes.tolist()]

    def arrow(self, codes: Array) -> "pa.Array":
        """Return the texts of codes as input atoms have them, `null` for null."""
        return arrow_strings(self.atom_texts(codes))

    def ranks(self, codes: Array) -> Array:
        """Return numbers in the order of the texts of codes, null first; equal ones for equal codes.

        >>> TermCodes().ranks(np.array([0])).tolist()
        [0]
        """
        texts = self._listed()
        if len(self._ranks) < len(texts) <= _MANY * len(codes):
            self._ranks = _ranks([text or "" for text in texts])
        if len(self._ranks) == len(texts):
            return self._ranks[codes]
        distinct, places = np.unique(codes, return_inverse=True)
        return _ranks([texts[code] or "" for code in distinct.tolist()])[places]

    def numbers(self, codes: Array) -> tuple[Array, Mask]:
        """Return the numbers of the logic that codes stand for, and which codes stand for one."""
        distinct, places = np.unique(codes, return_inverse=True)
        numbers_of_terms = [None if code < 0 else self._number(code) for code in distinct.tolist()]
        values = np.array([number or 0 for number in numbers_of_terms], np.int64)
        known = np.array([number is not None for number in numbers_of_terms], np.bool_)
        return values[places], known[places]

    def doubles(self, codes: Array) -> tuple[npt.NDArray[np.float64], Mask]:
        """Return the numbers that codes stand for, xsd:double or whole and small, and which codes do."""
        distinct, places = np.unique(codes, return_inverse=True)
        doubles_of_terms = [None if code < 0 else _double(self.constant(code)) for code in distinct.tolist()]
        known = np.array([number is not None for number in doubles_of_terms], np.bool_)
        return np.array([number or 0.0 for number in doubles_of_terms], np.float64)[places], known[places]

    def of_numbers(self, values: Array) -> Array:
        """Return the codes of numbers. NumberRangeError: one is outside 32 bit."""
        distinct, places = np.unique(values, return_inverse=True)
        return self.codes(map(str, map(_within, distinct.tolist())))[places]

    def _number(self, code: int) -> int | None:
        constant = self.constant(code)
        return _within(constant.value) if isinstance(constant, Number) else None

    def _listed(self) -> list[str | None]:
        # A dictionary keeps the order in which its keys came, which is that of the codes.
        newest = [*islice(reversed(self._codes), len(self._codes) - len(self._texts))]
        self._texts.extend(reversed(newest))
        return self._texts


@dataclass(frozen=True, slots=True, eq=False)
class CodedColumns:
    """Columns of codes with their terms; other processes are given the texts of these alone."""

    terms: TermCodes
    columns: tuple[Array, ...]

    def take(self, places: Array | Mask) -> "CodedColumns":
        """Return the rows at these places, or those that a mask marks."""
        return CodedColumns(self.terms, tuple(column[places] for column in self.columns))

    def coded_by(self, terms: TermCodes) -> "CodedColumns":
        """Return the same rows with the codes of other terms."""
        if terms is self.terms:
            return self
        texts, places = self._texts_and_places()
        known = terms.codes(texts)
        return CodedColumns(terms, tuple(known[column] for column in places))

    def _texts_and_places(self) -> tuple[list[str], list[Array]]:
        every = np.concatenate([*self.columns, np.empty(0, np.int64)])
        distinct, places = np.unique(every, return_inverse=True)
        parts = np.split(places, max(1, len(self.columns)))
        return self.terms.atom_texts(distinct), parts[: len(self.columns)]

    def __reduce__(self) -> tuple[object, ...]:
        """Return what pickling needs."""
        texts, places = self._texts_and_places()
        return _coded, (texts, [column.astype(np.int32) for column in places])


def _coded(texts: list[str], places: list[Array]) -> CodedColumns:
    terms = TermCodes()
    known = terms.codes(texts)
    return CodedColumns(terms, tuple(known[column] for column in places))


def _ranks(texts: Sequence[str]) -> Array:
    """Return the place of each text in the order of all, which differ."""
    ranks = np.empty(len(texts), np.int64)
    ranks[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    return ranks


def _within(number: int) -> int:
    if not _LEAST <= number <= _GREATEST:
        raise NumberRangeError(number)
    return number


def _double(constant: Constant) -> float | None:
    number = value(constant)
    if type(number) is float:
        return number
    return float(number) if type(number) is int and abs(number) <= _EXACT else None
