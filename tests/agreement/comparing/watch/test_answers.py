"""Growing logs of two running systems: which is wrong, by which rule, whatever happens to the files."""

import gzip
import json
from collections import Counter
from types import SimpleNamespace

import pytest

from agreement import api
from agreement.comparing.matching.likeness import Likeness, RowMatch
from agreement.comparing.watch import newest_state
from agreement.comparing.watch.answers import AnswerVerdict, _with_rules
from agreement.comparing.watch.logs import LogState, read_further
from agreement.documents.options import declared
from agreement.documents.requests import AnswersOptions
from lars.durations import Duration
from lars.errors import FailedRunError, LarsError
from solver.traces import input_files
from tests.agreement.command import lars
from tests.agreement.comparing.watch.answer_logs import compared
from tests.agreement.comparing.watch.batches import rows_of, written
from tests.agreement.comparing.watch.test_watch import P, Q, begun, came, folder  # noqa: F401 - a fixture
from tests.sizes import few

SECOND = Duration(10**9)
A = {"x": {"type": "uri", "value": "http://e/a"}, "v": {"type": "literal", "value": "1"}}


def read(path, state=None, *, delay=0, names=("x", "v"), **more):
    how = AnswersOptions(), names, more.get("unit", SECOND), more.get("zero")
    return read_further(path, state or LogState(), how, 10**9, delay)


def times(state):
    return [t for t, *_ in state.answers]


def test_dated_answers_keep_their_microseconds(tmp_path):
    log, points = tmp_path / "a.csv", range(1, 400)
    log.write_text("t,x,v\n" + "".join(f"2026-01-01T00:00:00.{t:06d}Z,http://e/a,1\n" for t in points))
    state, _ = read(log, zero="2026-01-01T00:00:00Z", unit=Duration(1000))
    assert times(state) == [*points]


@pytest.mark.parametrize("first", few(range(4), 2))
def test_verdicts_and_rules_are_right_whatever_the_fault_and_the_growth_of_a_log(first):
    results = [(seed, *compared(seed)) for seed in range(first, first + 10 * 23, 23)]
    assert [(seed, wrong) for seed, _, wrong in results if wrong] == []
    assert Counter(held != "nothing" for _, held, _ in results)[True] >= 5


def test_a_torn_line_waits_for_its_end(tmp_path):
    log = tmp_path / "a.csv"
    log.write_text("t,x,v\n1,http://e/a,1\n2,http://e/a,")
    state, _ = read(log)
    assert times(state) == [1]
    log.write_text(f"{log.read_text()}12\n3,http://e/a,2\n")
    state, _ = read(log, state)
    assert [(t, row[1]) for t, _, row in state.answers][1][1].startswith('"12"')
    assert (times(state), state.read) == ([1, 2, 3], 3)


@pytest.mark.parametrize(
    ("reports", "correct"),
    [
        ({3: ["one"], 4: ["two"]}, True),
        ({3: ["one"], 4: ["one"]}, True),
        ({3: ["one"], 4: ["one", "two"]}, True),
        ({4: ["one", "two"]}, True),
        ({4: ["one"]}, False),
        ({3: ["one", "two", "three"]}, False),
    ],
    ids=str,
)
def test_a_blank_node_is_that_of_its_report_whatever_its_label(folder, reports, correct):  # noqa: F811
    elements = [(t, s, p) for t, s in ((3, "_:n"), (4, "_:m"), (13, "http://e/a")) for p in (P, Q)]
    rows = [(t, "http://e/s", s, p, "1") for t, s, p in (*elements, (18, "http://e/a", P))]
    lines = (
        json.dumps({"t": t, "rows": [{"x": {"type": "bnode", "value": each}, "v": INTEGER} for each in own]})
        for t, own in reports.items()
    )
    (folder / "log.jsonl").write_text("\n".join([*lines, ""]))
    run = begun(folder, period=4, push_answers=str(folder / "log.jsonl"))
    run.judge_batch(0, [written(folder / "in" / "a.csv", rows)])
    row = rows_of(folder / "out", "answers")[1]
    assert row[:4] == ["push", "0", "4", str(correct)]
    assert [row[5:7] == ["0", "0"], row[5:7] in (["1", "0"], ["0", "1"])] == [correct, not correct]


