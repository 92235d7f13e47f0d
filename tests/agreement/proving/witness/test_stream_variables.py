"""Variables that range over streams: a witness can need streams that no pattern names."""

import pytest

from agreement import api

SAME = "STREAM ?g [RANGE 4s] { ?a :p ?b . ?b :q ?c }"
OTHER = "STREAM ?g [RANGE 4s] { ?a :p ?b } STREAM ?h [RANGE 4s] { ?b :q ?c }"
NAMED = "STREAM :s [RANGE 4s] { ?a :p ?b } STREAM ?h [RANGE 4s] { ?b :q ?c }"


@pytest.mark.parametrize(
    ("first", "second", "streams"),
    [(SAME, OTHER, 2), (SAME, NAMED, 1), (f"{OTHER} FILTER (?g = ?h)", OTHER, 2)],
)
def test_a_variable_has_streams_of_its_own(first, second, streams, tmp_path):
    for name, body in (("a", first), ("b", second)):
        (tmp_path / f"{name}.rq").write_text(f"PREFIX : <http://e/> SELECT ?a ?b {{ {body} }}")
    (period,) = api.witness(tmp_path / "a.rq", tmp_path / "b.rq").periods
    (witness,) = period.witnesses
    assert len({fact.arguments[3] for fact in witness.facts}) == streams


def test_the_name_of_a_variable_does_not_count(tmp_path):
    for name, body in (("a", SAME), ("b", SAME.replace("?g", "?of"))):
        (tmp_path / f"{name}.rq").write_text(f"PREFIX : <http://e/> SELECT ?a ?b {{ {body} }}")
    (period,) = api.witness(tmp_path / "a.rq", tmp_path / "b.rq").periods
    assert period.search_end == "none"
