"""Pages of much: below 1 MB, counted right, what is shown is true, what is left out is said."""

import random
from collections import Counter
from math import inf

import pytest
from rich.table import Table

from agreement import api
from agreement.comparing.judge import Judgement, Verdict
from agreement.comparing.judge.judging import AnswersVerdict
from agreement.comparing.judge.verdicts import Phase
from agreement.comparing.matching.likeness import RowMatch
from agreement.comparing.matching.places import ReportMatch
from agreement.documents.dates import Dates
from agreement.engines.specifications import OpenChoice, builtin
from agreement.proving.phase import PhaseDiagram, PhaseRow
from agreement.results.renderings.pages import page as pages
from agreement.results.renderings.pages.agree_page import counts_json
from agreement.results.renderings.pages.blocks import text_page
from agreement.results.renderings.pages.judge_page import answers_page, cases_page
from agreement.results.renderings.pages.page import html, program_version
from agreement.results.renderings.phase_report import phase_page
from agreement.results.renderings.verdict_report import answers_json
from lars.durations import SECOND
from lars.errors import FailedRunError
from lars.language.terms import Iri
from tests.agreement.command import lars
from tests.agreement.results.renderings.pages.test_pages import PAGES, data_of
from tests.packs import SAMPLES

MOST = 1_000_000
WIDTH, LAST = 3, 4_800
QUERY = f"SELECT ?x WHERE {{ STREAM <e:s> [RANGE {WIDTH}s] {{ ?x <e:p> ?o }} }}"


def arrivals():
    """Times with what arrives then: bursts, and long times without anything."""
    drawn = random.Random(11)
    return [
        (t, f"<e:{drawn.randrange(300)}>", f"<e:o{number}>")
        for t in range(1, LAST + 1)
        if t % 40 < 28 and t % 7
        for number in range(drawn.randrange(5))
    ]


def large_page(folder):
    """The page of many rows that only one side reports, for two pulling periods."""
    trace = "".join(f'{x} <e:p> {o} <e:s> "{t}" .\n' for t, x, o in arrivals())
    path = folder / "large.html"
    api.agree(QUERY, trace, period="2,9", in_process=True, to=LAST).write_report(path)
    return path


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    path = large_page(tmp_path_factory.mktemp("large"))
    assert path.stat().st_size < MOST
    return data_of(path.read_text(encoding="utf-8"))["page"]


def differing(period):
    """By the definition of both sides: rows that one alone has, with period and why."""
    by_time = {}
    for t, x, _ in arrivals():
        by_time.setdefault(t, set()).add(x)

    def seen(t):
        return set().union(*(by_time.get(one, ()) for one in range(t - WIDTH, t + 1)))

    for end in range(period, LAST + 1, period):
        pushes = [t for t in range(end - period + 1, end + 1) if t in by_time]
        push, pull = set().union(*map(seen, pushes)), seen(end)
        yield from (("push", "expired before the pull", end, x) for x in push - pull)
        yield from (("pull", "silent period", end, x) for x in pull - push if not pushes)
        assert pushes == [] or pull <= push


def test_each_cause_is_counted_as_by_hand(large):
    counted = {
        (line["period"], side, large["causes"][cause]["name"]): tuple(cell)
        for line in large["counts"]["lines"]
        for (side, cause), cell in zip(large["counts"]["columns"], line["cells"], strict=True)
        if cell != [0, 0]
    }
    expected = {}
    for period in (2, 9):
        rows = list(differing(period))
        for kind, count in Counter((side, cause) for side, cause, _, _ in rows).items():
            ends = {end for side, cause, end, _ in rows if (side, cause) == kind}
            expected[period, *kind] = count, len(ends)
    assert counted == expected
    assert len(expected) == 3
    assert sum(rows for rows, _ in expected.values()) == large["more"] + len(large["differences"]) > 1000


def test_each_example_is_one_and_each_cause_has_some(large):
    rows = {(period, *row) for period in (2, 9) for row in differing(period)}
    shown = [
        (one["period"], one["side"], large["causes"][one["cause"]]["name"], one["to"], one["terms"][0])
        for one in large["differences"]
    ]
    assert set(shown) <= rows
    assert Counter(cause for _, _, cause, _, _ in shown) == {
        "expired before the pull": 20,
        "silent period": 20,
    }
    assert {cause for _, _, cause, _, _ in (shown[int(place)] for place in large["proofs"])} == {
        cause for _, _, cause, _, _ in shown
    }


def test_each_proof_of_an_example_holds(large):
    assert [one["why"]["lines"] for one in large["proofs"].values()] == [[]] * len(large["proofs"])
    assert "not a multiple of the period" not in str([one["lacks"] for one in large["proofs"].values()])


def test_rows_of_periods_that_are_left_out_have_no_line():
    assert counts_json({(6, "push", 2): (1, 1)}, ()) == {"columns": [("push", 2)], "lines": []}


