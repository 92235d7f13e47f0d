"""A query as a LARS program: the answer predicate ans1 for each form of a query, and the query's windows.

The execution modes push and pull are rules too (LARS 2015, Sections 3 and 4.1).
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, assert_never

from lars.dataclass import dataclass
from lars.language import formulas
from lars.language.program import Program, Rule, atoms
from lars.language.terms import (
    DEFAULT,
    NULL,
    Atom,
    Blank,
    Iri,
    Literal,
    Number,
    Signature,
    Term,
    TripleTerm,
    Variable,
)
from lars.language.windows import NOW
from translate.analysis import expressions_of, occurring_variables, parts, without_paths, witnesses
from translate.errors import ModelError
from translate.model.patterns import Select, StreamBlock, TriplePattern, variables
from translate.model.query import EngineQuery, Language, Setting, Trigger
from translate.model.windows import window_operator
from translate.sparql import deep_recursion
from translate.tau.expressions import arrivals, uses_arrivals
from translate.tau.node import STREAM_QUAD, Head, Node, in_order
from translate.tau.rules import projection_rules

TRIPLE: Final = tuple(map(Variable, ("subject", "predicate", "object")))
"""The columns of the answers of CONSTRUCT and DESCRIBE."""


def columns(query: EngineQuery, *, ordered_rows: bool = False) -> tuple[Variable, ...]:
    """Return the first arguments of ans1: the result variables V̄ in order, or subject, predicate and object.

    If `ordered_rows` is true, the variables of ORDER BY that are not in V̄ come after V̄.
    """
    match query.form:
        case "SELECT":
            order = in_order(query.result)
            known = variables(query.pattern)
            keys = (key.variable for key in query.modifiers.order if ordered_rows)
            more = (key for key in dict.fromkeys(keys) if key not in order and key in known)
            return (*order, *more)
        case "ASK":
            return ()
        case _:
            return TRIPLE


def answers(query: EngineQuery, node: Node) -> Iterator[Rule]:
    """Yield the rules that derive the answer predicate ans1 of a query."""
    pattern, modifiers = query.pattern, query.modifiers
    match query.form:
        case "SELECT":
            out = columns(query, ordered_rows=node.setting.ordered)
            bag = node.setting.semantics == "bag"
            yield from projection_rules(pattern, query.result, modifiers, Head(node, out, bag))
        case "ASK":
            # However many solutions exist, the answer is one atom without arguments, or none.
            yield from projection_rules(pattern, (), modifiers, Head(node, (), keeps_duplicates=False))
        case "CONSTRUCT":
            yield from _construct(query, node)
        case "DESCRIBE":
            yield from _described(query, node)


def _construct(query: EngineQuery, node: Node) -> Iterator[Rule]:
    # Each solution has its own blank nodes, so solutions that differ only in hidden variables count as two.
    pattern, child = query.pattern, node.child(0)
    leaves = (leaf for triple in query.template for leaf in TripleTerm(*triple.terms).leaves())
    new = any(isinstance(term, Blank) for term in leaves)
    # LIMIT and OFFSET count whole solutions, before the template is applied.
    whole = new or query.modifiers.slices
    out = in_order(variables(pattern)) if whole else in_order(query.result)
    kept = child.bag and whole
    yield from projection_rules(pattern, out, query.modifiers, Head(child, out, kept))
    solution = replace(child, bag=kept).solution(Select(pattern, out, query.modifiers)).atom()
    for triple in query.template:
        yield _constructed(triple, solution, out, node)


def _constructed(triple: TriplePattern, solution: Atom, known: tuple[Variable, ...], node: Node) -> Rule:
    # Triples that are not valid RDF are left out (SPARQL 1.1, 16.2).
    body: list[formulas.BodyLiteral] = [solution]
    new: dict[Term, Variable] = {}

    def computed(term: Term) -> Term:
        inside: formulas.Expression | None = None
        if isinstance(term, Blank):
            label = Literal(term.label)
            inside = formulas.Call("BNODE", (label, label, *solution.arguments))
        elif isinstance(term, TripleTerm) and not term.is_fixed():
            inside = formulas.Call("TRIPLE", tuple(map(computed, term.terms)))
        if inside is not None and term not in new:
            new[term] = node.fresh(f"B{len(new)}")
            body.append(formulas.Assign(new[term], inside))
        return NULL if isinstance(term, Variable) and term not in known else new.get(term, term)

    terms = list(map(computed, triple.terms))
    subject, predicate, object_ = terms
    body.append(formulas.Test(formulas.Call("||", (_is("ISIRI", subject), _is("ISBLANK", subject)))))
    body.append(formulas.Test(_is("ISIRI", predicate)))
    body.append(formulas.Test(formulas.Call("BOUND", (object_,))))
    kept = (part for part in body if not _is_plain(part))
    return Rule(node.atom(terms), tuple(kept))


def _is(kind: str, term: Term) -> formulas.Call:
    return formulas.Call(kind, (term,))


def _is_plain(part: formulas.BodyLiteral) -> bool:
    # A condition on a constant of the template is known to be true, so the rule omits it.
    match part:
        case formulas.Test(formulas.Call("ISIRI" | "BOUND", (Iri(),))) | formulas.Test(
            formulas.Call("BOUND", (Literal(),))
        ):
            return True
        case formulas.Test(formulas.Call("||", (formulas.Call("ISIRI", (Iri(),)), _))):
            return True
        case _:
            return False


def _described(query: EngineQuery, node: Node) -> Iterator[Rule]:
    out = in_order(query.result)
    child = node.child(0)
    yield from projection_rules(
        query.pattern, query.result, query.modifiers, Head(child, out, keeps_duplicates=False)
    )
    subject, predicate, object_ = TRIPLE
    described = Atom("described", (subject,))
    for what in query.described:
        if isinstance(what, Iri):
            yield Rule(Atom("described", (what,)), (formulas.Truth(),))
        elif what in out:
            yield Rule(
                Atom("described", (what,)), (child.atom(out), formulas.Test(formulas.Call("BOUND", (what,))))
            )
    triple = Atom("triple", (subject, predicate, object_, DEFAULT))
    yield Rule(node.atom(TRIPLE), (described, triple))
    # A blank node has no name by which a user could ask for it, so its triples belong to the description.
    yield Rule(Atom("described", (object_,)), (described, triple, formulas.Test(_is("ISBLANK", object_))))


Row = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Output:
    """The answer predicate of a query: ans1 with `width` arguments, which begin with `variables`.

    The field `order` contains the columns of ORDER BY, each with a boolean that is true for descending. The
    columns after `variables` are not shown to the user. If `bag` is true, answers form a multiset, and each
    atom of ans1 is one answer.
    """

    variables: tuple[Variable, ...]
    width: int
    order: tuple[tuple[int, bool], ...] = ()
    bag: bool = False

    @property
    def predicate(self) -> Signature:
        """The name and arity of the answer predicate."""
        return "ans1", self.width

    def answers(self, all_rows: Iterable[Row]) -> list[Row]:
        """Return the answers for rows of ans1, in the same order; without `bag`, equal answers count once."""
        rows = [row[: len(self.variables)] for row in all_rows]
        return rows if self.bag else list(dict.fromkeys(rows))


def output_of(query: EngineQuery, setting: Setting) -> Output:
    """Return the answer predicate and the columns of the query's program."""
    names = columns(query)
    if query.form != "SELECT":
        return Output(names, len(names))
    wide = columns(query, ordered_rows=setting.ordered)
    keys = query.modifiers.order if setting.ordered else ()
    order = tuple((wide.index(key.variable), key.descending) for key in keys if key.variable in wide)
    bag = setting.semantics == "bag" and query.modifiers.duplicates != "DISTINCT"
    if not bag:
        return Output(names, len(wide), order)
    pattern = without_paths(query.pattern)
    hidden = variables(pattern) - frozenset(query.result)
    return Output(names, len(wide) + len(hidden) + witnesses(pattern), order, bag=True)


