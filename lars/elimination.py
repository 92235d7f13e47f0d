"""Equivalent rules with fewer variables: the literals with a certain variable move to a new rule.

  p(X) ← q(X, Y), [Y > 1], r(X, Z).       becomes   p(X) ← r(X, Z), some1(X).
                                                    some1(X) ← q(X, Y), [Y > 1].

The number of instances of a rule grows exponentially with its variables. With k values for each variable, a
rule with n independent variables has k^n instances, but n separate rules have n · k instances. The method is
bucket elimination (Dechter, 1999), which eliminates one variable after another.

The same holds for the instances of an aggregate. COUNT over a join of independent literals is the product of
their counts; MIN and MAX need only the distinct values.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import field, replace
from functools import lru_cache, reduce
from itertools import chain, count
from typing import Final

from lars.analysis import bound, positive_loops
from lars.dataclass import dataclass
from lars.language import formulas as logic
from lars.language.formulas import BodyLiteral
from lars.language.program import Program, Rule, atoms, close, head_atom, variables
from lars.language.terms import Atom, Binding, Signature, Variable, signature
from lars.language.windows import TupleWindow

_COUNTED: Final = ("COUNT", "MIN", "MAX", "SAMPLE")
"""The aggregates that depend on nothing but the distinct values, or on the number of instances."""


@lru_cache(maxsize=256)
def with_fewer_variables(
    program: Program, output: Signature, predicates: frozenset[Signature] = frozenset()
) -> Program:
    """Return a program that derives the same atoms of predicate `output` by rules with fewer variables.

    If no rule of the program can be simplified, the function returns the program itself. Atoms whose
    predicate is in `predicates` can also come from input or background, without a rule.

    >>> from lars.text.notation import read
    >>> print(with_fewer_variables(read("p(X) ← q(X, Y), [?Y > 1], r(X, Z)."), ("p", 1)))
    some1(X0) ← q(X0, X1), [?X1 > 1].
    p(X) ← r(X, Z), some1(X).
    """
    rules = _unfolded_rules(program, output, predicates)
    eliminator = _Eliminator(_names(program))
    kept = {(each.head, frozenset(each.body)): each for rule in rules for each in eliminator.apart(rule)}
    return Program(tuple(kept.values())) if eliminator.heads or rules != program.rules else program


@dataclass
class _Eliminator:
    """The elimination of variables from rules: all literals that contain a variable move to a new rule.

    If the same literals are removed from several rules, these rules share one new rule.
    """

    taken: frozenset[str]
    heads: dict[tuple[Atom, frozenset[BodyLiteral]], str] = field(default_factory=dict)
    names: list[Variable] = field(default_factory=list)
    """The variables, each at its number: sets of numbers are much faster."""
    numbers: dict[Variable, int] = field(default_factory=dict)
    orders: dict[int, tuple[BodyLiteral, dict[int, None]]] = field(default_factory=dict)
    """The numbers of the variables of each literal, by the literal's id: a step changes few literals."""

    def apart(self, rule: Rule) -> Iterator[Rule]:
        """Yield rules with fewer variables that together derive the same atoms as the given rule.

        The last rule that the function yields has the head of the given rule.
        """
        if all(map(_is_plain, rule.body)):
            while (step := next(self._steps(rule), None)) is not None:
                made, rule = step
                yield made
        yield rule

    def _steps(self, rule: Rule) -> Iterator[tuple[Rule, Rule]]:
        """Yield each way to eliminate a variable from a rule, as a pair (new rule, remaining rule)."""
        orders, own = list(map(self._order, rule.body)), variables(rule.head)
        every = frozenset(chain.from_iterable(orders))
        touched: dict[int, list[BodyLiteral]] = {number: [] for number in every}
        scopes: dict[int, dict[int, None]] = {number: {} for number in every}
        for part, order in zip(rule.body, orders, strict=True):
            for number in order:
                touched[number].append(part)
                scopes[number] |= order
        free = sorted(name for number in every if (name := self.names[number]) not in own)
        for name in sorted(free, key=lambda variable: len(scopes[self.numbers[variable]])):
            number = self.numbers[name]
            scope = tuple(self.names[other] for other in scopes[number] if other != number)
            parts = tuple(touched[number])
            if len(every) > len(scopes[number]) and bound(parts) >= {name, *scope}:
                made, use = self.moved(parts, scope)
                rest = [part for part in rule.body if part not in parts]
                yield made, replace(rule, body=tuple(dict.fromkeys((*rest, use))))

    def moved(self, parts: tuple[BodyLiteral, ...], scope: tuple[Variable, ...]) -> tuple[Rule, Atom]:
        """Return a new rule for literals, and the atom of the variables in `scope` that replaces them."""
        made = self._rule(parts, scope)
        assert isinstance(made.head, Atom)
        return made, Atom(made.head.predicate, scope)

    def _order(self, part: BodyLiteral) -> dict[int, None]:
        """Return the numbers of the variables of a literal in a fixed order."""
        known = self.orders.get(id(part))
        if known is None or known[0] is not part:
            names = tuple(dict.fromkeys(_in_order(part)))
            for name in names:
                if name not in self.numbers:
                    self.numbers[name] = len(self.names)
                    self.names.append(name)
            known = self.orders[id(part)] = part, dict.fromkeys(map(self.numbers.__getitem__, names))
        return known[1]

    def _rule(self, parts: tuple[BodyLiteral, ...], scope: tuple[Variable, ...]) -> Rule:
        """Return the new rule for the removed literals; its head has the variables in `scope`.

        If the removed literals of two rules differ only in the names of variables, both get the same head
        predicate.
        """
        inner = (self.names[number] for part in parts for number in self._order(part))
        names = {name: Variable(f"X{place}") for place, name in enumerate(dict.fromkeys((*scope, *inner)))}
        body = tuple(dict.fromkeys(close(part, names) for part in parts))
        arguments = tuple(names[name] for name in scope)
        key = Atom("", arguments), frozenset(body)
        if key not in self.heads:
            fresh = (f"some{number}" for number in count(1))
            self.heads[key] = next(
                name for name in fresh if name not in self.taken and name not in self.heads.values()
            )
        return Rule(Atom(self.heads[key], arguments), body)


