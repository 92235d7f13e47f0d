"""Windows that begin at a time of their own, look ahead, or are the same whenever they are asked."""

import pytest

from agreement import api

SPARQ = "PREFIX : <http://e/> SELECT ?a ?b WHERE {{ WINDOW :w {{ ?a :p ?b }} }} FROM NAMED WINDOW :w ON :s {}"
KOLIBRIE = SPARQ.partition(" FROM")[0].replace("WHERE", "FROM NAMED WINDOW :w ON <http://e/s> {} WHERE")
JANUS = KOLIBRIE.replace("ON <", "ON LOG <")
CQELS = "PREFIX : <http://e/> SELECT ?a ?b WHERE {{ STREAM :s {} {{ ?a :p ?b }} }}"
CQELS2 = CQELS.replace("STREAM :s", "STREAM s")


def contained(folder, one, other, **how):
    """Return whether the answers of one query are among the other's, and the time that refutes it."""
    for name, text in (("one.rq", one), ("other.rq", other)):
        (folder / name).write_text(text)
    (found,) = api.contained(folder / "one.rq", folder / "other.rq", unit="1s", **how).directions
    return found.holds, None if found.witness is None else found.witness.end


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        pytest.param(
            KOLIBRIE.format("[RANGE 2 STEP 1]"), SPARQ.format("RANGE 2 STEP 1 T0 3"), (False, 1),
            id="before the first one closes it shows nothing",
        ),
        pytest.param(
            SPARQ.format("RANGE 2 STEP 1 T0 3"), KOLIBRIE.format("[RANGE 2 STEP 1]"), (True, None),
            id="from then on it shows the same",
        ),
        pytest.param(
            SPARQ.format("RANGE 2 STEP 2 T0 1"), SPARQ.format("RANGE 3 STEP 2"), (True, None),
            id="what begins at odd times lies in a longer one that begins at even times",
        ),
        pytest.param(
            SPARQ.format("RANGE 3 STEP 2"), SPARQ.format("RANGE 2 STEP 2 T0 1"), (False, 3),
            id="and not the other way round",
        ),
        pytest.param(
            CQELS2.format("[PAST 1s FUTURE 2s STEP 1s]"), CQELS2.format("[PAST 2s FUTURE 2s STEP 1s]"),
            (True, None), id="as far ahead",
        ),
        pytest.param(
            CQELS2.format("[PAST 2s FUTURE 2s STEP 1s]"), CQELS2.format("[PAST 2s FUTURE 1s STEP 1s]"),
            (False, 0), id="not so far ahead",
        ),
        pytest.param(
            CQELS2.format("[PAST 2s FUTURE 3s STEP 2s]"), CQELS2.format("[PAST 3s FUTURE 2s STEP 2s]"),
            (False, 0), id="not so far ahead of a pivot",
        ),
        pytest.param(
            CQELS2.format("[PAST 1s FUTURE 2s STEP 3s]"), CQELS2.format("[PAST 3s FUTURE 2s STEP 3s]"),
            (True, None), id="as far ahead of a pivot",
        ),
        pytest.param(
            JANUS.format("[START 2000 END 5000]"), JANUS.format("[START 1000 END 6000]"), (True, None),
            id="between two times",
        ),
        pytest.param(
            JANUS.format("[START 1000 END 6000]"), JANUS.format("[START 2000 END 5000]"),
            (False, 0), id="between fewer times",
        ),
    ],
)  # fmt: skip
def test_queries_with_windows_of_their_own_begin_are_decided(one, other, said, tmp_path):
    assert contained(tmp_path, one, other) == said


def test_a_reading_that_looks_ahead_of_each_element_is_decided(tmp_path):
    one, other = (CQELS2.format(window) for window in ("[FUTURE 5s]", "[PAST 1s FUTURE 5s]"))
    assert contained(tmp_path, one, other, readings={"anchor": "element"}) == (True, None)
    assert contained(tmp_path, other, one, readings={"anchor": "element"})[0] is False


def test_a_window_that_looks_ahead_beside_one_that_counts_is_left_open(tmp_path):
    text = CQELS2.replace("{} {{ ?a :p ?b }}", "{} {{ ?a :p ?b }} STREAM s {} {{ ?b :q ?c }}")
    one = text.format("[PAST 2s FUTURE 3s STEP 2s]", "[TRIPLES 2]")
    other = text.format("[PAST 3s FUTURE 2s STEP 2s]", "[TRIPLES 2]")
    assert contained(tmp_path, one, other)[0] is not True


def test_what_is_seen_at_time_zero_alone_is_found(tmp_path):
    one, other = CQELS.format("[NOW]"), SPARQ.format("RANGE 1 STEP 1")
    assert contained(tmp_path, one, other, bounds="closed") == (False, 0)
    assert contained(tmp_path, one, CQELS.format("[RANGE 1s]"), bounds="closed") == (True, None)