def test_a_log_may_be_empty_or_have_a_torn_header(tmp_path):
    log = tmp_path / "a.csv"
    for text, found in (("", []), ("t,", []), ("t,x,v\n", []), ("t,x,v\n4,http://e/a,1\n", [4])):
        log.write_text(text)
        state, _ = read(log)
        assert times(state) == found


def test_a_line_break_inside_quotes_ends_no_answer(tmp_path):
    log = tmp_path / "a.csv"
    log.write_text('t,x,v\n1,http://e/a,"two\nlines"\n2,http://e/a,"torn\n')
    state, _ = read(log)
    assert [(t, row[1]) for t, _, row in state.answers] == [(1, '"two\\nlines"')]


@pytest.mark.parametrize(
    ("head", "rows", "found"),
    [
        ("t;x;v", '1;http://e/a;"a; ""b""\nc"\n2;http://e/a;"a""b\n', 1),
        ("t,x,v", '1,http://e/a,""\n2,"http://e/a","5"" pipe"\n3,http://e/a,"""\n', 2),
    ],
)
def test_doubled_quotes_are_inside_a_field(tmp_path, head, rows, found):
    log = tmp_path / "a.csv"
    log.write_text(f"{head}\n{rows}")
    assert len(read(log)[0].answers) == found


@pytest.mark.parametrize("rows", ['1,http://e/a,5" pipe\n', '1,http://e/a,5" pipe\n2,http://e/a,1\n3,"torn'])
def test_a_quote_inside_an_unquoted_field_is_an_error_and_no_line_break_is_awaited(tmp_path, rows):
    log = tmp_path / "a.csv"
    log.write_text(f"t,x,v\n{rows}")
    with pytest.raises(LarsError, match=r"a\.csv:2:15: found '\" pipe"):
        read(log)


def test_a_log_that_was_rotated_is_read_to_its_end_and_then_the_new_file(tmp_path):
    log = tmp_path / "a.csv"
    log.write_text("t,x,v\n1,http://e/a,1\n")
    state, _ = read(log)
    log.write_text(f"{log.read_text()}2,http://e/a,1\n")
    log.rename(tmp_path / "a.csv.1")
    log.write_text("t,x,v\n3,http://e/a,1\n")
    state, _ = read(log, state)
    assert times(state) == [1, 2, 3]
    assert times(read(log, state)[0]) == [1, 2, 3]


def test_a_log_that_was_empty_when_it_was_read_may_be_rotated(tmp_path):
    log = tmp_path / "a.csv"
    log.write_text("")
    state, _ = read(log)
    log.write_text("t,x,v\n1,http://e/a,1\n")
    log.rename(tmp_path / "a.csv.1")
    log.write_text("t,x,v\n2,http://e/a,1\n")
    assert times(read(log, state)[0]) == [1, 2]


def test_a_quote_in_tab_separated_terms_ends_no_reading(tmp_path):
    log = tmp_path / "a.tsv"
    log.write_text('?t\t?x\t?v\n1\t<http://e/a>\t"a\\"b"\n2\t<http://e/a>\t"c"\n')
    assert times(read(log)[0]) == [1, 2]


@pytest.mark.parametrize("text", ["t,x,v\n3,http://e/b,1\n4,http://e/b,1\n", "t,x,v\n"])
def test_a_log_that_was_replaced_or_cut_is_an_error(tmp_path, text):
    log = tmp_path / "a.csv"
    log.write_text("t,x,v\n1,http://e/a,1\n")
    state, _ = read(log)
    log.write_text(text)
    with pytest.raises(
        FailedRunError, match="was replaced or cut, and the rest of its earlier text is not found"
    ):
        read(log, state)


