"""The first statements of a script: tables of input and background, and the evaluation times."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, assert_never

from lars.language.terms import Signature
from lars.language.windows import Interval
from solver.facts import Arrivals, Background, ChosenTimes, EveryTime, Fact, Gate, Multiples
from solver.sql.sql_texts import TableNames, columns, insert_lines, quote, remark, temporary
from solver.sql.windows import NOW, InputTables, instances

_INPUT: Final = "Input: an atom arrives at time point t; seq tells the order of arrival of all input, from 1."


@dataclass(frozen=True, slots=True)
class ProgramInput:
    """What a program meets: `background_predicates` are those that B holds beside the facts.

    `streamed` are those of them that input may hold too. What is given of facts, timeline and
    background stands in the script; the rest is loaded by who runs it.
    """

    background_predicates: frozenset[Signature] = frozenset()
    streamed: frozenset[Signature] = frozenset()
    facts: Sequence[Fact] = ()
    timeline: Interval | None = None
    background: Background = field(default_factory=dict)


def input_statements(tables: InputTables, own: Background, given: ProgramInput) -> Iterator[str]:
    """Yield the lines that make the tables of input and background, `own` are the program's facts."""
    names, facts = tables.names, given.facts
    yield ""
    yield from remark(_INPUT)
    for predicate in tables.input:
        table = names.input(predicate)
        declared = "".join(f", {name} TEXT" for name in columns(predicate[1]))
        yield f"CREATE TABLE IF NOT EXISTS {table} (t BIGINT, seq BIGINT{declared});"
        arrived = [
            (str(fact.t), str(seq), *map(quote, fact.arguments))
            for seq, fact in enumerate(facts, 1)
            if (fact.predicate, len(fact.arguments)) == predicate
        ]
        yield from insert_lines(table, arrived)
    for predicate in tables.input:
        index = names.of(("index", predicate), f"arrivals_{predicate[0]}")
        yield f"CREATE INDEX IF NOT EXISTS {index} ON {names.input(predicate)} (t);"
    yield from _background(names, own, given)


def _background(names: TableNames, own: Background, given: ProgramInput) -> Iterator[str]:
    for predicate in sorted(given.background_predicates):
        declared = ", ".join(f"{name} TEXT" for name in columns(predicate[1])) or "held TEXT"
        yield "-- Background, which holds at every time."
        yield f"CREATE TABLE IF NOT EXISTS {names.background_table(predicate)} ({declared});"
        rows = given.background.get(predicate, ())
        yield from insert_lines(names.background_table(predicate), list(map(_stored, rows)))
    for predicate in sorted(own):
        table = names.facts(predicate)
        yield f"-- Facts of {predicate[0]}/{predicate[1]}, which hold at every time."
        yield from temporary(
            table, ", ".join(f"{name} TEXT" for name in columns(predicate[1])) or "held TEXT"
        )
        yield from insert_lines(table, list(map(_stored, own[predicate])))
        if predicate in given.background_predicates:
            yield f"INSERT INTO {table} SELECT * FROM {names.background_table(predicate)};"


def _stored(row: Sequence[str]) -> list[str]:
    return list(map(quote, row)) or ["'true'"]


def time_statements(tables: InputTables, gate: Gate, timeline: Interval | None) -> Iterator[str]:
    """Yield the lines that make the table of the evaluation times."""
    arrivals = " UNION ALL ".join(f"SELECT t FROM {tables.names.input(one)}" for one in tables.input)
    yield ""
    if not isinstance(gate, Arrivals):
        yield "-- The timeline, its ends included: by default it begins at 0, and ends with the last atom."
        yield from temporary("timeline", "first BIGINT, last BIGINT")
        if timeline is not None:
            yield f"INSERT INTO timeline VALUES ({timeline.first}, {timeline.last});"
        else:
            last = f"(SELECT MAX(t) FROM ({arrivals}) AS arrivals)" if arrivals else "NULL"
            yield f"INSERT INTO timeline SELECT 0, COALESCE({last}, 0);"
    yield from remark(f"The evaluation times: {_said(gate)}.")
    yield from temporary(NOW, "t BIGINT NOT NULL")
    yield f"INSERT INTO {NOW}"
    yield from _evaluated(tables, gate)


def _said(gate: Gate) -> str:
    match gate:
        case Arrivals(patterns):
            return f"when an atom arrives that is one of {', '.join(map(str, patterns)) or 'none'}"
        case Multiples(periods):
            return f"the multiples of {' and '.join(map(str, periods))}"
        case EveryTime():
            return "every time point"
        case ChosenTimes():
            return "those asked for"
        case _:
            assert_never(gate)


def _evaluated(tables: InputTables, gate: Gate) -> Iterator[str]:
    match gate:
        case Arrivals(patterns):
            found = [instances(one, tables.names) for one in patterns]
            # UNION leaves one of equal times.
            yield " UNION ".join([*found, "SELECT 0 WHERE 1 = 0"]) + ";"
        case Multiples(periods):
            yield " UNION ".join(map(_multiples, periods)) + ";"
        case EveryTime():
            yield f"{_multiples(1)};"
        case ChosenTimes(times):
            yield f"VALUES {', '.join(f'({t})' for t in times)};" if times else "SELECT 0 WHERE 1 = 0;"
        case _:
            assert_never(gate)


def _multiples(period: int) -> str:
    first = f"first + ({period} - first % {period}) % {period}" if period > 1 else "first"
    begin = f"SELECT {first} FROM timeline WHERE {first} <= last"
    following = f"SELECT t + {period} FROM point, timeline WHERE t + {period} <= last"
    points = f"WITH RECURSIVE point(t) AS ({begin} UNION ALL {following}) SELECT t FROM point"
    return f"SELECT t FROM ({points}) AS points"
