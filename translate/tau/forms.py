"""The forms of a query: what its answer predicate ans1 holds, and what its raw rows answer."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from lars.language.formulas import Assign, BodyLiteral, Call, Test, Truth
from lars.language.program import Rule
from lars.language.terms import DEFAULT, NULL, Atom, Blank, Iri, Literal, Signature, Term, Variable
from translate.analysis import without_paths, witnesses
from translate.model.patterns import Duplicates, Select, TriplePattern, variables
from translate.model.query import EngineQuery, Form, Semantics, Setting
from translate.tau.group_rules import projection_rules
from translate.tau.node import Head, Node, Solution, in_order
from translate.tau.tau import tau

TRIPLE: Final = tuple(map(Variable, ("subject", "predicate", "object")))
"""The columns of the answers of CONSTRUCT and DESCRIBE."""


def columns(query: EngineQuery, *, ordered_rows: bool = False) -> tuple[Variable, ...]:
    """Return what the first arguments of ans1 are: V̄, or subject, predicate, object.

    With `ordered_rows` V̄ is followed by the variables of ORDER BY that it lacks.
    """
    match query.form:
        case Form.SELECT:
            shown = in_order(query.result)
            known = variables(query.pattern)
            keys = (key.variable for key in query.modifiers.order if ordered_rows)
            more = (key for key in dict.fromkeys(keys) if key not in shown and key in known)
            return (*shown, *more)
        case Form.ASK:
            return ()
        case _:
            return TRIPLE


def answers(query: EngineQuery, node: Node) -> Iterator[Rule]:
    """Yield the rules that derive ans1 of a query."""
    pattern, modifiers = query.pattern, query.modifiers
    match query.form:
        case Form.SELECT:
            out = columns(query, ordered_rows=node.setting.ordered)
            bag = node.setting.semantics is Semantics.BAG
            yield from projection_rules(pattern, query.result, modifiers, Head(node, out, bag), tau)
        case Form.ASK:
            yield from projection_rules(pattern, (), modifiers, Head(node, (), keeps_duplicates=False), tau)
        case Form.CONSTRUCT:
            yield from _construct(query, node)
        case Form.DESCRIBE:
            yield from _described(query, node)


def _construct(query: EngineQuery, node: Node) -> Iterator[Rule]:
    # A blank node is new in each solution: then all of it counts, not only what the template names.
    pattern, child = query.pattern, node.child(0)
    new = any(isinstance(term, Blank) for triple in query.template for term in triple.terms)
    # And a slice is one of solutions, before the template is applied to them.
    whole = new or query.modifiers.slices
    out = in_order(variables(pattern)) if whole else in_order(query.result)
    kept = child.bag and whole
    yield from projection_rules(pattern, out, query.modifiers, Head(child, out, kept), tau)
    solution = Solution(Select(pattern, out, query.modifiers), replace(child, bag=kept)).atom()
    for triple in query.template:
        yield _constructed(triple, solution, out, node)


def _constructed(triple: TriplePattern, solution: Atom, known: tuple[Variable, ...], node: Node) -> Rule:
    # What is no triple of RDF is left out (SPARQL 1.1, 16.2).
    terms: list[Term] = []
    body: list[BodyLiteral] = [solution]
    new: dict[Term, Variable] = {}
    for term in triple.terms:
        if isinstance(term, Blank) and term not in new:
            new[term] = node.fresh(f"B{len(new)}")
            label = Literal(term.label)
            body.append(Assign(new[term], Call("BNODE", (label, label, *solution.arguments))))
        lacks = isinstance(term, Variable) and term not in known
        terms.append(NULL if lacks else new.get(term, term))
    subject, predicate, object_ = terms
    body.append(Test(Call("||", (_is("ISIRI", subject), _is("ISBLANK", subject)))))
    body.append(Test(_is("ISIRI", predicate)))
    body.append(Test(Call("BOUND", (object_,))))
    kept = (part for part in body if not _is_plain(part))
    return Rule(node.atom(terms), tuple(kept))


def _is(kind: str, term: Term) -> Call:
    return Call(kind, (term,))


def _is_plain(part: BodyLiteral) -> bool:
    # Conditions on IRIs of the template, which are true.
    match part:
        case Test(Call("ISIRI" | "BOUND", (Iri(),))) | Test(Call("BOUND", (Literal(),))):
            return True
        case Test(Call("||", (Call("ISIRI", (Iri(),)), _))):
            return True
        case _:
            return False


def _described(query: EngineQuery, node: Node) -> Iterator[Rule]:
    out = in_order(query.result)
    child = node.child(0)
    yield from projection_rules(
        query.pattern, query.result, query.modifiers, Head(child, out, keeps_duplicates=False), tau
    )
    subject, predicate, object_ = TRIPLE
    described = Atom("described", (subject,))
    for what in query.described:
        if isinstance(what, Iri):
            yield Rule(Atom("described", (what,)), (Truth(),))
        elif what in out:
            yield Rule(Atom("described", (what,)), (child.atom(out), Test(Call("BOUND", (what,)))))
    triple = Atom("triple", (subject, predicate, object_, DEFAULT))
    yield Rule(node.atom(TRIPLE), (described, triple))
    yield Rule(Atom("described", (object_,)), (described, triple, Test(_is("ISBLANK", object_))))


Row = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Output:
    """The answer predicate of a query: ans1 with `width` arguments, the first of which are `variables`.

    `order` are the columns that ORDER BY sorts by, with whether it is descending; columns after
    those of `variables` are not shown. In a multiset (`bag`) each raw row is one answer.
    """

    variables: tuple[Variable, ...]
    width: int
    order: tuple[tuple[int, bool], ...] = ()
    bag: bool = False

    @property
    def predicate(self) -> Signature:
        """Name and arity of the answer predicate."""
        return "ans1", self.width

    def answers(self, found: Iterable[Row]) -> list[Row]:
        """Return the answers of raw rows in their order; a set keeps the first of equal ones."""
        rows = [row[: len(self.variables)] for row in found]
        return rows if self.bag else list(dict.fromkeys(rows))


def output_of(query: EngineQuery, setting: Setting) -> Output:
    """Return how the answers of the query's program are read."""
    shown = columns(query)
    if query.form is not Form.SELECT:
        return Output(shown, len(shown))
    wide = columns(query, ordered_rows=setting.ordered)
    keys = query.modifiers.order if setting.ordered else ()
    order = tuple((wide.index(key.variable), key.descending) for key in keys if key.variable in wide)
    bag = setting.semantics is Semantics.BAG and query.modifiers.duplicates is not Duplicates.DISTINCT
    if not bag:
        return Output(shown, len(wide), order)
    pattern = without_paths(query.pattern, frozenset(in_order(variables(query.pattern))))
    hidden = variables(pattern) - frozenset(query.result)
    return Output(shown, len(wide) + len(hidden) + witnesses(pattern), order, bag=True)
