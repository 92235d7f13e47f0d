"""Write data that a Python program gives (text, table or graph) to files, which are then read as inputs.

The files can also be read on Spark. If the program gives a path, nothing is written.
"""

import re
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime
from itertools import count, takewhile
from json import dumps
from math import inf, isnan
from pathlib import Path
from shlex import join
from typing import Final, Protocol, cast, runtime_checkable

from rdflib import XSD, Dataset, Graph
from rdflib.term import BNode, IdentifiedNode, Node, URIRef
from rdflib.term import Literal as RdfLiteral

from agreement.documents.requests.readers import of_library, text_of
from agreement.documents.values import GIVEN, static_file
from lars.errors import LarsError, PlacedError, about, message_text
from lars.files import exists
from lars.options import Option
from solver.rdf import SHARED_BLANK, NotATerm, text_of_rdflib
from solver.settings import StaticFile
from solver.traces.formats.cells import MAPPED, OTHER_TIMES


class ArrowTable(Protocol):
    """A table, or a stream of tables, with Arrow's export interface: of pyarrow, pandas or polars."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the PyCapsule of an Arrow stream."""


GraphTriple = tuple[Node, Node, Node]
WrittenTriple = tuple[str | Node, str | Node, str | int | float | bool | Node]
"""A triple of texts, each in the form of a cell of a table, such as http://e/ann or "hall"; or numbers."""
Element = tuple[int | datetime, Graph | GraphTriple | WrittenTriple | str] | Mapping[str, object]
"""An element of a stream: its time, and its graph or triple; or, for LARS programs, an atom as text.

Equal blank nodes of rdflib are one node, also in several elements. A dict is a row of a table, or an object
of answers in JSON.
"""
TextSource = str | Path
"""A path or a text, as `is_text` decides."""


@runtime_checkable
class LazyTable(Protocol):
    """A table that is not computed yet, such as a LazyFrame of polars."""

    def collect(self) -> ArrowTable:
        """Compute the table."""

    def collect_schema(self) -> object:
        """Return the columns of the table."""


@runtime_checkable
class Readable(Protocol):
    """An open file or a file-like object, such as BytesIO."""

    def read(self) -> str | bytes:
        """Return the whole content."""


TraceSource = TextSource | Readable | ArrowTable | LazyTable | Iterable[Element]
"""A trace: a file, a text, a table with columns t, stream, s, p, o, or elements."""
StaticSource = TextSource | Readable | Graph
"""Static data: a file, a text, or a graph or dataset of rdflib."""

_TEXT: Final = re.compile(r"[\n{←]")
_QUERY: Final = re.compile(
    r"(?>(?:\s|#[^\n]*\n|version\s*(?:\"[^\"\n]*\"|'[^'\n]*')|@?(?:prefix|base)\b[^<]*<[^>]*>(?:\s*\.)?)*)"
    r"(?:register|select|construct|ask|describe)\b",
    re.IGNORECASE,
)
_RULE: Final = re.compile(
    r"←|:-[\s\[]|\)\s*:-|(?m:^\s*(?:@_\w+\s+)?[a-z]\w*(?:\([^()<>\"\n]*\))?\s*(?:<-|->|<=|=>))"
    # A fact without a time; in a trace, the first line has one.
    r"|\A(?:\s|%[^\n]*\n)*[a-z]\w*(?:\([^()<>\"\n]*\))?\s*\.(?:\s|\Z)"
)
"""A part of a text that only programs contain: an arrow, also one that is wrong in the head of a rule."""
_ACCEPTED: Final = "a path, a text, a table with the columns t, stream, s, p, o, or pairs (t, graph)"
_SUFFIXES: Final = ("", ".rq", ".lars", ".nq", ".nt", ".ndjson", ".trig")
"""The extensions of temporary files, except those of tables, whose names are types."""
_PAIRS: Final = frozenset(("stream", "prefix", "column", "readings"))
"""The options whose values are pairs KEY=VALUE, which are items of a dict in Python."""
_TIMED_LINE: Final = re.compile(r"\s*\d[\d:TZ.+-]*:(\s|\Z)")
_READ_AS_PATH: Final = "lars reads this string as a path; if it is a text, add a line break at its end"
_READ_AS_TEXT: Final = "lars reads this string as a text, because no file has this name"


