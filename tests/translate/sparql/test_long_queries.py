"""Long queries are translated, or refused at the place where they are too long: no call is too deep."""

import pytest

from lars.errors import PlacedError
from translate.analysis import depth, remarks
from translate.dialects import read_query
from translate.model.query import Setting
from translate.tau import lars_program

MANY, LONG = 260, 120
SHALLOW = 80
READ = {
    "UNION": " UNION ".join(f"{{ ?x :q :o{i} }}" for i in range(LONG)),
    "&&": f"?x :p ?y FILTER ({' && '.join(f'?y != {i}' for i in range(LONG))})",
    "||": f"?x :p ?y FILTER ({' || '.join(f'?y = {i}' for i in range(LONG))})",
    "FILTER": "?x :p ?y " + " ".join(f"FILTER (?y != {i})" for i in range(LONG)),
    "alternatives": f"?x {'|'.join(f':q{i}' for i in range(LONG))} ?y",
    "VALUES": f"VALUES ?y {{ {' '.join(map(str, range(2000)))} }}",
    "IN": f"?x :p ?y FILTER (?y IN ({', '.join(map(str, range(LONG)))}))",
}
REFUSED = {
    "OPTIONAL": ("?x :p ?y " + " ".join(f"OPTIONAL {{ ?x :q{i} ?z{i} }}" for i in range(MANY)), "256 behind"),
    "MINUS": ("?x :p ?y " + " ".join(f"MINUS {{ ?x :q{i} ?z }}" for i in range(MANY)), "256 behind"),
    "triples": ("?x :q ?z . " * 4 * MANY, "256 behind"),
    "+": (f"BIND ({' + '.join(['1'] * MANY)} AS ?z)", "256 operators"),
    "path": (f"?x {'/'.join([':q'] * MANY)} ?z", "256 steps"),
    "groups": ("{ " * 5000 + "?x :q ?z" + " }" * 5000, "64 deep"),
    "brackets": (f"FILTER ({'(' * 5000}1{')' * 5000})", "64 deep"),
    "subqueries": ("{ SELECT ?x { " * 5000 + "?x :q ?z" + " } }" * 5000, "64 deep"),
    "signs": (f"FILTER ({'!' * 5000}true)", "64 signs"),
    "words": (" ".join(f"?x :q ?z{i} ." for i in range(7000)), "more than 25000 words"),
}


def test_patterns_without_a_triple_term_are_one_pattern_beside_it():
    unrelated = " . ".join(f"?x{n} :p ?y{n}" for n in range(250))
    group = f"?r :q <<( ?a :p ?b )>> . {unrelated}"
    query = read_query(f'VERSION "1.2" PREFIX : <http://e/> SELECT * {{ {group} }}', "q.rq")
    assert depth(query.pattern) < SHALLOW
    assert lars_program(query, Setting()).rules


def read(group):
    return read_query(f"PREFIX : <http://e/> SELECT * {{ {group} }}", "q.rq")


@pytest.mark.parametrize("name", READ)
def test_what_can_be_joined_by_halves_is_translated_however_long(name):
    query = read(READ[name])
    assert depth(query.pattern) < SHALLOW
    assert lars_program(query, Setting(semantics="bag")).rules
    assert len(remarks(query, Setting(), rows=True)) <= 1


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_too_long_is_refused_at_a_place(name):
    group, words = REFUSED[name]
    with pytest.raises(PlacedError, match=words) as caught:
        read(group)
    assert str(caught.value).startswith("q.rq:1:")


def test_halves_mean_the_same_as_a_chain():
    program = lars_program(
        read("?x :p ?y FILTER (" + " && ".join(f"?y != {i}" for i in range(100)) + ")"), Setting()
    )
    (tests,) = (rule.body[1:] for rule in program.rules if str(rule.head).startswith("ans1("))
    assert [str(test) for test in tests] == [f"[?y != {i}]" for i in range(100)]


def test_names_of_names_in_having_are_refused_where_they_stand_for_too_much():
    named = " ".join(f"(?a{n} + ?a{n} AS ?a{n + 1})" for n in range(60))
    text = f"SELECT (COUNT(?x) AS ?a0) {named} {{ ?x ?p ?y }} HAVING "
    with pytest.raises(PlacedError, match=r"at most 4096 parts: \?a60 stands for more"):
        read_query(text + "(?a60 > 1)", "q.rq")
    assert lars_program(read_query(text + "(?a8 > 1)", "q.rq"), Setting()).rules


def test_what_having_names_may_be_as_long_as_the_query_writes_it():
    chosen = ", ".join(map(str, range(4200)))
    text = f"SELECT ?v (?v IN ({chosen}) AS ?x) {{ ?s ?p ?v }} GROUP BY ?v HAVING (?x)"
    assert lars_program(read_query(text, "q.rq"), Setting()).rules
