"""The model of YASPER 1.0.1 of RSP4J, as its operator API uses it.

The windows are the windows of YASPER for C-SPARQL; the answers differ. The solutions of each window form a
set. The engine joins blocks one after the other, and projects rows after the last join. A rule that equals
one of the rules Y1 to Y5 has the name of that rule; the other rules have names such as YO12. The order in
which an arrival enters the windows of one stream depends on the hashes of objects.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from operator import eq, ge, gt, le, lt, ne
from typing import Final

from agreement.documents.recordings import Push, Recording, Report
from agreement.engines import engine
from agreement.engines.r2s import reported_rows
from agreement.engines.versions import yasper_text
from agreement.engines.versions.kolibrie import TextBinding, TextPattern, join_bindings, matches
from agreement.engines.versions.sliding import sliding_windows
from agreement.engines.versions.yasper import WINDOW_RULES, ReportedWindows
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language.stream import ToStream
from solver.facts import Row, Static, Triple
from translate.model.patterns import EMPTY
from translate.model.query import EngineQuery, Language

_RULES: Final = (
    *WINDOW_RULES,
    engine.EngineRule(
        "YO12",
        "YASPER reads only triples and comparisons, and ignores braces and keywords. Numbers "
        "and texts in patterns match nothing. If COUNT counts 3 different rows, COUNT returns "
        "the IRI <3>. If FILTER cannot compare a value, YASPER loses the report",
        "SPARQL 1.1, 18: all parts of the pattern count",
    ),
    engine.EngineRule(
        "YO17",
        "ISTREAM and DSTREAM report each row once, even if the row occurs several times",
        engine.RspqlDefinition.OPERATORS,
    ),
    engine.EngineRule(
        "YO18",
        "without REGISTER, or if the operator of REGISTER is not in capitals, nothing is reported",
        engine.RspqlDefinition.OPERATORS,
    ),
)


class _FailedAnswerError(Exception):
    """The error that an exception in the engine ends an evaluation; `rows` are the earlier reported rows."""

    def __init__(self, rows: Sequence[Row] = ()) -> None:
        super().__init__()
        self.rows = tuple(rows)


_DOUBLE: Final = re.compile(
    r"[+-]?(?:NaN|Infinity|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[dDfF]?)"
)


_BLANKS: Final = "".join(map(chr, range(33)))
"""The characters that Java's String.trim removes."""


def _double(text: str) -> float | None:
    """Return the number that Java's Double.parseDouble reads from a decimal numeral; None for other texts."""
    stripped = text.strip(_BLANKS)
    return float(stripped.rstrip("dDfF")) if _DOUBLE.fullmatch(stripped) else None


def _number(row: TextBinding, side: str) -> float:
    """Return the number on one side of a comparison; a variable is replaced by the text of its term.

    Raises:
        _FailedAnswerError: The side is not a number.
    """
    number = _double(side)
    if number is None:
        term = row.get(side[1:], "") if side[:1] in ("?", "$") else ""
        number = _double(term[1 : term.rindex('"')]) if term.startswith('"') else None
    if number is None:
        raise _FailedAnswerError
    return number


_RELATIONS: Final[dict[str, Callable[[float, float], bool]]] = {
    "=": eq,
    "!=": ne,
    "<": lt,
    ">": gt,
    "<=": le,
    ">=": ge,
}
"""The comparisons of numbers; each comparison with NaN is false, except `!=`."""


def _compares(row: TextBinding, comparison: yasper_text.YasperComparison) -> bool:
    left, relation, right = comparison
    by_term = relation in ("=", "!=") and _double(left) is None and _double(right) is None
    if by_term:
        one, other = (row.get(side[1:]) if side[:1] in ("?", "$") else side for side in (left, right))
        if one is None:
            raise _FailedAnswerError
        return (one == other) is (relation == "=")
    first, second = _number(row, left), _number(row, right)
    return _RELATIONS[relation](first, second)


def _passes(row: TextBinding, condition: yasper_text.YasperCondition) -> bool:
    return any(all(_compares(row, comparison) for comparison in part) for part in condition)


def _filtered(
    rows: Sequence[TextBinding], filters: Sequence[yasper_text.YasperCondition]
) -> list[TextBinding]:
    return [row for row in rows if all(_passes(row, condition) for condition in filters)]


def _patterns(block: yasper_text.YasperBlock) -> list[TextPattern]:
    return [
        TextPattern(tuple(term[1:] if term.startswith("?") else None for term in triple), triple)
        for triple in block.triples
    ]


def read_yasper_query(text: str, source: str) -> EngineQuery:
    """Read a query as YASPER 1.0.1 reads it.

    If SPARQL cannot express the query, the result contains only the text.

    Raises:
        LarsError: The engine does not accept the query.
    """
    own = yasper_text.read_yasper(text)
    try:
        return engine.read_with_text(text, source, Language.RSPQL)
    except LarsError:
        return engine.WrittenQuery(
            Language.RSPQL, "SELECT", (), EMPTY, name=", ".join(own.names), text=text, source=source
        )


