"""The first statements of a script: tables of input and background, evaluation times, window content."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from itertools import starmap
from typing import Final, assert_never

from lars.dataclass import dataclass
from lars.language import windows
from lars.language.terms import Atom, Constant, Signature, Variable, signature, write_name
from solver.facts import Arrivals, Background, Fact, Gate, Multiples, WindowedAtom
from solver.sql import values

NOW: Final = "now"
"""The name of the table of the evaluation times."""


def conditions_on(terms: Sequence[object], alias: str, first: dict[Variable, str]) -> list[str]:
    """Return SQL conditions: a row has the constants of `terms`, and equal values for a repeated variable.

    The function adds the first column of each variable to `first`.
    """
    conditions = []
    for column, term in zip(values.columns(len(terms), f"{alias}."), terms, strict=True):
        if not isinstance(term, Variable):
            conditions.append(f"{column} = {values.quote(str(term))}")
        elif first.setdefault(term, column) != column:
            conditions.append(f"{column} = {first[term]}")
    return conditions


@dataclass(frozen=True, slots=True)
class InputTables:
    """The SQL tables of input atoms and of background atoms, for each predicate."""

    names: values.TableNames
    input: tuple[Signature, ...]
    background: Mapping[Signature, str]

    def selects(self, source: WindowedAtom) -> list[str]:
        """Return SELECTs of the evaluation time t, the atom's variables and, if timed, the atom's time."""
        predicate, statements = signature(source.atom), []
        if predicate in self.input:
            first: dict[Variable, str] = {}
            where = conditions_on(source.atom.arguments, "s", first)
            times = ["CAST(s.t AS TEXT)"] if source.timed else []
            selected = ", ".join(["n.t", *(first[name] for name in source.variables), *times])
            table, on = self._visible(source.window, predicate)
            below = f"\nWHERE {values.conjunction(where)}" if where else ""
            statements.append(f"SELECT DISTINCT {selected}\nFROM {NOW} AS n JOIN {table} AS s ON {on}{below}")
        if predicate in self.background and not source.timed:
            # B stands under no window, so this is a plain atom, which input may hold too.
            first = {}
            where = conditions_on(source.atom.arguments, "k", first)
            selected = ", ".join(["n.t", *(first[name] for name in source.variables)])
            statements.append(
                f"SELECT DISTINCT {selected}\nFROM {NOW} AS n CROSS JOIN {self.background[predicate]} AS k"
                f"\nWHERE {values.conjunction(where)}"
            )
        return statements

    def background_select(self, predicate: Signature) -> str:
        """Return the SELECT of a predicate's background atoms, each with every evaluation time."""
        selected = ", ".join(["n.t", *values.columns(predicate[1], "k.")])
        return f"SELECT DISTINCT {selected}\nFROM {NOW} AS n CROSS JOIN {self.background[predicate]} AS k"

    def _visible(self, window: windows.Window, predicate: Signature) -> tuple[str, str]:
        """Return a table of input atoms, and an SQL condition: the window at time n contains its row s."""
        match window:
            case windows.IntervalWindow():
                return self.names.input(predicate), _between(*_ends(window))
            case windows.TupleWindow():
                return self._counted(window, predicate), "s.t <= n.t AND (s.gone IS NULL OR n.t < s.gone)"
            case _:
                assert_never(window)

    def _counted(self, window: windows.TupleWindow, predicate: Signature) -> str:
        """Return a SELECT of a predicate's atoms, each with the time at which it leaves a tuple window."""
        counted = (predicate,) if window.by is not None else self.input
        width = max(arity for _, arity in counted)
        places = [place for place in window.by or () if place <= predicate[1]]
        parts = ", ".join(f"a{place}" for place in places)
        over = f"{f'PARTITION BY {parts} ' if parts else ''}ORDER BY t, seq"
        arrived = "\n    UNION ALL\n    ".join(
            _first_arrivals(self.names.input(table), number, table[1], width, window.source)
            for number, table in enumerate(counted)
        )
        lead = f"SELECT *, LEAD(t, {window.size}) OVER ({over}) AS gone FROM (\n    {arrived}\n  ) AS arrived"
        if window.ties == "elements":
            # All atoms of one time have one place; they are lost at the time that is `size` places later.
            by_time = over.replace("t, seq", "t")
            ranked = f"SELECT *, DENSE_RANK() OVER ({by_time}) AS place FROM (\n    {arrived}\n  ) AS arrived"
            by_place = over.replace("t, seq", "place")
            frame = f"RANGE BETWEEN {window.size} FOLLOWING AND {window.size} FOLLOWING"
            lead = f"SELECT *, MIN(t) OVER ({by_place} {frame}) AS gone FROM (\n    {ranked}\n  ) AS ranked"
        if window.ties == "all":
            # Those of one instant are lost together, with the last of them.
            same = f"PARTITION BY {f'{parts}, ' if parts else ''}t ORDER BY seq DESC"
            kept = ", ".join(["t", "kind", *values.columns(width)])
            lead = f"SELECT {kept}, FIRST_VALUE(gone) OVER ({same}) AS gone FROM ({lead}) AS followed"
        return f"(\n  SELECT * FROM ({lead}) AS counted WHERE kind = {counted.index(predicate)}\n)"


