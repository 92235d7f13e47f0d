"""Write the whole SQL script: input tables, evaluation times, the SELECT of each rule, and the answer."""

from collections.abc import Iterator, Sequence
from typing import Final, assert_never

from lars.analysis import intensional, windows_of
from lars.dataclass import dataclass
from lars.language.program import Program
from lars.language.terms import NULL, Signature, Variable, signature
from lars.language.windows import LARGEST_TIME, IntervalWindow, TupleWindow
from solver import relational
from solver.facts import Arrivals, Gate, WindowedAtom, with_facts
from solver.sql import values
from solver.sql.first_statements import NOW, InputTables, ProgramInput, input_statements, time_statements
from solver.sql.rule_selects import RuleSelect

_HEADER: Final = """\
For SQLite 3.40 or newer and for DuckDB: load the input, run the script, read its last result. What it makes
beside the input's tables is temporary. An answer is one row for each evaluation time at which it holds. Terms
are texts as N-Triples has them: <http://e/a>, "20"^^<http://www.w3.org/2001/XMLSchema#integer>, _:b; what is
unbound is null in tables, NULL in the result. Where SQL cannot tell exactly whether a condition holds, the
script fails: NOT NULL constraint failed, of a column t."""
_COMPARED: Final = "INSERT INTO compared"


@dataclass(frozen=True, slots=True)
class _Writer:
    """The writer of one SQL script, with the plan of the program and the names of tables."""

    output: Signature | None
    whole: relational.RelationalPlan
    tables: InputTables
    sources: dict[WindowedAtom, str]

    def table_of(self, source: relational.RowSource) -> str:
        """Return the name of the SQL table that contains the rows of a source."""
        match source:
            case (_, _) as predicate:
                return self.tables.names.derived(predicate)
            case WindowedAtom():
                return self.sources[source]
            case None:
                return f"(SELECT t, CAST(t AS TEXT) AS a1 FROM {NOW})"
            case _:
                assert_never(source)


def _check_windows(program: Program) -> None:
    for rule in program.rules:
        for literal in rule.body:
            for window in windows_of(literal):
                lengths = window.lengths if isinstance(window, IntervalWindow) else (window.size,)
                if any(abs(length) > LARGEST_TIME for length in lengths):
                    raise values.inexpressible("SQL has only integers of 64 bits", rule, literal)


def script(
    program: Program,
    gate: Gate,
    output: Signature | None,
    variables: Sequence[Variable],
    program_input: ProgramInput,
) -> Iterator[str]:
    """Yield the lines of the SQL script for a program; `gate` determines its evaluation times.

    The last statement of the script selects the rows of the predicate `output`, whose first columns have the
    names of `variables`. If `output` is None, the statement selects the rows of all derived predicates.

    Raises:
        ExportError: SQL cannot express a construct exactly.
    """
    own = with_facts(program, {})
    hindering = relational.obstacle(program, program_input.background_predicates)
    if hindering is not None:
        raise values.inexpressible(hindering.problem, hindering.rule, hindering.literal)
    _check_windows(program)
    whole = relational.plan(program, output)
    names, atoms = values.TableNames(), list(dict.fromkeys(_shown_atoms(whole)))
    for table in (NOW, "value", "compared", "lexical", "literal", "timeline", "violated"):
        names.of(table, table)
    patterns = [signature(atom) for atom in gate.patterns] if isinstance(gate, Arrivals) else []
    known = program_input.background_predicates | own.keys()
    predicates = [signature(shown_atoms.atom) for shown_atoms in atoms]
    if any(
        isinstance(window := shown_atoms.window, TupleWindow) and window.by is None for shown_atoms in atoms
    ):
        # Such a window also counts predicates outside the rules.
        predicates += [(fact.predicate, len(fact.arguments)) for fact in program_input.facts]
    unseen = known - program_input.streamed | intensional(program)
    inputs = tuple(
        dict.fromkeys(predicate for predicate in (*predicates, *patterns) if predicate not in unseen)
    )
    always = {
        predicate: names.facts(predicate) if predicate in own else names.background_table(predicate)
        for predicate in known
    }
    tables = InputTables(names, inputs, always)
    sources = {
        shown_atoms: names.of(shown_atoms, f"shown_{number}") for number, shown_atoms in enumerate(atoms, 1)
    }
    writer = _Writer(output, whole, tables, sources)
    yield from values.remark(_HEADER)
    layers = list(_layers(writer))
    yield from input_statements(tables, own, program_input)
    yield from time_statements(tables, gate, program_input.timeline)
    yield from _windows(writer)
    if any(line.startswith(_COMPARED) for line in layers):
        yield values.VALUE_VIEWS
    yield from layers
    yield from _result(writer, variables)


def _shown_atoms(whole: relational.RelationalPlan) -> Iterator[WindowedAtom]:
    for rule in relational.rules_of(whole):
        for part in (*rule.joined, *rule.subtracted):
            if isinstance(part.source, WindowedAtom):
                yield part.source


def _windows(writer: _Writer) -> Iterator[str]:
    for source, table in writer.sources.items():
        yield ""
        yield from values.remark(f"{source.window} {'@_t' if source.timed else '◇'} {source.atom}")
        width = len(source.variables) + source.timed
        yield from _rows(table, width, writer.tables.selects(source))


