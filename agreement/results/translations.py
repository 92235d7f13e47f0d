"""The function `translate`: the LARS program of a query, or the query in another language."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from rich.console import RenderableType

from agreement.answering.solve import translating
from agreement.documents import requests
from agreement.documents.options import IdleOptions, OptionTest, OptionValues, has, has_not
from agreement.documents.outputs import first_few
from agreement.documents.table_files import Column, OutTable
from agreement.results.base.library import Findings, Listeners, offered_functions
from lars.dataclass import dataclass
from lars.durations import SECOND, Duration, time_unit
from lars.errors import LarsError
from lars.language.terms import Iri
from lars.options import argument, option
from solver.settings import Time, Warn, unsaid
from translate.model.query import MERGING, Language
from translate.strict import StrictEngine

if TYPE_CHECKING:
    from agreement.results.base.sources import SourceFiles


ProgramFormat = Literal["lars", "ascii", "asp", "model", "json", "sql", "ticker", "idlv-sr", "latex"]
"""The output format of `translate`."""


_STEPPED: Final = tuple(language.value for language in Language if language.manner.pushed != "always")
"""The languages in which --step adds a STEP: all but CQELS, in which push would then miss rows."""
_OF_RULES: Final = ("--mode", "--period", "--trigger", "--profile", "--bounds", "--semantics")
_OF_TRACES: Final = ("--trace-unit", "--sort", "--at")


def _of_a_query(situation: OptionTest) -> OptionTest:
    # What a program leaves no choice of is refused for that.
    return lambda values: situation(values) and values["query"].suffix not in requests.PROGRAM_SUFFIXES


def _has_no_trace(values: OptionValues) -> bool:
    return not {"trace", "--stream"} & values.keys() and not requests.is_experiment(Path(values["query"]))


def _is_program_as_text(values: OptionValues) -> bool:
    is_text = _has_no_trace(values) and values["query"].suffix in requests.PROGRAM_SUFFIXES
    return is_text and not has("--format", "ticker", "idlv-sr")(values)


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslateRequest:
    """The arguments of `lars translate`.

    Format lars: the syntax of the manual. Format ascii: the same syntax in ASCII characters.
    Format asp: a program for clingo. Format sql: a script for SQLite and DuckDB.
    Formats ticker and idlv-sr: programs for the stream reasoners of these names.
    Format latex: the rules for a paper. Format model: the parsed query.

    Example:
    lars translate samples/coupons/query.cqels.rq --mode push --unit 1min
    """

    WITHOUT: ClassVar = ("on_error", "rejected")
    IDLE: ClassVar = (
        IdleOptions(
            has("--to"),
            (*_OF_RULES, "--format", "--static", "--at"),
            excludes="--to, which prints the query, not a program",
        ),
        IdleOptions(
            has_not("--to", *_STEPPED),
            ("--step",),
            requires=f"--to {', '.join(_STEPPED[:-1])} or {_STEPPED[-1]}",
        ),
        IdleOptions(has_not("--to"), ("--variant",), requires="--to"),
        IdleOptions(has("--format", "model"), _OF_RULES, excludes="--format model, which prints no rules"),
        IdleOptions(_of_a_query(has_not("--mode", "pull")), ("--period",), requires=requests.PULL_ONLY),
        IdleOptions(_of_a_query(has_not("--mode", "push")), ("--trigger",), requires=requests.PUSH_ONLY),
        IdleOptions(_has_no_trace, _OF_TRACES, requires="a trace"),
        IdleOptions(
            _is_program_as_text,
            ("--unit", "--origin"),
            requires="a trace, because a program counts time points",
        ),
    )

    query: Path = requests.program_argument()
    trace: tuple[Path, ...] = argument(
        "TRACE..",
        "Recorded streams. With --format asp or --format sql, the output also contains the data of "
        "the streams. With --to, lars finds the stream of each triple pattern by the predicates.",
        default=(),
        source="trace",
    )
    how: requests.ProgramOptions
    to: Language | None = option(None, "Print the query in this query language, not as a LARS program.")
    step: Duration | None = option(
        None, "With --to, the STEP for windows without a STEP, such as 1s.", time_unit
    )
    variant: str | None = option(
        None,
        "With --to, if lars derives several queries: the query to print, or all queries (all). The name of "
        "a query has brave (stream-only) or cautious (stream-or-static) for each part: brave,cautious. "
        "[default: the first query]",
        metavar="NAME",
    )
    strict: StrictEngine | None = option(
        None, "Reject the queries that the parser of the given engine version rejects."
    )
    assign: Mapping[Iri, tuple[Iri, ...]] | None = requests.assign_option()
    at: Time | None = requests.reference_time_option()
    format: ProgramFormat = option("lars", "Output format.")


def _task(request: TranslateRequest) -> translating.TranslatingTask:
    """Return the translation task that a request describes."""
    options = request.how.input_options
    return translating.TranslatingTask(
        path=request.query,
        evaluation=request.how.evaluation,
        setting=request.how.setting,
        assigned=request.assign or {},
        static=options.static,
        solved=bool(request.trace or options.trace.stream),
        step=request.step,
    )


def translated_lines(request: TranslateRequest, listeners: Listeners) -> Iterable[str]:
    """Return the lines of a query or program in the requested format."""
    task = _task(request)
    if request.strict is not None:
        translating.check_strict_file(request.query, request.strict)
    if request.to is not None:
        queries = list(translating.rewritten(task, request.to, listeners.warn))
        return _as_lines(_chosen(queries, request.variant, listeners.note))
    met = request.how.input_options.trace_input(request.trace) if task.solved else None
    if met is None and request.format != "sql":
        return translating.lines(task, request.format, listeners.warn)
    # Loads what writes programs with their input.
    from agreement.answering.solve import standing_alone

    if request.format == "sql":
        return list(standing_alone.sql_lines(task, met, request.at, listeners.warn))
    if met is None or request.format != "asp":
        raise LarsError(f"cannot combine a trace with --format {request.format}; use --format asp or sql")
    return list(standing_alone.asp_lines(task, met, request.at, listeners.warn))


def _chosen(queries: Sequence[tuple[str, str]], variant: str | None, note: Warn) -> Sequence[tuple[str, str]]:
    """Return the queries to print: by default the first, so that other commands can read the output.

    Raises:
        LarsError: No derived query has the name `variant`.
    """
    names = {name.replace(", ", ","): (name, text) for name, text in queries}
    if variant is None and len(queries) > 1:
        first, *others = names
        note(
            f"lars derives {len(names)} queries, and prints the query {first}; "
            f"for another query, use its name, such as --variant {others[0]}; for all, use --variant all"
        )
    if variant == "all":
        return queries
    if variant is None:
        return queries[:1]
    if (chosen := names.get(variant.replace(" ", ""))) is None:
        raise LarsError(f'--variant: unknown query "{variant}"; use {first_few((*names, "all"), 9, " or ")}')
    return [chosen]


def _as_lines(queries: Iterable[tuple[str, str]]) -> Iterable[str]:
    """Yield the texts of queries; if there are several, a comment with its name precedes each query."""
    named = list(queries)
    for name, text in named:
        if len(named) > 1:
            yield f"# {name}"
        yield text


@dataclass(frozen=True, slots=True, repr=False)
class Translation(Findings):
    """The result of `translate`: the output of the command, and the rules of the program or the queries."""

    lines: tuple[str, ...]
    _request: TranslateRequest
    _source_files: "SourceFiles | None" = None

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules of the program; if a query has several programs, the rules of the first program."""
        (_, program), *_ = translating.programs(self._task, unsaid)
        return tuple(map(str, program.rules))

    @property
    def queries(self) -> Mapping[str, str]:
        """The text of the query in the language `to`; if several queries are derived, each by its name.

        The names of derived CQELS queries are the choices for their parts, such as "brave" and "cautious".

        Raises:
            LarsError: The option `to` is not given.
        """
        if self._request.to is None:
            raise LarsError('queries requires to=, such as to="cqels"')
        return dict(translating.rewritten(_task(self._request), self._request.to, unsaid))

    @property
    def _task(self) -> translating.TranslatingTask:
        """The translation task.

        Raises:
            LarsError: The option `to` is given, because a query in another language has no LARS rules.
        """
        if self._request.to is not None:
            raise LarsError("to=: a query in another language has no LARS rules; use translate without to=")
        return replace(_task(self._request), static=())

    def document(self) -> Mapping[str, object]:
        """Return the JSON of `lars translate --format json`.

        The document contains the parsed query, and each program as LARS and ASP.
        """
        return translating.document(self._task, unsaid)

    def parts(self) -> Iterable[RenderableType]:
        """Return the lines of the output."""
        return self.lines

    def tables(self) -> Sequence[OutTable]:
        """Return the table `rules`."""
        columns = (Column("number", int, "the rule's number"), Column("rule", str, "the rule"))
        return (OutTable("rules", columns, enumerate(self.rules, 1)),)


