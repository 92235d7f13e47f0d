"""The words of an explanation: atoms, rules, windows and evidence as a reader sees them."""

import re
from typing import Final, assert_never

from agreement.outputs import short
from lars.evidence import Absent, Evidence, Outside, Points, Present, Shown, Trivial
from lars.formulas import BodyLiteral
from lars.program import Rule, write_literal
from lars.sight import Sight
from lars.terms import Atom
from lars.windows import Interval

_TERM: Final = re.compile(r'"(?:[^"\\]|\\.)*"(?:\^\^<[^<>]*>|@[\w-]+)?|<[^<>"{}|^`\s]+>')


def shortened(text: str) -> str:
    """Return a text of the logic with each IRI and literal as tables show it.

    >>> shortened('p(<http://e/b>, "25"^^<http://www.w3.org/2001/XMLSchema#integer>)')
    'p(b, 25)'
    """
    return _TERM.sub(lambda found: short(found.group()), text)


def said(part: Atom | BodyLiteral | Rule) -> str:
    """Return an atom, literal or rule in short."""
    return shortened(str(part) if isinstance(part, Rule) else write_literal(part))


def at(interval: Interval) -> str:
    """Return an interval that may be empty."""
    return str(interval) if interval else "nothing"


def told(evidence: Evidence, *, nested: bool = False) -> str:
    """Return where the evidence lies: the time points, and what the windows show."""
    match evidence:
        case Present(t, _):
            return f"at {t}"
        case Absent(_, within) if within.first == within.last:
            return f"not at {within.first}"
        case Absent(_, within):
            return f"nowhere in {within}" if within else "nothing is in sight"
        case Trivial():
            return "✓"
        case Outside(t, shown):
            return f"{t} lies outside {at(shown)}"
        case Shown(window, interval, inner):
            which = window if nested else "the window"
            return f"{told(inner, nested=True)}, {which} shows {at(interval)}"
        case Points(shown, _, True):
            return f"at every time of {shown}" if shown else "at every time, as there is none"
        case Points(_, ((t, inner), *_), _):
            return (
                f"at {t}" if isinstance(inner, Present | Trivial) else f"at {t}: {told(inner, nested=True)}"
            )
        case Points():
            return ""
        case _:
            assert_never(evidence)


def unseen(sight: Sight) -> str:
    """Return where an atom was looked for in vain, and what lies nearest."""
    every = "not at every time of" if sight.every else "nothing like it in"
    windows = ", ".join(f"{window} shows {at(shown)}" for window, shown in sight.windows[:-1])
    place = f"{windows}; {every}" if windows else every
    return "; ".join((f"{place} {at(sight.within)}", *_nearest(sight)))


def _nearest(sight: Sight) -> list[str]:
    found = []
    if sight.before is not None:
        t, atom = sight.before
        left = "" if sight.left is None else f", left the window at {sight.left}"
        found.append(f"nearest before: {said(atom)} at {t}{left}")
    if sight.after is not None:
        t, atom = sight.after
        found.append(f"nearest after: {said(atom)} at {t}")
    return found
