"""`--match sequence`: contents in order, at whatever times; by the definition, tried part by part."""

import json
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agreement.comparing.judge import judge_recording
from agreement.comparing.matching.likeness import Likeness
from agreement.comparing.matching.sequences import match_part, nearest
from agreement.documents.recordings import Report
from agreement.documents.requests import JudgeOptions
from tests.agreement.command import lars
from tests.agreement.comparing.judge.recorded import CLOCKED, QUERIES, integer, own
from tests.agreement.comparing.judge.test_perturbed import correct, wrong
from tests.agreement.comparing.judge.test_properties import SEEDS, Drawn

LETTERS = st.lists(st.text("ab", max_size=2), max_size=6)
SEQUENCE = ("--match", "sequence")


def stands_in(answers, reports, *, split, bag):
    """Return whether reports are answers that follow each other, each in one report or `split` into some."""
    if not reports:
        return True
    equal = sorted if bag else set
    sizes = range(1, len(reports) + 1) if split else (1,)
    return bool(answers) and any(
        equal("".join(reports[:size])) == equal(answers[0])
        and (size == len(reports) or stands_in(answers[1:], reports[size:], split=split, bag=bag))
        for size in sizes
    )


@given(LETTERS, LETTERS, st.booleans(), st.booleans())
def test_a_sequence_stands_in_another_where_the_definition_says_so(answers, reports, split, bag):
    rows = [tuple((f'"{letter}"',) for letter in text) for text in answers]
    given_reports = [Report(n, tuple((f'"{letter}"',) for letter in text)) for n, text in enumerate(reports)]
    how = Likeness("bag" if bag else "set")
    found = match_part(rows, given_reports, lambda *_: split, how)
    anywhere = range(len(answers))
    expected = not reports or any(stands_in(answers[n:], reports, split=split, bag=bag) for n in anywhere)
    assert (found is not None) is expected
    if found is not None:
        assert [report for _, group in found for report in group] == given_reports
        assert all(later == number + 1 for (number, _), (later, _) in pairwise(found))


def as_rows(text):
    return tuple((f'"{letter}"',) for letter in text)


def longest(one, other):
    """Return the length of a longest common subsequence, by its definition."""
    if not one or not other:
        return 0
    if one[0] == other[0]:
        return 1 + longest(one[1:], other[1:])
    return max(longest(one[1:], other), longest(one, other[1:]))


@given(LETTERS, LETTERS)
@example(list("PQRSTUxyz"), list("xyzPQ-RS-TU"))
def test_as_many_reports_as_can_be_stand_beside_an_equal_answer(answers, reports):
    rows, own = map(as_rows, answers), [Report(n, as_rows(text)) for n, text in enumerate(reports)]
    pairs = nearest(list(rows), own, lambda *_: False, Likeness())
    assert [report for _, group in pairs for report in group] == own
    numbers = [number for number, _ in pairs if number is not None]
    assert numbers == sorted(set(numbers))
    contents, shown = (tuple("".join(sorted(text)) for text in texts) for texts in (answers, reports))
    beside = [(n, int(group[0].t)) for n, group in pairs if n is not None and group]
    assert sum(contents[n] == shown[t] for n, t in beside) == longest(contents, shown)


def test_hundreds_of_equal_answers_and_reports_take_no_time():
    empty, same = [()] * 600, [as_rows("a")] * 600
    reports = [Report(n, ()) for n in range(600)]
    assert match_part(empty, reports, lambda *_: True, Likeness())
    wrong_last = [*(Report(n, as_rows("a")) for n in range(599)), Report(600, as_rows("b"))]
    assert match_part(same, wrong_last, lambda *_: True, Likeness()) is None
    assert len(nearest(same, wrong_last, lambda *_: False, Likeness())) == 600


def in_sequence(drawn, recording):
    """Return the start times for which the sequence of a recording is correct."""
    starts = tuple(sorted(set(drawn.choice.starts))) or (0,)
    options = JudgeOptions(t0=starts, bounds=drawn.choice.bounds, match="sequence")
    return judge_recording(drawn.task, drawn.specification, recording, options)


def jittered(recording, rng):
    """Return the recording with its reports at other times, in their order; those of one time stay so."""
    times = sorted({report.t for report in recording.reports})
    moved = dict(zip(times, sorted(rng.sample(range(10**6), len(times))), strict=True))
    return replace(recording, reports=tuple(replace(one, t=moved[one.t]) for one in recording.reports))


@settings(max_examples=20)
@given(SEEDS, st.booleans(), st.randoms(use_true_random=False))
def test_other_times_never_change_what_is_said_of_a_sequence(seed, dropped, rng):
    drawn = Drawn(seed, triggers=False)
    recording = drawn.recording
    if dropped and recording.reports:
        number = Random(seed).randrange(len(recording.reports))
        others = (*recording.reports[:number], *recording.reports[number + 1 :])
        recording = replace(recording, reports=others)
    found = [in_sequence(drawn, one) for one in (recording, jittered(recording, rng))]
    said = [(one.correct, [verdict.choice for verdict in one.matching]) for one in found]
    assert said[0] == said[1]
    assert dropped or said[0][0] is (True if recording.reports else None)


