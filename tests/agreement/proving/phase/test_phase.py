"""`lars phase`: each cell is what `lars agree` says of queries with that period and length."""

import random
from functools import cache
from itertools import pairwise
from typing import get_args
from xml.etree import ElementTree as ET

import pytest

from agreement import api
from agreement.comparing.agree.agreeing import Pair, compare_pairs, pairs
from agreement.proving.decisions import trace_on
from agreement.proving.phase import PhaseTask, diagrams
from agreement.proving.phase.matches import obstacle
from lars.language.terms import Iri
from lars.language.windows import Interval
from solver.facts import Fact
from solver.settings import no_progress
from tests.agreement.command import agree, lars
from tests.agreement.proving.decide import naive
from translate.dialects import read_query
from translate.model.query import Setting, Trigger


class Asked:
    """What a phase task needs of a comparison."""

    def __init__(self, setting):
        self.setting = setting


def read(small, setting):
    queries = (read_query(naive.query_text(small, merged=merged), "q.rq") for merged in (True, False))
    (pair,) = pairs(*queries, frozenset(), {})
    return pair


def small_case(seed):
    """Return a random query whose stream s is read, a trace, and what is asked."""
    rng = random.Random(seed)
    small = naive.random_small(seed, monotone=seed % 4 != 3)
    small.windows.update({"s": 2, "c": rng.choice((0, 1, 2, None))})
    facts = sorted(
        (rng.randint(0, 11), stream, rng.choice(pool))
        for stream in "sc"
        if (pool := naive.triples_of(small, stream))
        for _ in range(rng.randint(1, 5))
    )
    arrivals = tuple(
        Fact(t, "striple", (*(naive_text(term) for term in triple), f"<{naive.E}{stream}>"))
        for t, stream, triple in facts
    )
    setting = Setting(bounds=small.bounds, trigger=rng.choice(list(get_args(Trigger))))
    return small, arrivals, setting


def naive_text(term):
    return (
        f"<{term[1]}>" if term[0] == "iri" else f'"{term[1]}"^^<http://www.w3.org/2001/XMLSchema#{term[2]}>'
    )


def slower(small, facts, factor):
    small.windows.update({name: one and one * factor for name, one in small.windows.items()})
    return tuple(fact._replace(t=fact.t * factor) for fact in facts)


@pytest.mark.parametrize("factor", [1, 100])
@pytest.mark.parametrize("seed", range(9))
def test_each_cell_is_what_agree_says(seed, factor):
    small, facts, setting = small_case(seed)
    facts = slower(small, facts, factor)
    pair = read(small, setting)
    if not any(one == "s" for branch in small.branches for one, *_ in naive.all_parts(branch)):
        return
    trace = trace_on(facts, {}, Interval(0, 12 * factor))
    periods, lengths = ([factor * one for one in some] for some in ((1, 2, 3, 5), (1, 2, 3, 6)))
    task = PhaseTask(Asked(setting), pair, trace, Iri(f"{naive.E}s"), lengths, (1,))
    (found,) = diagrams(task, periods, lambda _: None, no_progress)
    for place, length in enumerate(lengths):
        small.windows["s"] = length
        pair = read(small, setting)
        report = compare_pairs([Pair(pair.csparql, pair.cqels)], periods, trace, setting)
        agreeing = [sum(one.agree for one in verdict.intervals) for verdict in report.variants[0].verdicts]
        assert [row.agreeing[place] for row in found.rows] == agreeing, (seed, length)


def test_what_a_variable_is_called_is_no_matter():
    def diagram(name):
        text = f"SELECT ?{name} {{ STREAM <{naive.E}s> [RANGE 2s] {{ ?{name} <e:p> ?y }} }}"
        (pair,) = pairs(None, read_query(text, "q.rq"), frozenset(), {})
        facts = (Fact(1, "striple", ("<e:a>", "<e:p>", "<e:b>", f"<{naive.E}s>")),)
        asked = Asked(Setting())
        task = PhaseTask(asked, pair, trace_on(facts, {}, Interval(0, 12)), Iri(f"{naive.E}s"), (1, 2), (1,))
        return list(diagrams(task, (2, 3), lambda _: None, no_progress))

    assert diagram("x") == diagram("Time0")


def test_coupons_are_those_of_agree():
    found = lars("phase", "samples/coupons", "--period", "1..50", "--length", "30", "--json").json
    told = agree("samples/coupons", "--period", "1..50").json
    counts = {row["period"]: row["runs"][0]["agreeing"] for row in found["diagrams"][0]["periods"]}
    assert counts == {one["period"]: sum(i["agree"] for i in one["intervals"]) for one in told["periods"]}