def _unfolded(request: TranslateRequest, listeners: Listeners) -> TranslateRequest:
    """Return a request with the query and the settings of an experiment in place of the experiment."""
    if not requests.is_experiment(request.query):
        return request
    # Loads what compares, which no other translation needs.
    from agreement.experiments.as_input import unfold

    path, traces, how, _ = unfold(request.query, request.trace, request.how, (None, None), listeners.note)
    if path == request.query:
        return request
    if request.format not in ("asp", "sql") or request.to is not None:
        static = how.input_options.static if request.format == "ticker" else ()
        options = replace(how.input_options, static=static).with_trace(stream=None)
        traces, how = (), replace(how, input_options=options)
    assign = request.assign or _assigned_by_traces(request, path, listeners.warn)
    return replace(request, query=path, trace=traces, how=how, assign=assign)


def _with_streams_of_traces(request: TranslateRequest, warn: Warn) -> TranslateRequest:
    """Return a request with the stream of each predicate from the given traces, in place of the traces.

    If the request asks for a program with the data of the traces, the request also keeps the traces.

    Raises:
        LarsError: With `to`, the traces have no effect, because the query names the stream of each pattern.
    """
    options = request.how.input_options
    given = (*request.trace, *options.trace.streams)
    if not given or request.query.suffix in requests.PROGRAM_SUFFIXES:
        return request
    assign = _assigned_by_traces(request, request.query, warn)
    if request.to is None:
        return request if assign is None else replace(request, assign=assign)
    if assign is None:
        problem = "the traces have no effect, because no pattern must be assigned to a stream"
        raise LarsError(
            f"cannot combine {given[0]} with --to {request.to.value}: {problem}; use only one of them"
        )
    how = replace(request.how, input_options=options.with_trace(stream=None))
    return replace(request, assign=assign, trace=(), how=how)


