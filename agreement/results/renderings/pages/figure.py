"""A figure for papers: the verdicts for each pull period U, and the timeline around one difference."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import groupby
from math import ceil
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final
from warnings import catch_warnings, simplefilter, warn

from agreement.comparing.agree import VariantReport
from agreement.comparing.agree.periods import PeriodVerdict
from agreement.comparing.agree.sides import CAUSE_LETTERS, CAUSES, RowDifference
from agreement.documents.dates import Dates
from agreement.documents.outputs import short, short_row
from agreement.documents.requests import sources
from agreement.results.renderings.agreement_report import dates_on
from agreement.results.renderings.pages.timeline import AGREES, cells_and_causes
from lars.durations import NANOSECONDS, Duration
from lars.errors import LarsError, pip_install
from lars.files import exists, replacement_path
from lars.language.terms import Iri
from lars.language.windows import IntervalWindow
from solver.facts import is_triple
from translate.model.query import EngineQuery, Setting
from translate.model.windows import window_operator

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

_SUFFIXES: Final = (".svg", ".png", ".pdf")
_COLOURS: Final = (
    "#8a5a00",
    "#3f6f00",
    "#00687a",
    "#5a4fcf",
    "#6b6b6b",
    "#2e4a62",
    "#b34000",
    "#5c4033",
    "#9c1c4d",
    "#1c6b9c",
    "#7a5c9e",
    "#6b3d1f",
)
"""The colors of causes in figures; white letters are readable on each color."""
_LINE, _LABEL, _TICKS = 95, 30, 6
_CAPITAL, _ROW, _LANE = 0.75, 1.3, 1.35
"""The height of a capital, of a row of periods, and of a lane with one line, as shares of the font size."""
_FEWEST, _ROWS_OF_TIMELINE = 3, 14
"""The least number of rows in a figure with a timeline; the number of rows that is as high as a timeline."""
_MOST: Final = "several colors: rows with several causes, on top the cause of most rows"
"""The part of the legend about periods with rows of several causes."""
_SHARES: Final = "a bar of many periods: its green part is the share of periods that agree"
"""The part of the legend about bars of several periods, some of which agree."""
_STEPS: Final = tuple(
    count * NANOSECONDS[unit]
    for unit, counts in (
        ("ms", (1, 2, 5, 10, 20, 50, 100, 200, 500)),
        ("s", (1, 2, 5, 10, 15, 20, 30)),
        ("m", (1, 2, 5, 10, 15, 20, 30)),
        ("h", (1, 2, 3, 6, 12)),
        ("d", (1, 2, 5, 10, 20, 50, 100)),
    )
    for count in counts
)
"""The possible distances of ticks on a time axis, in nanoseconds."""
_AGREES: Final = "#9ccfb8"
_WIDTH: Final = 6.3
"""The default width of figures in inches."""
_EDGE, _NARROWEST, _MOST_TENTHS = 0.005, 5, 1000
"""How far a text may reach over the edge in inches, the least part of the width for axes, a large size."""
FigureLook = tuple[float | None, float | None, float | None]
"""The font size of a figure in points, its width and its height in inches; None means the default."""
NO_LOOK: Final[FigureLook] = (None, None, None)
_Letter = tuple["Text", float, float]
"""A letter of a cell, with the start and the end of the cell."""
_SIZE: Final = 8
"""The font size of figures in points, unless matplotlib's rcParams contain another size than the default."""
_STYLE: Final[Any] = {
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "svg.hashsalt": "lars",
    "text.parse_math": False,  # a $ in a term is a $
}
_PUSH, _PULL, _LIT, _PERIOD = "#0b62a4", "#8c3d7e", "#b35900", "#f6e3d8"


def check_figure(path: Path) -> None:
    """Raise LarsError for a file name without an image extension, or if matplotlib is missing."""
    if path.suffix not in _SUFFIXES:
        raise LarsError(f"--figure {path}: expected a file that ends with {', '.join(_SUFFIXES)}")
    if not exists(path.parent, folder=True):
        raise LarsError(f"--figure {path}: the folder {path.parent} does not exist; use an existing folder")
    check_matplotlib(f"--figure {path}")


