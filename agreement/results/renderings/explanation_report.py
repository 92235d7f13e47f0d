"""The output of an explanation: an indented tree for readers, and a JSON document.

    {"origin", "at", "t", "atom", "answer_stream", "of", "more", "silent", "held", "holds": true, "proof", …}
    {…, "holds": false, "derivable", "why", "nearest", "excluded", "closest": [ATTEMPT], "cannot": [RULE], …}
    {…, "answer_streams": 0, "why": {"kind": "violated", "without", "more", "violations"}}
    {…, "answer_streams": 0, "why": {"kind": "circular", "on_own_absence": [{"rules"}]}}

`origin` is the dateTime of time 0, null if times are integers. `without` is the number of answer streams of
the program without its constraints and without heads outside the timeline; in `excluded`, only those with the
atom. `violations` lists the violations of the first of these answer streams: {"rule", "text", "why",
"binding", "head", "premises", "others"}. `more` means that more answer streams exist than were inspected. For
an atom without rules, `why` describes the failure. `at` is the reference time, and `t` is the time of the
atom. A NODE is `kind` derived, with rule, text, binding and premises [{"literal", "why", "evidence":
[NODE]}], or `repeated` if its proof is at another place, such as among the lemmas, which are too deep in the
proof; or `kind` input or known (static data, facts), with {"t", "stream", "s", "p", "o"} for a stream triple
and {"t", "atom"} for others; or `kind` absent: no such atom in [from, to]. Leaves have `windows`,
outer ones first: {"window", "from", "to"}.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final, assert_never

from agreement.answering.explaining import AtomExplanation, NoAnswerStream, Sought
from agreement.documents import outputs
from agreement.documents.dates import NO_DATES, Dates
from lars import explain
from lars.dataclass import dataclass
from lars.explain import MOST, present
from lars.language.formulas import Among, BodyLiteral, Gather, Not, SetLiteral, Truth
from lars.language.program import Program, Rule, is_fact, write_literal
from lars.language.stream import Moment
from lars.language.terms import (
    Atom,
    Constant,
    Number,
    Signature,
    Symbol,
    Variable,
    signature,
    substitute,
    write_name,
)
from lars.language.windows import Interval, TupleWindow, Window
from lars.semantics import InstanceGroup
from solver.facts import STREAM_PREDICATE

_LACKS: Final = 2
"""The maximum number of rules for which an explanation shows why they do not derive a negated atom."""
_DEEPEST: Final = 20
"""The maximum depth of nested proofs; a deeper proof is printed as a separate proof."""


def full_text(part: Atom | BodyLiteral | Rule | Constant) -> str:
    """Return an atom, a body literal, a rule or a term as text."""
    return str(part) if isinstance(part, Rule | Constant) else write_literal(part)


def short_text(part: Atom | BodyLiteral | Rule | Constant) -> str:
    """Return an atom, a body literal, a rule or a term as text with shortened terms."""
    return outputs.shorten(full_text(part))


def _places(by: tuple[int, ...]) -> str:
    return f"argument {', '.join(map(str, by))}" if by else "predicate"


def _source(window: TupleWindow) -> str:
    return "" if window.source is None else f" of {outputs.shorten(str(window.source))}"


def _counted(window: TupleWindow) -> str:
    return "elements" if window.ties == "elements" else "input atoms"


_MOST_BEHIND: Final = 5


def why_in_words(proof: explain.Proof | None, lines: Sequence[str], dates: Dates) -> str:
    """Return a sentence with the reason why an atom holds or does not hold."""
    if proof is None:
        failed = next((line.partition("✗ ")[2] for line in lines if "✗ " in line), "")
        return f"It lacks {failed}." if failed else ""
    moments = [moment for moment, support in proof.items() if support == "input"]
    if not moments:
        return "No input atom takes part in its proof."
    triples = all(signature(atom) == (STREAM_PREDICATE, 4) for _, atom in moments)
    behind = {
        (
            t,
            " ".join(outputs.short(str(term)) for term in atom.arguments[:3])
            if triples
            else short_text(atom),
        )
        for t, atom in moments
    }
    texts = [f"{dates.text(t)}: {text}" for t, text in sorted(behind)]
    what = outputs.quantity(len(texts), "triple" if triples else "input atom")
    counts = [evidence.count for evidence in _all_instances(proof) if evidence.count > len(evidence.examples)]
    if counts:
        every = outputs.quantity(max(counts), "instance")
        first = f"{every} of an aggregate; the first instances follow from {what}"
        return f"It follows from {first}: {outputs.first_few(texts, _MOST_BEHIND, ' · ')}."
    return f"It follows from {what}: {outputs.first_few(texts, _MOST_BEHIND, ' · ')}."


def held_before(explanation: AtomExplanation, dates: Dates) -> str | None:
    """Return a sentence with the input that has left the windows since the last evaluation with the row.

    The result is None if no earlier evaluation has the row, or if no input has left a window since then.
    """
    if explanation.held is None:
        return None
    t, left = explanation.held
    texts = [
        f"{short_text(atom)} of time {dates.text(u)} left the window {window}"
        + ("" if gone is None else f" at {dates.text(gone)}")
        for window, (u, atom), gone in left
    ]
    since = outputs.first_few(texts, _MOST_BEHIND, "; ")
    return f"an evaluation at {dates.text(t)} would return the row; since then, {since}"


def _all_instances(proof: explain.Proof) -> Iterator[explain.Instances]:
    for support in proof.values():
        if isinstance(support, explain.RuleInstance):
            every = (premise.evidence for premise in support.premises)
            yield from (evidence for evidence in every if isinstance(evidence, explain.Instances))


def signature_text(name: Signature) -> str:
    """Return a predicate with its arity as text, such as p/2."""
    return f"{write_name(name[0])}/{name[1]}"


class _Teller:
    """The base class of the two writers of an explanation: as a text tree, and as a JSON document.

    The proof of each derived atom is written once; later mentions of the atom refer to this proof. Times are
    dateTimes if the trace has dateTimes.
    """

    def __init__(self, world: explain.IndexedPoint, dates: Dates) -> None:
        self.dates = dates
        self.world = world
        self.prover = explain.Prover(world)
        self.goals: set[Moment | explain.AbsentAtom] = set()
        self.later: list[Moment] = []

    def text(self, part: Atom | BodyLiteral | Rule | Constant) -> str:
        """Return a part of a program as text."""
        return short_text(part)

    def values(self, values: explain.Values) -> str:
        """Return a text that lists the values of a rule's variables."""
        return ", ".join(f"{name} = {self.text(term)}" for name, term in values)

    def derived(self, moment: Moment) -> bool:
        """Return whether a rule derives the atom, so that the atom has a proof."""
        return isinstance(self.prover.support(moment), explain.RuleInstance)

    def elsewhere(self, moment: Moment, depth: int) -> bool:
        """Return whether an atom's proof is in another place of the output.

        The proof was printed earlier, or is printed later because it would be too deep in the tree.
        """
        known = moment in self.goals
        if not known and depth > _DEEPEST:
            self.later.append(moment)
        self.goals.add(moment)
        return known or depth > _DEEPEST

    def left(self) -> Iterator[Moment]:
        """Yield the atoms whose proofs are printed later, because they would be too deep in the tree."""
        while self.later:
            yield self.later.pop(0)

    def at(self, interval: Interval) -> str:
        """Return the text of an interval, which may be empty."""
        return self.dates.interval(interval) if interval else "nothing"

    def when(self, interval: Interval) -> str:
        """Return the text of a time or an interval."""
        return (
            f"at {self.dates.text(interval.first)}"
            if interval.first == interval.last
            else f"in {self.at(interval)}"
        )

    def place_of(self, evidence: explain.Evidence, *, nested: bool = False) -> str:
        """Return a text with the time points and windows of the evidence that a literal holds."""
        match evidence:
            case explain.PresentAtom(t, _):
                return f"at {self.dates.text(t)}"
            case explain.AbsentAtom(atom, within):
                return self._absent(atom, within)
            case Truth():
                return "✓"
            case explain.OutsideTimeline(t, span):
                return f"{self.dates.text(t)} is outside {self.at(span)}" if span else "the interval is empty"
            case explain.WindowContent(window, interval, inner):
                which = window if nested else "the window"
                return f"{self.place_of(inner, nested=True)}, {which} is {self.at(interval)}"
            case explain.Points(span, _, True):
                return (
                    f"at every time of {self.at(span)}"
                    if span
                    else "at every time, because the interval is empty"
                )
            case explain.Points(_, ((t, inner), *_), _):
                return (
                    f"at {self.dates.text(t)}"
                    if isinstance(inner, explain.PresentAtom | Truth)
                    else f"at {self.dates.text(t)}: {self.place_of(inner, nested=True)}"
                )
            case explain.Points():
                return ""
            case explain.Instances(_, count, _):
                return outputs.quantity(count, "instance")
            case _:
                assert_never(evidence)

    def _absent(self, atom: Atom, within: Interval) -> str:
        if not within:
            return "the interval is empty"
        # Of a time of its interval, a tuple window need not keep all input.
        kept = "kept " if self._arrives(atom, within) else ""
        return f"{'not' if within.first == within.last else 'nowhere'} {kept}{self.when(within)}"

    def _arrives(self, atom: Atom, times: Iterable[int]) -> bool:
        return any(u in times for u in self.world.view.times(atom))

    def unseen(self, sight: explain.Sight) -> str:
        """Return a text with the interval in which no atom matches, and the nearest matching atoms."""
        windows = ", ".join(f"{window} is {self.at(interval)}" for window, interval in sight.windows[:-1])
        place = f"{windows}; {self._missed(sight)}" if windows else self._missed(sight)
        return "; ".join((place, *self._nearest(sight)))

    def _missed(self, sight: explain.Sight) -> str:
        if sight.empty is not None:
            come = f"no input atom{_source(sight.empty)} has arrived"
            return f"the window is empty: {come if sight.empty.size else 'it keeps 0 input atoms'}"
        if sight.gaps is not None:
            times = ", ".join(map(self.dates.text, sight.gaps.first))
            more = f", … ({sight.gaps.count} times)" if sight.gaps.count > len(sight.gaps.first) else ""
            kept = "kept " if self._arrives(sight.gaps.atom, sight.gaps.first) else ""
            missing = f"{self.text(sight.gaps.atom)} is not {kept}at {times}{more}"
            return f"not at every time of {self.at(sight.within)}: {missing}"
        if sight.dropped is not None and sight.newest is not None:
            return self._displaced(sight.dropped, sight.newest)
        if sight.outside is not None:
            return self._outside(sight, sight.outside)
        if not sight.within:
            return "the window is empty"
        return f"no match in {self.at(sight.within)}"

    def _outside(self, sight: explain.Sight, t: int) -> str:
        if not sight.windows:
            return f"{self.dates.text(t)} is outside the timeline"
        _, interval = sight.windows[-1]
        if not interval:
            return "the window is empty"
        return f"{self.dates.text(t)} is outside the window {self.at(interval)}"

    def _displaced(self, miss: explain.WindowMiss, moment: Moment) -> str:
        window, interval = miss.window, miss.kept_interval
        atom = f"{self.text(moment[1])} at {self.dates.text(moment[0])}"
        if not miss.is_counted:
            return f"the window counts only input atoms{_source(window)}, and not {atom}"
        if interval is None:
            return f"the window keeps {window.size} {_counted(window)}, but not {atom}"
        if miss.is_chosen:
            chosen = f"the choice among the input atoms at {self.dates.text(moment[0])}"
            return f"{chosen} omits {atom}"
        part = "" if window.by is None else f" of its partition (by {_places(window.by)})"
        if window.size == 1:
            newest = f"the newest {_counted(window)[:-1]}{_source(window)}{part}"
            return f"{atom} arrived before {newest}, which is at {self.dates.text(interval.last)}"
        newest = f"the newest {window.size} {_counted(window)}{_source(window)}{part}"
        reach = f"which are at {self.dates.text(interval.first)} to {self.dates.text(interval.last)}"
        return f"{atom} arrived before {newest}, {reach}"

    def underived(self, sought: Sought | None, t: int) -> str:
        """Return a text with the reason why an atom that is no head of a rule does not hold."""
        if sought is None:
            return "no rule derives it"
        if sought == "background":
            return "neither the facts nor the static data contain it"
        nearest = self._nearest(sought)
        return (
            "; ".join((f"it is an input atom, which did not arrive at {self.dates.text(t)}", *nearest))
            if nearest
            else "it is an input atom, which never arrives in the trace"
        )

    def violated(self, violation: explain.Violation, timeline: Interval) -> str:
        """Return a text with the reason why a rule instance is violated, although its body holds."""
        values = f" with {self.values(violation.binding)}" if violation.binding else ""
        if violation.head is None:
            return f"the rule is a constraint, and its body holds{values}"
        time, atom = violation.head
        outside = f"is outside the timeline {self.at(timeline)}"
        return f"its body holds{values}, but the head @_{time} {self.text(atom)} {outside}"

    def _nearest(self, sight: explain.Sight) -> list[str]:
        """Return texts with the nearest matching atoms before and after the searched interval."""
        branches: list[str] = []
        if sight.gaps is not None and sight.dropped is None:
            # An atom outside the window does not fill a gap of □ in the window.
            return branches
        dropped, newest = sight.dropped, sight.newest
        if dropped is None or newest is None:
            branches.extend(self._before(sight))
        elif sight.gaps is not None or not dropped.is_counted:
            if sight.gaps is not None or sight.empty is not None:
                branches.append(self._displaced(dropped, newest))
        elif sight.empty is not None:
            branches.extend(self._before(sight))
        if sight.after is not None:
            t, atom = sight.after
            branches.append(f"nearest later match: {self.text(atom)} at {self.dates.text(t)}")
        return branches

    def _before(self, sight: explain.Sight) -> Iterator[str]:
        if sight.hidden is not None:
            t, atom = sight.hidden
            yield f"match outside the window: {self.text(atom)} at {self.dates.text(t)}"
        if sight.before is not None:
            t, atom = sight.before
            left = "" if sight.left is None else f", which left the window at {self.dates.text(sight.left)}"
            yield f"nearest earlier match: {self.text(atom)} at {self.dates.text(t)}{left}"

    def actual(self, literal: BodyLiteral, binding: Mapping[Variable, Constant]) -> str:
        """Return the actual value of a failed aggregate, or the rank of an atom; "" for other literals."""
        match literal:
            case Gather(variable=variable):
                values = [group.binding[variable] for group in self._groups(literal, binding)]
                return f"the value is {self.text(values[0])}, of " if len(values) == 1 else ""
            case Among():
                ranked = [group.instances[0] for group in self._groups(literal, binding)]
                atom = substitute(literal.atom, binding)
                if atom not in ranked:
                    return ""
                place = ranked.index(atom)
                previous = f", after {self.text(ranked[place - 1])}" if place else ""
                return f"{self.text(atom)} is number {place + 1}{previous}, of "
            case _:
                return ""

    def _groups(self, literal: SetLiteral, binding: Mapping[Variable, Constant]) -> list[InstanceGroup]:
        """Return the groups of an aggregate with the values of its keys, or all ranked atoms of an order."""
        keys = {key: binding[key] for key in literal.keys if key in binding}
        whole = replace(literal, offset=0, limit=None) if isinstance(literal, Among) else literal
        groups = self.world.instance_groups(whole)
        return [group for group in groups if keys.items() <= group.binding.items()]


