"""An HTML report: one file with style, script and data, which works from disk without a network.

The report explains its symbols, terms and theorems. The provenance of the report contains the command, the
version of the program, the date, and the files with their hashes.
"""

import json
import os
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, fields, is_dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from markupsafe import Markup, escape

from agreement.documents.outputs import Json, clip_text, document_lines, json_text
from agreement.documents.requests import EXPERIMENT_FILE, QUERY_SUFFIXES
from lars.dataclass import dataclass
from lars.errors import LarsError, printable
from lars.files import exists, replacement_path, text_in
from lars.version import program_version

if TYPE_CHECKING:
    from jinja2 import Environment

_LEGEND: Final[dict[str, tuple[str, str]]] = {
    "U": (r"\bU (=|across)|, U\b", "the pull period in time points: pull evaluates at multiples of U"),
    "push": (
        r"(?s)\bpush\b.*\bpull\b|\bpull\b.*\bpush\b",
        (
            "evaluation when input arrives (CQELS); the answer of a period is the union of all "
            "answers in the period"
        ),
    ),
    "a push": (
        r"(?s)\A(?!.*\bpull\b).*\bpush(es)?\b",
        "a triple that the engine receives; pushes are numbered from 0",
    ),
    "element": (
        r"\bfirst at element\b",
        "a triple that the engines receive; elements are numbered from 0",
    ),
    "pull": (
        r"\bpull\b",
        "evaluation every U time points (C-SPARQL); the answer of a period is the answer at its end",
    ),
    "τ1": ("τ1", "the translation of C-SPARQL: all windows and the static data form one graph"),
    "τ2": ("τ2", "the translation of CQELS: each stream pattern is matched in its own window"),
    "⊞": (
        "⊞",
        "a window: ⊞^n has width n, ⊞^{l,0,d} has width l and slide d, ⊞^{#n} contains the newest n triples",
    ),
    "◇": ("◇", "at some time point of the window"),
    "□": ("□", "at every time point of the window; a window never begins before the timeline"),
    "@": ("@_", "at the time point after @"),
    "←": ("←", "if: the atom on the left holds if all literals on the right hold"),
    "ans1, ans2, ..": (
        r"\bans\d",
        "the rows of a part of the query; ans1 contains the answer, ansN has the parts ans2N and ans2N+1",
    ),
    "triple, striple": (
        r"\bs?triple\(",
        "triple: a triple of a graph; striple: a triple of the stream in the last argument",
    ),
    "trigger": (
        r"\btrigger\b",
        "an atom that holds when the query is evaluated: when input arrives (push), at multiples of U (pull)",
    ),
    "t0": (r"\bt0\b", "the time point at which the first window opens; in RSP-QL, the engine chooses t0"),
    "precision, recall": (
        r"\brecall\b",
        "precision: share of the reported rows that are expected; recall: share of expected rows reported",
    ),
    "brave, cautious": (
        r"\b(brave|cautious)\b",
        "brave: a pattern matches only its stream; cautious: it matches its stream or the static data",
    ),
    "disjunct": (r"\bdisjunct", "one of the UNION-free queries whose union is the query"),
    "monotone": (r"\bmonotone\b", "a query for which more input never removes a row"),
    "stream-guarded": (r"\bstream-guarded\b", "a query in which each solution needs a match in a stream"),
    "RSTREAM, ISTREAM, DSTREAM": (
        r"\b[RID]STREAM\b",
        "operators that report all rows, the new rows, or the removed rows of an evaluation",
    ),
    "A4": (
        r"\bA4\b",
        (
            "Assume windows [t − L, t], that any input makes push evaluate, and a satisfiable, "
            "monotone, stream-guarded query. Let all triples of a match arrive at one time. If the "
            "row still holds at a later pull, push is silent in that period, and only pull reports "
            "the row. Otherwise, an unrelated triple makes push report the row again before a pull "
            "that no longer has the row. So push and pull differ on some stream for each U ≥ 2. For U "
            "= 1, they agree on every stream if each disjunct has a NOW window, because a NOW window "
            "without input is empty; otherwise they differ on some stream."
        ),
    ),
    "A5": (
        r"\bA5\b",
        (
            "Assume that only matches make push evaluate, that push reports only new rows, and that each "
            "disjunct has one stream pattern. Push and pull agree on all streams exactly if the window is "
            "(t − U, t], because exactly one pull then sees each match."
        ),
    ),
    "A6": (
        r"\bA6\b",
        (
            "A source is a stream with its window, or the static data. If each pattern can match triples of "
            "only one source, the C-SPARQL query and all derived CQELS queries have the same rows at every "
            "time."
        ),
    ),
    "A7": (
        r"\bA7\b",
        (
            "Assume a monotone query with time windows. A smallest stream with a difference has at most one "
            "triple more than a disjunct has stream patterns. All its triples arrive within the longest "
            "window and one period. So the search is complete."
        ),
    ),
}
"""The symbols and terms of reports by name, each with the pattern that finds it, and its meaning."""


