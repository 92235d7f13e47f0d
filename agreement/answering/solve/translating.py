"""Create the output of `lars translate`: the LARS program, its other formats, and the model of the query."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from agreement.documents import requests
from agreement.documents.outputs import json_text
from agreement.documents.values import Period, points_of
from lars.analysis import ExportError
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.errors import LarsError, PlacedError, on_one_line, printable
from lars.files import read_file
from lars.language.program import Program
from lars.language.terms import Atom, Iri
from lars.text import notation, write_reasoner_program
from solver.settings import StaticFile, Warn
from translate import analysis
from translate.analysis.model_queries import Assignment
from translate.dialects import TITLES
from translate.model.patterns import EMPTY, Bgp
from translate.model.query import MERGING, EngineQuery, Language, Query, Setting
from translate.model.windows import Range
from translate.sparql import resolve
from translate.strict import StrictEngine, check_strict
from translate.tau import lars_program, pull, pull_at, push
from translate.writing import model_json, model_lines, write_query

_TICKER: Final = "ticker"
_ABSOLUTE: Final = "urn:base"
_ASSIGNED: Final = (
    "--assign requires a query that merges its streams, such as C-SPARQL, and --engine or --to "
    "with a language that does not merge streams (cqels, rspql), or --format model or json"
)


@dataclass(frozen=True, slots=True)
class TranslatingTask:
    """A query or program to translate.

    The option --engine in `evaluation` may name another query language than the language of the query.

    - `static` are files whose triples become facts of a program for Ticker.
    - `solved` is true if the query will be evaluated, so that it must not call unknown functions.
    - `step` is the STEP that windows without a slide get in another language.
    """

    path: Path
    evaluation: requests.EvaluationOptions
    setting: Setting
    assigned: Mapping[Iri, tuple[Iri, ...]]
    static: tuple[StaticFile, ...] = ()
    solved: bool = False
    step: Duration | None = None


def check_strict_file(path: Path, engine: StrictEngine) -> None:
    """Raise QueryError, with a place in the file, if the parser of an engine rejects the file's query."""
    check_strict(read_file(path, "a file with a query").text, str(path), engine)


def lines(task: TranslatingTask, shape: str, warn: Warn) -> Iterator[str]:
    """Yield the output of `lars translate` in the format `shape`, such as lars, asp or json."""
    if task.static and shape != _TICKER:
        raise LarsError("--static requires --format ticker or sql, or --format asp and a trace")
    if shape == "json":
        yield json_text(document(task, warn))
        return
    if task.path.suffix in requests.PROGRAM_SUFFIXES:
        if shape == "model":
            raise LarsError(
                f"{task.path}: cannot print the model (V, P, D, S) of a LARS program; use a file with a query"
            )
        yield _text(_own_program(task), shape, task)
        return
    if shape == "model":
        written = _warned(_read(task), task, warn)
        yield from model_lines(_model(written, task))
        return
    if task.assigned and task.evaluation.engine in (None, *MERGING):
        raise LarsError(_ASSIGNED)
    queries = variants(task, warn)
    for name, query in queries:
        if len(queries) > 1:
            yield f"% {name}"
        yield _text(program_of(query, task), shape, task, dataset_facts(query, task, shape, warn))


def variants(task: TranslatingTask, warn: Warn) -> list[tuple[str, EngineQuery]]:
    """Return the query of a task, or the queries that are derived for another engine, each with a name.

    The function `warn` receives remarks on the query.
    """
    written = _read(task)
    queries = _variants(written, task)
    _warned(written, task, warn)
    return queries


def _warned(written: EngineQuery, task: TranslatingTask, warn: Warn) -> EngineQuery:
    pushed = None if task.evaluation.mode is None else task.evaluation.mode == "push"
    for remark in (*analysis.remarks(written, task.setting, pushed=pushed), *_unassigned(written, task)):
        warn(remark)
    return written


def _own_program(task: TranslatingTask) -> Program:
    if task.evaluation.engine or task.assigned or task.static:
        raise LarsError(
            f"{task.path}: cannot combine --engine, --assign or --static with a LARS program; use a query"
        )
    return requests.load_program(task.path)


