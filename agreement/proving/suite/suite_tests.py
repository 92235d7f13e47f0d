"""Make the tests of the conformance suite: a query, a stream, and the reports of each correct engine."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache
from importlib.resources import files
from itertools import combinations
from typing import Final

from agreement.documents.recordings import Push, static_of
from agreement.proving.hunting import WRITINGS, Letter, QueryWriting
from agreement.proving.suite.catalogue import NOISE, SuiteQuery, catalogue, triple_of_words
from agreement.proving.suite.expecting import Reports, VectorReports
from agreement.proving.suite.vectors import PERIOD, vectors
from lars.dataclass import dataclass
from lars.errors import LarsError
from solver.facts import constant_of
from solver.rdf import value
from solver.settings import Progress, no_progress
from translate.dialects import read_query
from translate.model.query import EngineQuery, Language

WRITTEN: Final[Mapping[Language, QueryWriting]] = {Language(how.dialect): how for how in reversed(WRITINGS)}


@dataclass(frozen=True, slots=True)
class ExpectedReports:
    """A sequence of reports that a test expects for some parameter vectors.

    `names` are the columns of the rows, and `vectors` the numbers of the parameter vectors.
    """

    names: tuple[str, ...]
    reports: Reports
    vectors: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SuiteTest:
    """A test of the conformance suite: its query in each language, its stream, and its expected reports.

    Times of the stream are time points. The function `expected` returns the expected reports for a query
    language in `texts`, and for the parameter vectors that this language allows. For a vector that the
    language does not allow, the test requires nothing. Reports at or after the time of the last element are
    not compared. The expected reports of a test from a file are read when the function is called for the
    first time.
    """

    name: str
    level: str
    feature: str
    comment: str
    texts: Mapping[Language, str]
    static: tuple[str, ...]
    stream: tuple[Push, ...]
    expected: Callable[[Language], tuple[ExpectedReports, ...]]

    @property
    def quotients(self) -> frozenset[Fraction]:
        """The expected numbers with infinitely many digits, such as 1/3, with the digits that are written."""
        reports = (report for own in map(self.expected, self.texts) for one in own for report in one.reports)
        terms = {term for _, rows in reports for row in rows for term in row if term is not None}
        numbers = (value(constant_of(term)) for term in terms)
        return frozenset(
            Fraction(number)
            for number in numbers
            if isinstance(number, Decimal) and len(number.as_tuple().digits) > _WRITTEN_OUT
        )


_WRITTEN_OUT: Final = 18
"""The maximum number of digits of a number that the suite writes completely."""


@dataclass(frozen=True, slots=True)
class TellingStream:
    """A stream for a query of the suite that shows a difference between two engines.

    No other stream of the suite shows this difference. `distinction` is a text that names the two engines.
    """

    query: str
    stream: tuple[Push, ...]
    distinction: str
    comment: str


@cache
def chosen_streams() -> tuple[TellingStream, ...]:
    """Return the streams of the suite's tests, in the order of their file.

    The streams were chosen from the streams of a hunt for faults, and small streams were preferred. Each
    stream distinguishes two engines that no other stream distinguishes. The script
    `tests/benchmarks/suite.py` contains the engines, and can choose the streams again.
    """
    text = files("agreement.proving.suite").joinpath("chosen.txt").read_text(encoding="utf-8")
    return tuple(_chosen(line) for line in text.splitlines() if line and not line.startswith("#"))


def _chosen(line: str) -> TellingStream:
    query, stream, tells, comment = line.split(" | ")
    return TellingStream(query, tuple(map(_push, stream.split("; "))), tells, comment)


def _push(written: str) -> Push:
    t, stream, *words = written.split()
    return Push(int(t), f"<http://e/{stream}>", triple_of_words(words))


def made_tests(progress: Progress = no_progress, level: str | None = None) -> tuple[SuiteTest, ...]:
    """Return the tests of the suite (or of one level), with expected reports that `lars` computes."""
    queries = {query.name: query for query in catalogue() if level in (None, query.level)}
    numbers = dict.fromkeys(queries, 0)
    streams = [stream for stream in chosen_streams() if stream.query in queries]
    tests = []
    for done, stream in enumerate(streams):
        progress(done, len(streams))
        numbers[stream.query] += 1
        tests.append(_test_of(queries[stream.query], stream, numbers[stream.query]))
    return tuple(tests)


def _test_of(query: SuiteQuery, chosen: TellingStream, number: int) -> SuiteTest:
    stream = ended(query, chosen.stream)
    texts = {Language.RSPQL: WRITTEN[Language.RSPQL].text(query.family)}
    expected = {Language.RSPQL: expected_of(texts[Language.RSPQL], query.family.static, stream)}
    times = [push.t for push in chosen.stream]
    # Of what is late CQELS is not asked: arrivals report there, and nothing says what a late one does.
    late = times != sorted(times)
    for language, text in _said_elsewhere(query).items():
        if late and language is Language.CQELS:
            continue
        texts[language] = text
        expected[language] = expected_of(text, query.family.static, stream)
    return SuiteTest(
        name=f"{query.name}-{number:02}",
        level=query.level,
        feature=query.feature,
        comment=chosen.comment,
        texts=texts,
        static=query.family.static,
        stream=stream,
        expected=expected.__getitem__,
    )


def ended(query: SuiteQuery, stream: tuple[Push, ...]) -> tuple[Push, ...]:
    """Return a stream with additional elements at its end, so that a test expects a report.

    The additional elements are the triples of a row, and an unrelated triple in each stream at all other
    times. Each window reports again, whether the clock or an arrival triggers reports. No window closes
    empty, because some engines skip empty windows.
    """
    return (*stream, *_ending(query, int(max(push.t for push in stream)), _row_letters(query.name)))


def _ending(query: SuiteQuery, after: int, letters: Sequence[Letter]) -> Iterator[Push]:
    """Yield the additional elements for the end of a stream, which arrive after the time point `after`.

    `letters` contains the triples of a row.
    """
    sizes = [(int(width), int(slide)) for _, width, slide, _ in query.family.windows]
    width, slide = (max(column) for column in zip(*sizes, strict=True))
    # A window closes before the row comes: to IStream the row is new then. The row comes more than once
    # if a slide is longer than its width: else it can be in no window.
    first = after + slide + 1
    last = first + max(0, *(slide - width for width, slide in sizes))
    # To DStream the row comes when it has left.
    quiet = last + slide + 1 + (width if query.family.operator == "DStream" else 0)
    noise = [letter for letter in query.letters if letter[1] == NOISE]
    for t in range(after + 1, quiet + PERIOD + 1):
        row = letters if first <= t <= last else ()
        named = [stream for stream, _ in row]
        yield from (Push(t, *letter) for letter in (*row, *noise) if letter in row or letter[0] not in named)


@cache
def _row_letters(name: str) -> tuple[Letter, ...]:
    """Return the smallest set of triples that gives a row of a query if all arrive at the same time."""
    (query,) = (query for query in catalogue() if query.name == name)
    text, static = WRITTEN[Language.RSPQL].text(query.family), static_of(query.family.static)
    own = [letter for letter in query.letters if letter[1] != NOISE]
    for size in range(1, len(own) + 1):
        for letters in combinations(own, size):
            expecting = VectorReports(_read(text), static, tuple(_ending(query, 0, letters)))
            if any(rows for _, rows in expecting.reports(vectors()[0])):
                return letters
    raise AssertionError(f"no triples of {name} give a row")


def _said_elsewhere(query: SuiteQuery) -> Mapping[Language, str]:
    """Return the text of a query in each query language, except RSP-QL, that can express the query.

    If WHERE contains more than the patterns of windows, the result is empty, because only RSP-QL defines the
    sources of patterns outside windows.
    """
    of = query.family
    if of.texts:
        return {Language(name): text for name, text in of.texts}
    if of.body or of.outside or of.flat:
        return {}
    spoken = [Language.SPARQLSTREAM]
    if of.operator == "RStream":
        spoken += [Language.CSPARQL, Language.CQELS]
    result = {}
    for language in spoken:
        text = WRITTEN[language].text(of)
        try:
            _read(text)
        except LarsError:
            continue
        result[language] = text
    return result


def expected_of(text: str, static: tuple[str, ...], stream: tuple[Push, ...]) -> tuple[ExpectedReports, ...]:
    """Return the different expected sequences of reports for a query and a stream.

    Each sequence of reports has the numbers of the parameter vectors that require it. Sequences of reports
    for usual parameters come first.
    """
    expecting = VectorReports(_read(text), static_of(static), stream)
    choices = expecting.choices().items()
    names = expecting.names
    return tuple(ExpectedReports(names, reports, numbers) for reports, numbers in choices)


@lru_cache(maxsize=512)
def _read(text: str) -> EngineQuery:
    return read_query(text, "query")