def _first_arrivals(table: str, kind: int, arity: int, width: int, source: Constant | None) -> str:
    """Return the SELECT of a predicate's input atoms, each once per time, padded to `width` columns."""
    own = values.columns(arity)
    padded = [*own, *(f"NULL AS {name}" for name in values.columns(width)[arity:])]
    counts = f"{own[-1]} = {values.quote(str(source))}" if own else "1 = 0"
    where = "" if source is None else f" WHERE {counts}"
    grouped = ", ".join(["t", *own])
    selected = ", ".join(["t", "MIN(seq) AS seq", f"{kind} AS kind", *padded])
    return f"SELECT {selected} FROM {table}{where} GROUP BY {grouped}"


def _between(first: str | None, last: str) -> str:
    if first is None:
        return f"s.t <= {last}"
    return f"s.t = {last}" if first == last else f"s.t BETWEEN {first} AND {last}"


def _ends(
    window: windows.TimeWindow | windows.SlidingWindow | windows.LastWindow | windows.FixedWindow,
) -> tuple[str | None, str]:
    """Return SQL for the first and last time in a window at time n.t; None means no first time."""
    match window:
        case windows.TimeWindow(step=step):
            pivot = "n.t" if step == 1 else f"n.t - n.t % {step}"
            first, last = window.offsets
            return None if first is None else _plus(pivot, first), _plus(pivot, last)
        case windows.SlidingWindow(width, slide):
            # The opening that is the first from time 0 on: with earlier ones sums could leave 64 bits.
            start = window.opening(0)
            passed = f"(n.t - {start + width - slide + 1})"
            opening = f"{start + 1} + {passed} - {passed} % {slide}"
            return f"CASE WHEN n.t > {start + width} THEN {opening} ELSE {start + 1} END", "n.t"
        case windows.FixedWindow(first, last, causal):
            return str(first), f"CASE WHEN n.t < {last} THEN n.t ELSE {last} END" if causal else str(last)
        case windows.LastWindow(width, slide):
            closes = f"CASE WHEN n.t >= {window.close} THEN n.t - (n.t - {window.close}) % {slide}"
            low, high = window.offsets
            return f"{closes} - {width - low} ELSE 1 END", f"{closes} - {width - high} ELSE 0 END"
        case _:
            assert_never(window)


def _plus(text: str, number: int) -> str:
    return text if number == 0 else f"{text} {'+' if number > 0 else '-'} {abs(number)}"


def instances(atom: Atom, names: values.TableNames) -> str:
    """Return the SELECT of the times at which an instance of an atom arrives."""
    where = conditions_on(atom.arguments, "s", {})
    return f"SELECT s.t FROM {names.input(signature(atom))} AS s WHERE {values.conjunction(where)}"


_INPUT: Final = "Input: an atom arrives at time point t; seq tells the order of arrival of all input, from 1."


@dataclass(frozen=True, slots=True)
class ProgramInput:
    """The input of a program that is written as an SQL script.

    - `background_predicates` are the predicates of the background, without the program's facts.
    - `streamed` are the background predicates that can also be input.
    - `facts`, `timeline` and `background` are the data that the script contains; the user of the script loads
      all other data.
    """

    background_predicates: frozenset[Signature] = frozenset()
    streamed: frozenset[Signature] = frozenset()
    facts: Sequence[Fact] = ()
    timeline: windows.Interval | None = None
    background: Background = field(default_factory=dict)


