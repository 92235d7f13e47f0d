"""Choose the triples from which a search builds streams, so that the search misses no smaller stream.

For each variable, the search tries new IRIs, constants, and one value for each range that conditions define.
Two variables can have the same value because of a join, or because two patterns match the same triple. A
class of variables contains the variables that can be equal, the constants at their positions, and the
conditions on them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, product
from typing import Final

from agreement.proving.disjuncts import is_rdf, takes
from agreement.proving.values import (
    COMPARED,
    CONNECTIVES,
    constants_in,
    fresh,
    integer,
    is_finite,
    number,
    numbers,
    terms,
    told_apart,
    triple_terms,
)
from lars.analysis import positive_loops, windows
from lars.language import formulas as logic
from lars.language.program import Program, Rule, atoms, calls, head_atom
from lars.language.program import variables as variables_of
from lars.language.terms import (
    DEFAULT,
    RDF_LANG_STRING,
    XSD,
    Atom,
    Constant,
    Iri,
    Literal,
    Signature,
    Term,
    TripleTerm,
    Variable,
    signature,
    substitute,
)
from lars.language.windows import TupleWindow
from solver.deadlines import check_time
from solver.facts import STREAM_PREDICATE, Background, constant_of
from solver.rdf import test
from solver.search import Candidates
from translate.tau import TRIGGER

TRIPLE = "triple"
"""The predicate of triples in the active graph: static triples, and triples of merged streams."""

_Node = tuple[object, ...]


def is_import(rule: Rule) -> bool:
    """Return whether a LARS rule copies the triples of a stream into the default graph."""
    return isinstance(rule.head, Atom) and rule.head.predicate == TRIPLE


def patterns(program: Program) -> Iterator[Atom]:
    """Yield the triple patterns of a LARS program, in streams and graphs, in the order of its rules."""
    for rule in program.rules:
        for literal in () if is_import(rule) else rule.body:
            for atom, _, _ in atoms(literal):
                if atom.predicate in (TRIPLE, STREAM_PREDICATE):
                    yield atom


def stream_variables(programs: Iterable[Program]) -> tuple[Variable, ...]:
    """Return the variables that stand for the names of streams, without the variables of triggers."""
    rules = (rule for program in programs for rule in program.rules if rule.head != TRIGGER)
    sources = {
        atom.arguments[3]
        for rule in rules
        for atom in patterns(Program((rule,)))
        if atom.predicate == STREAM_PREDICATE
    }
    return tuple(sorted(source for source in sources if isinstance(source, Variable)))


def triple_of(atom: Atom) -> tuple[Term, ...]:
    """Return the three terms of a pattern without its fourth term, which names its stream or graph."""
    return atom.arguments[:3]


def named_constants(programs: Iterable[Program]) -> frozenset[Constant]:
    """Return each IRI, literal and triple term in the heads, patterns and conditions of LARS programs."""
    rules = [rule for program in programs for rule in program.rules]
    heads = (head for rule in rules if (head := head_atom(rule)) is not None)
    literals = [literal for rule in rules for literal in rule.body]
    held = (atom for literal in literals for atom, _, _ in atoms(literal))
    terms = [term for atom in (*heads, *held) for term in atom.arguments]
    for literal in literals:
        match literal:
            case logic.Test(expression) | logic.Assign(_, expression):
                terms += constants_in((expression,))
            case logic.Comparison(left, _, right):
                terms += [side for side in (left, right) if not isinstance(side, logic.Operation)]
            case _:
                pass
    return frozenset(term for term in terms if isinstance(term, Iri | Literal | TripleTerm))


def unify(atom: Atom, other: Atom) -> bool:
    """Return whether one triple can match both patterns, if their streams and graphs are ignored."""
    pairs = zip(triple_of(atom), triple_of(other), strict=True)
    return all(isinstance(a, Variable) or isinstance(b, Variable) or a == b for a, b in pairs)


class PositionClasses:
    """The classes of variables of some programs that can have the same value.

    Values also come from the triples in `known`.
    """

    def __init__(self, programs: Sequence[Program], known: Iterable[Atom] = ()) -> None:
        self._parent: dict[_Node, _Node] = {}
        atoms = dict.fromkeys(pattern for program in programs for pattern in patterns(program))
        self._static: dict[_Node, set[Constant]] = {}
        for atom, other in combinations(atoms, 2):
            check_time()
            if unify(atom, other):
                for a, b in zip(triple_of(atom), triple_of(other), strict=True):
                    self._unite(_node(a), _node(b))
        for triple in known:
            for pattern in atoms:
                if unify(pattern, triple):
                    self._note(pattern, triple)
        for rule in (rule for program in programs for rule in program.rules if not is_import(rule)):
            check_time()
            self._join(rule)
        self._conditions = [
            literal
            for program in programs
            for rule in program.rules
            for literal in rule.body
            if isinstance(literal, logic.Condition)
        ]
        for condition in self._conditions:
            if len(compared := variables_of(condition)) > 1:
                first, *rest = sorted(compared)
                for name in rest:
                    self._unite(_node(first), _node(name))
        sources = stream_variables(programs)
        for source in sources[1:]:
            self._unite(_node(sources[0]), _node(source))
        every = [*(term for atom in atoms for term in triple_of(atom)), *sources]
        self.names = sorted({term for term in every if isinstance(term, Variable)})
        self._constants = _constants(every)

    def of(
        self, variable: Variable
    ) -> tuple[tuple[Variable, ...], tuple[Constant, ...], tuple[logic.Condition, ...]]:
        """Return the variables that can be equal to a variable, with their constants and conditions."""
        root = self._root(_node(variable))
        names = tuple(name for name in self.names if self._root(_node(name)) == root)
        inside = {t for t in self._constants if self._root(_node(t)) == root}
        for node, values in self._static.items():
            inside |= values if self._root(node) == root else set()
        conditions = tuple(
            dict.fromkeys(
                condition
                for condition in self._conditions
                if any(self._root(_node(name)) == root for name in variables_of(condition))
            )
        )
        return names, tuple(sorted(inside, key=str)), conditions

    def _join(self, rule: Rule) -> None:
        """Record that a variable can be equal to the other terms at its positions in derived predicates."""
        head = head_atom(rule)
        parts = [] if head is None else [head]
        parts += [atom for literal in rule.body for atom, _, _ in atoms(literal)]
        for atom in parts:
            if atom.predicate not in (TRIPLE, STREAM_PREDICATE):
                for place, term in enumerate(atom.arguments):
                    if isinstance(term, Variable):
                        self._unite(_node(term), (signature(atom), place))
                    elif isinstance(term, Iri | Literal | TripleTerm):
                        self._static.setdefault((signature(atom), place), set()).add(term)

    def _note(self, pattern: Atom, triple: Atom) -> None:
        for mine, theirs in zip(triple_of(pattern), triple_of(triple), strict=True):
            if isinstance(mine, Variable) and not isinstance(theirs, Variable):
                self._static.setdefault(_node(mine), set()).add(theirs)

    def _unite(self, one: _Node, other: _Node) -> None:
        self._parent[self._root(one)] = self._root(other)

    def _root(self, node: _Node) -> _Node:
        while (above := self._parent.setdefault(node, node)) != node:
            # Each node on the way gets a nearer ancestor, so that chains stay short.
            self._parent[node] = node = self._parent[above]
        return node


def _node(term: Term) -> _Node:
    return ("term", term)


_COUNTED: Final = frozenset(("COUNT", "SUM", "AVG"))
_BLIND: Final = frozenset(("=", "!=", "<", "<=", ">", ">=", "!", "&&", "||", "IN", "BOUND", "SAMETERM"))
"""The functions that have the same value for all IRIs that no query names, and for all pairs of them."""
_TYPED: Final = (
    Literal("a"),
    Literal("a", RDF_LANG_STRING, "en"),
    Literal("1", XSD + "integer"),
    Literal("true", XSD + "boolean"),
)
"""A value of each kind of term that functions distinguish."""


def is_gathering(programs: Iterable[Program]) -> bool:
    """Return whether a program has an aggregate, LIMIT or OFFSET, which depend on several rows together."""
    return any(isinstance(part, logic.SetLiteral) for part in _literals(programs))


def tells_order(programs: Iterable[Program]) -> bool:
    """Return whether the rows of a program may depend on the choice of new IRIs.

    Such a program orders IRIs, or uses their text.
    """
    for part in _literals(programs):
        match part:
            case logic.Among():
                return True
            case logic.Gather(_, aggregation) if aggregation.function not in _COUNTED:
                return True
            case logic.Test(expression) | logic.Assign(_, expression) if _functions(expression) - _BLIND:
                return True
            case _:
                pass
    return False


def _literals(programs: Iterable[Program]) -> Iterator[logic.BodyLiteral]:
    return (part for program in programs for rule in program.rules for part in rule.body)


def _gathered(programs: Sequence[Program], name: Variable) -> Iterator[Constant]:
    """Yield numbers to try for a variable that is summed: numbers in conditions, and their neighbors."""
    literals = list(_literals(programs))
    gathered = [part.aggregation for part in literals if isinstance(part, logic.Gather)]
    if any(
        aggregation.function in logic.SCALED and name in aggregation.arguments for aggregation in gathered
    ):
        tests = constants_in([part.expression for part in literals if isinstance(part, logic.Test)])
        amounts = [amount for term in tests if (amount := number(term)) is not None and is_finite(amount)]
        whole = sorted({int(amount) for amount in amounts}) or [1]
        yield from (integer(n + k) for n in whole for k in (-1, 0, 1))


def region_values(
    constants: Sequence[Constant],
    conditions: Iterable[logic.Condition],
    new: Sequence[Iri],
    many: int,
    summed: Iterable[Constant] = (),
) -> list[Constant]:
    """Return the values to try for a class of variables: `many` terms per region, and the constants.

    A region is a set of terms that no condition distinguishes. Conditions on one variable define regions. Of
    a condition on several variables, the parts with one variable define regions. If a part of a condition has
    several variables, numbers between all constants are tried, as many as the part has variables.
    """
    expressions = [each for condition in conditions for each in _expressions(condition)]
    compared = [*constants_in(expressions), *triple_terms(expressions, new)]
    parts = [each for each in expressions if len(variables_of(each)) == 1]

    def region(term: Constant) -> tuple[bool, ...]:
        pairs = ((each, {name: term}) for each in parts for name in variables_of(each))
        return tuple(test(each, truth, binding) for each, binding in pairs for truth in (True, False))

    if len(parts) == len(expressions):
        apart = told_apart([*new, *terms(compared, (), many, linked=many)], region, many, constants)
        return _with((*apart[: len(new)], *summed, *apart[len(new) :]), constants)
    several = max(many, *(len(variables_of(each)) for each in expressions))
    every = [*new, *summed, *(term for term in compared if isinstance(term, Iri | Literal | TripleTerm))]
    # It is neither less nor greater nor equal, and no error.
    every += [*numbers(compared, several), Literal("NaN", XSD + "double")]
    every += _TYPED if any(_functions(each) - COMPARED for each in expressions) else ()
    return _with(every, constants)


def _with(values: Iterable[Constant], constants: Iterable[Constant]) -> list[Constant]:
    return list(dict.fromkeys((*values, *constants)))


def _expressions(condition: logic.Condition) -> Iterator[logic.Expression]:
    """Yield the expression of a condition on one variable, or the smallest parts of another condition."""
    match condition:
        case logic.Test(expression) if len(variables_of(expression)) <= 1:
            yield expression
        case logic.Test(expression):
            yield from _parts(expression)
        case logic.Assign(variable, expression):
            yield logic.Call("=", (variable, expression))
        case logic.Comparison(left, _, right):
            sides = tuple(
                side for side in (left, right) if isinstance(side, Variable | Iri | Literal | TripleTerm)
            )
            yield from (logic.Call("SAMETERM", sides),) if len(sides) > 1 else ()
        case _:
            pass


def _parts(expression: logic.Expression) -> Iterator[logic.Expression]:
    if isinstance(expression, logic.Call) and expression.function in CONNECTIVES:
        yield from (part for each in expression.arguments for part in _parts(each))
    else:
        yield expression


def occurrences(program: Program) -> Mapping[Variable, int]:
    """Return for each variable the number of places at which one derivation can give it different values.

    If a rule hides a variable (in a sub-SELECT or EXISTS), each use of the derived predicate has its own
    value of the variable. A loop in the program may repeat any number of times, but only one round is
    counted.
    """
    looping = bool(positive_loops(program))
    heads = [(rule, head) for rule in program.rules if (head := head_atom(rule)) is not None]
    deriving: dict[Signature, list[tuple[Rule, Atom]]] = {}
    for rule, head in heads:
        if not is_import(rule):
            deriving.setdefault(signature(head), []).append((rule, head))

    @cache
    def of(predicate: Signature) -> Counter[Variable]:
        most = Counter[Variable]()
        for rule, head in deriving.get(predicate, ()):
            check_time()
            held = [atom for part in rule.body for atom, _, _ in atoms(part)]
            hidden = frozenset[Variable]().union(*map(variables_of, rule.body)) - variables_of(head)
            below = [] if looping else [of(signature(atom)) for atom in held]
            most |= sum(below, Counter(hidden))
        return most

    whole = Counter[Variable]()
    for _, head in heads:
        whole |= of(signature(head)) + Counter(variables_of(head))
    return whole


def _functions(expression: logic.Expression) -> frozenset[str]:
    return frozenset(call.function for call in calls(expression))


def with_others(candidates: Candidates, more: Candidates | None) -> Candidates:
    """Return the union of two sets of triples from which a search builds streams.

    In the union, no terms are marked as interchangeable.
    """
    if more is None:
        return candidates
    arriving, static = (*candidates.arrivals, *more.arrivals), (*candidates.static, *more.static)
    merged = tuple(dict.fromkeys(arriving)), tuple(dict.fromkeys(static))
    return Candidates(*merged, candidates.background)


def candidate_atoms(
    programs: Sequence[Program],
    streams: Sequence[Iri],
    known: Background | None,
    *,
    any_source: bool = False,
    copies: Mapping[Variable, int] | None = None,
) -> Candidates:
    """Return the triples from which a search builds streams: each matches a pattern, in the pattern's source.

    Unless the static data are `known`, the search also chooses static triples. With `any_source`, each triple
    may be in each stream and in the static data. For each stream, further triples match no pattern, unless a
    pattern has a variable as predicate. Enough of these triples at one time push all content out of tuple
    windows. `copies` is the number of new values for each variable, by default `value_copies` of the
    programs.

    Raises:
        TimeLimitError: The time limit is over.
    """
    found = dict.fromkeys(pattern for program in programs for pattern in patterns(program))
    stored = () if known is None else tuple(_triples(known))
    values, alike = _values(programs, stored, value_copies(programs) if copies is None else copies)
    streams = (*streams, *_new_streams(programs, streams, values))
    own = _own_sources(programs, streams, values)
    arriving: dict[Atom, None] = {}
    static: dict[Atom, None] = {}
    for pattern in found:
        sources: frozenset[Term] = frozenset((*streams, DEFAULT)) if any_source else own[triple_of(pattern)]
        for triple in _instances(pattern, values):
            check_time()
            for source in sorted(sources, key=str):
                if source in streams:
                    arriving[Atom(STREAM_PREDICATE, (*triple, source))] = None
                elif known is None:
                    static[Atom(TRIPLE, (*triple, source))] = None
    constants = _constants(term for atom in (*arriving, *static, *stored) for term in atom.arguments)
    something, *said = (Variable(name) for name in ("something", "says", "anything"))
    predicate_and_object = [fresh(name, constants) for name in said]
    for stream in streams:
        for copy in range(_displacing(programs, stream)):
            subject = fresh(something, constants, copy)
            arriving[Atom(STREAM_PREDICATE, (subject, *predicate_and_object, stream))] = None
    return Candidates(tuple(arriving), tuple(static), known or {}, alike)


def _new_streams(
    programs: Sequence[Program], streams: Sequence[Iri], values: Mapping[Variable, tuple[Constant, ...]]
) -> Sequence[Iri]:
    """Return streams that no pattern names, for variables that stand for the names of streams."""
    sources = stream_variables(programs)
    named = (name for source in sources for name in values.get(source, ()))
    return [name for name in dict.fromkeys(named) if isinstance(name, Iri) and name not in streams]


_MOST_DISPLACING: Final = 3


def _displacing(programs: Iterable[Program], stream: Iri) -> int:
    """Return the number of triples at one time that push all others out of a stream's tuple windows.

    The result is at least 1 and at most `_MOST_DISPLACING`.
    """
    sizes = [
        window.size
        for program in programs
        for window in windows(program)
        if isinstance(window, TupleWindow) and window.source in (None, stream)
    ]
    return min(max(sizes, default=1), _MOST_DISPLACING)


def _own_sources(
    programs: Sequence[Program], streams: Sequence[Iri], values: Mapping[Variable, tuple[Constant, ...]]
) -> Mapping[tuple[Term, ...], frozenset[Term]]:
    """Return the streams and graphs in which each pattern is matched, for programs that do not merge windows.

    A pattern that occurs only in programs that merge windows may match any stream and the static data.
    """
    every: frozenset[Term] = frozenset((*streams, DEFAULT))
    sources: dict[tuple[Term, ...], frozenset[Term]] = {}
    for program in programs:
        if not any(map(is_import, program.rules)):
            for pattern in patterns(program):
                terms = frozenset(_names(pattern, streams, values))
                triple = triple_of(pattern)
                sources[triple] = sources.get(triple, frozenset()) | terms
    triples = (triple_of(atom) for program in programs for atom in patterns(program))
    return {triple: sources.get(triple, every) for triple in triples}


def _names(
    pattern: Atom, streams: Sequence[Iri], values: Mapping[Variable, tuple[Constant, ...]]
) -> Iterator[Term]:
    """Yield the streams or graphs in which a pattern is matched.

    If the name is a variable, these are all streams, or the possible graph names and a new name.
    """
    source = pattern.arguments[3]
    if not isinstance(source, Variable):
        yield source
    elif pattern.predicate == STREAM_PREDICATE:
        yield from streams
    else:
        joined = values.get(source, (fresh(source, frozenset()),))
        yield from (name for name in joined if takes("name of a graph or stream", name))


def _triples(known: Background) -> Iterator[Atom]:
    yield from (Atom(TRIPLE, tuple(map(constant_of, quad))) for quad in known.get((TRIPLE, 4), ()))


def _values(
    programs: Sequence[Program], known: Sequence[Atom], copies: Mapping[Variable, int]
) -> tuple[Mapping[Variable, tuple[Constant, ...]], tuple[tuple[Iri, ...], ...]]:
    """Return the values to try for each variable, and the new values that are interchangeable."""
    classes = PositionClasses(programs, known)
    named = named_constants(programs)
    # What is new is new to the static data too: else a match there could hide a difference.
    constants = named | _constants(term for atom in known for term in atom.arguments)
    values: dict[Variable, tuple[Constant, ...]] = {}
    alike: list[tuple[Iri, ...]] = []
    ordering, gathering = tells_order(programs), is_gathering(programs)
    for variable in classes.names:
        if variable in values:
            continue
        check_time()
        names, places, conditions = classes.of(variable)
        if gathering:
            places = tuple(term for term in places if term in named)
        many = {name: 1 if gathering else max(1, copies.get(name, 0)) for name in names}
        summed = [more for name in names for more in _gathered(programs, name)] if gathering else []
        # Streams that are looked at together are tried one by one: a second value of each name, no more.
        second = gathering and not summed and (len(many) == 1 or not ordering)
        new = tuple(_new_values(many, constants, second=second))
        listed = region_values(places, conditions, new, sum(many.values()) + second * len(many), summed)
        values.update(dict.fromkeys(names, tuple(listed)))
        alike += [new] if gathering and not ordering else []
    return values, tuple(alike)


def _new_values(
    many: Mapping[Variable, int], constants: frozenset[Constant], *, second: bool
) -> Iterator[Iri]:
    for name, count in many.items():
        for copy in range(count + second):
            check_time()
            yield fresh(name, constants, copy)


def value_copies(
    programs: Sequence[Program], *, noisy: bool = False, most: int | None = None
) -> Counter[Variable]:
    """Return for each variable the number of different values that a stream may need.

    With `noisy`, a match of a pattern with any predicate can also make push evaluate. If at most `most`
    triples arrive, no variable needs more than three values per triple.
    """
    copies = Counter[Variable]()
    for program in programs:
        copies |= Counter(occurrences(program))
    anything = (
        atom for program in programs for atom in patterns(program) if isinstance(triple_of(atom)[1], Variable)
    )
    names = {term for atom in anything for term in triple_of(atom) if isinstance(term, Variable)}
    copies = copies + Counter(names) if noisy else copies
    return copies if most is None else Counter({name: min(n, 3 * most) for name, n in copies.items()})


def _instances(pattern: Atom, values: Mapping[Variable, tuple[Constant, ...]]) -> Iterator[tuple[Term, ...]]:
    names = sorted({term for term in triple_of(pattern) if isinstance(term, Variable)})
    for chosen in product(*(values[name] for name in names)):
        triple = triple_of(substitute(pattern, dict(zip(names, chosen, strict=True))))
        if is_rdf(triple):
            yield triple


def _constants(terms: Iterable[Term]) -> frozenset[Constant]:
    return frozenset(term for term in terms if not isinstance(term, Variable))
