"""What `agree` compares on what, as the options say it, and how `lars explain` asks about what is found."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from agreement.agree import AgreementTask, Overrides, agreeing, report
from agreement.agree.narrowing import Narrowed, narrowed
from agreement.experiments.experiment import read_experiment
from agreement.experiments.overridden import on_experiment
from agreement.inputs import InputOptions, InterpretationOptions, arguments, is_experiment, read_periods
from agreement.inputs.options import BadLineOptions, NarrowingOptions, RunnerOptions
from agreement.library.basis.boundary import Told
from lars.errors import LarsError
from solver.settings import TraceInput
from translate.dialects import TITLES


def experiment_in(inputs: Sequence[Path]) -> Path | None:
    """Return the experiment that is asked about, None where queries and traces are named."""
    return inputs[0] if len(inputs) == 1 and is_experiment(inputs[0]) else None


def comparison_of(
    inputs: tuple[Path, ...], trace: TraceInput, overrides: Overrides, told: Told
) -> AgreementTask:
    """Return the comparison of an experiment, or of queries on traces."""
    experiment = experiment_in(inputs)
    if experiment is not None:
        return on_experiment(experiment, trace, overrides, told.warn)
    return agreeing.on_files(inputs, trace, overrides)


def title_of(inputs: Sequence[Path]) -> str:
    """Return what readers call the inputs: an experiment's own title, else the names of files."""
    experiment = experiment_in(inputs)
    if experiment is None:
        return ", ".join(path.name for path in inputs)
    return read_experiment(experiment).file.title or experiment.resolve().name


@dataclass(frozen=True, slots=True)
class AgreeRequest:
    """What is compared on what, as the options say it."""

    inputs: tuple[Path, ...]
    given: InputOptions
    reading: InterpretationOptions
    bad_lines: BadLineOptions
    where: RunnerOptions
    period: str | None
    span: tuple[int | None, int | None]
    assign: Sequence[str]
    narrowing: NarrowingOptions

    @property
    def experiment(self) -> Path | None:
        """The experiment that is asked about, None where queries and traces are named."""
        return experiment_in(self.inputs)

    def asked(self, told: Told) -> AgreementTask:
        """Return the comparison; raises LarsError for what cannot be compared."""
        assigned = arguments.assignments(self.assign)
        overrides = Overrides(self.period, self.given.unit, self.reading, assigned, self.span)
        trace = self.given.trace(bad_lines=self.bad_lines)
        found = comparison_of(self.inputs, trace, overrides, told)
        if assigned and found.cqels is not None:
            problem = "which says itself what is matched in which stream"
            raise LarsError(
                f"--assign: accepted without a query in {TITLES[found.cqels.language]}, {problem}"
            )
        return found

    def shown(self, asked: AgreementTask) -> Narrowed:
        """Return which of the rows are shown."""
        wanted = self.narrowing
        named = () if wanted.only_period is None else read_periods(wanted.only_period)
        only = tuple(one.points(asked.setting.unit) for one in named) or None
        return narrowed(only, wanted.cause, wanted.side, agreeing.periods_of(asked))

    def asking(self, asked: AgreementTask) -> report.Asking:
        """Return how `lars explain` is asked about a row."""
        # The unit fits both queries together; one of them alone may fit a longer one.
        one = self.experiment
        fitted = self.given if one is not None else replace(self.given, unit=str(asked.setting.unit))
        again = tuple(written_options(fitted, self.bad_lines, self.reading))
        files = (
            agreeing.inputs_by_kind(self.inputs, asked.setting.unit)
            if one is None
            else dict.fromkeys((True, False), (one,))
        )
        return report.Asking(files, again, asked.csparql is not None, asked.cqels is not None)


def written_options(*groups: Any) -> Iterator[str]:
    """Yield the options of groups that say something other than their default, with their values."""
    for group in groups:
        for one in fields(group):
            value, name = getattr(group, one.name), f"--{one.name.replace('_', '-')}"
            if value is True:
                yield name
            elif value != one.default:
                for each in value if isinstance(value, list) else [value]:
                    yield from (name, str(getattr(each, "value", each)))
