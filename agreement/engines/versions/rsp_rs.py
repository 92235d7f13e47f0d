"""rsp-rs 0.3.5: windows as in YASPER for C-SPARQL, whose grids begin with the first triple of their stream.

Source: the page of living engines, section A, and the engine's own. D1 to D7 are what it calls defects,
A3 to A11 its other statements, A14 and A15 are of its processor, Oxigraph 0.5. Times are in the unit of
the timestamps, in which its windows are written too.
Each push is taken once the engine is at rest: how it then races and can stand still (D8) is not modelled.

Oxigraph answers otherwise than SPARQL 1.1 to alternatives of paths (A14) and GROUP_CONCAT (A15); a query is
first written as what that is in SPARQL 1.1:

  ?x :p|:q ?y   =   { SELECT DISTINCT ?x ?y { ?x :p|:q ?y } }
  GROUP_CONCAT(?x)   =   GROUP_CONCAT(IF(?x is a text, ?x, an error))
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import Final

from agreement.documents.recordings import Push, Recording, Report
from agreement.engines.engine import (
    AT_ITS_CLOSE,
    DECLARED,
    EACH_WINDOW,
    ENDS,
    GRID,
    IN_ORDER,
    NON_EMPTY,
    OPERATORS,
    OWN_STREAM,
    SAME_INSTANT,
    Engine,
    EngineRule,
    Off,
    answers,
    columns,
)
from agreement.engines.r2s import relation_to_stream
from agreement.engines.versions.sliding import (
    Firing,
    FiringRules,
    FiringWindows,
    OpenedWindows,
    engine_windows,
    first_close,
    rust_integer,
)
from lars.language.formulas import Call
from lars.language.terms import XSD, Iri, Literal, Term, Variable
from solver.facts import Static
from translate.analysis import fresh_variables, rebuild
from translate.model import patterns as algebra
from translate.model.patterns import (
    Alternative,
    Duplicates,
    Inverse,
    Modifiers,
    Path,
    PathSequence,
    variables,
)
from translate.model.query import EngineQuery, ToStream
from translate.tau import in_order

_DISTINCT: Final = Modifiers(Duplicates.DISTINCT)
_STRING: Final = Iri(XSD + "string")


def with_distinct_alternatives(pattern: algebra.Pattern) -> algebra.Pattern:
    """Return the pattern in which what several alternatives of a path connect is one solution."""
    fresh = fresh_variables(pattern, "made_")

    def change(part: algebra.Pattern) -> algebra.Pattern | None:
        match part:
            case algebra.StreamBlock(_, _, algebra.PathPattern(subject, path, object_)):
                steps = _steps(subject, path, object_, fresh)
                return reduce(algebra.Join, (_once(replace(part, pattern=step), step.path) for step in steps))
            case algebra.PathPattern(subject, path, object_):
                steps = _steps(subject, path, object_, fresh)
                return reduce(algebra.Join, (_once(step, step.path) for step in steps))
            case _:
                return None

    return rebuild(pattern, change)


def _steps(
    subject: Term, path: Path, object_: Term, fresh: Iterator[Variable]
) -> Iterator[algebra.PathPattern]:
    """Yield what a path becomes, whose sequences are joins."""
    if isinstance(path, PathSequence):
        between = next(fresh)
        yield from _steps(subject, path.left, between, fresh)
        yield from _steps(between, path.right, object_, fresh)
    else:
        yield algebra.PathPattern(subject, path, object_)


def _once(pattern: algebra.Pattern, path: Path) -> algebra.Pattern:
    while isinstance(path, Inverse):
        path = path.path
    if not isinstance(path, Alternative):
        return pattern
    return algebra.Select(pattern, tuple(in_order(variables(pattern))), _DISTINCT)


def with_texts_concatenated(pattern: algebra.Pattern) -> algebra.Pattern:
    """Return the pattern in whose groups, those of subqueries too, only texts can be concatenated."""
    fresh = fresh_variables(pattern, "made_")

    def change(part: algebra.Pattern) -> algebra.Pattern | None:
        if not isinstance(part, algebra.Group):
            return None
        inner, aggregates = rebuild(part.pattern, change), []
        for variable, aggregation in part.aggregates:
            if aggregation.function == "GROUP_CONCAT":
                (given,) = aggregation.arguments
                text, nothing = next(fresh), next(fresh)
                inner = algebra.Extend(inner, text, Call("IF", (_is_text(given), given, nothing)))
                aggregates.append((variable, replace(aggregation, arguments=(text,))))
            else:
                aggregates.append((variable, aggregation))
        return replace(part, pattern=inner, aggregates=tuple(aggregates))

    return rebuild(pattern, change)


def _is_text(variable: Variable) -> Call:
    plain = Call("=", (Call("DATATYPE", (variable,)), _STRING))
    return Call("||", (plain, Call("!=", (Call("LANG", (variable,)), Literal("")))))


_RULES: Final = (
    EngineRule(
        "D1",
        "windows close at steps from the first triple of their own stream, not from 0; after a first "
        "triple at 0 they are counted from the next one",
        GRID,
    ),
    EngineRule(
        "D2",
        "an arrival that is late opens windows again that have been reported; before the first triple it "
        "opens their mirror image, which does not show it",
        IN_ORDER,
    ),
    EngineRule(
        "D3",
        "only windows in a line of their own are seen; a length that is no integer is 0, and a window with "
        "the step 0 never reports",
        DECLARED,
    ),
    EngineRule(
        "D4",
        "only an arrival in a window's own stream finds it closed, and only the latest of those that "
        "arrivals opened fires, if it closed after 0; older ones are skipped",
        EACH_WINDOW,
    ),
    EngineRule("D5", "a stream is fed to one window only, the last that names it", OWN_STREAM),
    EngineRule(
        "D6",
        "each other window adds the content of its earliest one that is open, both ends included, at the "
        "last triple of the one that fires, at 0 if that is empty",
        SAME_INSTANT,
    ),
    EngineRule(
        "D7",
        "an empty window fires too, as the one that closes at the first triple, or those behind a gap",
        NON_EMPTY,
    ),
    EngineRule("A3", "a window that closes at c shows [c - w, c), not (c - w, c]", ENDS),
    EngineRule("A4", "a report has the time of the arrival that finds a window closed", AT_ITS_CLOSE),
    EngineRule("A8", "the operator of REGISTER is left out: each answer is reported in full", OPERATORS),
    EngineRule(
        "A11",
        "a report is said to be of [T, T + w), T the time of its last triple (0 if it is empty)",
        "Definition 12: a window has an opening and a closing time",
    ),
    EngineRule(
        "A14",
        "what several alternatives of a property path connect is one solution",
        "SPARQL 1.1, 18.4: each alternative of a path has its own solutions",
    ),
    EngineRule(
        "A15",
        "GROUP_CONCAT of anything but texts, numbers too, is unbound",
        "SPARQL 1.1, 18.5.1.7: GROUP_CONCAT of the texts of all values",
    ),
)


def _recorded(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
    """Return what rsp-rs reports; raises LarsError for what is no SELECT over sliding windows."""
    declared = engine_windows(query, RSP_RS_035.name, rust_integer, by_lines="D3" not in off)
    rules = FiringRules(
        include_opening="A3" not in off,
        late="D2" not in off,
        latest="D4" not in off,
        beside="D6" not in off,
        last_fed="D5" not in off,
        empty="D7" not in off,
        always=False,
        one_by_one=False,
    )
    firings = list(FiringWindows(declared, rules, partial(_first, off)).of(pushes))
    operator = (query.to_stream if "A8" in off else None) or ToStream.RSTREAM
    contents = [firing.content for firing in firings]
    rows_of = dict(enumerate(answers(_as_processed(query, off), contents, static)))
    rows = relation_to_stream(operator, range(len(firings)), rows_of)
    with_rows = [(firing, tuple(rows[n])) for n, firing in enumerate(firings) if rows[n]]
    reports = (
        Report(firing.close if "A4" in off else firing.t, new, firing.push) for firing, new in with_rows
    )
    bounds = tuple(_bounds(firing, off) for firing, _ in with_rows)
    return Recording(columns(query), tuple(reports), (), bounds)


def _first(off: Off, opened: OpenedWindows, t: float) -> float:
    """Return the close of the first window that an arrival opens; its grid begins with the first one."""
    if "D1" not in off and opened.start == 0:
        opened.start = t
    distance = t - opened.start
    return opened.start + first_close(distance if "D2" in off else abs(distance), opened.window.step)


def _bounds(firing: Firing, off: Off) -> tuple[float, float]:
    """Return the bounds that a report is said to be of."""
    width = firing.windows[-1].window.width
    return (firing.close - width, firing.close) if "A11" in off else (firing.last, firing.last + width)


def _as_processed(query: EngineQuery, off: Off) -> EngineQuery:
    """Return the query that answers in SPARQL 1.1 what Oxigraph answers."""
    pattern = query.pattern if "A14" in off else with_distinct_alternatives(query.pattern)
    return replace(query, pattern=pattern if "A15" in off else with_texts_concatenated(pattern))


RSP_RS_035: Final = Engine("rsp-rs-0.3.5", "rspql", _RULES, _recorded)