_RELAXED: Final = "without constraints, and without heads outside the timeline, the rules have"


@dataclass(frozen=True, slots=True)
class Branch:
    """A node of a text tree: a line, the notes directly below the line, and the child nodes."""

    line: str
    notes: tuple[str, ...] = ()
    below: tuple["Branch", ...] = ()


def lines(node: Branch, first: str = "", rest: str = "") -> Iterator[str]:
    """Yield the lines of a tree; `first` is the indent of its first line, `rest` that of all other lines."""
    yield first + node.line
    for note in node.notes:
        yield f"{rest}{'│' if node.below else ' '} {note}"
    for number, child in enumerate(node.below, 1):
        last = number == len(node.below)
        yield from lines(child, rest + ("└─ " if last else "├─ "), rest + ("   " if last else "│  "))


def text_lines(explanation: AtomExplanation | NoAnswerStream, all_dates: Dates = NO_DATES) -> Iterator[str]:
    """Yield the lines of an explanation."""
    dates = all_dates if explanation.world is None else all_dates.within(explanation.world.view.timeline)
    if dates.caption:
        yield f"times{dates.caption}"
    if isinstance(explanation, NoAnswerStream):
        yield from _unanswered(explanation, dates)
        return
    if explanation.excluded is not None:
        yield from _violated(explanation.excluded, f" with {short_text(explanation.moment[1])}", dates)
    if explanation.count > 1:
        yield f"in answer stream {explanation.number} of {'more than ' * explanation.more}{explanation.count}"
    if explanation.silent is not None:
        yield explanation.silent
    if (held := held_before(explanation, dates)) is not None:
        yield held
    if explanation.proof is None and (other := _alike(explanation.world, explanation.moment)) is not None:
        t, atom = explanation.moment
        same = f"the short text of both is {short_text(atom)}"
        yield f"{other} holds at {dates.text(t)}, not {atom}; {same}"
    yield from outputs.shorten_lines(list(_tree(explanation, dates)), _names(explanation.world))


