"""Answers in tables with a column of times: SPARQL 1.1 CSV and TSV results, and data frames.

TSV contains RDF terms. CSV omits the kinds of terms, so answers in CSV are `lexical`. Data frames contain
terms in N-Triples syntax, values, or texts.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from agreement.documents.recordings import answer_times, recording
from agreement.documents.recordings.json_answers import read_time_term, time_variables
from agreement.documents.requests import AnswersOptions
from lars.dataclass import dataclass
from lars.durations import MILLISECOND, SECOND, Duration
from lars.errors import LarsError, PlacedError
from lars.files import TextFile, check_line_ends
from solver import traces
from solver.rdf import NotATerm, canonical, read_term, short, unquote
from solver.traces.formats.cells import OTHER_TIMES
from solver.traces.formats.csv_lines import DELIMITERS, delimiter_of
from solver.traces.input_files import readable

ACCEPTED_TABLE: Final = "a table with a column of times (t, time, timestamp) and a column for each variable"
EPOCH_DIGITS: Final = {10: SECOND, 13: MILLISECOND, 16: Duration(1000), 19: Duration(1)}
"""The units of integers that count from 1970 in our years, by the number of their digits."""
_TERMS: Final = ("<", '"', "_:")


def read_answer_table(path: Path, options: AnswersOptions) -> recording.Recording:
    """Return the reports in a table of answers: consecutive rows with equal times form one report.

    If some column names begin with ?, only these columns and the column of times are read. If a text is not
    an RDF term, all terms of the table are compared by their lexical forms. Raises LarsError with the number
    of a wrong row.
    """
    from solver.traces.formats.mapped_tables import cells_of_table
    from solver.traces.formats.tables import plain_table

    cells = cells_of_table(str(path), plain_table(str(path), readable(path)))
    time = column_of_times(
        list(cells), options, lambda problem: LarsError(f"{path}: {problem}"), lambda name: cells[name][1]
    )
    others = [name for name in cells if name != time]
    names = [name for name in others if name.startswith("?")] or others
    texts = {name: cells[name][1] if cells[name][0] else _plain(cells[name][1]) for name in names}
    exact = {name: _terms(texts[name]) for name in names}
    lexical = any(
        term is None and text for name in names for term, text in zip(exact[name], texts[name], strict=True)
    )
    if lexical:
        exact = {name: _texts(exact[name], texts[name]) for name in names}
    variables = [name.lstrip("?") for name in names]
    rows = zip(*(exact[name] for name in names), strict=True) if names else [()] * len(cells[time][1])
    timed = _timed(path, options, cells[time], [dict(zip(variables, row, strict=True)) for row in rows])
    answers = recording.recording_of(variables, recording.group_reports(timed))
    return replace(answers, lexical=lexical, rows_only=True)


def column_of_times(
    names: Sequence[str],
    options: AnswersOptions,
    error: Callable[[str], LarsError],
    cells: Callable[[str], Iterable[str | None]],
) -> str:
    """Return the name of the column of times, or raise the `error` with the names of the columns.

    If no column has a usual name of times, the values of the columns determine the column of times. The
    function `cells` returns the values of a column.
    """
    if (name := known_column_of_times(names, options)) is not None:
        days = {text or "" for text in cells(name)}
        clocks = names if days and all(map(DATE.fullmatch, days)) else ()
        for other in clocks:
            if all(CLOCK.fullmatch(text or "") for text in cells(other)):
                raise error(
                    f"cannot use the column {name} for the times: its dates have their times of day in the "
                    f"column {other}; expected one column with dates and times of day"
                )
        return name
    given = options.time_variable
    guessed = () if given or not options.guesses_time else names
    texts = {
        name: {text or "" for text in cells(name)} for name in guessed if name not in options.other_times
    }
    if texts and not any(texts.values()):
        return names[0]  # a table without rows has no times
    for is_time, least in _SIGNS:
        fitting = [
            name
            for name, values in texts.items()
            if sum(map(is_time, map(lexical_of, values))) >= least * len(values)
        ]
        if len(fitting) > 1:
            raise error(
                f"cannot choose the column of times: {' and '.join(fitting)} contain times; use "
                f"{' or '.join(f'--time-variable {name}' for name in fitting)}"
            )
        if fitting:
            return fitting[0]
    raise error(
        f"no column with a time among {', '.join(names) or 'no columns'}; expected --time-variable NAME, "
        f"or a column {' or '.join(time_variables(given))}"
    )


def known_column_of_times(names: Sequence[str], options: AnswersOptions) -> str | None:
    """Return the name of the column of times; None if no column has a name of such columns."""
    given = options.time_variable
    candidates = time_variables(given)
    # A variable may have the name of the column of times, as in the answers of lars solve.
    exact = (*given, *candidates)
    called = None if given else time_column(names)
    every = (*exact, called, *(f"?{name}" for name in candidates))
    return next((name for name in every if name in names), None)


def lexical_of(text: str) -> str:
    """Return the lexical form of a cell: a literal in N-Triples syntax has quotes, and perhaps a datatype."""
    literal = _LITERAL.fullmatch(text)
    return text if literal is None else literal[1]


def _is_date_time(text: str) -> bool:
    try:
        return traces.cell_time(text).kind is not traces.TimeKind.INTEGER
    except traces.MalformedPart:
        return False


def _is_since_1970(text: str) -> bool:
    """Return whether a number can count seconds or a finer unit from 1970, in our years."""
    whole, _, _ = text.partition(".")
    return whole.isdecimal() and whole[0] != "0" and len(whole) in EPOCH_DIGITS


def _is_like_date(text: str) -> bool:
    return _LIKE_DATE.match(text) is not None


DATE: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
CLOCK: Final = re.compile(r"\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?", re.ASCII)
_LITERAL: Final = re.compile(r'"([^"]*)"(?:\^\^<[^<>]*>)?')
_LIKE_DATE: Final = re.compile(
    r"\d{1,4}([./-])\d{1,2}\1\d{1,4}\b|\d{8}T?\d{4}|\d{1,2}:\d\d|\w{3},? \d\d? \w{3}", re.ASCII
)
_ALL, _MOST = 1.0, 0.5
_SIGNS: Final = (
    (_is_date_time, _ALL),
    (_is_since_1970, _ALL),
    # The reader reports the place of a value that is not a time.
    (_is_date_time, _MOST),
    (_is_since_1970, _MOST),
    (_is_like_date, _ALL),
    (_is_like_date, _MOST),
)
"""The tests of values that find a column of times, and the share of the values that must pass."""
_TIMES: Final = ("t", *OTHER_TIMES)


def time_column(names: Sequence[str]) -> str | None:
    """Return the first column with a usual name of times, in upper or lower case.

    The function returns None if no column has such a name.
    """
    return next((name for name in names if name.lower() in _TIMES), None)


def _plain(literals: Sequence[str | None]) -> list[str | None]:
    """Return literals as N-Triples, with each text of JSON that is next to other values as in the file."""
    return [
        str(getattr(read_term(text), "lexical", text)) if text and text.endswith('"') else text
        for text in literals
    ]


def _terms(texts: Sequence[str | None]) -> list[str | None]:
    """Return the RDF term of each cell; None for a cell that does not contain exactly one term."""
    known: dict[str, str | None] = {}
    return [None if text is None else known.setdefault(text, term_in(text)) for text in texts]


def term_in(text: str) -> str | None:
    """Return the RDF term that a cell contains in N-Triples syntax; None for another text."""
    try:
        return canonical(text) if text.startswith(_TERMS) else None
    except NotATerm:
        return None


def _texts(terms: Sequence[str | None], texts: Sequence[str | None]) -> list[str | None]:
    """Return each term without its kind; if a cell contains no term, its whole text is the term."""
    return [
        None if text is None else recording.of_text(text) if term is None else recording.as_lexical(term)
        for term, text in zip(terms, texts, strict=True)
    ]


def _timed(
    path: Path,
    options: AnswersOptions,
    written: tuple[bool, list[str | None]],
    rows: Sequence[Mapping[str, str | None]],
) -> Iterator[recording.TimedRow]:
    is_text, texts = written
    before = 0.0
    for number, (text, row) in enumerate(zip(texts, rows, strict=True), 1):
        try:
            lexical = text if is_text or text is None else str(getattr(read_term(text), "lexical", text))
            t = answer_times.time_of_text(lexical or "", options)
            before = answer_times.forwards(t, before, options)
        except LarsError as error:
            skip(options, f"row {number}: {text}", LarsError(f"{path}: row {number}: {error}"))
        else:
            yield before, row


def skip(options: AnswersOptions, text: str, error: LarsError) -> None:
    """Keep an invalid line that is skipped, or raise its error if no line is skipped."""
    if options.skipped is None:
        raise error
    if isinstance(error, PlacedError):
        options.skipped.append((str(error.place), text, error.problem))
    else:
        options.skipped.append(("", text, str(error)))


ACCEPTED_CSV: Final = "SPARQL 1.1 CSV results, whose first line contains the variables, among them the time"
ACCEPTED_TSV: Final = "SPARQL 1.1 TSV results, whose first line contains the ?variables, among them the time"

_QUOTED = re.compile(r'"([^"]*(?:""[^"]*)*)"(?!")')
_BARE: Final = {mark: re.compile(rf'[^"{mark}\r\n]*') for mark in DELIMITERS}
_CALLED: Final = dict(zip(DELIMITERS, ("a comma", "a semicolon", "a tab"), strict=True))
_END: Final = {mark: re.compile(rf"{mark}|\r?\n|\Z") for mark in DELIMITERS}
_NAME = re.compile(r"[^\W]\w*")
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Field:
    """The text of a CSV field without its quotes, and the offsets at which the field begins and ends."""

    text: str
    offset: int
    end: int


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of answers: the variables, the number of the time column, and the readers of the fields."""

    source: TextFile
    names: list[str]
    time: int
    read: Callable[[str], str | None]
    read_time: Callable[[str], float]
    options: AnswersOptions

    def answers(self, records: list[list[Field]], *, lexical: bool) -> recording.Recording:
        """Return the reports of the records; consecutive records of one time are one report."""
        answers = recording.recording_of(self._variables(), recording.group_reports(self._rows(records)))
        return replace(answers, lexical=lexical, rows_only=True)

    def _variables(self) -> list[str]:
        return self.names[: self.time] + self.names[self.time + 1 :]

    def _rows(self, records: list[list[Field]]) -> Iterator[recording.TimedRow]:
        before = 0.0
        for record in records:
            try:
                check_width(self.source, record, self.names)
                others = record[: self.time] + record[self.time + 1 :]
                t = self._at(record[self.time], partial(self._forwards, before))
                terms = [self._at(field, self.read) for field in others]
            except LarsError as error:
                skip(self.options, self._text(record), error)
                continue
            before = t
            yield before, dict(zip(self._variables(), terms, strict=True))

    def _text(self, record: list[Field]) -> str:
        return self.source.text[record[0].offset : record[-1].end]

    def _forwards(self, before: float, text: str) -> float:
        return answer_times.forwards(self.read_time(text), before, self.options)

    def _at(self, field: Field, read: Callable[[str], _Value]) -> _Value:
        try:
            return read(field.text)
        except LarsError as error:
            raise self.source.error(field.offset, str(error)) from None