def is_text(source: str) -> bool:
    """Return whether a string of a Python program is a text, and not a path.

    A string with a line break, { or ← is a text. If no file has the name, a string is also a text if it
    contains `:-`, begins with a time and a colon, or ends with a full stop and contains a space or (.

    >>> [is_text(source) for source in ("door.lars", "a :- b.", "1: enter(ann)", "p(a).", "my file.rq")]
    [False, True, True, True, False]
    """
    if _TEXT.search(source):
        return True
    ends = source.rstrip().endswith(".") and re.search(r"[\s(]", source.strip()) is not None
    return (ends or ":-" in source or _TIMED_LINE.match(source) is not None) and not exists(Path(source))


class SourceFiles:
    """A temporary folder with files for the data of a Python program.

    The folder is deleted when no reference to this object exists.
    """

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._names: dict[str, Iterator[int]] = {}
        self._blanks: dict[BNode, BNode] = {}
        self._readings: dict[str, str] = {}
        """For each path whose string could have been read otherwise, the remark about the reading."""

    def path_of(self, source: TraceSource) -> Path:
        """Return the path of a query, program, experiment or trace; data are written to a new file."""
        source = of_library(source)
        if isinstance(source, str | Path):
            return self._of_text(text_of(source), _file_name)
        if isinstance(source, bytes | Readable):
            content = source if isinstance(source, bytes) else source.read()
            return self._written("trace", "", content)
        if isinstance(source, Graph):
            problem = (
                "a graph without times cannot be a trace; expected pairs (t, graph), or the "
                "graph as static data"
            )
            raise LarsError(f"found {type(source).__name__}: {problem}")
        if isinstance(source, LazyTable):
            return self.path_of(source.collect())
        if hasattr(source, "__arrow_c_stream__"):
            # Loads pyarrow, which no query needs.
            from solver.traces.formats.tables import write_table

            kind = type(source)
            return write_table(source, self._file(f"{kind.__module__.partition('.')[0]}.{kind.__name__}", ""))
        if isinstance(source, Iterable):
            suffix, content = _elements(source, self._shared)
            return self._written("elements", suffix, content)
        raise LarsError(f"found {message_text(source)} ({type(source).__name__}); expected {_ACCEPTED}")

    def static(self, source: StaticSource) -> StaticFile:
        """Return the path of static data; data are written to a new file."""
        match source:
            case Dataset():
                return StaticFile(
                    self._written("static", ".nq", self._relabeled(source, Dataset(), "nquads"))
                )
            case Graph():
                return StaticFile(self._written("static", ".nt", self._relabeled(source, Graph(), "nt")))
            case str() if not is_text(source):
                self._note_reading(source)
                return static_file(str(text_of(source)))
            case str() | Path():
                return StaticFile(self._of_text(text_of(source), lambda _: ("static", "")))
            case Readable():
                return StaticFile(self._written("static", "", source.read()))
            case _:
                found = type(source).__name__
                raise LarsError(f"found {found}; expected a path, a text, a file, or a graph of rdflib")

    def _relabeled(self, source: Graph, copy: Graph, form: str) -> str:
        for graph in source.graphs() if isinstance(source, Dataset) else (source,):
            name = self._shared(graph.identifier)
            own = Graph(copy.store, cast("IdentifiedNode", name)) if isinstance(copy, Dataset) else copy
            own.addN((self._shared(s), self._shared(p), self._shared(o), own) for s, p, o in graph)
        return copy.serialize(format=form)

    def _shared(self, node: Node) -> Node:
        """Return a node of rdflib; a blank node gets the label that it has in all files.

        If several arguments of one API call contain a blank node, the node has the same label in all files of
        the call. Infinity and NaN get the lexical forms of XSD.

        Raises:
            NotATerm: An IRI has a character that no IRI has.
        """
        match node:
            case BNode():
                return self._blanks.setdefault(node, BNode(f"{SHARED_BLANK[2:]}{len(self._blanks)}"))
            case URIRef() if _NOT_IN_IRIS.search(node):
                raise NotATerm.of(f"<{node}>", "it has a character that no IRI has")
            case RdfLiteral(datatype=XSD.double | XSD.float) if str(node) in _NOT_FINITE:
                return RdfLiteral(_NOT_FINITE[str(node)], datatype=node.datatype, normalize=False)
            case _:
                return node

    def _of_text(self, source: TextSource, named: Callable[[str], tuple[str, str]]) -> Path:
        if isinstance(source, Path):
            return source
        if is_text(source):
            path = self._written(*named(source), source)
            if not _TEXT.search(source):
                self._readings[self.plain(str(path))] = _READ_AS_TEXT
            return path
        self._note_reading(source)
        return Path(source)

    def _note_reading(self, path: str) -> None:
        """Keep a remark for errors about a path that is perhaps a text."""
        if re.search(r"[\s(<]", path.strip()) and not exists(Path(path)):
            self._readings[path] = _READ_AS_PATH

    def _written(self, stem: str, suffix: str, content: str | bytes) -> Path:
        path = self._file(stem, suffix)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def _file(self, stem: str, suffix: str) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix=GIVEN))
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        number = next(self._names.setdefault(stem, count(1)))
        return self._folder / f"{stem}{'' if number == 1 else number}{suffix}"

    def as_call(self, words: Sequence[str]) -> str | None:
        """Return the words of a command as a call in Python.

        In the call, variables such as `query` and `trace` mean the values that the Python program gave. If an
        option has no simple form in Python, the function returns the command, quoted for a shell; None if a
        word of the command names a temporary file.
        """
        _, name, *options, last = words
        inputs = list(takewhile(lambda word: not word.startswith("--"), options))
        keywords: dict[str, list[str]] = {}
        for word in options[len(inputs) :]:
            if word.startswith("--"):
                keyword = word.removeprefix("--").replace("-", "_")
                keywords.setdefault(keyword, [])
            else:
                keywords[keyword].append(word)
        if "assign" in keywords or any("=" in word for word in keywords.get("static", ())):
            is_temporary = self._folder is not None and any(f"{self._folder}/" in word for word in words)
            return None if is_temporary else join(words)
        arguments = [*map(self._argument, inputs), repr(last)]
        arguments += (f"{keyword}={self._keyword(keyword, given)}" for keyword, given in keywords.items())
        return f"api.{name}({', '.join(arguments)})"

    def _keyword(self, keyword: str, words: Sequence[str]) -> str:
        """Return the values of an option of a command as an argument in Python."""
        if keyword in _PAIRS:
            pairs = (word.partition("=") for word in words)
            return f"{{{', '.join(f'{key!r}: {self._argument(value)}' for key, _, value in pairs)}}}"
        texts = [self._argument(word) for word in words]
        return f"[{', '.join(texts)}]" if len(texts) > 1 else "".join(texts) or "True"

    def _argument(self, word: str) -> str:
        """Return a word of a command in Python: a variable for a temporary file, otherwise a literal."""
        path = Path(word)
        if path.parent != self._folder:
            return word if word.isdecimal() else repr(word)
        return path.stem if path.suffix in _SUFFIXES else "trace"

    def plain(self, sentence: str) -> str:
        """Return an error message with the names of values in place of the paths of temporary files."""
        if self._folder is None:
            return sentence
        # Each element is one line of the file, which the user has never seen.
        lines = re.compile(rf"{re.escape(str(self._folder))}/elements\.ndjson(?::(\d+)(?::\d+)?)?")
        sentence = lines.sub(lambda place: f"element {place[1]}" if place[1] else "elements", sentence)
        return sentence.replace(f"{self._folder}/", "")

    @contextmanager
    def naming(self, options: Sequence[Option] = ()) -> Iterator[None]:
        """In the block, error messages contain names of values in place of the paths of temporary files.

        The messages also contain keywords in place of the flags of `options`.
        """
        try:
            yield
        except LarsError as error:
            error.args = tuple(self._remarked(self.in_python(str(item), options)) for item in error.args)
            if isinstance(error, PlacedError):
                error.place = replace(error.place, source=self.plain(error.place.source))
                error.problem = self.in_python(error.problem, options)
            raise

    def in_python(self, sentence: str, options: Sequence[Option]) -> str:
        """Return a message with names of values and keywords in place of temporary files and flags."""
        return in_keywords(_with_columns(self.plain(sentence)), options)

    def _remarked(self, sentence: str) -> str:
        """Return an error message, with a remark if it is about a string that is perhaps read wrongly."""
        for name, remark in self._readings.items():
            if name in sentence:
                return f"{sentence}\n{remark}"
        return sentence