@lru_cache(maxsize=256)
def with_fewer_instances(
    program: Program, output: Signature, predicates: frozenset[Signature] = frozenset()
) -> Program:
    """Return a program that derives the same atoms of predicate `output`, with aggregates of fewer instances.

    MIN, MAX, SAMPLE and COUNT(DISTINCT) range over the distinct rows of their arguments. Other counts are
    products of counts, if literals of the instances share no variables but the keys of the groups. If no
    aggregate can be simplified, the function returns the program itself. Atoms whose predicate is in
    `predicates` can also come from input or background, without a rule.

    >>> from lars.text.notation import read
    >>> text = "p(K, N) ← N := COUNT(X) of q(K, X, Y) by K. q(K, X, Y) ← r(K, X), s(K, Y)."
    >>> print(with_fewer_instances(read(text), ("p", 2)))
    some1(X0, X1) ← r(X0, X1).
    some2(X0, X1) ← s(X0, X1).
    p(K, N) ← N_0 := COUNT(X) of some1(K, X) by K, N_1 := COUNT(*) of some2(K, Y) by K, N := [?N_0 * ?N_1].
    """
    eliminator = _Eliminator(_names(program))
    fixed, rules = {None, output, *predicates, *positive_loops(program)}, list[Rule]()
    for rule in program.rules:
        body: list[BodyLiteral] = []
        for part in rule.body:
            instances = _instances(part, program, fixed) if isinstance(part, logic.Gather) else None
            if not isinstance(part, logic.Gather) or instances is None:
                body.append(part)
            elif part.aggregation.distinct or part.aggregation.function != "COUNT":
                kept = tuple(dict.fromkeys((*part.keys, *part.aggregation.arguments)))
                made, use = eliminator.moved(instances, kept)
                rules.append(made)
                body.append(replace(part, atom=use))
            else:
                parts = _components(instances, part.keys)
                # Variables of an aggregate's atom are local, but the value cannot have the name of one.
                local = (variables(atom) for other in rule.body for atom, *_ in atoms(other))
                taken = frozenset[Variable]().union(*map(variables, rule.body), *local)
                factors = list(_factors(part, parts, eliminator, taken))
                rules += [made for made, _ in factors]
                body += [gather for _, gather in factors]
                numbers: list[logic.Expression] = [gather.variable for _, gather in factors]
                product = reduce(lambda one, other: logic.Call("*", (one, other)), numbers)
                body.append(logic.Assign(part.variable, product))
        rules.append(replace(rule, body=tuple(body)))
    if not eliminator.heads:
        return program
    used = {signature(atom) for rule in rules for part in rule.body for atom, *_ in atoms(part)}
    return Program(tuple(dict.fromkeys(rule for rule in rules if rule.predicate in used | fixed)))


