"""Two specifications as sides: Theorem 1 of RSP-QL in the transient, against windows as they are defined."""

from itertools import combinations, product

import pytest

from tests.agreement.command import lars
from tests.packs import ROOT

SAMPLE = ROOT / "samples/judged/theorem-1"
QUERY = "SELECT ?x { STREAM <http://e/s> [RANGE {a}s SLIDE {b}s] { ?x <http://e/p> ?y } }"


def shown(arrivals, t, width, slide, start):
    """Return what the active window shows: the earliest opened one that is still open at t."""
    opened = next((o for o in range(start, t, slide) if o < t <= o + width), None)
    return set() if opened is None else {one for u, one in arrivals if opened < u <= t}


def parts(width, slide, n):
    """Return the fewest triples, and the first time from n * slide on, at which windows show otherwise."""
    for count in range(2):
        for t in range(n * slide + 1, 12):
            for arrivals in combinations(product(range(1, t + 1), "ab"), count):
                if shown(arrivals, t, width, slide, 0) != shown(arrivals, t, width, slide, n * slide):
                    return count, t
    return None


def witness(tmp_path, query, sides):
    (tmp_path / "q.rq").write_text(query)
    (tmp_path / "active.toml").write_text((SAMPLE / "active.toml").read_text())
    one, other = (side.replace("active", str(tmp_path / "active.toml")) for side in sides.split(","))
    return lars("witness", tmp_path / "q.rq", "--sides", f"{one},{other}", "--triples", 1, "--json")


@pytest.mark.parametrize(("width", "slide", "n"), [(4, 2, 1), (3, 1, 2), (4, 3, 1), (2, 2, 1), (3, 4, 1)])
def test_theorem_1_fails_in_the_transient_exactly_where_windows_overlap(width, slide, n, tmp_path):
    query = QUERY.replace("{a}", str(width)).replace("{b}", str(slide))
    found = witness(tmp_path, query, f"active@0,active@{n * slide}").json["periods"][0]
    expected = parts(width, slide, n)
    if expected is None:
        assert (found["ended"]["verdict"], "at times up to" in found["ended"]["tried"]) == (
            "none up to",
            True,
        )
    else:
        (one,) = found["witnesses"]
        assert (len(one["trace"]), one["to"]) == expected
        assert one["to"] <= (n - 1) * slide + width


def test_the_sample_says_when_they_part():
    command = next(line for line in (SAMPLE / "README.md").read_text().split("\n") if "lars witness" in line)
    _, _, query, _, sides = command.split()
    paths = ",".join(str(SAMPLE / side) for side in sides.split(","))
    found = lars("witness", SAMPLE / query, "--sides", paths)
    assert (found.code, "at 3" in found.out, "differ: 1 triple" in found.out) == (1, True, True)
    assert len((SAMPLE / "README.md").read_text().strip().split("\n")) <= 6


def test_an_answer_without_rows_is_a_difference_that_is_said(tmp_path):
    found = lars("witness", SAMPLE / "query.rspql.rq", "--sides", "rspql,csparql")
    assert found.code == 1
    assert "at 2s, rspql does not report, csparql reports 0 rows" in found.out


def test_engine_versions_are_sides_too(tmp_path):
    # At 2, where nothing arrives, the window closes once more; the engine reports what arrives.
    query = "SELECT ?x { STREAM <http://e/s> [RANGE 2s] { ?x <http://e/p> ?y } }"
    found = witness(tmp_path, query, "rspql,cqels-1.x").json
    (one,) = found["periods"][0]["witnesses"]
    assert (found["sides"], one["to"]) == (["rspql", "cqels-1.x"], 2)
    assert [len(one["rspql_only"]), len(one["cqels-1.x_only"])] == [1, 0]


