"""Who reports: a specification or an engine version by its name, and what it reports of a query."""

from collections.abc import Callable, Sequence
from typing import Final

from agreement.engines.engine import Engine
from agreement.engines.registry import ENGINES
from agreement.experiment_values import cut
from agreement.judging.versions import Run
from agreement.recordings.recording import Push, Recording, Report
from agreement.sources import sources
from agreement.specifications.builtin import NAMES
from agreement.specifications.elements import elements_of
from agreement.specifications.evaluation import Choice, Evaluation, Task, evaluations, profiled
from agreement.specifications.reading import SUFFIX, specification
from agreement.specifications.specification import Specification
from lars.errors import LarsError

Reporter = Specification | Engine
ACCEPTED: Final = (
    f"a specification ({', '.join(NAMES)}, or a file *{SUFFIX}) or an engine version ({', '.join(ENGINES)})"
)


def reporter(name: str) -> Reporter:
    """Return the specification or engine version of that name, or the specification in that file."""
    if name in ENGINES:
        return ENGINES[name]
    if name in NAMES or name.endswith(SUFFIX):
        return specification(name)
    raise LarsError(f"found the engine {cut(name)!r}; accepted: {ACCEPTED}")


def specified(given: Run, wanted: Specification, choice: Choice, until: int) -> Recording:
    """Return what a specification reports up to the time point `until`, included.

    A report that a push caused has the number and the time of the push, others have no trigger.
    Raises LarsError for a query that reads no stream, as it is never evaluated.
    """
    if not sources(given.query):
        raise LarsError("the query reads no stream, so it is never evaluated; accepted: one with a window")
    elements = elements_of(given.pushes, given.unit)
    profile = profiled(Task(given.query, elements, given.static, given.unit, until), wanted, choice)
    reports = (_report(one, given) for one in evaluations(profile) if one.reported)
    return Recording(tuple(variable.name for variable in profile.output.variables), tuple(reports))


def _report(one: Evaluation, given: Run) -> Report:
    t = one.time * given.unit.milliseconds if one.trigger is None else given.pushes[one.trigger].t
    return Report(t, one.rows, one.trigger)


def check_order(who: Reporter, pushes: Sequence[Push], warn: Callable[[str], None]) -> None:
    """Warn of pushes that go back in time, as engine versions take them in their order."""
    later = range(1, len(pushes))
    number = next((number for number in later if pushes[number].t < pushes[number - 1].t), None)
    if number is not None and not isinstance(who, Specification):
        warn(f"push {number} is earlier than the one before it; --sort merges the files by time")