def check_matplotlib(place: str) -> None:
    """Raise LarsError if matplotlib is not installed.

    The message begins with `place`, the option or function that draws a figure.
    """
    try:
        import matplotlib as mpl
    except ImportError:
        raise LarsError(f"{place} requires matplotlib; use {pip_install('matplotlib')}") from None
    del mpl


def figure_of(
    variant: VariantReport,
    verdicts: Sequence[PeriodVerdict],
    row: RowDifference | None,
    setting: Setting,
    look: FigureLook = NO_LOOK,
) -> "Figure":
    """Return a matplotlib figure: a strip of periods for each pull period U, and a timeline of a difference.

    The timeline shows the surroundings of `row`, a row of only one side. If `row` is None, the figure has no
    timeline. Without a height, a larger font makes the figure taller, but not wider. If not all pull periods
    fit the height, the figure shows those around the period of `row`, and how many are omitted. If the
    timeline does not fit next to three of them, a UserWarning contains the height that the timeline needs.

    Raises:
        LarsError: The width or the height is too small for the texts and one pull period.
    """
    check_matplotlib("plot()")
    import matplotlib as mpl

    check_look(look)
    font_size, _, height = look
    letters: list[_Letter] = []

    def drawn(width: float | None, height: float | None) -> "Figure | None":
        nonlocal letters
        compose = partial(_composed, variant, verdicts, setting, width)
        figure, letters = compose((verdicts, row))
        if height is None:
            return figure
        timeline = row if height >= _least_height(figure, len(verdicts)) else None
        shown = verdicts
        figure, letters = compose((shown, timeline))
        while (count := _fitted(figure, height, len(shown))) < len(shown):
            if not count:
                return None
            shown = _around(verdicts, row, count)
            figure, letters = compose((shown, timeline))
        return figure

    with mpl.rc_context(style(font_size)):
        figure = sized(look, drawn)
        for text, start, end in letters:
            if not _fits(text, start, end):
                text.remove()
        if row and len(figure.axes) == 1:
            whole, _ = _composed(variant, verdicts, setting, look[1], (verdicts, row))
            needed = f"height={_least_height(whole, len(verdicts)):g} or a smaller font_size"
            warn(
                f"a figure with height={height:g} has no timeline of the difference; the timeline requires "
                f"{needed}",
                stacklevel=3,
            )
        return figure


def sized(look: FigureLook, drawn: Callable[[float | None, float | None], "Figure | None"]) -> "Figure":
    """Return a figure of the given width and height, with its layout.

    The function `drawn` draws the figure for a width and a height, or returns None if the height is too low.

    Raises:
        LarsError: The texts do not fit the width or the height; the message names the least that fits.
    """
    _, width, height = look
    figure = drawn(width, height)
    if height is not None and (figure is None or _over(figure)[1]):
        least = _least(height, lambda high: _has_room(drawn(width, high), 1))
        raise LarsError(_too_small("height", height, least))
    assert figure is not None
    if width is not None and _over(figure)[0]:
        raise LarsError(
            _too_small("width", width, _least(width, lambda wide: _has_room(drawn(wide, height), 0)))
        )
    figure.draw_without_rendering()
    return figure


def _too_small(name: str, size: float, least: float) -> str:
    return (
        f"cannot draw a figure with {name}={size:g}: its texts do not fit; use {name}={least:g} or a smaller "
        "font_size"
    )


def _has_room(figure: "Figure | None", direction: int) -> bool:
    return figure is not None and not _over(figure)[direction]


