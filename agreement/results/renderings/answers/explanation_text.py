"""An explanation as an indented tree for people."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from agreement.answering.explain.explaining import AtomExplanation, NoAnswerStream
from agreement.documents.dates import NO_DATES, Dates
from agreement.results.renderings.answers.explanation_words import (
    ToldOnce,
    Words,
    bound,
    short_text,
    signature_text,
)
from lars import explain
from lars.explain import MOST, present
from lars.language.formulas import Truth
from lars.language.program import is_fact
from lars.language.stream import Moment
from lars.language.terms import Atom

_RELAXED: Final = "the rules without constraints and heads outside the timeline"


@dataclass(frozen=True, slots=True)
class Branch:
    """A line, what belongs to it directly below, and the nodes under it."""

    line: str
    notes: tuple[str, ...] = ()
    below: tuple["Branch", ...] = ()


def lines(node: Branch, first: str = "", rest: str = "") -> Iterator[str]:
    """Yield a tree's lines."""
    yield first + node.line
    for note in node.notes:
        yield f"{rest}{'│' if node.below else ' '} {note}"
    for number, child in enumerate(node.below, 1):
        last = number == len(node.below)
        yield from lines(child, rest + ("└─ " if last else "├─ "), rest + ("   " if last else "│  "))


def text_lines(found: AtomExplanation | NoAnswerStream, given: Dates = NO_DATES) -> Iterator[str]:
    """Yield the explanation for a reader."""
    dates = given if found.world is None else given.within(found.world.view.timeline)
    if dates.caption:
        yield f"times{dates.caption}"
    if isinstance(found, NoAnswerStream):
        yield from _unanswered(found, dates)
        return
    if found.count > 1:
        yield f"in answer stream {found.number} of {'more than ' * found.more}{found.count}"
    if found.silent is not None:
        yield found.silent
    teller = _TreeTeller(found.world, dates)
    if found.proof is not None:
        yield from teller.proof(found.proof)
    else:
        yield from lines(teller.shortfall(next(iter(found.shortfalls)), found))
    yield from teller.rest()


def _unanswered(found: NoAnswerStream, dates: Dates) -> Iterator[str]:
    yield f"there is no answer stream at {dates.text(found.t)}"
    if found.world is None:
        yield f"{_RELAXED} have none either; what hangs on its own absence:"
        for name, numbers in found.circular.items():
            rules = (f"rule {number}: {short_text(found.program.rules[number - 1])}" for number in numbers)
            yield from lines(Branch(signature_text(name), (), tuple(map(Branch, rules))))
        return
    count = len(found.relaxed.streams)
    many = f"{'more than ' * found.relaxed.more}{count}"
    yield f"{_RELAXED} have {many}; the first violates:"
    teller = _TreeTeller(found.world, dates)
    for violation in found.violations:
        yield from lines(teller.violation(violation))
    yield from teller.rest()