def _names(world: explain.IndexedPoint) -> Iterator[str]:
    """Yield the names and numbers of LARS in the atoms of an answer stream and of the background."""
    stream = world.stream
    for atom in chain(*stream.input.values(), *stream.derived.values(), world.view.background):
        yield from (str(term) for term in atom.arguments if isinstance(term, Symbol | Number))


def _tree(explanation: AtomExplanation, dates: Dates) -> Iterator[str]:
    """Yield the lines of a proof or of the failed attempts, with full terms."""
    teller = _TreeTeller(explanation.world, dates)
    if explanation.proof is not None:
        yield from teller.proof(explanation.proof)
    else:
        yield from lines(teller.shortfall(next(iter(explanation.shortfalls)), explanation))
    yield from teller.rest()


def _alike(world: explain.IndexedPoint, moment: Moment) -> Atom | None:
    """Return an atom that holds at the time of a missing atom, and has the same short text; None without one.

    The terms of both atoms differ in parts that short texts omit, such as a datatype or a language tag.
    """
    t, atom = moment
    if t != world.t:
        return None
    places = (Variable(f"v{place}") for place, _ in enumerate(atom.arguments))
    held = world.now(Atom(atom.predicate, tuple(places)))
    return next((other for other in held if other != atom and short_text(other) == short_text(atom)), None)


