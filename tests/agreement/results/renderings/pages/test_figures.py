"""Pictures for papers: vector form with text that stays text; the same findings, the same bytes."""

import re
from itertools import pairwise
from time import process_time

import pytest

from agreement import api
from agreement.comparing.agree.sides import CAUSE_LETTERS, CAUSES
from agreement.results.renderings.pages.figure import _AGREES, _COLOURS
from tests.agreement.command import lars
from tests.packs import ROOT, SAMPLES

to_rgba = pytest.importorskip("matplotlib.colors", reason="matplotlib draws the pictures").to_rgba


def test_a_picture_says_in_words_what_it_shows_and_is_the_same_each_time(tmp_path):
    found = api.agree(SAMPLES / "coupons", period="6..12")
    for name in ("one.svg", "other.svg", "one.pdf"):
        found.write_figure(tmp_path / name)
    one, other = ((tmp_path / name).read_text(encoding="utf-8") for name in ("one.svg", "other.svg"))
    assert one == other
    said = " ".join(re.findall(r"<text[^>]*>([^<]*)<", one))
    for words in ("E: expired before the pull", "pull, U = 8", "(25, rayban, b)", "coupons", "only in push"):
        assert words in said
    assert (tmp_path / "one.pdf").read_bytes()[:5] == b"%PDF-"


@pytest.mark.parametrize(("csparql", "cqels"), [("RANGE 1s", "RANGE 9s"), ("RANGE 9s", "RANGE 9s")])
def test_each_cause_has_its_letter_and_colour(tmp_path, csparql, cqels):
    queries = (
        f"SELECT ?x FROM STREAM <urn:s> [{csparql}] WHERE {{ ?x <urn:p> ?y }}",
        f"SELECT ?x WHERE {{ STREAM <urn:s> [{cqels}] {{ ?x <urn:p> ?y }} }}",
    )
    trace = tmp_path / "trace.nq"
    trace.write_text('<urn:a> <urn:p> <urn:b> <urn:s> "6" .\n')
    found = api.agree(*queries, trace, unit="1s", period=4, to=16)
    found.write_figure(tmp_path / "a.svg")
    cause = found.differences[0].cause
    letter = {"different windows": "W", "silent period": "Q"}[cause]
    assert f"{letter}: {cause}" in " ".join(re.findall(r">([^<]*)<", (tmp_path / "a.svg").read_text()))


SHORT = (
    "SELECT ?x FROM STREAM <e:s> [RANGE 1s STEP 3s] WHERE { ?x <e:p> ?y }",
    "SELECT ?x WHERE { STREAM <e:s> [RANGE 1s] { ?x <e:p> ?y } }",
)
LONG = "http://e/" + "a-very-long-name-" * 12


def long_figures(folder):
    """Return figures whose streams, rows and windows have long names."""
    queries = (
        f"SELECT ?x FROM STREAM <{LONG}> [RANGE 9s STEP 4s] WHERE {{ ?x <e:p> ?y }}",
        f"SELECT ?x WHERE {{ STREAM <{LONG}> [RANGE 9s] {{ ?x <e:p> ?y }} }}",
    )
    trace = folder / "trace.nq"
    trace.write_text(f'<{LONG}x> <e:p> <e:b> <{LONG}> "6" .\n<{LONG}x> <e:p> <e:c> <{LONG}> "16" .\n')
    found = api.agree(*queries, trace, unit="1s", period=4, to=16)
    assert found.differences
    return found.plot(), api.phase(*queries, trace, unit="1s", period="4..5").plot()


def test_no_word_of_a_figure_is_outside_of_it(tmp_path):
    for figure in long_figures(tmp_path):
        figure.draw_without_rendering()
        for axes in figure.axes:
            words = (axes.xaxis.label, axes.yaxis.label, axes.title, *axes.get_yticklabels())
            for found in (word.get_window_extent() for word in words if word.get_text()):
                assert min(found.x0, found.y0) >= 0
                assert found.x1 <= figure.bbox.x1
                assert found.y1 <= figure.bbox.y1
        assert figure.axes[0].get_window_extent().width > 100


