"""Static data in columns: rows of texts that store each text once."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from lars.dataclass import dataclass
from lars.language import terms
from solver.facts.facts import Arguments

_Item = TypeVar("_Item")
Triple = tuple[str, str, str]


class CodedRows(AbstractSet[Arguments]):
    """Distinct rows of texts, with each text stored once: row i has the texts with the numbers `codes[i]`.

    The rows are in the order of `codes`.

    >>> rows = CodedRows(["<x:a>", "<x:b>"], np.array([(0, 1), (1, 1)]))
    >>> list(rows), rows == {("<x:a>", "<x:b>"), ("<x:b>", "<x:b>")}
    ([('<x:a>', '<x:b>'), ('<x:b>', '<x:b>')], True)
    """

    def __init__(self, texts: Sequence[str], codes: npt.NDArray[np.int64]) -> None:
        self.texts = texts
        self.codes = codes

    def __len__(self) -> int:
        return len(self.codes)

    def __iter__(self) -> Iterator[Arguments]:
        text = self.texts.__getitem__
        return (tuple(map(text, row)) for row in self.codes.tolist())

    def __contains__(self, row: object) -> bool:
        return row in self._rows

    @classmethod
    def _from_iterable(cls, it: Iterable[_Item]) -> frozenset[_Item]:
        return frozenset(it)

    @cached_property
    def _rows(self) -> frozenset[Arguments]:
        return frozenset(self)

    def matching(self, patterns: Sequence[terms.Atom]) -> "CodedRows":
        """Return the rows that match the constants of at least one pattern, without texts of other rows."""
        mask = np.zeros(len(self), np.bool_)
        places: dict[str, int] = {}
        for pattern in patterns:
            fits = np.ones(len(self), np.bool_)
            for column, term in enumerate(pattern.arguments):
                if not isinstance(term, terms.Variable):
                    if (text := str(term)) not in places:
                        places[text] = self.texts.index(text) if text in self.texts else -1
                    fits &= self.codes[:, column] == places[text]
            mask |= fits
        kept, codes = np.unique(self.codes[mask], return_inverse=True)
        texts = [self.texts[code] for code in kept.tolist()]
        return CodedRows(texts, codes.reshape(-1, self.codes.shape[1]))


@dataclass(frozen=True, slots=True)
class Static:
    """The static triples of a job, as canonical texts of terms.

    - `default` are the triples of the default graph.
    - `named` maps the name of a graph to its triples.
    - `engine_stores` maps a query language to the triples that only engines of this language load. FROM in a
      query does not affect the triples in `engine_stores`.
    """

    default: AbstractSet[Triple]
    named: Mapping[str, AbstractSet[Triple]]
    engine_stores: Mapping[str, "Static"] = field(default_factory=dict)


def graph_rows(graphs: Sequence[tuple[str, Sequence[AbstractSet[Triple]]]]) -> Collection[Arguments]:
    """Return the triples of graphs, each with the name of its graph, in ascending order for each graph.

    Each graph is a union of sets of triples. Triples that were read from one file stay in columns.
    """
    every = [part for _, parts in graphs for part in parts]
    coded = [part for part in every if isinstance(part, CodedRows)]
    if not coded or len(coded) < len(every) or any(part.texts is not coded[0].texts for part in coded):
        return [(*triple, name) for name, parts in graphs for triple in sorted(set().union(*parts))]
    texts, whole = [*coded[0].texts], [np.empty((0, 4), np.int64)]
    # A graph's name may be a term of the triples too.
    names = {name for name, _ in graphs}
    known = {text: place for place, text in enumerate(texts) if text in names}
    own = iter(coded)
    for name, parts in graphs:
        rows = distinct_rows([next(own).codes for _ in parts])
        number = known.setdefault(name, len(texts))
        texts += [name] * (number == len(texts))
        whole.append(np.column_stack((rows, np.full(len(rows), number, np.int64))))
    return CodedRows(texts, np.concatenate(whole))


def distinct_rows(parts: Sequence[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    """Return the distinct rows of several arrays in ascending order; each row has three numbers."""
    rows = np.concatenate([np.empty((0, 3), np.int64), *parts])
    rows = rows[np.lexsort(rows.T[::-1])]
    fresh = np.ones(len(rows), np.bool_)
    fresh[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return rows[fresh]
