"""A watched stream: verdicts as of `lars agree` on what counts, whatever the batches, and what is refused."""

import csv
import json
from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from agreement import api
from agreement.results.files import watched
from agreement.results.files.watched import watch
from lars.errors import FailedRunError, LarsError
from tests.agreement.comparing.watch.batches import compared, rows_of, written
from tests.sizes import few

PULL = "PREFIX : <http://e/> SELECT ?x ?v FROM STREAM :s [RANGE 4s STEP 2s] WHERE { ?x :p ?v . ?x :q ?w }"
PUSH = "PREFIX : <http://e/> SELECT ?x ?v WHERE { STREAM :s [RANGE 4s] { ?x :p ?v . ?x :q ?w } }"
P, Q = "http://e/p", "http://e/q"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "pull.rq").write_text(PULL)
    (tmp_path / "push.rq").write_text(PUSH)
    return tmp_path


def begun(folder, *queries, **more):
    given = [str(folder / name) for name in queries or ("pull.rq", "push.rq")]
    usual = {"source": "in", "checkpoint": "checkpoint", "out": "out"}
    return watch(
        *given,
        **{name: str(folder / path) for name, path in usual.items()}
        | {"out_format": "csv", "period": 2}
        | more,
    )


def came(folder, name, *elements):
    """Return a file of elements "t p" of the subject a."""
    rows = [(t, "http://e/s", "http://e/a", {"p": P, "q": Q}[p], "1") for t, p in map(str.split, elements)]
    return written(folder / "in" / f"{name}.csv", rows)


@pytest.mark.parametrize("first", few(range(5), 2))
def test_the_verdicts_are_those_of_the_whole_however_the_stream_is_cut_and_killed(first):
    # Each twenty seeds have the same queries.
    results = [(seed, *compared(seed)) for seed in range(first, first + 12 * 23, 23)]
    assert [(seed, wrong) for seed, _, wrong in results if wrong] == []
    assert Counter(held for _, held, _ in results)["differences"] >= 3


def test_a_period_is_judged_when_no_element_that_counts_can_come(folder):
    run = begun(folder, delay=2)
    state, _ = run.judge_batch(0, [came(folder, "a", "1 p", "4 q")])
    assert state.judged == {}  # an element at 2 may still come, which is in (0, 2]
    state, _ = run.judge_batch(1, [came(folder, "b", "5 q")])
    assert state.judged == {"2": 2}
    assert rows_of(folder / "out", "periods")[1:] == [["given", "2", "0", "2", "True", "0", "0", "0", "0"]]


def test_an_element_that_comes_too_late_changes_nothing_and_is_kept(folder):
    run = begun(folder, delay=2)
    state, told = run.judge_batch(0, [came(folder, "a", "1 p", "6 p", "3 q", "4 q", "9 p")])
    late = "1 element came too late (up to 3s behind the newest element) and was not used"
    assert told[-1] == f"{late}; see the table too-late"
    assert [row[:2] for row in rows_of(folder / "out", "too-late")[1:]] == [["3", "6"]]
    assert (state.late, state.elements, state.judged) == (1, 5, {"2": 6})
    # At 4 the window [0, 4] has p of 1 and q of 4.
    assert [row[5] for row in rows_of(folder / "out", "periods")[1:]] == ["0", "1", "1"]


def test_a_line_says_which_period_disagrees_and_why(folder):
    # Push reports at 2 and at 5; pull at 2, 4 and 6, with the windows [0, 2], [0, 4] and [2, 6].
    run = begun(folder)
    _, told = run.judge_batch(0, [came(folder, "a", "1 p", "2 q", "5 q", "9 p")])
    assert told == [
        "(2, 4] disagrees: only pull reports 1 row (silent period)",
        "(4, 6] disagrees: only push reports 1 row (expired before the pull)",
    ]


def test_a_line_names_the_variant_if_several_queries_are_derived(folder):
    assigned = {"http://e/s": ["http://e/p", "http://e/q"]}
    run = begun(folder, "pull.rq", assign=assigned)
    state, told = run.judge_batch(0, [came(folder, "a", "1 p", "2 q", "9 p")])
    assert len(run.watcher.pairs) > 1
    assert len(told) == len(set(told)) == state.disagreeing > 1
    assert [line.partition(":")[0] for line in told] == [f"variant {pair}" for pair in run.watcher.pairs]
    assert watched._verdicts(state, 2) == "8 periods of 2 CQELS queries, 2 of them disagree"
    run._last[:] = [state]
    assert run.page().answer == "2 of 8 periods of 2 CQELS queries disagree."