def test_the_row_that_a_figure_is_about_is_marked():
    words = api.agree(SAMPLES / "coupons", period=8).plot().axes[1].get_yticklabels()
    weights = {text.get_text(): text.get_weight() for text in words}
    assert [text for text, weight in weights.items() if weight == "bold"] == ["(25, rayban, b)"]


def test_a_page_has_a_colour_for_each_cause_and_one_for_several():
    css = (ROOT / "agreement/results/renderings/pages/parts/page.css").read_text()
    places = [int(number) for number in re.findall(r"--c(\d+):", css)]
    assert places == [*range(len(CAUSES) + 1)] * 2
    assert len(_COLOURS) == len(CAUSES)


def test_where_they_agree_the_strip_stands_alone(tmp_path):
    ran = lars("agree", SAMPLES / "coupons", "--period", 5, "--figure", tmp_path / "agree.svg")
    assert ran.code == 0
    assert "only in" not in (tmp_path / "agree.svg").read_text(encoding="utf-8")


def test_pulls_are_drawn_beside_the_difference_on_late_timelines(tmp_path):
    def pulls(begin):
        trace = tmp_path / f"{begin}.nq"
        trace.write_text(f'<e:a> <e:p> <e:b> <e:s> "{begin + 1}" .\n')
        found = api.agree(*SHORT, trace, unit="1s", period=3, from_=begin, to=begin + 9)
        started = process_time()
        lines = found.plot().axes[1].lines
        assert process_time() - started < 5
        return [[t - begin for t in line.get_xdata()] for line in lines if line.get_marker() == "^"]

    late = pulls(300_000_000)
    assert late == pulls(0)
    assert late[0]


def test_a_name_that_no_picture_has_is_refused_before_anything_is_evaluated(tmp_path):
    ran = lars("agree", SAMPLES / "coupons", "--figure", tmp_path / "a.gif")
    assert (ran.code, ran.out) == (2, "")
    assert "expected a file that ends with .svg, .png, .pdf" in ran.err


def windows_and_legend(found):
    """Return the ends of the drawn windows of each side, and the texts of the legend."""
    figure = found.plot()
    ends = {"--": [], "-": []}
    for line in figure.axes[1].lines:
        if line.get_linewidth() == 1.6:
            ends[line.get_linestyle()].append(tuple(map(round, line.get_xdata())))
    return ends["--"], ends["-"], [text.get_text() for text in figure.legends[0].get_texts()]


def test_each_side_has_its_windows_at_a_time_at_which_it_evaluates():
    """Push reports the discount at 18; at 24, the location is no longer in the window of pull."""
    push, pull, words = windows_and_legend(api.agree(SAMPLES / "coupons", period=8))
    assert (push, pull) == ([(0, 18), (13, 18)], [(0, 24), (19, 24)])
    assert words[-2:] == ["window of push at 18", "window of pull at 24"]


@pytest.mark.parametrize(("arrivals", "pushed"), [((1,), []), ((1, 5), [(2, 5)])])
def test_in_a_row_of_pull_push_has_the_windows_of_its_last_evaluation_in_the_period(arrivals, pushed):
    queries = (
        "SELECT ?x FROM STREAM <e:s> [RANGE 7s STEP 4s] WHERE { ?x <e:p> <e:b> }",
        "SELECT ?x WHERE { STREAM <e:s> [RANGE 3s] { ?x <e:p> <e:b> } }",
    )
    trace = [(t, ("e:a", "e:p", "e:b") if t == 1 else ("e:c", "e:o", "e:d")) for t in arrivals]
    found = api.agree(*queries, trace, period=4, to=12, side="pull", unit="1s")
    push, pull, words = windows_and_legend(found)
    assert (push, pull, words[-1]) == (pushed, [(1, 8)], "window of pull at 8")


