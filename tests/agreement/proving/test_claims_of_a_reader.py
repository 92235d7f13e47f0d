"""Claims about every stream that were wrong: aggregates of nothing, renamed orders, languages that differ."""

import pytest

from tests.agreement.command import lars

PREFIX = "PREFIX : <http://e/> "
MASKED = (
    "SELECT ?x ?n WHERE { { STREAM :a [NOW] { ?x :p ?y } MINUS { ?x :q ?z } } "
    "{ SELECT (COUNT(*) AS ?n) WHERE { STREAM :b [RANGE 9s] { ?u :r ?w } } } }"
)


def test_an_aggregate_of_nothing_is_no_agreement_though_a_way_has_another_reason_first(tmp_path):
    (tmp_path / "q.rq").write_text(PREFIX + MASKED)
    ran = lars("decide", tmp_path / "q.rq", "--unit", "1s", "--period", "1", "--time-limit", "1")
    assert ran.code != 0
    assert "agree on every stream" not in ran.out


@pytest.mark.parametrize(("key", "code"), [("level", 1), ("place", 0)])
def test_a_renamed_column_keeps_its_place_in_the_order(tmp_path, key, code):
    rooms = "SELECT ?room WHERE { STREAM :s [RANGE 5s] { ?room :p ?place } } ORDER BY DESC(?room) LIMIT 1"
    places = (
        "SELECT ?place WHERE {{ STREAM :s [RANGE 5s] {{ ?place :p ?level }} }} ORDER BY DESC(?{}) LIMIT 1"
    )
    (tmp_path / "a.rq").write_text(PREFIX + rooms)
    (tmp_path / "b.rq").write_text(PREFIX + places.format(key))
    files = (tmp_path / "a.rq", tmp_path / "b.rq")
    ran = lars("decide", *files, "--contained", "--rename", "room=place", "--unit", "1s", "--time-limit", "2")
    assert (ran.code == 0) is (code == 0)
    assert (": yes" in ran.out) is (code == 0)


@pytest.mark.parametrize(("aggregate", "is_said"), [("AVG(?v)", False), ("?v", True)])
def test_an_average_of_nothing_is_not_the_same_in_two_languages(tmp_path, aggregate, is_said):
    shown = f"SELECT ({aggregate} AS ?a)"
    where = "WHERE { ?x :p ?v }"
    (tmp_path / "a.rq").write_text(f"{PREFIX}{shown} FROM NAMED STREAM :s [NOW - 5 S SLIDE 1 S] {where}")
    (tmp_path / "b.rq").write_text(
        f"REGISTER QUERY q AS {PREFIX}{shown} FROM STREAM :s [RANGE 5s STEP 1s] {where}"
    )
    files = (tmp_path / "a.rq", tmp_path / "b.rq")
    ran = lars("decide", *files, "--contained", "--unit", "1s", "--time-limit", "2")
    assert ("b.rq: yes" in ran.out) is is_said