def _assigned_by_traces(
    request: TranslateRequest, path: Path, warn: Warn
) -> Mapping[Iri, tuple[Iri, ...]] | None:
    """Return the predicates of each stream, if the query does not name the stream of each pattern.

    The option --assign or the key `assign` of an experiment assigns predicates to streams. Each other
    predicate is assigned to the streams that contain it in the traces.
    """
    target, how = request.to or request.how.evaluation.engine, request.how
    if target is None or target in MERGING or not (query := requests.load_query(path, SECOND)).merged:
        return None
    # Loads what compares and reads traces, which no other translation needs.
    from agreement.comparing.agree import comparison_trace, queries_of
    from agreement.results.base.library import comparison_on
    from solver.rdf import read_term

    comparison = requests.ComparisonOptions(
        assign=request.assign, input_options=how.input_options, reading=how.reading
    )
    task = comparison_on((request.query, *request.trace), comparison, warn)
    streams, found = {str(part.iri): part.iri for part in query.merged}, dict(task.assigned)
    named = {predicate for predicates in task.assigned.values() for predicate in predicates}
    for stream, text in sorted(comparison_trace(task, queries_of(task), unsaid).predicates()):
        predicate = read_term(text)
        if stream in streams and isinstance(predicate, Iri) and predicate not in named:
            found[streams[stream]] = (*found.get(streams[stream], ()), predicate)
    return found


@offered_functions(TranslateRequest)
def translate(request: TranslateRequest, listeners: Listeners) -> Translation:
    """Return a query's LARS program or a program in another form; with `to`, the query in another language.

    >>> query = "SELECT ?s WHERE { STREAM <http://e/s> [RANGE 3s] { ?s <http://e/p> ?o } }"
    >>> print(translate(query).lines[0])
    ans1(?s) ← ⊞^3 ◇ striple(?s, <http://e/p>, ?o, <http://e/s>).
    """
    request = _with_streams_of_traces(_unfolded(request, listeners), listeners.warn)
    others = {"to": request.to, "step": request.step, "strict": request.strict, "assign": request.assign}
    request.how.check(request.query, **others)
    fitted = replace(request, how=request.how.fitted(request.query, listeners.note))
    lines = "\n".join(translated_lines(fitted, listeners)).split("\n")
    return Translation(tuple(lines), fitted, listeners.source_files)