def _unanswered(stream: NoAnswerStream, dates: Dates) -> Iterator[str]:
    yield f"no answer stream exists at {dates.text(stream.t)}"
    if stream.world is None:
        yield f"{_RELAXED} no answer stream either; these predicates depend on their own absence:"
        for name, numbers in stream.circular.items():
            rules = (f"rule {number}: {short_text(stream.program.rules[number - 1])}" for number in numbers)
            yield from lines(Branch(signature_text(name), (), tuple(map(Branch, rules))))
        return
    yield from _violated(stream, "", dates)


def no_answer_stream(stream: NoAnswerStream, dates: Dates) -> str:
    """Return a sentence with the reason why no answer stream exists, if the reason is known."""
    place = f"no answer stream exists at {dates.text(stream.t)}"
    for name, numbers in stream.circular.items():
        rules = [f"rule {number}: {short_text(stream.program.rules[number - 1])}" for number in numbers]
        return f"{place}, because {signature_text(name)} depends on its own absence ({'; '.join(rules)})"
    for violation in stream.violations:
        text = f"rule {violation.number}: {short_text(stream.program.rules[violation.number - 1])}"
        if violation.head is not None:
            return f"{place}, because a head is outside the timeline ({text})"
        count = len(stream.relaxed[0])
        which = "the only candidate" if count == 1 and not stream.relaxed[1] else "the first candidate"
        return f"{place}, because a constraint excludes {which} ({text})"
    return place


