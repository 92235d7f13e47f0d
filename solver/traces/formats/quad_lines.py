"""Formats with one triple per line: timed N-Triples, timed N-Quads, and the notation of YABench."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from lars.durations import MILLISECOND
from solver import rdf
from solver.columns import Array, Mask, TermCodes
from solver.facts import Triple
from solver.settings import TraceOptions
from solver.traces import input_files
from solver.traces.formats.lines import LineFormat
from solver.traces.trace_times import Instant, MalformedPart, read_time

if TYPE_CHECKING:
    from solver.traces.formats.cell_columns import Lines

ACCEPTED_LINE: Final = '<s> <p> <o> "t" . or <s> <p> <o> <stream> "t" .'

_WITHOUT_STREAM, _WITH_STREAM = 4, 5
_TOKEN = re.compile(
    r'(?P<iri><[^<>\s"]*>)'
    r'|(?P<quoted>"[^"\\]*(?:\\.[^"\\]*)*"(?:\^\^<[^<>\s]*>|@[A-Za-z0-9-]+)?)'
    r'|(?P<blank>_:[^\s<>"]*[^\s<>".])'
    r"|(?P<end>\.(?=[ \t#]|$))"
    r'|(?P<bare>[^\s<>"#.](?:(?!\^\^<)[^\s<>"])*(?:\^\^<[^<>\s]*>)?(?=[ \t]|$))'
)
_BLANKS = re.compile(r"[ \t]*(?:#.*)?", re.DOTALL)
_QUOTED_TIME = re.compile(r'"([^"\\]*)"(?:\^\^<([^<>]*)>)?')
_BARE = re.compile(
    r"(?P<lexical>.*?)(?:\^\^<?(?P<datatype>[A-Za-z][^<>^]*)>?|@(?P<language>[A-Za-z][A-Za-z0-9-]*))"
)


class QuadLines(LineFormat):
    """The format of lines with a triple and its time: timed N-Triples or N-Quads, or YABench's notation."""

    def begun(
        self, source: input_files.TraceFile, head: input_files.FileHead, options: TraceOptions
    ) -> input_files.TraceFile:
        """Return the file, marked if it has YABench's notation, in which times count milliseconds.

        In the notation of YABench, literals and times have no quotes.
        """
        if options.trace_unit is not None:
            return source
        loose = is_loose(head.lines)
        # Numbers as in Turtle beside quoted times are not YABench's notation, whose literals have datatypes.
        in_ms = loose and any(map(_counts_milliseconds, filter(None, map(_read_quietly, head.lines))))
        clock = replace(source.clock, integer_unit=MILLISECOND) if in_ms else source.clock
        return replace(source, loose=loose, clock=clock)

    def read(
        self, source: input_files.TraceFile, line: str, *, first: bool
    ) -> Sequence[input_files.TracedAtom]:
        """Return the triple of a line with its time, in a list.

        For a line without terms, such as a comment, the list is empty.

        Raises:
            MalformedPart: The line is invalid.
        """
        _ = first
        tokens = _tokens(line)
        if not tokens:
            return ()
        tokens = _terms(tokens)
        written = _time(tokens[-1])
        if source.loose is False and _is_loose(tokens):
            raise MalformedPart(
                "found a literal or time without quotes (YABench's spelling, in ms), but the first lines "
                "have quotes; use one spelling in the whole file, or set --trace-unit",
                next((token.column for token in tokens if token.kind == "bare"), tokens[-1].column),
            )
        triple = (_term(tokens[0]), _term(tokens[1]), _term(tokens[2]))
        input_files.check_roles(triple, [token.column for token in tokens])
        own = None
        if len(tokens) == _WITH_STREAM:
            if tokens[3].kind != "iri":
                raise MalformedPart("found no IRI as stream; expected an <iri>", tokens[3].column)
            own = _term(tokens[3])
        return input_files.element_atoms(source, written, own, [triple], tokens[-1].column)

    def usual(
        self, source: input_files.TraceFile, lines: "Lines", terms: TermCodes
    ) -> list[input_files.RowColumns]:
        """Return the lines that are certainly triples in the usual notation, in columns.

        The function cuts lines at blanks; each field of a usual line is then a single term.
        """
        import pyarrow.compute as pc

        from solver.traces.formats.cell_columns import (
            fields_of,
            read_terms,
            read_times,
            triple_rows,
            used_cells,
        )

        cuts, whole = _cuts(lines)
        if not whole.any():
            return []
        every, places = fields_of(lines, cuts, whole)
        (texts, own), (timed, at) = (used_cells(every, places[:, some]) for some in (slice(-1), -1))
        times = read_times(
            (pc.binary_slice(timed, 0, -1), at), source.clock, partial(_field_time, source), around='"'
        )
        every_term = read_terms(source, pc.binary_slice(texts, 0, -1), partial(_field_term, source), terms)
        return [triple_rows(source, terms, times, [every_term.at(column) for column in own.T])]


