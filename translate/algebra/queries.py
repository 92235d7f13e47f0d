"""SPARQL's syntax tree → patterns, by the definitions of SPARQL 1.1, Section 18.2."""

from typing import TYPE_CHECKING, Final

from lars.errors import PlacedError
from lars.language.terms import Iri, Variable
from translate.algebra.expression_reader import SyntaxLeaves
from translate.algebra.groups import Groups
from translate.algebra.levels import Solutions, read_level, read_subquery
from translate.algebra.triples import Scope, read_template
from translate.model.patterns import TriplePattern, variables
from translate.model.query import Dataset, EngineQuery, Form, Language
from translate.sparql import deep_recursion, read_tree

if TYPE_CHECKING:
    from rdflib.plugins.sparql.parserutils import CompValue

_FORMS: Final = {
    "SelectQuery": Form.SELECT,
    "AskQuery": Form.ASK,
    "ConstructQuery": Form.CONSTRUCT,
    "DescribeQuery": Form.DESCRIBE,
}


def translate(leaves: SyntaxLeaves, language: Language) -> EngineQuery:
    """Return the query of a text whose streaming clauses are lifted out.

    Raises QueryError and UnsupportedError with their places.
    """
    with deep_recursion():
        return _translate(leaves, language)


def _translate(leaves: SyntaxLeaves, language: Language) -> EngineQuery:
    tree, error = read_tree(leaves.document, leaves.lifted)
    try:
        query = _read(tree, leaves, language)
    except PlacedError as found:
        if error is not None and _position(error) < _position(found):
            raise error from None
        raise
    if error is not None:
        raise error
    return query


def _position(error: PlacedError) -> tuple[int, int]:
    return error.place.line, error.place.column


def _read(tree: "CompValue", leaves: SyntaxLeaves, language: Language) -> EngineQuery:
    lifted, form = leaves.lifted, _FORMS[tree.name]
    scope = Scope(leaves)
    dataset = _dataset(tree, leaves)
    template = _template(tree, scope) if form is Form.CONSTRUCT else ()
    solutions = read_level(Groups(scope, read_subquery), tree)
    described = _described(tree, scope, solutions) if form is Form.DESCRIBE else ()
    return EngineQuery(
        language=language,
        form=form,
        result=_result(form, solutions, template, described),
        pattern=solutions.pattern,
        dataset=dataset,
        merged=lifted.merged,
        name=lifted.name,
        every=lifted.every,
        modifiers=solutions.modifiers,
        template=template,
        described=described,
        declared=lifted.declared,
        to_stream=lifted.to_stream,
        registers_stream=lifted.registers_stream,
        notes=(*lifted.notes, *scope.notes),
    )


def _template(tree: "CompValue", scope: Scope) -> tuple[TriplePattern, ...]:
    """Return the template of CONSTRUCT; CONSTRUCT WHERE {..} has the triples of its pattern."""
    if tree.where is not None and tree.where.name == "FakeGroupGraphPatten":
        return read_template([block for part in tree.where.part for block in part.triples], scope)
    return read_template(tree.template or (), scope)


def _described(tree: "CompValue", scope: Scope, solutions: Solutions) -> tuple[Iri | Variable, ...]:
    """Return what DESCRIBE names, each once; * names all variables in scope."""
    if not tree.var:
        return scope.bindable_variables(solutions.pattern)
    terms = dict.fromkeys(scope.leaves.term(leaf) for leaf in tree.var)
    return tuple(term for term in terms if isinstance(term, Iri | Variable))


def _result(
    form: Form,
    solutions: Solutions,
    template: tuple[TriplePattern, ...],
    described: tuple[Iri | Variable, ...],
) -> tuple[Variable, ...]:
    match form:
        case Form.SELECT:
            return solutions.result
        case Form.ASK:
            return ()
        case Form.DESCRIBE:
            return tuple(term for term in described if isinstance(term, Variable))
        case Form.CONSTRUCT:
            bound = variables(solutions.pattern)
            terms = dict.fromkeys(term for triple in template for term in triple.terms)
            return tuple(term for term in terms if isinstance(term, Variable) and term in bound)


def _dataset(tree: "CompValue", leaves: SyntaxLeaves) -> Dataset:
    """Return the graphs of FROM and FROM NAMED."""
    clauses = tree.datasetClause or ()
    default = [leaves.term(clause.default) for clause in clauses if clause.default]
    named = [leaves.term(clause.named) for clause in clauses if clause.named]
    return Dataset(
        tuple(iri for iri in default if isinstance(iri, Iri)),
        tuple(iri for iri in named if isinstance(iri, Iri)),
    )