def test_elements_and_evaluations_are_counted_in_bins(large):
    bins = large["elements"]["bins"]
    found = Counter((t - bins["first"]) // bins["width"] for t, _, _ in arrivals())
    assert bins["streams"] == {"e:s": [found[place] for place in range(len(bins["streams"]["e:s"]))]}
    assert sum(bins["streams"]["e:s"]) == len(arrivals())
    behind = {(t, x[1:-1]) for t, x, _ in arrivals()}
    elements = large["elements"]
    assert {(t, large["full"][s]) for t, s in zip(elements["t"], elements["s"], strict=True)} <= behind
    assert large["left_out"][0].startswith(
        f"{len(arrivals()):,} elements are counted in bins of 5 time points"
    )


def test_a_row_of_the_timeline_has_all_its_answers(large):
    by_time = {t for t, _, _ in arrivals()}
    arrived = {}
    for t, x, _ in arrivals():
        arrived.setdefault(f"({x[1:-1]})", set()).add(t)
    runs = {}
    for row, begin, end in large["push"]["runs"]:
        runs.setdefault(large["rows"][row], set()).update(t for t in range(begin, end + 1) if t in by_time)
    assert runs
    for row, times in runs.items():
        every = arrived[row]
        assert times == {t for t in by_time if any(t - WIDTH <= own <= t for own in every)}


def test_narrowed_to_a_cause_its_rows_alone_are_counted(tmp_path):
    trace = "".join(f'{x} <e:p> {o} <e:s> "{t}" .\n' for t, x, o in arrivals())
    found = api.agree(
        QUERY, trace, period="2,9", in_process=True, to=LAST, cause="silent-period", only_period="2"
    )
    shown = data_of(html(found.page()))["page"]["counts"]
    (line,) = shown["lines"]
    rows = [end for _, cause, end, _ in differing(2) if cause == "silent period"]
    assert (line["period"], line["cells"]) == (2, [[len(rows), len(set(rows))]])


def test_the_verdict_is_there_before_the_page(tmp_path, monkeypatch):
    def fails(path, page):
        raise FailedRunError("no page")

    monkeypatch.setattr(pages, "write_page", fails)
    ran = lars("agree", SAMPLES / "coupons", "--period", "8", "--report", tmp_path / "page.html")
    assert (ran.code, "DISAGREE" in ran.out, "no page" in ran.err) == (3, True, True)


def test_a_page_says_how_it_was_made_and_is_made_again(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    path = tmp_path / "page.html"
    texts = []
    for _ in range(2):
        lars(*PAGES["minus"], "--report", path)
        texts.append(path.read_text(encoding="utf-8"))
    assert texts[0] == texts[1]
    assert "2001-09-09T01:46:40Z" in texts[0]
    assert f"lars agree {SAMPLES / 'minus'} --report {path}" in texts[0]
    assert f"{SAMPLES / 'minus' / 'experiment.toml'}: " in texts[0]
    assert f"lars {program_version()}" in texts[0]


def judged(count):
    """A verdict on so many windows of 50 rows, of which each hundredth is wrong."""
    rows = RowMatch([("<http://example.org/a>",)] * 50)
    windows = tuple(
        ReportMatch(t * 1000.0 + 1000, (), (), rows, None if t % 100 else "missing", t * 1000.0, 50, 0)
        for t in range(count)
    )
    best = Verdict(OpenChoice((), "closed"), Phase(0, inf, inf), (), windows, ())
    return AnswersVerdict(Judgement(builtin("cqels"), (best,), 1, 1), ("x",), Dates())


def test_of_many_judged_windows_the_wrong_ones_are_shown():
    verdict = judged(5_000)
    text = html(answers_page("T", verdict, answers_json(verdict), [], ()))
    assert len(text.encode()) < MOST
    shown = data_of(text)["page"]
    assert shown["left"] + len(shown["windows"]) == 5_000
    assert [one["to"] for one in shown["windows"] if one["problem"]] == [t + 1 for t in range(0, 5_000, 100)]
    assert f"This report omits {shown['left']} more rows of this table" in text
    assert "without these long lists: windows" in text
    assert "4950 of 5000 windows are correct" in text


def test_few_judged_windows_have_all_their_rows():
    shown = answers_page("T", judged(5), {}, [], ()).page
    assert (shown["left"], [len(one["rows"]) for one in shown["windows"]]) == (0, [50] * 5)


@pytest.mark.parametrize(("correct", "word"), [(True, "Correct"), (False, "Incorrect"), (None, "Undecided")])
def test_the_page_of_a_verdict_says_it_in_a_word(correct, word):
    assert cases_page("T", correct, {}, [], ()).answer == f"{word}."


def test_a_long_table_is_cut_and_says_so():
    table = Table("row")
    for number in range(30_000):
        table.add_row(f"http://example.org/{number}")
    text = html(text_page(pages.Page("T", "?", True, "yes"), {"rows": [*range(10**6)]}, [table]))
    assert len(text.encode()) < MOST
    rows = text.count("<tr><td>")
    assert f"… and {30_000 - rows} more" in text


def test_a_large_phase_diagram_shows_some_periods():
    lengths = tuple(range(1, 1_001))
    rows = tuple(
        PhaseRow(period, 9, tuple(length % 7 for length in lengths), (0,) * len(lengths))
        for period in range(1, 501)
    )
    diagram = PhaseDiagram(1, lengths, rows, SECOND, Iri("e:s"), 3)
    text = html(phase_page("T", [diagram], ("a", "b"), {}, ()))
    assert len(text.encode()) < MOST
    (shown,) = data_of(text)["page"]["diagrams"]
    assert shown["left"] + len(shown["periods"]) == 500
    assert f"This report omits {shown['left']} more periods U" in text


def test_a_document_is_made_no_further_than_there_is_room():
    made = []

    def rows():
        for number in range(10**9):
            made.append(number)
            yield {"row": "a" * 500, "number": number}

    text = html(
        pages.Page(
            *("T", "?", True, "yes"),
            document={"unit": "1s", "rows": rows()},
            page={"blocks": [], "proof": False, "heading": "H", "lines": []},
        )
    )
    assert len(made) < 5_000
    found = data_of(text)
    assert {key for key in found if key != "page"} == {"unit"}
    assert found["unit"] == "1s"