_AMONG: Final = re.compile(r"among '([^'…]+)'")
_TIMES: Final = ("t", *OTHER_TIMES)


def _with_columns(sentence: str) -> str:
    """Return an error message about missing columns with a keyword that maps the columns of the user."""
    among = _AMONG.search(sentence)
    if MAPPED not in sentence or among is None:
        return sentence
    names = among[1].split(", ")
    time = next((name for name in names if name.lower() in _TIMES), names[0])
    columns = {"t": f"{{{time}}}", "s": "_:{row}"}
    columns |= {
        f"http://example.org/{re.sub(r'[^A-Za-z0-9]', '_', name)}": f"{{{name}}}"
        for name in names
        if name != time
    }
    texts = (f'"{key}": "{template}"' for key, template in columns.items())
    return sentence.replace(MAPPED, f"or columns of your own, such as column={{{', '.join(texts)}}}")


COMMANDS_ONLY: Final = frozenset(("fmt", "play", "serve-engine", "watch"))
"""The commands to which no function of `agreement.api` corresponds."""
_FLAG: Final = re.compile(r"(?<![\w-])(--[a-z][a-z0-9-]*)(?: (?![-(])([^\s,;()`]*[^\s,;:.()`]))?")


def in_keywords(sentence: str, options: Sequence[Option]) -> str:
    """Return a message of a function of `agreement.api`, with keywords in place of the flags of options.

    A command without inputs becomes a call. A command with inputs stays as it is, to be run in a shell.
    """
    flags = {option.flag: option for option in options if not option.argument}
    *parts, last = re.split(r"(`lars [^`]*`)", sentence)
    texts = []
    for plain, command in zip(parts[::2], parts[1::2], strict=True):
        texts += [_with_keywords(plain, flags), _as_function(command)]
    return "".join((*texts, _with_keywords(last, flags)))