def test_push_reports_a_row_only_when_it_evaluates():
    query = "SELECT ?x ?y WHERE { STREAM <e:s> [RANGE 5s] { ?x <e:p> ?y } }"
    trace = [(t, (f"e:a{t}", "e:p", "e:b")) for t in (1, 4, 5, 11)]
    figure = api.agree(query, trace, period=9, unit="1s").plot()
    bars = [(round(bar.get_x(), 1), round(bar.get_width(), 1)) for bar in figure.axes[1].patches[1:]]
    assert bars == [(0.7, 0.6), (3.7, 1.6)]


def test_the_legend_names_only_marks_that_the_figure_has():
    *_, words = windows_and_legend(api.agree(SAMPLES / "coupons", period=8))
    assert "push reports the row" in words
    assert "pull reports the row" not in words
    *_, others = windows_and_legend(api.agree(SAMPLES / "slide"))
    assert ("pull reports the row" in others, "push reports the row" in others) == (True, False)


def test_a_figure_has_the_font_size_that_the_user_sets():
    import matplotlib as mpl

    found = api.agree(SAMPLES / "coupons", period=8)
    with mpl.rc_context({"font.size": 16}):
        large = found.plot()
    assert font_sizes(large) == font_sizes(found.plot(font_size=16)) == {16}
    assert max(font_sizes(found.plot())) == 8


def font_sizes(figure):
    from matplotlib.text import Text

    return {text.get_fontsize() for text in figure.findobj(Text) if text.get_text()}


@pytest.mark.parametrize(("size", "width"), [(16, None), (16, 10), (6, 3.3), (20, 12), (12, None)])
def test_a_figure_of_the_given_font_size_has_the_given_width_and_axes_of_half_of_it(tmp_path, size, width):
    found = api.agree(SAMPLES / "coupons", period="1..8")
    figure = found.plot(font_size=size, width=width)
    figure.draw_without_rendering()
    words = figure.get_tightbbox()
    assert min(words.x0, words.y0) >= 0
    assert words.x1 <= figure.get_figwidth() == (width or 6.3)
    assert words.y1 <= figure.get_figheight()
    for axes in figure.axes:
        assert axes.get_window_extent().width >= figure.bbox.width / 2
    assert font_sizes(figure) == {size}
    found.write_figure(tmp_path / "a.svg", font_size=size, width=width)
    points = re.search(r'<svg[^>]* width="([0-9.]+)pt"', (tmp_path / "a.svg").read_text(encoding="utf-8"))
    assert float(points[1]) == pytest.approx(72 * (width or 6.3))


def test_a_figure_has_no_text_of_size_zero():
    with pytest.raises(api.LarsError, match="font_size, width and height must be positive"):
        api.agree(SAMPLES / "coupons", period=8).plot(font_size=0)


def test_the_legend_says_which_of_several_causes_is_shown_and_ticks_are_at_round_times(tmp_path):
    head = "SELECT ?s (SUM(?x) AS ?sum) WHERE { STREAM <e:S> [RANGE 5s] { ?s <e:p> ?x } } GROUP BY ?s"
    (tmp_path / "q.rq").write_text(head, encoding="utf-8")
    rows = ("00:01,b,1", "00:08,a,1", "00:09,a,2", "01:59,c,1")
    lines = "".join(f"2026-05-04T10:{row}\n" for row in rows)
    (tmp_path / "t.csv").write_text(f"time,s,p\n{lines}", encoding="utf-8")
    api.init(tmp_path / "mine", tmp_path / "q.rq", tmp_path / "t.csv", period="10s")
    axes = api.agree(tmp_path / "mine").plot().axes[0]
    assert strip_legend(axes).endswith("on top the cause of most rows")
    axes.figure.draw_without_rendering()
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert {"10:00:30", "10:01:00", "10:01:30"} <= {*labels}
    few = api.agree(SAMPLES / "coupons", period="1..12").plot().axes[0]
    assert "most rows" not in strip_legend(few)


def strip_legend(axes):
    legend = axes.get_legend()
    return " ".join(text.get_text() for text in (legend.get_title(), *legend.get_texts())).replace("\n", " ")


