"""Remarks about one query: its trigger, its period, and its constructs with disputed meanings."""

from collections.abc import Iterator
from math import gcd

from lars.durations import Duration
from lars.language.formulas import Call, Expression
from lars.language.program import variables as variables_of
from lars.language.terms import Variable
from lars.language.windows import LastWindow
from translate.analysis.model_queries import stream_blocks
from translate.analysis.nullability import Variables, null_pairs, nullable, witnesses
from translate.analysis.rewriting import direct_parts, expressions_of, occurring_variables, parts, tests_of
from translate.model import patterns as algebra
from translate.model.patterns import Pattern, variables
from translate.model.query import EngineQuery, Language, Setting
from translate.model.windows import Now, Range, Rows, Span, Unbounded, WindowExpression, window_operator


def is_pushed(query: EngineQuery) -> bool:
    """Return whether input triggers the query by default, because of its language or its windows."""
    reads: list[algebra.StreamBlock] = [*query.declared, *stream_blocks(query.pattern)]
    ungridded = [_has_no_grid(read.window) for read in reads]
    match query.language.manner.pushed:
        case "any":
            return not ungridded or any(ungridded)
        case "all":
            return all(ungridded)
        case said:
            return said == "always"


def _has_no_grid(window: WindowExpression) -> bool:
    return isinstance(window, Now | Rows | Unbounded) or (isinstance(window, Range) and window.slide is None)


def remarks_on_sums(query: EngineQuery) -> dict[Variable, str]:
    """Return the variables of SUM and AVG in the result of a query, each with a remark about rows without it.

    An aggregate of a group with a term that is not a number is an error. Aggregates in subqueries are left
    out, and averages of nothing, which are unbound in some languages.
    """
    group, told = query.pattern, dict[Variable, str]()
    while isinstance(group, algebra.Filter | algebra.Extend):
        group = group.pattern
    if not isinstance(group, algebra.Group):
        return told
    empty = not group.keys and query.language.manner.empty_group == "unbound average"
    functions = ("SUM",) if empty else ("SUM", "AVG")
    for variable, aggregation in group.aggregates:
        if aggregation.function in functions and variable in query.result:
            (argument,) = aggregation.arguments
            told[variable] = (
                f"some rows have no value of {variable}, because {aggregation} is an error if a value of "
                f"{argument} is missing or not a number"
            )
    return told


def is_historical(query: EngineQuery) -> bool:
    """Return whether all windows of a query are between two fixed times, as in queries of a log."""
    reads: list[algebra.StreamBlock] = [*query.declared, *stream_blocks(query.pattern)]
    return bool(reads) and all(isinstance(read.window, Span) for read in reads)


def default_period(query: EngineQuery, unit: Duration) -> int | None:
    """Return the pull period that a query defines, in time points: the STEP of its windows.

    If windows have their own closing times, the period is the greatest period that includes every close.
    Without a STEP, or if the windows have different steps, the period is the period of COMPUTED EVERY, or
    None if the query does not have it. CQELS ignores SLIDE, and its queries are never pulled.
    """
    windows = _pulled_windows(query)
    if all_closes := closes(query, unit):
        common = gcd(*(n for series in all_closes for n in series))
        return Duration(common * unit.nanoseconds).timed(unit)
    if is_historical(query):
        return unit.timed(unit)
    steps = {window.slide for window in windows if isinstance(window, Range) and window.slide}
    if len(steps) != 1 and query.every is not None:
        steps = {query.every}
    return steps.pop().timed(unit) if len(steps) == 1 else None


def _pulled_windows(query: EngineQuery) -> list[WindowExpression]:
    windows = [part.window for part in (*query.merged, *query.declared)]
    if not is_pushed(query):
        windows += [block.window for block in stream_blocks(query.pattern)]
    return windows


def closes(query: EngineQuery, unit: Duration) -> tuple[tuple[int, int], ...]:
    """Return the times at which windows close, as pairs (U, k) for the times k, k + U, k + 2U, ...

    The result is empty if no window defines the time at which the first window opens. Otherwise, the other
    windows with a slide close at its multiples.
    """
    series: dict[tuple[int, int], None] = {}
    windows = [part for part in _pulled_windows(query) if isinstance(part, Range)]
    operators = [(part, window_operator(part, Variable("s"), unit, None)) for part in windows]
    if not any(isinstance(operator, LastWindow) for _, operator in operators):
        return ()
    for window, operator in operators:
        if isinstance(operator, LastWindow):
            series[operator.slide, operator.close] = None
        elif window.slide is not None:
            series[window.slide.points(unit), 0] = None
    return tuple(series)