def _unassigned(written: EngineQuery, task: TranslatingTask) -> Iterator[str]:
    for part in _model(written, task).streams if task.assigned else ():
        if part.pattern == EMPTY:
            yield (
                "no triple pattern in the default graph has a predicate that is assigned to the stream "
                f"{part.stream}, so no pattern reads this stream"
            )


def _read(task: TranslatingTask) -> EngineQuery:
    query = _read_as(task)
    if task.assigned and not query.merged:
        title = TITLES[query.language]
        raise LarsError(
            f"cannot combine --assign with a {title} query: the query itself names the stream of each pattern"
        )
    return query


def _read_as(task: TranslatingTask) -> EngineQuery:
    # With --engine: a query in that language if it is one, else one that is to be turned into it.
    read = partial(requests.load_query, task.path, task.setting.unit, opaque=not task.solved, graphs=True)
    if task.evaluation.engine is None:
        return read()
    try:
        return read(task.evaluation.engine)
    except LarsError as error:
        with suppress(LarsError):
            other = read()
            if other.language is not task.evaluation.engine:
                return other
        raise error from None


def program_of(query: EngineQuery, task: TranslatingTask) -> Program:
    """Return the LARS program of a query (translation τ1 or τ2), with the trigger of push or pull."""
    program = lars_program(query, task.setting)
    match task.evaluation.mode:
        case "push":
            return push(program, task.setting.trigger)
        case "pull":
            return pulled(program, query, task.evaluation.period, task.setting)
        case _:
            return program


def _variants(written: EngineQuery, task: TranslatingTask) -> list[tuple[str, EngineQuery]]:
    engine = task.evaluation.engine
    if engine is None or engine is written.language:
        return [(written.language.value, written)]
    blocks = any(analysis.stream_blocks(written.pattern))
    if engine in MERGING and blocks:
        return [("cs(Q)", replace(analysis.cs(analysis.model_of_cqels(written)), language=engine))]
    if engine not in MERGING and written.merged:
        if not task.assigned:
            raise LarsError(
                f"{task.path}: a {TITLES[written.language]} query does not name the stream of each "
                f"pattern; add a trace that contains the predicates, or use {_assignment(written)}"
            )
        engine_variants = analysis.cq(_model(written, task))
        return [(str(variant), replace(variant.query, language=engine)) for variant in engine_variants]
    return [(engine.value, replace(written, language=engine))]


def _assignment(written: EngineQuery) -> str:
    """Return the option --assign with a stream and a predicate of the query, as an example."""
    bgps = (part for part in analysis.parts(written.pattern) if isinstance(part, Bgp))
    predicates = (triple.predicate for bgp in bgps for triple in bgp.triples)
    known = next((predicate.value for predicate in predicates if isinstance(predicate, Iri)), "PREDICATE")
    return f"--assign {written.merged[0].iri.value}={known}"


def _model(written: EngineQuery, task: TranslatingTask) -> Query:
    if written.merged and task.assigned:
        return analysis.model_of_csparql(written, Assignment(written, frozenset(), task.assigned))
    return analysis.model_of_cqels(written)


def programs(task: TranslatingTask, warn: Warn) -> list[tuple[str, Program]]:
    """Return the LARS program of the task's query, or of each derived query, each with a name."""
    if task.path.suffix in requests.PROGRAM_SUFFIXES:
        return [(task.path.name, _own_program(task))]
    return [(name, program_of(query, task)) for name, query in variants(task, warn)]


def document(task: TranslatingTask, warn: Warn) -> dict[str, object]:
    """Return the JSON output of `lars translate`: the model of a query, and its programs as LARS and ASP."""
    lars_programs = programs(task, warn)
    listed = [
        {"variant": name, "rules": list(map(str, program.rules)), "asp": _asp(program)}
        for name, program in lars_programs
    ]
    if task.path.suffix in requests.PROGRAM_SUFFIXES:
        return {"programs": listed}
    written = _read(task)
    facts_of_query = {"language": written.language.value, "form": written.form}
    return {**facts_of_query, "model": model_json(_model(written, task)), "programs": listed}


