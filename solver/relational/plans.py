"""Plan the relational evaluation of a program: layers of predicates, and the sources of atoms.

If one rule derives an atom, and the atom is used only once, the body of the rule replaces the atom. This
replacement gives a plan with fewer steps, in which conditions apply before the join with other literals.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import lru_cache
from graphlib import TopologicalSorter
from itertools import chain
from typing import Final, assert_never

from lars import analysis
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language import formulas as logic
from lars.language.program import FALSE, Program, Rule, atoms, put_terms, variables, write_literal
from lars.language.terms import Atom, Signature, Term, Variable, signature, substitute
from lars.language.windows import NOW, TupleWindow
from solver.facts import WindowedAtom, canonical_atom, used_patterns, useful_atoms, variables_in_order


@dataclass(frozen=True, slots=True)
class Obstacle:
    """The reason why the relational evaluation cannot evaluate a program: a construct in a rule or literal.

    If the reason concerns the whole program, `rule` and `literal` are None.
    """

    problem: str
    rule: Rule | None = None
    literal: logic.Formula | None = None

    def __str__(self) -> str:
        where = "" if self.literal is None else f"{write_literal(self.literal)}: "
        return f"{where}{self.problem}" + ("" if self.rule is None else f", in the rule {self.rule}")


def obstacle(program: Program, background: Iterable[Signature] = ()) -> Obstacle | None:
    """Return the first obstacle to the relational evaluation of the program, or None.

    `background` contains the predicates of the background, without the facts of the program.
    """
    return next(_obstacles(program, background), None)


def _obstacles(program: Program, background: Iterable[Signature]) -> Iterator[Obstacle]:
    try:
        analysis.check_safety(program)
    except LarsError as error:
        yield Obstacle(str(error))
    if analysis.strata(program) is None:
        yield Obstacle("a predicate depends on its own absence, so a search for answer streams is necessary")
    elsewhere = {*analysis.intensional(program), *background, *map(signature, program.facts)}
    loops = analysis.positive_loops(program)
    for rule in program.rules:
        if rule.head is not None and not isinstance(rule.head, Atom):
            yield Obstacle("its head has a time @_T of its own", rule)
        elif analysis.computes_in_loop(rule, loops):
            yield Obstacle("a recursive rule that computes values may never end", rule)
        for literal in rule.body:
            if not isinstance(literal, logic.Condition | logic.SetLiteral):
                problem = _problem(literal, elsewhere)
                if problem is not None:
                    yield Obstacle(problem, rule, literal)


_UNCOVERED: Final[Mapping[analysis.Mode, str]] = {
    "": "a window without ◇ or @_T is not covered",
    "□": "□ p and ◇ ¬p in a window are not covered",
    "@": "@_T in a window is not covered under a negation",
    "¬@¬": "@_T ¬p in a window is not covered",
}
"""The problem with an atom p in a window, by the operator between the window and the atom."""


def _problem(literal: logic.Formula, elsewhere: set[Signature]) -> str | None:
    try:
        form = analysis.literal_form(literal)
    except analysis.UnsupportedFormulaError as error:
        return f"{error.construct} is not covered"
    match form:
        case analysis.LiteralForm(_, "", window=None):
            return None
        case analysis.LiteralForm(window=None):
            return f"{form.mode} refers to the whole timeline; only windows are covered"
        case analysis.LiteralForm(logic.Truth()):
            covered = form.mode == "@" and form.positive and form.window == NOW
            return None if covered else "`true` in a window is covered only as ⊞^0 @_T true"
        case analysis.LiteralForm(Atom() as atom):
            if not (form.mode == "◇" or (form.mode == "@" and form.positive)):
                return _UNCOVERED[form.mode]
            if isinstance(form.window, TupleWindow) and form.window.ties == "choose":
                return "the window chooses ties, so several answer streams can exist"
            if signature(atom) in elsewhere:
                return "its atom is derived or in the background; only windows over input are covered"
    return None


RowSource = WindowedAtom | Signature | None
"""A source of rows: input in a window, a predicate with derived and background atoms, or evaluation times.