@pytest.mark.parametrize(
    ("elements", "text", "ending"),
    [
        (["1 p"], "0 periods", (3, "--fail-on-empty: no period is judged")),
        (
            ["1 p", "3 p"],
            "1 period, which agrees; neither side has a row in it",
            (3, "--fail-on-empty: neither side reports a row in any judged period"),
        ),
        (["1 p", "1 q", "3 p"], "1 period, which agrees", (0, None)),
        (["3 p", "3 q", "5 p"], "2 periods, 0 of them disagree", (0, None)),
        (["1 p", "2 q", "5 p"], "2 periods, 1 of them disagrees", (1, None)),
    ],
)
def test_none_one_and_several_periods_read_well(elements, text, ending, folder):
    run = begun(folder, fail_on_empty=True)
    run._last[:] = [run.judge_batch(0, [came(folder, "a", *elements)])[0]]
    assert (
        run._progress()
        .partition(": ")[2]
        .startswith(f"{text}; {len(elements)} elements read" if len(elements) > 1 else text)
    )
    assert run.ending == ending


def test_a_repeated_batch_is_told_again_because_its_lines_may_not_have_been_printed(folder):
    first = begun(folder).judge_batch(0, [came(folder, "a", "1 p", "2 q", "5 q", "9 p")])
    again = begun(folder).judge_batch(0, [folder / "in" / "a.csv"])
    assert again[1] == first[1] != []
    assert again[0].periods == first[0].periods
    assert begun(folder).judge_batch(1, [came(folder, "b", "10 p")])[1] == []


def test_a_batch_before_the_newest_is_refused_and_so_is_a_checkpoint_without_the_files_of_spark(folder):
    run = begun(folder)
    for number in range(2):
        run.judge_batch(number, [came(folder, str(number), f"{number + 1} p")])
    message = "cannot continue after batch 1: files of its folder spark are missing; use a new folder"
    with pytest.raises(LarsError, match=message):
        run.judge_batch(0, [came(folder, "c", "5 p")])
    offsets = folder / "checkpoint" / "spark" / "offsets"
    offsets.mkdir(parents=True)
    (offsets / "0").write_text("an older copy")
    with pytest.raises(LarsError, match=message):
        list(begun(folder).parts())


def test_parquet_has_a_file_for_each_batch_with_rows_and_an_unfinished_one_is_replaced(folder):
    run = begun(folder, out_format="parquet")
    run.judge_batch(0, [came(folder, "a", "1 p", "2 q", "6 p")])
    (folder / "out" / "periods" / "00000001.parquet").write_bytes(b"torn")
    begun(folder, out_format="parquet").repair()
    assert [path.name for path in (folder / "out" / "periods").iterdir()] == ["00000000.parquet"]
    run = begun(folder, out_format="parquet")
    run.judge_batch(1, [came(folder, "b", "9 p")])
    ends = pq.read_table(folder / "out" / "periods").sort_by("to")["to"].to_pylist()
    assert ends == [2, 4, 6, 8]


@pytest.mark.parametrize(
    "option",
    [
        {"bounds": "open"},
        {"trigger": "matching"},
        {"period": 3},
        {"unit": "500ms"},
        {"trace_unit": "2s"},
        {"static": "static.nt"},
        {"on": ["?x"]},
    ],
    ids=str,
)
def test_an_option_of_the_comparison_changes_the_tables(option, folder):
    (folder / "static.nt").write_text("<http://e/a> <http://e/p> <http://e/b> .")
    option = {name: str(folder / each) if name == "static" else each for name, each in option.items()}
    # The element of `other` matches no pattern: it triggers push unless the trigger is "matching".
    rows = [(1, P), (2, Q), (5, "http://e/other"), (6, Q), (20, Q)]
    elements = written(folder / "in" / "a.csv", [(t, "http://e/s", "http://e/a", p, "1") for t, p in rows])
    tables = []
    for name, more in (("usual", {}), ("changed", option)):
        (folder / name).mkdir()
        run = begun(folder, checkpoint=str(folder / f"kept-{name}"), out=str(folder / name), **more)
        run.judge_batch(0, [elements])
        tables.append([rows_of(folder / name, table) for table in ("periods", "differences")])
    assert tables[0] != tables[1]