def test_a_figure_of_the_given_height_shows_the_periods_around_the_row_and_says_how_many_it_omits(tmp_path):
    found = api.agree(SAMPLES / "coupons", period="4..20")
    assert "omitted" not in strip_legend(found.plot(height=7).axes[0])
    figure = found.plot(height=3.7)
    strip, _ = figure.axes
    shown = [label.get_text() for label in strip.get_yticklabels()]
    assert "8" in shown[1:-1]
    ends = f"U = {shown[0]} to {shown[-1]}; {17 - len(shown)} of 17 pull periods are omitted"
    assert strip_legend(strip).startswith(ends)
    assert_apart(figure)
    assert figure.get_figheight() == 3.7
    found.write_figure(tmp_path / "a.svg", height=3.7)
    points = re.search(r'<svg[^>]* height="([0-9.]+)pt"', (tmp_path / "a.svg").read_text(encoding="utf-8"))
    assert float(points[1]) == pytest.approx(72 * 3.7)


def assert_apart(figure):
    """Assert that the texts are inside of the figure, and that no two labels or letters overlap."""
    figure.draw_without_rendering()
    words = figure.get_tightbbox()
    assert min(words.x0, words.y0) >= 0
    assert words.y1 <= figure.get_figheight()
    for axes in figure.axes:
        labels = sorted((each.get_window_extent() for each in axes.get_yticklabels()), key=lambda box: box.y0)
        assert all(low.y1 <= high.y0 for low, high in pairwise(labels))
    letters = [text.get_window_extent() for text in figure.axes[0].texts]
    assert letters
    assert not any(one.overlaps(other) for n, one in enumerate(letters) for other in letters[:n])


def test_a_slide_too_low_for_the_timeline_has_periods_only_and_a_warning_names_the_height():
    found = api.agree(SAMPLES / "coupons", period="1..20")
    with pytest.warns(UserWarning, match=r"no timeline .* requires height=\d") as warned:
        figure = found.plot(font_size=16, width=10, height=5.6)
    assert len(figure.axes) == 1
    assert_apart(figure)
    least = float(re.search(r"requires height=([\d.]+)", str(warned[0].message))[1])
    assert_apart(found.plot(font_size=16, width=10, height=least))
    with pytest.raises(api.LarsError, match=r"height=1: its texts do not fit; use height=\d"):
        api.agree(SAMPLES / "coupons", period=5).plot(font_size=16, height=1)


def test_letters_of_narrow_and_low_cells_do_not_overlap():
    assert_apart(api.agree(SAMPLES / "coupons", period="1..8").plot(font_size=16))
    assert not api.agree(SAMPLES / "coupons", period="1..150").plot().axes[0].texts


def test_a_period_with_rows_of_several_causes_has_a_bar_and_a_letter_for_each(tmp_path):
    """In (0, 10], one row expires before the pull, and pull lacks the sum of other input (group a)."""
    head = "SELECT ?s (SUM(?x) AS ?sum) WHERE { STREAM <e:S> [RANGE 5s] { ?s <e:p> ?x } } GROUP BY ?s"
    trace = [(t, (f"e:{s}", "e:p", x)) for t, s, x in ((1, "b", 1), (8, "a", 1), (9, "a", 2), (29, "c", 1))]
    found = api.agree(head, trace, unit="1s", period=10, to=30)
    causes = {each.cause for each in found.differences if each.start == 0}
    assert len(causes) == 2
    axes = found.plot().axes[0]
    bars = [bar for bar in axes.patches if bar.get_x() == 0]
    assert {bar.get_facecolor() for bar in bars} == {to_rgba(_COLOURS[CAUSES.index(each)]) for each in causes}
    assert [bar.get_height() for bar in bars] == [pytest.approx(0.4)] * 2
    assert bars[0].get_y() + 0.4 == pytest.approx(bars[1].get_y())
    letters = [text.get_text() for text in axes.texts if text.get_position()[0] == 5]
    assert [set(each) for each in letters] == [{CAUSE_LETTERS[each] for each in causes}]
    for cause in causes:
        assert cause in strip_legend(axes)