def _rows(table: str, width: int, selects: Sequence[str]) -> Iterator[str]:
    """Yield the SQL statements that create a table and fill the table with the distinct rows of SELECTs."""
    yield from values.temporary(
        table, ", ".join(["t BIGINT NOT NULL", *(f"{name} TEXT" for name in values.columns(width))])
    )
    if selects:
        yield f"INSERT INTO {table}"
        yield "\nUNION\n".join(selects) + ";"


def _layers(writer: _Writer) -> Iterator[str]:
    derived = {predicate for layer in writer.whole for predicate in layer.predicates}
    if writer.output is not None and writer.output not in derived:
        yield from _rows(writer.tables.names.derived(writer.output), writer.output[1], ())
    for layer in writer.whole:
        yield ""
        if layer.recursive:
            yield from _recursive(writer, layer)
            continue
        for predicate in layer.predicates:
            yield from _derived(writer, predicate, layer.rules)
        if not layer.predicates:
            yield "-- When the program has no answer stream."
            yield from _derived(writer, None, layer.rules)


def _derived(
    writer: _Writer, predicate: Signature | None, rules: Sequence[relational.RulePlan]
) -> Iterator[str]:
    table = "violated" if predicate is None else writer.tables.names.derived(predicate)
    selects = [RuleSelect(rule, writer.table_of) for rule in rules]
    texts = [_commented(select) for select in selects]
    if predicate is not None and predicate in writer.tables.background:
        texts.append(writer.tables.background_select(predicate))
    yield from _compared(selects)
    yield from _rows(table, 0 if predicate is None else predicate[1], texts)


def _commented(select: RuleSelect) -> str:
    return "\n".join([*values.remark(select.plan.rule), select.text()])


def _compared(selects: Sequence[RuleSelect]) -> Iterator[str]:
    for table, column in dict.fromkeys(pair for select in selects for pair in select.compared):
        yield f"{_COMPARED} SELECT DISTINCT {column} FROM {table};"


def _recursive(writer: _Writer, layer: relational.Layer) -> Iterator[str]:
    """Yield the SQL statements for a recursive predicate, of which exactly one rule is recursive."""
    predicate, *more = layer.predicates
    looping = [rule for rule in layer.rules if rule.places(layer.predicates)]
    (place, _), *again = looping[0].places(layer.predicates)
    if more or again or len(looping) > 1:
        problem = "SQL allows recursion only by one rule that contains the predicate once"
        raise values.inexpressible(problem, looping[-1].rule)
    names = writer.tables.names
    loop = names.of(("loop", predicate), f"{predicate[0]}_so_far")
    selects = [RuleSelect(rule, writer.table_of) for rule in layer.rules if rule not in looping]
    base = [_commented(select) for select in selects]
    if predicate in writer.tables.background:
        base.append(writer.tables.background_select(predicate))
    step = RuleSelect(looping[0], writer.table_of, {place: loop})
    repeated = _commented(step)
    if any(table == loop for table, _ in step.compared):
        raise values.inexpressible("SQL does not compare values that a recursion computes", looping[0].rule)
    yield from _compared([*selects, step])
    named = values.columns(predicate[1])
    table = names.derived(predicate)
    yield from _rows(table, predicate[1], ())
    if base:
        first = "\nUNION\n".join(base)
        yield f"INSERT INTO {table} WITH RECURSIVE {loop}({', '.join(['t', *named])}) AS ("
        yield f"SELECT * FROM (\n{first}\n) AS base\nUNION\n{repeated}"
        yield f") SELECT * FROM {loop};"


def _result(writer: _Writer, variables: Sequence[Variable]) -> Iterator[str]:
    yield ""
    yield "-- The answers."
    has_constraints = not all(layer.predicates for layer in writer.whole)
    where = " WHERE t NOT IN (SELECT t FROM violated)" if has_constraints else ""
    if writer.output is not None:
        # In a multiset, columns after those of the variables tell equal rows apart.
        named = zip(values.columns(writer.output[1]), variables, strict=False)
        selected = [
            f"NULLIF({column}, {values.quote(NULL)}) AS {values.identifier(name.name)}"
            for column, name in named
        ]
        places = ", ".join(str(place) for place in range(1, 2 + len(selected)))
        table = writer.tables.names.derived(writer.output)
        yield f"SELECT {', '.join(['t', *selected])} FROM {table}{where} ORDER BY {places};"
        return
    derived = sorted({predicate for layer in writer.whole for predicate in layer.predicates})
    width = max((arity for _, arity in derived), default=0)
    selects = [_atoms(writer, predicate, width) + where for predicate in derived]
    places = ", ".join(str(place) for place in range(1, 3 + width))
    yield "\nUNION ALL\n".join(selects) + f"\nORDER BY {places};" if selects else "SELECT NULL WHERE 1 = 0;"


def _atoms(writer: _Writer, predicate: Signature, width: int) -> str:
    """Return the SELECT of a predicate's derived atoms, without its background atoms."""
    name, arity = predicate
    padded = [f"CAST(NULL AS TEXT) AS {column}" for column in values.columns(width)[arity:]]
    own = ", ".join(values.columns(arity))
    rows = f"SELECT t{', ' * bool(arity)}{own} FROM {writer.tables.names.derived(predicate)}"
    if predicate in writer.tables.background:
        rows = f"{rows} EXCEPT {writer.tables.background_select(predicate)}"
    selected = ", ".join(["t", f"{values.quote(name)} AS predicate", *values.columns(arity), *padded])
    return f"SELECT {selected} FROM ({rows}) AS derived"