def read_csv(source: TextFile, options: AnswersOptions) -> recording.Recording:
    """Return the reports in SPARQL 1.1 CSV results: consecutive rows with equal times form one report.

    The column `time_variable` contains the times. By default, the column with the times is the first column
    with the name t, time or timestamp. If only some column names begin with ?, as in the tables of
    `lars solve --out`, only these columns and the column of times are read. Their cells can be terms in
    N-Triples syntax. Raises LarsError with the place of an error.
    """
    records = csv_records(source, options)
    marked = [field.text.strip().startswith("?") for field in records[0]] if records else []
    if any(marked) and not all(marked):
        return _read_marked(source, records, options)
    names = _names(source, records, ACCEPTED_CSV)
    place = names.index(column_of_times(names, options, partial(source.error, 0), _cells(names, records[1:])))
    # Some programs write a space after each comma.
    is_spaced = len(names) > 1 and all(field.text.startswith(" ") for field in records[0][1:])
    read = _after_space if is_spaced else recording.of_text

    def time(text: str) -> float:
        return answer_times.time_of_text(text.strip(" ") if is_spaced else text, options)

    table = _Table(source, names, place, read, time, options)
    return table.answers(records[1:], lexical=True)


def _read_marked(
    source: TextFile, records: list[list[Field]], options: AnswersOptions
) -> recording.Recording:
    """Return the reports of a CSV table in which only the names of variables begin with ?."""
    header, *others = records
    raw = [field.text.strip() for field in header]
    time = raw.index(column_of_times(raw, options, partial(source.error, 0), _cells(raw, others)))
    places = [place for place, name in enumerate(raw) if place == time or name.startswith("?")]
    # A variable may have the name of the column of times.
    _names(source, [[header[place] for place in places if place != time]], ACCEPTED_CSV)
    kept: list[list[Field]] = []
    for record in others:
        try:
            check_width(source, record, raw)
        except LarsError as error:
            skip(options, source.text[record[0].offset : record[-1].end], error)
        else:
            kept.append([record[place] for place in places])
    at = places.index(time)
    texts = {field.text for record in kept for field in (*record[:at], *record[at + 1 :])}
    terms = {text: term_in(text) for text in texts}
    lexical = any(text and term is None for text, term in terms.items())
    if lexical:
        terms = dict(zip(terms, _texts([*terms.values()], [*terms]), strict=True))
    read_time = partial(answer_times.time_of_text, options=options)
    names = [raw[place].lstrip("?") for place in places]
    return _Table(source, names, at, terms.__getitem__, read_time, options).answers(kept, lexical=lexical)