def _over(figure: "Figure") -> tuple[bool, bool]:
    """Return whether texts of a figure reach over its width, and over its height."""
    with catch_warnings():
        simplefilter("ignore", UserWarning)  # matplotlib warns if texts leave no room for the axes
        figure.draw_without_rendering()
        words, page = figure.get_tightbbox(), figure.bbox_inches
    narrow = any(axes.get_window_extent().width < figure.bbox.width / _NARROWEST for axes in figure.axes[:1])
    wide = words.x0 < -_EDGE or words.x1 > page.x1 + _EDGE
    return wide or narrow, words.y0 < -_EDGE or words.y1 > page.y1 + _EDGE


def _least(size: float, fits: Callable[[float], bool]) -> float:
    """Return the least size above `size` for which `fits` is true, in tenths of an inch."""
    low = int(size * 10)
    high = low + 1
    while high < _MOST_TENTHS and not fits(high / 10):
        low, high = high, high + max(high // 4, 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle / 10) else (middle, high)
    return high / 10


def _composed(
    variant: VariantReport,
    verdicts: Sequence[PeriodVerdict],
    setting: Setting,
    width: float | None,
    parts: tuple[Sequence[PeriodVerdict], RowDifference | None],
) -> tuple["Figure", list[_Letter]]:
    """Return a figure of the default height, and the letters of its cells.

    `parts` are the verdicts that the figure shows, and the row of the timeline; None means no timeline.
    """
    from matplotlib.figure import Figure

    shown, row = parts

    tall = min(0.5 + 0.16 * len(shown), 8.0)
    heights = [tall] if row is None else [tall, 2.4]
    figure = Figure(figsize=(width or _WIDTH, 1), layout="constrained")
    # The legend has more lines if less text fits beside each other.
    below = 0.8 if row is None else 0.7 + 0.7 / min(_room(figure), 1)
    figure.set_figheight((sum(heights) + below) * _points(1))
    axes = figure.subplots(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
    omitted = ""
    if len(shown) < len(verdicts):
        ends = dict.fromkeys(str(each.period) for each in (shown[0], shown[-1]))
        left_out = len(verdicts) - len(shown)
        omitted = f"U = {' to '.join(ends)}; {left_out} of {len(verdicts)} pull periods are omitted"
    letters = _strip(axes[0], variant, shown, setting, omitted)
    if row is not None:
        _timeline(axes[1], variant, row, setting)
    return figure, letters


def _lengths(figure: "Figure", rows: int) -> tuple[float, float, float]:
    """Return heights in inches: the least of a row, the least of the timeline, and all except the axes."""
    figure.draw_without_rendering()
    inches = [axes.get_window_extent().height / figure.dpi for axes in figure.axes]
    line = _points(_SIZE) / 72
    # Rows and lanes of the default height are never too low.
    row = min(_ROW * line, inches[0] / rows)
    lanes = 0.0
    for axes in figure.axes[1:]:
        labels = [label.get_text().count("\n") + 1 for label in axes.get_yticklabels()]
        lanes = min(_LANE * line * max(labels) * len(labels), inches[1])
    return row, lanes, figure.get_figheight() - sum(inches)


def _least_height(figure: "Figure", rows: int) -> float:
    """Return the least height in inches with which all parts of a figure fit, with three rows of periods."""
    row, lanes, around = _lengths(figure, rows)
    # If rows are omitted, the legend has one more line.
    line = 0 if rows <= _FEWEST else 1.5 * _points(_SIZE) / 72
    return ceil((around + lanes + line + min(rows, _FEWEST) * row) * 10) / 10


def _fitted(figure: "Figure", height: float, rows: int) -> int:
    """Give a figure the height in inches if its rows of periods fit; return the number of rows that fit."""
    row, lanes, around = _lengths(figure, rows)
    free = height - around - lanes
    count = max(int(free / row + 0.01), 0)
    if count >= rows:
        strip, *others = figure.axes
        share = min(max((free + lanes) * rows / (rows + _ROWS_OF_TIMELINE), rows * row), free)
        figure.set_figheight(height)
        gridspec = strip.get_gridspec()
        assert gridspec is not None
        gridspec.set_height_ratios([share, free + lanes - share] if others else [1])
    return count


def _around(
    verdicts: Sequence[PeriodVerdict], row: RowDifference | None, count: int
) -> Sequence[PeriodVerdict]:
    """Return consecutive verdicts, with the verdict for the period of a row in the middle if possible."""
    middle = 0 if row is None else [each.period for each in verdicts].index(row.period)
    start = min(max(middle - count // 2, 0), len(verdicts) - count)
    return verdicts[start : start + count]


def _fits(text: "Text", start: float, end: float) -> bool:
    """Return whether the letters of a cell fit into the cell, in both directions."""
    axes = text.axes
    assert axes is not None
    place = text.get_position()[1]
    (left, top), (right, bottom) = axes.transData.transform([(start, place - 0.4), (end, place + 0.4)])
    letters = text.get_window_extent()
    return bool(letters.width < right - left and letters.height * _CAPITAL < abs(bottom - top))


def write_figure(path: Path, figure: "Figure") -> None:
    """Write a figure to a file in one step; if a text reaches over the edge, the file is larger."""
    import matplotlib as mpl
    from matplotlib.transforms import Bbox

    figure.draw_without_rendering()
    words, page = figure.get_tightbbox(), figure.bbox_inches
    # A direction in which the texts fit keeps its size.
    edges = min(words.x0, 0), min(words.y0, 0), max(words.x1, page.x1), max(words.y1, page.y1)
    kind = path.suffix[1:]
    undated: dict[str, None] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind, {})
    with mpl.rc_context(style()), replacement_path(path) as new:
        figure.savefig(new, format=kind, dpi=200, metadata=undated, bbox_inches=Bbox.from_extents(*edges))


def check_look(look: FigureLook) -> None:
    """Raise LarsError for a font size, width or height that is not positive."""
    if any(each is not None and each <= 0 for each in look):
        raise LarsError(
            "font_size, width and height must be positive; use points and inches, such as 16, 10 and 5.6"
        )


def style(font_size: float | None = None) -> Any:
    """Return the style of figures; by default, the font size is the user's if the user has set one."""
    import matplotlib as mpl

    own = mpl.rcParams["font.size"]
    usual = _SIZE if own == mpl.rcParamsDefault["font.size"] else own
    names = ("axes.labelsize", "axes.titlesize", "xtick.labelsize", "ytick.labelsize", "legend.fontsize")
    sizes = dict.fromkeys(("font.size", *names), font_size) if font_size else {"font.size": usual}
    return {**_STYLE, **sizes}


def _points(size: float) -> float:
    """Return a length of the default style, scaled by the font size of the current style."""
    import matplotlib as mpl

    scale: float = mpl.rcParams["font.size"] / _SIZE
    return size * scale


def _font(size: float) -> float:
    """Return a font size: a smaller one only in the default style, since other sizes are of the user."""
    import matplotlib as mpl

    own: float = mpl.rcParams["font.size"]
    return size if own == _SIZE else own


def _room(figure: "Figure") -> float:
    """Return how much text fits side by side, as a share of the text in a figure of the default size."""
    width: float = figure.get_figwidth()
    return width / _WIDTH / _points(1)


def _strip(
    axes: "Axes", variant: VariantReport, verdicts: Sequence[PeriodVerdict], setting: Setting, omitted: str
) -> list[_Letter]:
    """Draw a row of periods for each verdict, and the legend of the rows; return the letters of the cells."""
    used: set[int] = set()
    letters: list[_Letter] = []
    agreeing = several = mixed = False
    for place, verdict in enumerate(verdicts):
        for cell, causes in cells_and_causes(variant, verdict):
            several = several or len(causes) > 1
            mixed = mixed or 0 < cell.agreeing_share < 1
            agreeing = agreeing or cell.agreeing_share > 0
            used.update(causes)
            start, end, line = cell.start, cell.end, 0.4 if cell.periods == 1 else 0
            # The bars of a cell share its height; the axis points down, so the first bar is on top.
            bars = [
                (each, (1 - cell.agreeing_share) / len(causes or "1")) for each in causes or (cell.cause,)
            ]
            bars = [(AGREES, 1.0)] if cell.cause == AGREES else [*bars, (AGREES, cell.agreeing_share)]
            high = 0.35 if cell.cause == AGREES else 0.8
            top = place - high / 2
            for each, share in bars:
                colour = _AGREES if each == AGREES else (*_COLOURS, "#444444")[each]
                how: Any = {"color": colour, "edgecolor": "white", "linewidth": line, "align": "edge"}
                if share:
                    axes.barh(top, end - start, high * share, start, **how)
                top += high * share
            if causes:
                how = {"ha": "center", "va": "center", "fontsize": _font(5.5), "clip_on": True}
                word = "".join(CAUSE_LETTERS[CAUSES[each]] for each in causes)
                text = axes.text((start + end) / 2, place, word, color="white", weight="bold", **how)
                letters.append((text, start, end))
    step = max(1, len(verdicts) // 25)
    axes.set_yticks(
        range(0, len(verdicts), step), [str(period_verdict.period) for period_verdict in verdicts[::step]]
    )
    axes.set_ylim(len(verdicts) - 0.4, -0.6)
    axes.set_ylabel("U")
    axes.set_xlabel(_dated(axes, variant, setting))
    entries = [(_AGREES, "push and pull agree (low bars)")] if agreeing else []
    entries += [(_COLOURS[each], f"{CAUSE_LETTERS[CAUSES[each]]}: {CAUSES[each]}") for each in sorted(used)]
    entries += [("none", text) for text, is_shown in ((_MOST, several), (_SHARES, mixed)) if is_shown]
    _strip_legend(axes, entries, omitted)
    return letters


def _strip_legend(axes: "Axes", entries: Sequence[tuple[str, str]], omitted: str) -> None:
    """Add the legend above the rows of periods, in as many columns as fit."""
    from matplotlib.patches import Patch

    figure = axes.get_figure(root=True)
    assert figure is not None
    line = max(round(_LINE * min(_room(figure), 1) ** 1.5), 20)
    handles = [Patch(color=colour) for colour, _ in entries]
    labels = ["\n".join(wrap(label, line)) for _, label in entries]
    how: Any = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.4, "alignment": "left"}
    title = "\n".join(wrap(omitted, line))
    for columns in range(min(4, len(entries)), 0, -1):
        legend = axes.legend(
            handles, labels, ncols=columns, title=title, title_fontsize=_font(8), **_legend_style(8), **how
        )
        # The labels of the axes take the rest of the width.
        if legend.get_window_extent().width < figure.bbox.width * 0.75:
            break


def _legend_style(size: float) -> Any:
    """Return the style of a legend with little space between its columns."""
    spaces = {"handlelength": 1.5, "columnspacing": 1.2, "handletextpad": 0.6, "borderpad": 0.3}
    return {"frameon": False, "fontsize": _font(size), **spaces}


def _dated(axes: "Axes", variant: VariantReport, setting: Setting) -> str:
    """Label the time axis of a figure, with dateTimes if the trace has dateTimes; return the axis title."""
    dates = dates_on(variant, setting.unit)
    if dates.zero is None:
        axes.locator_params("x", integer=True)
        return f"time in units of {setting.unit}"
    from matplotlib.ticker import FuncFormatter, MaxNLocator, MultipleLocator

    figure = axes.get_figure(root=True)
    assert figure is not None
    room = min(_room(figure), 1)
    first, last = axes.get_xlim()
    step, offset = _round_step((last - first) / room, datetime.fromisoformat(dates.zero), setting.unit)
    locator = (
        MultipleLocator(step, offset) if step else MaxNLocator(max(2, round(_TICKS * room)), integer=True)
    )
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda t, _: dates.text(round(t))))
    return f"time{dates.caption}"


def _round_step(span: float, zero: datetime, unit: Duration) -> tuple[int, int]:
    """Return the distance of ticks at round times, and the first tick from time 0 on, in time points.

    Ticks are at multiples of the distance after midnight. The distance is 0 if no round time fits.

    >>> _round_step(2700, datetime(2026, 5, 14, 8, 59), Duration(10**9))
    (600, 60)
    """
    since_midnight = zero - zero.replace(hour=0, minute=0, second=0, microsecond=0)
    begin, rest = divmod(since_midnight // timedelta(microseconds=1) * 1000, unit.nanoseconds)
    fitting = (step // unit.nanoseconds for step in _STEPS if step % unit.nanoseconds == 0)
    step = next((each for each in fitting if span / each <= _TICKS), 0)
    return (0, 0) if rest or not step else (step, -begin % step)


def _timeline(axes: "Axes", variant: VariantReport, row: RowDifference, setting: Setting) -> None:
    figure = axes.get_figure(root=True)
    assert figure is not None
    timeline = variant.trace.timeline
    (support,) = variant.supports([row])
    facts = [fact for fact in variant.trace.facts(timeline) if is_triple(fact)]
    streams = sorted({fact.arguments[3] for fact in facts})
    first = min([row.interval.start, *(fact.t for fact in support)]) - 2
    pushes = variant.answers.push.whole().times
    push_at = _push_time(row, pushes.tolist())
    window_times: dict[str, int] = {}
    # As wide as in the row of periods.
    axes.axvspan(row.interval.start, row.interval.end, color=_PERIOD, zorder=0)
    for place, stream in enumerate(streams):
        times = [fact.t for fact in facts if fact.arguments[3] == stream]
        axes.plot(times, [place] * len(times), "|", color="#333333", markersize=7)
        lit = [fact.t for fact in support if fact.arguments[3] == stream]
        axes.plot(lit, [place] * len(lit), "o", color=_LIT, markersize=5)
        for query, at, style, colour, shift in (
            (variant.pair.cqels, push_at, "--", _PUSH, 0.28),
            (variant.pair.csparql, row.interval.end, "-", _PULL, -0.28),
        ):
            if at is None:
                continue
            for low, high in _window_ends(query, stream, at, variant, setting):
                axes.plot([low, high], [place + shift] * 2, style, color=colour, linewidth=1.6)
                window_times[colour] = at
    lanes, base = [short(stream) for stream in streams], len(streams)
    axes.plot(pushes, [base] * len(pushes), "v", color=_PUSH, markersize=4)
    drawn = max(timeline.first, first)
    drawn += -drawn % row.period
    pulls = [t for t in range(drawn, row.interval.end + row.period + 1, row.period) if t in timeline]
    axes.plot(pulls, [base + 1] * len(pulls), "^", color=_PULL, markersize=4)
    own = (side.of_rows([row.row]).rows() for side in (variant.answers.push, variant.answers.pull))
    pushed, pulled = ([(begin, end) for _, begin, end in runs] for runs in own)
    # Push reports the row only when it evaluates, not at the times between two evaluations.
    reported = [t for t in pushes.tolist() if any(begin <= t <= end for begin, end in pushed)]
    for begin, end in _stretches(reported):
        axes.barh(base + 2, end - begin + 0.6, 0.25, begin - 0.3, color=_PUSH)
    seen = [t for t in pulls if any(begin <= t <= end for begin, end in pulled)]
    axes.plot(seen, [base + 2.3] * len(seen), "s", color=_PULL, markersize=4)
    axes.axvline(row.at, color=_LIT, linewidth=0.8)
    words = [*lanes, "push evaluates", f"pull, U = {row.period}", short_row(row.row)]
    axes.set_yticks(range(base + 3), [_in_lines(word, _room(figure)) for word in words])
    axes.get_yticklabels()[-1].set(color=_LIT, weight="bold")  # the row that the picture is about
    # Beyond the timeline, no mark can be: half a time point is left for the marks at its ends.
    last = row.interval.end + 2
    axes.set_xlim(max(first, timeline.first) - 0.5, min(last, timeline.last) + 0.5)
    axes.invert_yaxis()
    axes.set_xlabel(_dated(axes, variant, setting))
    axes.set_title(f"only in {row.side}: {row.cause}", fontsize=_font(8), loc="left")
    drawn_marks = {
        "evaluation of push": any(first <= t <= last for t in pushes.tolist()),
        "evaluation of pull": bool(pulls),
        "push reports the row": any(first <= t <= last for t in reported),
        "pull reports the row": bool(seen),
        "input": any(first <= fact.t <= last for fact in facts),
        "input that supports the row": bool(support),
    }
    _legend(axes, window_times, dates_on(variant, setting.unit), drawn_marks)


def _stretches(times: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last time of each stretch of ascending times without a gap.

    >>> list(_stretches([1, 2, 3, 7, 9, 10]))
    [(1, 3), (7, 7), (9, 10)]
    """
    for _, stretch in groupby(enumerate(times), lambda pair: pair[1] - pair[0]):
        (_, first), *rest = stretch
        yield first, rest[-1][1] if rest else first


def _push_time(row: RowDifference, pushes: Sequence[int]) -> int | None:
    """Return the time at which the figure shows the windows of push; None if push is silent in the period.

    If push reports the row, this is the last time at which push reports it, otherwise the last evaluation of
    push in the period. The figure shows the windows of pull at the end of the period, when pull evaluates.
    """
    if row.side == "push":
        return row.at
    within = [t for t in pushes if row.interval.start < t <= row.interval.end]
    return within[-1] if within else None


def _legend(axes: "Axes", window_times: Mapping[str, int], dates: Dates, drawn: Mapping[str, bool]) -> None:
    """Add the legend of the timeline below the figure, with the time of each side's windows.

    The legend has no entry for a mark that the figure does not contain (`drawn`).
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    def mark(marker: str, color: str, size: int) -> Line2D:
        return Line2D([], [], linestyle="", marker=marker, color=color, markersize=size)

    entries: list[tuple[Artist, str]] = [
        (mark("|", "#333333", 7), "input"),
        (mark("o", _LIT, 5), "input that supports the row"),
        (Patch(color=_PERIOD), "period of the row"),
        (mark("v", _PUSH, 4), "evaluation of push"),
        (mark("^", _PULL, 4), "evaluation of pull"),
        (Patch(color=_PUSH), "push reports the row"),
        (mark("s", _PULL, 4), "pull reports the row"),
    ]
    entries = [(handle, label) for handle, label in entries if drawn.get(label, True)]
    for colour, t in window_times.items():
        side = "push" if colour == _PUSH else "pull"
        line = Line2D([], [], color=colour, linewidth=1.6, linestyle="--" if side == "push" else "-")
        entries.append((line, f"window of {side} at {dates.text(t)}"))
    figure = axes.get_figure(root=True)
    assert figure is not None
    handles, labels = zip(*entries, strict=True)
    for columns in range(3, 0, -1):
        legend = figure.legend(handles, labels, loc="outside lower center", ncols=columns, **_legend_style(7))
        if columns == 1 or legend.get_window_extent().width < figure.bbox.width:
            break
        legend.remove()


def _in_lines(text: str, room: float) -> str:
    """Return a label divided into at most three short lines; the last ends with … if text is omitted."""
    return "\n".join(wrap(text, max(round(_LABEL * min(room, 1)), 12), max_lines=3, placeholder=" …"))


def _window_ends(
    query: EngineQuery, stream: str, at: int, variant: VariantReport, setting: Setting
) -> list[tuple[float, float]]:
    """Return the interval of each time-based window of a query on a stream at the time `at`."""
    result = []
    for source in sources(query):
        window = window_operator(source.window, source.stream, setting.unit, setting.bounds)
        own = not isinstance(source.stream, Iri) or str(source.stream) == stream
        if own and isinstance(window, IntervalWindow):
            ends = window.bounds(at, variant.trace.timeline)
            result += [(ends.first - 0.3, ends.last + 0.3)] if ends else []
    return result