def remarks(
    query: EngineQuery,
    setting: Setting,
    *,
    pushed: bool | None = None,
    rows: bool = False,
    derived: bool = False,
) -> tuple[str, ...]:
    """Return the warnings about a query, and the notes of its reader; W2, T1 and so on are names of warnings.

    The warning W2 concerns a slide in a query that input triggers. The warning T1 concerns a join over null.
    The warning T2 concerns MINUS that is evaluated as Diff. The warning T6 concerns a variable of SELECT, of
    an expression or of a template that no pattern binds. The warning T13 concerns an aggregate without GROUP
    BY. If `pushed` is true, input triggers the query; None means the default of the query. If `rows` is true,
    the answers are shown, and the warning T12 is given if SPARQL counts equal rows but the setting does not.
    Below LIMIT or OFFSET, T12 is always given: there, counting equal rows once changes which rows there are.
    If `rows` is false, the warning T14 concerns ISTREAM or DSTREAM, because rules cannot express these
    operators. If `derived` is true, `lars` derived the CQELS query, so its SLIDE is the STEP of the given
    query.
    """
    if pushed is None:
        pushed = is_pushed(query)
    texts = list(_slides(query, setting, derived=derived)) if pushed else []
    whole = tuple(parts(query.pattern))
    texts += profile_remarks(query, setting)
    texts += query.notes
    texts += unbound_remarks(query)
    if any(isinstance(part, algebra.Group) and part.aggregates and not part.keys for part in whole):
        texts.append(
            "T13 (empty aggregate): an aggregate without GROUP BY: if nothing matches, C-SPARQL has one "
            "row (COUNT, SUM and "
            "AVG are 0), CQELS none"
        )
    texts += [
        f"SERVICE {part.name} is evaluated on the graph of that name in the static data"
        for part in whole
        if isinstance(part, algebra.Service)
    ]
    texts += _multiplicities(query, setting, rows=rows)
    if not rows and query.to_stream in ("ISTREAM", "DSTREAM"):
        word = query.language.manner.operators[query.to_stream]
        texts.append(
            f"T14 (ISTREAM and DSTREAM): {word} is omitted, because the rules give all answers at each time"
        )
    return tuple(dict.fromkeys(texts))


def profile_remarks(query: EngineQuery, setting: Setting) -> Iterator[str]:
    """Yield T1 and T2: parts whose answers in the profile paper2015 can differ from SPARQL 1.1."""
    if setting.profile == "paper2015":
        yield from (remark for part in parts(query.pattern) for remark in _differences(part))


def _slides(query: EngineQuery, setting: Setting, *, derived: bool) -> Iterator[str]:
    without = query.language is Language.CQELS
    remedy = "remove SLIDE to read the window as CQELS does" if without else "use a shorter slide"
    if derived:
        remedy = (
            "the CQELS query is derived, and its SLIDE is the STEP of the given query. To push at each "
            "triple, give the same inputs to `lars translate --to cqels`, remove SLIDE from the query, and "
            "compare both queries"
        )
    reads: list[algebra.StreamBlock] = [*query.merged, *stream_blocks(query.pattern)]
    for read in reads:
        if isinstance(read.window, Range) and (hidden := _hidden(read.window, setting.unit)):
            yield (
                f"W2 (slide under push): push with {read.window} on {read.stream} ignores triples that "
                f"arrived {hidden}, so rows are late or missing; {remedy}"
            )


def _hidden(window: Range, unit: Duration) -> str:
    """Return when triples arrive that a window with a slide does not contain yet; "" without such triples."""
    ahead = 0 if window.ahead is None else window.ahead.points(unit)
    # Before the next pivot t' + d, the last time is t' + d - 1, and the window reaches t' + u.
    if window.slide is None or window.slide.points(unit) <= ahead + 1:
        return ""
    if window.opens is not None:
        return "after the last close of the window"
    return f"{f'more than {window.ahead} ' if ahead else ''}after the last multiple of {window.slide}"


def _differences(part: Pattern) -> Iterator[str]:
    match part:
        case algebra.Graph(name, inner):
            if isinstance(name, Variable) and name in nullable(inner):
                yield _joined_unbound(frozenset((name,)))
        case algebra.Join(left, right) | algebra.LeftJoin(left, right, _):
            unbound = frozenset().union(*(mine ^ theirs for mine, theirs in _nulls(left, right)))
            if unbound:
                yield _joined_unbound(unbound)
        case algebra.Minus(left, right):
            yield from _minus(left, right)
        case _:
            pass


def _nulls(left: Pattern, right: Pattern) -> Iterator[tuple[Variables, Variables]]:
    shared = variables(left) & variables(right)
    yield from null_pairs(left, right, shared)


