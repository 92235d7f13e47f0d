"""Tables with the user's own columns, which templates map to tables of triples.

A template is a term in Turtle in which {column} stands for the value of a cell.

- In an IRI, the characters of a cell that an IRI cannot contain are escaped. Only in <{column}> the cell is
  the whole IRI (as in R2RML, 2012, Section 7.3).
- _:{column} is a blank node for each value.
- {column} without other text is a literal with the type of the column, or a string. In CSV, a column has a
  type if all its cells are numbers as in Turtle, true and false, dates, or dateTimes.
- {row} is the number of the row, from 1, unless a column has this name.

A cell without a value gives no triple.
"""

import re
import warnings
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import reduce
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pc_csv
import pyarrow.parquet as pq

from lars.dataclass import dataclass
from lars.errors import LarsError, Place, PlacedError, placed_at, short_of
from lars.files import decode
from lars.language.terms import RDF_TYPE, XSD, Literal
from solver.columns import arrow_mask, mask_of
from solver.memory import memory_used, size_text
from solver.rdf import NotATerm, canonical, read_term, short, value
from solver.settings import TraceWarning
from solver.traces.formats import tables
from solver.traces.formats.csv_lines import FLOATING, INFINITE, csv_reader, delimiter_in, header_problem
from solver.traces.input_files import (
    ARROW,
    PARQUET,
    Fault,
    TraceFile,
    kept_rows,
    whole_lines,
    without_faults,
)
from solver.traces.trace_times import WHOLE_TIMES, cell_date_time

CELL: Final = re.compile(r"\{([^{}]+)\}")
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9\-._~\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef\U00010000-\U000efffd]")
_BLANK: Final = "_:"
_NOT_IN_LABEL: Final = re.compile(r"[^A-Za-z0-9]")
_LITERAL: Final = re.compile(r'"(?P<text>.*)"(?:\^\^(?P<type>\S+)|@(?P<tag>[A-Za-z0-9\-]+))?', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Template:
    """A template of an RDF term, in which cells of a table replace the names of columns.

    The field `columns` contains the names of columns in the template. The field `texts` contains the texts
    before, between and after these names. The function `writer` returns the text that replaces a name; if it
    is None, the template is a single cell, whose value is a literal with the type of the column.
    """

    texts: tuple[str, ...]
    columns: tuple[str, ...]
    writer: Callable[[str], str] | None


def read_template(text: str, prefixes: Mapping[str, str]) -> Template:
    """Return the template that a text denotes.

    Raises:
        LarsError: The template does not give an RDF term after cells replace the names of columns.

    >>> read_template("ex:place/{place}", {"ex": "http://e/"}).texts
    ('<http://e/place/', '>')
    >>> read_template("_:{row}", {}).texts
    ('_:c', '')
    """
    if alone := CELL.fullmatch(text):
        return Template(("", ""), (alone[1],), None)
    if literal := _LITERAL.fullmatch(text):
        behind = f"^^{_iri(literal['type'], prefixes)}" if literal["type"] else ""
        behind = behind or (f"@{literal['tag']}" if literal["tag"] else "")
        opened, *between = (_escaped(_unescaped(part)) for part in CELL.split(literal["text"])[::2])
        texts = [f'"{opened}', *between]
        texts[-1] += f'"{behind}'
        _check(text, texts)
        return Template(tuple(texts), tuple(CELL.findall(text)), _escaped)
    if text.startswith(_BLANK) and CELL.search(text):
        # A label may not begin with everything that a cell can.
        texts = CELL.split(f"{_BLANK}c{text.removeprefix(_BLANK)}")[::2]
        _check(text, texts)
        return Template(tuple(texts), tuple(CELL.findall(text)), _in_label)
    whole = text[1:-1] if re.fullmatch(r"<\{[^{}]+\}>", text) else None
    iri = f"<{whole}>" if whole else _iri(text, prefixes)
    texts = CELL.split(iri)[::2]
    if not whole:
        _check(text, texts)
    return Template(tuple(texts), tuple(CELL.findall(iri)), str if whole else _safe)


def _unescaped(part: str) -> str:
    """Return a part of the text of a literal in Turtle with characters in place of escapes."""
    return _lexical(f'"{part}"') if "\\" in part else part


def _check(template: str, texts: Sequence[str]) -> None:
    """Raise LarsError if a template does not give an RDF term after cells replace the names of columns."""
    try:
        canonical("0".join(texts))
    except NotATerm as error:
        raise LarsError(f"the template {short(template)} is not an RDF term: {error}") from None


def _iri(text: str, prefixes: Mapping[str, str]) -> str:
    """Return the IRI that a text in Turtle denotes, in < >; the IRI may contain names of columns in { }.

    Raises:
        LarsError: The text is not an IRI, or its prefix is not declared.
    """
    if text.startswith("<") and text.endswith(">"):
        return text
    if text == "a":
        return str(RDF_TYPE)
    prefix, colon, local = text.partition(":")
    known = {"xsd": XSD, **prefixes}
    if colon and prefix in known and not local.startswith("//"):
        return f"<{known[prefix]}{local}>"
    if colon and local.startswith("//"):
        return f"<{text}>"
    names = ", ".join(f"{name}:" for name in known)
    if colon and re.fullmatch(r"[\w.-]*", prefix):
        remedy = f"--prefix {prefix}=IRI, or a line below [prefixes] in the experiment (known: {names})"
        raise LarsError(f"the template {short(text)} uses the undeclared prefix {prefix}:; use {remedy}")
    accepted = f'an IRI (with or without < >, or with a prefix: {names}), a "literal", or {{column}}'
    raise LarsError(f"found the template {short(text)}; expected {accepted}")


def _safe(value: str) -> str:
    """Return the text of a cell with escapes for all characters that an IRI cannot contain (R2RML)."""
    return _UNSAFE.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), value)