def legend_of(text: str) -> list[tuple[str, str]]:
    """Return the symbols and terms that a text contains, each with its meaning.

    >>> [name for name, _ in legend_of("pull, τ1, U = 5: ans1(?a) ← ⊞^3 ◇ striple(?a, p, b, s).")]
    ['U', 'pull', 'τ1', '⊞', '◇', '←', 'ans1, ans2, ..', 'triple, striple']
    """
    return [(name, meaning) for name, (known, meaning) in _LEGEND.items() if re.search(known, text)]


_LONGEST_PATH: Final = 1_000
_LONGEST_QUERY: Final = 20_000
_LETTERS_OF_QUERIES: Final = 100_000
"""The maximum number of characters of one query, and of all queries, on a page."""
_MOST_FILES: Final = 100
"""The maximum number of files that the provenance lists."""
_LARGEST_HASHED: Final = 2**28
"""The size of files in bytes above which the provenance contains only the size, and no hash."""


def date_made() -> datetime:
    """Return the time in the variable SOURCE_DATE_EPOCH, or else the current time.

    If SOURCE_DATE_EPOCH is set, a repeated command writes exactly the same file.
    """
    # An invalid value is no reason to lose results of hours.
    with suppress(OSError, OverflowError, ValueError):
        return datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "")), UTC)
    return datetime.now(UTC)


def provenance(command: Sequence[str], files: Iterable[Path]) -> list[tuple[str, str]]:
    """Return the origin of a report: command, version, date and files, each with its name."""
    every = list(dict.fromkeys(files))
    lines = [
        *([("command", shlex.join(command))] if command else []),
        ("version", f"lars {program_version()}"),
        ("date", f"{date_made():%Y-%m-%dT%H:%M:%SZ}"),
    ]
    lines += [("file", _file_text(path)) for path in every[:_MOST_FILES]]
    return [*lines, ("files", f"{len(every) - _MOST_FILES} more")] if len(every) > _MOST_FILES else lines


def files_of(request: object) -> list[Path]:
    """Return the files that a request names, including the files of its experiments."""
    files: dict[Path, None] = {}
    for path in _paths(request):
        toml = path / EXPERIMENT_FILE if exists(path, folder=True) else path
        if not exists(toml, folder=False):
            continue
        files[toml] = None
        if toml.suffix == ".toml":
            files |= dict.fromkeys(_named_in(toml))
    return list(files)


def _paths(value: object) -> Iterator[Path]:
    match value:
        case Path():
            yield value
        case str() if value and len(value) < _LONGEST_PATH and value.isprintable() and exists(Path(value)):
            yield Path(value)
        case tuple() | list():
            for field in value:
                yield from _paths(field)
        case Mapping():
            yield from _paths([*value.keys(), *value.values()])
        case _ if is_dataclass(value) and not isinstance(value, type):
            for field in fields(value):
                yield from _paths(getattr(value, field.name))