def test_a_query_without_matches_is_evaluated_for_each_length():
    ran = lars("phase", "samples/minus", "--period", "2,3", "--length", "4..6")
    assert "each length is evaluated separately: MINUS" in ran.err
    told = agree("samples/minus", "--period", "2,3").json["periods"]
    counts = [str(sum(i["agree"] for i in one["intervals"])) for one in told]
    assert all(count in ran.out for count in counts)


def test_a_stream_twice_as_fast_has_a_diagram_of_its_own():
    found = lars("phase", "samples/coupons", "--period", "4", "--rate", "1,2", "--json").json["diagrams"]
    assert [(one["rate"], one["periods"][0]["whole"]) for one in found] == [(1, 12), (2, 6)]


def test_a_faster_stream_keeps_its_last_element(tmp_path):
    (tmp_path / "q.rq").write_text("SELECT ?x { STREAM <urn:s> [RANGE 3s] {?x <urn:p> ?y} }")
    (tmp_path / "t.nq").write_text("".join(f'<urn:x> <urn:p> <urn:o> <urn:s> "{t}" .\n' for t in (1, 5)))
    ran = lars("phase", tmp_path / "q.rq", tmp_path / "t.nq", "--period", "1", "--rate", "2", "--json")
    (row,) = ran.json["diagrams"][0]["periods"]
    assert row["whole"] == 3  # (0, 1], (1, 2] and (2, 3], in which the element of 5 arrives


@pytest.mark.parametrize("command", ["phase", "shrink", "agree"])
def test_more_evaluations_than_can_be_made_are_refused_at_once(tmp_path, command):
    (tmp_path / "q.rq").write_text("SELECT ?x { STREAM <urn:s> [RANGE 3s] {?x <urn:p> ?y} }")
    far = "".join(f'<urn:x> <urn:p> <urn:o> <urn:s> "{t}" .\n' for t in (1, 320_000_001))
    (tmp_path / "t.nq").write_text(far)
    out = ("--out", tmp_path / "out") if command == "shrink" else ()
    ran = lars(command, tmp_path / "q.rq", tmp_path / "t.nq", "--period", "5", *out)
    assert (ran.code, "more than 10000000 evaluation times" in ran.err) == (2, True)


def test_warnings_are_about_the_lengths_and_periods_that_are_tried(tmp_path):
    """The trace was called too wide for the query's own window, whatever the tried lengths."""
    (tmp_path / "q.rq").write_text("SELECT ?x { STREAM <urn:s> [RANGE 2s] {?x <urn:p> ?y} }")
    (tmp_path / "t.nq").write_text("".join(f'<urn:x> <urn:p> <urn:o> <urn:s> "{t}" .\n' for t in (1, 5, 9)))
    for period, lengths, told in (
        ("2", "1..9", ""),
        ("2", "1..3", "no window contains elements with different times"),
        ("50", "1..9", "no whole period of 50 is inside the timeline [0, 9]: nothing is compared"),
    ):
        asked = (tmp_path / "q.rq", tmp_path / "t.nq", "--period", period, "--length", lengths)
        warned = [line for line in lars("phase", *asked).err.splitlines() if line.startswith("warning: ")]
        assert [told in line for line in warned] == [True] * bool(told)


def test_pictures_are_drawn_whole(tmp_path):
    pytest.importorskip("matplotlib")
    file = tmp_path / "coupons.svg"
    assert (
        lars("phase", "samples/coupons", "--period", "1..5", "--length", "1..5", "--picture", file).code == 0
    )
    assert ET.parse(file).getroot().tag.endswith("svg")
    assert list(tmp_path.iterdir()) == [file]


def test_wrong_calls_are_one_message():
    for arguments, said in [
        (["--picture", "x.gif"], "expected a file name for the figure: *.svg"),
        (["--window", "http://e/none"], "expected a stream that is read through [RANGE ..]"),
        (["--rate", "5s"], "is not a valid speedup; use whole numbers from 1"),
        (["--rate", "0"], "a speedup must be at least 1"),
        (["--length", "0"], "a length must be at least 1"),
    ]:
        ran = lars("phase", "samples/slide", *arguments)
        assert (ran.code, ran.out) == (2, "")
        assert said in ran.err


def test_a_trace_without_the_predicates_of_the_query_is_called_so(tmp_path):
    (tmp_path / "q.rq").write_text("SELECT ?x FROM STREAM <urn:s> [RANGE 3s STEP 1s] {?x <urn:q> ?y}")
    (tmp_path / "t.nq").write_text('<urn:x> <urn:p> <urn:o> <urn:s> "1" .\n')
    ran = lars("phase", tmp_path / "q.rq", tmp_path / "t.nq", "--length", "1..3")
    assert (ran.code, ran.out) == (2, "")
    assert "no pattern of the query matches a predicate of the trace's streams" in ran.err