def _instances(
    literal: logic.Gather, program: Program, fixed: AbstractSet[Signature | None]
) -> tuple[BodyLiteral, ...] | None:
    """Return the body of the only rule for the instances of an aggregate, in the aggregate's variables.

    Return None if the aggregate cannot range over fewer instances.
    """
    aggregation = literal.aggregation
    if aggregation.function not in _COUNTED or not _is_general(literal.atom):
        return None
    derived = Counter(rule.predicate for rule in program.rules)
    single = {
        signature(head): rule
        for rule in program.rules
        if isinstance(head := rule.head, Atom) and rule.body and derived[rule.predicate] == 1
        if rule.predicate not in fixed and _is_general(head) and all(map(_is_plain, rule.body))
    }
    body: tuple[BodyLiteral, ...] = (literal.atom,)
    while names := [
        signature(part)
        for part in body
        if isinstance(part, Atom) and _has_variables_alone(part) and signature(part) in single
    ]:
        body = _unfolded(Rule(literal.atom, body), single[names[0]], names[0]).body
    if body == (literal.atom,):
        return None
    if aggregation.distinct or aggregation.function != "COUNT":
        return body if {*literal.keys, *aggregation.arguments} < {*literal.atom.arguments} else None
    return body if len(_components(body, literal.keys)) > 1 else None


def _factors(
    literal: logic.Gather,
    parts: Iterable[tuple[BodyLiteral, ...]],
    eliminator: _Eliminator,
    taken: AbstractSet[Variable],
) -> Iterator[tuple[Rule, logic.Gather]]:
    """Yield the counts whose product is the count of a literal, each with the rule for its instances."""
    for place, part in enumerate(parts):
        own = frozenset[Variable]().union(*map(variables, part))
        shared = (term for term in literal.atom.arguments if isinstance(term, Variable) and term in own)
        made, use = eliminator.moved(part, tuple(shared))
        names = (Variable(f"{literal.variable.name}_{place}{'_' * number}") for number in count())
        number = next(name for name in names if name not in taken)
        counted = literal.aggregation.arguments
        arguments = counted if len(counted) == 1 and own.issuperset(counted) else ()
        keys = tuple(key for key in literal.keys if key in own)
        yield made, logic.Gather(number, logic.Aggregation("COUNT", arguments), use, keys)


def _components(body: Iterable[BodyLiteral], keys: Collection[Variable]) -> list[tuple[BodyLiteral, ...]]:
    """Return the literals of a body in groups that share only keys; one group if the groups are no rules."""
    groups: list[tuple[frozenset[Variable], tuple[BodyLiteral, ...]]] = []
    for literal in body:
        names, parts = variables(literal), tuple[BodyLiteral, ...]((literal,))
        for group in [group for group in groups if (group[0] & names).difference(keys)]:
            groups.remove(group)
            names, parts = names | group[0], (*group[1], *parts)
        groups.append((names, parts))
    # Without a key of its own, a count of 0 would be a group.
    split = all(
        names.difference(keys) and names <= bound(parts) and (not keys or not names.isdisjoint(keys))
        for names, parts in groups
    )
    return [parts for _, parts in groups] if split else [tuple(body)]


