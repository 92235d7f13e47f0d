"""What `lars translate` writes for elsewhere: a query in another language, a file that plain clingo runs."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from agreement.inputs import PROGRAM_SUFFIX, Runner, TraceInput, check_timeline, load_program
from agreement.solve import solving, translating
from agreement.solve.translating import TranslatingTask, Warn, as_merged, as_written, variants
from lars.errors import LarsError
from lars.program import Program
from lars.terms import Signature
from lars.windows import Interval
from solver.facts import Situation
from solver.pointwise import standalone
from translate.analysis import stream_blocks
from translate.query import EngineQuery, Language
from translate.tau import answered
from translate.writing import write_query

_BLOCKS = (Language.CQELS, Language.RSPQL)


def rewritten(wanted: TranslatingTask, language: Language, warn: Warn) -> Iterator[str]:
    """Yield the query in a language; where its parts can be read in several ways, each of them.

    Raises LarsError where the language has no words for what the query says.
    """
    written = as_written(wanted, warn)
    if language in _BLOCKS and written.merged:
        found = variants(replace(wanted, engine=Language.CQELS), warn)
    elif language is Language.CSPARQL and any(stream_blocks(written.pattern)):
        found = [("cs(Q)", as_merged(written))]
        warn(
            "C-SPARQL merges its windows and the static data into one graph: which part is matched in which "
            "stream is lost, and answers can differ"
        )
    else:
        found = [(language.value, written)]
    for name, query in found:
        if len(found) > 1:
            yield f"# {name}"
        yield write_query(_kept(query, written), language).rstrip("\n")


def _kept(query: EngineQuery, written: EngineQuery) -> EngineQuery:
    # What cs and cq have no place for: how the query is registered, and when it reports.
    return replace(
        query,
        name=written.name,
        every=written.every,
        registers_stream=written.registers_stream,
        to_stream=written.to_stream,
    )


_MOST: Final = 10_000


def standing_alone_lines(
    wanted: translating.TranslatingTask, given: TraceInput, at: int | None, warn: Callable[[str], None]
) -> Iterator[str]:
    """Yield the lines of the file: for each time of the timeline, or for `at` alone.

    Raises LarsError when the query stands for several of the other engine.
    """
    program, query = _program(wanted, warn)
    local = replace(given, runner=Runner(in_process=True))
    met = solving.SolvingTask(
        wanted.path, local, None, None, None, wanted.setting, wanted.trigger, (None, at)
    )
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


def _program(
    wanted: translating.TranslatingTask, warn: Callable[[str], None]
) -> tuple[Program, EngineQuery | None]:
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