def _in_label(value: str) -> str:
    """Return the text of a cell as a part of a blank node label; different texts give different parts."""
    return _NOT_IN_LABEL.sub(lambda match: "".join(f"_{byte:02X}" for byte in match[0].encode()), value)


def _escaped(value: str) -> str:
    """Return a text with the escapes that are necessary between the quotes of a literal."""
    return str(Literal(value))[1:-1]


def read_predicate(text: str, prefixes: Mapping[str, str]) -> str:
    """Return the IRI of the predicate that a text denotes.

    Raises:
        LarsError: The text is not an IRI, or contains the name of a column in { }.
    """
    if found := CELL.search(text):
        raise LarsError(
            f"cannot use {short(text)} as a predicate: a predicate must be the same in each row; use one "
            f"predicate for each column, such as ex:{found[1]} = ex:{found[0]}, and match the values of the "
            "column in the query"
        )
    iri = _iri(text, prefixes)
    _check(text, [iri])
    return iri


Columns = tuple[tuple[str, str], ...]
"""A mapping of columns to triples: pairs of a target and the template of its value.

A target is t (the time), s (the subject), stream (optional), or a predicate, whose template gives the object.
"""
ROW: Final = "row"
"""The column of a mapped table with the row's number in the user's table; templates use {row} too."""
_TIME: Final = b"lars:time"
"""The key of a mapped table's metadata whose value is the name of the user's column of times."""
ACCEPTED: Final = "columns with t = {column}, s and at least one predicate, such as ex:at = ex:place/{place}"
_OWN: Final = ("t", "stream", "s")


class _Table(NamedTuple):
    """The columns of a user's table, by name; cells of columns in `literals` are literals as in N-Triples.

    The field `text_file` is the CSV file with the cells. If it is None, the columns of the table have types.
    """

    path: str
    columns: dict[str, pa.Array]
    text_file: Path | None
    literals: frozenset[str] = frozenset()
    rows: pa.Array = None

    def terms(self, template: Template) -> pa.Array:
        """Return the term that a template gives for each row; null if a cell has no value."""
        if template.writer is None:
            (name,) = template.columns
            column = self.columns[name]
            if name in self.literals:
                return column
            # The column of row numbers has a type in CSV, too.
            plain = self.text_file if tables.is_text(column.type) else None
            kind = None if plain is None else _kind(column)
            # The cells of a column with a kind are all values of it.
            if plain is not None and kind is None and (odd := _oddity(column)) is not None:
                [place] = _places_in_csv(self.path, plain, [odd[0] + 1])
                message = f"{self.path}:{place.line}: the column {name} holds texts: {odd[1]}"
                warnings.warn(TraceWarning(message), stacklevel=2)
            self.check(name)
            return _own_literals(column, kind)
        parts: list[pa.Array | str] = [template.texts[0]]
        for name, text in zip(template.columns, template.texts[1:], strict=True):
            parts += [_rewritten(self.texts(name), template.writer), text]
        if not template.columns:
            return pa.array(template.texts * len(next(iter(self.columns.values()))), pa.string())
        return pc.binary_join_element_wise(*parts, "")

    def check(self, name: str) -> None:
        """Raise LarsError if the values of a column, such as lists, cannot be RDF literals."""
        kind = self.columns[name].type
        if not tables.is_text(kind) and tables.datatype_of(kind) is None:
            problem = f"the column {name} has the type {kind}"
            raise LarsError(
                f"{self.path}: {problem}; expected texts, numbers, true and false, dates, timestamps"
            )

    def texts(self, name: str) -> pa.Array:
        """Return the cells of a column as texts; for dateTimes and numbers, the texts are lexical forms."""
        column = self.columns[name]
        if tables.is_text(column.type) and name not in self.literals:
            return column.cast(pa.string())
        self.check(name)
        terms = column if name in self.literals else tables.literals(column).cast(pa.string())
        return _rewritten(terms, _lexical)