def excluded_by(explanation: AtomExplanation) -> str | None:
    """Return a sentence with the rule that excludes an atom; None if no constraint excludes the atom."""
    if explanation.excluded is None or not explanation.excluded.violations:
        return None
    number = explanation.excluded.violations[0].number
    rule = short_text(explanation.excluded.program.rules[number - 1])
    return f"rule {number} excludes answer streams with {short_text(explanation.moment[1])}: {rule}"


def _violated(stream: NoAnswerStream, kind: str, dates: Dates) -> Iterator[str]:
    """Yield the number of answer streams without constraints, and the rules that the first violates."""
    assert stream.world is not None
    streams, more = stream.relaxed
    count = outputs.quantity(len(streams), "answer stream") + kind
    yield f"{_RELAXED} {'more than ' * more}{count}; the first answer stream violates:"
    teller = _TreeTeller(stream.world, dates)
    trees = [line for violation in stream.violations for line in lines(teller.violation(violation))]
    yield from outputs.shorten_lines([*trees, *teller.rest()], _names(stream.world))


class _TreeTeller(_Teller):
    """The writer of the text tree; it prints each proof, rule and failed goal once.

    Later mentions of a proof, rule or goal refer to the first mention.
    """

    def __init__(self, world: explain.IndexedPoint, dates: Dates) -> None:
        super().__init__(world, dates)
        self._facts = {rule.head for rule in world.program.rules if is_fact(rule)}
        self._rules: set[int] = set()

    def text(self, part: Atom | BodyLiteral | Rule | Constant) -> str:
        """Return a part of a program as full text; the finished lines are shortened together."""
        return full_text(part)

    def proof(self, proof: explain.Proof) -> Iterator[str]:
        goal = next(iter(proof))
        self.goals.add(goal)
        yield from lines(self._moment(goal, 0))

    def rest(self) -> Iterator[str]:
        """Yield the lines of the proofs that would be too deep in the tree."""
        for moment in self.left():
            yield ""
            yield from lines(self._moment(moment, 0))

    def _moment(self, moment: Moment, depth: int) -> Branch:
        t, atom = moment
        # Each atom of the answer stream has one proof, which the prover remembers.
        match self.prover.support(moment):
            case "background":
                return Branch(f"{self.text(atom)}: {'a fact' if atom in self._facts else 'static data'}")
            case "input":
                return Branch(f"{self.text(atom)} at {self.dates.text(t)}: input")
            case explain.RuleInstance(number=number, premises=premises):
                rule = self._rule(number, "by")
                below = tuple(self._premise(premise, depth + 1) for premise in premises)
                return Branch(f"{self.text(atom)} at {self.dates.text(t)}", (rule,), below)
            case _:
                return Branch(f"{self.text(atom)} at {self.dates.text(t)}")

    def _rule(self, number: int, word: str) -> str:
        if number in self._rules:
            return f"{word} rule {number}"
        self._rules.add(number)
        return f"{word} rule {number}: {self.text(self.world.program.rules[number - 1])}"

    def _premise(self, premise: explain.Premise, depth: int) -> Branch:
        if premise.evidence is None:
            return Branch(f"{self.text(premise.literal)} ✓")
        rests = tuple(present(premise.evidence))
        if isinstance(premise.literal, Atom):
            return self._mention(rests[0], depth)
        if isinstance(premise.literal, Truth):
            return Branch("true ✓")
        below = self._mentions(premise.evidence, tuple(filter(self.derived, rests)), depth)
        missing = self._lacks(premise.evidence) if isinstance(premise.literal, Not) else ()
        return Branch(
            f"{self.text(premise.literal)}: {self.place_of(premise.evidence)}", (), (*below, *missing)
        )

    def _lacks(self, absent: explain.Evidence) -> tuple[Branch, ...]:
        """Return nodes with the reasons why no rule derives an atom under a negation that holds.

        The nodes contain the first literal that fails in the closest instance of each rule, and no reasons of
        this reason.
        """
        while isinstance(absent, explain.WindowContent):
            absent = absent.inner
        if not isinstance(absent, explain.AbsentAtom) or not absent.within or absent in self.goals:
            return ()
        self.goals.add(absent)
        if (here := explain.Searcher(self.world).shortfall(absent)) is None:
            return ()
        failing = [attempt for attempt in here.attempts if attempt.failure is not None]
        some = [self._lack(attempt) for attempt in failing[:_LACKS]]
        rest = len(failing) - len(some)
        return (*some, Branch(f"… and {outputs.quantity(rest, 'more rule')}")) if rest else tuple(some)

    def _lack(self, attempt: explain.Attempt) -> Branch:
        failure = attempt.failure
        assert failure is not None, "only instances with a failing literal"
        why = "fails" if failure.despite is None else self.place_of(failure.despite)
        why = why if failure.sight is None else self.unseen(failure.sight)
        return Branch(
            f"not derived {self._rule(attempt.number, 'by')}",
            (),
            (Branch(f"✗ {self.text(failure.literal)}: {why}"),),
        )

    def _mentions(
        self, evidence: explain.Evidence, moments: Sequence[Moment], depth: int
    ) -> tuple[Branch, ...]:
        """Return nodes for the atoms that make a literal true; for an aggregate, for its first instances."""
        first = tuple(self._mention(moment, depth) for moment in moments)
        rest = evidence.count - len(moments) if isinstance(evidence, explain.Instances) else 0
        return (*first, Branch(f"… and {rest} more")) if rest > 0 else first

    def _mention(self, moment: Moment, depth: int) -> Branch:
        if not self.derived(moment) or not self.elsewhere(moment, depth):
            return self._moment(moment, depth)
        where = "below" if moment in self.later else "above"
        return Branch(f"{self.text(moment[1])} at {self.dates.text(moment[0])}: see {where}")

    def shortfall(self, goal: explain.AbsentAtom, explanation: AtomExplanation) -> Branch:
        """Return a node with the reason why a goal (an atom in an interval) does not hold.

        The child nodes contain the reasons why premises of the goal do not hold.
        """
        return Branch(
            f"{self.text(goal.atom)} does not hold {self.when(goal.within)}",
            (),
            self._tries(goal, explanation),
        )

    def _tries(self, goal: explain.AbsentAtom, explanation: AtomExplanation) -> tuple[Branch, ...]:
        self.goals.add(goal)
        here = explanation.shortfalls.get(goal)
        if here is None:
            return (Branch("this proof is nested too deeply: run lars explain for this atom"),)
        if not here.derivable:
            return (Branch(self.underived(explanation.sought, goal.within.first)),)
        tries = [self._attempt(attempt, explanation) for attempt in here.attempts]
        return (*tries, *(self._mismatch(other, goal) for other in here.mismatches))

    def _mismatch(self, other: explain.Mismatch, goal: explain.AbsentAtom) -> Branch:
        notes: tuple[str, ...] = ()
        if other.head_at is not None:
            when = self.when(goal.within)
            notes = (f"its head is at {self.dates.text(other.head_at)}, not {when}",)
        return Branch(self._rule(other.number, "cannot be derived by"), notes)

    def violation(self, violation: explain.Violation) -> Branch:
        """Return a node for a violated rule instance, with the reasons why its body holds."""
        notes = [self.violated(violation, self.world.view.timeline)]
        if violation.other_count:
            notes.append(
                f"other instances: {violation.other_count}{' or more' * (violation.other_count >= MOST)}"
            )
        below = tuple(self._premise(premise, 1) for premise in violation.premises)
        return Branch(self._rule(violation.number, "").lstrip(), tuple(notes), below)

    def _attempt(self, attempt: explain.Attempt, explanation: AtomExplanation) -> Branch:
        rule = self._rule(attempt.number, "by")
        notes = [f"closest match: {self.values(attempt.binding)}"] if attempt.binding else []
        below = [Branch(f"✓ {self._premise_text(premise)}") for premise in attempt.premises]
        if attempt.failure is None:
            notes.append("its body holds, but its head is at another time or has other terms")
        else:
            below.append(self._failure(attempt.failure, explanation, dict(attempt.binding)))
        below += [Branch(f"✗ {self.text(literal)}: also fails") for literal in attempt.failed_too]
        below += [Branch(f"· {self.text(literal)}: undecided") for literal in attempt.left]
        if attempt.other_count:
            many = f"{attempt.other_count} or more" if attempt.more else f"{attempt.other_count}"
            notes.append(f"other equally close instances: {many}")
        return Branch(rule, tuple(notes), tuple(below))

    def _premise_text(self, premise: explain.Premise) -> str:
        if premise.evidence is None or isinstance(premise.literal, Truth):
            return self.text(premise.literal)
        return f"{self.text(premise.literal)}: {self.place_of(premise.evidence)}"

    def _failure(
        self, failure: explain.Failure, explanation: AtomExplanation, binding: Mapping[Variable, Constant]
    ) -> Branch:
        text, missing = f"✗ {self.text(failure.literal)}", failure.missing
        if failure.sight is not None:
            above = missing is not None and missing in self.goals
            below = () if missing is None or above else self._tries(missing, explanation)
            return Branch(f"{text}: {self.unseen(failure.sight)}{'; see above' * above}", (), below)
        if failure.despite is None:
            return Branch(f"{text}: fails")
        mentioned = self._mentions(failure.despite, tuple(present(failure.despite)), 1)
        value = self.actual(failure.literal, binding)
        return Branch(f"{text}: {value}{self.place_of(failure.despite)}", (), mentioned)