def read_tsv(source: TextFile, options: AnswersOptions) -> recording.Recording:
    """Return the reports in SPARQL 1.1 TSV results, as `read_csv` does, but with exact RDF terms."""
    records = tsv_records(source)
    names = _names(source, records, ACCEPTED_TSV)
    column = column_of_times(names, options, partial(source.error, 0), _cells(names, records[1:]))

    def time(text: str) -> float:
        return read_time_term(tsv_term(text), column, options)

    return _Table(source, names, names.index(column), tsv_term, time, options).answers(
        records[1:], lexical=False
    )


def _after_space(text: str) -> str | None:
    return recording.of_text(text.lstrip(" "))


def _cells(names: list[str], records: list[list[Field]]) -> Callable[[str], Iterable[str]]:
    """Return a function that returns the texts in a column of the records that have all columns."""

    def texts(name: str) -> Iterable[str]:
        place = names.index(name)
        return (record[place].text.strip(" ") for record in records if len(record) == len(names))

    return texts


def _names(source: TextFile, records: list[list[Field]], accepted: str) -> list[str]:
    """Return the variables of the header, without ? or $."""
    if not records:
        raise source.error(0, f"the file is empty; expected {accepted}")
    names: list[str] = []
    for field in records[0]:
        name = field.text.strip()
        name = name[1:] if name[:1] in ("?", "$") else name
        if not _NAME.fullmatch(name) or name in names:
            if name in names:
                problem = f"found twice the variable {short(field.text)}; expected {accepted}"
            else:
                problem = f"found {short(field.text)} as the name of a column; {_naming(name)}"
            raise source.error(field.offset, problem)
        names.append(name)
    return names


