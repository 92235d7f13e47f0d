"""Programs written by hand through the real command: answer streams, consequences, refusals."""

import json
from collections import Counter

import pytest

from agreement import api
from tests.agreement.command import lars
from tests.packs import SAMPLES
from tests.sizes import few

DOOR = (SAMPLES / "door" / "door.lars", SAMPLES / "door" / "door.atoms")
LOOP = "p ← not q, e. q ← not p, e. r ← p. r ← q. ← f."
STREAM = "1: e.\n2: e f.\n3:\n"


def solved(folder, text, stream, *options):
    (folder / "p.lars").write_text(text)
    (folder / "s.atoms").write_text(stream)
    return lars("solve", folder / "p.lars", folder / "s.atoms", "--in-process", *options)


def test_no_answer_stream_is_told_apart_from_the_empty_one(tmp_path):
    assert solved(tmp_path, LOOP, STREAM).out.splitlines() == [
        "0: {}",
        "1: {p, r} | {q, r}",
        "2: no answer stream",
        "3: {}",
    ]
    assert [line["answer_streams"] for line in solved(tmp_path, LOOP, STREAM, "--json").lines] == [
        [[]],
        [["p", "r"], ["q", "r"]],
        [],
        [[]],
    ]


def test_brave_and_cautious_are_null_without_an_answer_stream(tmp_path):
    brave = solved(tmp_path, LOOP, STREAM, "--brave", "--json").lines
    assert [line["brave"] for line in brave] == [[], ["p", "q", "r"], None, []]
    cautious = solved(tmp_path, LOOP, STREAM, "--cautious").out.splitlines()
    assert cautious == ["0: {}", "1: {r}", "2: no answer stream", "3: {}"]


def test_some_of_the_answer_streams_say_that_there_are_more(tmp_path):
    one = solved(tmp_path, LOOP, STREAM, "--models", "1")
    assert one.out.splitlines()[1] in ("1: {p, r} | …", "1: {q, r} | …")
    two = solved(tmp_path, LOOP, STREAM, "--models", "2", "--json").lines[1]
    assert (len(two["answer_streams"]), "more" in two) == (2, False)
    assert solved(tmp_path, LOOP, STREAM, "--models", "1", "--json").lines[1]["more"] is True
    assert solved(tmp_path, LOOP, STREAM, "--models", "all").out == solved(tmp_path, LOOP, STREAM).out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--models", "0"), "--models 0: expected all, or a number from 1"),
        (("--brave", "--cautious"), "cannot combine --models, --brave and --cautious; use one of them"),
        (("--models", "2", "--brave"), "cannot combine --models, --brave and --cautious; use one of them"),
    ],
)
def test_wrong_wishes_are_one_message(tmp_path, options, words):
    ran = solved(tmp_path, LOOP, STREAM, *options)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err


@pytest.mark.parametrize(
    "window",
    few(["#2", "#2 all", "#2 choose", "#1 by 1", "#1 by predicate choose", "5 low-open", "3,0,2"], 3),
)
def test_spark_and_one_process_print_the_same(tmp_path, window):
    stream = "".join(f"{t}: f({t % 7}, a) f({t % 5}, b) g({t % 3}).\n" for t in range(0, 40, 3))
    rules = f"p(X) ← ⊞^{{{window}}} ◇ f(X, Y), not g(X). ← p(3), p(4). @_T q ← ⊞^{{{window}}} @_T g(2)."
    local = solved(tmp_path, rules, stream)
    spark = lars("solve", tmp_path / "p.lars", tmp_path / "s.atoms", "--master", "local[2]")
    assert (local.code, local.out) == (0, spark.out)


def test_the_door_is_kept_on_spark_as_in_one_process():
    assert lars("solve", *DOOR, "--master", "local[2]").out == lars("solve", *DOOR, "--in-process").out


def test_without_a_wish_a_thousand_answer_streams_are_shown_and_more_are_warned_of(tmp_path):
    loops = "".join(f"a{i} ← not b{i}. b{i} ← not a{i}. " for i in range(11))
    ran = solved(tmp_path, loops, "0:", "--json")
    (line,) = ran.lines
    assert (len(line["answer_streams"]), line["more"]) == (1000, True)
    assert "more than 1000 answer streams at 0; --models all" in ran.err
    assert len(solved(tmp_path, loops, "0:", "--json", "--models", "all").lines[0]["answer_streams"]) == 2048