class _TreeTeller:
    """Tells each proof, rule and shortfall once; later mentions point to it."""

    def __init__(self, world: explain.IndexedPoint, dates: Dates) -> None:
        self._world = world
        self._dates, self._words = dates, Words(dates)
        self._once = ToldOnce(world)
        self._facts = {rule.head for rule in world.program.rules if is_fact(rule)}
        self._rules: set[int] = set()

    def proof(self, proof: explain.Proof) -> Iterator[str]:
        self._once.told.add(proof.goal)
        yield from lines(self._moment(proof.goal, 0))

    def rest(self) -> Iterator[str]:
        """Yield the proofs that were too deep to be told in their place."""
        for moment in self._once.left():
            yield ""
            yield from lines(self._moment(moment, 0))

    def _moment(self, moment: Moment, depth: int) -> Branch:
        t, atom = moment
        # Each atom of the answer stream has one proof, which the prover remembers.
        match self._once.prover.support(moment):
            case explain.InBackground():
                return Branch(f"{short_text(atom)}: {'a fact' if atom in self._facts else 'static data'}")
            case explain.Input():
                return Branch(f"{short_text(atom)} at {self._dates.text(t)}: input")
            case explain.RuleInstance(number=number, premises=premises):
                rule = self._rule(number, "by")
                below = tuple(self._premise(premise, depth + 1) for premise in premises)
                return Branch(f"{short_text(atom)} at {self._dates.text(t)}", (rule,), below)
            case _:
                return Branch(f"{short_text(atom)} at {self._dates.text(t)}")

    def _rule(self, number: int, word: str) -> str:
        if number in self._rules:
            return f"{word} rule {number}"
        self._rules.add(number)
        return f"{word} rule {number}: {short_text(self._world.program.rules[number - 1])}"

    def _premise(self, premise: explain.Premise, depth: int) -> Branch:
        if premise.evidence is None:
            return Branch(f"{short_text(premise.literal)} ✓")
        rests = tuple(present(premise.evidence))
        if isinstance(premise.literal, Atom):
            return self._mention(rests[0], depth)
        if isinstance(premise.literal, Truth):
            return Branch("true ✓")
        below = tuple(self._mention(moment, depth) for moment in rests if self._once.derived(moment))
        return Branch(f"{short_text(premise.literal)}: {self._words.place_of(premise.evidence)}", (), below)

    def _mention(self, moment: Moment, depth: int) -> Branch:
        if not self._once.derived(moment) or not self._once.elsewhere(moment, depth):
            return self._moment(moment, depth)
        where = "below" if moment in self._once.later else "above"
        return Branch(f"{short_text(moment[1])} at {self._dates.text(moment[0])}: see {where}")

    def shortfall(self, goal: explain.Goal, found: AtomExplanation) -> Branch:
        """Return why a goal does not hold; what it misses in turn stands under it."""
        return Branch(
            f"{short_text(goal.atom)} does not hold {self._words.when(goal.within)}",
            (),
            self._tries(goal, found),
        )

    def _tries(self, goal: explain.Goal, found: AtomExplanation) -> tuple[Branch, ...]:
        self._once.told.add(goal)
        here = found.shortfalls.get(goal)
        if here is None:
            return (Branch("too deep to be told here: explain it by itself"),)
        if not here.derivable:
            return (Branch(self._words.underived(found.sought, goal.within.first)),)
        tries = [self._attempt(attempt, found) for attempt in here.attempts]
        return (*tries, *(self._mismatch(other, goal) for other in here.mismatches))

    def _mismatch(self, other: explain.Mismatch, goal: explain.Goal) -> Branch:
        notes: tuple[str, ...] = ()
        if other.head_at is not None:
            when = self._words.when(goal.within)
            notes = (f"its head is at {self._dates.text(other.head_at)}, not {when}",)
        return Branch(self._rule(other.number, "cannot be derived by"), notes)

    def violation(self, found: explain.Violation) -> Branch:
        """Return the rule instance whose body holds, and why it does."""
        notes = [self._words.violated(found, self._world.view.timeline)]
        if found.other_count:
            notes.append(f"other instances: {found.other_count}{' or more' * (found.other_count >= MOST)}")
        below = tuple(self._premise(premise, 1) for premise in found.premises)
        return Branch(self._rule(found.number, "").lstrip(), tuple(notes), below)

    def _attempt(self, attempt: explain.Attempt, found: AtomExplanation) -> Branch:
        rule = self._rule(attempt.number, "by")
        notes = [f"closest with {bound(attempt.binding)}"] if attempt.binding else []
        below = [Branch(f"✓ {self._kept(premise)}") for premise in attempt.premises]
        if attempt.failure is None:
            notes.append("its body holds, but its head is at another time or has other terms")
        else:
            below.append(self._failure(attempt.failure, found))
        below += [Branch(f"✗ {short_text(literal)}: fails too") for literal in attempt.failed_too]
        below += [Branch(f"· {short_text(literal)}: undecided") for literal in attempt.left]
        if attempt.other_count:
            many = f"{attempt.other_count} or more" if attempt.more else f"{attempt.other_count}"
            notes.append(f"other instances that come as close: {many}")
        return Branch(rule, tuple(notes), tuple(below))

    def _kept(self, premise: explain.Premise) -> str:
        if premise.evidence is None or isinstance(premise.literal, Truth):
            return short_text(premise.literal)
        return f"{short_text(premise.literal)}: {self._words.place_of(premise.evidence)}"

    def _failure(self, failure: explain.Failure, found: AtomExplanation) -> Branch:
        text, missing = f"✗ {short_text(failure.literal)}", failure.missing
        if failure.sight is not None:
            above = missing is not None and missing in self._once.told
            below = () if missing is None or above else self._tries(missing, found)
            return Branch(f"{text}: {self._words.unseen(failure.sight)}{'; see above' * above}", (), below)
        if failure.despite is None:
            return Branch(f"{text}: fails")
        mentioned = tuple(self._mention(moment, 1) for moment in present(failure.despite))
        return Branch(f"{text}: {self._words.place_of(failure.despite)}", (), mentioned)