def _with_keywords(text: str, flags: Mapping[str, Option]) -> str:
    def keyword(match: re.Match[str]) -> str:
        flag, word = match.groups()
        if (option := flags.get(flag)) is None:
            return match[0]
        if option.kind is bool:
            return f"{option.name}=True" + match[0].removeprefix(flag)
        # A word of a sentence, such as "requires", is followed by other words.
        is_last = text[match.end() :][:1] in ("", *".,;:)")
        value = None if word is None else _python_value(option, word, is_last=is_last)
        return f"{option.name}={value or match[0].removeprefix(flag)}"

    return _FLAG.sub(keyword, text)


def _python_value(option: Option, word: str, *, is_last: bool) -> str | None:
    """Return the word after a flag as a value of the keyword; None if the word is not a value.

    `is_last` is true if no further word of the sentence follows directly.
    """
    metavar = option.metavar or ""
    if "=" in metavar and "=" in word:
        key, _, value = word.partition("=")
        return f'{{"{key}": "{value}"}}'
    if word[:1] == word[-1:] == "'":  # a value as a shell takes it
        return repr(word[1:-1])
    if word.isdecimal() or word.isupper() or (option.kind is float and word.replace(".", "", 1).isdecimal()):
        return word
    is_value = is_last or word in option.choices or re.search(r"[\d/.:=]", word) is not None
    return f'"{word}"' if is_value else None


def _as_function(command: str) -> str:
    """Return a command without inputs, such as `lars translate --to cqels`, as a call of a function.

    A command without options, such as `lars solve`, becomes the name of a function.
    """
    name, *words = command.strip("`").split()[1:]
    if not words and name not in COMMANDS_ONLY:
        return f"`api.{name.replace('-', '_')}`"
    if not words or not words[0].startswith("--"):
        return command
    keywords = re.sub(
        r"--([a-z-]+) (\S+)", lambda part: f'{part[1].replace("-", "_")}="{part[2]}"', " ".join(words)
    )
    return f"`api.{name.replace('-', '_')}(..., {', '.join(keywords.split())})`"


def _file_name(text: str) -> tuple[str, str]:
    """Return the stem and the extension of a file name that fits the content of a text."""
    if _QUERY.match(text):
        return "query", ".rq"
    return ("program", ".lars") if _RULE.search(text) else ("trace", "")


def _elements(elements: Iterable[Element], shared: Callable[[Node], Node]) -> tuple[str, str]:
    """Return elements in order as the extension and the content of a file.

    Atoms, triples with texts and dicts are written as JSON lines; graphs and triples of rdflib as TriG.

    Raises:
        LarsError: A value is not an element, or the elements have different forms.
    """
    every = [of_library(element) for element in elements]
    forms = [_form(element) for element in every]
    for number, (form, element) in enumerate(zip(forms, every, strict=True), 1):
        if form is None:
            raise LarsError(f"element {number}: found {message_text(element)}; expected {_FORMS}")
        if form != forms[0]:
            problem = f"{form}, but element 1 is {forms[0]}; use one form for all elements"
            raise LarsError(f"element {number}: found {message_text(element)}, {problem}")
    if forms[:1] in ([], [_GRAPH]):
        return ".trig", _as_trig(every, shared)
    lines: list[str] = []
    for number, element in enumerate(every, 1):
        try:
            is_row = forms[0] == _ROW
            lines.append(
                _row_text(number, element, shared)
                if is_row
                else dumps(_cells(element[0], element[1], shared))
            )
        except NotATerm as error:
            raise about(f"element {number}", error) from None
    return ".ndjson", "\n".join(lines)