def _lexical(text: str) -> str:
    term = read_term(text)
    assert isinstance(term, Literal)
    return term.lexical


def _rewritten(column: pa.Array, written: Callable[[str], str]) -> pa.Array:
    encoded = column.dictionary_encode()
    texts = pa.array(map(written, encoded.dictionary.to_pylist()), pa.string())
    return pa.DictionaryArray.from_arrays(encoded.indices, texts).cast(pa.string())


_NUMBERS: Final = (
    ("integer", r"[+-]?[0-9]+"),
    ("decimal", r"[+-]?([0-9]+(\.[0-9]+)?|\.[0-9]+)"),
    ("double", "|".join((FLOATING, *INFINITE))),
    ("boolean", r"(?i:true|false)"),
    ("date", r"[0-9]{4}-[0-9]{2}-[0-9]{2}"),
    # A date alone is none: the column keeps its texts.
    ("dateTime", r"[^T ]+[T ].+"),
)


NULL_WORDS: Final = frozenset(
    (
        "-",
        "--",
        "?",
        "n/a",
        "N/A",
        "na",
        "NA",
        "nan",
        "NaN",
        "nil",
        "none",
        "None",
        "null",
        "NULL",
        "\\N",
        ".",
    )
)
"""Words that tables often contain in place of a missing value."""
_NUMERIC: Final = ("integer", "decimal", "double")
NUMBER: Final = re.compile(_NUMBERS[2][1])


def _kind(column: pa.Array) -> str | None:
    """Return the XSD type to which all texts of a column belong; None if no such type exists."""
    return _type_of(column.drop_null().unique().to_pylist())


def _own_literals(column: pa.Array, name: str | None) -> pa.Array:
    if not tables.is_text(column.type):
        return tables.literals(column).cast(pa.string())
    texts = column.cast(pa.string())
    if name in _NUMERIC:
        texts = pc.utf8_trim_whitespace(texts)
    if name == "dateTime":
        texts = _rewritten(texts, _date_time)
    if name == "boolean":
        texts = pc.utf8_lower(texts)
    datatype = XSD + (name or "string")
    return _rewritten(texts, lambda text: str(Literal(text, datatype)))


_KINDS: Final = (
    ("number", rf"^\s*(?:{_NUMBERS[2][1]})\s*$"),
    ("boolean", "^(?i:true|false)$"),
    ("date", "^-?[0-9]{4,}-[0-9]{2}-[0-9]{2}$"),
    ("dateTime", "^-?[0-9]{4,}-[0-9]{2}-[0-9]{2}[T ].+$"),
)
"""The types of cells other than plain texts, each with the pattern of such cells."""


_OTHER_NUMBERS: Final = (
    (r"^\s*[+-]?[0-9][0-9.]*,[0-9]+\s*$", "write decimals with a point"),
    (
        "^\\s*[+-]?[0-9]{1,3}([ _,'’\u00a0\u202f][0-9]{3})+([.][0-9]+)?\\s*$",
        "write digits without separators",
    ),
)
"""Patterns of numbers in notations that lars does not read, each with the remedy."""


def _oddity(column: pa.Array) -> tuple[int, str] | None:
    """Return the index of a cell in a text column that seems to be a mistake, and the reason.

    A cell seems to be a mistake if most cells of the column are numbers, booleans, dates or dateTimes, and
    this cell is not. If most cells are numbers with a decimal comma or with separators of thousands, the
    first of these cells is the mistake.

    Returns:
        None if no cell seems to be a mistake.
    """
    most = (len(column) - column.null_count) / 2
    for pattern, remedy in _OTHER_NUMBERS:
        fits = pc.match_substring_regex(column, pattern)
        if (pc.sum(fits).as_py() or 0) > most:
            index = pc.index(fits, True).as_py()
            return index, f"{short(column[index].as_py())} is not a number; {remedy}"
    for kind, pattern in _KINDS:
        fits = pc.match_substring_regex(column, pattern)
        if not (pc.sum(fits).as_py() or 0) > most:
            continue
        # A day such as 2026-02-30 has the form of a date.
        false = [text for text in column.filter(fits).unique().to_pylist() if not _is_value(kind, text)]
        odds = pc.or_(pc.invert(fits), pc.is_in(column, value_set=pa.array(false, pa.string())))
        index = pc.index(odds, True).as_py()
        if index < 0 or not (pc.sum(odds).as_py() or 0) < most:
            return None
        odd = column[index].as_py()
        remedy = f"; use --null '{odd}' if it stands for a missing value" if odd in NULL_WORDS else ""
        return index, (
            f"{short(odd)} is not a {kind}, but most cells of the column are {kind}s. "
            f"The cells are read as {kind}s only if all cells are {kind}s or empty{remedy}"
        )
    return None