def _unfolded_rules(program: Program, output: Signature, inputs: frozenset[Signature]) -> tuple[Rule, ...]:
    """Return the program's rules after unfolding: bodies of rules replace the atoms that the rules derive.

    An atom is replaced only if a single rule derives the atom, and if the rules then have fewer variables.
    The result omits rules that no other rule uses.
    """
    rules, taken = program.rules, _names(program)
    fixed: set[Signature | None] = {None, output, *inputs, *positive_loops(program)}
    derived = Counter(rule.predicate for rule in rules)
    alone = [rule for rule in rules if rule.predicate not in fixed and derived[rule.predicate] == 1]
    # The widest first: their joins are the dear ones.
    for wide in sorted((rule for rule in alone if rule.body), key=lambda rule: _width((rule,)), reverse=True):
        own = next(rule for rule in rules if rule.predicate == wide.predicate)
        rules = _without(own, rules, taken) or rules
    return rules


def _without(own: Rule, rules: tuple[Rule, ...], taken: frozenset[str]) -> tuple[Rule, ...] | None:
    """Return the other rules after the body of the rule `own` replaces each atom that the rule derives.

    Return None if the replacement is impossible or saves no variables. The argument `taken` contains names
    that new predicates must not have.
    """
    head = own.head
    if not isinstance(head, Atom) or not _is_general(head) or not all(map(_is_plain, own.body)):
        return None
    predicate, width = signature(head), _width((own,))
    if predicate in {signature(atom) for part in own.body for atom, *_ in atoms(part)}:
        return None
    rules_left: list[Rule] = []
    for rule in rules:
        if rule == own:
            continue
        uses = [part for part in rule.body if any(signature(atom) == predicate for atom, *_ in atoms(part))]
        if not uses:
            rules_left.append(rule)
            continue
        if not all(isinstance(use, Atom) and _has_variables_alone(use) for use in uses):
            return None
        if not all(map(_is_plain, rule.body)):
            return None
        grown = _unfolded(rule, own, predicate)
        if _width(tuple(_Eliminator(taken).apart(grown))) >= width:
            return None
        rules_left.append(grown)
    return tuple(rules_left)


def _names(program: Program) -> frozenset[str]:
    return frozenset(name for name, _ in program.predicates)


def _is_general(head: Atom) -> bool:
    return _has_variables_alone(head) and len(set(head.arguments)) == len(head.arguments)


def _has_variables_alone(atom: Atom) -> bool:
    return all(isinstance(term, Variable) for term in atom.arguments)


def _width(rules: Iterable[Rule]) -> int:
    """Return the greatest number of variables in the body of a rule."""
    return max(len(frozenset[Variable]().union(*map(variables, rule.body))) for rule in rules)


def _unfolded(rule: Rule, own: Rule, predicate: Signature) -> Rule:
    """Return the rule in which the body of the rule `own` replaces each atom of the predicate."""
    taken = variables(head_atom(rule)).union(*map(variables, rule.body))
    body: list[BodyLiteral] = []
    for part in rule.body:
        if not isinstance(part, Atom) or signature(part) != predicate:
            body.append(part)
            continue
        assert isinstance(own.head, Atom)
        inner = frozenset[Variable]().union(*map(variables, own.body)) - variables(own.head)
        fresh = _apart_from(inner, taken | variables(own.head))
        taken |= frozenset(fresh.values())
        names: Binding = dict(fresh)
        for own_term, term in zip(own.head.arguments, part.arguments, strict=True):
            assert isinstance(own_term, Variable)
            names[own_term] = term
        body += (close(each, names) for each in own.body)
    return replace(rule, body=tuple(dict.fromkeys(body)))


def _apart_from(names: AbstractSet[Variable], taken: AbstractSet[Variable]) -> dict[Variable, Variable]:
    fresh = (variable for number in count() if (variable := Variable(f"Y{number}")) not in taken)
    return dict(zip(sorted(names), fresh, strict=False))


def _is_plain(literal: BodyLiteral) -> bool:
    """Return whether a literal is a comparison, a SPARQL test, or an atom, perhaps negated or in a window."""
    match literal:
        case logic.Not(inner):
            return _is_plain(inner)
        case logic.In(window, logic.Diamond(Atom())):
            return not (isinstance(window, TupleWindow) and window.ties == "choose")
        case Atom() | logic.Test() | logic.Comparison():
            return True
        case _:
            return False


def _in_order(part: BodyLiteral) -> Iterator[Variable]:
    for atom, *_ in atoms(part):
        yield from (term for term in atom.arguments if isinstance(term, Variable))
    yield from sorted(variables(part))