def test_a_checkpoint_of_another_question_is_refused(folder):
    begun(folder).judge_batch(0, [came(folder, "a", "1 p")])
    with pytest.raises(LarsError, match="belongs to a watch with other queries, static data or options"):
        begun(folder, delay=1).judge_batch(1, [came(folder, "b", "2 p")])
    (folder / "pull.rq").write_text(PULL.replace("4s", "6s"))
    with pytest.raises(LarsError, match="belongs to a watch with other queries"):
        begun(folder).judge_batch(1, [came(folder, "b", "2 p")])


@pytest.mark.parametrize("text", ["5", "[]", '{"logs": []}', '{"logs": {"push": 5}}', '{"judged": 5}', "{"])
def test_a_state_that_is_no_state_is_an_error(folder, text):
    run = begun(folder)
    run.judge_batch(0, [came(folder, "a", "1 p")])
    (folder / "checkpoint" / "batch-0" / "state.json").write_text(text)
    with pytest.raises(LarsError, match="checkpoint: cannot read batch-0"):
        begun(folder).judge_batch(1, [came(folder, "b", "2 p")])


def test_what_the_checkpoint_needs_may_not_be_missing(folder):
    run = begun(folder)
    with pytest.raises(LarsError, match="the state before batch 1 is missing"):
        run.judge_batch(1, [came(folder, "b", "2 p")])
    run.judge_batch(0, [came(folder, "a", "1 p", "9 p")])
    (folder / "out" / "periods.csv").write_text("x")
    with pytest.raises(FailedRunError, match="is shorter than the checkpoint says"):
        run.judge_batch(1, [came(folder, "b", "12 p")])


def test_blank_nodes_of_different_files_are_different(folder):
    def file(name, *lines):
        path = folder / "in" / name
        path.write_text(
            "".join(f'_:b <http://e/{p}> "1" <http://e/s> "{t}" .\n' for t, p in map(str.split, lines))
        )
        return path

    one = [file("a.nq", "1 p")]
    begun(folder).judge_batch(0, one)
    begun(folder).judge_batch(1, [file("b.nq", "3 q", "9 q")])
    rows = rows_of(folder / "out", "periods")[1:]
    assert [row[5:7] for row in rows] == [["0", "0"]] * 4
    late = begun(folder).judge_batch(2, [file("c.nq", "1 q")])
    assert late[0].late == 1
    assert rows_of(folder / "out", "too-late")[1][2] == "_:f2.b"


def test_bad_lines_are_kept_and_the_stream_goes_on(folder):
    kept = folder / "bad.txt"
    how = {"on_error": "skip", "rejected": str(kept)}
    first = came(folder, "a", "1 p", "x q", "2 q")
    begun(folder, **how).judge_batch(0, [first])
    second = came(folder, "b", "y q", "9 q")
    state, _ = begun(folder, **how).judge_batch(1, [second])
    state, _ = begun(folder, **how).judge_batch(1, [second])
    lines = kept.read_text().splitlines()
    assert [line.startswith("# ") for line in lines] == [True, True, False, True, False]
    assert (state.rejected, state.elements, state.judged) == (2, 3, {"2": 8})
    with pytest.raises(LarsError, match=r"b\.csv:2"):
        begun(folder, checkpoint=str(folder / "new")).judge_batch(0, [second])


def test_a_bad_line_counts_once_also_if_it_looks_like_the_comment_above_it(folder):
    kept = folder / "bad.txt"
    file = folder / "in/a.csv"
    rows = (f"{t},http://e/s,http://e/a,{P},1" for t in (1, "# 2", "# a.csv: 3", 4))
    file.write_text("\n".join(("t,stream,s,p,o", *rows)) + "\n")
    state, _ = begun(folder, on_error="skip", rejected=str(kept)).judge_batch(0, [file])
    assert [line[:2] for line in kept.read_text().splitlines()] == ["# "] * 5
    assert (state.rejected, state.elements) == (2, 2)


def test_times_with_a_zone_count_from_a_whole_period_before_the_first_element(folder):
    def at(time):
        return f"2026-05-04T{time}+02:00", "http://e/s", "http://e/a", P, "1"

    run = begun(folder, delay="1s", period="2s")
    state, _ = run.judge_batch(0, [written(folder / "in" / "a.csv", [at("08:00:03"), at("08:00:09")])])
    assert (state.origin, state.judged) == ("2026-05-04T08:00:00+02:00", {"2": 6})
    # Late by more than a day, and before time 0.
    late = written(folder / "in" / "b.csv", [at("08:00:08"), at("08:00:01"), at("08:00:14")])
    state, _ = begun(folder, delay="1s", period="2s").judge_batch(1, [late])
    assert (state.late, state.judged, state.newest) == (1, {"2": 12}, 14)
    dates = [row[5] for row in rows_of(folder / "out", "periods")[1:]]
    assert dates[0] == "2026-05-04T08:00:02+02:00"
    assert dates[-1] == "2026-05-04T08:00:12+02:00"