None means the evaluation times.
"""


@dataclass(frozen=True, slots=True)
class Scan:
    """A literal of a plan: the rows of a source that match `terms`, with a column for each variable.

    If `literal` is an aggregate or order, the rows are the instances of its atom, and the columns are the
    variables that the literal binds.
    """

    source: RowSource
    terms: tuple[Term, ...]
    literal: logic.SetLiteral | None = None

    @property
    def variables(self) -> frozenset[Variable]:
        """The variables that the literal binds."""
        if self.literal is not None:
            return variables(self.literal)
        return frozenset(term for term in self.terms if isinstance(term, Variable))

    @property
    def instances(self) -> "Scan":
        """The scan of the instances of the atom in an aggregate or order literal."""
        return replace(self, literal=None)

    @property
    def predicate(self) -> Signature | None:
        """The predicate whose atoms are scanned; None if the rows are evaluation times."""
        match self.source:
            case (_, _) as predicate:
                return predicate
            case WindowedAtom(_, atom):
                return signature(atom)
            case None:
                return None
            case _:
                assert_never(self.source)

    def __str__(self) -> str:
        if self.literal is not None:
            return str(self.literal)
        match self.source:
            case (name, _):
                return str(Atom(name, self.terms))
            case WindowedAtom(window, atom, _, timed) as source:
                atom = substitute(atom, dict(zip(source.variables, self.terms, strict=False)))
                return f"{window} {f'@_{self.terms[-1]}' if timed else '◇'} {atom}"
            case None:
                return f"{self.terms[0]} = now"
            case _:
                assert_never(self.source)


@dataclass(frozen=True, slots=True)
class RulePlan:
    """The plan of one rule: the joined literals, the negated literals, and the conditions."""

    rule: Rule
    joined: tuple[Scan, ...]
    subtracted: tuple[Scan, ...]
    conditions: tuple[logic.Condition, ...]

    @property
    def predicate(self) -> Signature:
        """The predicate that the rule derives; the rule must not be a constraint."""
        assert self.rule.predicate is not None
        return self.rule.predicate

    @property
    def arguments(self) -> tuple[Term, ...]:
        """The terms in the head of the rule; the rule must not be a constraint."""
        assert isinstance(self.rule.head, Atom)
        return self.rule.head.arguments

    def needed(self, place: int) -> frozenset[Variable]:
        """Return the variables that the rule uses outside the joined literal with number `place`."""
        others = (*self.joined[:place], *self.joined[place + 1 :], *self.subtracted)
        names = (other.variables for other in others)
        return variables(self.rule.head).union(*names, *map(variables, self.conditions))

    def places(self, predicates: frozenset[Signature]) -> list[tuple[int, Signature]]:
        """Return the number and predicate of each joined literal that reads one of the given predicates."""
        return [
            (place, part.source)
            for place, part in enumerate(self.joined)
            if isinstance(part.source, tuple) and part.literal is None
            if part.source in predicates
        ]

    def __str__(self) -> str:
        joined = " ⋈ ".join(map(str, self.joined)) or "always"
        less = "".join(f" − {scan}" for scan in self.subtracted)
        question = f" where {', '.join(map(str, self.conditions))}" if self.conditions else ""
        return f"% {self.rule}\n  {joined}{less}{question}"


@dataclass(frozen=True, slots=True)
class Layer:
    """One predicate, or several predicates that depend on each other, with the rules that derive them.

    The constraints of a program form a layer without predicates.
    """

    predicates: frozenset[Signature]
    rules: tuple[RulePlan, ...]
    recursive: bool


RelationalPlan = tuple[Layer, ...]
"""The plan of a program: its layers in the order of their evaluation. Constraints are the last layer."""


@lru_cache(maxsize=64)
def plan(program: Program, output: Signature | None) -> RelationalPlan:
    """Return the plan for the atoms of the output, or of all derived predicates if the output is None.

    The plan contains only rules on which the output or a constraint depends. The program must have no
    obstacle.
    """
    derived, used, layers = analysis.intensional(program), used_patterns(program, output), []

    def planned(rule: Rule) -> RulePlan:
        return _rule_plan(rule, derived, lambda atom: useful_atoms(atom, rule, output, used))

    rules = [rule for rule in program.proper_rules if FALSE not in rule.body]
    constraints = [rule for rule in rules if rule.head is None]
    below = {name: set[Signature]() for name in analysis.intensional(program)}
    below |= analysis.successors((edge.head, edge.used) for edge in analysis.dependencies(program))
    wanted = set(below) if output is None else {output}
    # A violated constraint removes the answer stream, so constraints count whatever the output is.
    wanted |= {signature(atom) for rule in constraints for part in rule.body for atom, _, _ in atoms(part)}
    needed = wanted.union(*(analysis.reachable(name, below) for name in wanted))
    places = defaultdict[Signature | None, list[int]](list)
    for place, rule in enumerate(rules):
        places[rule.predicate].append(place)
    for component in _components(program, below):
        if component <= needed:
            own = [rules[place] for place in sorted(chain.from_iterable(places[name] for name in component))]
            recursive = any(below[name] & component for name in component)
            layers.append(Layer(component, tuple(map(planned, own)), recursive))
    if constraints:
        layers.append(Layer(frozenset(), tuple(map(planned, constraints)), recursive=False))
    return tuple(layers)


def _components(program: Program, below: dict[Signature, set[Signature]]) -> Iterator[frozenset[Signature]]:
    """Yield groups of predicates that depend on each other, each group after the groups that it uses."""
    loops = analysis.positive_loops(program)
    own = {name: loops.get(name, frozenset((name,))) for name in below}
    # Sorted, since the order of layers that do not depend on each other is seen: tables of SQL are numbered.
    graph: dict[frozenset[Signature], dict[frozenset[Signature], None]] = {}
    for name in sorted(below):
        used = (own[other] for other in sorted(below[name]) if name not in own[other])
        graph.setdefault(own[name], {}).update(dict.fromkeys(used))
    yield from TopologicalSorter(graph).static_order()


def _rule_plan(
    rule: Rule, derived: Collection[Signature], useful: Callable[[Atom], frozenset[Atom]]
) -> RulePlan:
    """Return the plan of a rule, with the sources of the atoms in its body literals.

    `useful` returns the input atoms that an atom of the body can match.
    """
    joined: list[Scan] = []
    subtracted: list[Scan] = []
    conditions: list[logic.Condition] = []
    for literal in rule.body:
        match literal:
            case logic.Comparison() | logic.Test() | logic.Assign():
                conditions.append(literal)
            case logic.Gather() | logic.Among():
                # Each instance can change the aggregate, so no input atom is left out as useless.
                whole = frozenset((canonical_atom(literal.atom),))
                scan = _scan(analysis.LiteralForm(literal.atom), literal.atom, whole, derived)
                joined.append(replace(scan, literal=literal))
            case _:
                form = analysis.literal_form(literal)
                if isinstance(form.atom, Atom):
                    scan = _scan(form, form.atom, useful(form.atom), derived)
                    (joined if form.positive else subtracted).append(scan)
                elif form.time is not None:
                    joined.append(Scan(None, (form.time,)))
    return RulePlan(rule, tuple(joined), tuple(subtracted), tuple(conditions))


def _scan(
    form: analysis.LiteralForm, atom: Atom, useful: frozenset[Atom], derived: Collection[Signature]
) -> Scan:
    predicate = signature(atom)
    if predicate in derived and form.window is None:
        return Scan(predicate, atom.arguments)
    # Without a window, an input atom holds only at its own time, as in ⊞^0 ◇.
    windowed_atom = WindowedAtom(form.window or NOW, canonical_atom(atom), useful)
    if form.mode == "@" and form.time is not None:
        return Scan(replace(windowed_atom, timed=True), (*variables_in_order(atom), form.time))
    return Scan(windowed_atom, variables_in_order(atom))


@lru_cache(maxsize=64)
def unfolded_plan(program: Program, output: Signature, predicates: frozenset[Signature]) -> RelationalPlan:
    """Return the plan for the output, in which a rule's body replaces an atom that occurs only once.

    Atoms of `predicates` are never replaced, because they can hold without a rule.
    """
    whole = _filtered_early(plan(program, output), {output, *predicates})
    uses = Counter(chain.from_iterable(map(_uses, rules_of(whole))))
    bodies: dict[Signature, RulePlan] = {}
    layers: list[Layer] = []
    for layer in whole:
        # Layers ascend, so the bodies that replace atoms have been unfolded themselves.
        own = tuple(_unfolded(rule, bodies) for rule in layer.rules)
        for predicate in layer.predicates - {output, *predicates}:
            if uses[predicate] == 1 and _is_plain(layer, own):
                bodies[predicate] = own[0]
        layers.append(replace(layer, rules=own))
    used = {output, *chain.from_iterable(map(_uses, rules_of(layers)))}
    return tuple(layer for layer in layers if layer.predicates & used or not layer.predicates)


def have_equal_rules(
    one: Program, other: Program, output: Signature, predicates: frozenset[Signature]
) -> bool:
    """Return whether the plans for the output have the same rules, so that both programs have the same rows.

    The order of rules, literals and conditions makes no difference, and neither does a predicate that both
    plans replace. `predicates` are those of the background. The result is False if the relational evaluation
    cannot evaluate a program.

    >>> from lars.text.notation import read
    >>> first = read("p(X) ← ⊞^9 ◇ f(X), X != 1. q(X) ← p(X), ⊞^9 ◇ g(X).")
    >>> have_equal_rules(first, read("q(X) ← ⊞^9 ◇ g(X), ⊞^9 ◇ f(X), X != 1."), ("q", 1), frozenset())
    True
    """
    if one == other:
        return True
    programs = one, other
    if {*one.facts} != {*other.facts} or any(obstacle(program, predicates) for program in programs):
        return False
    held = predicates.union(map(signature, one.facts))
    first, second = (
        {
            (rule.rule.head, *map(frozenset, (rule.joined, rule.subtracted, rule.conditions)))
            for rule in rules_of(unfolded_plan(program, output, held))
        }
        for program in programs
    )
    return first == second


def _filtered_early(whole: RelationalPlan, fixed: AbstractSet[Signature]) -> RelationalPlan:
    """Return the plan in which conditions on an atom also apply in the rules that derive the atom.

    The atom has several rules, as those of OPTIONAL and UNION, and is used only once. In the query
    `OPTIONAL {?o :v ?w FILTER(?w > ?v)} FILTER(!BOUND(?w))`, no row with a value of ?w is then computed.
    """
    uses = Counter(chain.from_iterable(map(_uses, rules_of(whole))))
    early: dict[Signature, list[tuple[Scan, logic.Condition]]] = defaultdict(list)
    layers: list[Layer] = []
    # From the output down, so that a condition can move through several layers.
    for layer in reversed(whole):
        rules = tuple(
            replace(rule, conditions=(*rule.conditions, *_own(rule, early[rule.predicate])))
            if layer.predicates and not layer.recursive and len(layer.rules) > 1
            else rule
            for rule in layer.rules
        )
        for rule in rules:
            for part in rule.joined:
                source = part.source
                if (
                    isinstance(source, tuple)
                    and part.literal is None
                    and uses[source] == 1
                    and source not in fixed
                ):
                    early[source] += ((part, condition) for condition in rule.conditions)
        layers.append(replace(layer, rules=rules))
    return tuple(reversed(layers))


def _own(rule: RulePlan, early: Iterable[tuple[Scan, logic.Condition]]) -> Iterator[logic.Condition]:
    """Yield conditions on the atom that a rule derives, in the rule's variables."""
    for part, condition in early:
        names = dict(zip(part.terms, rule.arguments, strict=True))
        needed = variables(condition)
        # Only tests, which are safe to repeat: the condition also remains in the rule above.
        if isinstance(condition, logic.Test) and needed <= names.keys():
            own = {name: names[name] for name in needed}
            if own and all(isinstance(term, Variable) for term in own.values()):
                yield logic.Test(put_terms(condition.expression, own), condition.value)


