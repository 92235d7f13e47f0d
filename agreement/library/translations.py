"""`translate`: the LARS program of a query, its texts, and the query in another language."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Unpack

from rich.console import RenderableType

from agreement.inputs import EvaluationOptions, InputOptions, InterpretationOptions, arguments, options
from agreement.inputs.options import ProgramFormat
from agreement.library.basis.boundary import Heard, Told, offered
from agreement.library.basis.findings import Findings, JsonObject
from agreement.library.basis.keywords import (
    LanguageName,
    QueryKeywords,
    assign_texts,
    chosen,
    evaluation,
    input_options,
    interpretation,
    semantics,
)
from agreement.library.basis.sources import Desk, TextSource, TraceSource
from agreement.solve import translating
from agreement.table_files import Column, OutTable
from lars.errors import LarsError
from solver.settings import unsaid
from translate.query import Language, Semantics
from translate.strict import StrictEngine
from translate.tau import Trigger


@dataclass(frozen=True, slots=True)
class TranslateRequest:
    """A query or program, what becomes of it, and its input where the text is to run by itself."""

    query: Path
    trace: tuple[Path, ...]
    given: InputOptions
    evaluation: EvaluationOptions
    reading: InterpretationOptions
    semantics: Semantics | None
    assign: Sequence[str]
    strict: StrictEngine | None = None
    to: Language | None = None
    at: int | None = None
    shape: ProgramFormat = ProgramFormat.LARS

    def fitted(self, told: Told) -> "TranslateRequest":
        """Return the request with a unit that fits; raises LarsError for options that say nothing of it."""
        alone = {"to": self.to, "strict": self.strict, "assign": self.assign or None}
        named = options.given(self.evaluation, self.reading, semantics=self.semantics, **alone)
        arguments.check_for_queries(self.query, named)
        return replace(self, given=self.given.fitted([self.query], told.note, self.evaluation.period))

    @property
    def task(self) -> translating.TranslatingTask:
        """What is translated."""
        given = self.given
        return translating.TranslatingTask(
            path=self.query,
            evaluation=self.evaluation,
            setting=self.reading.setting(given.time_point, self.semantics, given.origin),
            trigger=self.reading.trigger or Trigger.ANY,
            assigned=arguments.assignments(self.assign),
            static=tuple(given.static or ()),
            solved=bool(self.trace or given.stream),
        )


def translated_lines(request: TranslateRequest, told: Told) -> Iterable[str]:
    """Return the lines of a query's or program's text in the wanted form."""
    wanted = request.task
    if request.strict is not None:
        translating.check_strict_file(request.query, request.strict)
    if request.to is not None:
        return translating.rewritten(wanted, request.to, told.warn)
    met = request.given.trace(request.trace) if wanted.solved else None
    if request.shape is ProgramFormat.SQL:
        from agreement.solve.sql_file import sql_lines

        return list(sql_lines(wanted, met, request.at, told.warn))
    if met is None:
        return translating.lines(wanted, request.shape, told.warn)
    if request.shape is not ProgramFormat.ASP:
        raise LarsError(f"--format {request.shape}: a trace is accepted with --format asp and sql")
    from agreement.solve.asp_file import standing_alone_lines

    return list(standing_alone_lines(wanted, met, request.at, told.warn))


@dataclass(frozen=True, slots=True, repr=False)
class Translation(Findings):
    """What `translate` returns: its text is what the command prints."""

    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    lines: tuple[str, ...]
    _document: str | None

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules of the program; of a query that becomes several, those of the first."""
        programs = self.to_json()["programs"]
        match programs:
            case [{"rules": list() as rules}, *_]:
                return tuple(map(str, rules))
            case _:
                return ()

    def to_json(self) -> JsonObject:
        """Return what `lars translate --format json` prints: the model, and each program as LARS and ASP."""
        if self._document is None:
            raise LarsError("to=: a query that is written in another language has no JSON")
        found: JsonObject = json.loads(self._document)
        return found

    def parts(self) -> Iterable[RenderableType]:
        """Yield the text."""
        return self.lines

    def tables(self) -> Sequence[OutTable]:
        """Return the table `rules`."""
        columns = (Column("number", int, "the rule's number"), Column("rule", str, "the rule"))
        return (OutTable("rules", columns, enumerate(self.rules, 1)),)


def _document(request: TranslateRequest) -> str:
    return "".join(translating.lines(replace(request.task, static=()), "json", unsaid))


@offered
def translate(
    query: TextSource,
    *trace: TraceSource,
    to: LanguageName | None = None,
    strict: str | None = None,
    assign: Mapping[str, Sequence[str]] | None = None,
    at: int | None = None,
    format: Literal["lars", "ascii", "asp", "model", "json", "sql", "ticker"] = "lars",  # noqa: A002
    **options: Unpack[QueryKeywords],
) -> Translation:
    """Return the LARS program of a query, or any program's text in another form; `to`: the query itself.

    >>> query = "SELECT ?s WHERE { STREAM <http://e/s> [RANGE 3s] { ?s <http://e/p> ?o } }"
    >>> print(translate(query).lines[0])
    ans1(?s) ← ⊞^3 ◇ striple(?s, <http://e/p>, ?o, <http://e/s>).
    """
    desk, heard = Desk(), Heard()
    with desk.naming():
        request = TranslateRequest(
            desk.given(query),
            tuple(map(desk.given, trace)),
            input_options(desk, options),
            evaluation(options),
            interpretation(options),
            semantics(options),
            assign_texts(assign),
            chosen("strict", StrictEngine, strict),
            chosen("to", Language, to),
            at,
            chosen("format", ProgramFormat, format) or ProgramFormat.LARS,
        )
        request = request.fitted(heard.told())
        lines = "\n".join(translated_lines(request, heard.told())).split("\n")
        document = None if to is not None else _document(request)
    return Translation(tuple(heard.warnings), tuple(heard.notes), tuple(lines), document)
