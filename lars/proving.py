"""Finding proofs, goal by goal; what one proof found serves the next."""

from collections.abc import Iterable, Iterator

from lars.dependencies import positive_loops
from lars.grounding import Evaluate, refuse
from lars.joining import World, joined, world
from lars.program import Program, head_atom, head_time, is_fact
from lars.proofs import Derived, Input, Known, Proof, Support, rests_on, rule_instances, step
from lars.reach import windows
from lars.recursion import Loop
from lars.semantics import choices
from lars.stream import Moment, Stream
from lars.terms import Atom, Number, Signature, Variable, signature, substitute
from lars.windows import Ties, TupleWindow


class Prover:
    """The proofs of the atoms of one answer stream at its reference time.

    >>> from lars.notation import read
    >>> from lars.stream import stream_of
    >>> from lars.windows import Interval
    >>> p, e = Atom("p"), Atom("e")
    >>> here = world(read("p ← ⊞^3 ◇ e."), stream_of(Interval(0, 9), [(4, e)]), [(6, p)], 6)
    >>> [(t, str(atom)) for t, atom in Prover(here).proof((6, p)).steps]
    [(6, 'p'), (4, 'e')]
    """

    def __init__(self, here: World) -> None:
        self.world = here
        self._found: dict[Moment, Support | None] = {}
        loops = {names: Loop(here, names) for names in positive_loops(here.program).values()}
        self._loops: dict[Signature, Loop] = {name: loop for names, loop in loops.items() for name in names}

    def proof(self, goal: Moment) -> Proof | None:
        """Return a proof of the atom at its time, or None when it is not in the answer stream."""
        steps: dict[Moment, Support] = {}
        left = [goal]
        while left:
            moment = left.pop()
            if moment not in steps:
                found = self.support(moment)
                if found is None:
                    return None
                steps[moment] = found
                if isinstance(found, Derived):
                    left.extend(reversed(tuple(rests_on(found.premises))))
        return Proof(goal, steps)

    def support(self, moment: Moment) -> Support | None:
        """Return the last step of the atom's proof, None when it is not in the answer stream."""
        if moment not in self._found:
            self._found[moment] = self._search(moment)
        return self._found[moment]

    def _search(self, moment: Moment) -> Support | None:
        t, atom = moment
        here = self.world
        if atom in here.judge.background:
            return Known(t, atom)
        if not here.view.has(atom, t):
            return None
        loop = self._loops.get(signature(atom))
        if moment in here.given or atom in here.view.input_times:
            return Input(t, atom)
        if loop is not None:
            return loop.derive(moment)
        for number, binding in rule_instances(here, moment):
            return step(here, moment, number, binding, here.judge)
        return None


def provers(  # noqa: PLR0913, PLR0917
    program: Program,
    data: Stream,
    derived: frozenset[Moment],
    t: int,
    background: Iterable[Atom] = (),
    evaluate: Evaluate = refuse,
) -> Iterator[Prover]:
    """Yield a prover for each choice of ties under which the derived atoms are an answer stream.

    A program without windows with ties `choose` has one, which is taken as it is: `derived` comes
    from a solver.
    """
    chosen = [window for window in windows(program) if isinstance(window, TupleWindow)]
    decided = all(window.ties is not Ties.CHOOSE for window in chosen)
    for stream in choices(program, data, t):
        prover = Prover(world(program, stream, derived, t, background, evaluate))
        if decided or is_answer(prover):
            yield prover


def is_answer(prover: Prover) -> bool:
    """Return whether every derived atom has a proof, and every rule whose body holds its head."""
    here = prover.world
    derived = ((u, atom) for u, atoms in here.stream.derived.items() for atom in atoms)
    return all(prover.proof(moment) for moment in derived) and _is_model(here)


def _is_model(here: World) -> bool:
    for rule in here.program.rules:
        pattern = head_atom(rule)
        for binding in () if is_fact(rule) else joined(here, rule.body, {}):
            if pattern is None:
                return False
            time = head_time(rule, here.t)
            moment = binding.get(time) if isinstance(time, Variable) else time
            if not isinstance(moment, Number) or moment.value not in here.view.shown:
                return False
            if not here.holds((moment.value, substitute(pattern, binding))):
                return False
    return True
