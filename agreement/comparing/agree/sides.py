"""The two sides of a comparison (push and pull): programs, static data, and rows that only one side reports.

Rows are compared on all or some of the variables that both queries return.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Final, Literal, get_args

import numpy as np

from agreement.comparing.agree.periods import PeriodComparison
from agreement.documents.requests import Side
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language.program import Program, Rule
from lars.language.terms import Atom, Signature, Variable
from lars.options import kind_of_value, option
from solver.columns import Array, TraceColumns
from solver.facts import Background, Row
from solver.job import Question
from solver.job.slices import used_background
from solver.relational import EncodedSituation, situation_of
from translate.analysis import DIFFERENT_OUTPUT, check_slices, different_variables, have_one_output
from translate.dialects import TITLES
from translate.model.patterns import UNMODIFIED, Select
from translate.model.query import EngineQuery, Setting
from translate.tau import columns, lars_program, output_of

SideStatic = Literal["push", "pull", "both"]
"""The static data that an evaluation uses: of push, of pull, or of both, if they differ."""


RowCause = Literal[
    "aggregate of nothing",
    "different static data",
    "static only",
    "different queries",
    "merged sources",
    "hidden by the pivot",
    "different windows",
    "silent period",
    "expired before the pull",
    "aggregate of other input",
    "blocked later",
    "blocker expired",
]
"""The causes why only push or only pull reports a row, in the order of the tests and of the counts.

A row of push never has the cause "silent period" or "blocker expired". A row of pull never has the cause
"expired before the pull" or "blocked later".
"""


CAUSES: Final[tuple[RowCause, ...]] = get_args(RowCause)
CAUSE_LETTERS: Final = dict(zip(CAUSES, "NDSRMPWQEABX", strict=True))
"""The letter of each cause, for figures that are too narrow for the names of causes; U is the pull period."""


@kind_of_value("CAUSE", "str")
def cause_of(text: str) -> RowCause:
    """Return the cause with the text of an option, such as `blocked-later`.

    Raises:
        LarsError: The text is not a cause.
    """
    for cause in CAUSES:
        if cause == text.replace("-", " "):
            return cause
    names = ", ".join(name.replace(" ", "-") for name in CAUSES)
    raise LarsError(f"expected {names}")


def cause_option(help_text: str) -> Any:
    """Return the declaration of --cause: the cause of a row that only one side reports."""
    return option(None, help_text, cause_of)


@dataclass(frozen=True)
class SidePrograms:
    """The LARS programs of push and pull without their triggers.

    `merged` is the program of push's query on one graph that contains all windows and the static data, as
    pull's engine reads them. `push_static` is the static data of push; if it is None, push and pull use the
    static data of the trace.
    """

    push: Program
    pull: Program
    merged: Program
    output: Signature
    push_static: Background | None = None

    @property
    def questions(self) -> tuple[Question, ...]:
        """The programs of push and pull as questions to evaluate."""
        programs = self.push, self.pull, self.merged
        return tuple(Question(program, self.output, None) for program in dict.fromkeys(programs))

    def statics(self, here: EncodedSituation) -> Mapping[SideStatic, EncodedSituation]:
        """Return the input with three versions of static data: of push, of pull, and of both together.

        `here` is the input with the static data of pull.
        """
        if self.push_static is None:
            return {"push": here, "pull": here, "both": here}
        known = used_background(self.push_static, self.questions)
        theirs = situation_of(TraceColumns(here.terms, {}, 0), here.timeline, known)
        every = {*here.background, *theirs.background}
        both = {name: _united(here.background.get(name), theirs.background.get(name)) for name in every}
        return {
            "push": replace(here, background=theirs.background),
            "pull": here,
            "both": replace(here, background=both),
        }


@dataclass(frozen=True, slots=True)
class RowDifference:
    """A row that only one side reports in a period, with the cause and the time of push's last report."""

    side: Side
    row: Row
    cause: RowCause
    pushed: int | None
    interval: PeriodComparison = field(compare=False)

    @property
    def period(self) -> int:
        """The pull period, in time points."""
        return self.interval.periods.period

    @property
    def at(self) -> int:
        """The time of the row's last report, up to the end of the period."""
        return self.interval.end if self.side == "pull" or self.pushed is None else self.pushed

    @property
    def elsewhere(self) -> "RowDifference":
        """The row at the other side, which lacks it; `at` is the time of the side's last evaluation.

        If push does not evaluate in the period, `at` is the end of the period.
        """
        if self.side == "push":
            return replace(self, side="pull")
        pushed = self.interval.last_push
        return replace(self, side="push", pushed=self.interval.end if pushed is None else pushed)

    @property
    def group(self) -> tuple[int, str, str]:
        """The group in which the row is counted: its pull period, side and cause."""
        return self.period, self.side, self.cause


