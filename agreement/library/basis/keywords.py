"""The keywords of the library's functions, named as the commands' options, and the options that they make.

Their values are those of the options; where an option can be given several times, a sequence or mapping.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Literal, TypedDict, TypeVar

from agreement.inputs import EvaluationOptions, InputOptions, InterpretationOptions, cut, read_periods
from agreement.inputs.arguments import period as read_period
from agreement.inputs.options import BadLineOptions, ExecutionMode, RunnerOptions
from agreement.inputs.question_options import QuestionOptions
from agreement.library.basis.sources import Desk, StaticSource, TraceSource
from lars.errors import LarsError
from lars.windows import Bounds
from solver.settings import Evaluator, Progress
from translate.query import Language, Profile, Semantics
from translate.tau import Trigger

_Choice = TypeVar("_Choice", bound=Enum)

LanguageName = Literal["csparql", "cqels", "sparqlstream", "rspql"]
BoundsName = Literal["closed", "low-open", "high-open"]
SemanticsName = Literal["set", "bag"]


class StaticKeywords(TypedDict, total=False):
    """Static data, how long a time point is, and who is told how far the work is."""

    static: StaticSource | Sequence[StaticSource] | None
    unit: str | None
    progress: Progress | None


class InputKeywords(StaticKeywords, total=False):
    """Streams by IRI, what times count, and what becomes of bad lines."""

    stream: Mapping[str, TraceSource] | None
    trace_unit: str | None
    origin: str | datetime | None
    sort: bool | None
    on_error: Literal["stop", "skip"] | None
    rejected: str | Path | None


class ReadingKeywords(TypedDict, total=False):
    """How joins, windows and the push trigger of a query are read."""

    profile: Literal["paper2015", "sparql11"] | None
    bounds: BoundsName | None
    trigger: Literal["any", "query-streams", "matching"] | None


class EvaluationKeywords(TypedDict, total=False):
    """The language of a query, and when it is evaluated."""

    engine: LanguageName | None
    mode: Literal["push", "pull"] | None
    period: int | str | None
    semantics: SemanticsName | None


class RunningKeywords(TypedDict, total=False):
    """Where a job runs, what evaluates it, and at how many times clingo has to find the same."""

    master: str | None
    in_process: bool | None
    evaluator: Literal["auto", "relational", "clingo", "both"] | None
    certify: Literal["all", "some", "none"] | int | None
    resume: str | Path | None


class ComparisonKeywords(InputKeywords, ReadingKeywords, total=False):
    """What pull and push of queries are compared on, and how they are read."""


class QueryKeywords(ComparisonKeywords, EvaluationKeywords, total=False):
    """A query or program on a trace: how it is read, and when it is evaluated."""


def chosen(name: str, kind: type[_Choice], value: str | None) -> _Choice | None:
    """Return the member that a keyword names; raises LarsError for none of them.

    >>> chosen("bounds", Bounds, "open")
    Traceback (most recent call last):
    lars.errors.LarsError: bounds='open': accepted: closed, low-open, high-open
    """
    if value is None:
        return None
    try:
        return kind(value)
    except ValueError:
        listed = ", ".join(str(one.value) for one in kind)
        raise LarsError(f"{name}={cut(repr(value))}: accepted: {listed}") from None


def static_options(desk: Desk, given: StaticKeywords) -> InputOptions:
    """Return where static data lie, and how long a time point is."""
    static = given.get("static")
    several = static if isinstance(static, Sequence) and not isinstance(static, str) else (static,)
    files = [desk.static(one) for one in several if one is not None]
    return InputOptions(files or None, unit=given.get("unit"))


def question_options(
    desk: Desk, period: int | str | Sequence[int] | None, given: StaticKeywords
) -> QuestionOptions:
    """Return periods, static data and unit of what is asked without a trace."""
    known = static_options(desk, given)
    return QuestionOptions(periods_text(period), known.static, known.unit)


def input_options(desk: Desk, given: InputKeywords) -> InputOptions:
    """Return where static data and streams lie, and what times in them count."""
    origin, streams = given.get("origin"), (given.get("stream") or {}).items()
    return replace(
        static_options(desk, given),
        stream=[f"{iri}={desk.given(source)}" for iri, source in streams] or None,
        trace_unit=given.get("trace_unit"),
        origin=origin.isoformat() if isinstance(origin, datetime) else origin,
        sort=bool(given.get("sort")),
    )


def bad_lines(given: InputKeywords) -> BadLineOptions:
    """Return what becomes of lines that cannot be read."""
    rejected = given.get("rejected")
    return BadLineOptions(given.get("on_error") or "stop", None if rejected is None else Path(rejected))


def interpretation(given: ReadingKeywords) -> InterpretationOptions:
    """Return how a query is read."""
    return InterpretationOptions(
        chosen("profile", Profile, given.get("profile")),
        chosen("bounds", Bounds, given.get("bounds")),
        chosen("trigger", Trigger, given.get("trigger")),
    )


def evaluation(given: EvaluationKeywords) -> EvaluationOptions:
    """Return the language of a query and when it is evaluated."""
    period = given.get("period")
    return EvaluationOptions(
        chosen("engine", Language, given.get("engine")),
        chosen("mode", ExecutionMode, given.get("mode")),
        None if period is None else read_period(str(period)),
    )


def semantics(given: EvaluationKeywords) -> Semantics | None:
    """Return whether answers are a set or a multiset."""
    return chosen("semantics", Semantics, given.get("semantics"))


def running(given: RunningKeywords) -> RunnerOptions:
    """Return where a job runs."""
    resume, certify = given.get("resume"), given.get("certify")
    return RunnerOptions(
        given.get("master"),
        bool(given.get("in_process")),
        chosen("evaluator", Evaluator, given.get("evaluator")) or Evaluator.AUTO,
        "some" if certify is None else str(certify),
        None if resume is None else Path(resume),
    )


def periods_text(given: int | str | Sequence[int] | None) -> str | None:
    """Return pulling periods as the option has them.

    >>> periods_text(range(4, 7)), periods_text("1..3")
    ('4,5,6', '1..3')
    """
    if (text := numbers_text(given)) is not None:
        read_periods(text)
    return text


def numbers_text(given: int | str | Sequence[int] | None) -> str | None:
    """Return numbers as an option has them."""
    if given is None or isinstance(given, str):
        return given
    return str(given) if isinstance(given, int) else ",".join(map(str, given))


def assign_texts(given: Mapping[str, Sequence[str]] | None) -> list[str]:
    """Return in which stream which predicates are matched, as the option has it."""
    several = ((iri, [one] if isinstance(one, str) else one) for iri, one in (given or {}).items())
    return [f"{iri}={predicate}" for iri, predicates in several for predicate in predicates]