def test_a_query_is_pulled_as_often_as_its_period_says(tmp_path):
    query, trace = tmp_path / "q.rq", tmp_path / "t.nq"
    query.write_text("SELECT ?x { STREAM <x:s> [RANGE 999s] { ?x <x:p> ?y } }")
    trace.write_text("".join(f'<x:a> <x:p> <x:b> <x:s> "{t}" .\n' for t in (0, 400)))
    ran = lars("solve", query, trace, "--mode", "pull", "--period", 2, "--in-process", "--json")
    assert [line["t"] for line in ran.lines] == list(range(0, 401, 2))


@pytest.mark.parametrize("command", ["solve", "explain", "check", "translate"])
def test_options_of_queries_are_refused_for_programs(tmp_path, command):
    more = {"explain": ("--at", "4", "guard(bob)"), "check": ("--at", "4", "--answer", DOOR[1])}
    for option in ("--bounds=high-open", "--mode=pull", "--profile=sparql11", "--engine=cqels"):
        trace = () if command == "translate" else (DOOR[1],)
        ran = lars(command, DOOR[0], *trace, option, *more.get(command, ()))
        assert (ran.code, ran.out) == (2, "")
        assert f"cannot combine {option.partition('=')[0]} with a LARS program" in ran.err


def test_a_program_needs_no_trace(tmp_path):
    (tmp_path / "p.lars").write_text("f(2). n(X) ← f(X), not g.")
    assert lars("solve", tmp_path / "p.lars", "--in-process").out == "0: {n(2)}\n"
    assert lars("solve", tmp_path / "p.lars", "--in-process", "--to", "1").out == "0: {n(2)}\n1: {n(2)}\n"


@pytest.mark.parametrize(("text", "has_rules"), [("", False), ("% none\n", False), ("p.", True)])
def test_a_program_without_rules_is_warned_of(tmp_path, text, has_rules):
    solved_program = solved(tmp_path, text, "1: e.\n")
    assert (solved_program.code, "has no rule" in solved_program.err) == (0, not has_rules)


def test_atoms_are_in_the_order_of_times_and_numbers(tmp_path):
    rules = "@_T o(X) ← ⊞^∞ @_T e(X). p(X) ← ⊞^∞ ◇ e(X)."
    ran = solved(tmp_path, rules, "2: e(10) e(9).\n10: e(b) e(-1).\n", "--from", "10")
    expected = "10: {@_2 o(9), @_2 o(10), o(-1), o(b), p(-1), p(9), p(10), p(b)}"
    assert ran.out.strip() == expected


def test_a_stream_without_a_name_is_warned_of(tmp_path):
    (tmp_path / "p.lars").write_text("p(S) ← ⊞^0 ◇ striple(X, Y, Z, S).")
    (tmp_path / "t.nt").write_text('<urn:a> <urn:b> <urn:c> "1" .\n')
    ran = lars("solve", tmp_path / "p.lars", tmp_path / "t.nt", "--in-process")
    assert "1: {p(null)}" in ran.out
    assert "--stream IRI=FILE" in ran.err


def test_a_program_by_another_name_is_told_what_it_is_called(tmp_path):
    (tmp_path / "p.lp").write_text("p :- q.\n")
    ran = lars("solve", tmp_path / "p.lp", DOOR[1])
    assert ran.code == 2
    assert "LARS program, its name must end with .lars" in ran.err


@pytest.mark.parametrize("name", ["t.nq", "t.PARQUET", "t.csv", "t.rq"])
def test_a_trace_in_place_of_a_query_is_told_the_order(name, tmp_path):
    (tmp_path / name).write_bytes(b"\x80" if name == "t.PARQUET" else b"<e:a> <e:b> <e:c> .\n")
    ran = lars("solve", tmp_path / name, SAMPLES / "coupons" / "query.cqels.rq")
    assert ran.code == 2
    assert (f"{name} has the name of a trace; if it is one, put the query before it" in ran.err) == (
        name != "t.rq"
    )


def test_a_program_in_place_of_a_query_is_told_the_commands_for_programs(tmp_path):
    (tmp_path / "p.lars").write_text("p(X) ← ⊞^3 ◇ q(X).\n")
    ran = lars("decide", tmp_path / "p.lars", "--contained", tmp_path / "p.lars")
    said = "p.lars: cannot read a LARS program as a query; use a query, or evaluate the program with"
    assert (ran.code, said in ran.err, "must end" in ran.err) == (2, True, False)


@pytest.mark.parametrize("option", ["--models=1", "--brave", "--cautious"])
def test_wishes_about_answer_streams_are_refused_for_queries(option):
    query = SAMPLES / "coupons" / "query.cqels.rq"
    ran = lars("solve", query, SAMPLES / "coupons" / "coupons.trig", option)
    assert (ran.code, ran.out) == (2, "")
    assert "with a query; these options are only for LARS programs" in ran.err