def rules_of(layers: Iterable[Layer]) -> Iterator[RulePlan]:
    """Yield the rules of layers in order."""
    return (rule for layer in layers for rule in layer.rules)


def _uses(rule: RulePlan) -> Iterator[Signature]:
    for part in (*rule.joined, *rule.subtracted):
        if isinstance(part.source, tuple):
            yield part.source


def _is_plain(layer: Layer, rules: tuple[RulePlan, ...]) -> bool:
    """Return whether a layer has a single rule, without aggregates, whose head has distinct variables."""
    if layer.recursive or len(rules) != 1:
        return False
    arguments = rules[0].arguments
    is_general = len(set(arguments)) == len(arguments) and all(
        isinstance(term, Variable) for term in arguments
    )
    return is_general and all(part.literal is None for part in rules[0].joined)


def _unfolded(rule: RulePlan, bodies: dict[Signature, RulePlan]) -> RulePlan:
    """Return the rule with rule bodies in place of the atoms that they derive, if no variables clash."""
    for place, part in enumerate(rule.joined):
        if isinstance(part.source, tuple) and part.literal is None:
            body = bodies.get(part.source)
            # With other terms, the variables of the body would have to be renamed; τ mostly uses equal names.
            if body is not None and body.arguments == part.terms and not _clash(rule, body):
                joined = (*rule.joined[:place], *body.joined, *rule.joined[place + 1 :])
                subtracted, conditions = rule.subtracted + body.subtracted, rule.conditions + body.conditions
                inner = RulePlan(rule.rule, joined, subtracted, conditions)
                return _unfolded(inner, bodies)
    return rule


def _clash(rule: RulePlan, body: RulePlan) -> bool:
    """Return whether a local variable of the body is also a variable of the rule."""
    return not _all_variables(rule).isdisjoint(_all_variables(body) - {*body.arguments})


def _all_variables(rule: RulePlan) -> frozenset[Variable]:
    inner = (part.instances.variables for part in rule.joined)
    parts = (part.variables for part in (*rule.joined, *rule.subtracted))
    conditions = map(variables, rule.conditions)
    return variables(rule.rule.head).union(*parts, *inner, *conditions)
