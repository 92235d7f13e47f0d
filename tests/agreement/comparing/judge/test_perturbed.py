"""Recordings of our own output, perturbed: each is judged as what it is, in several formats."""

import pytest

from tests.agreement.comparing.judge.recorded import CLOCKED, QUERIES, WRITERS, integer, own

KINDS = ("solve", "csrbench", "yabench")
QUICK = "--no-diagnosis"
EACH = [(language, kind) for n, language in enumerate(QUERIES) for kind in (KINDS[n % 3], KINDS[(n + 1) % 3])]
CLOCKS = [(language, kind) for language, kind in EACH if language in CLOCKED]
NUMBER = 3


def wrong(ran):
    """Return the windows that are wrong, with the exit code that must say so."""
    assert (ran.code, ran.json["correct"], ran.json["t0"]) == (1, False, [])
    return [window for window in ran.json["windows"] if window["problem"]]


def only(ran):
    (window,) = wrong(ran)
    return window


def correct(ran, *starts):
    """Return what is found correct for these t0: of an only window its number, else one for each."""
    found = ran.json
    listed = [list(z) if isinstance(z, tuple) else [z] for z in starts]
    assert (ran.code, found["correct"], found["t0"]) == (0, True, listed), found
    assert [window for window in found["windows"] if window["problem"]] == []
    return found


@pytest.mark.parametrize("language", QUERIES)
@pytest.mark.parametrize("kind", WRITERS)
def test_what_is_not_changed_is_correct_and_comes_at_once(tmp_path, language, kind):
    found = correct(own(language).judged(tmp_path, kind), 0)
    assert len(found["windows"]) >= 7
    assert {(one["delay"], one["precision"], one["recall"]) for one in found["windows"]} == {(0, 1, 1)}


@pytest.mark.parametrize(("language", "kind"), EACH)
def test_a_row_that_is_dropped_is_missing_in_its_window_alone(tmp_path, language, kind):
    one = own(language)
    t, (dropped, *others) = one.at(NUMBER)
    window = only(one.with_report(NUMBER, *others).judged(tmp_path, kind, QUICK))
    assert (window["to"] * 1000, window["expected"], window["actual"]) == (t, len(others) + 1, len(others))
    assert (window["precision"], window["recall"]) == (1, len(others) / (len(others) + 1))
    (missing,) = window["missing"]
    assert (missing["o"]["value"], window["extra"]) == (dropped[0].split('"')[1], [])


@pytest.mark.parametrize(("language", "kind"), EACH)
def test_a_row_given_twice_is_extra_in_a_bag_and_nothing_in_a_set(tmp_path, language, kind):
    one = own(language)
    t, rows = one.at(NUMBER)
    changed = one.with_report(NUMBER, *rows, rows[0])
    window = only(changed.judged(tmp_path, kind, QUICK))
    assert (window["to"] * 1000, window["recall"], window["precision"]) == (t, 1, len(rows) / (len(rows) + 1))
    assert (len(window["extra"]), window["missing"]) == (1, [])
    correct(changed.judged(tmp_path, kind, "--semantics", "set"), 0)


@pytest.mark.parametrize(("language", "kind"), EACH)
def test_a_row_changed_is_both_missing_and_extra(tmp_path, language, kind):
    one = own(language)
    _, ((_, subject), *others) = one.at(NUMBER)
    changed = one.with_report(NUMBER, *others, (integer(77), subject))
    window = only(changed.judged(tmp_path, kind, QUICK))
    assert (window["problem"], len(window["missing"])) == ("1 missing, 1 extra", 1)
    assert window["extra"][0]["o"]["value"] == "77"


@pytest.mark.parametrize(("language", "kind"), EACH)
def test_a_delay_of_every_report_is_told_and_no_fault(tmp_path, language, kind):
    found = correct(own(language).late(300).judged(tmp_path, kind), 0)
    assert {one["delay"] for one in found["windows"]} == {300}


@pytest.mark.parametrize(("language", "kind"), CLOCKS)
def test_a_report_after_the_next_close_leaves_its_window_without_one(tmp_path, language, kind):
    one = own(language)
    t, rows = one.at(NUMBER)
    found = wrong(one.with_report(NUMBER, *rows, t=t + 4300).judged(tmp_path, kind, QUICK))
    problems = [(window["to"], window["problem"]) for window in found]
    assert problems == [(t / 1000, f"{len(rows)} missing"), (t / 1000 + 4.3, "a second report")]


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_after_the_next_arrival_belongs_to_that(tmp_path, kind):
    one = own("cqels")
    t, rows = one.at(NUMBER)
    found = wrong(one.with_report(NUMBER, *rows, t=t + 1300).judged(tmp_path, kind, QUICK))
    assert [(window["to"], window["problem"]) for window in found] == [
        (t / 1000, "1 missing"),
        (t / 1000 + 1, "1 extra"),
    ]


