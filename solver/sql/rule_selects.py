"""A rule as a SELECT: a join of what its body holds, less what is negated, and the conditions asked of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import assert_never

from lars.language.formulas import (
    Aggregation,
    Among,
    Assign,
    Comparison,
    Condition,
    Gather,
    Relation,
    SetLiteral,
    Test,
)
from lars.language.program import ready, variables
from lars.language.terms import NULL, XSD, Atom, Term, Variable
from solver.relational import GatheredScan, RowSource, RulePlan, Scan
from solver.sql.conditions import (
    SqlTruth,
    UnsaidError,
    VariableColumns,
    as_term,
    comparison_text,
    overflows,
    truth,
)
from solver.sql.sql_texts import InexpressibleInSqlError, conjunction, quote
from solver.sql.values import SqlTerm, looked_up
from solver.sql.windows import NOW, conditions_on

TableOf = Callable[[RowSource], str]


@dataclass(slots=True)
class RuleSelect:
    """One rule's SELECT; `tables` are those of sources, `compared` gets the columns whose values it needs."""

    plan: RulePlan
    tables: TableOf
    instead: Mapping[int, str] = field(default_factory=dict)
    compared: list[tuple[str, str]] = field(default_factory=list)
    _terms: dict[Variable, str] = field(default_factory=dict)
    _from: list[str] = field(default_factory=list)
    _valued: dict[Variable, SqlTerm] = field(default_factory=dict)
    _where: list[str] = field(default_factory=list)
    _undecided: list[str] = field(default_factory=list)
    _overflows: list[str] = field(default_factory=list)
    _aliases: dict[str, str] = field(default_factory=dict)

    def text(self) -> str:
        """Return the SELECT of the rule's head, the time first; raises InexpressibleInSqlError."""
        # What stands for the rule itself goes first: a recursion has it on the left.
        places = sorted(range(len(self.plan.joined)), key=lambda place: place not in self.instead)
        for place in places:
            self._join(self.plan.joined[place], self.instead.get(place))
        if not self._from:
            self._from.append(f"{NOW} AS n")
            self._aliases["n"] = NOW
        self._restrict()
        for scan in self.plan.subtracted:
            self._subtract(scan)
        return self._written()

    def _written(self) -> str:
        time = f"{next(iter(self._aliases))}.t"
        where = self._where
        if self._undecided:
            unknown = " OR ".join(f"({one})" for one in dict.fromkeys(self._undecided))
            time = f"CASE WHEN {unknown} THEN NULL ELSE {time} END"
        head = self.plan.rule.head
        terms = head.arguments if isinstance(head, Atom) else ()
        selected = ", ".join([time, *(self._term(term) for term in terms)])
        joined = "\n  ".join(self._from)
        distinct = "" if self.instead else "DISTINCT "
        below = f"\nWHERE {conjunction(where)}" if where else ""
        return f"SELECT {distinct}{selected}\nFROM {joined}{below}"

    def _term(self, term: Term) -> str:
        return self._terms[term] if isinstance(term, Variable) else quote(term)

    def _join(self, part: Scan | GatheredScan, instead: str | None) -> None:
        alias = f"s{len(self._aliases) + 1}"
        match part:
            case Scan(source, terms):
                table = self.tables(source) if instead is None else instead
            case GatheredScan(literal, scan):
                counted = self._checked(literal)
                terms = (*counted.keys, counted.variable)
                table = self._counted(counted, scan)
            case _:
                assert_never(part)
        on = [f"{alias}.t = {next(iter(self._aliases))}.t"] if self._aliases else []
        conditions = conditions_on(terms, alias, self._terms)
        if self._aliases:
            self._from.append(f"JOIN {table} AS {alias} ON {conjunction([*on, *conditions])}")
        else:
            self._from.append(f"{table} AS {alias}")
            self._where += conditions
        self._aliases[alias] = table

    def _subtract(self, scan: Scan) -> None:
        alias = f"x{len(self._from) + 1}"
        on = [f"{alias}.t = {next(iter(self._aliases))}.t", *conditions_on(scan.terms, alias, self._terms)]
        self._from.append(f"LEFT JOIN {self.tables(scan.source)} AS {alias} ON {conjunction(on)}")
        self._where.append(f"{alias}.t IS NULL")

    def _restrict(self) -> None:
        left = list(self.plan.conditions)
        while left:
            condition = next(one for one in left if ready(one, set(self._terms)))
            left.remove(condition)
            try:
                self._ask(condition)
            except UnsaidError as unsaid:
                raise InexpressibleInSqlError(str(unsaid), self.plan.rule, condition) from None

    def _ask(self, condition: Condition) -> None:
        match condition:
            case Test(expression, wanted):
                found = truth(expression, VariableColumns(self._terms, self._denoted))
                self._keep(found, wanted=wanted)
            case Assign(variable, expression):
                if not isinstance(expression, Term):
                    raise UnsaidError("SQL has no exact words for a computed value; covered are terms")
                self._bind(variable, self._term(expression))
            case Comparison(left, Relation.EQUAL, right):
                for side, other in ((left, right), (right, left)):
                    if (
                        isinstance(side, Variable)
                        and side not in self._terms
                        and variables(other) <= set(self._terms)
                    ):
                        self._bind(side, as_term(other, self._terms))
                        self._compare(condition, f"{self._terms[side]} IS NOT NULL")
                        return
                self._compare(condition, comparison_text(condition, self._terms))
            case Comparison():
                self._compare(condition, comparison_text(condition, self._terms))
            case _:
                assert_never(condition)

    def _bind(self, variable: Variable, text: str) -> None:
        if self._terms.setdefault(variable, text) is not text:
            self._where.append(f"{self._terms[variable]} = {text}")

    def _compare(self, condition: Comparison, holds: str) -> None:
        # What a number without exact value makes of another condition counts for nothing.
        self._overflows += overflows(condition, self._terms)
        self._keep(SqlTruth(holds), wanted=True)

    def _keep(self, found: SqlTruth, *, wanted: bool) -> None:
        holds = f"({found.holds})" if wanted else f"NOT ({found.holds})"
        unknown = [f"({one})" for one in dict.fromkeys((*found.undecided, *self._overflows))]
        self._where.append(f"({' OR '.join([holds, *unknown])})" if unknown else holds)
        self._undecided += (*found.undecided, *self._overflows)

    def _denoted(self, variable: Variable) -> SqlTerm:
        """Return what a variable's term denotes, found in `value`."""
        if variable not in self._valued:
            alias, _, column = self._terms[variable].partition(".")
            if alias not in self._aliases or self._aliases[alias].startswith("("):
                raise UnsaidError(
                    "SQL compares the values of input and derived atoms, not of what is computed"
                )
            self.compared.append((self._aliases[alias], column))
            number = f"v{len(self._valued) + 1}"
            self._from.append(f"LEFT JOIN value AS {number} ON {number}.term = {self._terms[variable]}")
            self._valued[variable] = looked_up(number)
        return self._valued[variable]

    def _checked(self, literal: SetLiteral) -> Gather:
        """Return what SQL counts; raises InexpressibleInSqlError for other literals over all instances."""
        match literal:
            case Gather(_, Aggregation("COUNT")):
                return literal
            case Gather(_, aggregation):
                problem = f"SQL has no exact words for {aggregation.function} of terms; covered is COUNT"
            case Among():
                problem = "SQL has no exact words for SPARQL's order; covered are queries without LIMIT"
            case _:
                assert_never(literal)
        raise InexpressibleInSqlError(problem, self.plan.rule, literal)

    def _counted(self, literal: Gather, scan: Scan) -> str:
        """Return the SELECT that counts the instances of a literal's atom, group by group."""
        first: dict[Variable, str] = {}
        where = conditions_on(scan.terms, "g", first)
        keys = [first[key] for key in literal.keys]
        count = _count(
            [first[name] for name in literal.aggregation.arguments], distinct=literal.aggregation.distinct
        )
        number = f"'\"' || {count} || '\"^^<{XSD}integer>'"
        names = [f"{key} AS a{place}" for place, key in enumerate(keys, 1)]
        table = self.tables(scan.source)
        if not keys:
            # Of nothing there is a count too.
            on = conjunction(["g.t = n.t", *where])
            rows = f"{NOW} AS n LEFT JOIN {table} AS g ON {on} GROUP BY n.t"
            return f"(SELECT n.t, {number} AS a1 FROM {rows})"
        rows = f"{table} AS g WHERE {conjunction(where)} GROUP BY g.t, {', '.join(keys)}"
        return f"(SELECT g.t, {', '.join(names)}, {number} AS a{len(keys) + 1} FROM {rows})"


def _count(arguments: list[str], *, distinct: bool) -> str:
    """Return what counts the elements; unbound values count only in a tuple of several."""
    if not distinct:
        return f"COUNT(NULLIF({arguments[0]}, {quote(NULL)}))" if len(arguments) == 1 else "COUNT(g.t)"
    match arguments:
        case []:
            return "COUNT(DISTINCT g.t)"
        case [only]:
            return f"COUNT(DISTINCT NULLIF({only}, {quote(NULL)}))"
        case _:
            parts = " || ".join(f"length({one}) || ':' || {one}" for one in arguments)
            return f"COUNT(DISTINCT {parts})"