def test_files_of_a_folder_grow_are_renamed_and_deleted(tmp_path):
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    one.write_text(json.dumps({"t": 1, "rows": [A]}) + "\n")
    state, _ = read(tmp_path)
    two.write_text(json.dumps({"t": 3, "rows": [A]}) + "\n")
    one.write_text(one.read_text() + json.dumps({"t": 2, "rows": [A]}) + "\n")
    one.rename(tmp_path / "zero.jsonl")
    state, _ = read(tmp_path, state, delay=5)
    assert sorted(times(state)) == [1, 2, 3]
    (tmp_path / "zero.jsonl").unlink()
    assert sorted(times(read(tmp_path, state, delay=5)[0])) == [1, 2, 3]


def test_a_file_of_a_folder_may_be_renamed_some_time_before_its_name_is_used_again(tmp_path):
    log = tmp_path / "a.csv"
    state = None
    for number in range(1, 4):
        log.write_text(f"t,x,v\n{number},http://e/a,1\n")
        state, _ = read(tmp_path, state)
        log.rename(tmp_path / f"a-{number}.csv")
        state, _ = read(tmp_path, state)
    assert (times(state), sorted(state.files)) == ([1, 2, 3], ["a-1.csv", "a-2.csv", "a-3.csv"])
    (tmp_path / "a-1.csv").write_text("t,x,v\n9,http://e/a,1\n")
    with pytest.raises(FailedRunError, match=r"a-1\.csv: was replaced or cut"):
        read(tmp_path, state)


def test_an_answer_behind_newer_ones_is_late_if_it_is_more_than_the_delay_behind(tmp_path):
    log = tmp_path / "a.csv"
    log.write_text("t,x,v\n9,http://e/a,1\n7,http://e/a,1\n6,http://e/a,1\n")
    state, late = read(log, delay=2)
    assert (times(state), [each[:2] for each in late]) == ([9, 7], [(6, 9)])


def test_date_times_count_from_time_0_also_before_it(tmp_path):
    log = tmp_path / "a.csv"
    log.write_text("t,x,v\n2026-05-04T07:59:00Z,http://e/a,1\n2026-05-04T08:00:05.2Z,http://e/a,1\n")
    state, _ = read(log, zero="2026-05-04T08:00:00Z", delay=100)
    assert (times(state), state.read) == ([5], 2)


def test_a_time_that_floats_do_not_tell_apart_and_another_kind_of_columns_are_errors(tmp_path):
    log = tmp_path / "a.csv"
    log.write_text(f"t,x,v\n1,http://e/a,1\n{2**53},http://e/a,1\n")
    with pytest.raises(LarsError, match=r"a\.csv:3:.*expected times below 9007199254740992 ms"):
        read(log)
    log.write_text("t,room\n1,hall\n")
    with pytest.raises(LarsError, match=r"its column room is none of the columns of the answer \(\?x, \?v\)"):
        read(log)


def test_a_value_in_a_column_that_the_query_does_not_return_is_an_error_and_no_value_is_none(tmp_path):
    log = tmp_path / "a.csv"
    log.write_text("t,x,v,note\n1,http://e/a,1,\n2,http://e/a,,\n")
    assert times(read(log)[0]) == [1, 2]
    log.write_text(f"{log.read_text()}3,http://e/a,1,odd\n")
    with pytest.raises(
        LarsError, match=r"a\.csv: .*its column note is none of .*; remove or rename the column"
    ):
        read(log)


@pytest.mark.parametrize("head", ["answer", "ask", "Answer,n", "AAA,Answer"])
def test_booleans_in_another_column_are_an_error(tmp_path, head):
    log = tmp_path / "a.csv"
    log.write_text(f"t,{head}\n1,true{',true' * (',' in head)}\n2,false{',' * (',' in head)}\n")
    with pytest.raises(
        LarsError, match=r"its column (answer|ask|n|AAA) is none of the columns .* \(Answer\)"
    ):
        read(log, names=None)


