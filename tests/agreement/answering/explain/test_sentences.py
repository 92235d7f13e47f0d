"""The sentences of explanations about windows and nearest atoms, checked against the definitions of LARS."""

import re

from hypothesis import event, given

from agreement.answering.explaining import AtomExplanation
from agreement.results.renderings.explanation_report import short_text, text_lines
from lars.explain import provers
from lars.explain.shortfalls import Searcher
from lars.language.formulas import At, Box, Diamond, In, Not
from lars.language.program import head_atom, is_fact, variables
from lars.language.stream import cut, moments
from lars.language.terms import Atom, Number, substitute, unify
from lars.semantics import all_background
from lars.semantics.definitions import answer_streams
from tests.lars.strategies import A, B, X, Y, cases

ATOM = r"(\w+(?:\([^()]*\))?) at (\d+)"
WINDOW = re.compile(r"the window (?:is )?(empty|\[\d+, \d+\])")
SEARCHED = re.compile(r"(?:no match|nowhere) in (\[\d+, \d+\])")
OUTSIDE = re.compile(r"^(\d+) is outside")
SIDES = "nearest earlier match|nearest later match|match outside the window"
NEAR = re.compile(rf"({SIDES}): {ATOM}(?:, which left the window at (\d+))?")


class Sentences:
    """The checks of one line of an explanation: a literal, and what the line says about it."""

    def __init__(self, case, stream, literal):
        formula, self.window, self.stream, self.t = literal, None, stream, case.t
        while isinstance(formula, Not):
            formula = formula.inner
        self.shown = stream
        if isinstance(formula, In):
            self.window, formula = formula.window, formula.inner
            self.shown = cut(stream, self.window, case.t)
        self.time = case.t if isinstance(formula, Atom) else None
        if isinstance(formula, At) and isinstance(formula.time, Number):
            self.time = formula.time.value
        self.variable = formula.time if isinstance(formula, At) and self.time is None else None
        self.atom = formula.inner if isinstance(formula, Diamond | Box | At) else formula

    @property
    def is_simple(self):
        return isinstance(self.atom, Atom)

    def instances(self, stream):
        if not self.is_simple:
            return set()
        every = moments(stream) | {(u, atom) for u, atoms in stream.input.items() for atom in atoms}
        return {(u, a) for u, a in every
                if u in stream.timeline and unify(self.atom, a, {}) is not None}  # fmt: skip

    def fits(self, t, atom):
        """Whether an atom at a time of the search is an instance, also of the time variable of @."""
        timed = {} if self.variable is None else {self.variable: Number(t)}
        return t in self.searched and unify(self.atom, atom, timed) is not None

    def check(self, why):
        count = 0
        for said in WINDOW.findall(why) if self.window is not None else ():
            assert said == interval(self.shown.timeline)
            count += 1
        for said in SEARCHED.findall(why) if self.is_simple else ():
            assert said == interval(self.searched)
            assert not any(self.fits(u, a) for u, a in self.instances(self.shown))
            count += 1
        for said in OUTSIDE.findall(why) if self.is_simple else ():
            assert int(said) == self.time
            assert self.time not in self.shown.timeline
            count += 1
        for side, atom, at, left in NEAR.findall(why) if self.is_simple else ():
            self.near(side, atom, int(at))
            assert not left or self.left(int(at), int(left))
            count += 1
        return count

    @property
    def searched(self):
        times = self.shown.timeline
        return times if self.time is None else [u for u in times if u == self.time]

    def near(self, side, atom, at):
        all_times = {u for u, _ in self.instances(self.stream)}
        assert (at, atom) in {(u, str(a)) for u, a in self.instances(self.stream)}
        assert at not in self.searched or (at, atom) not in {
            (u, str(a)) for u, a in self.instances(self.shown)
        }
        times = list(self.searched) or [self.t if self.time is None or not self.shown.timeline else self.time]
        if side == "nearest earlier match":
            assert at < times[0]
            assert not any(at < u < times[0] for u in all_times)
        elif side == "nearest later match":
            assert at > times[-1]
            assert not any(times[-1] < u < at for u in all_times)
        else:
            assert not list(self.searched)
            assert at == times[0]

    def left(self, at, left):
        def shows(t):
            return at in self.window.bounds(t, self.stream.timeline)

        return shows(left - 1) and not any(map(shows, range(left, self.t + 1)))


def interval(times):
    times = list(times)
    return f"[{times[0]}, {times[-1]}]" if times else "empty"


def questions(case, answer):
    """Yield ground heads of the rules at several times."""
    heads = {head_atom(rule) for rule in case.program.rules if rule.head is not None and not is_fact(rule)}
    ground = {substitute(atom, {X: term, Y: term}) for atom in heads for term in (A, B)}
    for atom in sorted(ground - all_background(case.program, case.background), key=str):
        times = {case.t, case.stream.timeline.first, case.stream.timeline.last}
        yield from ((t, atom) for t in times if not variables(atom))


def explained(case):
    """Yield the answer stream, the literals and the lines of explanations of one case."""
    for answer in answer_streams(case.program, case.stream, case.t, case.background):
        prover = next(iter(provers(case.program, case.stream, moments(answer), case.t, case.background)))
        world = prover.world
        for moment in questions(case, answer):
            proof = prover.proof(moment)
            found = {} if proof else Searcher(world).shortfalls(moment)
            explanation = AtomExplanation(world, moment, 1, 1, False, proof, found, None, None)
            yield world.stream, literals(proof, found), list(text_lines(explanation))


def literals(proof, found):
    supports = [support for support in (proof or {}).values() if hasattr(support, "premises")]
    attempts = [attempt for shortfall in found.values() for attempt in shortfall.attempts]
    every = [premise.literal for part in (*supports, *attempts) for premise in part.premises]
    every += [attempt.failure.literal for attempt in attempts if attempt.failure]
    formulas = In | At | Diamond | Box | Atom | Not
    return {short_text(literal): literal for literal in every if isinstance(literal, formulas)}


@given(cases())
def test_what_an_explanation_says_about_windows_and_nearest_atoms_is_so(case):
    count = 0
    for stream, known, lines in explained(case):
        for line in lines:
            text = line.lstrip("│├└─ ").removeprefix("✗ ").removeprefix("✓ ")
            literal, _, why = text.partition(": ")
            if literal in known and literal.count("⊞") < 2:
                count += Sentences(case, stream, known[literal]).check(why)
    event(f"sentences: {min(count, 5)}")
