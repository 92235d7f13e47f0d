"""Write and read the suite as files: manifests in the style of W3C test suites, with a folder per test.

Equal suites are written as equal files.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import pyoxigraph as ox
from pydantic import BaseModel, ConfigDict

from agreement.documents.placed import check_data, json_of
from agreement.documents.recordings import Push, static_of, triple_of
from agreement.documents.values import cut
from agreement.proving.suite.catalogue import LEVELS
from agreement.proving.suite.suite_tests import ExpectedReports, SuiteTest
from agreement.proving.suite.vectors import in_ranges, of_ranges, vectors
from lars.errors import LarsError
from lars.files import read_file, read_text, replacement_folder
from lars.language.terms import RDF
from solver.facts import Row
from solver.rdf import canonical
from translate.model.query import Language

VERSION: Final = "3"
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

{tests} tests of RSP-QL. `manifest.ttl` names the manifest of each level; an entry has the query in each
language that says it, the stream, static data, and for each language what has to be reported.

- `stream.nq`: timed N-Quads; the last term is the time point. A time point is 1 ms in RSP-QL, whose queries
  count milliseconds, and 1 s in queries of the other languages.
- `expected.LANGUAGE.json`: for each choice that RSP-QL leaves to an engine the reports before the time of the
  last element. `vectors` are numbers of `vectors.json`; a vector that is
  nowhere named says nothing of the test.
- `vectors.json`: the parameters of each vector. `periodic` has a period of 3 time points; `t0`
  is where windows begin: of all, or `A/B` of the first and the second in turns; `aligned`: they close at
  multiples of their slide; `first`: at the time of the first element; `own`: of the first of their stream;
  `first-aligned`, `own-aligned`: they close at that time and every slide before and after it.
  `content-change`: an element has come in a stream of the query, an equal one too; that one leaves a window
  is no change. `combination`: whether `any` window has to report, or `all`. `tick`: whether each `triple`
  is one, or what comes at one `instant`.

Examples are at vector 0; "where each triple reports" at vector {arriving}; "with `empty` reported" at vector
{reported}; of C-SPARQL at vector 0, of CQELS at vector {arriving}. "There it alone tells" is said of these or
of the vectors that are named, and of the tests of the same query, before their ending.

Noise (`n n n`) is in a stream at each time point, so that engines that look at windows when something comes
skip none. Streams of tests about windows, report policies and what is late have gaps: there a window that
nothing came for is asked about, too.

The last elements of a stream are its ending, after the element that is last in the examples. The ending has
what a row needs, and noise in each stream of the query. By each usual vector something is due there, so that
an engine that reports nothing fails. If by a vector nothing is due in a test (a choice without
`reports`), and the engine reports nothing, the test is not asked: it has neither passed nor failed.

What RSP-QL does not say, and what is right here:

- At t0 contents are not defined yet (they are for t > t0): the clock, `window-close` and `periodic`, reports
  nothing at t0 itself. Of an element that comes at t0 the bounds decide: a `low-open` window does not have
  it, a `closed` or `high-open` one has, and where arrivals report it is reported then. If another
  window reports at that time, a `closed` window shows the element of its t0. With `aligned` windows have
  always been there, also those that opened before 0; reports before 0 do not count.
- With `own` and `own-aligned` a window of a stream in which nothing comes is as with `first` and
  `first-aligned`, or is never there: both are right.
- At t the active window is the earliest to open that is still open (Examples 7 and 10; the printed
  definition of the present window has the most recent one). In a gap between windows there is none.
- Rows are bags, as SPARQL's are, and the operators keep them: RStream has equal rows as often as the answer
  has, IStream and DStream compare how often a row is there. (Definitions 20 to 22 write sets of timed
  solutions; the operators are those of Arasu et al. 2006, which are of multisets.) The content of a window
  is a set: a triple that it has twice is there once.
- An evaluation without rows is reported or not, by `empty`. ASK that has no solution says so or is silent,
  by neither: both are right.
- The lines of `stream.nq` are in the order of arrival, over all streams. What comes late is lost, or is in
  the windows that close after it came: both are right (a stream is in order, Definition 9). Where its own
  stream is in order, and only another stream's element came before, the reports by times alone are right
  too, as if it had come in time. A triple twice at one time: nothing is said where arrivals report.
- What operators make is rows with times: rows of one time are compared together and without an order,
  whether they come in one report or singly.
- Numbers are compared by their value, exactly. A quotient without an end is right in its first 15 digits.

Licence: not decided yet.
"""


class _Report(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    t: int
    rows: list[dict[str, str]]


class _Choice(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    vectors: str
    reports: list[_Report]


class ExpectedFile(BaseModel):
    """The content of a file with the expected reports of a query: columns, and the reports of each choice."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    columns: list[str]
    choices: list[_Choice]


def write_suite(path: Path, tests: Sequence[SuiteTest]) -> None:
    """Write a suite atomically into a new folder, or in place of an earlier suite."""
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
        _write(folder / f"expected.{language.value}.json", expected_text(test.expected[language]))
    _write(folder / "stream.nq", "".join(f"{line}\n" for line in map(_stream_line, test.stream)))
    if test.static:
        _write(folder / "static.nq", "".join(f"{line}\n" for line in test.static))


def _stream_line(push: Push) -> str:
    return f'{" ".join((*push.triple, push.stream))} "{push.t:g}" .'


def expected_text(reports: Sequence[ExpectedReports]) -> str:
    """Return the text of a file with expected reports, with one line for each report."""
    names = list(reports[0].names) if reports else []
    choices = [
        f'  {{"vectors": "{in_ranges(choice.vectors)}", "reports": [{_reports_text(choice)}]}}'
        for choice in reports
    ]
    lines = ",\n".join(choices)
    return f'{{"columns": {json.dumps(names)},\n "choices": [\n{lines}\n]}}\n'


def _reports_text(reports: ExpectedReports) -> str:
    lines = (
        json.dumps({"t": t, "rows": [_row(reports.names, row) for row in rows]}, ensure_ascii=False)
        for t, rows in reports.reports
    )
    text = ",\n    ".join(lines)
    return f"\n    {text}" if text else ""


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
    """Return the tests in the folder of a suite, of one level if `level` is given.

    Raises:
        LarsError: A file of the suite is invalid, or the level is unknown.
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
    """Return the path of an IRI relative to the suite's folder; reject a path outside the folder."""
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
    """Return the object of a predicate for a subject; if the subject is None, for any subject."""
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
    texts, expected = {}, {}
    for language in Language:
        query, result = (file_of(node, language.value) for node in (action, answer))
        if query is not None and result is not None:
            texts[language] = read_text(query, "a query")
            expected[language] = _expected(result)
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
        expected=expected,
    )


def _static(path: Path) -> tuple[str, ...]:
    lines = tuple(read_text(path, "lines of N-Quads").splitlines())
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
            raise line.error("found no timed quad; expected a triple, its stream and its time point")
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
            numbers = tuple(of_ranges(choice.vectors))
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
