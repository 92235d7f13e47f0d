"""Translations in the extreme: no stream to wait for, names of the encoding, many OPTIONALs."""

from lars.language.windows import Interval
from lars.text.notation import read
from solver.facts import Arrivals, Fact, Situation
from solver.job import ask
from solver.pointwise import models
from tests.agreement.comparisons import expand
from translate.analysis import remarks
from translate.dialects import read_query
from translate.model.query import Language, Setting
from translate.tau import lars_program, push


def test_predicates_with_the_names_of_the_encoding_stay_the_users():
    text = """big(X) ← ⊞^5 ◇ striple(X, p, ?Y, G), [?Y = "null"].
              test1(X) ← ⊞^5 ◇ striple(Z, p, X, G). now(X) ← test1(X). ask1(X) ← now(X), not value1(X)."""
    facts = [Fact(1, "striple", ("b", "p", '"o"', "g"))]
    (model,) = models(read(text), Situation(Interval(0, 5), facts, {}), 2)
    assert {str(atom) for _, atom in model} == {'test1("o")', 'now("o")', 'ask1("o")'}


def test_push_without_a_stream_to_wait_for_never_evaluates():
    query = read_query(expand("SELECT ?x { ?x :q ?y }"), "q.rq", Language.CQELS)
    question = ask(push(lars_program(query, Setting()), "query-streams"), ("ans1", 1))
    assert question.gate == Arrivals(())


def test_a_stream_that_is_a_variable_is_any_stream_whatever_its_name():
    query = read_query(expand("SELECT ?x { STREAM ?S [NOW] { ?x :q ?y } }"), "q.rq", Language.CQELS)
    question = ask(push(lars_program(query, Setting()), "query-streams"), ("ans1", 1))
    (pattern,) = question.gate.patterns
    assert len(set(pattern.arguments)) == 4


def test_many_optionals_are_translated_at_once():
    optionals = " ".join(f"OPTIONAL {{ ?x :p{i} ?y{i} }}" for i in range(40))
    query = read_query(expand(f"SELECT * {{ ?x :p ?y {optionals} }}"), "q.rq")
    assert remarks(query, Setting()) == ()
    assert len(lars_program(query, Setting("sparql11")).rules) == 40 * 4 + 1
