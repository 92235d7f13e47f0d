"""All instances of an atom at once, while clingo grounds: it collects them, the host answers.

`collected'3` holds the instances that literal 3 is about, and `gathered'3` its answers. gringo
instantiates a rule after those it depends on, so `finished'3`, which depends on all that is
collected, comes between the two: the host is asked when it has every instance.
"""

from collections.abc import Iterable, Iterator, Sequence

from lars.formulas import Among, Gather, Gathered
from lars.terms import Variable
from solver.collection import Symbols
from solver.hosted import call
from solver.relevance import variables_in_order


def columns(literal: Gathered) -> tuple[Variable, ...]:
    """Return the variables that the literal binds, in the order of its ASP predicate's arguments."""
    match literal:
        case Gather(variable, _, _, keys):
            return (*keys, variable)
        case Among(atom):
            return variables_in_order(atom)


def gathered_signature(literal: Gathered, number: int) -> tuple[str, int]:
    """Return name and arity of the ASP predicate that stands for the literal at one reference time."""
    return f"gathered'{number}", len(columns(literal))


def collected_signature(literal: Gathered, number: int) -> tuple[str, int]:
    """Return name and arity of the ASP predicate of the literal's number and the atom's instances."""
    return f"collected'{number}", len(variables_in_order(literal.atom)) + 1


def gathering(
    literal: Gathered, number: int, instance: str, terms: Sequence[str], span: Sequence[str] = ()
) -> Iterator[str]:
    """Yield the rules by which the host answers the literal.

    `instance` is the body that binds `terms`, the texts of the atom's variables, and `span`, the
    first and last index at which it holds, unless there is one reference time only.
    """
    collected, noted = f"collected'{number}", f"noted'{number}"
    yield f"{call(collected, [str(number), *terms, *span])} :- {instance}."
    # The number is a variable now, so that gringo can't ask before the atom is there.
    names = ["N", *(f"X{i}" for i in range(len(terms))), *(("A", "B") if span else ())]
    asked = ",".join((*names, *(() if span else ("0", "0"))))
    yield f"{call(noted, names)} :- {call(collected, names)}; @collect({asked}) = 1."
    yield f"some'{number} :- {call(noted, names)}."
    # There is something to say about no instance too.
    yield f"finished'{number}({number}) :- some'{number}."
    yield f"finished'{number}({number}) :- not some'{number}."
    names = [f"X{i}" for i in range(len(columns(literal)))]
    found = f"({','.join((*names, 'A', 'B'))}) = @gathered(N)"
    head = call(f"gathered'{number}", [*names, *(("A", "B") if span else ())])
    yield f"{head} :- finished'{number}(N); {found}."


def required(literal: Gathered, number: int, instances: Iterable[Symbols]) -> Iterator[str]:
    """Yield rules without which the atom could have other instances than these."""
    name, arity = collected_signature(literal, number)
    wanted, names = f"required'{number}", ["N", *(f"X{i}" for i in range(arity - 1))]
    for instance in instances:
        yield f"{call(wanted, [str(number), *map(str, instance)])}."
    yield f":- {call(wanted, names)}; not {call(name, names)}."
    yield f":- {call(name, names)}; not {call(wanted, names)}."
