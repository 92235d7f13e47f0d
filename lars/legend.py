"""Names and numbers for the languages of stream reasoners, and the legend that tells what they are."""

import re
from collections.abc import Hashable, Iterator, Mapping
from typing import Final, TypeVar

from lars.exporting import FIRST_TERM, Compared, Computed, InexpressibleError, Look, PlainRule
from lars.notation import to_ascii
from lars.program import variables
from lars.terms import Atom, Constant, Number, Term, Variable, signature, write_name

_Key = TypeVar("_Key", bound=Hashable)
_OTHER: Final = re.compile(r"[^A-Za-z0-9]")


class Vocabulary:
    """What the predicates, variables and terms of some rules are called in an engine's language.

    Predicates and variables keep names of ASCII letters and digits that no other has; terms are
    numbers from FIRST_TERM up, in the order in which they are asked for.
    """

    def __init__(self, rules: tuple[PlainRule, ...], words: frozenset[str]) -> None:
        atoms = [atom for rule in rules for atom in _atoms(rule)]
        names = [name for rule in rules for name in _variables(rule)]
        self.predicates = _distinct(
            {signature(atom): (atom.predicate, _lower(atom.predicate)) for atom in atoms}, words
        )
        self.variables = _distinct({name: (name.name, _upper(name.name)) for name in names}, frozenset())
        self.hidden = [signature(rule.head) for rule in rules if rule.hidden and rule.head is not None]
        self.numbers: dict[Constant, int] = {}

    def term(self, term: Term) -> str:
        """Return a term's text. Raises InexpressibleError for a number that is taken or negative."""
        match term:
            case Variable():
                return self.variables[term]
            case Number(value):
                if not 0 <= value < FIRST_TERM:
                    raise InexpressibleError(f"the number {value}: numbers lie in 0..{FIRST_TERM - 1}")
                return str(value)
            case _:
                return str(self.numbers.setdefault(term, FIRST_TERM + len(self.numbers)))

    def atom(self, atom: Atom, *, brackets: bool = False) -> str:
        """Return an atom's text; `brackets` stand behind a predicate without arguments too."""
        name, arguments = self.predicates[signature(atom)], ", ".join(map(self.term, atom.arguments))
        return f"{name}({arguments})" if arguments or brackets else name

    def legend(self, engine: str, *own: str) -> Iterator[str]:
        """Yield what each number and each changed name stands for, between what is true of all programs.

        `engine` names the engine and its time points, `own` is what only this engine has to say.
        """
        yield f"A LARS program for {engine}."
        yield f"Below {FIRST_TERM} lie the numbers of the logic."
        yield "What arithmetic makes of them has to lie there too: nothing here watches that."
        yield from self._names()
        yield from own
        yield "Input is of predicates that nothing here derives, each atom once at a time point."

    def _names(self) -> Iterator[str]:
        for term, number in self.numbers.items():
            yield f"term {number} = {to_ascii(str(term))}"
        yield f"term {FIRST_TERM + len(self.numbers)} and above: every other term of the stream, each its own"
        for (name, arity), new in self.predicates.items():
            if new != name:
                yield f"predicate {new}/{arity} = {to_ascii(write_name(name))}"
        for predicate in self.hidden:
            yield f"auxiliary {self.predicates[predicate]}"
        for variable, new in self.variables.items():
            if new != variable.name and not variable.name.startswith("#"):
                yield f"variable {new} = {to_ascii(str(variable))}"


def _atoms(rule: PlainRule) -> Iterator[Atom]:
    if rule.head is not None:
        yield rule.head
    yield from (part.atom for part in rule.body if isinstance(part, Look))


def _variables(rule: PlainRule) -> Iterator[Variable]:
    for part in rule.body:
        match part:
            case Look(atom, _, time):
                yield from sorted(variables(atom) | variables(time))
            case Computed(result, _, left, right):
                yield from sorted({result}.union(variables(left), variables(right)))
            case Compared(left, _, right):
                yield from sorted(variables(left) | variables(right))


def _lower(name: str) -> str:
    plain = _OTHER.sub("", name.replace("'", "Prime"))
    return plain[0].lower() + plain[1:] if plain[:1].isalpha() else f"p{plain}"


def _upper(name: str) -> str:
    plain = _OTHER.sub("", name)
    return plain[0].upper() + plain[1:] if plain[:1].isalpha() else f"V{plain}"


def _distinct(wanted: Mapping[_Key, tuple[str, str]], words: frozenset[str]) -> dict[_Key, str]:
    found: dict[_Key, str] = {}
    taken = set(words)
    # Names that can stay as they are come first.
    for key, (_, name) in sorted(wanted.items(), key=lambda one: one[1][0] != one[1][1]):
        number, new = 1, name
        while new in taken:
            number += 1
            new = f"{name}v{number}"
        taken.add(new)
        found[key] = new
    return {key: found[key] for key in wanted}
