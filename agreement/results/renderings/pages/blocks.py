"""Parts of an HTML report that work without a script: small timelines, and the output of a command.

A timeline has rows of marks over time (lanes), and one shaded period. The output of a command consists of
paragraphs, trees of lines, and tables.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, groupby
from typing import Final

from rich.console import RenderableType
from rich.table import Table

from agreement.comparing.agree.narrowing import evenly
from agreement.documents.outputs import Json, clip_text, quantity, short, shorten
from agreement.documents.text_tables import in_markdown, markdown_lines
from agreement.results.renderings.pages.page import Page, render

_TICKS: Final = 5
_MOST_MARKS: Final = 1_000
"""The maximum number of marks in one row (lane) of a timeline."""


Lane = tuple[str, Sequence[tuple[float, str, str]]]
"""A row of a timeline: its name, and its marks with time, kind (a CSS class) and text."""


def stream_lanes(arrivals: Iterable[tuple[float, str, Iterable[str | None]]], kind: str) -> list[Lane]:
    """Return a row of a timeline for each stream, with a mark of the given kind for each triple."""
    lanes: dict[str, list[tuple[float, str, str]]] = {}
    for t, stream, triple in arrivals:
        lanes.setdefault(stream, []).append((t, kind, " ".join(map(short, triple))))
    return list(zip(short_names(lanes), lanes.values(), strict=True))


def short_names(names: Iterable[str]) -> list[str]:
    """Return names with short IRIs; if two names would have the same short form, both remain in full.

    >>> short_names(["<http://a/door>", "<http://b/door>", "<http://b/room>", "p/2"])
    ['<http://a/door>', '<http://b/door>', 'room', 'p/2']
    """
    texts = {name: shorten(name) for name in names}
    found = Counter(texts.values())
    return [text if found[text] == 1 else name for name, text in texts.items()]


def lanes_json(
    title: str,
    lanes: Sequence[Lane],
    ends: tuple[float, float],
    text: Callable[[float], str] = str,
    period: tuple[float, float] | None = None,
) -> Json:
    """Return the data of a timeline for the template; positions are percentages between both ends.

    Args:
        title: The title of the timeline.
        lanes: The rows of marks.
        ends: The times of the left and the right end.
        text: A function that returns the text of a time.
        period: The shaded period, if any.
    """
    first, last = ends
    begin, end = period or ends
    span = max(last - first, 1)

    def place(t: float) -> float:
        return round((t - first) / span * 100, 2)

    return {
        "title": title,
        "said": [],
        "lanes": [
            {
                "name": name,
                "marks": [
                    {"x": place(t), "kind": kind, "said": f"{text(t)}: {sentence}"}
                    for t, kind, sentence in evenly(list(marks), _MOST_MARKS)
                ],
            }
            for name, marks in lanes
        ],
        "band": None if period is None else {"x": place(begin), "width": place(end) - place(begin)},
        "ticks": [{"x": place(t), "label": text(t)} for t in _ticks(first, last)],
    }


def _ticks(first: float, last: float) -> Iterable[float]:
    if last <= first:
        return [first]
    step = max(1, -(-int(last - first) // _TICKS))
    return [first + number * step for number in range(_TICKS + 1) if first + number * step <= last]


MOST_RANGES: Final = 8
"""The maximum number of ranges of numbers in a sentence."""
_ROWS_SHOWN: Final = 40
"""The maximum number of rows that a notebook shows."""


def blocks(parts: Iterable[RenderableType]) -> list[Json]:
    """Return a command's output as blocks: tables, paragraphs of lines, items (indented lines), and trees.

    >>> blocks(["they differ", "  in a row"])
    [{'kind': 'said', 'lines': ['they differ']}, {'kind': 'items', 'lines': ['in a row']}]
    """
    blocks_json: list[Json] = []
    for is_table, group in groupby(parts, lambda part: isinstance(part, Table)):
        if is_table:
            blocks_json += (_table(part) for part in group if isinstance(part, Table))
        else:
            blocks_json += _lines([line for part in group for line in str(part).split("\n")])
    return blocks_json


_LETTERS: Final = 200_000
_FEWEST: Final = 20
"""The number of first rows of each table and tree that a page always contains."""
_LONG_CELL: Final = 2_000


def page_blocks(parts: Iterable[RenderableType]) -> list[Json]:
    """Return the output of a command as parts of an HTML report, with the first rows of long parts."""
    room, blocks_json = _LETTERS, []
    for block in blocks(parts):
        name = "rows" if "rows" in block else "lines"
        kept: list[object] = []
        for row in block[name]:
            cut = (
                clip_text(row, _LONG_CELL)
                if isinstance(row, str)
                else [clip_text(cell, _LONG_CELL) for cell in row]
            )
            room -= sum(map(len, cut))
            if room < 0 and len(kept) >= _FEWEST:
                break
            kept.append(cut)
        blocks_json.append({**block, name: kept, "left": len(block[name]) - len(kept)})
    return blocks_json


def notebook_html(parts: Iterable[RenderableType]) -> str:
    """Return the output of a command as HTML for a notebook, with the first rows of long tables and trees.

    >>> notebook_html(["they <differ>"])
    '<div class="lars"><p>they &lt;differ&gt;</p></div>'
    """
    return render("notebook", blocks=[_first(block) for block in blocks(parts)])


def markdown(parts: Iterable[RenderableType]) -> str:
    r"""Return the output of a command as Markdown, with the first rows of long tables and trees.

    >>> print(markdown(["they *differ*"]))
    they \*differ\*
    """
    return "\n\n".join("\n".join(_in_markdown(_first(block))) for block in blocks(parts))


def _in_markdown(block: Json) -> Iterator[str]:
    match block.get("kind"):
        case None:
            if block["title"]:
                yield from (f"**{in_markdown(block['title'])}**", "")
            yield from markdown_lines(block["columns"], block["right"], block["rows"])
        case "tree":
            yield from ("```", *block["lines"], "```")
        case "items":
            yield from (f"- {in_markdown(line)}" for line in block["lines"])
        case _:
            yield "\n\n".join(map(in_markdown, block["lines"]))
    if block["left"]:
        yield f"\n… {block['left']} more"


def _first(block: Json) -> Json:
    name = "rows" if "rows" in block else "lines"
    return {**block, name: block[name][:_ROWS_SHOWN], "left": max(0, len(block[name]) - _ROWS_SHOWN)}


def _lines(lines: list[str]) -> Iterator[Json]:
    for kind, group in groupby(filter(None, lines), _kind):
        yield {"kind": kind, "lines": [line if kind == "tree" else line.strip() for line in group]}


def _kind(line: str) -> str:
    return "tree" if line.lstrip()[:1] in tuple("│└├╰") else "items" if line[0] == " " else "said"


def _table(table: Table) -> Json:
    columns = table.columns
    rows = zip(*(map(str, column.cells) for column in columns), strict=True)
    return {
        "title": None if table.title is None else str(table.title),
        "columns": [str(column.header) for column in columns],
        "right": [column.justify == "right" for column in columns],
        "rows": [list(row) for row in rows],
    }


_MOST_LETTERS: Final = 250_000
"""The maximum number of characters in all tables and trees of a page."""


def first_lines(lines: Sequence[str]) -> list[str]:
    """Return the first lines of a text, and a line with the number of omitted lines."""
    ends = accumulate(map(len, lines))
    kept = [line for line, end in zip(lines, ends, strict=True) if end <= _MOST_LETTERS]
    left = len(lines) - len(kept)
    return [*kept, f"… and {quantity(left, 'more line')}: the command prints all"] if left else kept


def text_page(head: Page, document: Mapping[str, object], parts: Iterable[RenderableType]) -> Page:
    """Return the content of an HTML report with a JSON document and the output of a command.

    `head` contains the title, question and verdict of the report.
    """
    page: Json = {
        "heading": head.heading,
        "blocks": page_blocks(parts),
        "proof": False,
        "lines": [],
        "timelines": [],
        "why": "",
        "rules": [],
        "dates": None,
    }
    return replace(head, document=document, page=page)