def dataset_facts(query: EngineQuery, task: TranslatingTask, shape: str, warn: Warn) -> tuple[Atom, ...]:
    """Return the static data as atoms for the output in Ticker's format; empty for other formats."""
    if shape != _TICKER or not task.static:
        return ()
    from agreement.documents.traces import background
    from solver.facts import atoms_of
    from solver.traces import read_static

    return tuple(atoms_of(background(read_static(task.static), query.dataset, warn, query.language)))


def _text(program: Program, shape: str, task: TranslatingTask, facts: tuple[Atom, ...] = ()) -> str:
    if shape == _TICKER:
        return _exported(program, task, facts)
    if shape == "latex":
        # Loads the tables of papers.
        from agreement.answering.solve.latex_rules import latex_rules

        return "\n".join(latex_rules(program))
    if shape == "idlv-sr":
        return write_reasoner_program(program, task.setting.unit)
    return _asp(program) if shape == "asp" else notation.write(program, ascii=shape == "ascii").rstrip("\n")


def _asp(program: Program) -> str:
    from solver.pointwise.encoding import Encoding

    return seen_in_asp(Encoding(program).text().rstrip("\n"))


def seen_in_asp(text: str) -> str:
    r"""Return an answer-set program whose strings contain invisible characters only as N-Triples escapes.

    >>> print(seen_in_asp('p("\u202e").'))
    p("\\u202E").
    """
    seen = printable(text) == text
    return text if seen else "\n".join("".join(map(_seen_in_asp, line)) for line in text.split("\n"))


def _seen_in_asp(text: str) -> str:
    return text if text.isprintable() else f"\\{on_one_line(text)}"


def _exported(program: Program, task: TranslatingTask, facts: tuple[Atom, ...]) -> str:
    from lars.ticker.ticker_writer import write_ticker

    try:
        return write_ticker(program, task.setting.unit, facts).rstrip("\n")
    except ExportError as error:
        raise placed_refusal(error, program, task.path) from None
    except LarsError as error:
        raise LarsError(f"{task.path}: {error}") from None


def placed_refusal(error: ExportError, program: Program, path: Path) -> LarsError:
    """Return the error with the place of the rule that the export rejects, if the rule is from a file."""
    written = requests.load_program(path).rules if path.suffix in requests.PROGRAM_SUFFIXES else ()
    number = program.rules.index(error.rule) if error.rule in program.rules else len(written)
    origin = written[number].origin if number < len(written) else None
    if origin is None:
        return LarsError(f"{path}: {error}")
    return PlacedError(replace(origin.place(error.part), source=str(path)), str(error))


def rewritten(task: TranslatingTask, language: Language, warn: Warn) -> Iterator[tuple[str, str]]:
    """Yield the name and text of the query in another language, or of each query that can be derived.

    Raises:
        LarsError: The language cannot express a construct of the query.
    """
    written = _read(task)
    if task.assigned and language in MERGING:
        raise LarsError(_ASSIGNED)
    merged = written.merged and language not in MERGING and language is not written.language
    if not merged:
        _warned(written, task, warn)
    if merged:
        queries = variants(replace(task, evaluation=replace(task.evaluation, engine=Language.CQELS)), warn)
    elif language is Language.CSPARQL and any(analysis.stream_blocks(written.pattern)):
        queries = [("cs(Q)", analysis.cs(analysis.model_of_cqels(written)))]
        warn(
            "C-SPARQL merges all windows and the static data into one graph. The translated query "
            "does not name the stream of each pattern, so it can have other answers than the CQELS query"
        )
    else:
        queries = [(language.value, written)]
    if language.manner.opens is not None and written.language is not language:
        warn(f"{TITLES[language]} shows no content of a window before the first window has closed")
    said: set[str] = set()
    for name, source_query in queries:
        query = _as_written(requests.with_sources(source_query, partial(_stepping, step=task.step)), written)
        text = write_query(query, language).rstrip("\n")
        new = [remark for remark in _changes(query, text, language) if remark not in said]
        said.update(new)
        for remark in new:
            warn(remark)
        yield name, text


