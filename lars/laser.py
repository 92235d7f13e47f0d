"""LARS programs in the language of Laser (Bazoobandi, Beck, Urbani: Expressive Stream Reasoning, 2017).

`time_win(n, 0, 1, diamond(a))` is ⊞^n ◇ a, box and `@(T, a)` stand likewise, `tuple_win(n, ..)` is a
tuple window. Laser ignores constants and repeated variables in body atoms: comparisons say them.
"""

from collections.abc import Iterator
from typing import Final, assert_never

from lars.durations import Duration
from lars.exporting import (
    Compared,
    Computed,
    InexpressibleError,
    Look,
    Part,
    PlainRule,
    Reasoner,
    exporting,
)
from lars.exporting_rules import plain_rules
from lars.legend import Vocabulary
from lars.notation import to_ascii
from lars.program import Program
from lars.seen import Mode
from lars.terms import Atom
from lars.windows import TimeWindow, TupleWindow

LASER: Final = Reasoner("Laser", constants=False, divides=False, unstratified=False, derived=False)
_WORDS: Final = frozenset(("and", "box", "comp", "diamond", "false", "math", "not", "or", "true"))


def write_laser(program: Program, unit: Duration, background: tuple[Atom, ...] = ()) -> str:
    """Return the program for Laser, a rule a line; `background` are further facts.

    A fact is a line without `:-`: an atom to be given at every time point, which no window counts.
    Raises ExportError for what Laser cannot express.

    >>> from lars.durations import read_duration
    >>> from lars.notation import read
    >>> print(write_laser(read("up(X) ← ⊞^3 ◇ high(X, 5)."), read_duration("1s")).splitlines()[-1])
    up(X) :- time_win(3, 0, 1, diamond(high(X, V1))) and COMP(=, V1, 5)
    """
    rules = plain_rules(program, LASER, background)
    names = Vocabulary(rules, _WORDS)
    lines = [line for rule in rules for line in _rule(rule, names)]
    legend = names.legend(f"Laser; one time point is {unit}, one step of its timeline")
    return "\n".join((*(f"# {line}" for line in legend), *lines)) + "\n"


def _rule(rule: PlainRule, names: Vocabulary) -> Iterator[str]:
    yield f"# {to_ascii(str(rule.source))}"
    with exporting(LASER.name, rule.source):
        if rule.head is None:
            raise InexpressibleError("a constraint, a rule without head")
        head = names.atom(rule.head, brackets=True)
        body = [_part(part, names) for part in rule.body]
    if rule.time is not None:
        head = f"@({names.term(rule.time)}, {head})"
    yield f"{head} :- {' and '.join(body)}" if body else head


def _part(part: Part, names: Vocabulary) -> str:
    match part:
        case Look():
            seen = _look(part, names)
            return seen if part.positive else f"not({seen})"
        case Computed(result, operator, left, right):
            return f"MATH({operator.value}, {', '.join(map(names.term, (result, left, right)))})"
        case Compared(left, relation, right):
            return f"COMP({relation.value}, {names.term(left)}, {names.term(right)})"
        case _:
            assert_never(part)


def _look(look: Look, names: Vocabulary) -> str:
    atom = names.atom(look.atom, brackets=True)
    if look.window is None:
        return atom
    match look.mode:
        case Mode.EVERY:
            return _window(look.window, f"box({atom})")
        case Mode.AT:
            assert look.time is not None
            return _window(look.window, f"@({names.term(look.time)}, {atom})")
        case _:
            return _window(look.window, f"diamond({atom})")


def _window(window: TimeWindow | TupleWindow, inside: str) -> str:
    if isinstance(window, TimeWindow):
        return f"time_win({window.past}, 0, 1, {inside})"
    return f"tuple_win({window.size}, {inside})"
