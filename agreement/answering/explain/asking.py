"""The atom that a user asks about: in full, or by the short names that tables show."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import Final

from agreement.documents.outputs import short
from agreement.documents.values import cut
from lars.errors import LarsError
from lars.language.program import Program, atoms, head_atom
from lars.language.terms import (
    NULL,
    Atom,
    Constant,
    Iri,
    Literal,
    Number,
    Signature,
    Term,
    Variable,
    signature,
    write_name,
)
from lars.text import VARIABLE, Scanner
from translate.sparql import number

_EXAMPLES: Final = "an atom, as 'ans(25,rayban,b)', 'near(<http://e/b>)' or '@_15 trigger'"
_TIMED: Final = re.compile(r"\s*@_([0-9]{1,19})\s+(.*)", re.DOTALL)
_SHAPE: Final = re.compile(r"\s*([^\s(),'\"<>]+|'(?:[^'\\]|\\.)*')\s*(?:\((.*)\))?\s*", re.DOTALL)
_ARGUMENT: Final = re.compile(
    r"""\s*((?:"(?:[^"\\]|\\.)*"(?:\^\^<[^<>]*>|@[\w-]+)?|'(?:[^'\\]|\\.)*'|<[^<>]*>|[^,"'<])+?)\s*(,|$)"""
)
_LISTED: Final = 8
_NUMBER: Final = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?")


@dataclass(frozen=True, slots=True)
class AskedAtom:
    """A text that names an atom: its time if @ gives one, its predicate, its arguments as written."""

    text: str
    t: int | None
    name: str
    arguments: tuple[str, ...]


def read_question(text: str) -> AskedAtom:
    """Return the parts of an atom's text, or raise LarsError that shows what is accepted."""
    timed = _TIMED.fullmatch(text)
    found = _SHAPE.fullmatch(timed.group(2) if timed else text)
    if not found:
        raise _malformed(text)
    inside = found.group(2)
    return AskedAtom(
        text.strip(),
        int(timed.group(1)) if timed else None,
        _name(found.group(1)),
        () if inside is None else _split(inside, text),
    )


def _malformed(text: str) -> LarsError:
    return LarsError(f"{cut(text)!r} is no atom; accepted: {_EXAMPLES}")


def _name(text: str) -> str:
    return Scanner(text, "atom").name() or text if text[:1] == "'" else text


def _split(inside: str, text: str) -> tuple[str, ...]:
    found, end = [], 0
    while True:
        part = _ARGUMENT.match(inside, end)
        if part is None or not part.group(1).strip():
            raise _malformed(text)
        found.append(part.group(1).strip())
        if not part.group(2):
            return tuple(found)
        end = part.end()


class ShortNames:
    """What the atoms that can be asked about are made of: a program, its input and its background.

    `columns` is how many a query's rows have, None for a program.
    """

    def __init__(self, program: Program, given: Iterable[Atom], columns: int | None) -> None:
        self._query = columns is not None
        self._columns = columns
        written = [atom for rule in program.rules for part in rule.body for atom, _, _ in atoms(part)]
        heads = [atom for rule in program.rules if (atom := head_atom(rule)) is not None]
        self._atoms = (*heads, *written, *given)

    @cached_property
    def _signatures(self) -> frozenset[Signature]:
        return frozenset(map(signature, self._atoms))

    @cached_property
    def _terms(self) -> dict[str, list[Constant]]:
        """Return the terms that each text can mean."""
        terms = dict.fromkeys(term for atom in self._atoms for term in atom.arguments)
        found: dict[str, list[Constant]] = {"null": []}
        for term in terms:
            if not isinstance(term, Variable):
                for text in dict.fromkeys((str(term), short(str(term)))):
                    found.setdefault(text, []).append(term)
        return found

    def resolve(self, asked: AskedAtom, held: Iterable[Atom]) -> Atom:
        """Return the atom that is meant: one of those that hold, else one of the terms that occur."""
        name = self._predicate(asked)
        same = (atom for atom in dict.fromkeys(held) if signature(atom) == name)
        likely = [atom for atom in same if all(map(_means, asked.arguments, atom.arguments))]
        exact = [atom for atom in likely if tuple(map(_parsed, asked.arguments)) == atom.arguments]
        likely = exact or likely
        unnamed = name[1] - len(asked.arguments)
        if len(likely) > 1 and not unnamed:
            shown = _listed(sorted(map(str, likely)))
            raise LarsError(f"{asked.text} is ambiguous; candidates: {shown}")
        if likely:
            return likely[0]
        if unnamed:
            raise LarsError(
                f"{asked.text}: no such row; accepted for one that is not there: {name[0]} with "
                f"{name[1]} arguments, the last of which tell equal rows of a multiset apart"
            )
        return Atom(name[0], tuple(self._term(text, asked) for text in asked.arguments))

    def _predicate(self, asked: AskedAtom) -> Signature:
        short_for = {"ans": "ans1"} if self._query else {}
        found = (short_for.get(asked.name, asked.name), len(asked.arguments))
        if found not in self._signatures:
            # In a multiset an answer has more arguments than a row: what tells equal rows apart.
            kept = [one for one in self._signatures if one[0] == found[0] == "ans1" and one[1] > found[1]]
            if found[1] == self._columns and kept:
                return kept[0]
            known = sorted(f"{write_name(name)}/{arity}" for name, arity in self._signatures)
            wanted = f"{write_name(found[0])}/{found[1]}"
            raise LarsError(
                f"{asked.text}: no predicate {wanted} in program, trace or static data; "
                f"known: {_listed(known)}"
            )
        return found

    def _term(self, text: str, asked: AskedAtom) -> Constant:
        parsed = _parsed(text)
        if parsed == NULL:
            # What ends in /null has a longer name, what is unbound has none.
            return NULL
        found = self._terms.get(str(parsed), []) if isinstance(parsed, Iri | Literal) else []
        found = found or self._terms.get(text, [])
        if not found and self._query:
            # What an aggregate could have been is in no trace; - stands for unbound in the tables.
            found = [number(text)] if _NUMBER.fullmatch(text) else [NULL] if text == "-" else []
        if len(found) > 1:
            raise LarsError(f"{asked.text}: {text} is ambiguous; candidates: {_listed(map(str, found))}")
        if found:
            return found[0]
        if parsed is not None and self._needs_no_trace(parsed):
            return parsed
        raise self._unknown(text, asked)

    def _needs_no_trace(self, term: Constant) -> bool:
        return (
            isinstance(term, Iri | Literal) or term == NULL or (isinstance(term, Number) and not self._query)
        )

    def _unknown(self, text: str, asked: AskedAtom) -> LarsError:
        if VARIABLE.fullmatch(text):
            return LarsError(
                f"{asked.text}: found the variable {cut(text)}; accepted: an atom without variables"
            )
        names = sorted(name for name in self._terms if name[:1] not in '<"')
        close = get_close_matches(text, names, _LISTED) or names
        return LarsError(
            f"{asked.text}: {cut(text)} names no term of program, trace or static data; "
            f"candidates: {_listed(close)}"
        )


def _means(text: str, term: Term) -> bool:
    return text in (str(term), short(str(term))) or _parsed(text) == term


def _parsed(text: str) -> Constant | None:
    scanner = Scanner(text, "atom")
    try:
        term = scanner.constant()
    except LarsError:
        return None
    return term if scanner.skip() == len(text) else None


def _listed(texts: Iterable[str]) -> str:
    every: Sequence[str] = tuple(texts)
    more = f", … ({len(every)} in all)" if len(every) > _LISTED else ""
    return ", ".join(every[:_LISTED]) + more if every else "none"