def test_lines_are_printed_before_the_last_time_point_is_evaluated(tmp_path):
    ran = solved(tmp_path, "a ← b(X), Y = X * 1000000000, Y > 0.", "1: b(1).\n5: b(9).\n")
    assert (ran.code, ran.out) == (
        2,
        "0: {}\n1: {a}\n2: {}\n3: {}\nunfinished: standard error shows the reason\n",
    )


def test_time_points_without_answer_stream_are_told_between_others(tmp_path):
    ran = solved(tmp_path, "← not b. ← ⊞^1 ◇ c.", "1: b.\n3: b.\n4: b c.\n5: b.\n7: b.\n")
    assert [line.split(": ")[1] == "{}" for line in ran.out.splitlines()] == [
        *(False, True, False, True, False, False, False, True)
    ]


def test_only_what_is_to_be_shown_is_shown(tmp_path):
    quoted = "'big one'(X, Y) ← ⊞^1 ◇ e(X), ⊞^1 ◇ e(Y). @_T2 next(X) ← ⊞^0 @_T e(X), T2 = T + 1. p ← e(X)."
    stream = "1: e('b, c(') e(\"x)\"@en).\n2:\n"
    next_ones = "@_2 next(\"x)\"@en), @_2 next('b, c(')"
    assert solved(tmp_path, quoted, stream, "--show", "next/1,p/0").out.splitlines() == [
        "0: {}",
        f"1: {{{next_ones}, p}}",
        "2: {}",
    ]
    found = solved(tmp_path, quoted, stream, "--show", "'big one'/2", "--from", "2", "--json")
    assert [len(line["answer_streams"][0]) for line in found.lines] == [4]
    assert solved(tmp_path, LOOP, STREAM, "--show", "q/0", "--brave").out.splitlines()[1:3] == [
        "1: {q}",
        "2: no answer stream",
    ]


@pytest.mark.parametrize(
    ("shown", "message"),
    [
        ("s/0", "--show s/0: expected predicates that the program derives: p/0, q/0, r/0"),
        ("e/0,p/1", "--show e/0, p/1: expected predicates that the program derives: p/0, q/0, r/0"),
        ("p", "--show p: expected predicates with the number of their arguments, such as alarm/1"),
        ("p/0,", "--show p/0,: expected predicates"),
        ("p/0 q/0", "--show p/0 q/0: expected predicates"),
        ("", "--show : expected predicates"),
    ],
)
def test_what_is_no_predicate_of_the_program_is_not_shown(tmp_path, shown, message):
    ran = solved(tmp_path, LOOP, STREAM, "--show", shown)
    assert (ran.code, message in ran.err, ran.out) == (2, True, ""), ran.err


def table(folder, name):
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]


def test_answer_streams_are_tables_too(tmp_path):
    ran = solved(tmp_path, LOOP, STREAM, "--out", tmp_path / "o", "--out-format", "jsonl", "--from", "1")
    files = ", ".join(str(tmp_path / "o" / f"{name}.jsonl") for name in ("answers", "evaluations"))
    assert ran.out.splitlines() == ["3 answer streams at 3 times", f"all rows are in {files}"]
    assert [tuple(row.values()) for row in table(tmp_path / "o", "answers")] == [
        (1, 1, "p"), (1, 1, "r"), (1, 2, "q"), (1, 2, "r"),
    ]  # fmt: skip
    assert [tuple(row.values()) for row in table(tmp_path / "o", "evaluations")] == [(1, 2), (2, 0), (3, 1)]


DAY = "at(X) ← ⊞^2 ◇ in(X). alone(X) ← at(X), not two. two ← at(a), at(b)."
MOVES = "1: in(a).\n3: in(b) in(a).\n9: in(b).\n"


def counted(rows):
    """Return rows, each with how often it is there."""
    return Counter(map(tuple, rows))


