"""What `lars translate --format asp` prints when it is given a trace: one file that plain clingo runs."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from agreement import solving, translating
from agreement.files import PROGRAM_SUFFIX, load_program
from agreement.inputs import check_timeline
from agreement.trace_input import Runner, TraceInput
from lars.errors import LarsError
from lars.program import Program
from lars.terms import Signature
from lars.windows import Interval
from solver.situation import Situation
from solver.standalone import standalone
from translate.answers import answered
from translate.query import EngineQuery

_MOST: Final = 10_000


def lines(
    wanted: translating.Wanted, given: TraceInput, at: int | None, warn: Callable[[str], None]
) -> Iterator[str]:
    """Yield the lines of the file: for each time of the timeline, or for `at` alone.

    Raises LarsError when the query stands for several of the other engine.
    """
    program, query = _program(wanted, warn)
    local = replace(given, runner=Runner(in_process=True))
    met = solving.Wanted(wanted.path, local, None, None, None, wanted.setting, wanted.trigger, (None, at))
    trace = solving.trace_of(met, query, warn)
    if query is None:
        solving.given_to(program, trace)
    times = Interval(at, at) if at is not None else trace.timeline
    check_timeline(times, None)
    if times.last - times.first >= _MOST:
        raise LarsError(
            f"the timeline {times} is longer than {_MOST} time points; accepted: one of them, by --at"
        )
    output: Signature | None = None if query is None else answered(query, wanted.setting).predicate
    situation = Situation(trace.timeline, trace.facts(trace.timeline), trace.background)
    yield from standalone(program, situation, list(times), output)


def _program(wanted: translating.Wanted, warn: Callable[[str], None]) -> tuple[Program, EngineQuery | None]:
    if wanted.path.suffix == PROGRAM_SUFFIX:
        return load_program(wanted.path), None
    variants = translating.variants(wanted, warn)
    if len(variants) > 1:
        names = ", ".join(name for name, _ in variants)
        raise LarsError(
            f"{wanted.path}: it stands for {len(variants)} queries ({names}); accepted with a trace: one"
        )
    (_, query) = variants[0]
    return translating.program_of(query, wanted), query