_RULE: Final = {"number": "rule", "rule": "text"}
_ATTEMPT: Final = _RULE | {
    "premises": "met",
    "failure": "failed",
    "left": "undecided",
    "other_count": "others",
}


def as_json(explanation: AtomExplanation | NoAnswerStream, dates: Dates) -> outputs.Json:
    """Return an explanation as a JSON document."""
    document = (
        _unanswered_json(explanation, dates)
        if isinstance(explanation, NoAnswerStream)
        else _of_atom(explanation, dates)
    )
    return {"origin": dates.zero} | document


def _of_atom(explanation: AtomExplanation, dates: Dates) -> outputs.Json:
    teller = _JsonTeller(explanation.world, dates, explanation.shortfalls)
    t, atom = explanation.moment
    place = dates.with_dates({"at": explanation.world.t, "t": t}) | {
        "atom": str(atom),
        "answer_stream": explanation.number,
    }
    document = {
        "of": explanation.count,
        "more": explanation.more,
        "silent": explanation.silent,
        "held": None
        if explanation.held is None
        else dates.with_dates({"t": explanation.held[0]})
        | {
            "left": [
                _atom(*moment, dates) | {"window": str(window)} | dates.with_dates({"left": gone})
                for window, moment, gone in explanation.held[1]
            ]
        },
        "holds": explanation.proof is not None,
    }
    content: outputs.Json = place | document
    if explanation.proof is not None:
        content |= {"proof": teller.node(explanation.moment, 0, [])}
    else:
        content |= teller.shortfall(next(iter(explanation.shortfalls)))
        why = None if explanation.sought is None else teller.underived(explanation.sought, t)
        content |= {
            "why": why,
            "nearest": teller.nearest(None if explanation.sought == "background" else explanation.sought),
            "excluded": explanation.excluded and _violated_json(explanation.excluded, dates),
        }
    return content | {"lemmas": teller.rest()}