def _type_of(texts: Sequence[str]) -> str | None:
    """Return the XSD type to which all texts belong, or None if no such type exists."""
    if not texts:
        return None
    for name, pattern in _NUMBERS:
        if all(re.fullmatch(pattern, text.strip() if name in _NUMERIC else text) for text in texts):
            return name if all(_is_value(name, text) for text in texts) else None
    return None


def _is_value(name: str, text: str) -> bool:
    """Return whether a text is a value of an XSD type; for example, 2020-02-30 is not a date."""
    if name not in ("date", "dateTime"):
        return True
    written = text if name == "date" else _date_time(text)
    return value(Literal(written, XSD + name)) is not None


def _date_time(text: str) -> str:
    """Return a dateTime of a table in the notation of XSD; any other text is unchanged."""
    return cell_date_time(text) or text


def write_mapped(  # noqa: PLR0913 - a table, its mapping, its copy
    path: str,
    plain: Path,
    mapping: Columns,
    prefixes: Mapping[str, str],
    made: Path,
    *,
    nulls: Sequence[str] = (),
    skipped: Sequence[Fault] = (),
    dropped: Sequence[Fault] = (),
) -> None:
    """Convert a table by a mapping to triples, and write the triples as Parquet to the file `made`.

    The argument `nulls` contains texts of cells without a value. Rows in `skipped` are not in the table, but
    count in the numbers of its rows. Rows in `dropped` are the faulty rows of `faulty_rows`.

    Raises:
        LarsError: The table or its mapping is invalid.
    """
    columns_wanted = dict(mapping)
    predicates = [(key, text) for key, text in mapping if key not in _OWN]
    if not predicates or "t" not in columns_wanted or "s" not in columns_wanted:
        missing = [name for name in ("t", "s") if name not in columns_wanted]
        missing += [] if predicates else ["predicate"]
        raise LarsError(
            f"{path}: the mapping of columns has no {' and no '.join(missing)}; expected {ACCEPTED}"
        )
    time = CELL.fullmatch(columns_wanted["t"])
    if time is None:
        raise LarsError(
            f"{path}: found t = {short(columns_wanted['t'])}; expected {{column}}, the column of times"
        )
    own = [columns_wanted[key] for key in ("s", "stream") if key in columns_wanted]
    header, templates, names = column_names(path, plain), list[Template](), [time[1]]
    _check_columns(path, header, columns_wanted["t"], names)
    for text in (*own, *(text for _, text in predicates)):
        with placed_at(text):
            templates.append(read_template(text, prefixes))
        _check_columns(path, header, text, templates[-1].columns)
        names += templates[-1].columns
    table = _read(path, plain, names, nulls, skipped=skipped, dropped=dropped)
    subject, *rest = [table.terms(template) for template in templates]
    stream = rest.pop(0) if "stream" in columns_wanted else None
    written: list[str] = []
    for key, _ in predicates:
        with placed_at(key):
            written.append(read_predicate(key, prefixes))
    objects = list(zip(written, rest, strict=True))
    try:
        triples = _triples((table.rows, _times(table, time[1])), stream, subject, objects)
        pq.write_table(triples.replace_schema_metadata({_TIME: time[1]}), made)
    except (pa.ArrowException, OSError) as error:
        short_of(path, error)
        raise


_BYTES_EACH: Final = 40
"""The bytes of memory that the conversion of a CSV table takes for each byte; measured, at most."""


def conversion(path: str, plain: Path) -> str:
    """Return a description of the conversion of a table; for CSV, with the memory that it takes."""
    if _is_parquet(plain):
        return f"converting the columns of {path}"
    size = size_text(memory_used() + _BYTES_EACH * plain.stat().st_size)
    return f"converting the columns of {path}, which takes about {size}"


def _check_columns(path: str, header: Sequence[str], text: str, names: Sequence[str]) -> None:
    """Raise LarsError if the template `text` names a column that the table does not have."""
    for name in names:
        if name not in header and name != ROW:
            if problem := header_problem(header):
                raise PlacedError(Place(path, 1, 1, ",".join(header)), problem)
            close = " or ".join(get_close_matches(name, header, 2))
            meant = f" (did you mean {close}?)" if close else ""
            with placed_at(text):
                raise LarsError(f"{path} has no column {name}{meant}; its columns are {', '.join(header)}")


def _times(table: _Table, name: str) -> pa.Array:
    column = table.columns[name]
    kind = column.type
    if pa.types.is_floating(kind):
        raise LarsError(f"{table.path}: the column {name} has times with fractions; {WHOLE_TIMES}")
    if tables.is_text(kind):
        return table.texts(name)
    if pa.types.is_integer(kind) or tables.is_dated(kind):
        return column
    problem = f"the column {name} has times of the type {kind}"
    raise LarsError(f"{table.path}: {problem}; expected integers, texts, dates, timestamps")


