"""Clauses and rules: which lines of a query light which rules, at each place of it, equal patterns too."""

import re

import pytest

from agreement.results.renderings.pages.clause_links import linked_lines
from lars.durations import read_duration
from tests.sparql.generator import case
from tests.sparql.writing import write_query as write_text
from translate.dialects.query_reader import read_query
from translate.model.query import Setting
from translate.tau import lars_program
from translate.writing import write_query

SETTING = Setting(unit=read_duration("1s"))
TWICE = """SELECT ?a ?b WHERE {
  STREAM <e:s> [RANGE 5s] { ?a <e:p> ?v }
  STREAM <e:s> [RANGE 9s] { ?b <e:p> ?v }
  ?c <e:p> ?v
  OPTIONAL { STREAM <e:s> [NOW] { ?a <e:p> ?d } }
  FILTER (?a < ?b) BIND (?v + 1 AS ?w)
}"""
EVERYTHING = """SELECT ?x ?y WHERE {
  STREAM ?g [RANGE 5s] { ?x ?p ?y }
  { ?x <e:a> ?y } UNION { ?x <e:b> ?y }
  MINUS { ?x <e:c>/<e:d> ?y }
  FILTER NOT EXISTS { ?x <e:e> ?z . FILTER (?z > 3) }
  FILTER (?y < 7)
}"""


def linked(text):
    """The rules that each line lights: their heads with their bodies cut to what names them."""
    query = read_query(text, "q.rq")
    lines = write_query(query, query.language).rstrip("\n").split("\n")
    rules = list(map(str, lars_program(query, SETTING).rules))
    found = linked_lines(query, lambda one: lars_program(one, SETTING))
    return {
        line.strip(): [rules[rule] for rule, places in enumerate(found) if number in places]
        for number, line in enumerate(lines)
    }


def windows(rules):
    return [re.findall(r"⊞\^(\d+)", rule) for rule in rules]


def test_equal_patterns_at_several_places_are_told_apart():
    found = linked(TWICE)
    assert windows(found["STREAM <e:s> [RANGE 5s] {"]) == [["5"]] == windows(found["?a <e:p> ?v ."])
    assert windows(found["STREAM <e:s> [RANGE 9s] {"]) == [["9"]] == windows(found["?b <e:p> ?v ."])
    (static,) = found["?c <e:p> ?v ."]
    assert "← triple(?c, <e:p>, ?v, default)." in static
    assert windows(found["?a <e:p> ?d ."]) == [["0"]]
    (filtered,) = found["FILTER (?a < ?b)"]
    assert "[?a < ?b]" in filtered
    (bound,) = found["BIND (?v + 1 AS ?w)"]
    assert "?w := [?v + 1]" in bound or "?w := ?v + 1" in bound


def test_each_construct_lights_its_rules():
    found = linked(EVERYTHING)
    assert windows(found["?x ?p ?y ."]) == [["5"]]
    assert [rule.count("<e:a>") for rule in found["?x <e:a> ?y ."]] == [1]
    assert [rule.partition("(")[0] for rule in found["MINUS {"]] == ["ans2'", "ans2"]
    assert [rule.partition("(")[0] for rule in found["} UNION {"]] == ["ans9", "ans9"]
    assert [rule.partition("(")[0] for rule in found["?x <e:c>/<e:d> ?y ."]] == ["ans10", "ans11", "ans5"]
    assert [rule.partition("(")[0] for rule in found["SELECT ?x ?y"]] == ["ans1"]
    (condition,) = (lit for line, lit in found.items() if line.startswith("FILTER"))
    assert [rule.partition("(")[0] for rule in condition] == ["ans1e_2", "ans1e_1", "ans1e", "ans1"]


def test_long_data_are_one_clause_and_a_very_long_query_has_no_links():
    for count, lit in ((20, 1), (40, 40)):
        rows = " ".join(f"(<e:v{number}>)" for number in range(count))
        found = linked(f"SELECT ?a {{ ?a <e:p> ?v . VALUES (?v) {{ {rows} }} }}")
        assert len(found["(<e:v7>)"]) == lit
    unions = " UNION ".join(f"{{ ?a <e:p{number}> ?v }}" for number in range(150))
    assert not any(linked(f"SELECT ?a {{ {unions} }}").values())


@pytest.mark.parametrize("text", [TWICE, EVERYTHING])
def test_every_rule_of_an_answer_has_a_line_and_every_constant_lights_its_own(text):
    found = linked(text)
    rules = {rule for lit in found.values() for rule in lit}
    assert rules == set(map(str, lars_program(read_query(text, "q.rq"), SETTING).rules))
    for line, lit in found.items():
        for constant in re.findall(r"<e:[a-e]>", line):
            assert any(constant in rule for rule in lit)


@pytest.mark.parametrize("seed", range(8))
def test_random_queries_light_lines_that_say_what_their_rules_say(seed):
    text = write_text(case(seed, nests=0.3).query)
    query = read_query(text, "q.rq")
    lines = write_query(query, query.language).rstrip("\n").split("\n")
    found = linked_lines(query, lambda one: lars_program(one, SETTING))
    for rule, places in zip(map(str, lars_program(query, SETTING).rules), found, strict=True):
        assert places
        for leaf in re.findall(r"triple\(([^()]*)\)", rule.partition("←")[2]):
            named = re.findall(r"<http://e/(\w+)>", leaf)
            said = " ".join(lines[place] for place in places)
            assert all(re.search(rf"\be:{name}\b", said) for name in named)
