"""What `lars translate` prints: the LARS program of a query or a written one, its other texts, the model."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from agreement.documents.outputs import json_text
from agreement.documents.requests import PROGRAM_SUFFIX, EvaluationOptions, Period, load_program, load_query
from lars.errors import LarsError, PlacedError, on_one_line, printable
from lars.files import read_text
from lars.language.program import Program, Rule
from lars.language.terms import Atom, Iri
from lars.text import notation, read_placed
from lars.ticker import ExportError
from solver.settings import StaticFile, Warn
from translate.analysis import (
    cq,
    cs,
    default_period,
    model_of_cqels,
    model_of_csparql,
    remarks,
    stream_blocks,
)
from translate.analysis.model_queries import Assignment
from translate.dialects import TITLES
from translate.model.patterns import EMPTY
from translate.model.query import MERGING, EngineQuery, Language, Query, Setting
from translate.strict import StrictEngine, check_strict
from translate.tau import Trigger, lars_program, pull, push
from translate.writing import model_json, model_lines, write_query

_TICKER: Final = "ticker"
_ASSIGNED: Final = (
    "--assign: accepted where a query that merges its streams is turned into one that does not, by --engine "
    "or --to with cqels or rspql, and for its model, by --format model or json"
)
_BLOCKS: Final = (Language.CQELS, Language.RSPQL)
"""For so many time points a file that plain clingo runs can be."""


@dataclass(frozen=True, slots=True)
class TranslatingTask:
    """A query or program and how to translate it; `engine` may be the one a query is not written for.

    `static` are files whose triples stand as facts in the program for Ticker. What is `solved` must
    call no function without a value; what is printed can.
    """

    path: Path
    evaluation: EvaluationOptions
    setting: Setting
    trigger: Trigger
    assigned: Mapping[Iri, tuple[Iri, ...]]
    static: tuple[StaticFile, ...] = ()
    solved: bool = False


def check_strict_file(path: Path, engine: StrictEngine) -> None:
    """Raise QueryError, with its place, where this engine's own parser rejects the file."""
    check_strict(read_text(path, "a file with a query"), str(path), engine)


def lines(wanted: TranslatingTask, shape: str, warn: Warn) -> Iterator[str]:
    """Yield what is printed for a shape: lars, ascii, asp, model, json or ticker."""
    if wanted.static and shape != _TICKER:
        raise LarsError(
            "--static: facts of a program; accepted with --format ticker or sql, or asp and a trace"
        )
    if shape == "json":
        yield json_text(document(wanted, warn))
        return
    if wanted.path.suffix == PROGRAM_SUFFIX:
        if shape == "model":
            raise LarsError(f"{wanted.path}: (V, P, D, S) is the model of a query; accepted: a query's file")
        yield _text(_own_program(wanted), shape, wanted)
        return
    if shape == "model":
        written = _warned(_read(wanted), wanted, warn)
        yield from model_lines(_model(written, wanted))
        return
    if wanted.assigned and wanted.evaluation.engine in (None, *MERGING):
        raise LarsError(_ASSIGNED)
    found = variants(wanted, warn)
    for name, query in found:
        if len(found) > 1:
            yield f"% {name}"
        yield _text(program_of(query, wanted), shape, wanted, dataset_facts(query, wanted, shape, warn))


def variants(wanted: TranslatingTask, warn: Warn) -> list[tuple[str, EngineQuery]]:
    """Return the query, or those of the other engine that say the same, by name; warn of surprises."""
    written = _read(wanted)
    found = _variants(written, wanted)
    _warned(written, wanted, warn)
    return found


def _warned(written: EngineQuery, wanted: TranslatingTask, warn: Warn) -> EngineQuery:
    pushed = None if wanted.evaluation.mode is None else wanted.evaluation.mode == "push"
    for remark in (*remarks(written, wanted.setting, pushed=pushed), *_unassigned(written, wanted)):
        warn(remark)
    return written


def _own_program(wanted: TranslatingTask) -> Program:
    if wanted.evaluation.engine or wanted.assigned or wanted.static:
        raise LarsError(f"{wanted.path}: --engine, --assign and --static are for queries; this is a program")
    return load_program(wanted.path)


def _unassigned(written: EngineQuery, wanted: TranslatingTask) -> Iterator[str]:
    for part in _model(written, wanted).streams if wanted.assigned else ():
        if part.pattern == EMPTY:
            yield f"no predicate is assigned to the stream {part.stream}: nothing is matched in it"


def _read(wanted: TranslatingTask) -> EngineQuery:
    found = _read_as(wanted)
    if wanted.assigned and not found.merged:
        title = TITLES[found.language]
        raise LarsError(f"--assign: a query in {title} says itself which part is matched in which stream")
    return found


def _read_as(wanted: TranslatingTask) -> EngineQuery:
    # With --engine: a query in that language if it is one, else one that is to be turned into it.
    read = partial(load_query, wanted.path, wanted.setting.unit, opaque=not wanted.solved)
    if wanted.evaluation.engine is None:
        return read()
    try:
        return read(wanted.evaluation.engine)
    except LarsError:
        other = read()
        if other.language is wanted.evaluation.engine:
            raise
        return other


def program_of(query: EngineQuery, wanted: TranslatingTask) -> Program:
    """Return τ1 or τ2 of a query, with the trigger of the mode that is wanted."""
    program = lars_program(query, wanted.setting)
    match wanted.evaluation.mode:
        case "push":
            return push(program, wanted.trigger)
        case "pull":
            return pull(program, period_of(query, wanted.evaluation.period, wanted.setting))
        case _:
            return program