def _united(one: Array | None, other: Array | None) -> Array:
    """Return the union of the rows of two tables; None stands for an empty table."""
    tables = [table for table in (one, other) if table is not None]
    return np.unique(np.concatenate(tables), axis=0)


_NONE = "none"
_ROW = "row"
"""The predicate of compared rows; translated queries never use this name."""


def variables_compared(
    csparql: EngineQuery, cqels: EngineQuery, names: Sequence[str] | None
) -> tuple[Variable, ...]:
    """Return the variables on which rows are compared, in the order of the first query's columns.

    If `names` is None, rows are compared on all variables that both queries return. For ASK queries, and if
    `names` is empty, only the existence of an answer is compared.

    Raises:
        LarsError: A query does not return one of the variables, or the queries share no variable.
    """
    mine, theirs = columns(csparql), columns(cqels)
    shared = tuple(name for name in mine if name in theirs)
    forms = {csparql.form, cqels.form}
    if names is None:
        alike = len(forms) == 1 or forms == {"ASK", "SELECT"}
        remedy = "use --on none, which only compares whether a row exists"
        if alike and not have_one_output(csparql, cqels):
            raise LarsError(f"{DIFFERENT_OUTPUT}; {remedy}")
        if not alike or ("ASK" not in forms and mine != theirs and not shared):
            raise LarsError(f"{different_variables(csparql, cqels)}; {remedy}")
        if mine == theirs or "ASK" not in forms:
            check_slices(csparql, cqels)
        return shared
    variables = tuple(map(Variable, names))
    for name in variables:
        for query, own in ((csparql, mine), (cqels, theirs)):
            if name not in own:
                every = ",".join(f"?{variable.name}" for variable in shared) or _NONE
                problem = f"the {TITLES[query.language]} query does not return this variable"
                raise LarsError(f"--on ?{name.name}: {problem}; use one or more of {every}, or {_NONE}")
    return tuple(name for name in shared if name in variables)


def with_columns(query: EngineQuery, names: Sequence[Variable]) -> EngineQuery:
    """Return a SELECT query with only the given columns; an ASK query if no column is given.

    A query of another form than SELECT is returned unchanged.
    """
    if query.form != "SELECT" or tuple(names) == columns(query):
        return query
    pattern = Select(query.pattern, query.result, query.modifiers)
    narrowed = replace(query, form="SELECT" if names else "ASK", result=tuple(names))
    # LIMIT must count whole rows, before columns are removed, so the query with LIMIT becomes a subquery.
    return replace(narrowed, pattern=pattern, modifiers=UNMODIFIED) if query.modifiers.slices else narrowed


def remark_on(csparql: EngineQuery, cqels: EngineQuery, on: Sequence[Variable]) -> str | None:
    """Return a remark that lists the compared and the omitted variables; None if none is omitted."""
    left = [
        f"{_names_of(more)} of the {TITLES[query.language]} query"
        for query in (csparql, cqels)
        if (more := [name for name in columns(query) if name not in on])
    ]
    if not left:
        return None
    what = f"only on {_names_of(on)}" if on else "on whether a row exists"
    return f"compared {what}, without {' and '.join(left)}"


def row_predicate(on: Sequence[Variable]) -> Signature:
    """Return the predicate of the compared rows on the given variables."""
    return _ROW, len(on)


def program_on(query: EngineQuery, setting: Setting, on: Sequence[Variable]) -> Program:
    """Return a query's LARS program with a rule for the compared rows on the given variables."""
    program, (name, width) = lars_program(query, setting), output_of(query, setting).predicate
    terms = columns(query)
    assert len(terms) == width, "of multisets rows are wider"
    return Program((*program.rules, Rule(Atom(_ROW, tuple(on)), (Atom(name, terms),))))


def _names_of(names: Sequence[Variable]) -> str:
    return ", ".join(f"?{variable.name}" for variable in names)
