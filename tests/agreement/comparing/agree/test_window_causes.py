"""The cause of a difference between queries whose windows differ."""

import pytest

from agreement.comparing.agree.causes import CauseSearch
from tests.agreement.command import agree
from tests.agreement.comparing.agree.test_causes import OPEN, texts
from tests.agreement.comparing.agree.test_causes import PLAIN as ONE
from tests.agreement.comparisons import expand, explained, facts_of, names, report
from translate.model.query import Setting

PLAIN = (
    "SELECT ?x FROM STREAM :r [{}] WHERE {{ ?x :p ?y }}",
    "SELECT ?x WHERE {{ STREAM :r [{}] {{ ?x :p ?y }} }}",
)


@pytest.mark.parametrize(
    ("csparql", "cqels", "period", "last", "cause"),
    [
        ("RANGE 3s STEP 5s", "RANGE 3s", 5, 10, "expired before the pull"),
        ("RANGE 3s", "RANGE 3s SLIDE 5s", 7, 7, "hidden by the pivot"),
        ("RANGE 1s", "RANGE 9s", 9, 9, "different windows"),
    ],
)
def test_windows_that_differ_are_no_difference_of_sources(csparql, cqels, period, last, cause):
    queries = PLAIN[0].format(csparql), PLAIN[1].format(cqels)
    shared = {"period": period, "last": last, "static": (), "bounds": Setting().bounds}
    found = explained(report(queries, facts_of([("6", *"apb")], lambda _: "r"), **shared))
    assert {one.cause for one in found} == {cause}


def test_each_window_is_hidden_by_its_own_pivot():
    windows = {"s1": "RANGE 1s SLIDE 4s", "s2": "RANGE 3s SLIDE 3s"}
    froms = " ".join(f"FROM STREAM :{name} [{window}]" for name, window in windows.items())
    parts = " ".join(f"STREAM :{n} [{w}] {{ ?{n} :{n} ?y{n} }}" for n, w in windows.items())
    queries = f"SELECT ?s1 {froms} WHERE {{ ?s1 :s1 ?ys1 . ?s2 :s2 ?ys2 }}", f"SELECT ?s1 WHERE {{ {parts} }}"
    facts = facts_of([("3", "a", "s1", "v"), ("5", "b", "s2", "v")], lambda predicate: predicate)
    found = explained(report(queries, facts, period=6, last=6, static=(), bounds=Setting().bounds))
    assert [(one.side, one.cause) for one in found] == [("pull", "hidden by the pivot")]