def _variants(written: EngineQuery, wanted: TranslatingTask) -> list[tuple[str, EngineQuery]]:
    engine = wanted.evaluation.engine
    if engine is None or engine is written.language:
        return [(written.language.value, written)]
    blocks = any(stream_blocks(written.pattern))
    if engine in MERGING and blocks:
        return [("cs(Q)", replace(cs(model_of_cqels(written)), language=engine))]
    if engine not in MERGING and written.merged:
        if not wanted.assigned:
            raise LarsError(
                f"{wanted.path}: a query in {TITLES[written.language]} does not say which part is matched in "
                "which stream; give --assign STREAM=PREDICATE, or use `lars agree` with a trace that shows it"
            )
        found = cq(_model(written, wanted))
        return [(str(variant), replace(variant.query, language=engine)) for variant in found]
    return [(engine.value, replace(written, language=engine))]


def _model(written: EngineQuery, wanted: TranslatingTask) -> Query:
    if written.merged and wanted.assigned:
        return model_of_csparql(written, Assignment(written, frozenset(), wanted.assigned))
    return model_of_cqels(written)


def programs(wanted: TranslatingTask, warn: Warn) -> list[tuple[str, Program]]:
    """Return the program, or those of the queries of the other engine that say the same, by name."""
    if wanted.path.suffix == PROGRAM_SUFFIX:
        return [(wanted.path.name, _own_program(wanted))]
    return [(name, program_of(query, wanted)) for name, query in variants(wanted, warn)]


def document(wanted: TranslatingTask, warn: Warn) -> dict[str, object]:
    """Return what is printed as JSON: the model of a query, and each program as LARS and ASP."""
    found = programs(wanted, warn)
    listed = [
        {"variant": name, "rules": list(map(str, program.rules)), "asp": _asp(program)}
        for name, program in found
    ]
    if wanted.path.suffix == PROGRAM_SUFFIX:
        return {"programs": listed}
    written = _read(wanted)
    said = {"language": written.language.value, "form": written.form.value}
    return {**said, "model": model_json(_model(written, wanted)), "programs": listed}


def dataset_facts(query: EngineQuery, wanted: TranslatingTask, shape: str, warn: Warn) -> tuple[Atom, ...]:
    """Return the static data as atoms of B, for a format that carries it."""
    if shape != _TICKER or not wanted.static:
        return ()
    from agreement.documents.traces import background
    from solver.facts import atoms_of
    from solver.traces import read_static

    return tuple(atoms_of(background(read_static(wanted.static), query.dataset, warn, query.language)))


def _text(program: Program, shape: str, wanted: TranslatingTask, facts: tuple[Atom, ...] = ()) -> str:
    if shape == _TICKER:
        return _exported(program, wanted, facts)
    return _asp(program) if shape == "asp" else notation.write(program, ascii=shape == "ascii").rstrip("\n")


def _asp(program: Program) -> str:
    from solver.pointwise.encoding import Encoding

    return seen_in_asp(Encoding(program).text().rstrip("\n"))


def seen_in_asp(text: str) -> str:
    r"""Return an answer-set program in which each character is seen; strings hold escapes of N-Triples.

    >>> print(seen_in_asp('p("\u202e").'))
    p("\\u202E").
    """
    seen = printable(text) == text
    return text if seen else "\n".join("".join(map(_seen_in_asp, line)) for line in text.split("\n"))


def _seen_in_asp(one: str) -> str:
    return one if one.isprintable() else f"\\{on_one_line(one)}"


def _exported(program: Program, wanted: TranslatingTask, facts: tuple[Atom, ...]) -> str:
    from lars.ticker.ticker_writer import write_ticker

    try:
        return write_ticker(program, wanted.setting.unit, facts).rstrip("\n")
    except ExportError as error:
        raise placed_refusal(error, program, wanted.path) from None
    except LarsError as error:
        raise LarsError(f"{wanted.path}: {error}") from None


class RefusedRule(Protocol):
    """An error about a rule, or the literal of its body with a number."""

    @property
    def rule(self) -> Rule | None:
        """The rule."""

    @property
    def part(self) -> int | None:
        """The number of the literal."""


def placed_refusal(error: RefusedRule, program: Program, path: Path) -> LarsError:
    """Return the refusal with the place of what is refused, where the program stands in a file."""
    written = read_placed(read_text(path, "a LARS program")) if path.suffix == PROGRAM_SUFFIX else ()
    number = program.rules.index(error.rule) if error.rule in program.rules else len(written)
    if number >= len(written):
        return LarsError(f"{path}: {error}")
    literals = written[number].literals
    part = len(literals) if error.part is None else error.part
    place = literals[part] if part < len(literals) else written[number].place
    return PlacedError(replace(place, source=str(path)), str(error))


def rewrite(wanted: TranslatingTask, language: Language, warn: Warn) -> Iterator[str]:
    """Yield the query in a language; where its parts can be read in several ways, each of them.

    Raises LarsError where the language has no words for what the query says.
    """
    written = _warned(_read(wanted), wanted, warn)
    if wanted.assigned and language in MERGING:
        raise LarsError(_ASSIGNED)
    if language in _BLOCKS and written.merged:
        found = variants(replace(wanted, evaluation=replace(wanted.evaluation, engine=Language.CQELS)), warn)
    elif language is Language.CSPARQL and any(stream_blocks(written.pattern)):
        found = [("cs(Q)", cs(model_of_cqels(written)))]
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


def period_of(query: EngineQuery, given: Period | None, setting: Setting) -> int:
    """Return the pulling period that is given, else the query's STEP."""
    period = default_period(query, setting.unit) if given is None else given.points(setting.unit)
    if period is None:
        raise LarsError("pull needs a period: the query states no STEP, or several, so give --period")
    return period
