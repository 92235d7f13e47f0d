"""A rule as a SELECT: a join of its positive literals, without rows of its negated literals.

Conditions of SPARQL and arithmetic of LARS become SQL conditions, in which NULL is the error of SPARQL.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import Final, assert_never

from lars.analysis import InexpressibleError
from lars.dataclass import dataclass
from lars.language import formulas as logic
from lars.language.program import assignment, calls, ready
from lars.language.terms import NULL, XSD, Atom, Constant, Literal, Number, Term, Variable
from solver.relational import RowSource, RulePlan, Scan
from solver.sql import values
from solver.sql.first_statements import NOW, conditions_on

_ORDERS: Final = ("<", "<=", ">", ">=")
_STARTS: Final = {"ISIRI": "<", "ISURI": "<", "ISBLANK": "_:", "ISLITERAL": '"'}
COVERED: Final = (
    "covered are =, !=, <, <=, >, >=, IN, &&, ||, !, BOUND, sameTerm, isIRI, isBlank, isLiteral, isNumeric, "
    "isTRIPLE, and TRIPLE, SUBJECT, PREDICATE, OBJECT in sameTerm and BIND, "
    "of variables and constants"
)


@dataclass(frozen=True, slots=True)
class SqlTruth:
    """A SPARQL condition as an SQL expression, whose value NULL means an error in SPARQL.

    The field `undecided` contains SQL conditions; if one of them is true, SQL cannot decide the SPARQL
    condition.
    """

    holds: str
    undecided: tuple[str, ...] = ()


def truth(expression: logic.Expression, names: "RuleSelect") -> SqlTruth:
    """Return an SQL expression for the effective boolean value of a SPARQL condition.

    Raises:
        InexpressibleError: SQL cannot express the condition.
    """
    match expression:
        case logic.Call("!", (inner,)):
            sql_truth = truth(inner, names)
            return SqlTruth(f"NOT ({sql_truth.holds})", sql_truth.undecided)
        case logic.Call("&&" | "||" as sign, parts):
            return _connected("AND" if sign == "&&" else "OR", [truth(part, names) for part in parts])
        case logic.Call("IN", (needle, *options)):
            found_options = [truth(logic.Call("=", (needle, option)), names) for option in options]
            return _connected("OR", found_options) if options else SqlTruth("1 = 0")
        case logic.Call("=" | "!=" | "<" | "<=" | ">" | ">=", sides) if NULL in sides:
            return SqlTruth("NULL")
        case logic.Call("BOUND", (Variable() as variable,)):
            return SqlTruth(f"{names.terms[variable]} <> {values.quote(NULL)}")
        case logic.Call("SAMETERM", (left, right)):
            return SqlTruth(f"{_bound(left, names)} = {_bound(right, names)}")
        case logic.Call("ISTRIPLE", (term,)):
            return SqlTruth(_is_triple(_bound(term, names)))
        case logic.Call(function, (term,)) if function in _STARTS:
            text = _bound(term, names)
            return SqlTruth(f"{_begins(text, _STARTS[function])} AND NOT {_is_triple(text)}")
        case logic.Call("ISNUMERIC", (Variable() as variable,)):
            kind = names.denoted(variable).kind
            return SqlTruth(f"{kind} = 'number'", (f"{kind} = '?'",))
        case logic.Call("=" | "!=" as sign, (left, right)):
            sql_truth = _equal(_denoted(left, names), _denoted(right, names))
            return sql_truth if sign == "=" else SqlTruth(f"NOT ({sql_truth.holds})", sql_truth.undecided)
        case logic.Call(sign, (left, right)) if sign in _ORDERS:
            return _ordered(sign, _denoted(left, names), _denoted(right, names))
        case Literal("true" | "false" as text, datatype) if datatype == XSD + "boolean":
            return SqlTruth("1 = 1" if text == "true" else "1 = 0")
        case _:
            raise InexpressibleError(f"SQL has no exact words for it; {COVERED}")


def _connected(word: str, parts: list[SqlTruth]) -> SqlTruth:
    holds = f" {word} ".join(f"({part.holds})" for part in parts)
    return SqlTruth(holds, tuple(dict.fromkeys(text for part in parts for text in part.undecided)))


def _bound(expression: logic.Expression, names: "RuleSelect") -> str:
    """Return an SQL expression for a variable's term, which is NULL if the variable is unbound."""
    match expression:
        case Variable():
            return f"NULLIF({names.terms[expression]}, {values.quote(NULL)})"
        case logic.Call(function, (term,)) if function in _PARTS:
            return _part(_PARTS[function], _bound(term, names))
        case logic.Call("TRIPLE", terms):
            return _triple(*(_bound(term, names) for term in terms))
        case logic.Call():
            raise InexpressibleError(f"SQL has no exact words for it; {COVERED}")
        case _:
            return f"NULLIF({values.quote(expression)}, {values.quote(NULL)})"