def _recorded(
    query: EngineQuery, static: Static, pushes: Sequence[Push], off: engine.Off, *, last_first: bool = True
) -> Recording:
    """Return the reports of YASPER 1.0.1; with `last_first`, arrivals enter the last declared window first.

    Raises:
        LarsError: The text of the query is not available, or the engine does not accept it.
    """
    if not isinstance(query, engine.WrittenQuery):
        raise LarsError(
            f"{yasper_text.NAME} reads the text of a query, but the request has no text; use a "
            "query in a file"
        )
    own = yasper_text.read_yasper(query.text)
    sparql = engine.read_with_text(query.text, query.source, Language.RSPQL) if "YO12" in off else query
    operator = own.operator
    if "YO18" in off:
        operator = sparql.operator
    program = _Program(own, sparql, static, operator, off)
    windows = sliding_windows(sparql, yasper_text.NAME, tumbling=True) if program.plain else own.windows
    machine = ReportedWindows(windows[::-1] if last_first else windows, off)
    reports: list[Report] = []
    for number, push in enumerate(pushes):
        if any(window.step == 0 and window.reads(push) for window in windows):
            break  # it looks for the next multiple of 0 for ever
        for report, content in machine.arrive(number, push):
            rows, machine.failed = program.reported(content)
            if machine.failed:
                machine.rejected.append(number)
            if rows:
                reports.append(replace(report, rows=tuple(rows)))
    return Recording(program.names, tuple(reports), tuple(machine.rejected))


@dataclass(slots=True)
class _Program:
    """Computes the rows of a query over window contents as the engine does.

    If rule YO12 is off, the rows follow SPARQL.
    """

    own: yasper_text.YasperQuery
    sparql: EngineQuery
    static: Static
    operator: ToStream | None
    off: engine.Off
    before: Sequence[Row] = ()

    @property
    def plain(self) -> bool:
        """Whether the rows follow SPARQL and not the engine, because rule YO12 (patterns) is off."""
        return "YO12" in self.off

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns of the rows."""
        return engine.columns(self.sparql) if self.plain else self.own.names

    def reported(self, content: engine.Content) -> tuple[Sequence[Row], bool]:
        """Return the rows that the engine reports for window contents, and whether it throws an exception."""
        if self.operator is None:
            return (), False
        try:
            now = self._rows(content)
        except _FailedAnswerError as failure:
            return failure.rows, True
        if self.own.aggregates and not self.plain:
            return now, False
        before, self.before = self.before, now
        return _to_stream(self.operator, before, now, self.off), False

    def _rows(self, content: engine.Content) -> Sequence[Row]:
        if self.plain:
            return engine.answers(self.sparql, [content], self.static)[0]
        return self._own_rows(_by_name(content))

    def _own_rows(self, content: Mapping[str, Sequence[Triple]]) -> list[Row]:
        """Return the rows as the engine computes them, block by block.

        Blocks outside windows match static data.

        Raises:
            _FailedAnswerError: The engine throws an exception.
        """
        joined: list[TextBinding] = []
        for place, block in enumerate(self.own.blocks):
            joined = self._after(joined, block, content, first=place == 0)
        if self.own.aggregates:
            return self._counted(joined)
        return [tuple(row.get(name) for name in self.own.names) for row in joined]

    def _after(
        self,
        joined: list[TextBinding],
        block: yasper_text.YasperBlock,
        content: Mapping[str, Sequence[Triple]],
        *,
        first: bool,
    ) -> list[TextBinding]:
        patterns = _patterns(block)
        if block.window is not None:
            rows = matches(patterns, content.get(block.window.value, ())) if patterns else []
            kept = _filtered(rows, block.filters)
            return kept if first else join_bindings(joined, kept)
        if patterns and self.own.static:
            static = matches(patterns, self.static.default)
            joined = static if first else join_bindings(joined, static)
        return _filtered(joined, block.filters)

    def _counted(self, joined: Sequence[TextBinding]) -> list[Row]:
        """Return a row for each COUNT; the engine ignores any other aggregate.

        Raises:
            _FailedAnswerError: A counted variable is unbound in some solution.
        """
        names, selected, rows = self.own.names, self.own.selected, list[Row]()
        different = {
            tuple((name, term) for name, term in sorted(row.items()) if not selected or name in selected)
            for row in joined
        }
        for function, variable, name in self.own.aggregates:
            if function != "COUNT":
                continue
            if any(variable not in dict(row) for row in different):
                raise _FailedAnswerError(rows)
            rows.append(tuple(f"<{len(different)}>" if column == name else None for column in names))
        return rows


def _by_name(content: engine.Content) -> Mapping[str, Sequence[Triple]]:
    return {
        source.name.value: tuple(triples) for source, triples in content.items() if source.name is not None
    }


def _to_stream(
    operator: ToStream, before: Sequence[Row], now: Sequence[Row], off: engine.Off
) -> Sequence[Row]:
    rows = reported_rows(operator, before, now)
    if operator == "RSTREAM" or "YO17" in off:
        return rows
    old, new = (before, now) if operator == "ISTREAM" else (now, before)
    return [row for row in dict.fromkeys(new) if row not in set(old)]


def _recorded_in_order(
    query: EngineQuery, static: Static, pushes: Sequence[Push], off: engine.Off
) -> Recording:
    """Return the reports of YASPER 1.0.1 if arrivals enter windows in the order of their declarations."""
    return _recorded(query, static, pushes, off, last_first=False)


_IN_ORDER: Final = engine.Engine(
    yasper_text.NAME,
    "rspql",
    _RULES,
    _recorded_in_order,
    build="windows in the order of their declarations",
    own_parser=read_yasper_query,
)
YASPER_101: Final = engine.Engine(
    yasper_text.NAME, "rspql", _RULES, _recorded, builds=(_IN_ORDER,), own_parser=read_yasper_query
)
