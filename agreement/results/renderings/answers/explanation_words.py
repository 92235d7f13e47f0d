"""The words of an explanation: atoms, rules, windows and evidence as a reader sees them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, assert_never

from agreement.answering.explain.explaining import Sought
from agreement.documents.dates import Dates
from agreement.documents.outputs import counted, short, some
from lars import explain
from lars.language.formulas import BodyLiteral
from lars.language.program import Rule, write_literal
from lars.language.stream import Moment
from lars.language.terms import Atom, Signature, signature, write_name
from lars.language.windows import Interval, TupleWindow
from solver.facts import STREAM_PREDICATE

_TERM: Final = re.compile(r'"(?:[^"\\]|\\.)*"(?:\^\^<[^<>]*>|@[\w-]+)?|<[^<>"{}|^`\s]+>')


_DEEPEST: Final = 20
"""So many proofs stand inside each other; deeper ones follow behind as proofs of their own."""


class ToldOnce:
    """What is told already: each derived atom has its proof in one place, later mentions point to it."""

    def __init__(self, world: explain.IndexedPoint) -> None:
        self.prover = explain.Prover(world)
        self.told: set[Moment | explain.Goal] = set()
        self.later: list[Moment] = []

    def derived(self, moment: Moment) -> bool:
        """Whether a rule derives the atom, so that it has a proof to tell."""
        return isinstance(self.prover.support(moment), explain.RuleInstance)

    def elsewhere(self, moment: Moment, depth: int) -> bool:
        """Whether a proof stands in another place: it was told, or is so deep that it is told later."""
        known = moment in self.told
        if not known and depth > _DEEPEST:
            self.later.append(moment)
        self.told.add(moment)
        return known or depth > _DEEPEST

    def left(self) -> Iterator[Moment]:
        """Yield the atoms whose proofs were too deep to be told in their place."""
        while self.later:
            yield self.later.pop(0)


def shorten(text: str) -> str:
    """Return a text of the logic with each IRI and literal as tables show it.

    >>> shorten('p(<http://e/b>, "25"^^<http://www.w3.org/2001/XMLSchema#integer>)')
    'p(b, 25)'
    """
    return _TERM.sub(lambda found: short(found.group()), text)


def short_text(part: Atom | BodyLiteral | Rule) -> str:
    """Return an atom, literal or rule in short."""
    return shorten(str(part) if isinstance(part, Rule) else write_literal(part))


def _places(by: tuple[int, ...]) -> str:
    return f"argument {', '.join(map(str, by))}" if by else "predicate"


def _source(window: TupleWindow) -> str:
    return "" if window.source is None else f" of {shorten(str(window.source))}"


_MOST_BEHIND: Final = 5


def why_in_words(proof: explain.Proof | None, lines: Sequence[str], dates: Dates) -> str:
    """Return a sentence of why an atom holds: the input that it rests on; or of what it lacks."""
    if proof is None:
        failed = next((line.partition("✗ ")[2] for line in lines if "✗ " in line), "")
        return f"It lacks {failed}." if failed else ""
    behind = {
        (t, " ".join(short(str(term)) for term in triple))
        for (t, atom), support in proof.steps.items()
        if isinstance(support, explain.Input) and signature(atom) == (STREAM_PREDICATE, 4)
        for *triple, _ in (atom.arguments,)
    }
    if not behind:
        return "It needs no input."
    listed = [f"{dates.text(t)}: {triple}" for t, triple in sorted(behind)]
    return f"It rests on {counted(len(listed), 'triple')}: {some(listed, _MOST_BEHIND, ' · ')}."


def bound(values: explain.Values) -> str:
    """Return what the variables of a rule stand for."""
    return ", ".join(f"{name} = {shorten(str(term))}" for name, term in values)


def signature_text(name: Signature) -> str:
    """Return a predicate with its arity."""
    return f"{write_name(name[0])}/{name[1]}"


@dataclass(frozen=True, slots=True)
class Words:
    """Where and when something is, in words, its times as they are called."""

    dates: Dates

    def at(self, interval: Interval) -> str:
        """Return an interval that may be empty."""
        return self.dates.interval(interval) if interval else "nothing"

    def when(self, interval: Interval) -> str:
        """Return when something is: at a time or in an interval."""
        return (
            f"at {self.dates.text(interval.first)}"
            if interval.first == interval.last
            else f"in {self.at(interval)}"
        )

    def place_of(self, evidence: explain.Evidence, *, nested: bool = False) -> str:
        """Return where the evidence lies: the time points, and what the windows show."""
        match evidence:
            case explain.PresentAtom(t, _):
                return f"at {self.dates.text(t)}"
            case explain.AbsentAtom(_, within) if within.first == within.last:
                return f"not at {self.dates.text(within.first)}"
            case explain.AbsentAtom(_, within):
                return f"nowhere in {self.at(within)}" if within else "nothing is in sight"
            case explain.Trivial():
                return "✓"
            case explain.OutsideTimeline(t, shown):
                return f"{self.dates.text(t)} lies outside {self.at(shown)}"
            case explain.WindowContent(window, interval, inner):
                which = window if nested else "the window"
                return f"{self.place_of(inner, nested=True)}, {which} shows {self.at(interval)}"
            case explain.Points(shown, _, True):
                return f"at every time of {self.at(shown)}" if shown else "at every time, as there is none"
            case explain.Points(_, ((t, inner), *_), _):
                return (
                    f"at {self.dates.text(t)}"
                    if isinstance(inner, explain.PresentAtom | explain.Trivial)
                    else f"at {self.dates.text(t)}: {self.place_of(inner, nested=True)}"
                )
            case explain.Points():
                return ""
            case explain.Instances(_, count, _):
                return counted(count, "instance")
            case _:
                assert_never(evidence)

    def unseen(self, sight: explain.Sight) -> str:
        """Return where an atom was looked for in vain, and what lies nearest."""
        windows = ", ".join(f"{window} shows {self.at(shown)}" for window, shown in sight.windows[:-1])
        place = f"{windows}; {self._missed(sight)}" if windows else self._missed(sight)
        return "; ".join((place, *self._nearest(sight)))

    def _missed(self, sight: explain.Sight) -> str:
        if sight.empty is not None:
            come = f"no input atom{_source(sight.empty)} has come"
            return f"the window is empty: {come if sight.empty.size else 'it keeps 0 input atoms'}"
        if sight.gaps is not None:
            times = ", ".join(map(self.dates.text, sight.gaps.first))
            more = f", … ({sight.gaps.count} times)" if sight.gaps.count > len(sight.gaps.first) else ""
            missing = f"{short_text(sight.gaps.atom)} is not at {times}{more}"
            return f"not at every time of {self.at(sight.within)}: {missing}"
        if sight.dropped is not None and sight.before is not None:
            return self._displaced(sight.dropped, sight.before)
        return f"nothing like it in {self.at(sight.within)}"

    def _displaced(self, found: explain.WindowMiss, moment: Moment) -> str:
        window, kept = found.window, found.kept_interval
        atom = f"{short_text(moment[1])} at {self.dates.text(moment[0])}"
        if not found.is_counted:
            return f"the window counts the input atoms{_source(window)} alone, and not {atom}"
        if kept is None:
            return f"the window keeps {window.size} input atoms, and not {atom}"
        if found.is_chosen:
            chosen = f"those chosen of the input atoms at {self.dates.text(moment[0])}"
            return f"not among {chosen}: {atom} is left out"
        part = "" if window.by is None else f" of its partition (by {_places(window.by)})"
        if window.size == 1:
            newest = f"the newest input atom{_source(window)}{part}"
            return f"not {newest}, which is at {self.dates.text(kept.last)}; {atom} came before it"
        newest = f"the newest {window.size} input atoms{_source(window)}{part}"
        reach = f"which reach from {self.dates.text(kept.first)} to {self.dates.text(kept.last)}"
        return f"not among {newest}, {reach}; {atom} came before them"

    def underived(self, sought: Sought | None, t: int) -> str:
        """Return what is missing of an atom that no rule derives."""
        if sought is None:
            return "no rule derives it"
        if sought.input is None:
            return "neither facts nor static data hold it"
        nearest = self._nearest(sought.input)
        return (
            "; ".join((f"it is input, and did not come at {self.dates.text(t)}", *nearest))
            if nearest
            else ("it is input, and never came")
        )

    def violated(self, found: explain.Violation, timeline: Interval) -> str:
        """Return why no stream can satisfy a rule instance whose body holds."""
        values = f" with {bound(found.binding)}" if found.binding else ""
        if found.head is None:
            return f"its body holds{values}, and it is a constraint"
        time, atom = found.head
        outside = f"lies outside the timeline {self.at(timeline)}"
        return f"its body holds{values}: the head @_{time} {short_text(atom)} {outside}"

    def _nearest(self, sight: explain.Sight) -> list[str]:
        """Return what lies nearest, unless it is told already."""
        found = []
        told_already = sight.dropped is not None and sight.empty is None and sight.gaps is None
        if sight.before is not None and not told_already:
            t, atom = sight.before
            left = "" if sight.left is None else f", left the window at {self.dates.text(sight.left)}"
            found.append(f"nearest before: {short_text(atom)} at {self.dates.text(t)}{left}")
            if sight.dropped is not None and (sight.gaps or not sight.dropped.is_counted):
                found.append(self._displaced(sight.dropped, sight.before))
        if sight.after is not None:
            t, atom = sight.after
            found.append(f"nearest after: {short_text(atom)} at {self.dates.text(t)}")
        return found