def _unanswered_json(stream: NoAnswerStream, dates: Dates) -> outputs.Json:
    assert stream.moment is not None, "a question about an atom"
    content: outputs.Json = dates.with_dates({"at": stream.t, "t": stream.moment[0]})
    content |= {"atom": str(stream.moment[1]), "answer_streams": 0}
    if stream.world is None:
        circular = [
            {
                "predicate": signature_text(name),
                "rules": [_rule(stream.program, number) for number in numbers],
            }
            for name, numbers in stream.circular.items()
        ]
        return content | {"why": {"kind": "circular", "on_own_absence": circular}}
    return content | {"why": {"kind": "violated"} | _violated_json(stream, dates)}


def _violated_json(stream: NoAnswerStream, dates: Dates) -> outputs.Json:
    assert stream.world is not None
    teller, timeline = _JsonTeller(stream.world, dates), stream.world.view.timeline
    violations = [
        _rule(stream.program, violation.number)
        | {
            "why": teller.violated(violation, timeline),
            "binding": _values(violation.binding),
            "head": None if violation.head is None else f"@_{violation.head[0]} {violation.head[1]}",
            "premises": [teller.premise(premise, 1) for premise in violation.premises],
            "others": violation.other_count,
        }
        for violation in stream.violations
    ]
    streams, more = stream.relaxed
    relaxed: outputs.Json = {"without": len(streams), "more": more}
    return relaxed | {"violations": violations, "lemmas": teller.rest()}


def _rule(program: Program, number: int) -> outputs.Json:
    return {"rule": number, "text": str(program.rules[number - 1])}


def _omitted(evidence: explain.Evidence | None) -> outputs.Json:
    """Return the number of an aggregate's instances that the document does not list."""
    if not isinstance(evidence, explain.Instances):
        return {}
    return {"omitted": evidence.count - len(evidence.examples)}


