"""SPARQL 1.1: property paths, and how they and triple patterns are joined."""

import pytest

from lars.language.terms import Iri, Variable
from tests.translate.marked import fails_at_mark
from translate.dialects import read_query
from translate.model.patterns import (
    Alternative,
    Bgp,
    Inverse,
    Join,
    NegatedSet,
    PathPattern,
    PathSequence,
    RepeatedPath,
    StreamBlock,
    TriplePattern,
)
from translate.model.windows import Now

A, B, C = (Iri(name) for name in "abc")
TYPE = Iri("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
S, O, X = (Variable(name) for name in "sox")  # noqa: E741 - the names of the texts


def pattern_of(group):
    return read_query(f"PREFIX : <> SELECT * {{ {group} }}", "q.rq").pattern


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (":a/:b/:c", PathSequence(PathSequence(A, B), C)),
        (":a|:b|:c", Alternative(Alternative(A, B), C)),
        (":a|:b/:c", Alternative(A, PathSequence(B, C))),
        ("(:a|:b)/:c", PathSequence(Alternative(A, B), C)),
        (":a *", RepeatedPath(A, "*")),
        ("<a>+", RepeatedPath(A, "+")),
        (":a?", RepeatedPath(A, "?")),
        ("(:a/:b)*", RepeatedPath(PathSequence(A, B), "*")),
        ("((:a)+)?", RepeatedPath(RepeatedPath(A, "+"), "?")),
        ("^:a/:b", PathSequence(Inverse(A), B)),
        ("^(:a/:b)", Inverse(PathSequence(A, B))),
        ("^:a*", Inverse(RepeatedPath(A, "*"))),
        ("a/:a", PathSequence(TYPE, A)),
        ("!:a", NegatedSet((A,))),
        ("!^:a", NegatedSet((), (A,))),
        ("!a", NegatedSet((TYPE,))),
        ("!(:a|^:b|:c|^a)", NegatedSet((A, C), (B, TYPE))),
        ("! ( ^ :b )", NegatedSet((), (B,))),
        ("!()", NegatedSet()),
        ("(!:a)/!^:b", PathSequence(NegatedSet((A,)), NegatedSet((), (B,)))),
    ],
)
def test_each_path_expression_is_its_tree(text, path):
    assert pattern_of(f"?s {text} ?o") == PathPattern(S, path, O)


@pytest.mark.parametrize(
    ("text", "triple"),
    [
        (":a", TriplePattern(S, A, O)),
        ("((:a))", TriplePattern(S, A, O)),
        ("^:a", TriplePattern(O, A, S)),
        ("^a", TriplePattern(O, TYPE, S)),
        ("^(:a)", TriplePattern(O, A, S)),
        ("?x", TriplePattern(S, X, O)),
    ],
)
def test_a_path_of_one_link_is_a_triple_pattern(text, triple):
    assert pattern_of(f"?s {text} ?o") == Bgp((triple,))


def test_adjacent_triple_patterns_are_one_pattern_and_a_path_parts_them():
    triple = TriplePattern(S, A, O)
    path = PathPattern(S, PathSequence(A, B), X)
    found = pattern_of("?s :a ?o . ?s :a ?o . ?s :a/:b ?x . ?s :a ?o")
    assert found == Join(Join(Bgp((triple, triple)), path), Bgp((triple,)))


def test_a_filter_ends_no_basic_graph_pattern():
    found = pattern_of("?s :a ?o FILTER (?o > 1) ?s :a/:b ?x FILTER (?x > 1) ?s :a+ ?x").pattern
    first = Join(Bgp((TriplePattern(S, A, O),)), PathPattern(S, PathSequence(A, B), X))
    assert found == Join(first, PathPattern(S, RepeatedPath(A, "+"), X))


def test_blank_nodes_are_shared_by_the_paths_and_triples_of_one_run():
    found = pattern_of("_:a :a/:b ?o ; :c [] . ?o :a _:a")
    blank, other = Variable("_b0"), Variable("_b1")
    triples = (TriplePattern(blank, C, other), TriplePattern(O, A, blank))
    assert found == Join(PathPattern(blank, PathSequence(A, B), O), Bgp(triples))


def test_lists_of_objects_repeat_their_path():
    found = pattern_of("?s :a/:b ?o, ?x ; ^:c ?x ;; .")
    paths = Join(PathPattern(S, PathSequence(A, B), O), PathPattern(S, PathSequence(A, B), X))
    assert found == Join(paths, Bgp((TriplePattern(X, C, S),)))


def test_a_path_inside_brackets_starts_at_their_blank_node():
    found = pattern_of("?s :c [ :a+ ?o ]")
    path = PathPattern(Variable("_b0"), RepeatedPath(A, "+"), O)
    assert found == Join(Bgp((TriplePattern(S, C, Variable("_b0")),)), path)


def test_the_paths_of_a_stream_block_are_read_in_its_window():
    found = pattern_of("STREAM <s> [NOW] { ?s :a/:b ?o . ?o :c ?x }")
    parts = PathPattern(S, PathSequence(A, B), O), Bgp((TriplePattern(O, C, X),))
    assert found == Join(*(StreamBlock(Iri("s"), Now(), part) for part in parts))


@pytest.mark.parametrize(
    ("marked", "word"),
    [
        ("ASK { ?s <a>/¦?p ?o }", "an IRI"),
        ("ASK { ?s !(<a>|¦(<b>)) ?o }", "an IRI"),
        ("ASK { ?s (<a>/<b> ¦?o }", ")"),
        ("ASK { ?s <a>|¦'b' ?o }", "an IRI"),
        ("ASK { ?s ¦'b' ?o }", "an IRI"),
        ("ASK { _:a <p>/<q> ?x OPTIONAL { ¦_:a <p>* ?y } }", "two basic graph patterns"),
        ("CONSTRUCT { ?s <a>¦/<b> ?o } WHERE { ?s <a> ?o }", "a variable"),
        ("CONSTRUCT WHERE { ?s <a>¦* ?o }", "a variable"),
    ],
)
def test_what_is_no_path_is_refused_at_its_place(marked, word):
    fails_at_mark(marked, word)