def _row_text(number: int, row: Mapping[str, object], shared: Callable[[Node], Node]) -> str:
    """Return a dict as an object of JSON; dates and nodes of rdflib become texts, and NaN becomes null.

    Raises:
        LarsError: JSON has no such value.
    """

    def value(one: object) -> object:
        plain = of_library(one)
        match plain:
            case Mapping():
                return {str(key): value(inner) for key, inner in plain.items()}
            case list() | tuple():
                return [value(inner) for inner in plain]
            case Node():
                return text_of_rdflib(shared(plain))
            case date():
                # NaT of pandas is a date that is equal to nothing.
                return plain.isoformat() if plain == plain else None  # noqa: PLR0124
            case float() if isnan(plain):
                return None
            case None | bool() | int() | float() | str() if plain not in (inf, -inf):
                return plain
        kind = type(one).__name__
        problem = f"found {message_text(one)} ({kind}); expected a number, a text, a date, a boolean or None"
        raise LarsError(f"element {number}: {problem}")

    return dumps(value(row), ensure_ascii=False)


_GRAPH: Final = "a graph or triple of rdflib"
_TRIPLE: Final = "a triple with texts"
_ATOM: Final = "an atom as text"
_ROW: Final = "a dict"
_NOT_IN_IRIS: Final = re.compile(r"""[\x00-\x20<>"{}|^`\\]""")
_NOT_FINITE: Final = {"nan": "NaN", "inf": "INF", "-inf": "-INF"}
"""The lexical forms of doubles in rdflib that XSD writes otherwise."""
_FORMS: Final = (
    "a pair (time, content): a time, int or datetime; and a graph or triple of rdflib, a triple such as "
    '("http://e/ann", "http://e/in", "http://e/hall"), or for a LARS program an atom such as "in(ann, hall)"'
    "; or a row of a table as a dict"
)


def _form(element: object) -> str | None:
    """Return the form of an element's content in words; None if the value is not an element."""
    match element:
        case Mapping():
            return _ROW
        case (bool(), _):
            return None
        case (int() | datetime(), Graph() | (Node(), Node(), Node())):
            return _GRAPH
        case (int() | datetime(), Node()):
            return None
        case (int() | datetime(), str()):
            return _ATOM
        case (int() | datetime(), (str() | Node(), str() | Node(), str() | Node() | int() | float())):
            return _TRIPLE
        case _:
            return None


def _cells(
    t: int | datetime, content: str | WrittenTriple, shared: Callable[[Node], Node]
) -> Mapping[str, object]:
    """Return an element as a row of a table: the columns t and atom, or t, s, p and o."""
    time = t.isoformat() if isinstance(t, datetime) else t
    if isinstance(content, str):
        return {"t": time, "atom": content.rstrip().removesuffix(".")}
    terms = (text_of_rdflib(shared(term)) if isinstance(term, Node) else term for term in content)
    return {"t": time, **dict(zip("spo", terms, strict=True))}


def _as_trig(elements: Iterable[Element], shared: Callable[[Node], Node] = lambda node: node) -> str:
    """Return elements in order as TriG, with a named graph for each element.

    The function `shared` is called on each node of the graphs to get the written node.

    >>> from rdflib import URIRef
    >>> a = URIRef("http://e/a")
    >>> print(_as_trig([(3, (a, a, a))]))
    <urn:element:1> <http://www.w3.org/ns/prov#generatedAtTime> 3 .
    <urn:element:1> { <http://e/a> <http://e/a> <http://e/a> . }
    """
    lines: list[str] = []
    for number, element in enumerate(elements, 1):
        match of_library(element):
            case (int() | datetime() as t, Graph() as graph) if not isinstance(t, bool):
                triples: Sequence[GraphTriple] = list(graph)
            case (int() | datetime() as t, (Node(), Node(), Node()) as triple) if not isinstance(t, bool):
                triples = [triple]
            case _:
                raise LarsError(f"element {number}: found {message_text(element)}; expected {_FORMS}")
        name = f"<urn:element:{number}>"
        time = f'"{t.isoformat()}"^^<{_DATE_TIME}>' if isinstance(t, datetime) else str(t)
        try:
            rows = [" ".join(text_of_rdflib(shared(node)) for node in triple) for triple in triples]
        except NotATerm as error:
            raise about(f"element {number}", error) from None
        content = " ".join(f"{row} ." for row in rows)
        lines += (f"{name} <{_AT}> {time} .", f"{name} {{ {content} }}")
    return "\n".join(lines)


_AT: Final = "http://www.w3.org/ns/prov#generatedAtTime"
_DATE_TIME: Final = "http://www.w3.org/2001/XMLSchema#dateTime"
