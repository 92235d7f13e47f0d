"""The program under test as a SPARQL engine: a query through logic, solved at one time point.

The default graph is what one window of a stream shows, all its triples at one time; named graphs are
static data. The dataset is the one handed over: FROM and FROM NAMED of the query are left out.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from lars.language import terms
from lars.language.terms import Iri
from lars.language.windows import Interval
from solver.facts import STREAM_PREDICATE, Fact, Situation, constant_of
from solver.job import ask
from solver.rdf import sorted_rows
from tests.solver.in_process import evaluate
from tests.sparql import syntax
from tests.sparql.writing import write_query
from translate.dialects import read_query
from translate.model.patterns import StreamBlock
from translate.model.query import Dataset, EngineQuery, Form, Setting
from translate.model.windows import Now
from translate.tau import lars_program, output_of

STREAM = Iri("urn:x-lars:default")
SETTING = Setting(profile="sparql11", semantics="bag", ordered=True)
TIME = 1


@dataclass(frozen=True, slots=True)
class Answer:
    """Columns and rows of texts, None where unbound; ASK has no column, and a row if it is true."""

    form: Form
    columns: tuple[str, ...]
    rows: list[tuple[str | None, ...]]


def read(text: str, base: str = "") -> EngineQuery:
    """Return the query, reading what the window shows as its default graph."""
    return replace(
        read_query(text, "query", base=base), dataset=Dataset(), merged=(StreamBlock(STREAM, Now()),)
    )


def answer(
    query: EngineQuery,
    default: Iterable[tuple[str, str, str]],
    named: Mapping[str, Iterable[tuple[str, str, str]]],
) -> Answer:
    """Return the answer of a query to a dataset whose terms are canonical texts."""
    facts = [Fact(TIME, STREAM_PREDICATE, (*triple, str(STREAM))) for triple in default]
    triples = [(*triple, name) for name, inside in named.items() for triple in inside]
    background = {("triple", 4): triples, ("named", 1): [(name,) for name in named]}
    read_as = output_of(query, SETTING)
    question = ask(lars_program(query, SETTING), read_as.predicate)
    whole = Interval(TIME, TIME)
    found = [row for _, _, row in evaluate([question], Situation(whole, facts, background), whole)]
    rows = read_as.answers(ordered(found, read_as.order))
    return Answer(query.form, tuple(variable.name for variable in read_as.variables), rows)


def ordered(rows, keys):
    """Return rows of texts in the order of the keys, columns with whether they descend."""
    found = [tuple(text and constant_of(text) for text in row) for row in rows]
    return [tuple(term and str(term) for term in row) for row in sorted_rows(found, keys)]


def ours(query, dataset):
    """Return the program's answer to a random case, in terms of its syntax tree."""
    named = {text_of(name): map(texts, triples) for name, triples in dataset.named.items()}
    found = answer(read(write_query(query)), map(texts, dataset.default), named)
    match found.form:
        case "ASK":
            return bool(found.rows)
        case "SELECT":
            pairs = [zip(found.columns, row, strict=True) for row in found.rows]
            return [{name: term_of(text) for name, text in row if text is not None} for row in pairs]
        case _:
            return frozenset(tuple(map(term_of, row)) for row in found.rows)


def texts(triple):
    return tuple(map(text_of, triple))


def text_of(term):
    match term:
        case syntax.Iri(value):
            return str(terms.Iri(value))
        case syntax.Blank(label):
            return str(terms.Blank(label))
        case syntax.Literal(lexical, datatype, language):
            return str(terms.Literal(lexical, datatype, language))


def term_of(text):
    match constant_of(text):
        case terms.Iri(value):
            return syntax.Iri(value)
        case terms.Blank(label):
            return syntax.Blank(label)
        case terms.Literal(lexical, datatype, language):
            return syntax.Literal(lexical, datatype, language)
        case other:
            raise TypeError(other)
