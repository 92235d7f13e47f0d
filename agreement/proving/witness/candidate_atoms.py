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
    constants_in,
    fresh,
    integer,
    is_finite,
    number,
    numbers,
    terms,
    told_apart,
    triple_terms,
    truth_constants,
)
from agreement.proving.values import parts as parts_of
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
    """Yield the triple patterns of a LARS program, in streams and static data, in the order of its rules."""
    for rule in program.rules:
        for literal in () if is_import(rule) else rule.body:
            for atom, _, _ in atoms(literal):
                if atom.predicate in (TRIPLE, STREAM_PREDICATE):
                    yield atom


def stream_variables(programs: Iterable[Program]) -> tuple[Variable, ...]:
    """Return the variables whose values are names of streams, without the variables of triggers."""
    rules = (rule for program in programs for rule in program.rules if rule.head != TRIGGER)
    sources = {
        atom.arguments[3]
        for rule in rules
        for atom in patterns(Program((rule,)))
        if atom.predicate == STREAM_PREDICATE
    }
    return tuple(sorted(source for source in sources if isinstance(source, Variable)))


def triple_of(atom: Atom) -> tuple[Term, ...]:
    """Return the subject, predicate and object of a pattern, without the name of its stream or graph."""
    return atom.arguments[:3]


def named_constants(programs: Iterable[Program]) -> frozenset[Constant]:
    """Return all IRIs, literals and triple terms in LARS programs."""
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
    """Return whether one triple can match two patterns; the names of their streams do not matter."""
    pairs = zip(triple_of(atom), triple_of(other), strict=True)
    return all(isinstance(a, Variable) or isinstance(b, Variable) or a == b for a, b in pairs)


class PositionClasses:
    """The variables of LARS programs in classes: two variables that can have the same value share a class.

    The triples in `known` are static data, whose terms can also be values of variables.
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
            # A condition such as ?a = ?b can give all its variables one value.
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
        """Record that terms at the same position of the same derived predicate can be equal."""
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
"""The aggregates whose values do not change if IRIs get other names."""
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
    """Return whether some program has an aggregate, LIMIT or OFFSET.

    Aggregates, LIMIT and OFFSET depend on several rows together.
    """
    return any(isinstance(part, logic.SetLiteral) for part in _literals(programs))


def tells_order(programs: Iterable[Program]) -> bool:
    """Return whether the rows of a program may depend on the choice of new IRIs.

    The rows depend on the choice if the program orders IRIs, or uses their text.
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
    """Yield numbers to try as values of a variable if SUM or AVG uses it.

    The numbers are the numbers in conditions, rounded to integers, and their neighbors.
    """
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
    """Return the values to try for variables that can be equal: `many` terms per region, and constants.

    A region is a set of terms that no condition on one variable distinguishes. A condition on several
    variables is split at && and ||, and its parts with one variable also distinguish terms. If a part has
    several variables, the result contains numbers between all constants, at least as many as the part has
    variables.
    """
    expressions = [each for condition in conditions for each in _expressions(condition)]
    compared = [*constants_in(expressions), *triple_terms(expressions, new)]
    compared += truth_constants(expressions, many)
    parts = [each for each in expressions if len(variables_of(each)) == 1]

    def region(term: Constant) -> tuple[bool, ...]:
        pairs = ((each, {name: term}) for each in parts for name in variables_of(each))
        return tuple(test(each, truth, binding) for each, binding in pairs for truth in (True, False))

    if len(parts) == len(expressions):
        apart = told_apart([*new, *terms(compared, (), many, linked=many)], region, many, constants)
        return _with((*apart[: len(new)], *summed, *apart[len(new) :]), constants)
    several = max(many, *(len(variables_of(each)) for each in expressions))
    every = [*new, *summed, *(term for term in compared if isinstance(term, Iri | Literal | TripleTerm))]
    # NaN is neither less than, greater than nor equal to a number, and its comparison is no error.
    every += [*numbers(compared, several), Literal("NaN", XSD + "double")]
    every += _TYPED if any(_functions(each) - COMPARED for each in expressions) else ()
    return _with(every, constants)


def _with(values: Iterable[Constant], constants: Iterable[Constant]) -> list[Constant]:
    return list(dict.fromkeys((*values, *constants)))


def _expressions(condition: logic.Condition) -> Iterator[logic.Expression]:
    """Yield the expression of a condition, split at && and || if the condition has several variables."""
    match condition:
        case logic.Test(expression) if len(variables_of(expression)) <= 1:
            yield expression
        case logic.Test(expression):
            yield from parts_of(expression)
        case logic.Assign(variable, expression):
            yield logic.Call("=", (variable, expression))
        case logic.Comparison(Variable(), "=", Variable()):
            pass  # Equal variables are one value, as in a join, and no value is in another region.
        case logic.Comparison(left, _, right):
            sides = tuple(
                side for side in (left, right) if isinstance(side, Variable | Iri | Literal | TripleTerm)
            )
            yield from (logic.Call("SAMETERM", sides),) if len(sides) > 1 else ()
        case _:
            pass


def occurrences(program: Program) -> Mapping[Variable, int]:
    """Return, for each variable, how many different values it can have in one derivation of a row.

    If a rule hides a variable (in a sub-SELECT or EXISTS), the variable can have another value in each use of
    the rule. If rules depend on each other in a loop, only one round of the loop is counted.
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

    The union does not mark terms as interchangeable.
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
    """Return the triples from which a search builds streams: instances of the programs' triple patterns.

    Each triple is in the stream or graph of its pattern. If `any_source` is true, each triple can be in all
    streams and in the static data. If `known` is None, the result also contains static triples to choose. For
    each stream, the result also contains triples with new names, which push other triples out of tuple
    windows. `copies` is the number of new values for each variable, by default the result of `value_copies`.

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
    """Return new stream names to try as values of variables that stand for streams."""
    sources = stream_variables(programs)
    named = (name for source in sources for name in values.get(source, ()))
    return [name for name in dict.fromkeys(named) if isinstance(name, Iri) and name not in streams]


_MOST_DISPLACING: Final = 3
"""A guess: streams that must push out more triples are too large for the search anyway."""


def _displacing(programs: Iterable[Program], stream: Iri) -> int:
    """Return how many triples that arrive at one time push all others out of a stream's tuple windows.

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
    """Return, for each triple pattern, the streams and graphs in which a triple can match the pattern.

    A pattern that occurs only in programs that merge windows can match in any stream and in the static data.
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
    """Yield the names of the streams or graphs in which a pattern is matched.

    If the name of a stream is a variable, all streams are possible. If the name of a graph is a variable, its
    possible values are names of graphs.
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
    """Return the values to try for each variable, and groups of new IRIs that are interchangeable."""
    classes = PositionClasses(programs, known)
    named = named_constants(programs)
    # New values must not occur in static data either, where a match could hide a difference.
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
        # With aggregates, whole streams are tried one by one, so each name gets one second value at most.
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
    """Return, for each variable, the number of different values that a smallest stream may need.

    If `noisy` is true, one more triple can match a pattern with a variable as predicate, only to make push
    evaluate. If `most` is given, at most `most` triples arrive, so no variable needs more than 3 · `most`
    values.
    """
    copies = Counter[Variable]()
    for program in programs:
        copies |= Counter(occurrences(program))
    anything = (
        atom for program in programs for atom in patterns(program) if isinstance(triple_of(atom)[1], Variable)
    )
    names = {term for atom in anything for term in triple_of(atom) if isinstance(term, Variable)}
    # Its terms must differ from those of the row's own triples, or it would be one of them.
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