def _named_in(toml: Path) -> Iterator[Path]:
    """Yield the files to which an experiment refers, also in the forms IRI=FILE and cqels:FILE."""
    import tomllib

    try:
        waiting: list[object] = [tomllib.loads(toml.read_text(encoding="utf-8"))]
    except (OSError, ValueError):
        return
    while waiting:
        match waiting.pop(0):
            case dict() as table:
                waiting += table.values()
            case list() as several:
                waiting += several
            case str() as text if text and len(text) < _LONGEST_PATH and "\0" not in text:
                names = dict.fromkeys((text, text.rpartition("=")[2], text.partition(":")[2]))
                paths = (toml.parent / name for name in names if name)
                yield from (path for path in paths if exists(path, folder=False))


def query_texts(files: Iterable[Path]) -> list[tuple[str, str]]:
    """Return the file name and the unchanged text of each query among the files.

    If two files have the same name, the name of the folder is put before the file name.
    """
    queries = [path for path in files if path.suffix in QUERY_SUFFIXES]
    alike = Counter(path.name for path in queries)
    texts, room, left = list[tuple[str, str]](), _LETTERS_OF_QUERIES, 0
    for path in queries:
        text = clip_text(text_in(path, "a query"), _LONGEST_QUERY)
        room -= len(text)
        if room < 0 or len(texts) == _MOST_FILES:
            left += 1
        else:
            texts.append((f"{path.parent.name}/{path.name}" if alike[path.name] > 1 else path.name, text))
    return [*texts, (f"{left} more", "See below: How this report was made.")] if left else texts


def _file_text(path: Path) -> str:
    # A pipe is read once, and not here.
    if not exists(path, folder=False):
        return str(path)
    size = path.stat().st_size
    if size > _LARGEST_HASHED:
        return f"{path}: {size:,} bytes"
    import hashlib

    with path.open("rb") as opened:
        return f"{path}: {size:,} bytes, SHA-256 {hashlib.file_digest(opened, 'sha256').hexdigest()}"


_SUFFIXES: Final = (".html", ".htm")
_HIDDEN: Final = re.compile(r"[<>&\u2028\u2029]")
"""The characters that could end or begin a script in HTML; JSON can contain them as escapes."""

_LONGEST_STRING: Final = 1_000
_STRING: Final = re.compile(r'"[^"\\]*+(?>(?:\\.[^"\\]*+)*)"')
_LONG_STRING: Final = re.compile(rf'(?:[^"]|\\"){{{_LONGEST_STRING}}}')
"""The pattern of long strings in a line of JSON, and a fast test that a line has no long string."""


@dataclass(frozen=True, slots=True)
class Page:
    """The content of an HTML report.

    - `question` is the question that the report answers, and `answer` is the answer in a sentence.
    - `verdict` is positive (True), negative (False), or None.
    - `notes` are warnings and notes.
    - `heading` is the title of the first section, if the first section is text.
    - `template` is the name of the template.
    - `document` is the JSON document that the option --json prints.
    - `page` contains further data for the script of the report.
    - `provenance` contains the command, version, date and files, by name.
    - `queries` are the unchanged texts of the queries, by file name.
    """

    title: str
    question: str
    verdict: bool | None
    answer: str
    notes: Sequence[str] = ()
    heading: str = "Result"
    template: str = "text"
    document: Mapping[str, object] = field(default_factory=dict)
    page: Json = field(default_factory=dict)
    provenance: Sequence[tuple[str, str]] = ()
    queries: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True)
class InlinePage:
    """An HTML report in a frame of a notebook; the report's script has no access outside the frame."""

    text: str = field(repr=False)
    height: int

    def _repr_html_(self) -> str:
        size = f'width="100%" height="{self.height}" style="border: 0"'
        return (
            f'<iframe sandbox="allow-scripts allow-downloads" {size} srcdoc="{escape(self.text)}"></iframe>'
        )


LEFT_OUT: Final = object()
"""The value in a document that replaces data that are too long for a page."""
MOST_LETTERS: Final = 750_000
"""The maximum number of characters of a page's data, without style, script and tables."""
_SHORT_PART: Final = 5_000
LATEST_DRAWN: Final = 2**53
"""The limit below which all integers are exact numbers of JavaScript."""


