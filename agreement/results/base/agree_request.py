"""What `agree` compares on what, as the options say it, and how `lars explain` asks about what is found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Final

from agreement.comparing.agree import AgreementTask, Overrides, RowCause, agreeing, cause_of
from agreement.comparing.agree.narrowing import RowFilter, narrow
from agreement.documents.options import argument, option, shell_words
from agreement.documents.requests import (
    PERIODS,
    BadLineOptions,
    ExecutionMode,
    InputOptions,
    InterpretationOptions,
    Period,
    RunnerOptions,
    assign_option,
    is_experiment,
    readers,
    time_option,
)
from agreement.experiments.experiment import read_experiment
from agreement.experiments.single_query import on_experiment
from agreement.results.base.boundary import Listeners
from agreement.results.renderings.comparisons import agreement_report
from lars.errors import LarsError
from lars.language.terms import Iri
from solver.settings import Time, TraceInput
from translate.dialects import TITLES


def experiment_in(inputs: Sequence[Path]) -> Path | None:
    """Return the experiment that is asked about, None where queries and traces are named."""
    return inputs[0] if len(inputs) == 1 and is_experiment(inputs[0]) else None


def comparison_of(
    inputs: tuple[Path, ...], trace: TraceInput, overrides: Overrides, listeners: Listeners
) -> AgreementTask:
    """Return the comparison of an experiment, or of queries on traces."""
    experiment = experiment_in(inputs)
    if experiment is not None:
        return on_experiment(experiment, trace, overrides, listeners.warn)
    return agreeing.on_files(inputs, trace, overrides)


def title_of(inputs: Sequence[Path]) -> str:
    """Return what readers call the inputs: an experiment's own title, else the names of files."""
    experiment = experiment_in(inputs)
    if experiment is None:
        return ", ".join(path.name for path in inputs)
    return read_experiment(experiment).file.title or experiment.resolve().name


COMPARED: Final = "EXPERIMENT_DIR | QUERY [QUERY] TRACE.."


def compared_inputs() -> Any:
    """Return the field of what pull and push of queries are compared on."""
    return argument(
        COMPARED,
        "A folder with experiment.toml; or queries in C-SPARQL and CQELS, one or both, and traces.",
        default=(),
        source="trace",
    )


@dataclass(frozen=True, slots=True)
class TimelineOptions:
    """When both engines are asked, and on which part of the trace."""

    period: tuple[Period, ...] = option(
        (),
        "Pulling periods: 5, 5,10, 1..50, 1s..60s, 1m..2h..10m. [default: the STEP]",
        readers.periods,
        keyword=PERIODS,
    )
    from_: Time | None = time_option("Where the timeline begins; no earlier input is seen.")
    to: Time | None = time_option("Where the timeline ends.")


@dataclass(frozen=True, slots=True)
class NarrowingOptions:
    """Which of the rows that one side alone has are shown; the verdict is that of all."""

    only_period: tuple[Period, ...] = option(
        (),
        "Show what these pulling periods find: 5 or 5,10 or 1..50.",
        readers.periods,
        metavar="U",
        keyword=PERIODS,
    )
    cause: RowCause | None = option(
        None, "Show the rows with this cause: blocked-later.", cause_of, keyword="str | None"
    )
    side: ExecutionMode | None = option(None, "Show the rows that this side alone has.")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreeRequest:
    """Decide per pulling period whether pull of C-SPARQL and push of CQELS agree; exit 1 if not.

    Example:
    lars agree samples/coupons --period 4..8
    """

    inputs: tuple[Path, ...] = compared_inputs()
    times: TimelineOptions
    input_options: InputOptions
    bad_lines: BadLineOptions
    reading: InterpretationOptions
    assign: Mapping[Iri, tuple[Iri, ...]] | None = assign_option()
    on: tuple[str, ...] | None = option(
        None,
        "The variables that rows are compared on, or none: whether there is a row. [default: all shared]",
        readers.variables,
        metavar="?A,?B|none",
        keyword="str | Sequence[str] | None",
    )
    where: RunnerOptions
    narrowing: NarrowingOptions

    @property
    def experiment(self) -> Path | None:
        """The experiment that is asked about, None where queries and traces are named."""
        return experiment_in(self.inputs)

    def task(self, listeners: Listeners) -> AgreementTask:
        """Return the comparison; raises LarsError for what cannot be compared."""
        assigned, times = self.assign or {}, self.times
        span = times.from_, times.to
        overrides = Overrides(times.period, self.input_options.unit, self.reading, assigned, self.on, span)
        trace = self.input_options.trace(bad_lines=self.bad_lines)
        found = comparison_of(self.inputs, trace, overrides, listeners)
        if assigned and found.cqels is not None:
            problem = "which says itself what is matched in which stream"
            raise LarsError(
                f"--assign: accepted without a query in {TITLES[found.cqels.language]}, {problem}"
            )
        return found

    def row_filter(self, asked: AgreementTask) -> RowFilter:
        """Return which of the rows are shown."""
        wanted = self.narrowing
        only = tuple(one.points(asked.setting.unit) for one in wanted.only_period) or None
        return narrow(only, wanted.cause, wanted.side, agreeing.periods_of(asked))

    def explain_options(self, asked: AgreementTask) -> agreement_report.ExplainOptions:
        """Return how `lars explain` is asked about a row."""
        # The unit fits both queries together; one of them alone may fit a longer one.
        one = self.experiment
        fitted = (
            self.input_options if one is not None else replace(self.input_options, unit=asked.setting.unit)
        )
        again = tuple(chain(*map(shell_words, (fitted, self.bad_lines, self.reading))))
        files = (
            agreeing.inputs_by_kind(self.inputs, asked.setting.unit)
            if one is None
            else dict.fromkeys((True, False), (one,))
        )
        return agreement_report.ExplainOptions(
            files, again, asked.csparql is not None, asked.cqels is not None
        )