def input_statements(tables: InputTables, own: Background, program_input: ProgramInput) -> Iterator[str]:
    """Yield the SQL that creates the tables of input and background; `own` are the program's facts."""
    names, facts = tables.names, program_input.facts
    yield ""
    yield from values.remark(_INPUT)
    for predicate in tables.input:
        table = names.input(predicate)
        declared = "".join(f", {name} TEXT" for name in values.columns(predicate[1]))
        yield f"CREATE TABLE IF NOT EXISTS {table} (t BIGINT, seq BIGINT{declared});"
        arrived = [
            (str(fact.t), str(seq), *map(values.quote, fact.arguments))
            for seq, fact in enumerate(facts, 1)
            if (fact.predicate, len(fact.arguments)) == predicate
        ]
        yield from values.insert_lines(table, arrived)
    for predicate in tables.input:
        index = names.of(("index", predicate), f"arrivals_{predicate[0]}")
        yield f"CREATE INDEX IF NOT EXISTS {index} ON {names.input(predicate)} (t);"
    yield from _background(names, own, program_input)


def _background(names: values.TableNames, own: Background, program_input: ProgramInput) -> Iterator[str]:
    for predicate in sorted(program_input.background_predicates):
        declared = ", ".join(f"{name} TEXT" for name in values.columns(predicate[1])) or "held TEXT"
        yield "-- Background, which holds at every time."
        yield f"CREATE TABLE IF NOT EXISTS {names.background_table(predicate)} ({declared});"
        rows = program_input.background.get(predicate, ())
        yield from values.insert_lines(names.background_table(predicate), list(map(_stored, rows)))
    for predicate in sorted(own):
        table = names.facts(predicate)
        yield from values.remark(
            f"Facts of {write_name(predicate[0])}/{predicate[1]}, which hold at every time."
        )
        yield from values.temporary(
            table, ", ".join(f"{name} TEXT" for name in values.columns(predicate[1])) or "held TEXT"
        )
        yield from values.insert_lines(table, list(map(_stored, own[predicate])))
        if predicate in program_input.background_predicates:
            yield f"INSERT INTO {table} SELECT * FROM {names.background_table(predicate)};"


def _stored(row: Sequence[str]) -> list[str]:
    return list(map(values.quote, row)) or ["'true'"]


def time_statements(tables: InputTables, gate: Gate, timeline: windows.Interval | None) -> Iterator[str]:
    """Yield the SQL that creates the table of the evaluation times."""
    arrivals = " UNION ALL ".join(
        f"SELECT t FROM {tables.names.input(predicate)}" for predicate in tables.input
    )
    yield ""
    if not isinstance(gate, Arrivals):
        yield "-- The timeline, its ends included: by default it begins at 0, and ends with the last atom."
        yield from values.temporary("timeline", "first BIGINT, last BIGINT")
        if timeline is not None:
            yield f"INSERT INTO timeline VALUES ({timeline.first}, {timeline.last});"
        else:
            last = f"(SELECT MAX(t) FROM ({arrivals}) AS arrivals)" if arrivals else "NULL"
            yield f"INSERT INTO timeline SELECT 0, COALESCE({last}, 0);"
    text, select = _evaluated(tables, gate)
    yield from values.remark(f"The evaluation times: {text}.")
    yield from values.temporary(NOW, "t BIGINT NOT NULL")
    yield f"INSERT INTO {NOW}"
    yield f"{select};"


def _evaluated(tables: InputTables, gate: Gate) -> tuple[str, str]:
    """Return a comment that describes the evaluation times, and the SQL statement that selects them."""
    match gate:
        case Arrivals(patterns):
            texts = [instances(atom, tables.names) for atom in patterns]
            # UNION leaves one of equal times.
            return (
                f"when an atom arrives that is one of {', '.join(map(str, patterns)) or 'none'}",
                " UNION ".join([*texts, "SELECT 0 WHERE 1 = 0"]),
            )
        case Multiples():
            texts = [f"{period}{f' plus {offset}' if offset else ''}" for period, offset in gate.series]
            return f"the multiples of {' and '.join(texts)}", " UNION ".join(starmap(_multiples, gate.series))
        case None:
            return "every time point", _multiples(1)
        case tuple() as times:
            rows = ", ".join(f"({t})" for t in times)
            return "those asked for", f"VALUES {rows}" if times else "SELECT 0 WHERE 1 = 0"
        case _:
            assert_never(gate)


def _multiples(period: int, offset: int = 0) -> str:
    first = f"first + ({period + offset % period} - first % {period}) % {period}" if period > 1 else "first"
    if offset >= period:
        first = f"CASE WHEN first < {offset} THEN {offset} ELSE {first} END"
    begin = f"SELECT {first} FROM timeline WHERE {first} <= last"
    following = f"SELECT t + {period} FROM point, timeline WHERE t + {period} <= last"
    points = f"WITH RECURSIVE point(t) AS ({begin} UNION ALL {following}) SELECT t FROM point"
    return f"SELECT t FROM ({points}) AS points"