def test_a_row_that_no_length_keeps_differs_at_long_ones_too(tmp_path):
    parts = "STREAM <urn:s> [RANGE 200s] {?x <urn:p> ?y} STREAM <urn:c> [RANGE 2s] {?x <urn:q> ?z}"
    (tmp_path / "q.rq").write_text(f"SELECT ?x {{ {parts} }}")
    lines = [f'<urn:x> <urn:{p}> <urn:o> <urn:{stream}> "1" .' for p, stream in ("ps", "qc")]
    (tmp_path / "t.nq").write_text("\n".join((*lines, '<urn:x> <urn:r> <urn:o> <urn:s> "10" .')))
    asked = tmp_path / "q.rq", tmp_path / "t.nq", "--period", "10"
    long = ("--window", "urn:s", "--length", "1,200,9000000000")
    (found,) = lars("phase", *asked, *long, "--json").json["diagrams"]
    assert [one["agreeing"] for one in found["periods"][0]["runs"]] == [0]
    assert agree(*asked).json["periods"][0]["intervals"][0]["agree"] is False


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("CONSTRUCT { ?x :q ?y } WHERE", "CONSTRUCT"),
        ("SELECT ?x WHERE", None),
        ("ASK", None),
    ],
)
@pytest.mark.parametrize(
    ("end", "limited"), [("", None), (" LIMIT 3", "LIMIT or OFFSET"), (" OFFSET 1", "LIMIT or OFFSET")]
)
def test_why_lengths_are_tried_one_by_one_is_what_the_query_has(text, reason, end, limited):
    head = "PREFIX : <http://e/> "
    query = read_query(f"{head}{text} {{ STREAM :s [RANGE 3s] {{ ?x :p ?y }} }}{end}", "q.rq")
    assert obstacle(query, Setting()) == (reason or limited)


def test_a_window_now_of_the_same_stream_does_not_vary():
    text = "STREAM <urn:s> [RANGE 2s] {?x <urn:p> ?y} STREAM <urn:s> [NOW] {?x <urn:q> ?z}"
    pushed = read_query(f"SELECT ?x {{{text}}}", "q.rq")
    (pair,) = pairs(None, pushed, frozenset(), {})
    arriving = enumerate(("<urn:q>", "<urn:p>"), 2)
    facts = tuple(Fact(t, "striple", ("<urn:a>", name, "<urn:b>", "<urn:s>")) for t, name in arriving)
    trace = trace_on(facts, {}, Interval(0, 8))
    task = PhaseTask(Asked(Setting()), pair, trace, Iri("urn:s"), (2,), (1,))
    (found,) = diagrams(task, [4], lambda _: None, no_progress)
    report = compare_pairs([pair], [4], trace, Setting())
    assert report.variants[0].verdicts[0].agree is False
    assert found.rows[0].agreeing == (1,)


def test_of_two_windows_on_a_stream_the_longest_varies_and_this_is_said(tmp_path):
    text = (
        "SELECT ?s {{ STREAM <e:S> [RANGE {}s] {{ ?s <e:p> ?o }} STREAM <e:S> [RANGE 2s] {{ ?o <e:p> ?z }} }}"
    )
    (tmp_path / "t.nq").write_text(
        "".join(f'<e:{t}> <e:p> <e:{t - 2}> <e:S> "{t}" .\n' for t in range(1, 12))
    )

    def ask(command, length, *options):
        (tmp_path / "q.rq").write_text(text.format(length))
        return lars(command, tmp_path / "q.rq", tmp_path / "t.nq", "--unit", "1s", "--period", "3", *options)

    ran = ask("phase", 9, "--length", "1s..9s", "--json")
    assert "<e:S> is read through 2 windows, the longest varies" in ran.err
    (row,) = ran.json["diagrams"][0]["periods"]
    found = [run["agreeing"] for run in row["runs"] for _ in range(run["from"], run["to"] + 1)]
    verdicts = [ask("agree", length, "--json").json["periods"][0]["intervals"] for length in range(1, 10)]
    assert found == [sum(one["agree"] for one in intervals) for intervals in verdicts]
    assert len(set(found)) > 1