def _minus(left: Pattern, right: Pattern) -> Iterator[str]:
    # Diff removes a solution if all shared variables are equal, null included; Minus compares only the
    # variables that both sides bind, and needs at least one.
    shared = variables(left) & variables(right)
    for mine, theirs in _nulls(left, right):
        both = shared - mine - theirs
        if bool(both) == (mine != theirs):
            unbound = (mine | theirs) & shared
            which = f"{_names(unbound)} can be unbound" if unbound else "its two sides share no variable"
            yield (
                f"T2 (MINUS): paper2015 evaluates MINUS as Diff, and {which}, so the answer can differ from "
                "SPARQL 1.1 (sparql11)"
            )
            return


def unbound_remarks(query: EngineQuery) -> Iterator[str]:
    """Yield the warnings T6 about variables that no pattern binds."""
    selects = [
        (part.result, part.pattern) for part in parts(query.pattern) if isinstance(part, algebra.Select)
    ]
    if query.form == "SELECT":
        selects.append((query.result, query.pattern))
    names = dict.fromkeys(
        name for result, pattern in selects for name in result if name not in variables(pattern)
    )
    if names:
        yield (
            f"T6 (unbound variable): {_names(frozenset(names))} is selected, but no pattern binds it, "
            "so it is "
            "unbound in every row"
        )
    whole = algebra.Select(query.pattern, query.result, query.modifiers)
    if loose := frozenset(_loose(whole, frozenset())):
        yield (
            f"T6 (unbound variable): {_names(loose)} is in an expression, but no pattern there binds "
            "it, so it is unbound"
        )
    if missing := occurring_variables(query.template) - variables(query.pattern):
        yield (
            f"T6 (unbound variable): {_names(missing)} is in the template, but no pattern binds it, so "
            "its triples are left out"
        )


def _loose(pattern: Pattern, outer: Variables) -> Iterator[Variable]:
    """Yield each variable that an expression in a pattern uses, but that the pattern does not bind.

    The argument `outer` contains the variables that an EXISTS around the pattern receives.
    """
    bound = outer.union(*map(variables, direct_parts(pattern)))
    tests = tests_of(pattern)
    read = frozenset().union(*map(_read, expressions_of(pattern)))
    match pattern:
        case algebra.Select(_, result, modifiers):
            read = frozenset(key.variable for key in modifiers.order)
            outer &= frozenset(result)
        case algebra.Group(_, keys, aggregates):
            read = frozenset(keys).union(*(aggregation.arguments for _, aggregation in aggregates))
        case _:
            pass
    yield from read - bound - {test.variable for test in tests}
    for part in direct_parts(pattern):
        yield from _loose(part, outer)
    for test in tests:
        yield from _loose(test.pattern, bound)


def _read(expression: Expression) -> Variables:
    """Return the variables whose values an expression needs; BOUND and COALESCE accept unbound variables."""
    match expression:
        case Call("BOUND" | "COALESCE", _):
            return frozenset()
        case Call(_, arguments):
            return frozenset().union(*map(_read, arguments))
        case _:
            return variables_of(expression)


def _joined_unbound(names: frozenset[Variable]) -> str:
    return (
        f"T1 (join of unbound variables): paper2015 joins unbound {_names(names)} as a constant, so its "
        "answer can differ "
        "from SPARQL 1.1 (sparql11)"
    )


def _multiplicities(query: EngineQuery, setting: Setting, *, rows: bool) -> Iterator[str]:
    if setting.semantics == "bag":
        return
    whole = algebra.Select(query.pattern, query.result, query.modifiers)
    slices = (part for part in parts(whole) if isinstance(part, algebra.Select) and part.modifiers.slices)
    if any(map(_can_repeat, slices)):
        yield (
            "T12 (set semantics): equal rows count once, also before LIMIT and OFFSET, so the answer can "
            "have rows that SPARQL 1.1 does not return; with SELECT DISTINCT, both return the same rows"
        )
    elif rows and query.form == "SELECT" and _can_repeat(whole):
        yield (
            "T12 (set semantics): equal rows are printed once; with --semantics bag, lars prints each of "
            "the equal rows, as in SPARQL 1.1"
        )


def _can_repeat(select: algebra.Select) -> bool:
    if select.modifiers.duplicates == "DISTINCT":
        return False
    known = _determined(select.pattern, frozenset(select.result))
    return bool(witnesses(select.pattern)) or not variables(select.pattern) <= known


def _determined(pattern: Pattern, known: Variables) -> Variables:
    """Return `known` and the variables of BIND and of aggregates whose values follow from `known`."""
    match pattern:
        case algebra.Extend(inner, variable, expression):
            below = _determined(inner, known)
            return below | {variable} if variables_of(expression) <= below else below
        case algebra.Group(_, keys, aggregates) if frozenset(keys) <= known:
            return known.union(variable for variable, _ in aggregates)
        case algebra.Filter(inner, _):
            return _determined(inner, known)
        case _:
            return known


def _names(names: frozenset[Variable]) -> str:
    return ", ".join(f"?{name.name}" for name in sorted(names))