def test_a_window_that_looks_ahead_waits_for_what_it_looks_at(folder):
    window = "FROM STREAM s [PAST 1s FUTURE 3s STEP 1s]"
    ahead = f"PREFIX : <http://e/> SELECT ?x {window} WHERE {{ STREAM s {{ ?x :p ?v }} }}"
    (folder / "ahead.rq").write_text(ahead)
    run = begun(folder, "ahead.rq", "push.rq", on=["?x"])
    state, _ = run.judge_batch(0, [came(folder, "a", "1 p", "8 p")])
    assert state.judged == {"2": 4}


def test_what_cannot_be_watched_is_said(folder):
    with pytest.raises(LarsError, match="missing checkpoint= and out=; use source=DIR"):
        watch(str(folder / "pull.rq"), source=str(folder / "in"))
    with pytest.raises(LarsError, match="no such folder"):
        begun(folder, source=str(folder / "no"))
    with pytest.raises(LarsError, match=r"cannot derive the CQELS query.*use both queries, or assign="):
        begun(folder, "pull.rq")
    (folder / "file").write_text("")
    with pytest.raises(LarsError, match=r"out=.*file.*: cannot be used"):
        begun(folder, out=str(folder / "file"))


def test_a_first_batch_that_is_not_finished_is_judged_again(folder, monkeypatch):
    first = came(folder, "a", "1 p", "9 q")

    def batches(_source, _kept, step, *_):
        yield step(0, [first])

    def killed(_source, _kept, step, *_):
        with monkeypatch.context() as now:
            now.setattr("agreement.results.files.watched.write_state", None)
            yield step(0, [first])

    monkeypatch.setattr("solver.spark.streaming.folder_batches", killed)
    with pytest.raises(TypeError):
        [*begun(folder).parts()]
    written_before = rows_of(folder / "out", "periods")
    monkeypatch.setattr("solver.spark.streaming.folder_batches", batches)
    (line,) = begun(folder).parts()
    periods = "4 periods, 0 of them disagree; neither side has a row in any of them"
    assert line == f"judged up to 8: {periods}; 2 elements read, 0 too late"
    assert rows_of(folder / "out", "periods") == written_before


@pytest.mark.parametrize("begin", [(), ("0 p",), ("3 p",)], ids=str)
def test_integers_and_date_times_are_not_mixed(begin, folder):
    run = begun(folder)
    run.judge_batch(0, [came(folder, "a", *begin)])
    dates = came(folder, "b", "2026-05-04T08:00:01Z p", "2026-05-04T08:00:09Z p")
    if begin:
        with pytest.raises(LarsError, match=r"b\.csv: the times in this file are dateTimes.*are integers"):
            run.judge_batch(1, [dates])
        return
    run.judge_batch(1, [dates])
    head, *rows = rows_of(folder / "out", "periods")
    assert {len(row) for row in rows} == {len(head)}
    with pytest.raises(LarsError, match=r"c\.csv: the times in this file are integers.*are dateTimes"):
        run.judge_batch(2, [came(folder, "c", "12 p")])


def test_a_time_far_away_is_refused_before_all_periods_up_to_it_are_judged(folder):
    run = begun(folder)
    with pytest.raises(LarsError, match="cannot judge more than 10000000 periods at once, 1 to 699999998"):
        run.judge_batch(0, [came(folder, "a", "700000000 p")])
    run = begun(folder, delay="10000000d", checkpoint=str(folder / "new"))
    with pytest.raises(LarsError, match="--delay: cannot count times from one delay before 2026"):
        run.judge_batch(0, [came(folder, "b", "2026-05-04T08:00:01Z p")])


def test_messages_without_times_are_refused(folder):
    log = folder / "in" / "a.ttl"
    log.write_text('VERSION "1.2-messages"\nPREFIX : <http://e/>\n:a :p "1" .\nMESSAGE\n:a :q "1" .\n')
    with pytest.raises(LarsError, match=r"a\.ttl: cannot watch messages without times.*use --time IRI"):
        begun(folder).judge_batch(0, [log])