def check_page(path: Path) -> None:
    """Raise LarsError for a path that is invalid for an HTML report."""
    if path.suffix not in _SUFFIXES:
        raise LarsError(f"--report {path}: expected the name of a file that ends with .html")
    if not exists(path.parent, folder=True):
        raise LarsError(f"--report {path}: the folder {path.parent} does not exist; use an existing folder")


def write_page(path: Path, page: Page) -> None:
    """Write an HTML report in one step."""
    check_page(path)
    with replacement_path(path) as new:
        new.write_text(html(page), encoding="utf-8")


def html(page: Page) -> str:
    """Return the HTML text of a report.

    Raises:
        LarsError: A time is beyond the integers of JavaScript.
    """
    _, last = page.page.get("timeline", (0, 0))
    if last >= LATEST_DRAWN:
        accepted = f"expected a timeline that ends before {LATEST_DRAWN}"
        raise LarsError(f"--report: cannot draw a timeline that ends at {last}; {accepted}")
    own = "\n".join(map(_clipped, document_lines({"page": page.page})))
    document, left = _bounded(page.document, max(MOST_LETTERS - len(own), 0))
    data = in_script(f"{document[:-1]}, {own[1:]}" if len(document) > len("{}") else own)
    text = f"{page.question} {page.answer} {json_text(page.page)}"
    values = {"page": page, "data": data, "left": left, "legend": legend_of(text)}
    return render(page.template, **values, style=part("page.css"), script=part("page.js"))


def _bounded(document: Mapping[str, object], most: int) -> tuple[str, list[str]]:
    """Return a document as JSON of at most `most` characters, and the keys that are omitted.

    The function reads an iterator in the document only up to the limit `most`.
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
    kept = {key: value for key, value in short.items() if len(json_text(value)) <= _SHORT_PART}
    return json_text(kept), [key for key in (*document, *left) if key not in kept]


def _clipped(line: str) -> str:
    """Return a line of JSON in which long strings are cut; the length of a cut string is added at its end."""
    if len(line) <= _LONGEST_STRING or _LONG_STRING.search(line) is None:
        return line

    def clip(match: re.Match[str]) -> str:
        text = match.group()
        if len(text) <= _LONGEST_STRING:
            return text
        return json.dumps(clip_text(json.loads(text), _LONGEST_STRING), ensure_ascii=False)

    return _STRING.sub(clip, line)


def render(name: str, **values: object) -> str:
    """Return a rendered template; values are escaped unless the template marks them as safe."""
    return _environment().get_template(f"{name}.html.j2").render(**values)


def in_script(text: str) -> str:
    r"""Return JSON that is safe inside a script element of HTML for all contents of strings.

    >>> print(in_script('"</script><!--"'))
    "\u003c/script\u003e\u003c!--"
    """
    return _HIDDEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


@cache
def _environment() -> "Environment":
    # Takes a while to load, which only pages need.
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(part),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        finalize=_printable,
    )
    environment.filters["whole"] = whole
    return environment


_WHOLE: Final = re.compile(
    r"([(\[][\d:.TZ-]+, [\d:.TZ-]+[)\]]|\d{4}-\d\d-\d\d(?:T[\d:.]+Z?)?|\?\w+|\b[a-z]+-\d[\w.-]*\w)"
)
"""The pattern of texts that lines do not break: intervals, dates, variables, names with versions."""


def whole(text: object) -> Markup:
    """Return a text for HTML that a browser does not break inside a date, an interval or a variable.

    >>> whole("in (3, 5] ?a < 2")
    Markup('in <span class="whole">(3, 5]</span> <span class="whole">?a</span> &lt; 2')
    """
    span = Markup('<span class="whole">{}</span>')
    parts = enumerate(_WHOLE.split(printable(str(text))))
    return Markup("").join(span.format(part) if number % 2 else part for number, part in parts)


def _printable(value: object) -> object:
    """Return a value for a template with escaped control characters; safe markup is unchanged."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def part(name: str) -> str:
    """Return the text of a file that HTML reports are made of: a template, the style or the script."""
    from importlib.resources import files

    return files("agreement.results.renderings.pages").joinpath("parts", name).read_text(encoding="utf-8")