APART = {
    "hidden at the pull's time, through push's windows": (
        ONE, {"r": "RANGE 1s"}, {"r": "RANGE 2s SLIDE 5s"}, "5 a p b, 11 a p b", 13,
        (13, "push", "hidden by the pivot"),
    ),
    "hidden when push evaluated, through pull's windows": (
        OPEN, {"r": "RANGE 9s SLIDE 3s", "c": "RANGE 1s"}, {"r": "RANGE 9s", "c": "RANGE 9s"},
        "1 a q c, 4 a p b", 3, (6, "pull", "hidden by the pivot"),
    ),
    "blocked later, through push's windows": (
        OPEN, {"r": "RANGE 1s", "c": "RANGE 9s"}, {"r": "RANGE 9s", "c": "RANGE 9s"},
        "1 a p b, 2 a q c", 4, (4, "push", "blocked later"),
    ),
    "seen through pull's windows at the first evaluation": (
        OPEN, {"r": "RANGE 9s", "c": "RANGE 1s"}, {"r": "RANGE 1s", "c": "RANGE 1s"},
        "1 a p b, 5 z z z, 6 a q c", 4, (8, "pull", "different windows"),
    ),
    "seen through pull's windows at the end": (
        ONE, {"r": "RANGE 9s"}, {"r": "RANGE 1s"}, "1 a p b, 8 z z z", 4, (8, "pull", "different windows"),
    ),
    "seen through pull's windows at the last evaluation": (
        OPEN, {"r": "RANGE 9s", "c": "RANGE 1s"}, {"r": "RANGE 1s", "c": "RANGE 1s"},
        "1 a p b, 5 a q c, 7 z z z", 4, (8, "pull", "different windows"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", APART)
def test_where_windows_differ_each_side_is_asked_through_those_of_the_other(name):
    pattern, pull, push, lines, period, (end, *found) = APART[name]
    queries = texts(pattern, pull)[0], texts(pattern, push)[1]
    facts = facts_of((line.split() for line in lines.split(", ")), lambda p: "c" if p == "q" else "r")
    variant = report(queries, facts, period=period, last=end, static=(), bounds="closed")
    assert [(one.side, one.cause) for one in explained(variant) if one.end == end] == [tuple(found)]


SEVERAL = {
    "of push": (
        "SELECT ?x FROM STREAM :r [RANGE 5s] WHERE { ?x :p ?y . ?x :q ?z }",
        "SELECT ?x WHERE { STREAM :r [NOW] { ?x :p ?y } STREAM :r [RANGE 9s] { ?x :q ?z } }",
        "1 a q c, 9 a p b", 9, "push",
    ),
    "of pull": (
        "SELECT ?x FROM STREAM :r [RANGE 2s] FROM STREAM :r [RANGE 6s] WHERE { ?x :p ?y }",
        "SELECT ?x WHERE { STREAM :r [NOW] { ?x :p ?y } }",
        "1 a p b, 4 z z z", 2, "pull",
    ),
}  # fmt: skip


@pytest.mark.parametrize("whose", SEVERAL)
def test_several_windows_over_one_stream_are_no_other_query_and_merge_nothing(whose):
    *queries, lines, period, side = SEVERAL[whose]
    facts = facts_of((line.split() for line in lines.split(", ")), lambda _: "r")
    end = max(fact.t for fact in facts)
    variant = report(queries, facts, period=period, last=end, static=(), bounds="closed")
    found = [(one.side, one.cause) for one in explained(variant) if one.end == end]
    assert found == [(side, "different windows")]


def test_what_makes_no_push_evaluate_can_be_hidden_from_the_pull_alone():
    pattern = "{r:?x :p ?y} MINUS { {c:?x :q ?z} ?z :k ?w }"
    queries = texts(pattern, {"r": "RANGE 9s", "c": "RANGE 9s SLIDE 3s"})
    lines = ("1", *"apb"), ("1", *"aqc"), ("7", *"ckv")
    facts = facts_of(lines, lambda p: "r" if p == "p" else "c")
    shared = {"period": 4, "last": 8, "static": (), "bounds": "closed", "trigger": "matching"}
    found = [(one.end, one.side, one.cause) for one in explained(report(queries, facts, **shared))]
    assert found == [(8, "pull", "hidden by the pivot")]


LATER = [
    ("?x :p ?y", ["1 a p b"], 3, "pull"),
    ("?x :p ?y MINUS {?x :q ?z}", ["1 a p b", "3 a q c"], 6, "push"),
]


@pytest.mark.parametrize("slide", ["", " SLIDE 3 S"])
@pytest.mark.parametrize("case", LATER)
def test_a_window_that_ends_before_its_time_hides_what_is_newer(tmp_path, case, slide):
    (pattern, lines, period, side), window = case, f"[NOW - 6 S TO NOW - 2 S{slide}]"
    (tmp_path / "q.rq").write_text(expand(f"SELECT ?x FROM NAMED STREAM :r {window} WHERE {{ {pattern} }}"))
    quads = (f'{" ".join(names(f"{s} {p} {o} r"))} "{t}" .\n' for t, s, p, o in map(str.split, lines))
    (tmp_path / "t.nq").write_text("".join(quads))
    found = agree(tmp_path / "q.rq", tmp_path / "t.nq", "--period", period, "--to", period).json
    causes = [one for interval in found["periods"][0]["intervals"] for one in interval["causes"]]
    assert [(one["side"], one["cause"]) for one in causes] == [(side, "hidden by the pivot")]


CLOSED = "FROM NAMED WINDOW :w ON :r [RANGE PT5S STEP PT2S T0 PT1S] WHERE { WINDOW :w { ?x :p ?y } }"


def test_a_window_that_is_shown_when_it_closes_hides_what_is_newer(tmp_path):
    (tmp_path / "q.rq").write_text(expand(f"SELECT ?x {CLOSED}"))
    quads = (f'{" ".join(names("a p b r"))} "{t}" .\n' for t in (6,))
    (tmp_path / "t.nq").write_text("".join(quads))
    found = agree(tmp_path / "q.rq", tmp_path / "t.nq", "--period", 4, "--to", 8).json
    causes = [one for interval in found["periods"][0]["intervals"] for one in interval["causes"]]
    assert [(one["side"], one["cause"]) for one in causes] == [("pull", "hidden by the pivot")]


AHEAD = {
    "by the pivot of push": ("[RANGE 1s FUTURE 3s]", (5, 7, 9), 4, "hidden by the pivot"),
    "by no evaluation that late": ("[RANGE 2s FUTURE 1s STEP 3s]", (5, 7), 3, "silent period"),
}


@pytest.mark.parametrize("name", AHEAD)
def test_a_row_of_windows_that_look_ahead_is_hidden_until_push_can_see_its_input(name, tmp_path):
    window, times, period, cause = AHEAD[name]
    (tmp_path / "q.rq").write_text(f"SELECT ?x FROM STREAM s {window} WHERE {{ ?x <x:p> ?y }}")
    (tmp_path / "t.nq").write_text("".join(f'<x:a{t}> <x:p> <x:b> "{t}" .\n' for t in times))
    last = times[-1] // period * period + period
    asked = ("--stream", f"s={tmp_path / 't.nq'}", "--period", period, "--to", last)
    periods = agree(tmp_path / "q.rq", *asked).json["periods"][0]["intervals"]
    rows = [one for part in periods for one in part["causes"]]
    causes = [(one["side"], one["row"]["x"]["value"], one["cause"]) for one in rows]
    assert ("pull", f"x:a{times[-1]}", cause) in causes
    assert not [one for one in causes if "block" in one[-1]]


def two_streams(folder, **elements):
    """Write one element of each stream, and return the options that name their files."""
    for name, element in elements.items():
        (folder / f"{name}.nq").write_text(f"{element} .\n")
    return [part for name in elements for part in ("--stream", f"{name}={folder / name}.nq")]


def test_input_that_a_window_shows_ahead_is_not_hidden_by_the_pivot_of_another_window(tmp_path):
    (tmp_path / "q.rq").write_text(
        "SELECT ?x FROM STREAM s [RANGE 4s STEP 4s] FROM STREAM r [FUTURE 2s] "
        "WHERE { { STREAM s { ?x <x:p> ?y } } UNION { STREAM r { ?x <x:p> ?y } } }"
    )
    streams = two_streams(tmp_path, s='<x:s> <x:p> <x:b> "1"', r='<x:r> <x:p> <x:b> "3"')
    asked = ("--reading", "anchor=element", "--period", 6, "--to", 6)
    (only,) = agree(tmp_path / "q.rq", *streams, *asked).json["periods"][0]["intervals"]
    causes = {one["row"]["x"]["value"]: one["cause"] for one in only["causes"] if one["side"] == "push"}
    assert causes == {"x:r": "expired before the pull"}


LENGTHS = {
    "that no evaluation could see": (
        "[RANGE 2s FUTURE 2s STEP 4s]",
        ("--reading", "anchor=element"),
        6,
        9,
        8,
    ),
    "that no pivot hides": ("[RANGE 4s FUTURE 2s STEP 4s]", (), 5, 9, 8),
}


@pytest.mark.parametrize("name", LENGTHS)
def test_each_window_that_looks_ahead_has_its_own_length(name, tmp_path):
    window, reading, evaluated, t, period = LENGTHS[name]
    (tmp_path / "q.rq").write_text(
        f"SELECT ?x FROM STREAM s {window} FROM STREAM r [RANGE 4s FUTURE 4s STEP 4s] "
        "WHERE { { STREAM s { ?x <x:p> ?y } } UNION { STREAM r { ?x <x:p> ?y } } }"
    )
    for stream, time in (("s", t), ("r", evaluated)):
        (tmp_path / f"{stream}.nq").write_text(f'<x:{stream}> <x:p> <x:b> "{time}" .\n')
    streams = [part for stream in "sr" for part in ("--stream", f"{stream}={tmp_path / stream}.nq")]
    asked = (*reading, "--period", period, "--to", t)
    (only,) = agree(tmp_path / "q.rq", *streams, *asked).json["periods"][0]["intervals"]
    causes = {one["row"]["x"]["value"]: (one["side"], one["cause"]) for one in only["causes"]}
    assert causes["x:s"] == ("pull", "silent period")


def test_a_window_that_is_written_twice_is_one_window(tmp_path):
    once = "FROM STREAM <x:s> [RANGE 3s STEP 1s]"
    (tmp_path / "q.rq").write_text(f"SELECT ?x {once} {once} WHERE {{ ?x <x:p> ?y }}")
    (tmp_path / "t.nq").write_text('<x:a> <x:p> <x:b> "4" .\n')
    found = agree(tmp_path / "q.rq", "--stream", f"x:s={tmp_path / 't.nq'}", "--period", 3, "--to", 9).json
    assert found["periods"][0]["agree"]


def test_a_row_of_a_window_that_looks_ahead_is_blocked_by_input_that_another_window_shows_later(tmp_path):
    """Push reports x at 1, from p at 3; the window of r does not look ahead, and shows the blocker from 2."""
    (tmp_path / "q.rq").write_text(
        "SELECT ?x FROM STREAM s [RANGE 5s FUTURE 2s STEP 1s] FROM STREAM r [RANGE 5s STEP 1s] "
        "WHERE { STREAM s { ?x <x:p> ?y } FILTER NOT EXISTS { STREAM r { ?x <x:q> ?z } } }"
    )
    (tmp_path / "s.nq").write_text('<x:z> <x:z> <x:z> "1" .\n<x:a> <x:p> <x:b> "3" .\n')
    (tmp_path / "r.nq").write_text('<x:a> <x:q> <x:c> "2" .\n')
    streams = [part for name in "sr" for part in ("--stream", f"{name}={tmp_path / name}.nq")]
    asked = (*streams, "--unit", "1s", "--bounds", "closed", "--period", 4, "--to", 4)
    (only,) = agree(tmp_path / "q.rq", *asked).json["periods"][0]["intervals"]
    assert [(one["side"], one["cause"]) for one in only["causes"]] == [("push", "blocked later")]


def test_input_that_only_merged_streams_match_does_not_replace_what_push_could_not_see_yet(tmp_path):
    """Push evaluates at 3, when r arrives, and sees s from 5 only at 4; pull has x from s and from r."""
    (tmp_path / "q.rq").write_text(
        "SELECT ?x FROM STREAM s [RANGE 2s FUTURE 1s STEP 1s] FROM STREAM r [RANGE 2s FUTURE 1s STEP 1s] "
        "WHERE { { STREAM s { ?x <x:p> ?y } } UNION { STREAM r { ?x <x:q> ?y } } }"
    )
    streams = two_streams(tmp_path, s='<x:a> <x:p> <x:b> "5"', r='<x:a> <x:p> <x:b> "3"')
    found = agree(tmp_path / "q.rq", *streams, "--period", 2, "--to", 5).json
    causes = found["periods"][0]["intervals"][1]["causes"]
    assert [(one["side"], one["cause"]) for one in causes] == [("pull", "silent period")]


def test_two_spellings_of_one_query_are_not_evaluated_on_merged_sources(monkeypatch):
    both = "{r:?x :p ?y} {c:?y :q ?z} FILTER(?z = :c)", "{r:?x :p ?y} {c:?y :q ?z FILTER(?z = :c)}"
    queries = [texts(one, {"r": "RANGE 9s", "c": "RANGE 1s"})[side] for side, one in enumerate(both)]
    facts = facts_of([("1", *"apb"), ("2", *"bqc")], lambda p: "r" if p == "p" else "c")
    monkeypatch.setattr(CauseSearch, "_everywhere", None)
    found = explained(report(queries, facts, period=5, last=5, static=(), bounds="closed"))
    assert [(one.side, one.cause) for one in found] == [("push", "expired before the pull")]
