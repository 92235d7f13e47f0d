"""The sentences of `lars decide` about premises, reasons and changes are true, and have one polarity."""

import pytest

from agreement import api

BADGES = "REGISTER QUERY q AS SELECT ?p FROM STREAM <e:badges> [RANGE 20s STEP 5s] WHERE { ?p <e:enters> ?r }"
PUSHED = "SELECT ?p WHERE { STREAM <e:badges> [RANGE 20s] { ?p <e:enters> ?r } }"
ASSIGN = {"e:badges": "e:enters"}
SAME = "at each pull, the queries of push and pull are the same"


def premises(*queries, **options):
    """Return whether each premise of the first period holds, by its statement."""
    verdict, *_ = api.decide(*queries, unit="1s", **options).verdicts
    return {premise.statement: premise.holds for premise in verdict.premises}


def test_a_slide_that_divides_the_period_has_no_effect_at_a_pull():
    for period in (4, 5, 10):
        assert premises(BADGES, assign=ASSIGN, period=period)[SAME] is True
    assert premises(BADGES, PUSHED, period=5)[SAME] is True


def test_windows_that_differ_at_a_pull_are_named():
    differs = (
        f"{SAME}: the window of pull is [RANGE 20s SLIDE 5s] of <e:badges>, and the window of push is "
        "[RANGE 20s] of <e:badges>"
    )
    assert premises(BADGES, PUSHED, period=4)[differs] is False


def test_a_premise_that_fails_is_the_same_premise_with_a_reason():
    optional = "SELECT ?p {{ STREAM <e:s> [{}] {{ ?p <e:q> ?r }} OPTIONAL {{ ?r <e:k> ?v }} }}"
    loses = "[RANGE 3s{}] of <e:s> contains each triple from its arrival on, until the triple leaves for good"
    for written, slide, holds in (("RANGE 3s", "", True), ("RANGE 3s SLIDE 2s", " SLIDE 2s", False)):
        found = premises(optional.format(written), period=2)
        why = "" if holds else ": new triples appear only at the next multiple of the slide"
        assert found[f"{loses.format(slide)}{why}"] is holds
        assert found["monotone: the query contains OPTIONAL"] is False


def test_never_is_said_for_all_static_data_and_given_data_are_named():
    query = "SELECT ?p { STREAM <e:s> [RANGE 3s] { ?p <e:q> ?r } ?r <e:k> <e:lab> }"
    first = api.decide(PUSHED, period=5, unit="1s").text.partition("\n")[0]
    assert first == "U = 5: for all static data, push and pull differ on some stream"
    given = api.decide(query, period=2, unit="1s", static="<e:r> <e:k> <e:lab> .\n").text.partition("\n")[0]
    assert given == "U = 2: with the given static data, push and pull differ on some stream"


def test_one_stream_is_not_the_whole_reason_for_all_static_data():
    (verdict,) = api.decide(BADGES, assign=ASSIGN, period=5, unit="1s").verdicts
    assert (verdict.verdict, "no pattern reads static data (A6)" in verdict.why) == ("never", True)
    both = BADGES.replace("?p <e:enters> ?r", "?p <e:enters> ?r . ?r <e:kind> <e:lab>")
    (verdict,) = api.decide(both, assign=ASSIGN, period=5, unit="1s").verdicts
    assert verdict.verdict == "depends on the static data"
    assert "without static data, they agree" in verdict.why


def test_a_query_with_one_stream_needs_no_assignment():
    assigned, alone = (api.decide(BADGES, period=5, unit="1s", **more) for more in ({"assign": ASSIGN}, {}))
    assert alone.document() == assigned.document()
    assert not alone.warnings
    both = BADGES.replace("?p <e:enters> ?r", "?p <e:enters> ?r . ?r <e:kind> <e:lab>")
    (warning,) = api.decide(both, period=5, unit="1s").warnings
    assert warning.startswith("all triple patterns are matched in <e:badges>, the only stream of the query; ")
    assert 'use assign={"STREAM": "PREDICATE"}' in warning
    with pytest.raises(api.LarsError, match="does not define which triple patterns"):
        api.decide(both, period=5, unit="1s", static="<e:r> <e:kind> <e:lab> .\n")


def test_a_change_names_one_thing_for_the_user_to_change():
    pushed = "SELECT ?p { STREAM <e:s> [RANGE 3s] { ?p <e:q> ?r } ?p ?any <e:lab> }"
    stored = "<e:a> <e:q> <e:lab> .\n"
    (shared,) = api.decide(pushed, period=2, unit="1s", static=stored).verdicts
    assert shared.changes[0].endswith(" and predicates that occur only in the patterns of one source")
    (stepped,) = api.decide(BADGES, PUSHED, period=4, unit="1s", static=stored).verdicts
    assert stepped.changes[0].endswith(" and the same windows in C-SPARQL and CQELS queries")


def test_what_is_assumed_of_static_data_is_not_said_as_a_fact():
    result = api.decide(BADGES, assign=ASSIGN, period=5, unit="1s")
    assert "assumed: no static triple matches {?p <e:enters> ?r} (A6)" in result.text
    given = api.decide(BADGES, assign=ASSIGN, period=5, unit="1s", static="<e:r> <e:k> <e:lab> .\n")
    assert (
        "brave and cautious have the same answers: {?p <e:enters> ?r} of <e:badges>: no static triple"
        in given.text
    )


def test_queries_that_are_not_one_query_are_named_in_plain_words():
    other = PUSHED.replace("enters", "leaves")
    with pytest.raises(api.LarsError, match=r"^the two queries are not two forms of one query: the patterns"):
        api.decide(BADGES, other, period=5)


def test_a_text_explains_the_ids_of_theorems_once_and_its_verdict_is_a_sentence():
    text = api.decide(BADGES, assign=ASSIGN, period=5, unit="1s").text
    assert text.count("\n  A6: If each pattern can match triples of only one source, ") == 1
    assert "A7" not in text
    assert " differ on some stream " in text
    assert "never" not in text