def _triples(
    timed: tuple[pa.Array, pa.Array],
    stream: pa.Array | None,
    subject: pa.Array,
    objects: Sequence[tuple[str, pa.Array]],
) -> pa.Table:
    """Return the triples of all rows in order, without triples in which a term is null.

    The argument `timed` contains the numbers and the times of the rows.
    """
    row_numbers, times = timed
    rows, each = len(times), len(objects)
    numbers = pa.array(np.repeat(np.arange(rows), each))
    across = pa.concat_arrays([column for _, column in objects])
    turned = (np.arange(rows)[:, None] + rows * np.arange(each)[None, :]).ravel()
    table = pa.table(
        {
            "t": times.take(numbers),
            **({} if stream is None else {"stream": stream.take(numbers)}),
            "s": subject.take(numbers),
            "p": pa.DictionaryArray.from_arrays(
                pa.array(np.tile(np.arange(each, dtype=np.int32), rows)),
                pa.array([name for name, _ in objects]),
            ),
            "o": across.take(pa.array(turned)),
            ROW: row_numbers.take(numbers),
        }
    )
    terms = [pc.is_valid(table[name]) for name in ("stream", "s", "o") if name in table.column_names]
    return table.filter(reduce(pc.and_, terms))


def column_names(path: str, plain: Path) -> tuple[str, ...]:
    """Return the column names of a table in CSV or Parquet.

    Raises:
        LarsError: The table cannot be read, for example because it has no header.
    """
    try:
        if _is_parquet(plain):
            return tuple(pq.read_schema(plain).names)
        # Arrow would also read rows, which can be invalid.
        names = tuple(next(_csv_rows(plain), (1, "", ()))[2])
    except (pa.ArrowException, OSError) as error:
        short_of(path, error)
        raise _fault(path, plain, str(error)) from None
    if not names or any(map(_SURROGATE.search, names)):
        raise _fault(path, plain, "its header is invalid")
    return names


def columns_without_terms(plain: Path) -> tuple[str, ...]:
    """Return the columns of a table whose values no term can contain, such as lists; () for CSV."""
    if not _is_parquet(plain):
        return ()
    kinds = {field.name: field.type for field in pq.read_schema(plain)}
    return tuple(
        name
        for name, kind in kinds.items()
        if not tables.is_text(kind) and not pa.types.is_null(kind) and tables.datatype_of(kind) is None
    )


def _is_parquet(plain: Path) -> bool:
    with plain.open("rb") as file:
        return file.read(len(PARQUET)) == PARQUET


def _read(  # noqa: PLR0913 - a table, its columns, and rows to leave out
    path: str,
    plain: Path,
    names: Sequence[str],
    nulls: Sequence[str],
    *,
    skipped: Sequence[Fault] = (),
    dropped: Sequence[Fault] = (),
) -> _Table:
    """Read columns of a table.

    Rows in `skipped` are not in the file; rows in `dropped` are in a file of typed values, and are left out.
    """
    header = column_names(path, plain)
    texts = [name for name in dict.fromkeys(names) if name != ROW or name in header]
    if twice := [name for name in texts if header.count(name) > 1]:
        raise LarsError(f"{path}: two columns have the name {twice[0]}; use a different name for each column")
    is_parquet = _is_parquet(plain)
    try:
        if is_parquet:
            table = tables.storable(pq.read_table(plain, columns=texts))
        else:
            table = _csv_table(path, plain, texts, len(header))
    except (pa.ArrowException, OSError) as error:
        short_of(path, error)
        raise _fault(path, plain, str(error)) from None
    columns, marked = {name: _chunk(table.column(name)) for name in texts}, _marked(table.schema)
    rows = kept_rows(table.num_rows, skipped if is_parquet else (*skipped, *dropped))
    if is_parquet:
        columns = {name: _texts_as_bytes(column) for name, column in columns.items()}
        if dropped:
            left = np.isin(rows, [row for row, *_ in dropped], invert=True)
            rows, columns = rows[left], {name: own.filter(arrow_mask(left)) for name, own in columns.items()}
        lists = _lines_of_json(path) is not None
        if first := min(_odd_cells(columns, marked, lists=lists), default=None):
            raise PlacedError(_place_of_cell(path, plain, int(rows[first[0]]), first[1]), first[2])
        # The other cells of such a column of JSON have no value.
        empty = pa.nulls(len(rows), pa.string())
        columns = {
            name: empty if lists and pa.types.is_nested(own.type) else own for name, own in columns.items()
        }
    for name, column in columns.items():
        whole = column.cast(pa.string()) if tables.is_text(column.type) else column
        columns[name] = _without_words(whole, nulls, marked=name in marked)
    numbers = pa.array(rows)
    if ROW in names and ROW not in header:
        columns[ROW] = numbers
    return _Table(path, columns, None if is_parquet else plain, marked, numbers)