def lars_program(query: EngineQuery, setting: Setting) -> Program:
    """Return the LARS program of a query; the atoms of ans1 at a time point are the answers at that time."""
    with deep_recursion():
        results = frozenset(query.result)
        plain = replace(query, pattern=without_paths(query.pattern, results))
        taken = results | occurring_variables(plain.pattern)
        bag = setting.semantics == "bag"
        node = Node(setting, taken, bag=bag, empty_group=query.language.manner.empty_group)
        imports = _imports(query.merged, setting)
        return Program((*answers(plain, node), *imports, *_arrival_rules(plain, setting)))


def _imports(merged: tuple[StreamBlock, ...], setting: Setting) -> Iterator[Rule]:
    triple = (Variable("S"), Variable("P"), Variable("O"))
    for part in merged:
        window = window_operator(part.window, part.stream, setting.unit, setting.bounds)
        seen = formulas.In(window, formulas.Diamond(Atom("striple", (*triple, part.stream))))
        yield Rule(Atom("triple", (*triple, DEFAULT)), (seen,))


def _arrival_rules(query: EngineQuery, setting: Setting) -> Iterator[Rule]:
    if any(uses_arrivals(term) for part in parts(query.pattern) for term in expressions_of(part)):
        if query.language is not Language.CSPARQL:
            raise ModelError(f"f:timestamp is a function of C-SPARQL; {query.language.value} has none")
        windows = (
            (window_operator(part.window, part.stream, setting.unit, setting.bounds), part.stream)
            for part in query.merged
        )
        yield from arrivals(tuple(windows))