_PARTS: Final = {"SUBJECT": 0, "PREDICATE": 1, "OBJECT": 2}


def _is_triple(text: str) -> str:
    return _begins(text, "<<(")


def _begins(text: str, start: str) -> str:
    return f"substr({text}, 1, {len(start)}) = '{start}'"


def _begins_with_one_of(text: str, *starts: str) -> str:
    # A blank node begins with _: and the name of a constant can begin with _ alone.
    return f"({' OR '.join(_begins(text, start) for start in starts)})"


def _part(number: int, text: str) -> str:
    """Return an SQL expression for a component of the triple term `text`; it is NULL for other terms.

    The expression splits the text at blanks, since subjects and predicates contain no blanks.
    """
    rest = f"substr({text}, 5, length({text}) - 8)"
    for _ in range(number):
        rest = f"substr({rest}, instr({rest}, ' ') + 1)"
    part = rest if number == _PARTS["OBJECT"] else f"substr({rest}, 1, instr({rest}, ' ') - 1)"
    return f"CASE WHEN {_is_triple(text)} THEN {part} END"


def _triple(subject: str, predicate: str, object_: str) -> str:
    """Return an SQL expression for the triple term of three terms; it is NULL if they cannot form one."""
    fits = [_begins_with_one_of(subject, "<", "_:"), _begins(predicate, "<")]
    fits += [f"NOT {_is_triple(text)}" for text in (subject, predicate)]
    fits.append(_begins_with_one_of(object_, "<", "_:", '"'))
    whole = f"{subject} || ' ' || {predicate} || ' ' || {object_}"
    return f"CASE WHEN {values.conjunction(fits)} THEN '<<( ' || {whole} || ' )>>' END"


def _denoted(expression: logic.Expression, names: "RuleSelect") -> values.SqlTerm:
    match expression:
        case Variable():
            return names.denoted(expression)
        case logic.Call():
            raise InexpressibleError(f"SQL has no exact words for it; {COVERED}")
        case _:
            return _constant(expression)


def _constant(term: Constant) -> values.SqlTerm:
    sql_term = values.constant(term)
    if sql_term is None:
        raise InexpressibleError(
            f"SQL cannot compare with {term} exactly; use a text, or a number of at most 15 digits"
        )
    return sql_term


def _both(kind: str, left: values.SqlTerm, right: values.SqlTerm) -> str:
    """Return an SQL condition: both terms are of the given kind; tests that are always true are omitted."""
    tests = [f"{term.kind} = '{kind}'" for term in (left, right) if term.kinds != {kind}]
    return " AND ".join(tests) or "1 = 1"


def _ordered(sign: str, left: values.SqlTerm, right: values.SqlTerm) -> SqlTruth:
    cases, undecided = [], _unknown(left, right)
    for kind in ("number", "string", "boolean"):
        if kind in left.kinds & right.kinds:
            one, other = (left.text, right.text) if kind == "string" else (left.number, right.number)
            cases.append(f"WHEN {_both(kind, left, right)} THEN {one} {sign} {other}")
            if kind == "string":
                texts = [f"{side.text} IS NULL" for side in (left, right) if len(side.kinds) > 1]
                undecided += [f"{_both(kind, left, right)} AND ({' OR '.join(texts)})"] if texts else []
    if "moment" in left.kinds & right.kinds:
        undecided.append(_both("moment", left, right))
    return SqlTruth(f"CASE {' '.join(cases)} END" if cases else "NULL", tuple(undecided))


