"""Write and read the conformance suite as files: manifests in the style of W3C test suites, and test folders.

Equal suites are written as equal files.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

import pyoxigraph as ox
from pydantic import BaseModel

from agreement.documents.outputs import plain
from agreement.documents.placed import check_data, json_of
from agreement.documents.recordings import Push, static_of, triple_of
from agreement.proving.suite.catalogue import LEVELS
from agreement.proving.suite.suite_tests import ExpectedReports, SuiteTest
from agreement.proving.suite.vectors import in_ranges, of_ranges, vectors
from lars.errors import LarsError, cut
from lars.files import read_file, read_text, replacement_folder
from lars.language.terms import RDF, XSD
from solver.facts import Row
from solver.rdf import canonical
from translate.model.query import Language

VERSION: Final = "6"
MANIFEST: Final = "manifest.ttl"
SUITE_FOLDER: Final = "suite"
_Node = ox.NamedNode | ox.BlankNode | ox.Literal
_MF: Final = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
_RDFS: Final = "http://www.w3.org/2000/01/rdf-schema#"
SUITE: Final = "urn:x-lars:suite#"
_HERE: Final = "urn:x-lars:folder/"
ACCEPTED: Final = f"a folder that `lars suite make` has written, with {MANIFEST}"
_PREFIXES: Final = (
    "@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .\n"
    f"@prefix rdfs: <{_RDFS}> .\n@prefix mf: <{_MF}> .\n@prefix suite: <{SUITE}> .\n\n"
)
_README: Final = """\
# A conformance suite for RDF stream engines, version {version}

The suite has {tests} tests of RSP-QL. `manifest.ttl` names the manifest of each level. An entry of a
manifest names the stream and the static data of a test. The entry also names the query and the expected
reports, in each language that can express the query.

- `stream.nq`: timed N-Quads. The last term of a line is the time point. A time point is 1 ms in RSP-QL,
  because the RSP-QL queries count milliseconds. A time point is 1 s in queries of the other languages.
- `stream.messages.nq`, if the suite has this file: the same stream as RDF Messages in N-Quads, for engines
  that do not read timed N-Quads. Each element is one message, in the order of arrival. A message has a
  triple in the graph with the name of the stream, and in the default graph the time of the element:
  `<urn:x-lars:suite#element> <urn:x-lars:suite#time> 5`, with an integer as time.
- `expected.LANGUAGE.json`: the reports before the time of the last element, for each choice that RSP-QL
  leaves to an engine. `vectors` contains the numbers of the parameter vectors that make the choice. If no
  choice contains the number of a vector, the test requires nothing under this vector.
- `vectors.json`: the parameters of each vector.
  - `report`: the report policy. The period of `periodic` is 3 time points. `content-change`: an element
    has arrived in a stream of the query, even if the window already contains an equal triple. An element
    that leaves a window is not a change.
  - `t0`: the time at which windows begin. `A/B`: A for the first window, B for the second window, and so
    on in turns. `aligned`: windows close at multiples of their slide. `first`: the time of the first
    element. `own`: the time of the first element in the stream of the window. `first-aligned` and
    `own-aligned`: windows close at the time of `first` or `own`, and every slide before and after.
  - `tick`: the arrivals that form one tick. `triple`: each triple. `instant`: all triples of one time
    point.
  - `combination`: whether a report of `any` window is enough for an evaluation, or `all` windows must
    report.

The comment of a test contains examples of reports. An example names its vectors, or uses vector 0, with
these exceptions: "if each triple causes a report" uses vector {arriving}; "if empty answers are reported"
uses vector {reported}; reports of CQELS use vector {arriving}. "No other test of this query shows the
following difference" begins a second example: no other test of the same query distinguishes the faulty
reports of the second example from the correct reports before the ending of the stream.

A stream contains a triple without effect (noise, `n n n`) at each time point, because engines that
evaluate only at arrivals would otherwise skip windows. Streams of tests about windows, report policies
and late elements have gaps. These tests also check windows without an arrival.