def _csv_table(path: str, plain: Path, names: Sequence[str], width: int) -> pa.Table:
    """Return columns of a CSV file, as texts; `width` is the number of all columns."""
    options = pc_csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()),
        include_columns=names,
        strings_can_be_null=True,
        null_values=[""],
    )
    # A quote that stays open contains the row behind the file.
    behind = delimiter_in(plain).join([_BEHIND] * width)
    data = pa.py_buffer(b"".join((plain.read_bytes(), f"\n{behind}\n".encode())))
    table = pc_csv.read_csv(pa.BufferReader(data), parse_options=_csv(plain), convert_options=options)
    if any(column[-1].as_py() != _BEHIND for column in table.itercolumns()):
        _check_closed(path, plain)
    return table.slice(0, table.num_rows - 1)


def _without_words(column: pa.Array, words: Sequence[str], *, marked: bool) -> pa.Array:
    """Return a column with null in place of the cells with one of the given texts.

    The cells of a `marked` column are literals as in N-Triples.
    """
    if not words or not (tables.is_text(column.type) or tables.datatype_of(column.type)):
        return column
    texts, values = column, [*words]
    if marked:
        kinds = ("string", "integer", "double", "boolean")
        values = [str(Literal(word, XSD + kind)) for word in words for kind in kinds]
    elif not tables.is_text(column.type):
        texts = tables.literals(column).cast(pa.string())
        values = [str(Literal(word, XSD + str(tables.datatype_of(column.type)))) for word in words]
    are_null = pc.is_in(texts, value_set=pa.array(values, pa.string()))
    return pc.if_else(are_null, pa.scalar(None, column.type), column)


def _texts_as_bytes(column: pa.Array) -> pa.Array:
    """Return a column of texts as bytes, which need not be valid; any other column is unchanged."""
    if not tables.is_text(column.type):
        return column
    plain = column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
    return plain.cast(pa.large_binary() if pa.types.is_large_string(plain.type) else pa.binary())


def _odd_cells(
    columns: Mapping[str, pa.Array], marked: Collection[str], *, lists: bool
) -> Iterator[tuple[int, str, str]]:
    """Yield the cells that no term can contain: the index of the row, the column, and the problem.

    These are bytes that are not valid UTF-8. If `lists` is true (in JSON), these are also lists and objects.
    """
    for name, column in columns.items():
        if lists and pa.types.is_nested(column.type):
            odd, problem = column.is_valid(), _NESTED
        elif name in marked:
            odd, problem = pc.invert(pc.starts_with(column, '"')), _NESTED
        elif tables.is_text(column.type) and not _are_utf_8(column):
            valid = [_are_utf_8(column[row : row + 1]) for row in range(len(column))]
            odd, problem = pc.invert(pa.array(valid)), _BYTES
        else:
            continue
        for row in np.flatnonzero(mask_of(odd)).tolist():
            yield row, name, problem.format(name)


_NESTED: Final = "the column {} has a list or an object; expected a text, a number, true, false or null"
_BYTES: Final = "the column {} has bytes that are not valid UTF-8; expected UTF-8"


def _are_utf_8(column: pa.Array) -> bool:
    try:
        column.cast(pa.string() if pa.types.is_binary(column.type) else pa.large_string())
    except pa.ArrowInvalid:
        return False
    return True


def _lines_of_json(path: str) -> Path | None:
    """Return the user's file, given its name, if it contains JSON lines; otherwise None."""
    plain = tables.text_file(path)
    return plain if plain is not None and tables.is_json(_start(plain)) else None


def _place_of_cell(path: str, plain: Path, row: int, name: str) -> Place:
    """Return the place of a cell in the user's table of typed values, given the number of its row."""
    if (text := _lines_of_json(path)) is not None:
        return whole_lines(path, text, tables.lines_of_rows(text, [row]))[0]
    return tables.places_in_rows(path, plain, [(row, name)])[0]


def _csv(plain: Path) -> pc_csv.ParseOptions:
    return pc_csv.ParseOptions(delimiter=delimiter_in(plain), newlines_in_values=True)


_PART: Final = 2**24


def _csv_rows(plain: Path, behind: str = "") -> Iterator[tuple[int, str, Sequence[str]]]:
    """Yield the header and the nonempty rows of a CSV file: the first line, the text and the cells of each.

    As for Arrow, CR without LF ends a row, too. Lines are counted by LF, or by CR in a file without LF. Text
    may follow a closing quote.
    Bytes that are not valid UTF-8 become surrogates. The text `behind` follows the file.
    """
    pulled: list[tuple[int, str]] = []

    def pieces(file: Iterable[bytes]) -> Iterator[str]:
        number = 0
        for number, line in enumerate(file, 1):
            text = line.decode("utf-8", "surrogateescape")
            text = text.removeprefix("\ufeff") if number == 1 else text
            each = number == 1 and not text.endswith("\n")
            for after, piece in enumerate(_PIECES.findall(text) if "\r" in text[:-2] else (text,)):
                pulled.append((number + after * each, piece))
                yield piece
        if behind:
            pulled.append((number, behind))
            yield behind

    with plain.open("rb") as file:
        for row in csv_reader(pieces(file), delimiter_in(plain)):
            if row:
                yield pulled[0][0], "".join(piece for _, piece in pulled), row
            pulled.clear()