def _equal(left: values.SqlTerm, right: values.SqlTerm) -> SqlTruth:
    kinds = left.kinds | right.kinds
    # An unbound value has no kind.
    unbound = [f"{side.kind} IS NULL" for side in (left, right) if len(side.kinds) > 1]
    cases = [f"WHEN {' OR '.join(unbound)} THEN NULL"] if unbound else []
    if "number" in left.kinds & right.kinds:
        cases.append(f"WHEN {_both('number', left, right)} THEN {left.number} = {right.number}")
    cases.append(f"WHEN {left.term} = {right.term} THEN 1 = 1")
    for kind, result in (("node", "1 = 0"), ("lang", "1 = 0"), ("none", "NULL")):
        tests = [f"{side.kind} = '{kind}'" for side in (left, right) if kind in side.kinds]
        cases += [f"WHEN {' OR '.join(tests)} THEN {result}"] if kind in kinds else []
    if "boolean" in left.kinds & right.kinds:
        cases.append(f"WHEN {_both('boolean', left, right)} THEN {left.number} = {right.number}")
    undecided = _unknown(left, right)
    moments = [f"{side.kind} = 'moment'" for side in (left, right) if "moment" in side.kinds]
    if moments:
        plain = [f"{side.kind} NOT IN ('node', 'lang')" for side in (left, right)]
        undecided.append(
            f"{left.term} <> {right.term} AND ({' OR '.join(moments)}) AND {' AND '.join(plain)}"
        )
    return SqlTruth(f"CASE {' '.join(cases)} ELSE 1 = 0 END", tuple(undecided))


def _unknown(left: values.SqlTerm, right: values.SqlTerm) -> list[str]:
    """Return SQL conditions under which SQL does not know the exact value of one of two terms."""
    texts = [f"{side.kind} = '?'" for side in (left, right) if "?" in side.kinds]
    slack = " + ".join(side.slack for side in (left, right) if len(side.kinds) > 1)
    if slack and "number" in left.kinds & right.kinds:
        size = f"abs({left.number}) + abs({right.number})"
        gap = f"abs({left.number} - {right.number})"
        texts.append(f"{slack} > 0 AND {left.term} <> {right.term} AND {gap} <= ({slack}) * ({size})")
    return texts


def comparison_text(comparison: logic.Comparison, names: Mapping[Variable, str]) -> str:
    """Return an SQL condition for a comparison of LARS, which is never true if an operand has no value."""
    if comparison.relation in ("=", "!="):
        sign = "=" if comparison.relation == "=" else "<>"
        return f"{as_term(comparison.left, names)} {sign} {as_term(comparison.right, names)}"
    left, right = number(comparison.left, names), number(comparison.right, names)
    return f"{left} {comparison.relation} {right}"


_EXACT: Final = 2**62
"""The bound of integers whose sums and differences are exact in SQL, which has integers of 64 bits."""
_DIVIDED: Final = 2**53
"""The bound of integers that DuckDB divides exactly; its operator / returns a floating-point number."""


def overflows(comparison: logic.Comparison, names: Mapping[Variable, str]) -> tuple[str, ...]:
    """Return SQL conditions under which SQL may compute the arithmetic in a comparison inexactly."""
    ordered = comparison.relation not in ("=", "!=")
    sides = comparison.left, comparison.right
    terms = [part for side in sides for part in _parts(side) if ordered or isinstance(side, logic.Operation)]
    divided = [part.left for part in terms if isinstance(part, logic.Operation) if part.operator == "/"]
    limits = [
        *((_EXACT, part) for part in terms if not isinstance(part, Number)),
        *((_DIVIDED, part) for part in divided),
    ]
    return tuple(f"abs({number(part, names)}) > {most}" for most, part in dict.fromkeys(limits))


def _parts(side: logic.Arithmetic) -> Iterator[logic.Arithmetic]:
    yield side
    if isinstance(side, logic.Operation):
        yield from _parts(side.left)
        yield from _parts(side.right)


def as_term(side: logic.Arithmetic, names: Mapping[Variable, str]) -> str:
    """Return an SQL expression for an operand's term as text; it is NULL if its arithmetic is undefined."""
    match side:
        case logic.Operation():
            return f"CAST({number(side, names)} AS TEXT)"
        case Variable():
            return names[side]
        case _:
            return values.quote(side)


def number(side: logic.Arithmetic, names: Mapping[Variable, str]) -> str:
    """Return an SQL expression for the number of an operand; it is NULL for terms that are not numbers."""
    match side:
        case logic.Operation(operator, left, right):
            return _computed(operator, number(left, names), number(right, names))
        case Number(amount):
            return str(amount)
        case Variable():
            text = names[side]
            return f"CASE WHEN substr({text}, 1, 1) IN ({_NUMERIC}) THEN CAST({text} AS BIGINT) END"
        case _:
            return "NULL"


_NUMERIC: Final = ", ".join(f"'{character}'" for character in "-0123456789")