TRIGGER: Final = Atom("trigger")


def push(program: Program, trigger: Trigger = "any") -> Program:
    """Return the pushed program ▷P, in which each rule with a body requires the atom `trigger`.

    Additional rules derive `trigger` at each time at which input arrives.

    Here, rules derive `trigger` from input atoms. In the paper, rules derive `trigger` from derived atoms, so
    it would never hold.
    """
    arrivals = (
        Rule(TRIGGER, (formulas.In(NOW, formulas.Diamond(atom)),)) for atom in _arriving(program, trigger)
    )
    return Program((*_gated(program), *arrivals))


def pull(program: Program, period: int) -> Program:
    """Return the pulled program ◁(P, U), in which rules with a body apply only at multiples of U > 0."""
    if period <= 0:
        raise ModelError(f"the pulling period {period} is not positive")
    return pull_at(program, ((period, 0),))


def pull_at(program: Program, series: Iterable[tuple[int, int]]) -> Program:
    """Return the program in which rules with a body apply only at the times of at least one series.

    A series (U, k) consists of the times k, k + U, k + 2U, ..., such as the closes of a window.
    """
    time = Variable("T")
    rules = []
    for period, offset in series:
        # A period may print as the duration that it was written as; a program has numbers.
        rest = formulas.Operation("mod", time, Number(int(period)))
        at_time = formulas.In(NOW, formulas.At(time, formulas.Truth()))
        # Earlier times of the same remainder come before the first close: no window has closed there.
        begun = (formulas.Comparison(time, ">=", Number(offset)),) if offset >= period else ()
        at_time_of_series = formulas.Comparison(rest, "=", Number(offset % int(period)))
        rules.append(Rule(TRIGGER, (at_time, at_time_of_series, *begun)))
    return Program((*_gated(program), *rules))


def _gated(program: Program) -> tuple[Rule, ...]:
    # Facts are background, which holds at each time; with a trigger in the body, they would be rules (M2).
    return tuple(Rule(rule.head, (*rule.body, TRIGGER)) if rule.body else rule for rule in program.rules)


def _arriving(program: Program, trigger: Trigger) -> tuple[Atom, ...]:
    anything, any_stream = (Variable("S"), Variable("P"), Variable("O")), Variable("G")
    match trigger:
        case "any":
            return (Atom("striple", (*anything, any_stream)),)
        case "query-streams":
            named = (atom.arguments[-1] for atom in _stream_atoms(program))
            # Not the query's own name, which could be S, P or O, so that the pattern would match too little.
            sources = dict.fromkeys(any_stream if isinstance(name, Variable) else name for name in named)
            return tuple(Atom("striple", (*anything, source)) for source in sources)
        case "matching":
            return tuple(dict.fromkeys(_stream_atoms(program)))
        case _:
            assert_never(trigger)


def _stream_atoms(program: Program) -> tuple[Atom, ...]:
    return tuple(
        atom
        for rule in program.rules
        for literal in rule.body
        for atom, _, _ in atoms(literal)
        if atom.predicate in {"striple", STREAM_QUAD}
    )