def _naming(name: str) -> str:
    """Return what is expected in place of a text that cannot be the name of a column."""
    if _is_date_time(name) or _is_like_date(name):
        return "expected a first line with the names of the columns"
    if "|" in name:
        return "expected commas, semicolons or tabs between columns"
    fitting = re.sub(r"\W+", "_", name).strip("_")
    example = f", such as {fitting}" if _NAME.fullmatch(fitting) else ""
    return f"expected names of letters, digits and _{example}"


def tsv_term(text: str) -> str | None:
    """Return the RDF term of a TSV field in Turtle syntax; an empty field is unbound.

    >>> tsv_term("01"), tsv_term("<http://e/a>"), tsv_term("")
    ('"01"^^<http://www.w3.org/2001/XMLSchema#integer>', '<http://e/a>', None)
    """
    text = text.strip(" ")
    return unquote(text) or (canonical(text) if text else None)


def csv_records(source: TextFile, options: AnswersOptions) -> list[list[Field]]:
    """Return the records of a CSV text, without blank lines; raises LarsError with the place of an error.

    The first line determines whether commas, semicolons or tabs separate fields. The options of the `times`
    determine whether an invalid line is skipped.
    """
    fields: list[list[Field]] = []
    record: list[Field] = []
    text, at = source.text, 0
    check_line_ends(source.name, text)
    mark = delimiter_of(text.partition("\n")[0])
    while at < len(text) or record:
        try:
            field, at = _csv_field(source, at, mark)
            end = _END[mark].match(text, at)
            if end is None:
                found = short(text[at : at + 20])
                problem = f"found {found} after a field; expected {_CALLED[mark]}, or the end of the line"
                raise source.error(at, problem)
        except LarsError as error:
            start = record[0].offset if record else at
            stop = text.find("\n", start)
            stop = len(text) if stop < 0 else stop
            skip(options, text[start:stop].rstrip("\r"), error)
            at, record = stop + 1, []
            continue
        record.append(field)
        at = end.end()
        if end[0] != mark:
            fields.append(record)
            record = []
    return [record for record in fields if len(record) > 1 or record[0].text.strip()]