@pytest.mark.parametrize(("language", "kind"), CLOCKS)
@pytest.mark.parametrize("end", [1, -1])
def test_a_border_moved_by_one_triple_is_found(tmp_path, language, kind, end):
    one = own(language)
    t, rows = one.at(NUMBER)
    oldest, newest = min(rows, key=_number), max(rows, key=_number)
    another = (integer(_number(newest) + 1), f"<http://e/s{(_number(newest) + 1) % 3}>")
    moved = (*rows, another) if end > 0 else tuple(row for row in rows if row != oldest)
    window = only(one.with_report(NUMBER, *moved).judged(tmp_path, kind, QUICK, "--gracious"))
    shift = window["shift"]
    assert window["to"] * 1000 == t
    assert (shift["window"], shift["start"], shift["end"]) == ((1, 0, 1) if end > 0 else (1, 1, 0))
    assert (shift["missing"], shift["extra"]) == (0, 0)


@pytest.mark.parametrize("language", CLOCKED)
def test_the_text_names_the_side_and_the_triple(tmp_path, language):
    one = own(language)
    _, rows = one.at(NUMBER)
    changed = one.with_report(NUMBER, *(row for row in rows if row != min(rows, key=_number)))
    files = changed.judged(tmp_path, "solve", QUICK)
    assert files.code == 1
    out = text(tmp_path, language, "--gracious", QUICK)
    assert "all rows fit if the window starts 1 triple later" in " ".join(out.replace("│", " ").split())


def text(folder, language, *options):
    from tests.agreement.command import lars

    files = (folder / "query.rq", folder / "trace.nq", "--answers", folder / "answers")
    how = ("--answers-format", "solve", "--answers-unit", "1ms", "--engine", language)
    return lars("judge", *files, *how, *options).out


def _number(row):
    return int(row[0].split('"')[1])


@pytest.mark.parametrize(("language", "kind"), CLOCKS)
def test_another_t0_is_found_and_refused_where_it_is_not_tried(tmp_path, language, kind):
    one = own(language, start=3)
    correct(one.judged(tmp_path, kind), 3)
    correct(one.judged(tmp_path, kind, "--t0", "0..3"), 3)
    assert wrong(one.judged(tmp_path, kind, QUICK, "--t0", "0"))
    correct(one.judged(tmp_path, kind, "--registered", "3"), 3)


@pytest.mark.parametrize(("language", "kind"), CLOCKS)
def test_a_report_that_is_left_out_lacks_all_rows(tmp_path, language, kind):
    one = own(language)
    window = only(one.without(NUMBER).judged(tmp_path, kind, QUICK))
    assert (window["actual"], window["recall"], window["delay"]) == (0, 0, None)


@pytest.mark.parametrize(("language", "kind"), CLOCKS)
def test_two_reports_of_one_window_are_one_too_many(tmp_path, language, kind):
    one = own(language)
    t, rows = one.at(NUMBER)
    changed = one.with_report(NUMBER, *rows)
    again = changed.__class__(
        one.query, one.pushes, one.names, tuple(sorted((*one.reports, (t + 1500, rows)))), language
    )
    window = only(again.judged(tmp_path, kind, QUICK))
    assert (window["problem"], window["to"]) == ("a second report", t / 1000 + 1.5)


@pytest.mark.parametrize("kind", ["solve", "sparql-json"])
def test_the_columns_may_stand_in_another_order(tmp_path, kind):
    one = own("csparql")
    turned = tuple((t, tuple(row[::-1] for row in rows)) for t, rows in one.reports)
    again = one.__class__(one.query, one.pushes, ("s", "o"), turned, one.engine)
    correct(again.judged(tmp_path, kind), 0)


@pytest.mark.parametrize("kind", WRITERS)
def test_another_name_of_a_column_is_another_answer(tmp_path, kind):
    one = own("csparql")
    again = one.__class__(one.query, one.pushes, ("o", "subject"), one.reports, one.engine)
    found = wrong(again.judged(tmp_path, kind, QUICK))
    assert {window["problem"] for window in found} == {"4 missing, 4 extra"}
    assert {"s" in row for window in found for row in window["extra"]} == {False}