def _changes(query: EngineQuery, text: str, language: Language) -> Iterator[str]:
    """Yield warnings about a query that was written in another language.

    The warnings are about parts of the registration that are lost, about relative IRIs of streams, about
    other ends of windows, and about a text that `lars` recognizes as another language.
    """
    title = TITLES[language]
    read = partial(requests.read_once, text, f"the query in {title}", base="", opaque=True)
    again = read(language)
    yield from _lost(query, again)
    for stream in dict.fromkeys(source.stream for source in requests.sources(again)):
        name = stream.value if isinstance(stream, Iri) and language.manner.texts is None else _ABSOLUTE
        if resolve(_ABSOLUTE, name) != name:
            yield (
                f"{title} resolves the relative IRI {stream} against the IRI of the file, so it is another "
                "stream; in the text and in --stream, replace it by an absolute IRI"
            )
    before, after = _ends(query), _ends(again)
    for end in sorted(before - after):
        yield (
            f"the windows of the query are {end}, but the windows of a {title} query are "
            f"{' or '.join(sorted(after))}, and its text cannot set other bounds; use --bounds {end}"
        )
    recognized = None
    with suppress(LarsError):
        recognized = read().language
    if recognized is not language:
        problem = "not recognized" if recognized is None else f"recognized as {TITLES[recognized]}"
        yield f"without --engine, the text is {problem}; use --engine {language.value} to read it as {title}"


def _lost(query: EngineQuery, again: EngineQuery) -> Iterator[str]:
    """Yield warnings about parts of a query's registration, such as its name, that the new text has lost."""
    title = TITLES[again.language]
    if query.name is not None and again.name is None:
        yield f'the text in {title} does not contain the name of the query, "{query.name}"'
    elif query.name is not None and again.name != query.name:
        yield f'the name of the query, "{query.name}", is "{again.name}" in {title}'
    if query.registers_stream and not again.registers_stream:
        yield f"the text in {title} does not register a stream of the answers"
    if query.every is not None and again.every != query.every:
        yield (
            f"the text in {title} does not contain the period of the query, {query.every}; "
            f"use --mode pull --period {query.every}"
        )


def _ends(query: EngineQuery) -> set[str]:
    windows = (source.window for source in requests.sources(query))
    return {window.own_ends for window in windows if isinstance(window, Range)}


def _stepping(source: requests.WindowSource, step: Duration | None) -> requests.WindowSource:
    # C-SPARQL has no window without a STEP: a step as short as the report is late says what CQELS says.
    match source.window:
        case Range(_, None, None) as window if step is not None:
            return replace(source, window=replace(window, slide=step))
        case _:
            return source


def _as_written(query: EngineQuery, written: EngineQuery) -> EngineQuery:
    # Parts outside cs and cq: the query's registration, and its report policy.
    return replace(
        query,
        name=written.name,
        every=written.every,
        registers_stream=written.registers_stream,
        to_stream=written.to_stream,
    )


def pulled(program: Program, query: EngineQuery, step: Period | None, setting: Setting) -> Program:
    """Return the LARS program of a query with the trigger of pull.

    Pull evaluates the query at the multiples of the option --period. Without --period, pull evaluates the
    query when its windows close, or else at the multiples of the windows' STEP.
    """
    series = analysis.closes(query, setting.unit) if step is None else ()
    return pull_at(program, series) if series else pull(program, period_of(query, step, setting))


def period_of(query: EngineQuery, step: Period | None, setting: Setting) -> int:
    """Return the pull period in time points: the option --period, or else the STEP of the query."""
    if step is not None:
        return points_of(step, setting.unit)
    if (period := analysis.default_period(query, setting.unit)) is not None:
        return period
    title = TITLES[query.language]
    windows = [source.window for source in requests.sources(query)]
    slides = sorted({window.slide for window in windows if isinstance(window, Range) and window.slide})
    own = f"the windows have the steps {', '.join(map(str, slides))}" if slides else "no window has a STEP"
    cause = (
        f"a {title} query defines no pull period, with or without SLIDE" if analysis.is_pushed(query) else own
    )
    remedy = f"--period {slides[0]}" if slides else "--period"
    raise LarsError(f"cannot evaluate {title} by pull without a period: {cause}; use {remedy}")
