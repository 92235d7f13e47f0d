"""A page: one HTML file with its style, its script and its data, which works from disk without a network."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup, escape

from agreement.documents.outputs import Json, clip_text, document_lines, json_text
from agreement.results.renderings.pages.legends import legend_of
from lars.errors import LarsError, printable
from lars.files import replacement_path

_SUFFIXES: Final = (".html", ".htm")
_HIDDEN: Final = re.compile(r"[<>&\u2028\u2029]")
"""What could end a script or begin another in HTML; in JSON each may stand as an escape."""

_LONG: Final = 1_000
_STRING: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"')
_MAYBE_LONG: Final = re.compile(rf'(?:[^"]|\\"){{{_LONG}}}')
"""Strings of JSON, and what tells of a line without any long one that it has none."""


@dataclass(frozen=True, slots=True)
class PageHead:
    """What stands above the sections of a page: the question, the verdict in a sentence, what is noted.

    A verdict is good (True), bad, or none; `heading` is what the first section is called, if it is text.
    """

    title: str
    question: str
    verdict: bool | None
    answer: str
    notes: Sequence[str] = ()
    heading: str = "What was found"


@dataclass(frozen=True, slots=True)
class Page:
    """What a page says: its head, and its sections.

    `document` is what --json prints; `page` is what only the page shows, for its script.
    `provenance` says how the page was made, by names, `queries` the queries as their author wrote them.
    """

    head: PageHead
    template: str
    document: Mapping[str, object]
    page: Json
    provenance: Sequence[tuple[str, str]] = ()
    queries: Sequence[tuple[str, str]] = ()


LEFT_OUT: Final = object()
"""Stands in a document in the place of what is too long for a page."""
MOST_LETTERS: Final = 750_000
"""So long are the data of a page; its style, script and tables come beside them."""
_SHORT: Final = 5_000
LATEST_DRAWN: Final = 2**53
"""Numbers of JavaScript are exact below it."""


def check_page(path: Path) -> None:
    """Raise LarsError for a name that no page can have."""
    if path.suffix not in _SUFFIXES:
        raise LarsError(f"--report {path}: accepted: the name of a file that ends with .html")
    if not path.parent.is_dir():
        raise LarsError(
            f"--report {path}: its folder {path.parent} is not there; accepted: a file in a folder"
        )


def write_page(path: Path, page: Page) -> None:
    """Write a page, whole or not at all."""
    check_page(path)
    with replacement_path(path) as new:
        new.write_text(html(page), encoding="utf-8")


def html(page: Page) -> str:
    """Return the text of a page. LarsError: it shows times that a browser's numbers do not tell apart."""
    _, last = page.page.get("timeline", (0, 0))
    if last >= LATEST_DRAWN:
        accepted = f"accepted: pages of times below {LATEST_DRAWN}"
        raise LarsError(f"--report: the timeline ends at {last}; {accepted}")
    own = "\n".join(map(_clipped, document_lines({"page": page.page})))
    document, left = _bounded(page.document, max(MOST_LETTERS - len(own), 0))
    data = in_script(f"{document[:-1]}, {own[1:]}" if len(document) > len("{}") else own)
    shown = f"{page.head.question} {page.head.answer} {json_text(page.page)}"
    values = {"page": page, "data": data, "left": left, "legend": legend_of(shown)}
    return render(page.template, **values, style=_part("page.css"), script=_part("page.js"))


def _bounded(document: Mapping[str, object], most: int) -> tuple[str, list[str]]:
    """Return a document as JSON of at most so many letters, or what is short of it, and what is left out.

    What is made as it is written is made no further than there is room.
    """
    left = [key for key, value in document.items() if value is LEFT_OUT]
    document = {key: value for key, value in document.items() if value is not LEFT_OUT}
    short = {key: value for key, value in document.items() if not isinstance(value, Iterator)}
    lines: list[str] = []
    for line in map(_clipped, document_lines(dict(document))):
        lines.append(line)
        most -= len(line)
        if most < 0:
            break
    else:
        return "\n".join(lines).rstrip(), left
    kept = {key: value for key, value in short.items() if len(json_text(value)) <= _SHORT}
    return json_text(kept), [key for key in (*document, *left) if key not in kept]


def _clipped(line: str) -> str:
    """Return a line of JSON in which long strings are their beginnings, with how long they are."""
    if len(line) <= _LONG or _MAYBE_LONG.search(line) is None:
        return line

    def clip(found: re.Match[str]) -> str:
        text = found.group()
        if len(text) <= _LONG:
            return text
        return json.dumps(clip_text(json.loads(text), _LONG), ensure_ascii=False)

    return _STRING.sub(clip, line)


def render(name: str, **values: object) -> str:
    """Return a template with its values, which are text unless the template says otherwise."""
    return _environment().get_template(f"{name}.html.j2").render(**values)


def in_script(text: str) -> str:
    r"""Return JSON that can stand in a script of HTML, whatever its strings say.

    >>> print(in_script('"</script><!--"'))
    "\u003c/script\u003e\u003c!--"
    """
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


@cache
def _environment() -> Environment:
    found = Environment(
        loader=FunctionLoader(_part),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        finalize=_seen,
    )
    found.filters["whole"] = whole
    return found


_WHOLE: Final = re.compile(
    r"[(\[][\d:.TZ-]+, [\d:.TZ-]+[)\]]|\d{4}-\d\d-\d\d(?:T[\d:.]+Z?)?|\?\w+|\b[a-z]+-\d[\w.-]*\w"
)
"""Intervals, dates, variables, names with versions: no line ends inside them."""


def whole(text: object) -> Markup:
    """Return a text for HTML in which no line ends inside a date, an interval, a variable.

    >>> whole("in (3, 5] ?a < 2")
    Markup('in <span class="whole">(3, 5]</span> <span class="whole">?a</span> &lt; 2')
    """
    shown = printable(str(text))
    parts, end = [], 0
    for found in _WHOLE.finditer(shown):
        parts += [
            escape(shown[end : found.start()]),
            Markup('<span class="whole">{}</span>').format(found[0]),
        ]
        end = found.end()
    return Markup("").join([*parts, escape(shown[end:])])


def _seen(value: object) -> object:
    """Return what stands in a template, fit to be seen; what it marks as safe is that already."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _part(name: str) -> str:
    return files("agreement.results.renderings.pages").joinpath("parts", name).read_text(encoding="utf-8")