class _JsonTeller(_Teller):
    def __init__(
        self,
        world: explain.IndexedPoint,
        dates: Dates,
        shortfalls: Mapping[explain.AbsentAtom, explain.Shortfall] | None = None,
    ) -> None:
        super().__init__(world, dates)
        self._shortfalls = shortfalls or {}

    def rest(self) -> list[outputs.Json]:
        """Return the proofs that would be too deep in the document."""
        return [self._derived(moment, 0) for moment in self.left()]

    def node(self, moment: Moment, depth: int, windows: list[outputs.Json]) -> outputs.Json:
        """Return the JSON of an atom and its proof or input."""
        here = {"windows": windows}
        if not self.derived(moment):
            kind = "input" if self.prover.support(moment) == "input" else "known"
            return {"kind": kind} | _atom(*moment, self.dates) | here
        if self.elsewhere(moment, depth):
            t, atom = moment
            content = self.dates.with_dates({"t": t}) | {"atom": str(atom), "repeated": True}
            return {"kind": "derived"} | content | here
        return self._derived(moment, depth) | here

    def _derived(self, moment: Moment, depth: int) -> outputs.Json:
        support = self.prover.support(moment)
        assert isinstance(support, explain.RuleInstance)
        premises = [self.premise(premise, depth + 1) for premise in support.premises]
        values = _values(support.binding)
        content = {"kind": "derived"} | outputs.record(support, _RULE, binding=values, premises=premises)
        return content | self.dates.with_dates({"t": moment[0]})

    def premise(self, premise: explain.Premise, depth: int) -> outputs.Json:
        """Return the JSON of a body literal that holds, with its evidence."""
        evidence = premise.evidence
        return {
            "literal": outputs.encode(premise.literal),
            "why": None if evidence is None else self.place_of(evidence),
            "evidence": [] if evidence is None else self._evidence(evidence, depth, []),
            **_omitted(evidence),
        }

    def _evidence(
        self, evidence: explain.Evidence, depth: int, windows: list[outputs.Json]
    ) -> list[outputs.Json]:
        match evidence:
            case explain.PresentAtom(t, atom):
                return [self.node((t, atom), depth, windows)]
            case explain.AbsentAtom(atom, within):
                return [{"kind": "absent", "atom": str(atom)} | self._span(within) | {"windows": windows}]
            case explain.OutsideTimeline(t, span):
                return [
                    {"kind": "outside"}
                    | self.dates.with_dates({"t": t})
                    | self._span(span)
                    | {"windows": windows}
                ]
            case explain.WindowContent(window, interval, inner):
                return self._evidence(inner, depth, [*windows, self._window(window, interval)])
            case explain.Points(_, points, _):
                return [leaf for _, inner in points for leaf in self._evidence(inner, depth, windows)]
            case explain.Instances(t, _, some):
                return [self.node((t, atom), depth, windows) for atom in some]
            case Truth():
                return []
            case _:
                assert_never(evidence)

    def shortfall(self, goal: explain.AbsentAtom) -> outputs.Json:
        """Return the JSON of the failed attempts to prove a goal (an atom in an interval).

        The JSON also contains the failed attempts to prove the missing premises.
        """
        self.goals.add(goal)
        here = self._shortfalls[goal]
        return {
            "derivable": here.derivable,
            "closest": [self._attempt(attempt) for attempt in here.attempts],
            "cannot": [outputs.record(other, _RULE) for other in here.mismatches],
        }

    def _attempt(self, attempt: explain.Attempt) -> outputs.Json:
        return outputs.record(
            attempt,
            _ATTEMPT,
            binding=_values(attempt.binding),
            met=[{"literal": outputs.encode(premise.literal)} for premise in attempt.premises],
            failed=None if attempt.failure is None else self._failure(attempt.failure, dict(attempt.binding)),
        )

    def _failure(self, failure: explain.Failure, binding: Mapping[Variable, Constant]) -> outputs.Json:
        sight, despite = failure.sight, failure.despite
        content: outputs.Json = {"literal": outputs.encode(failure.literal), "why": None}
        if sight is not None:
            content |= {
                "why": self.unseen(sight),
                "windows": [self._window(window, interval) for window, interval in sight.windows],
                "looked_in": self._span(sight.within),
                "nearest": self.nearest(sight),
                **self.dates.with_dates({"left": sight.left}),
                "gaps": outputs.encode(sight.gaps),
            }
        elif despite is not None:
            why = f"{self.actual(failure.literal, binding)}{self.place_of(despite)}"
            content |= {"why": why, "evidence": self._evidence(despite, 1, [])}
        missing = failure.missing
        if missing is not None:
            goal: outputs.Json = {"atom": str(missing.atom)} | self._span(missing.within)
            known = missing not in self.goals and missing in self._shortfalls
            more = self.shortfall(missing) if known else {"repeated": missing in self.goals}
            content |= {"missing": goal | more}
        return content

    def nearest(self, sight: explain.Sight | None) -> list[outputs.Json]:
        """Return the JSON of the nearest matching atoms before and after the searched interval."""
        if sight is None:
            return []
        sides = ("before", sight.before), ("outside", sight.hidden), ("after", sight.after)
        return [{"side": side} | _atom(*moment, self.dates) for side, moment in sides if moment is not None]

    def _span(self, interval: Interval) -> outputs.Json:
        return self.dates.with_dates(outputs.encode(interval))

    def _window(self, window: Window, interval: Interval) -> outputs.Json:
        return {"window": str(window), **self._span(interval)}


def _atom(t: int, atom: Atom, dates: Dates) -> outputs.Json:
    match atom:
        case Atom("striple", (s, p, o, stream)):
            return {
                **dates.with_dates({"t": t}),
                "stream": outputs.encode(stream)["value"],
                "s": outputs.encode(s),
                "p": outputs.encode(p),
                "o": outputs.encode(o),
            }
        case _:
            return dates.with_dates({"t": t}) | {"atom": str(atom)}


def _values(values: explain.Values) -> outputs.Json:
    return {variable.name: outputs.encode(term) for variable, term in values}