@pytest.mark.parametrize(
    ("program", "options"),
    [
        (DAY, ()), (DAY, ("--evaluator", "clingo")), (DAY, ("--show", "at/1")), (DAY, ("--brave",)),
        (LOOP, ()), (LOOP, ("--models", "1")), (LOOP, ("--cautious",)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("rows", [1, 20_000])
def test_runs_are_the_answers_and_as_long_as_they_can_be(tmp_path, monkeypatch, rows, program, options):
    monkeypatch.setattr("solver.job.slices.ATOMS_PER_SLICE", rows)
    given = (tmp_path, program, MOVES if program == DAY else STREAM, "--out-format", "jsonl", *options)
    solved(*given, "--out", tmp_path / "o")
    solved(*given, "--out", tmp_path / "r", "--runs")
    assert not (tmp_path / "r" / "answers.jsonl").exists()
    assert table(tmp_path / "o", "evaluations") == table(tmp_path / "r", "evaluations")
    runs = [tuple(row.values()) for row in table(tmp_path / "r", "runs")]
    spread = [(t, *row) for first, last, *row in runs for t in range(first, last + 1)]
    assert counted(spread) == counted(row.values() for row in table(tmp_path / "o", "answers"))
    ends = {(last, *row) for _, last, *row in runs}
    assert [run for run in runs if (run[0] - 1, *run[2:]) in ends] == []
    assert [run[:2] for run in runs] == sorted(run[:2] for run in runs)


def test_runs_of_rows_keep_those_that_are_equal_apart(tmp_path):
    query, trace = tmp_path / "q.rq", tmp_path / "in.nq"
    query.write_text("SELECT ?y { STREAM <http://e/S> [RANGE 2s] { ?x <http://e/p> ?y } }")
    trace.write_text(
        "".join(
            f'<http://e/{x}> <http://e/p> <http://e/{y}> <http://e/S> "{t}" .\n'
            for t, x, y in ((1, "a", "y"), (2, "b", "y"), (4, "c", "y"), (8, "d", "z"))
        )
    )
    lars(
        "solve",
        query,
        trace,
        "--semantics",
        "bag",
        "--out",
        tmp_path / "r",
        "--out-format",
        "jsonl",
        "--runs",
    )
    runs = [(row["first"], row["last"], row["?y"]) for row in table(tmp_path / "r", "runs")]
    assert runs == [(1, 4, "<http://e/y>"), (2, 4, "<http://e/y>"), (8, 8, "<http://e/z>")]


def test_runs_are_a_table_of_the_library_too():
    found = api.solve(SAMPLES / "door" / "door.lars", SAMPLES / "door" / "door.atoms", to=4)
    runs = found.to_pandas("runs")
    assert list(runs.columns) == ["first", "last", "stream", "atom"]
    assert len(runs) < len(found.to_pandas("answers"))


@pytest.mark.parametrize(
    ("options", "message"),
    [((), "--runs requires --out DIR"), (("--as", "cqels"), "cannot combine --runs with --as NAME")],
)
def test_runs_are_refused_where_there_are_none(tmp_path, options, message):
    judged, out = SAMPLES / "judged" / "met", ("--out", tmp_path / "o") if options else ()
    ran = lars("solve", judged / "query.cqels.rq", judged / "doors.nq", *options, *out, "--runs")
    assert (ran.code, message in ran.err, (tmp_path / "o").exists()) == (2, True, False), ran.err


@pytest.mark.parametrize("options", [("--in-process",), ("--as", "cqels")])
def test_answers_of_a_query_are_tables_too(tmp_path, options):
    judged = SAMPLES / "judged" / "met"
    given = (judged / "query.cqels.rq", judged / "doors.nq", *options, "--json")
    told = lars("solve", *given, "--out", tmp_path / "o", "--out-format", "jsonl").lines
    rows = table(tmp_path / "o", "answers")
    assert [(row["t"], row["place"]) for row in rows] == [
        (one["t"], place) for one in told for place in range(1, len(one["rows"]) + 1)
    ]
    assert [row["?one"] for row in rows] == [
        f"<{row['one']['value']}>" for one in told for row in one["rows"]
    ]
    counts = [(row["t"], row["rows"]) for row in table(tmp_path / "o", "evaluations")]
    assert counts == [(one["t"], len(one["rows"])) for one in told]


@pytest.mark.parametrize(
    ("condition", "remedy"),
    [
        ("[T > 30]", "use T > 30 without brackets"),
        ("[30.5 < T]", "use RDF literals in the input"),
        (f"[T < {'9' * 5000}]", "use RDF literals in the input"),
    ],
)
def test_a_condition_in_brackets_on_an_integer_is_a_warning_with_its_place(condition, remedy, tmp_path):
    program, trace = tmp_path / "p.lars", tmp_path / "t.atoms"
    program.write_text(f"hot(S) ← ⊞^3 ◇ reading(S, T), {condition}.")
    trace.write_text("1: reading(a, 31).")
    for call in (("solve",), ("explain", "--at", 1, "hot(a)")):
        found = lars(call[0], program, trace, *call[1:])
        assert f"warning: {program}:1:31: the condition [" in found.err
        assert remedy in found.err
    trace.write_text('1: reading(a, "31"^^<http://www.w3.org/2001/XMLSchema#integer>).')
    assert "warning" not in lars("solve", program, trace).err