def test_what_is_written_may_not_be_read_as_elements(folder):
    for name in ("checkpoint", "out", "rejected"):
        with pytest.raises(LarsError, match=f"{name}=.*: is in the folder of source="):
            begun(folder, on_error="skip", **{"rejected": str(folder / "bad")} | {name: str(folder / "in/x")})
    with pytest.raises(
        LarsError, match=r"rejected=.*pull\.rq.*: the command uses this file already; use another file"
    ):
        begun(folder, on_error="skip", rejected=str(folder / "pull.rq"))
    assert (folder / "pull.rq").read_text() == PULL


@pytest.mark.parametrize("name", ["bad.html", "pull.html"])
def test_a_file_that_is_written_is_used_once(folder, name):
    (folder / "pull.html").write_text(PULL)
    with pytest.raises(LarsError, match=rf"report=.*{name}.*: the command uses this file already"):
        begun(
            folder,
            "pull.html",
            "push.rq",
            on_error="skip",
            rejected=str(folder / "bad.html"),
            report=folder / name,
        )
    assert (folder / "pull.html").read_text() == PULL


def test_a_file_of_bad_lines_may_be_moved_away_or_changed(folder):
    kept, other = folder / "bad.txt", folder / "other.txt"
    for number, file in enumerate((kept, kept, other)):
        run = begun(folder, on_error="skip", rejected=str(file))
        run.judge_batch(number, [came(folder, str(number), "x p")])
        assert len(file.read_text().splitlines()) == 3
        assert file.read_text().startswith("# ")
        kept.unlink(missing_ok=True)


def test_a_copy_of_a_state_is_left_alone(folder):
    begun(folder).judge_batch(0, [came(folder, "a", "1 p")])
    (folder / "checkpoint" / "batch-0 copy").mkdir()
    assert begun(folder).judge_batch(1, [came(folder, "b", "2 p")])[0].elements == 2


def test_pending_elements_are_those_that_windows_can_reach(folder):
    run = begun(folder)
    for number in range(40):
        first = 3 * number + 1
        run.judge_batch(number, [came(folder, str(number), f"{first} p", f"{first + 1} q")])
    with pa.OSFile(str(folder / "checkpoint/batch-39/striple-4.arrow"), "rb") as file:
        assert len(pa.ipc.open_file(file).read_all()) <= 8


def test_the_tables_are_those_of_a_comparison_of_the_whole(folder):
    elements = [(t, "http://e/s", f"http://e/{t % 3}", (P, Q)[t % 2], "1") for t in range(1, 30)]
    begun(folder).judge_batch(0, [written(folder / "in" / "a.csv", elements)])
    whole = api.agree(
        str(folder / "pull.rq"), str(folder / "push.rq"), str(folder / "in" / "a.csv"), period=2, to=28
    )
    rows = [[row.start, row.end, row.side, row.cause] for row in whole.differences]
    with (folder / "out" / "differences.csv").open() as file:
        found = [
            [int(row["from"]), int(row["to"]), row["side"], row["cause"]] for row in csv.DictReader(file)
        ]
    assert found == rows
    assert rows


def test_of_elements_with_one_time_those_of_a_later_batch_have_arrived_later(folder):
    (folder / "last.rq").write_text(
        "PREFIX : <http://e/> SELECT ?x ?v FROM STREAM :s [RANGE TRIPLES 1] WHERE { ?x :p ?v }"
    )
    (folder / "none.rq").write_text(PUSH.replace("?x :q ?w", "?x :none ?w"))
    queries = "last.rq", "none.rq"

    def file(name, *rows):
        return written(
            folder / "in" / f"{name}.csv", [(t, "http://e/s", "http://e/a", P, v) for t, v in rows]
        )

    begun(folder, *queries, period=3).judge_batch(0, [file("a", (1, 0), (2, 0), (3, 1))])
    begun(folder, *queries, period=3).judge_batch(1, [file("b", (3, 2), (9, 0))])
    rows = [row[7] for row in rows_of(folder / "out", "differences")[1:]]
    assert ['"2"' in row for row in rows] == [True, True]