def test_bars_of_many_periods_show_the_share_of_periods_that_agree(tmp_path):
    """Of each four periods, one disagrees; a bar of the line stands for four periods."""
    trace = [(t, ("e:s", "e:p", f"e:{t}")) for t in range(1, 5_000, 20)]
    query = "SELECT ?x { STREAM <e:S> [RANGE 2s] { ?s <e:p> ?x } }"
    found = api.agree(query, trace, unit="1s", period=5, to=5_000)
    axes = found.plot().axes[0]
    areas = {}
    for bar in axes.patches:
        colour, area = bar.get_facecolor(), bar.get_height() * bar.get_width()
        areas[colour] = areas.get(colour, 0) + area
    assert areas.pop(to_rgba(_AGREES)) == pytest.approx(3 * sum(areas.values()))
    assert "its green part is the share of periods that agree" in " ".join(strip_legend(axes).split())
    found.write_report(tmp_path / "page.html")
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "the green part is the share of periods that agree" in html
    heights = {"#6fae95": 0.0, "#d55e00": 0.0}
    for high, fill in re.findall(r'height="([\d.]+)" fill="(#\w+)"', found._repr_html_()):
        heights[fill] += float(high)
    assert heights["#6fae95"] == pytest.approx(3 * heights["#d55e00"])
    few = api.agree(query, trace, unit="1s", period=5, to=100)
    assert "share" not in strip_legend(few.plot().axes[0])


MACHINES = "SELECT ?m { STREAM <http://e/machines> [RANGE 2s] { ?m <http://e/reading> <http://e/bad> } }"
EVENTS = [(1, 1, "ok"), (2, 2, "bad"), (3, 1, "bad"), (6, 2, "ok"), (7, 1, "bad"), (10, 2, "bad")]
READINGS = [(t, (f"http://e/m{m}", "http://e/reading", f"http://e/{word}")) for t, m, word in EVENTS]


@pytest.mark.filterwarnings("ignore:a figure with height")
@pytest.mark.parametrize("look", [{"width": 3, "height": 5}, {"width": 3}, {"height": 1}])
def test_a_size_that_is_too_small_is_refused_with_the_least_size_that_is_kept(tmp_path, look):
    found = api.agree(MACHINES, READINGS, period=[2, 3, 4], to=12)
    with pytest.raises(api.LarsError, match="its texts do not fit") as refused:
        found.write_figure(tmp_path / "a.svg", font_size=16, **look)
    name, least = re.search(r"use (\w+)=([\d.]+) or", str(refused.value)).groups()
    kept = look | {name: float(least)}
    found.write_figure(tmp_path / "a.svg", font_size=16, **kept)
    svg = (tmp_path / "a.svg").read_text(encoding="utf-8")
    for key, inches in kept.items():
        assert float(re.search(rf'<svg[^>]* {key}="([0-9.]+)pt"', svg)[1]) == pytest.approx(72 * inches)
    with pytest.raises(api.LarsError, match="its texts do not fit"):
        found.plot(font_size=16, **kept | {name: kept[name] - 0.1})


@pytest.mark.filterwarnings("error")
def test_a_height_that_is_refused_gives_no_warning():
    found = api.agree(MACHINES, READINGS, period=2, to=12)
    with pytest.raises(api.LarsError, match="height=1"):
        found.plot(height=1, font_size=16)


def test_the_timeline_has_the_period_of_the_strip_and_ends_with_the_timeline():
    figure = api.agree(MACHINES, READINGS, period=2, to=12).plot()
    axes = figure.axes[1]
    band = axes.patches[0].get_window_extent().transformed(axes.transData.inverted())
    assert (band.x0, band.x1) == pytest.approx((10, 12))
    assert axes.get_xlim()[1] == 12.5
    assert all(float(tick).is_integer() for each in figure.axes for tick in each.get_xticks())