The ending of a stream is its last elements, after the last element of the examples. The ending contains
the input of one row, and noise in each stream of the query. For each usual vector, at least one report is
due in the ending, so an engine without any report fails. If a test requires no report under a vector (a
choice without `reports`), and the engine reports nothing, the test has the outcome `not asked`: the
engine has neither passed nor failed the test.

RSP-QL does not define some reports. The suite uses these rules:

- Time t0: RSP-QL defines the content of a window only for t > t0. The strategies of the clock,
  `window-close` and `periodic`, therefore report nothing at t0 itself. The bounds decide whether a window
  contains an element that arrives at t0. A `low-open` window does not contain the element; a `closed` or
  `high-open` window contains the element. If arrivals cause reports, a `closed` or `high-open` window
  reports the element at t0. If another window reports at t0, a `closed` window shows the element. With
  `aligned`, windows always exist, including windows that opened before time 0. Reports before time 0 do
  not count. Some engines begin after time 0: a report at time 0 and no report at time 0 are both right.
- Streams without an element: with `own` and `own-aligned`, the window of such a stream has the t0 of
  `first` or `first-aligned`, or the window never exists. Both answers are right.
- Active window: at time t, the active window is the first opened window that is still open (Examples 7
  and 10). The printed definition of the present window uses the last opened window. In a gap between
  windows, no window is active.
- Elements at the time of an evaluation: with `high-open`, an evaluation at time t comes before the elements
  of time t. Then no window contains these elements, not even a window that is still open.
- Duplicate rows: rows form bags, as in SPARQL, and the operators keep duplicates. RStream reports a row
  as often as the answer contains the row. IStream and DStream compare how often an answer contains a row.
  (Definitions 20 to 22 write sets of timed solutions, but Arasu et al. 2006 define the operators on
  multisets.) The content of a window is a set: if a triple arrives twice in a window, the window contains
  the triple once.
- Empty answers: the parameter `empty` decides whether an evaluation without rows is reported. An ASK
  query without a solution reports false or nothing, for each value of `empty`. Both answers are right.
- Late elements: the lines of `stream.nq` are in the order of arrival, over all streams. A late element is
  lost, or is in the windows that close after its arrival. Both answers are right, because Definition 9
  requires streams in order. With `high-open` and `open`, a window that closes at the time of the element
  before the late element may also contain the late element. If arrivals cause reports, or the policy
  contains `content-change`, the late element is lost. If each stream by itself is in order, the reports of
  the same elements in the order of time are also right.
- Duplicate elements: if a triple arrives twice in a stream at one time, and arrivals cause reports, the
  suite defines no reports.
- Order of reports: the reports of an engine form a stream, and streams are in order of time (Definition 9).
  The time of a report must not be earlier than the time of the report before it. If the stream of a test
  contains a late element, the suite does not check the order of the reports.
- Operators: an operator produces rows with times. Rows of one time are compared together and without an
  order, in one report or in several reports.
- Numbers: numbers are compared exactly, by their values. For a quotient with infinitely many digits, the
  first 15 digits must be right.