def test_a_stream_includes_the_triple_that_makes_an_engine_report(tmp_path):
    # C-SPARQL reports at 2, but only when the next triple advances its clock.
    where = "{ <e:a> <e:p> <e:b> . <e:a> <e:q> <e:c> }"
    (tmp_path / "q.rq").write_text(
        f"SELECT (SUM(1) AS ?n) FROM STREAM <e:s> [RANGE 2s STEP 1s] WHERE {where}"
    )
    sides = "csparql-0.9.7", "csparql-0.9.7-jena-2.13.0"
    found = lars("witness", tmp_path / "q.rq", "--sides", ",".join(sides), "--json").json
    (one,) = found["periods"][0]["witnesses"]
    assert [each["t"] for each in one["trace"]] == [1, 3]
    lines = [
        " ".join(f"<{each[part]['value']}>" for part in "spo") + f" <e:s> {each['t']} ."
        for each in one["trace"]
    ]
    (tmp_path / "t.nq").write_text("\n".join(lines))
    unit = "--unit", "1s", "--trace-unit", "1s"
    assert lars("compare", *sides, tmp_path / "q.rq", tmp_path / "t.nq", *unit).code == 1


def test_borders_lie_also_at_the_ends_of_windows_before_now(tmp_path):
    (tmp_path / "q.rq").write_text(
        "SELECT ?x FROM NAMED STREAM <e:s> [NOW-10 S TO NOW-3 S SLIDE 5 S] WHERE { ?x <e:p> ?y }"
    )
    for bounds in ("closed", "high-open"):
        text = f'name = "{bounds}"\nreport = ["window-close"]\nbounds = "{bounds}"'
        (tmp_path / f"{bounds}.toml").write_text(text)
    paths = ",".join(str(tmp_path / f"{name}.toml") for name in ("closed", "high-open"))
    found = lars("witness", tmp_path / "q.rq", "--sides", paths, "--triples", 1, "--json").json
    (one,) = found["periods"][0]["witnesses"]
    assert (len(one["trace"]), one["trace"][0]["t"], one["to"]) == (1, 2, 5)


def test_a_late_start_is_refused_before_all_times_are_listed():
    found = lars("witness", SAMPLE / "query.rspql.rq", "--sides", "rspql@999999999,rspql")
    assert (found.code, "closes at more than 1000000 time points" in found.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--sides", "rspql,bad"), "a specification can have a start time, such as rspql@4"),
        (("--sides", "cqels-1.x@3,rspql"), "a specification can have a start time, such as rspql@4"),
        (("--sides", "rspql,rspql"), "expected two values A,B from one of these lists"),
        (("--sides", "rspql,csparql", "--bounds", "closed"), "--bounds: only for push and pull"),
    ],
)
def test_what_cannot_be_used_is_one_message(arguments, said):
    found = lars("witness", SAMPLE / "query.rspql.rq", *arguments)
    assert (found.code, found.err.count("\n")) == (2, 1)
    assert said in found.err


def test_now_counts_from_the_origin_of_an_experiment(tmp_path):
    query = QUERY.replace("?x {", "?x (NOW() AS ?n) WHERE {").replace("{a}", "3").replace("{b}", "2")
    (tmp_path / "q.rq").write_text(query)
    (tmp_path / "t.nq").write_text('<http://e/a> <http://e/p> <http://e/o> <http://e/s> "1" .\n')
    keys = ('unit = "1s"', 'origin = "2026-01-02T03:04:04Z"', "timeline = [0, 12]", "period = 2")
    files = ('title = "now"', 'cqels = "q.rq"', 'files = "t.nq"')
    (tmp_path / "experiment.toml").write_text("\n".join((*keys, *files)))
    found = lars("witness", tmp_path, "--sides", "cqels,rspql")
    assert "2026-01-02T03:04:05Z" in found.out


def test_no_stream_is_tried_if_static_triples_are_too_many_for_the_empty_stream(tmp_path):
    static = " . ".join(f"?v{n} ?w{n} ?v{n + 1}" for n in range(14))
    (tmp_path / "q.rq").write_text(f"SELECT ?s {{ STREAM <e:s> [RANGE 4s] {{ ?s <e:p> ?o }} {static} }}")
    found = lars("witness", tmp_path / "q.rq", "--sides", "rspql,cqels")
    assert (found.code, "-1" in found.out) == (3, False)
    assert "no stream is tried: " in found.out