_END: Final = re.compile(r"[\r\n]")
_PIECES: Final = re.compile(r"[^\r]*\r\n?|[^\r]+")


def _places_in_csv(path: str, plain: Path, rows: Collection[int]) -> list[Place]:
    """Return the places of rows with given numbers; lines and rows (without the header) count from 1."""
    wanted = set(rows)
    found = {
        number: _place_of_row(path, line, text)
        for number, (line, text, _) in enumerate(islice(_csv_rows(plain), max(wanted) + 1))
        if number in wanted
    }
    return [found[row] for row in rows]


def _place_of_row(path: str, line: int, text: str) -> Place:
    """Return the place of a row of CSV, with its whole text, which may have several lines."""
    written = text.rstrip("\r\n").encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return Place(path, line, 1, written)


_BEHIND: Final = "end"


def _check_closed(path: str, plain: Path) -> None:
    """Raise PlacedError if a CSV file has an opening quote without a closing quote.

    Arrow would read all text after this quote as one cell.
    """
    [(line, text, _)] = deque(_csv_rows(plain, _BEHIND), maxlen=1)
    if text != _BEHIND:
        problem = (
            "found an opening quote without a closing quote; expected cells in quotes with inner "
            "quotes doubled"
        )
        raise PlacedError(_place_of_row(path, line, _END.split(text)[0]), problem)


def faulty_rows(
    path: str, plain: Path, mapping: Columns, skipped: Sequence[Fault] = ()
) -> tuple[list[Fault], Path]:
    """Return the faulty rows of a table, and the file from which `write_mapped` reads the other rows.

    In CSV, these rows have another number of cells than the header, or invalid bytes. In other tables, they
    have invalid bytes, or lists and objects of JSON. Only the columns of the mapping are checked. Rows in
    `skipped` are not in the file.

    Raises:
        PlacedError: A faulty row of CSV is not exactly one line. The lines may contain valid rows.
    """
    names = {name for _, text in mapping for name in CELL.findall(text)}
    if _is_parquet(plain):
        return _faulty_cells(path, plain, names, skipped), plain
    faults = _faulty_lines(path, plain, names)
    return faults, without_faults(plain, faults)


def _faulty_cells(path: str, plain: Path, names: Collection[str], skipped: Sequence[Fault]) -> list[Fault]:
    table = pq.read_table(plain, columns=[name for name in column_names(path, plain) if name in names])
    columns = {name: _texts_as_bytes(_chunk(table.column(name))) for name in table.column_names}
    lists, rows = _lines_of_json(path) is not None, kept_rows(table.num_rows, skipped)
    first = dict[int, tuple[str, str]]()
    for row, name, problem in sorted(_odd_cells(columns, _marked(table.schema), lists=lists)):
        first.setdefault(row, (name, problem))
    return [
        (int(rows[row]), _place_of_cell(path, plain, int(rows[row]), name), problem)
        for row, (name, problem) in first.items()
    ]


def _marked(schema: pa.Schema) -> frozenset[str]:
    """Return the columns of texts that contain literals as in N-Triples."""
    return frozenset(field.name for field in schema if field.metadata == tables.WHOLE)


def _faulty_lines(path: str, plain: Path, names: Collection[str]) -> list[Fault]:
    faults: list[Fault] = []
    try:
        _check_closed(path, plain)
    except PlacedError as error:
        raise PlacedError(error.place, f"{error.problem}; {_NOT_SKIPPED.format(_QUOTE)}") from None
    rows = _csv_rows(plain)
    _, before, header = next(rows, (1, "", ()))
    used = [number for number, name in enumerate(header) if name in names]
    for number, (line, text, row) in enumerate(rows, 1):
        problem = None
        if len(row) != len(header):
            problem = f"found {len(row)} fields; expected {len(header)}, as in the header"
        elif any(_SURROGATE.search(row[place]) for place in used):
            problem = "found bytes that are not valid UTF-8; expected UTF-8"
        if problem is not None:
            place = _place_of_row(path, line, text)
            odd = _QUOTE if "\n" in place.line_text else _RETURN if "\r" in (before[-1:], text[-1:]) else None
            if odd is not None:
                raise PlacedError(place, f"{problem}; {_NOT_SKIPPED.format(odd)}")
            faults.append((number, place, problem))
        before = text
    return faults