Licence: not decided yet.
"""


class _Report(BaseModel, frozen=True, extra="forbid"):
    t: int
    rows: list[dict[str, str]]


class _Choice(BaseModel, frozen=True, extra="forbid"):
    vectors: str
    reports: list[_Report]


class ExpectedFile(BaseModel, frozen=True, extra="forbid"):
    """The content of a file of the suite with the expected reports of a query."""

    columns: list[str]
    choices: list[_Choice]


def write_suite(path: Path, tests: Sequence[SuiteTest], *, messages: bool = False) -> None:
    """Write a suite to a folder, in place of an earlier suite in this folder.

    If writing is interrupted, the folder does not change. If `messages` is true, each stream is also written
    as a log of RDF Messages.
    """
    with replacement_folder(path, SUITE_FOLDER) as new:
        _write(new / "README.md", _readme_text(len(tests)))
        _write(new / "vectors.json", _vectors_text())
        levels = [level for level in LEVELS if any(suite_test.level == level for suite_test in tests)]
        _write(new / MANIFEST, _index_text(levels))
        for level in levels:
            _write(
                new / f"{level}.ttl",
                _manifest_text(level, [suite_test for suite_test in tests if suite_test.level == level]),
            )
        for test in tests:
            _write_test(new / "tests" / test.name, test)
            if messages:
                _write(new / "tests" / test.name / "stream.messages.nq", _message_log(test.stream))


def _readme_text(tests: int) -> str:
    arriving = next(n for n, vector in enumerate(vectors()) if not vector.by_clock)
    reported = next(n for n, vector in enumerate(vectors()) if vector.empty == "reported")
    return _README.format(version=VERSION, tests=tests, arriving=arriving, reported=reported)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _write_test(folder: Path, test: SuiteTest) -> None:
    folder.mkdir(parents=True)
    for language, text in test.texts.items():
        _write(folder / f"query.{language.value}.rq", text)
        _write(folder / f"expected.{language.value}.json", expected_text(test.expected(language)))
    _write(folder / "stream.nq", "".join(f"{line}\n" for line in map(_stream_line, test.stream)))
    if test.static:
        _write(folder / "static.nq", "".join(f"{line}\n" for line in test.static))


def _message_log(stream: Sequence[Push]) -> str:
    """Return a stream as a text in RDF Messages.

    Each element is a message, with its time in the default graph.

    >>> print(_message_log([Push(5, "<e:S>", ("<e:s>", "<e:p>", "<e:o>"))]), end="")
    VERSION "1.1-messages"
    <urn:x-lars:suite#element> <urn:x-lars:suite#time> "5"^^<http://www.w3.org/2001/XMLSchema#integer> .
    <e:s> <e:p> <e:o> <e:S> .
    """
    timed = f'<{SUITE}element> <{SUITE}time> "{{}}"^^<{XSD}integer> .\n{{}} .\n'
    messages = (timed.format(plain(push.t), " ".join((*push.triple, push.stream))) for push in stream)
    return 'VERSION "1.1-messages"\n' + "MESSAGE\n".join(messages)


def _stream_line(push: Push) -> str:
    return f'{" ".join((*push.triple, push.stream))} "{plain(push.t)}" .'


def expected_text(reports: Sequence[ExpectedReports]) -> str:
    """Return the text of a JSON file with the expected reports of a query, one report per line."""
    names = list(reports[0].names) if reports else []
    choices = [
        f'  {{"vectors": "{in_ranges(choice.vectors)}", "reports": [{_reports_text(choice)}]}}'
        for choice in reports
    ]
    lines = ",\n".join(choices)
    return f'{{"columns": {json.dumps(names)},\n "choices": [\n{lines}\n]}}\n'


def _reports_text(reports: ExpectedReports) -> str:
    text = ",\n    ".join(_report_text(reports.names, t, rows) for t, rows in reports.reports)
    return f"\n    {text}" if text else ""


@lru_cache(maxsize=2**12)
def _report_text(names: tuple[str, ...], t: int, rows: tuple[Row, ...]) -> str:
    """Return a report as JSON.

    The text is cached, because many sequences of reports contain the same report.
    """
    return json.dumps({"t": t, "rows": [_row(names, row) for row in rows]}, ensure_ascii=False)


def _row(names: Sequence[str], row: Row) -> Mapping[str, str]:
    return {name: term for name, term in zip(names, row, strict=True) if term is not None}


def _vectors_text() -> str:
    lines = (json.dumps({"vector": n} | dict(vector.values())) for n, vector in enumerate(vectors()))
    return "[\n" + ",\n".join(lines) + "\n]\n"


def _index_text(levels: Sequence[str]) -> str:
    included = " ".join(f"<{level}.ttl>" for level in levels)
    comment = "Tests of RSP-QL, for engines over streams of RDF"
    return (
        f"{_PREFIXES}<> a mf:Manifest ;\n  rdfs:comment {_text(comment)} ;\n"
        f"  suite:version {_text(VERSION)} ;\n  suite:vectors <vectors.json> ;\n"
        f"  mf:include ( {included} ) .\n"
    )


def _manifest_text(level: str, tests: Sequence[SuiteTest]) -> str:
    entries = "\n    ".join(f"<#{test.name}>" for test in tests)
    head = f"<> a mf:Manifest ;\n  rdfs:label {_text(level)} ;\n  mf:entries (\n    {entries}\n  ) .\n"
    return _PREFIXES + head + "".join(map(_entry_text, tests))


def _entry_text(test: SuiteTest) -> str:
    folder = f"tests/{test.name}"
    action = [f"suite:stream <{folder}/stream.nq>"]
    if test.static:
        action.append(f"suite:static <{folder}/static.nq>")
    action += [f"suite:{language.value} <{folder}/query.{language.value}.rq>" for language in test.texts]
    results = [f"suite:{language.value} <{folder}/expected.{language.value}.json>" for language in test.texts]
    return (
        f"\n<#{test.name}> a suite:ContinuousQueryTest ;\n  mf:name {_text(test.name)} ;\n"
        f"  rdfs:comment {_text(test.comment)} ;\n  suite:feature {_text(test.feature)} ;\n"
        f"  mf:action [ {' ; '.join(action)} ] ;\n  mf:result [ {' ; '.join(results)} ] .\n"
    )


def _text(text: str) -> str:
    return str(ox.Literal(text))


def read_suite(folder: Path, level: str | None = None) -> tuple[SuiteTest, ...]:
    """Return the tests in the folder of a suite.

    If `level` is given, only the tests of this level are returned.

    Raises:
        LarsError: A file of the suite is invalid, or the level is unknown. Expected reports are read at the
        first use of a test, so an invalid file of expected reports is found only then.
    """
    index = _graph(folder / MANIFEST)
    root = _object(index, None, f"{_MF}include")
    if root is None:
        raise LarsError(f"{folder / MANIFEST}: no mf:include; expected {ACCEPTED}")
    names = [_local(node, folder, folder / MANIFEST) for node in _list(index, root, folder / MANIFEST)]
    levels = [name.removesuffix(".ttl") for name in names]
    if level is not None and level not in levels:
        raise LarsError(f"--level {level}: expected {', '.join(levels)}")
    return tuple(
        test
        for name, own in zip(names, levels, strict=True)
        if level in (None, own)
        for test in _tests(folder, folder / name, own)
    )


def _graph(path: Path) -> ox.Store:
    text, store = read_text(path, ACCEPTED), ox.Store()
    try:
        store.extend(ox.parse(text.encode(), ox.RdfFormat.TURTLE, base_iri=_base(path)))
    except (SyntaxError, ValueError) as error:
        raise LarsError(f"{path}: {error}; expected a manifest in Turtle") from None
    return store


def _base(path: Path) -> str:
    return f"{_HERE}{path.name}"


def _local(term: _Node, folder: Path, path: Path) -> str:
    """Return the path of a file, relative to the suite's folder, from the IRI of the file in a manifest.

    Raises:
        LarsError: The path is outside the folder.
    """
    name = term.value.removeprefix(_HERE) if isinstance(term, ox.NamedNode) else ""
    inside = (folder / name).resolve().is_relative_to(folder.resolve())
    if not (isinstance(term, ox.NamedNode) and term.value.startswith(_HERE) and inside):
        raise LarsError(f"{path}: found {term}; expected files in the suite's folder")
    return name


def _list(store: ox.Store, first: _Node, path: Path) -> Iterator[_Node]:
    seen = set[_Node]()
    while first != ox.NamedNode(f"{RDF}nil"):
        item, rest = (_object(store, first, f"{RDF}{name}") for name in ("first", "rest"))
        if item is None or rest is None or first in seen:
            raise LarsError(f"{path}: found a list without an end; expected {ACCEPTED}")
        seen.add(first)
        yield item
        first = rest


def _object(store: ox.Store, subject: _Node | None, predicate: str) -> _Node | None:
    """Return an object of a predicate in an RDF graph; None if no object exists.

    If `subject` is None, the triple can have any subject.
    """
    if isinstance(subject, ox.Literal):
        return None
    quad = next(iter(store.quads_for_pattern(subject, ox.NamedNode(predicate), None)), None)
    return None if quad is None or isinstance(quad.object, ox.Triple) else quad.object


def _tests(folder: Path, path: Path, level: str) -> Iterator[SuiteTest]:
    store = _graph(path)
    entries = _object(store, None, f"{_MF}entries")
    if entries is None:
        raise LarsError(f"{path}: no mf:entries; expected {ACCEPTED}")
    for entry in _list(store, entries, path):
        yield _test(folder, path, store, entry, level)


def _test(folder: Path, path: Path, store: ox.Store, entry: _Node, level: str) -> SuiteTest:
    def part(name: str, iri: str) -> _Node:
        node = _object(store, entry, iri)
        if node is None:
            raise LarsError(f"{path}: {entry} has no {name}; expected {ACCEPTED}")
        return node

    def file_of(subject: _Node, name: str) -> Path | None:
        term = _object(store, subject, f"{SUITE}{name}")
        return None if term is None else folder / _local(term, folder, path)

    name, comment = part("name", f"{_MF}name"), part("comment", f"{_RDFS}comment")
    feature = part("feature", f"{SUITE}feature")
    action, answer = part("action", f"{_MF}action"), part("result", f"{_MF}result")
    stream, static = file_of(action, "stream"), file_of(action, "static")
    texts, results = {}, dict[Language, Path]()
    for language in Language:
        query, result = (file_of(node, language.value) for node in (action, answer))
        if query is not None and result is not None:
            texts[language] = read_text(query, "a query")
            results[language] = result
    if stream is None or not texts:
        raise LarsError(f"{path}: {entry} has no stream or no query; expected {ACCEPTED}")
    return SuiteTest(
        name=name.value,
        level=level,
        feature=feature.value,
        comment=comment.value,
        texts=texts,
        static=() if static is None else _static(static),
        stream=tuple(_stream(stream)),
        expected=cache(lambda language: _expected(results[language])),
    )


def _static(path: Path) -> tuple[str, ...]:
    lines = tuple(line.text for line in read_file(path, "lines of N-Quads").lines())
    try:
        static_of(lines)
    except LarsError as error:
        raise LarsError(f"{path}: {error}") from None
    return lines


_LINE: Final = re.compile(r'(\S+ \S+ .*) (<[^<>]*>) "(\d{1,9})" \.')


def _stream(path: Path) -> Iterator[Push]:
    for line in read_file(path, "timed N-Quads").lines():
        match = _LINE.fullmatch(line.text)
        if match is None:
            raise line.error("found no quad with a time; expected a triple, its stream and its time point")
        try:
            yield Push(int(match[3]), match[2], triple_of(f"{match[1]} ."))
        except LarsError as error:
            raise line.error(str(error)) from None


def _expected(path: Path) -> tuple[ExpectedReports, ...]:
    document = json_of(read_file(path, "expected reports as JSON"), "expected reports as JSON")
    content = check_data(ExpectedFile, document)
    names = tuple(content.columns)
    expected = []
    for number, choice in enumerate(content.choices):
        where = ("choices", number)
        try:
            numbers = of_ranges(choice.vectors)
        except ValueError:
            accepted = f"numbers of vectors in order, as 0-5,9, below {len(vectors())}"
            problem = f"found {cut(choice.vectors)}; expected {accepted}"
            raise document.error((*where, "vectors"), problem) from None
        for place, report in enumerate(choice.reports):
            if wrong := next((name for row in report.rows for name in row if name not in names), None):
                at = (*where, "reports", place, "rows")
                raise document.error(at, f"found the column {wrong}; expected {', '.join(names)}")
        try:
            reports = tuple(
                (one.t, tuple(tuple(_term(row.get(name)) for name in names) for row in one.rows))
                for one in choice.reports
            )
        except LarsError as error:
            raise document.error((*where, "reports"), str(error)) from None
        expected.append(ExpectedReports(names, reports, numbers))
    return tuple(expected)


def _term(text: str | None) -> str | None:
    return None if text is None else canonical(text)