def test_a_boolean_is_true_or_false(tmp_path):
    log = tmp_path / "a.csv"
    log.write_text("t,ask\n1,\n")
    with pytest.raises(LarsError, match="its column ask is none of"):
        read(log, names=None)
    log.write_text("t,Answer\n1,true\n2,false\n3,1\n4,0\n")
    assert read(log, names=None)[0].answers == [(1, 1000, ()), (3, 3000, ())]
    for odd in ("yes", ""):
        log.write_text(f"t,Answer,n\n1,{odd},\n")
        with pytest.raises(
            LarsError, match=r"a\.csv: cannot read the answer .* to a query with ASK; use true or false"
        ):
            read(log, names=None)


def test_a_message_names_the_line_of_the_log(tmp_path):
    log = tmp_path / "a.csv"
    log.write_text("t,x,v\n1,http://e/a,1\n")
    state, _ = read(log)
    log.write_text(log.read_text() + "2,http://e/a,1\nnoon,http://e/a,1\n")
    with pytest.raises(LarsError, match=r"a\.csv:4:"):
        read(log, state)


def test_a_document_is_read_once_and_may_not_change(tmp_path):
    document = tmp_path / "a.json"
    binding = {"binding": A}
    head = {"vars": ["x", "v"]}
    relation = {"head": head, "timestamp": 4000, "results": {"bindings": [binding]}}
    document.write_text(json.dumps({"relations": [relation]}))
    state, _ = read(tmp_path)
    assert times(state) == [4]
    assert read(tmp_path, state)[0] == state
    document.write_text(document.read_text() + "\n ")
    with pytest.raises(LarsError, match="has changed after it was read"):
        read(tmp_path, state)


@pytest.mark.parametrize(
    ("at", "correct"), [((8, 12, 14), True), ((12, 14), False), ((8, 10, 12, 14), False)]
)
def test_a_log_is_wrong_if_lars_judge_says_so_of_the_whole(folder, at, correct):  # noqa: F811
    came(folder, "a", "5 p", "6 q", "9 q", "11 q", "12 p", "16 p", "24 p")
    lines = [
        json.dumps({"t": t, "rows": [{**A, "v": INTEGER}] if t in (6, *at) else []}) for t in range(4, 20, 2)
    ]
    (folder / "log.jsonl").write_text("\n".join([*lines, ""]))
    run = begun(folder, pull_answers=str(folder / "log.jsonl"))
    state, _ = run.judge_batch(0, [folder / "in" / "a.csv"])
    assert (state.compared, state.logs["pull"].wrong == 0) == (18, correct)
    judged = api.judge(
        *(str(folder / name) for name in ("pull.rq", "in/a.csv")),
        answers=str(folder / "log.jsonl"),
        engine="csparql",
        bounds="closed",
        empty="ignored",
        until=18,
        t0=0,
        diagnosis=False,
    )
    assert judged.correct is correct


def test_the_answers_to_ask_are_booleans(folder):  # noqa: F811
    pattern = "{ ?x :p ?v . ?x :q ?w }"
    (folder / "pull.rq").write_text(
        f"PREFIX : <http://e/> ASK FROM STREAM :s [RANGE 4s STEP 2s] WHERE {pattern}"
    )
    (folder / "push.rq").write_text(f"PREFIX : <http://e/> ASK WHERE {{ STREAM :s [RANGE 4s] {pattern} }}")
    (folder / "pull.csv").write_text("t,Answer\n2,true\n4,true\n6,true\n8,true\n10,true\n12,false\n")
    booleans = (2, True), (5, True), (7, False), (8, False), (12, False)
    lines = (json.dumps({"head": {}, "t": t, "boolean": boolean}) + "\n" for t, boolean in booleans)
    (folder / "push.jsonl").write_text("".join(lines))
    came(folder, "a", "1 p", "2 q", "5 q", "7 q", "8 p", "12 p", "20 p")
    run = begun(folder, pull_answers=str(folder / "pull.csv"), push_answers=str(folder / "push.jsonl"))
    run.judge_batch(0, [folder / "in" / "a.csv"])
    wrong = [row[:7] for row in rows_of(folder / "out", "answers")[1:] if row[3] == "False"]
    assert wrong == [["pull", "4", "6", "False", "1", "0", "1"], ["push", "6", "8", "False", "0", "1", "0"]]