def _computed(operator: logic.ArithmeticOperator, left: str, right: str) -> str:
    match operator:
        case "+" | "-" | "*":
            return f"({left} {operator} {right})"
        case "mod":
            return _remainder(left, right)
        case "/":
            # The rest taken off, division is exact; as a number with a fraction, where / gives one.
            return f"CAST(({left} - {_remainder(left, right)}) / NULLIF({right}, 0) AS BIGINT)"
        case _:
            assert_never(operator)


def _remainder(left: str, right: str) -> str:
    """Return an SQL expression for the remainder of floor division, with the sign of the divisor."""
    divisor = f"NULLIF({right}, 0)"
    return f"(({left} % {divisor} + {right}) % {divisor})"


@dataclass(slots=True)
class RuleSelect:
    """The translation of one rule to an SQL SELECT.

    - `tables` is a function that returns the SQL table for a source of rows.
    - `instead` maps numbers of literals to the tables that replace their own tables.
    - `compared` collects the SQL columns of terms whose RDF values the SELECT needs.
    - `terms` maps variables to SQL expressions.
    """

    plan: RulePlan
    tables: Callable[[RowSource], str]
    instead: Mapping[int, str] = field(default_factory=dict)
    compared: list[tuple[str, str]] = field(default_factory=list)
    terms: dict[Variable, str] = field(default_factory=dict)
    _from: list[str] = field(default_factory=list)
    _valued: dict[Variable, values.SqlTerm] = field(default_factory=dict)
    _where: list[str] = field(default_factory=list)
    _undecided: list[str] = field(default_factory=list)
    _overflows: list[str] = field(default_factory=list)
    _aliases: dict[str, str] = field(default_factory=dict)

    def text(self) -> str:
        """Return the SELECT of the rule's head: the evaluation time, then the arguments.

        Raises:
            ExportError: SQL cannot express a construct exactly.
        """
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
            unknown = " OR ".join(f"({text})" for text in dict.fromkeys(self._undecided))
            time = f"CASE WHEN {unknown} THEN NULL ELSE {time} END"
        head = self.plan.rule.head
        terms = head.arguments if isinstance(head, Atom) else ()
        selected = ", ".join([time, *(self._term(term) for term in terms)])
        joined = "\n  ".join(self._from)
        distinct = "" if self.instead else "DISTINCT "
        below = f"\nWHERE {values.conjunction(where)}" if where else ""
        return f"SELECT {distinct}{selected}\nFROM {joined}{below}"

    def _term(self, term: Term) -> str:
        return self.terms[term] if isinstance(term, Variable) else values.quote(term)

    def _join(self, part: Scan, instead: str | None) -> None:
        alias, terms = f"s{len(self._aliases) + 1}", part.terms
        if part.literal is None:
            table = self.tables(part.source) if instead is None else instead
        else:
            counted = self._checked(part.literal)
            terms = (*counted.keys, counted.variable)
            table = self._counted(counted, part)
        on = [f"{alias}.t = {next(iter(self._aliases))}.t"] if self._aliases else []
        conditions = conditions_on(terms, alias, self.terms)
        if self._aliases:
            self._from.append(f"JOIN {table} AS {alias} ON {values.conjunction([*on, *conditions])}")
        else:
            self._from.append(f"{table} AS {alias}")
            self._where += conditions
        self._aliases[alias] = table

    def _subtract(self, scan: Scan) -> None:
        alias = f"x{len(self._from) + 1}"
        on = [f"{alias}.t = {next(iter(self._aliases))}.t", *conditions_on(scan.terms, alias, self.terms)]
        self._from.append(f"LEFT JOIN {self.tables(scan.source)} AS {alias} ON {values.conjunction(on)}")
        self._where.append(f"{alias}.t IS NULL")

    def _restrict(self) -> None:
        left = list(self.plan.conditions)
        while left:
            condition = next(one for one in left if ready(one, set(self.terms)))
            left.remove(condition)
            try:
                self._ask(condition)
            except InexpressibleError as unsaid:
                raise values.inexpressible(str(unsaid), self.plan.rule, condition) from None

    def _ask(self, condition: logic.Condition) -> None:
        match condition:
            case logic.Test(expression, wanted):
                sql_truth = truth(expression, self)
                self._keep(sql_truth, wanted=wanted)
            case logic.Assign(variable, expression):
                self._bind(variable, self._value(expression))
            case logic.Comparison() if equality := assignment(condition, self.terms.keys()):
                variable, value = equality
                self._bind(variable, as_term(value, self.terms))
                self._compare(condition, f"{self.terms[variable]} IS NOT NULL")
            case logic.Comparison():
                self._compare(condition, comparison_text(condition, self.terms))
            case _:
                assert_never(condition)

    def _value(self, expression: logic.Expression) -> str:
        if not isinstance(expression, logic.Call):
            return self._term(expression)
        if any(call.function not in (*_PARTS, "TRIPLE") for call in calls(expression)):
            raise InexpressibleError("SQL has no exact words for a computed value; covered are terms")
        return f"COALESCE({_bound(expression, self)}, {values.quote(NULL)})"

    def _bind(self, variable: Variable, text: str) -> None:
        if self.terms.setdefault(variable, text) is not text:
            self._where.append(f"{self.terms[variable]} = {text}")

    def _compare(self, condition: logic.Comparison, holds: str) -> None:
        # What a number without exact value makes of another condition counts for nothing.
        self._overflows += overflows(condition, self.terms)
        self._keep(SqlTruth(holds), wanted=True)

    def _keep(self, sql_truth: SqlTruth, *, wanted: bool) -> None:
        holds = f"({sql_truth.holds})" if wanted else f"NOT ({sql_truth.holds})"
        unknown = [f"({text})" for text in dict.fromkeys((*sql_truth.undecided, *self._overflows))]
        self._where.append(f"({' OR '.join([holds, *unknown])})" if unknown else holds)
        self._undecided += (*sql_truth.undecided, *self._overflows)

    def denoted(self, variable: Variable) -> values.SqlTerm:
        """Return the term of a variable in SQL, with expressions for its RDF value from the view `value`."""
        if variable not in self._valued:
            alias, _, column = self.terms[variable].partition(".")
            if alias not in self._aliases or self._aliases[alias].startswith("("):
                raise InexpressibleError(
                    "SQL compares the values of input and derived atoms, not of what is computed"
                )
            self.compared.append((self._aliases[alias], column))
            number = f"v{len(self._valued) + 1}"
            self._from.append(f"LEFT JOIN value AS {number} ON {number}.term = {self.terms[variable]}")
            self._valued[variable] = values.looked_up(number)
        return self._valued[variable]

    def _checked(self, literal: logic.SetLiteral) -> logic.Gather:
        """Return the literal if it is a COUNT, which is the only aggregate that the script supports.

        Raises:
            ExportError: The literal is another aggregate or an order.
        """
        match literal:
            case logic.Gather(_, logic.Aggregation("COUNT")):
                return literal
            case logic.Gather(_, aggregation):
                problem = f"SQL has no exact words for {aggregation.function} of terms; covered is COUNT"
            case logic.Among():
                problem = "SQL has no exact words for SPARQL's order; covered are queries without LIMIT"
            case _:
                assert_never(literal)
        raise values.inexpressible(problem, self.plan.rule, literal)

    def _counted(self, literal: logic.Gather, scan: Scan) -> str:
        """Return the SELECT that counts the instances of the literal's atom per group."""
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
            # An empty input has a count too.
            on = values.conjunction(["g.t = n.t", *where])
            rows = f"{NOW} AS n LEFT JOIN {table} AS g ON {on} GROUP BY n.t"
            return f"(SELECT n.t, {number} AS a1 FROM {rows})"
        rows = f"{table} AS g WHERE {values.conjunction(where)} GROUP BY g.t, {', '.join(keys)}"
        return f"(SELECT g.t, {', '.join(names)}, {number} AS a{len(keys) + 1} FROM {rows})"


def _count(arguments: list[str], *, distinct: bool) -> str:
    """Return the SQL expression that counts the elements of a group.

    If the aggregate has a single argument, an unbound value does not count. If the aggregate has several
    arguments, a tuple with an unbound value counts.
    """
    if not distinct:
        return f"COUNT(NULLIF({arguments[0]}, {values.quote(NULL)}))" if len(arguments) == 1 else "COUNT(g.t)"
    match arguments:
        case []:
            return "COUNT(DISTINCT g.t)"
        case [only]:
            return f"COUNT(DISTINCT NULLIF({only}, {values.quote(NULL)}))"
        case _:
            parts = " || ".join(f"length({argument}) || ':' || {argument}" for argument in arguments)
            return f"COUNT(DISTINCT {parts})"