_SURROGATE: Final = re.compile(r"[\udc80-\udcff]")
_NOT_SKIPPED: Final = "--on-error skip does not skip a row {}, because it may contain valid lines"
_QUOTE: Final = "with a quote over several lines"
_RETURN: Final = "whose line ends with CR without LF"


def _fault(path: str, plain: Path, problem: str) -> LarsError:
    """Return the error that Arrow cannot read a table; for CSV, the error contains the invalid line."""
    if not _is_parquet(plain):
        data = plain.read_bytes()
        decode(path, data if b"\n" in data else data.replace(b"\r", b"\n"), "CSV")
        _check_closed(path, plain)
        rows = _csv_rows(plain)
        width = len(next(rows, (1, "", ()))[2])
        if not width:
            reason = "it has no header; use a first line with the names of the columns"
            return LarsError(f"{path}: cannot read the table: {reason}")
        for line, text, row in rows:
            if len(row) != width:
                problem = f"found {len(row)} fields; expected {width}, as in the header"
                return PlacedError(_place_of_row(path, line, text), problem)
    return LarsError(f"{path}: cannot be read: {short(problem)}")


def _chunk(column: pa.ChunkedArray) -> pa.Array:
    chunk = column.combine_chunks()
    return chunk if isinstance(chunk, pa.Array) else pa.concat_arrays(chunk.chunks)


class MappedTable(tables.ParquetTable):
    """The format of triples that a mapping made from a user's table; errors contain places in that table."""

    is_mapped = True

    def borders(self, source: TraceFile, each: int) -> Sequence[int]:
        """Return the numbers of triples at which the file is divided; a row's triples are in one part."""
        borders = super().borders(source, each)
        rows = _rows_of_table(source.file).to_numpy() if borders else ()
        return sorted({int(np.searchsorted(rows, rows[border])) for border in borders} - {0})

    def placed(self, source: TraceFile, places: Sequence[Place]) -> list[Place]:
        """Return the places in the user's table of rows of triples: lines, or row numbers."""
        numbers = _rows_of_table(source.file).to_numpy()
        rows, plain = [int(numbers[place.line - 1]) for place in places], tables.text_file(source.path)
        metadata = pq.read_schema(source.file).metadata or {}
        # Column 1 of the mapped table is the time.
        time = metadata.get(_TIME, b"").decode()
        cells = [(row, time if place.column == 1 else "") for row, place in zip(rows, places, strict=True)]
        if plain is None:
            return [replace(place, line=row, column=1) for place, row in zip(places, rows, strict=True)]
        if tables.is_json(start := _start(plain)):
            return whole_lines(source.path, plain, tables.lines_of_rows(plain, rows))
        if start.startswith((*ARROW, PARQUET)):
            return tables.places_in_rows(source.path, tables.plain_table(source.path, plain), cells)
        column = _column_of_csv(plain)
        return [
            replace(own, column=column(own.line_text, name))
            for own, (_, name) in zip(_places_in_csv(source.path, plain, rows), cells, strict=True)
        ]

    def element_numbers(self, source: TraceFile) -> Sequence[int] | None:
        """Return, for each triple, the number of its row in the user's table; a row is one element."""
        rows: list[int] = _rows_of_table(source.file).to_pylist()
        return rows


def _start(plain: Path) -> bytes:
    with plain.open("rb") as file:
        return file.read(_PART)


def _column_of_csv(plain: Path) -> Callable[[str, str], int]:
    """Return a function that maps a line of CSV and a name to the place in the line where its cell starts.

    The place counts from 1. It is 1 if the line contains quotes or the table has no column of that name.
    """
    header, delimiter = next(_csv_rows(plain), (1, "", ()))[2], delimiter_in(plain)

    def start(line: str, name: str) -> int:
        before = line.split(delimiter)[: header.index(name)] if name in header else []
        return 1 if '"' in line else 1 + sum(len(cell) + len(delimiter) for cell in before)

    return start


def _rows_of_table(file: Path) -> pa.ChunkedArray:
    return pq.read_table(file, columns=[ROW]).column(ROW)


def cells_of_table(
    path: str, plain: Path, wanted: Collection[str] | None = None
) -> dict[str, tuple[bool, list[str | None]]]:
    """Map each column to a boolean (whether its cells are plain texts) and to the texts of its cells.

    The texts of typed columns are literals as in N-Triples. If `wanted` is not None, the result contains only
    the columns with these names.

    Raises:
        LarsError: No RDF literal has the type of a column.
    """
    names = [name for name in column_names(path, plain) if wanted is None or name in wanted]
    table = _read(path, plain, names, ())
    cells: dict[str, tuple[bool, list[str | None]]] = {}
    for name in names:
        table.check(name)
        column = table.columns[name]
        texts = column.cast(pa.string()) if tables.is_text(column.type) else _own_literals(column, None)
        cells[name] = tables.is_text(column.type) and name not in table.literals, texts.to_pylist()
    return cells