def _csv_field(source: TextFile, at: int, mark: str) -> tuple[Field, int]:
    if not source.text.startswith('"', at):
        match = _BARE[mark].match(source.text, at)
        end = at if match is None else match.end()
        return Field(source.text[at:end], at, end), end
    quoted = _QUOTED.match(source.text, at)
    if quoted is None:
        # A text with other lines behind the quote is complete.
        why = "" if source.text.find("\n", at) >= 0 else ", because the text is cut off"
        remedy = 'expected a closing quote, with "" for each quote inside the field'
        raise source.error(at, f"a quoted field does not end{why}; {remedy}")
    return Field(quoted[1].replace('""', '"'), at, quoted.end()), quoted.end()


def tsv_records(source: TextFile) -> list[list[Field]]:
    """Return the records of a TSV text, without blank lines."""
    records = []
    for line in source.lines():
        record, offset = [], line.offset
        for text in line.text.split("\t"):
            record.append(Field(text, offset, offset + len(text)))
            offset += len(text) + 1
        records.append(record)
    return records


def check_width(source: TextFile, record: list[Field], names: list[str]) -> None:
    """Raise LarsError for a record whose number of fields differs from the number of columns."""
    if len(record) != len(names):
        last = record[min(len(record), len(names) + 1) - 1]
        # A line with an end of line is complete: then a cell is missing.
        is_cut = len(record) < len(names) and not source.text[last.end :].strip('" ')
        problem = f"found {len(record)} fields{', because the text is cut off' if is_cut else ''}"
        raise source.error(last.offset, f"{problem}; expected {len(names)}, {', '.join(names)}")