class LineToken(NamedTuple):
    """A token of a line: a term or the final dot, with its kind, its text, and its first column (from 1)."""

    kind: str
    text: str
    column: int


def _tokens(line: str) -> list[LineToken]:
    tokens: list[LineToken] = []
    at = len(_BLANKS.match(line)[0])  # type: ignore[index]  # it matches the empty text
    while at < len(line):
        if rdf.is_triple_term(line[at : at + 3]):
            end = _triple_end(line, at)
            tokens.append(LineToken("triple", line[at:end], at + 1))
            at = _BLANKS.match(line, end).end()  # type: ignore[union-attr]
            continue
        match = _TOKEN.match(line, at)
        if match is None or (tokens and tokens[-1].kind == "end"):
            raise MalformedPart(f"found {rdf.short(line[at:])}; expected {ACCEPTED_LINE}", at + 1)
        tokens.append(LineToken(str(match.lastgroup), match[0], at + 1))
        at = _BLANKS.match(line, match.end()).end()  # type: ignore[union-attr]
    return tokens


def _triple_end(line: str, start: int) -> int:
    try:
        return rdf.triple_term_end(line, start)
    except rdf.NotATerm as error:
        raise MalformedPart(str(error), start + 1) from None


def _bare(text: str) -> str:
    """Return a literal of YABench, which has no quotes, in N-Triples; numbers are read as in Turtle.

    Raises:
        MalformedPart: A datatype is missing after `^^`.
    """
    if match := _BARE.fullmatch(text):
        suffix = f"^^<{match['datatype']}>" if match["datatype"] else f"@{match['language']}"
        return f'"{match["lexical"]}"{suffix}'
    if "^^" in text:
        raise MalformedPart(f"found {rdf.short(text)}; expected value^^<datatype>")
    return rdf.unquote(text) or f'"{text}"'


def _term(token: LineToken) -> str:
    try:
        return rdf.data_text(_bare(token.text) if token.kind == "bare" else token.text)
    except (rdf.NotATerm, MalformedPart) as error:
        raise MalformedPart(str(error), token.column) from None


def _time(token: LineToken) -> Instant:
    try:
        if token.kind == "quoted" and (match := _QUOTED_TIME.fullmatch(token.text)):
            return read_time(match[1], match[2])
        return read_time(token.text.strip("<>"))
    except MalformedPart as error:
        raise error.at(token.column) from None


def _field_term(source: input_files.TraceFile, field: str) -> str:
    """Return the canonical text of the term in a field of a line."""
    return _term(_field(source, field))


def _field_time(source: input_files.TraceFile, field: str) -> Instant:
    """Return the time in a field of a line."""
    token = _field(source, field)
    if source.loose is False and token.kind != "quoted":
        raise MalformedPart(f"found {rdf.short(field)} as time")
    return _time(token)


def _field(source: input_files.TraceFile, field: str) -> LineToken:
    """Return the only token in a field, which is a part of a line between blanks.

    Raises:
        MalformedPart: The field is not a single token in the notation of the file. The caller then reads the
            whole line token by token.
    """
    match = _TOKEN.match(f"{field} ")
    if match is None or match.end() != len(field) or (source.loose is False and match["bare"]):
        raise MalformedPart(f"found {rdf.short(field)}; expected {ACCEPTED_LINE}")
    return LineToken(str(match.lastgroup), field, 1)