@pytest.mark.parametrize("window", ["RANGE {}s STEP 3s", "FUTURE {}s STEP 3s", "PAST {}s FUTURE 2s STEP 3s"])
@pytest.mark.parametrize("own", [5, 6])
def test_windows_of_cqels_2_open_at_multiples_of_their_step_for_each_length(tmp_path, window, own):
    text = f"SELECT ?x FROM STREAM s [{window}] {{{{ ?x <e:p> ?y }}}}"
    (tmp_path / "t.csv").write_text("t,s,p,o\n1,e:a,e:p,e:b\n4,e:b,e:p,e:b\n9,e:c,e:p,e:b\n12,e:c,e:z,e:b\n")

    def ask(command, length, *options):
        (tmp_path / "q.rq").write_text(text.format(length))
        trace = "--stream", f"s={tmp_path / 't.csv'}", "--json"
        return lars(command, tmp_path / "q.rq", *trace, "--period", "1", *options).json

    (row,) = ask("phase", own, "--length", "1s..9s")["diagrams"][0]["periods"]
    found = [run["agreeing"] for run in row["runs"] for _ in range(run["from"], run["to"] + 1)]
    verdicts = [ask("agree", length)["periods"][0]["intervals"] for length in range(1, 10)]
    assert found == [sum(one["agree"] for one in intervals) for intervals in verdicts]
    assert len(set(found)) > 1


@pytest.mark.parametrize("more", ["", "MINUS { ?x <e:never> ?z }"], ids=["from matches", "by length"])
def test_a_period_in_which_only_pull_has_rows_is_none_without_rows(tmp_path, more):
    text = f"SELECT ?x FROM STREAM <e:S> [RANGE 9s STEP 1s] {{ ?x <e:p> ?y {more} }}"
    (tmp_path / "q.rq").write_text(text)
    (tmp_path / "t.nq").write_text('<e:a> <e:p> <e:b> <e:S> "1" .\n<e:a> <e:q> <e:b> <e:S> "16" .\n')
    asked = "phase", tmp_path / "q.rq", tmp_path / "t.nq", "--unit", "1s", "--period", "4", "--length", "9"
    (row,) = lars(*asked, "--json").json["diagrams"][0]["periods"]
    assert row["runs"] == [{"from": 9, "to": 9, "agreeing": 3, "empty": 2}]


def test_lengths_with_units_are_not_also_in_time_points():
    result = api.phase("samples/slide", period="1s..3s", length="1s..4s", unit="100ms")
    assert "window on http://example.org/door, in" not in str(result)
    axes = result.plot().axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel().count("100ms")) == ("pull period U", 0)
    mixed = api.phase("samples/slide", period="1s..3s", length="1..4", unit="100ms").plot().axes[0]
    assert (mixed.get_xlabel(), mixed.get_ylabel().count("in 100ms")) == ("pull period U", 1)


@cache
def drawn_phase():
    """Return a result with few window lengths, since each is evaluated separately."""
    return api.phase("samples/slide", period="1..30", length="1..3")


def test_the_axis_of_periods_has_the_term_of_the_manual_and_round_numbers():
    axes = drawn_phase().plot().axes[0]
    assert axes.get_xlabel() == "pull period U, in 1s"
    assert [label.get_text() for label in axes.get_xticklabels()] == ["5", "10", "15", "20", "25", "30"]


@pytest.mark.parametrize(("size", "width"), [(16, None), (6, 3.3), (20, 12)])
def test_the_figure_has_the_given_font_size_and_width(tmp_path, size, width):
    from matplotlib.text import Text

    result = drawn_phase()
    figure = result.plot(font_size=size, width=width)
    figure.draw_without_rendering()
    assert {text.get_fontsize() for text in figure.findobj(Text) if text.get_text()} == {size}
    words = figure.get_tightbbox()
    assert min(words.x0, words.y0) >= 0
    assert words.x1 <= figure.get_figwidth() == (width or 6.4)
    assert words.y1 <= figure.get_figheight()
    result.write_figure(tmp_path / "a.pdf", font_size=size, width=width)
    assert (tmp_path / "a.pdf").stat().st_size
    with pytest.raises(api.LarsError, match="font_size, width and height must be positive"):
        result.plot(font_size=0)


@pytest.mark.parametrize(("size", "height"), [(10, 2), (16, 3.5), (10, 7)])
def test_the_figure_has_the_given_height(size, height):
    figure = api.phase("samples/slide", period="1..9", length="1..60").plot(font_size=size, height=height)
    figure.draw_without_rendering()
    words = figure.get_tightbbox()
    assert min(words.x0, words.y0) >= 0
    assert words.y1 <= figure.get_figheight() == height
    for axes in figure.axes:
        labels = sorted((each.get_window_extent() for each in axes.get_yticklabels()), key=lambda box: box.y0)
        assert all(low.y1 <= high.y0 for low, high in pairwise(labels))
    with pytest.raises(api.LarsError, match="height=1: its texts do not fit; use height=2 or"):
        api.phase("samples/slide", period="1..9").plot(height=1)