@settings(max_examples=20)
@given(SEEDS, st.integers(-1, 400))
def test_what_is_right_at_its_times_is_right_as_a_sequence(seed, late):
    drawn = Drawn(seed, triggers=False)
    moved = tuple(replace(one, t=max(0, one.t + late)) for one in drawn.recording.reports)
    recording = replace(drawn.recording, reports=moved)
    at_times = {
        one.choice
        for one in drawn.judged(recording).matching
        if not any(window.problem for window in (*one.transient, *one.later))
    }
    if recording.reports:
        assert at_times <= {one.choice for one in in_sequence(drawn, recording).matching}


JITTER = (300, 3990, -700, 0, 4100, 900)


def moved(one):
    """Return a recording whose clock is wrong by some seconds, in both directions."""
    reports = sorted((max(0, t + JITTER[n % 6]), rows) for n, (t, rows) in enumerate(one.reports))
    return replace(
        one, reports=tuple((t, rows) for (t, _), (_, rows) in zip(reports, one.reports, strict=True))
    )


@pytest.mark.parametrize("language", CLOCKED)
def test_a_clock_that_jitters_is_wrong_at_its_times_and_right_as_a_sequence(tmp_path, language):
    one = moved(own(language))
    failed = one.judged(tmp_path, "csrbench", "--no-diagnosis")
    assert wrong(failed)
    assert failed.json["other_match"] == {"match": "sequence", "correct": True}
    found = correct(one.judged(tmp_path, "csrbench", *SEQUENCE), (0,))
    assert (found["match"], found["other_match"], found["stable_from"]) == ("sequence", None, None)
    assert {window["delay"] for window in found["windows"]} == {None}


@pytest.mark.parametrize("kind", ["csrbench", "solve", "csv", "tsv"])
def test_a_clock_may_go_back(tmp_path, kind):
    one = own("csparql")
    back = replace(one, reports=tuple((30000.0 - t, rows) for t, rows in one.reports))
    refused = back.judged(tmp_path, kind)
    assert refused.code == 2
    assert "expected reports in the order of their times, or --match sequence" in refused.err
    correct(back.judged(tmp_path, kind, *SEQUENCE), (0,))


@pytest.mark.parametrize("language", QUERIES)
def test_windows_may_be_left_out_at_either_end_and_nowhere_else(tmp_path, language):
    one = own(language)
    ends = replace(one, reports=one.reports[2:-2])
    correct(ends.judged(tmp_path, "solve", *SEQUENCE, "--t0", "0"), (0,))
    (window,) = wrong(one.without(3).judged(tmp_path, "solve", *SEQUENCE, "--t0", "0", "--no-diagnosis"))
    assert (window["to"] * 1000, window["actual"]) == (one.at(3)[0], 0)


def test_a_report_of_another_window_is_shown_beside_the_window_it_is_not_of(tmp_path):
    one = own("csparql")
    t, rows = one.at(3)
    other = one.with_report(3, (integer(77), rows[0][1]), *rows[1:])
    (window,) = wrong(other.judged(tmp_path, "solve", *SEQUENCE, "--t0", "0", "--no-diagnosis"))
    assert (window["to"] * 1000, window["problem"]) == (t, "1 missing, 1 extra")
    files = [tmp_path / name for name in ("query.rq", "trace.nq", "answers")]
    how = ("--answers-unit", "1ms", *SEQUENCE, "--t0", "0", "--no-diagnosis")
    text = lars("judge", *files[:2], "--answers", files[2], *how)
    assert text.out.startswith(
        "incorrect by csparql as a sequence: no choice of t0 and bounds fits (2 choices tried)"
    )


def test_times_of_which_nothing_can_be_said_are_refused(tmp_path):
    for option in (("--late", "5"), ("--early", "5"), ("--until", "9")):
        ran = own("csparql").judged(tmp_path, "solve", *SEQUENCE, *option)
        assert (ran.code, ran.err) == (
            2,
            f"lars: cannot combine {option[0]} with --match sequence, which compares no times\n",
        )


@pytest.mark.parametrize("name", ["csparql", "csparql-0.9.7", "cqels-1.x"])
def test_no_report_at_all_is_nothing_to_compare(tmp_path, name):
    one = replace(own("cqels" if name == "cqels-1.x" else "csparql"), reports=((9000.0, ()),), engine=name)
    ran = one.judged(tmp_path, "csrbench", *SEQUENCE, "--empty", "ignored")
    assert (ran.code, ran.out) == (2, "")
    assert "lars: nothing to compare: the answers have no report" in ran.err


@pytest.mark.parametrize("version", ["csparql-0.9.7", "cqels-1.x"])
def test_an_engine_version_is_compared_as_a_sequence_too(tmp_path, version):
    one = replace(own(version.split("-")[0]), engine=version)
    one.judged(tmp_path, "solve", "--no-diagnosis")
    files = [tmp_path / name for name in ("query.rq", "trace.nq")]
    lines = lars("solve", *files, "--as", version, "--json").lines[1:]
    for answers, problems in ((lines, []), (lines[:2] + lines[3:], ["no report of this predicted answer"])):
        late = (json.dumps({"t": 9 * n, "rows": line["rows"]}) for n, line in enumerate(answers))
        (tmp_path / "late").write_text("\n".join(late))
        ran = lars("judge", *files, "--answers", tmp_path / "late", "--engine", version, *SEQUENCE, "--json")
        assert (ran.code, ran.json["correct"]) == (len(problems), not problems)
        assert [step["problem"] for step in ran.json["windows"] if step["problem"]] == problems