def _terms(tokens: list[LineToken]) -> list[LineToken]:
    """Return the terms among the tokens of a line, that is, all tokens except the final dot.

    The dot may be missing if the time ends with a quote or `>`.

    Raises:
        MalformedPart: The dot is missing, or the line has neither four nor five terms.
    """
    if tokens[-1].kind == "end":
        tokens.pop()
    elif tokens[-1].text[-1] not in '">':
        raise MalformedPart(f"found no final dot; expected {ACCEPTED_LINE}", tokens[-1].column)
    if len(tokens) not in (_WITHOUT_STREAM, _WITH_STREAM):
        column = tokens[-1].column if tokens else 1
        raise MalformedPart(f"found {len(tokens)} terms; expected {ACCEPTED_LINE}", column)
    return tokens


def _is_loose(tokens: Sequence[LineToken]) -> bool:
    return tokens[-1].kind != "quoted" or any(token.kind == "bare" for token in tokens)


def _counts_milliseconds(tokens: Sequence[LineToken]) -> bool:
    return tokens[-1].kind != "quoted" or any(token.kind == "bare" and "^^" in token.text for token in tokens)


def _read_quietly(line: str) -> list[LineToken] | None:
    try:
        tokens = _tokens(line)
        tokens = _terms(tokens) if tokens else []
        return tokens if tokens and _time(tokens[-1]) else None
    except MalformedPart:
        return None


def is_timed(lines: Sequence[str]) -> bool:
    """Return whether at least one of the lines is a triple with a time."""
    return any(_read_quietly(line) for line in lines)


def is_triple(line: str) -> bool:
    """Return whether a line is a triple with or without a time, or with a part that is not a time."""
    try:
        tokens = _tokens(line)
    except MalformedPart:
        return False
    kinds = [token.kind for token in tokens]
    is_whole = kinds[-1:] == ["end"] and _WITHOUT_STREAM <= len(kinds) <= _WITH_STREAM + 1
    return is_whole and kinds[0] in ("iri", "blank") and kinds[1] == "iri"


def is_loose(lines: Sequence[str]) -> bool:
    """Return whether the lines have YABench's notation, in which literals and times have no quotes.

    The result is False if a line has quotes around its time and around a literal.
    """
    read = [tokens for line in lines if (tokens := _read_quietly(line))]
    loose = [_is_loose(tokens) for tokens in read]
    literals = (any(token.kind == "quoted" for token in tokens[:-1]) for tokens in read)
    return any(loose) and not any(
        held and not is_loose_line for held, is_loose_line in zip(literals, loose, strict=True)
    )


def quad_line(triple: Triple, stream: str | None, t: int) -> str:
    """Return the line of a triple at a time, in timed N-Triples or N-Quads (if `stream` is given)."""
    return f'{" ".join((*triple, *([] if stream is None else [stream])))} "{t}" .\n'


def bare_line(triple: Triple, t: int) -> str:
    """Return the line of a triple in YABench's notation, without quotes around literals and times.

    Each literal of the triple must have a datatype.
    """
    s, p, o = triple
    if o.startswith('"'):
        lexical, quote, datatype = o[1:].rpartition('"^^')
        assert quote, o
        o = f"{lexical}^^{datatype[1:-1]}"
    return f"{s} {p} {o} <{t}> .\n"


def _cuts(lines: "Lines") -> tuple[list[Array], Mask]:
    """Return the offsets of predicate, object, stream, time and dot in lines, and a mask of usual lines.

    A line is usual if the function finds all of these parts. A line of N-Triples has an empty stream before
    its time.
    """
    from solver.traces.formats.cell_columns import term_cuts

    (p, o, stream, time, dot), whole = term_cuts(lines, _WITH_STREAM)
    # An object may hold blanks: what stands before the time is a stream if it looks like an IRI.
    has_stream = (stream > o) & (lines.data[stream] == ord("<"))
    has_stream &= lines.data[np.maximum(time - 2, 0)] == ord(">")
    return [p, o, np.where(has_stream, stream, time), time, dot], whole