def test_the_page_has_the_numbers_and_the_last_findings_and_is_bounded(folder):
    run = begun(folder, report=str(folder / "page.html"))
    elements = [line for t in range(1, 4000, 4) for line in (f"{t} p", f"{t + 1} q", f"{t + 4} q")]
    state, _ = run.judge_batch(0, [came(folder, "a", *elements)])
    run._last[:] = [state]
    assert (len(state.recent), state.disagreeing > 200) == (200, True)
    page = run.page()
    assert (page.verdict, page.document["numbers"]["elements"]) == (False, str(len(elements)))
    assert page.answer == f"{state.disagreeing} of {state.periods} periods disagree."
    assert page.document["recent"][0][0] > page.document["recent"][1][0]
    run._write_page()
    first = (folder / "page.html").read_text()
    assert page.document["recent"][0][1] in first
    assert len(first) < 2_000_000
    (folder / "page.html").unlink()
    run._write_page(every=60)
    assert not (folder / "page.html").exists()
    assert begun(folder, report=str(folder / "page.html")).page().verdict is None


def test_a_batch_that_is_asked_for_again_after_its_state_was_stored_changes_no_table(folder, monkeypatch):
    """A kill while the tables are cut back would leave them shorter than the stored state says."""
    rows = [(t, "http://e/s", "http://e/a", p, "1") for t in (1, 2, 4, 9) for p in (P, Q)]
    path = written(folder / "in" / "a.csv", rows)
    begun(folder, period=2).judge_batch(0, [path])
    before = {each.name: each.read_bytes() for each in (folder / "out").iterdir()}

    def killed(*_):
        raise RuntimeError

    monkeypatch.setattr("agreement.results.files.watched.append_rows", killed)
    again = begun(folder, period=2)
    again.repair()
    state, _ = again.judge_batch(0, [path])
    assert (state.batch, state.elements) == (0, len(rows))
    assert {each.name: each.read_bytes() for each in (folder / "out").iterdir()} == before


def test_a_topic_has_each_row_of_the_tables_under_a_key_also_after_kills(folder, monkeypatch):
    sent, fails = [], [2, 0, 3, 0, 0, 1, 0]

    def append(topic, records, place):
        assert (topic, place) == (("127.0.0.1:9", "verdicts"), "--out kafka://127.0.0.1:9/verdicts")
        count = fails.pop(0)
        sent.extend(records[:count] if count else records)
        if count:
            raise FailedRunError("killed")

    monkeypatch.setattr("solver.spark.streaming.append_records", append)
    parts = ["1 p", "2 q", "9 p"], ["4 p", "11 p", "12 q"], ["13 p", "14 q", "15 q"], ["40 p"]
    number = 0
    for batch, elements in enumerate(parts):
        path = came(folder, str(batch), *elements)
        begun(folder, checkpoint=str(folder / "whole"), out_format="jsonl").judge_batch(batch, [path])
    while number < len(parts):
        run = begun(folder, out="kafka://127.0.0.1:9/verdicts", out_format=None)
        try:
            run.repair()
            run.judge_batch(number, [folder / "in" / f"{number}.csv"])
        except FailedRunError:
            continue
        number += 1
    distinct = dict(sent)
    assert len(sent) > len(distinct) == len(set(sent)) > 20
    for name in ("periods", "differences", "too-late"):
        lines = (folder / "out" / f"{name}.jsonl").read_text().splitlines()
        rows = [{"table": name, **json.loads(line)} for line in lines]
        own = [(key, json.loads(value)) for key, value in distinct.items() if key.startswith(f"{name}/")]
        assert own == [(f"{name}/{place}", row) for place, row in enumerate(rows)]
        assert rows


def test_another_topic_or_the_topic_of_the_source_is_refused(folder):
    address = "kafka://127.0.0.1:9"
    with pytest.raises(
        LarsError, match=r"out=\"kafka://127.0.0.1:9/s\": is the topic of source=; use another"
    ):
        begun(folder, source=f"{address}/s", out=f"{address}/s", out_format=None)
    with pytest.raises(
        LarsError, match=r"out=\"kafka://127.0.0.1/t\": not an address; use kafka://HOST:PORT/TOPIC"
    ):
        begun(folder, out="kafka://127.0.0.1/t", out_format=None)
    topics = [begun(folder, out=f"kafka://{out}", out_format=None) for out in ("a:9/a", "a:9/b", "b:9/a")]
    assert [run.digest == topics[0].digest for run in (*topics, begun(folder))] == [True, False, True, False]
    with pytest.raises(LarsError, match=r"--out kafka://127.0.0.1:9/a: cannot be reached"):
        next(iter(begun(folder, out=f"{address}/a", out_format=None).parts()))
