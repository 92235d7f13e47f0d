"""What a query language adds to SPARQL: its syntax, its words and its meanings, as one value."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import field
from typing import Final, Literal, get_args

from lars.dataclass import dataclass
from lars.durations import NANOSECONDS, Duration
from lars.language.stream import ToStream
from lars.language.windows import Bounds

EmptyGroup = Literal["values", "unbound average", "no row"]
"""The result of aggregates over an empty multiset (SEMANTICS T13).

SPARQL 1.1 returns `values`, SPARQLstream returns an `unbound average`, and CQELS returns `no row`.
"""

Terminal = tuple[re.Pattern[str], str]
"""A token that only some contexts of a grammar allow: the token's pattern, and its name in messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    r"""The syntax of a query language beyond SPARQL, and the meanings that its documents define.

    The following fields describe the syntax of texts to read, in addition to the grammar in a .lark file.

    - `windows` is a text for messages that names the windows of the language.
    - `folder` is the folder of the grammar in `translate/dialects`.
    - `terminals` are the tokens of the language that SPARQL does not have.
    - `example` is an example of a window, and `place` is the place of windows in a query.
    - `clauses` are the names of the language's streaming clauses in messages.
    - `refused` maps a rejected keyword to the name of its construct and to the supported alternative.
    - `foreign` contains keywords of other languages, which are rejected at any place in a query.
    - `sign` is a pattern that matches syntax of only this language, or None. A text that no `sign` matches is
      in a language whose `sign` is None.
    - `lengths` maps the units of durations, in lower case, to their lengths in nanoseconds.
    - If `dashes` is true, -- begins a comment.
    - `suffix` is the name ending of files with a query in this language, if the language has its own ending.

    The following fields describe the syntax of texts to write.

    - `units` are the units of durations, the longest unit first. A unit is the text after a number, or a
      text with {} in place of the number.
    - `templates` contains the texts of windows by kind: `range`, `closed`, `low-open`, `rows`, `now`,
      `unbounded`, and `span` for windows between two times. A part in (..) of a template is omitted if the
      window does not have its value. \( means a bracket in the text. A language cannot express a kind of
      windows without a template.
    - `block` is the text before the { of a block that reads a stream; "" if the language has no blocks.
    - `merged` are the words before a stream whose window enters the default graph; "" if the language has no
      such windows.
    - `declares` is the text that declares a window, if `block` does not contain {window}. The field `label`
      is the text of a window's name, with {} in place of the name.
    - `named` contains another `declares` and another `block`, for queries in which a stream has several
      windows, or in which no pattern reads the only window.
    - `header` has the texts that register a query, and `footer` is a text after the query. The parts of these
      texts are the {name} of the query, its name as an {iri} or a {word}, the {kind} (QUERY or STREAM), the
      period {every} and the {operator}. A part in (..) is omitted if the query does not have its value. A
      header or footer is written only if the query has one of the parts in its text. In the query's own
      language, the header is the first text that contains all parts of the query; in another language, the
      header is the first text.
    - If `header_first` is true, the header is before PREFIX. If `header_always` is true, queries of other
      languages get a header, too.
    - `operators` are the words for relation-to-stream operators, such as RSTREAM. If neither header nor
      footer contains the operator, the operator is `before` or `behind` the first word of each form in
      `operators_of`, or behind the `pattern` of WHERE. In queries of other languages, only operators in
      `reports` are written.
    - `forms` are the forms of queries, such as SELECT.

    The following fields describe the meanings of the language.

    - If `merges` is true, the content of windows enters the default graph. If `merges` is false, each block
      reads its window, by name if `names_windows` is true.
    - `pushed` determines whether each input triggers a query: `always`, `never`, if `any` window has no
      slide, or if `all` windows have no slide.
    - `ends` are the ends that windows contain; None means that engines of the language differ. A window
      without a slide has the ends `ends_alone`.
    - If `tumbles` is true, a window without a slide is a tumbling window.
    - If `grid` is true, windows open at multiples of the slide.
    - If `has_static` is false, engines of the language read no static data.
    - If `raw_aggregates` is true, documents give an aggregate without GROUP BY one row for each solution.
    - If `declares_all` is true, a WINDOW without a declaration is an error. If `declares_all` is false, a
      WINDOW without a declaration is empty.
    - `opens` is the time at which the first window opens, if windows are evaluated only when they close.
    - `bare` is the unit of an integer that has no unit in the query.
    - `texts` is None if the names of streams are IRIs. If the names of streams are words, each word means the
      IRI that consists of `texts` and the word.
    - `leaves_open` are the names of the readings that the documents of the language leave open.
    - If a reading sets `anchored`, a window that looks ahead has one position for each element.
    - If a reading sets `causal`, a window of a log excludes times after the evaluation time.
    - `grain` is the content of a window [NOW]; a reading can change it.
    - If a reading sets `elements`, a tuple window counts elements and not triples.
    - `offset` is the meaning of OFFSET o with RANGE r at a time t; a reading can change it. `each` means
      [t−o, t−o+r] at each t. `step` means [t−o, t−o+r] only at multiples t of STEP. `end` means [t−o−r, t−o).
    """

    title: str
    windows: str
    folder: str = ""
    terminals: Mapping[str, Terminal]
    example: str
    place: str
    clauses: frozenset[str] = frozenset()
    refused: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    foreign: frozenset[str] = frozenset()
    sign: re.Pattern[str] | None = None
    lengths: Mapping[str, int] = field(default_factory=lambda: NANOSECONDS)
    dashes: bool = False
    suffix: str | None = None
    units: Mapping[str, str]
    templates: Mapping[str, tuple[str, ...]]
    block: str = "STREAM {stream} {window}"
    merged: str = ""
    declares: str = "FROM NAMED WINDOW {label} ON {source}{stream} {window}"
    named: tuple[str, str] | None = None
    label: str = "<{}>"
    operators: Mapping[ToStream, str] = field(
        default_factory=lambda: {operator: operator for operator in get_args(ToStream)}
    )
    header: tuple[str, ...] = ()
    footer: str = ""
    header_first: bool = False
    header_always: bool = False
    operators_at: Literal["nowhere", "before", "behind", "pattern"] = "nowhere"
    operators_of: tuple[str, ...] = ("SELECT",)
    reports: tuple[ToStream, ...] = get_args(ToStream)
    forms: tuple[str, ...] = ("SELECT", "ASK", "CONSTRUCT", "DESCRIBE")
    merges: bool = False
    names_windows: bool = False
    pushed: Literal["always", "never", "any", "all"] = "never"
    ends: Bounds | None = None
    ends_alone: Bounds | None = None
    bare: Duration | None = None
    tumbles: bool = False
    opens: Duration | None = None
    declares_all: bool = False
    has_static: bool = True
    raw_aggregates: bool = False
    grid: bool = False
    texts: str | None = None
    empty_group: EmptyGroup = "values"
    leaves_open: tuple[str, ...] = ("range-alone",)
    anchored: bool = False
    causal: bool = False
    grain: Literal["time-point", "message", "triple"] = "time-point"
    elements: bool = False
    offset: Literal["each", "step", "end"] = "each"

    @property
    def declares_windows(self) -> bool:
        """Whether the language declares windows outside of the blocks that read them."""
        return bool(self.block) and "{window}" not in self.block

    @property
    def first_words(self) -> frozenset[str]:
        """The words with which a query of the language can begin, other than a form such as SELECT."""
        before = self.operators.values() if self.operators_at == "before" else ()
        headers = (text for header in self.header for text in (header, with_options(header, ())))
        said = (text.replace("{operator}", word) for text in headers for word in self.operators.values())
        return frozenset(match[0].upper() for text in (*before, *said) if (match := _WORD.search(text)))

    @property
    def words_before_names(self) -> Mapping[str, int]:
        """Maps each word before the name of a query or window to the number of tokens up to the name."""
        headers = (_NAMED.findall(text) for text in (*self.header, self.footer))
        labels = (_LABELLED.findall(text) for text in (self.declares, self.block))
        distances = {word: 1 + bool(other) for words in headers for word, other in words}
        return distances | {word: 1 for words in labels for word in words}


_OPTION: Final = re.compile(r"\\[()]|\(((?:[^()\\]|\\.)*)\)")
_WORD: Final = re.compile(r"\w+")
_NAMED: Final = re.compile(r"(\w+)( \{(?:operator|kind)\})? \{(?:name|iri|word)\}")
_LABELLED: Final = re.compile(r"(\w+) \{label\}")

_FIELD: Final = re.compile(r"\{(\w+)\}")
_COVERED: Final[Mapping[str, Collection[str]]] = {"rest": ("length", "until"), "every": ()}
"""The parts of a window that another part of its text contains; {every} is the period of the query."""


def with_options(template: str, parts: Collection[str]) -> str:
    """Return a template for windows without the parts in (..) whose values are not in `parts`.

    >>> with_options("[RANGE {length}( STEP {slide})]", {"length"})
    '[RANGE {length}]'
    """

    def chosen(match: re.Match[str]) -> str:
        if match[1] is None:  # \( is a bracket of the text.
            return match[0]
        return match[1] if fields_of(match[1]) <= {*parts} else ""

    return _OPTION.sub(chosen, template)


def can_say(template: str, parts: Collection[str]) -> bool:
    """Return whether a template can express a window that has exactly the given parts.

    >>> [can_say("[RANGE {length} STEP {slide}]", parts) for parts in (("length",), ("length", "slide"))]
    [False, True]
    """
    named = {*_FIELD.findall(with_options(template, parts))}
    return {*parts} <= named.union(*(_COVERED.get(name, ()) for name in named)) and named <= {
        *parts,
        *_COVERED,
    }


def fields_of(template: str) -> frozenset[str]:
    """Return the names of the parts in a template.

    >>> sorted(fields_of("REGISTER {kind} {name}( EVERY {every}) AS"))
    ['every', 'kind', 'name']
    """
    return frozenset(_FIELD.findall(template))


def fill(template: str, text: Callable[[str], str]) -> str:
    r"""Return a template with the text of each part, and with brackets in place of \( and \).

    >>> fill(r"STREAM {stream} \({window}\)", str.upper)
    'STREAM STREAM (WINDOW)'
    """
    return _FIELD.sub(lambda match: text(match[1]), re.sub(r"\\([()])", r"\1", template))


def terminal(pattern: str, title: str) -> Terminal:
    """Return the declaration of a token of the grammar whose upper and lower case do not matter."""
    return re.compile(pattern, re.IGNORECASE | re.ASCII), title


def unit_of_time(units: Iterable[str], title: str) -> Terminal:
    """Return the declaration of a token of the grammar for the given units of time."""
    longest = "|".join(sorted(units, key=len, reverse=True))
    return terminal(rf"(?:{longest})(?![A-Za-z_])", f"a unit of time: {title}")


def rejections(words: Iterable[str], construct: str, covered: str) -> dict[str, tuple[str, str]]:
    """Map each rejected keyword to the name of its construct and to the supported alternative.

    >>> rejections(("RULE",), "{} of Kolibrie", "queries")
    {'RULE': ('RULE of Kolibrie', 'queries')}
    """
    return {word: (construct.format(word), covered) for word in words}


def sign(pattern: str) -> re.Pattern[str]:
    """Return the compiled pattern for syntax that only one language has."""
    return re.compile(pattern, re.IGNORECASE | re.ASCII)


SIZE: Final = terminal(r"[0-9]{1,18}(?![0-9.])", "an integer of at most 18 digits")
UNIT: Final = unit_of_time(NANOSECONDS, ", ".join(NANOSECONDS))
NAME: Final = terminal(
    r"(?!(?:AS|COMPUTED|EVERY)(?![\w.:/?-]))(?:<[^<>\s]*>|[\w.:/?-]+)", "the name of the query"
)
DASH: Final = terminal("-", "-")
WINDOW_TERMINALS: Final[Mapping[str, Terminal]] = {
    "size": SIZE,
    "unit": UNIT,
    "name": NAME,
    "dash": DASH,
    "iso": terminal(r"P[\w.]*", "a duration as in PT10S"),
    "waiting": terminal(
        r"steal|wait|\(\s*timeout\s*=\s*\w+\s*,\s*fallback\s*=\s*(?:steal|drop)\s*\)",
        "steal, wait or (timeout=.., fallback=..)",
    ),
}
"""The tokens of languages whose windows have names."""
OPERATORS: Final[frozenset[str]] = frozenset(get_args(ToStream))
REGISTER: Final = "REGISTER {operator} {iri} AS"
"""The header of RSP4J."""
WINDOW_CLAUSES: Final = frozenset(
    ("REGISTER", "FROM WINDOW", "a WINDOW block", *OPERATORS, *map("REGISTER {}".format, OPERATORS))
)
"""The clauses of languages whose windows have names."""
UNDER: Final = {"UNDER": ("UNDER ENTAILMENT REGIME", "REGISTER STREAM <iri> AS")}
DAYS: Final = "durations of days, hours, minutes and seconds: a month or a year has no fixed length"
LETTERS: Final = {"d": "d", "h": "h", "m": "m", "s": "s", "ms": "ms"}
ISO: Final = {"d": "P{}D", "h": "PT{}H", "m": "PT{}M", "s": "PT{}S"}