def test_a_rare_trigger_keeps_neither_verdicts_nor_elements_waiting(folder):  # noqa: F811
    (folder / "log.jsonl").write_text(
        "".join(
            json.dumps({"t": t, "rows": rows}) + "\n" for t, rows in ((4, [{**A, "v": INTEGER}]), (31, [A]))
        )
    )
    elements = [(3, P), (4, Q), *((t, "http://e/other") for t in range(5, 400))]
    for number in range(0, 397, 40):
        rows = [(t, "http://e/s", "http://e/a", p, "1") for t, p in elements[number : number + 40]]
        run = begun(folder, trigger="matching", push_answers=str(folder / "log.jsonl"), push_reports="new")
        state, _ = run.judge_batch(number // 40, [written(folder / "in" / f"{number}.csv", rows)])
        _, pending = newest_state(folder / "checkpoint", state.question)
        assert sum(len(some.t) for name, some in pending.atoms.items() if name == ("striple", 4)) < 90
    assert state.compared >= 390
    wrong = [row[:7] for row in rows_of(folder / "out", "answers")[1:] if row[3] == "False"]
    assert wrong == [["push", "30", "32", "False", "1", "0", "1"]]


@pytest.mark.parametrize("size", [1, 3, 33])
def test_the_rules_do_not_depend_on_the_batches(folder, size):  # noqa: F811
    # The system reports what is new since its last evaluation, which only elements of the query trigger.
    (folder / "log.csv").write_text("t,x,v\n2,http://e/a,1\n")
    elements = sorted([(2, P), (2, Q), (21, P), (21, Q), *((t, "http://e/other") for t in range(1, 32))])
    rows = [(t, "http://e/s", "http://e/a", p, "1") for t, p in elements]
    for number, first in enumerate(range(0, len(rows), size)):
        run = begun(folder, push_answers=str(folder / "log.csv"), push_reports="new")
        file = written(folder / "in" / f"{number}.csv", rows[first : first + size])
        run.judge_batch(number, [file])
    wrong = [row for row in rows_of(folder / "out", "answers")[1:] if row[3] == "False"]
    assert [(row[1:4], row[8]) for row in wrong] == [(["20", "22", "False"], "20")]
    assert "trigger = matching" in wrong[0][9].split("; ")


def test_a_right_period_refutes_rules_that_a_wrong_period_before_it_allows(folder):  # noqa: F811
    # Of the row at 8, only the rows of x2 .. x4 come; at 12, all: the bounds are those of the semantics.
    pattern = "{ ?x :p ?v }"
    (folder / "pull.rq").write_text(
        f"PREFIX : <http://e/> SELECT ?x FROM STREAM :s [RANGE 2s STEP 2s] WHERE {pattern}"
    )
    (folder / "push.rq").write_text(
        f"PREFIX : <http://e/> SELECT ?x WHERE {{ STREAM :s [RANGE 2s] {pattern} }}"
    )
    rows = [(t, "http://e/s", f"http://e/x{t}", P, "1") for t in range(1, 30)]
    lines = ["t,x"]
    for t in range(2, 30, 2):
        lines += [f"{t},http://e/x{u}" for u in range(max(1, t - 2) + (t in (8, 10, 22)), t + 1)]
    (folder / "log.csv").write_text("\n".join([*lines, ""]))
    for number in range(4):
        run = begun(folder, pull_answers=str(folder / "log.csv"))
        file = written(folder / "in" / f"{number}.csv", rows[number * 8 : number * 8 + 8])
        state, _ = run.judge_batch(number, [file])
    wrong = [(row[2], row[8], row[9]) for row in rows_of(folder / "out", "answers")[1:] if row[3] == "False"]
    rules = "bounds = low-open; operator = ISTREAM"
    assert wrong == [("8", "6", rules), ("10", "6", rules), ("22", "20", rules)]
    assert state.logs["pull"].rules == []


def test_the_message_about_late_answers_names_the_time_that_makes_them_late(folder):  # noqa: F811
    (folder / "log.csv").write_text(
        "t,x,v\n2,http://e/a,1\n9999,http://e/a,1\n4,http://e/a,1\n6,http://e/a,1\n"
    )
    run = begun(folder, pull_answers=str(folder / "log.csv"))
    state, told = run.judge_batch(0, [came(folder, "a", "1 p", "2 q", "14 p")])
    late = "2 answers of pull came too late (up to 9995s behind the answer at 9999) and were not used"
    assert (state.logs["pull"].late, told[-1]) == (2, f"{late}; see the table too-late-answers")


def test_an_answer_of_the_last_judged_period_is_late(folder):  # noqa: F811
    log = folder / "log.csv"
    log.write_text("t,x,v\n")
    run = begun(folder, pull_answers=str(log))
    state, _ = run.judge_batch(0, [came(folder, "a", "1 p", "2 q", "14 p")])
    assert state.compared > 0
    log.write_text(f"t,x,v\n{state.compared},http://e/a,1\n")
    run = begun(folder, pull_answers=str(log))
    state, _ = run.judge_batch(1, [came(folder, "b", "15 p", "40 p")])
    assert state.logs["pull"].late == len(rows_of(folder / "out", "too-late-answers")) - 1 == 1


def test_a_page_in_the_folder_of_the_source_is_refused(folder):  # noqa: F811
    with pytest.raises(LarsError, match=r"report=.*: is in the folder of source="):
        begun(folder, report=str(folder / "in" / "page.html"))


def test_a_push_log_requires_one_reading(folder):  # noqa: F811
    streams = " ".join(f"FROM STREAM :{name} [RANGE 2s STEP 2s]" for name in "su")
    query = f"PREFIX : <http://e/> SELECT ?x {streams} WHERE {{ ?x :p ?y . ?x :q ?z }}"
    (folder / "pull.rq").write_text(query)
    (folder / "static.nt").write_text("<http://e/a> <http://e/p> <http://e/o> .\n")
    (folder / "log.csv").write_text("t,x\n")
    more = {"assign": {"http://e/s": [P], "http://e/u": [Q]}, "static": [str(folder / "static.nt")]}
    begun(folder, "pull.rq", **more, pull_answers=str(folder / "log.csv"))
    with pytest.raises(
        LarsError, match=r"push_answers=: cannot judge .* can be derived \(brave, brave; .*use a C-SPARQL"
    ):
        begun(folder, "pull.rq", **more, push_answers=str(folder / "log.csv"))


VALUES = {
    "--answers-delay": "9s",
    "--answers-format": "tsv",
    "--answers-unit": "500ms",
    "--rename": "a=x",
    "--time-variable": "when",
}


@pytest.mark.parametrize("side", ["push", "pull"])
@pytest.mark.parametrize("flag", ["--answers-delay", *(each.flag for each in declared(AnswersOptions))])
def test_an_option_of_the_answers_changes_what_is_read_and_requires_a_log(folder, flag, side, monkeypatch):  # noqa: F811
    value = {"a": "x"} if flag == "--rename" else VALUES[flag]
    named = {flag[2:].replace("-", "_"): value}
    with pytest.raises(LarsError, match="requires push_answers= or pull_answers="):
        begun(folder, **named)
    time, name = ("when" if value == "when" else "t"), ("a" if flag == "--rename" else "x")
    # The option overrides the suffix.
    path = folder / ("log.csv" if flag == "--answers-format" else "log.tsv")
    path.write_text(f"?{time}\t?{name}\t?v\n3\t<http://e/a>\t1\n12\t<http://e/a>\t1\n")
    first = came(folder, "a", "1 p", "2 q", "5 q", "14 p")
    state, _ = begun(folder, **{f"{side}_answers": str(path)}, **named).judge_batch(0, [first])
    found = state.compared, state.logs[side].newest
    usual = {"push": (8, 12), "pull": (8, 12)}[side]
    changed = {"--answers-delay": ({"push": 0, "pull": 2}[side], 12), "--answers-unit": (usual[0], 6)}
    assert found == changed.get(flag, usual)

    def batches(_source, _kept, step, *_):
        yield step(0, [first])

    monkeypatch.setattr("solver.spark.streaming.folder_batches", batches)
    queries = [str(folder / name) for name in ("pull.rq", "push.rq", "in", "kept", "tables")]
    words = [*queries[:2], "--source", queries[2], "--checkpoint", queries[3], "--out", queries[4]]
    words = ["watch", *words, "--period", "2", flag, VALUES[flag]]
    assert lars(*words).code == 2
    ran = lars(*words, f"--{side}-answers", path)
    assert (ran.code in (0, 1), "in 2 answers" in ran.out) == (True, True), ran


INTEGER = {"type": "literal", "value": "1", "datatype": "http://www.w3.org/2001/XMLSchema#integer"}


@pytest.mark.parametrize("right", [True, False])
def test_a_start_that_a_rule_named_before_is_tried_though_no_answer_suggests_it_now(right):
    by_rule = [] if right else [("<http://e/a>",)]
    semantics = SimpleNamespace(
        rules=lambda _, starts: ([(f"t0 = {start}", {"t0": start}) for start in starts], []),
        rows=lambda *_: SimpleNamespace(sizes=[len(by_rule)], rows=lambda _: by_rule),
    )
    log, how = LogState(since=0, rules=["t0 = 3"], starts=[3]), Likeness("set", 0.0, lexical=False)
    verdict = AnswerVerdict("pull", 5, 10, 0, RowMatch())
    after, _ = _with_rules(log, [verdict], [()], semantics, ("pull", None, (), how))
    assert (after.rules, after.starts, after.since) == ((["t0 = 3"], [3], 0) if right else ([], [], None))


@pytest.mark.parametrize(("more", "rules"), [("", ""), ("6,http://e/b,1\n", "high-open")])
def test_a_period_in_which_a_log_ends_gets_no_rule(folder, more, rules):  # noqa: F811
    """A system has written one of two rows of a period; the other row may follow."""
    elements = [(2, "http://e/a"), (4, "http://e/b"), (20, "http://e/a")]
    rows = [(t, "http://e/s", s, p, "1") for t, s in elements for p in (P, Q)]
    log = folder / "log.csv"
    log.write_text(f"t,x,v\n2,http://e/a,1\n4,http://e/a,1\n{more}")
    run = begun(folder, period=2, pull_answers=str(log))
    run.judge_batch(0, [written(folder / "in" / "a.csv", rows)])
    answers = {row[2]: row for row in rows_of(folder / "out", "answers")[1:]}
    assert answers["4"][3] == "False"
    assert (rules in answers["4"][-1], answers["4"][-1] != "") == (True, rules != "")


def test_periods_before_the_beginning_of_a_log_are_not_judged_and_its_first_period_gets_no_rule(folder):  # noqa: F811
    """A log without its beginning lacks rows that the system may have reported."""
    rows = [(t, "http://e/s", f"http://e/{x}", p, "1") for t in range(1, 30) for x in "ab" for p in (P, Q)]
    for name, first in (("pull", "8,http://e/a,1"), ("push", "2,http://e/a,1\n2,http://e/b,1")):
        times = range(9 if name == "pull" else 3, 30)
        lines = (f"{t},http://e/{x},1" for t in times if name == "push" or t % 2 == 0 for x in "ab")
        (folder / f"{name}.csv").write_text("\n".join(["t,x,v", first, *lines, ""]))
    logs = {f"{name}_answers": str(folder / f"{name}.csv") for name in ("pull", "push")}
    state, told = begun(folder, period=2, **logs).judge_batch(0, [written(folder / "in" / "a.csv", rows)])
    answers = {(row[0], row[2]): row for row in rows_of(folder / "out", "answers")[1:]}
    assert [answers["pull", end][3] for end in ("2", "4", "6", "8", "10")] == ["", "", "", "False", "True"]
    assert (answers["pull", "8"][5:7], answers["pull", "8"][-1]) == (["1", "0"], "")
    # What push has where the log of pull does not exist is no difference of the logs.
    assert [answers["push", end][7] for end in ("4", "6", "8")] == ["0", "0", "1"]
    assert {row[2] for row in rows_of(folder / "out", "wrong-rows")[1:] if row[0] == "pull"} == {"8"}
    assert "the log of pull begins at 8: 3 earlier periods with missing rows are not judged" in told
    (wrong,) = (line for line in told if line.startswith("(6, 8] answers of pull"))
    assert wrong == "(6, 8] answers of pull are wrong: 1 row missing; the log begins in this period"
    assert state.logs["pull"].wrong == 1


def test_a_log_without_answers_gets_no_rule(folder):  # noqa: F811
    (folder / "log.csv").write_text("t,x,v\n")
    run = begun(folder, pull_answers=str(folder / "log.csv"))
    _, told = run.judge_batch(0, [came(folder, "a", "1 p", "2 q", "14 p")])
    assert "(0, 2] answers of pull are wrong: 1 row missing; the log has no answers" in told


def test_a_repeated_record_has_its_first_value_also_if_a_log_has_grown(folder, monkeypatch):  # noqa: F811
    """A reader ignores keys that it knows, so a repeated record must have the value of the first one."""
    sent, killed = [], [True, False]

    def append(topic, records, place):
        _ = topic, place
        sent.extend(records)
        if killed.pop(0):
            raise FailedRunError("killed")

    monkeypatch.setattr("solver.spark.streaming.append_records", append)
    (folder / "log.csv").write_text("t,x,v\n2,http://e/a,1\n")
    path = came(folder, "a", *(f"{t} {name}" for t in range(1, 20) for name in "pq"))
    given = {"pull_answers": str(folder / "log.csv"), "out": "kafka://127.0.0.1:9/v", "out_format": None}
    with pytest.raises(FailedRunError):
        begun(folder, **given).judge_batch(0, [path])
    lines = (f"{t},http://e/a,1\n" for t in range(4, 20, 2))
    (folder / "log.csv").write_text("".join(["t,x,v\n2,http://e/a,1\n", *lines]))
    run = begun(folder, **given)
    run.repair()
    state, _ = run.judge_batch(0, [path])
    assert len(set(sent)) == len(dict(sent)) == sum(state.sizes.values())


def test_copies_of_compressed_files_and_of_logs_are_deleted_after_their_batch(folder):  # noqa: F811
    """A watch does not end, so its copies would fill the disk."""
    path = came(folder, "a", "1 p", "2 p", "2 q", "14 p")
    packed = path.with_suffix(".csv.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    (folder / "log.ndjson").write_text('{"t": 2, "x": "<http://e/a>", "v": "1"}\n' * 2)
    run = begun(folder, pull_answers=str(folder / "log.ndjson"))
    before = {*input_files._folder().iterdir()}
    state, _ = run.judge_batch(0, [packed])
    assert (state.elements, state.logs["pull"].read) == (4, 2)
    assert {*input_files._folder().iterdir()} == before
