"""What the rows of two queries are compared on: the variables that both return, or some of them."""

from collections.abc import Sequence

from lars.errors import LarsError
from lars.language.program import Program, Rule
from lars.language.terms import Atom, Signature, Variable
from translate.analysis import check_slices, different_variables
from translate.dialects import TITLES
from translate.model.query import EngineQuery, Form, Setting
from translate.tau import columns, lars_program, output_of

_NONE = "none"


def variables_compared(
    csparql: EngineQuery, cqels: EngineQuery, wanted: Sequence[str] | None
) -> tuple[Variable, ...]:
    """Return the variables on whose terms rows are compared, in the order of V̄.

    None are `wanted`: those that both queries return; for ASK, which has none, whether there is an
    answer at all, and so where no variable is wanted. Raises LarsError for what they do not both return.
    """
    mine, theirs = columns(csparql), columns(cqels)
    shared = tuple(name for name in mine if name in theirs)
    forms = {csparql.form, cqels.form}
    if wanted is None:
        alike = len(forms) == 1 or forms == {Form.ASK, Form.SELECT}
        whole = csparql.template == cqels.template and csparql.described == cqels.described
        if not (alike and whole) or (Form.ASK not in forms and mine != theirs and not shared):
            problem = f"{different_variables(csparql, cqels)}; accepted: --on none, whether there is a row"
            raise LarsError(problem)
        if mine == theirs or Form.ASK not in forms:
            check_slices(csparql, cqels)
        return shared
    asked = tuple(map(Variable, wanted))
    for name in asked:
        for query, own in ((csparql, mine), (cqels, theirs)):
            if name not in own:
                every = ",".join(f"?{one.name}" for one in shared) or _NONE
                problem = f"the query in {TITLES[query.language]} does not return it"
                raise LarsError(f"--on ?{name.name}: {problem}; accepted: of {every}, or {_NONE}")
    return tuple(name for name in shared if name in asked)


def remark_on(csparql: EngineQuery, cqels: EngineQuery, on: Sequence[Variable]) -> str | None:
    """Return on which variables rows are compared and what is left out; None where that is nothing."""
    left = [
        f"{_listed(more)} of the query in {TITLES[query.language]}"
        for query in (csparql, cqels)
        if (more := [name for name in columns(query) if name not in on])
    ]
    if not left:
        return None
    what = f"on {_listed(on)} alone" if on else "on whether there is an answer at all"
    return f"compared {what}, without {' and '.join(left)}"


def row_predicate(on: Sequence[Variable]) -> Signature:
    """Return the predicate of the rows that are compared on these variables."""
    return _ROW, len(on)


def program_on(query: EngineQuery, setting: Setting, on: Sequence[Variable]) -> Program:
    """Return a query's program with the rows that are compared on these variables."""
    program, (name, width) = lars_program(query, setting), output_of(query, setting).predicate
    terms = columns(query)
    assert len(terms) == width, "of multisets rows are wider"
    return Program((*program.rules, Rule(Atom(_ROW, tuple(on)), (Atom(name, terms),))))


_ROW = "row"
"""No predicate of τ: those of a query's parts are numbered."""


def _listed(names: Sequence[Variable]) -> str:
    return ", ".join(f"?{one.name}" for one in names)
