"""Checks proofs by the definitions alone: what `lars.semantics.definitions` and `cut` of streams say."""

from itertools import product

from lars.explain import Failure, RuleInstance
from lars.explain.evidence import (
    AbsentAtom,
    Instances,
    OutsideTimeline,
    Points,
    PresentAtom,
    WindowContent,
)
from lars.explain.shortfalls import DEEPEST
from lars.language.formulas import (
    Among,
    Assign,
    At,
    Box,
    Call,
    Comparison,
    Diamond,
    Gather,
    In,
    Not,
    Test,
    Truth,
)
from lars.language.program import atoms, close, head_atom, put, variables
from lars.language.stream import cut
from lars.language.terms import NULL, XSD, Atom, Literal, Number, Variable, signature, substitute
from lars.semantics import decide
from lars.semantics.definitions import holds
from lars.semantics.grounding import atoms_at, value, with_values
from tests.lars import gathered

CONDITIONS = (Comparison, Test, Assign)
GATHERED = (Gather, Among)


class Checker:
    """Checks the steps of proofs in one answer stream at its reference time."""

    def __init__(self, program, data, answer, t, background, evaluate=None):  # noqa: PLR0913, PLR0917
        self.program, self.data, self.answer, self.t = program, data, answer, t
        self.background, self.evaluate = background, evaluate

    def check(self, proof, goal):
        """Assert that it is a proof of the goal in which each step is right and none supports itself."""
        assert goal == next(iter(proof))
        needs = {moment: self.needs(moment, support) for moment, support in proof.items()}
        assert set().union(*needs.values()) | {goal} == set(needs)
        proved = set()
        while ready := {m for m, below in needs.items() if below <= proved} - proved:
            proved |= ready
        assert proved == set(needs), "an atom supports itself"

    def needs(self, moment, support):
        """Check one step and return the atoms with times that it rests on."""
        t, atom = moment
        match support:
            case "background":
                assert atom in self.background
                return set()
            case "input":
                assert self.data.holds_at(atom, t)
                return set()
            case RuleInstance():
                assert (support.t, support.atom) == moment
                return self.derived(support)

    def derived(self, step):
        rule, binding = self.program.rules[step.number - 1], dict(step.binding)
        assert step.rule == rule
        assert rule.body
        assert variables(rule.head).union(*map(variables, rule.body)) == binding.keys()
        head = put(rule.head, binding)
        assert (
            (head.time.value, head.inner) == (step.t, step.atom)
            if isinstance(head, At)
            else head == step.atom
        )
        assert isinstance(head, At) or step.t == self.t
        assert len(step.premises) == len(rule.body)
        found = [self.premise(*pair, binding) for pair in zip(rule.body, step.premises, strict=True)]
        return set().union(*found)

    def premise(self, literal, premise, binding):
        if isinstance(literal, CONDITIONS):
            assert premise.evidence is None
            assert self.condition_holds(literal, binding)
            return set()
        if isinstance(literal, GATHERED):
            assert premise.literal == literal
            return self.gathered(literal, premise.evidence, binding)
        ground = put(literal, binding)
        assert premise.literal == ground
        assert holds(ground, self.answer, self.t, self.background)
        return set(self.rests(ground, premise.evidence, self.answer, self.t, True))

    def gathered(self, literal, evidence, binding):
        """Check that it is true under the binding, and of which instances."""
        atoms = atoms_at(self.answer, self.t, self.background)
        assert gathered.is_true(literal, binding, atoms)
        if isinstance(literal, Gather):
            found = {substitute(literal.atom, one) for one in gathered.members(literal, binding, atoms)}
            assert evidence.count == len(found)
        else:
            found = {substitute(literal.atom, binding)}
            assert evidence.count == len(gathered.members(literal, binding, atoms))
        assert bool(evidence.examples) == bool(found)
        return self.instances(evidence, found)

    def instances(self, evidence, found):
        assert isinstance(evidence, Instances)
        assert evidence.t == self.t
        assert found.issuperset(evidence.examples)
        return {(self.t, atom) for atom in evidence.examples}

    def condition_holds(self, condition, binding):
        match condition:
            case Comparison(Variable() as name, "=", side) if name not in binding:
                # It would be bound to what the other side is, were that anything.
                return value(side, binding) is not None
            case Comparison():
                return decide(condition, binding)
            case Assign(variable, expression):
                return (self.evaluate(with_values(expression, binding)) or NULL) == binding[variable]
            case Test(expression, wanted):
                twice = Call("!", (Call("!", (with_values(expression, binding),)),))
                return self.evaluate(twice) == Literal(str(wanted).lower(), XSD + "boolean")

    def rests(self, formula, evidence, stream, t, wanted):
        """Yield what the evidence rests on; it must decide the formula in the stream at t."""
        match formula, evidence:
            case Atom(), PresentAtom(u, atom):
                assert (u, atom, wanted) == (t, formula, True)
                assert holds(formula, stream, t, self.background)
                yield t, atom
            case ((Atom() | Diamond(Atom())), AbsentAtom(atom, within)):
                assert not wanted
                assert atom == (formula if isinstance(formula, Atom) else formula.inner)
                assert list(within) == ([t] if isinstance(formula, Atom) else list(stream.timeline))
                assert not holds(formula, stream, t, self.background)
            case Truth(), Truth():
                assert wanted
            case Not(inner), _:
                yield from self.rests(inner, evidence, stream, t, not wanted)
            case In(window, inner), WindowContent(shown, interval, below):
                kept = cut(stream, window, t)
                assert (shown, list(interval)) == (window, list(kept.timeline))
                yield from self.rests(inner, below, kept, t, wanted)
            case ((Atom() | At(Number(_), _)), OutsideTimeline(v, shown)):
                u = t if isinstance(formula, Atom) else formula.time.value
                assert u == v
                assert u not in stream.timeline
                assert not wanted
                assert list(shown) == list(stream.timeline)
            case ((Diamond(inner) | Box(inner) | At(_, inner)), Points(shown, points, every)):
                assert list(shown) == list(stream.timeline)
                self.points(formula, [u for u, _ in points], stream, every, wanted)
                for u, below in points:
                    yield from self.rests(inner, below, stream, u, wanted)
            case _:
                raise AssertionError((formula, evidence))

    def points(self, formula, times, stream, every, wanted):
        """Check that these time points decide the formula."""
        match formula:
            case At(Number(u), _):
                assert times == [u]
                assert u in stream.timeline
            case _:
                assert every is (isinstance(formula, Box) is wanted)
                assert (
                    times == list(stream.timeline)
                    if every
                    else len(times) == 1 and times[0] in stream.timeline
                )

    def check_shortfalls(self, found, moment):
        """Assert that each attempt is an instance of a rule for its goal, as far as it is bound."""
        first = next(iter(found))
        assert (first.atom, list(first.within)) == (moment[1], [moment[0]])
        for goal, shortfall in found.items():
            assert shortfall.goal == goal
            for attempt in shortfall.attempts:
                self.attempt(attempt, found, nested=goal != first)
            assert not (goal == first and self.rules_for(goal) > self.numbers(shortfall))

    def rules_for(self, goal):
        """Return the numbers of the rules whose head has the goal's predicate."""
        heads = ((n, rule) for n, rule in enumerate(self.program.rules, 1) if rule.head and rule.body)
        return {n for n, rule in heads if signature(head_atom(rule)) == signature(goal.atom)}

    def numbers(self, shortfall):
        return {part.number for part in (*shortfall.attempts, *shortfall.mismatches)}

    def attempt(self, attempt, found, *, nested):
        rule, binding = self.program.rules[attempt.number - 1], dict(attempt.binding)
        closed_body = [close(literal, binding) for literal in rule.body]
        shown = [premise.literal for premise in attempt.premises]
        shown += [attempt.failure.literal] if attempt.failure else []
        assert sorted(map(str, (*shown, *attempt.failed_too, *attempt.left))) == sorted(map(str, closed_body))
        for premise in attempt.premises:
            self.satisfied(premise)
        assert nested or attempt.failure
        if attempt.failure:
            self.fails(attempt.failure, found)
        for literal in attempt.failed_too:
            self.fails(Failure(literal), found)

    def satisfied(self, premise):
        if isinstance(premise.literal, CONDITIONS):
            assert self.condition_holds(premise.literal, {})
        elif isinstance(premise.literal, GATHERED):
            self.instances(premise.evidence, atoms_at(self.answer, self.t, self.background))
        else:
            assert holds(premise.literal, self.answer, self.t, self.background)
            set(self.rests(premise.literal, premise.evidence, self.answer, self.t, True))

    def fails(self, failure, found):
        literal = failure.literal
        if isinstance(literal, CONDITIONS):
            assert not self.condition_holds(literal, {})
            return
        if isinstance(literal, GATHERED):
            now = atoms_at(self.answer, self.t, self.background)
            assert failure.despite is None or self.instances(failure.despite, now)
            return
        for ground in self.all_instances(literal):
            assert not holds(ground, self.answer, self.t, self.background)
        if failure.despite is not None:
            set(self.rests(literal, failure.despite, self.answer, self.t, False))
        assert failure.missing is None or failure.missing in found or len(found) >= DEEPEST

    def all_instances(self, literal):
        """Yield the literal with each atom that it can be about, and every time point for the others."""
        known = self.background.union(*self.answer.input.values(), *self.answer.derived.values())
        patterns = [atom for atom, _, _ in atoms(literal)]
        bindings = [{}] if not any(map(variables, patterns)) else self.matches(patterns[0], known)
        for binding in bindings:
            times = sorted(variables(literal) - binding.keys())
            for values in product(map(Number, self.answer.timeline), repeat=len(times)):
                yield put(literal, {**binding, **dict(zip(times, values, strict=True))})

    def matches(self, pattern, known):
        """Return what the variables are under which the pattern is one of the atoms."""
        found = (dict(zip(pattern.arguments, atom.arguments, strict=True))
                 for atom in known if signature(atom) == signature(pattern))  # fmt: skip
        bindings = [{v: term for v, term in pairs.items() if isinstance(v, Variable)} for pairs in found]
        return [binding for binding in bindings if substitute(pattern, binding) in known]
