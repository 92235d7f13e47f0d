"""What `lars agree --full` shows before the verdict: the model, both LARS programs, all answers."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rich.console import RenderableType
from rich.table import Table

from agreement.compare import Report, VariantReport
from agreement.model_text import model_json, model_lines
from agreement.outputs import bindings, row_order, short_row
from agreement.pushpull import Outputs
from lars.terms import Variable
from translate.profiles import Setting
from translate.query import Query
from translate.strategies import model_of_cqels
from translate.translation import translated
from translate.triggers import Trigger, pull, push


@dataclass(frozen=True, slots=True)
class Shown:
    """A report with what its verdict rests on."""

    report: Report
    setting: Setting
    trigger: Trigger

    def as_text(self) -> Iterator[RenderableType]:
        """Yield the model, then for each variant its programs and its answers per time point."""
        yield "\n".join(("The query (V, P, D, S)", *model_lines(self._model)))
        period, rules = self._pull_rules()
        yield "\n".join((f"\nC-SPARQL under pull, τ1, U = {period}", *rules))
        for variant in self.report.variants:
            yield "\n".join((f"\nCQELS under push, τ2, {variant.pair}", *self._push_rules(variant)))
            yield self._answers(variant)

    def as_json(self) -> dict[str, Any]:
        """Return the keys that --full adds: model, programs, answers."""
        names = self.report.variables
        answers = [
            {
                "variant": str(variant.pair),
                "push": _by_time(names, variant.sides.pushed),
                "pull": _by_time(names, variant.sides.pulled),
            }
            for variant in self.report.variants
        ]
        programs = [
            {"variant": str(variant.pair), "rules": self._push_rules(variant)}
            for variant in self.report.variants
        ]
        period, rules = self._pull_rules()
        return {
            "model": model_json(self._model),
            "programs": {"pull": {"period": period, "rules": rules}, "push": programs},
            "answers": answers,
        }

    @property
    def _model(self) -> Query:
        return model_of_cqels(self.report.variants[0].pair.cqels)

    def _pull_rules(self) -> tuple[int, list[str]]:
        # Programs of two periods differ in one number: the first period stands for all.
        first = self.report.variants[0]
        period = first.verdicts[0].period
        program = pull(translated(first.pair.csparql, self.setting), period)
        return period, [str(rule) for rule in program.rules]

    def _push_rules(self, variant: VariantReport) -> list[str]:
        return [str(rule) for rule in push(translated(variant.pair.cqels, self.setting), self.trigger).rules]

    def _answers(self, variant: VariantReport) -> Table:
        table = Table(title="answers per time point", title_justify="left")
        table.add_column("t", justify="right")
        table.add_column("push")
        table.add_column("pull")
        pushed, pulled = variant.sides.pushed, variant.sides.pulled
        for t in sorted({*pushed, *pulled}):
            table.add_row(str(t), _rows(pushed, t), _rows(pulled, t))
        return table


def _rows(outputs: Outputs, t: int) -> str:
    return " ".join(map(short_row, sorted(outputs.get(t, ()), key=row_order)))


def _by_time(names: tuple[Variable, ...], outputs: Outputs) -> list[dict[str, Any]]:
    return [{"t": t, "rows": bindings(names, outputs[t])} for t in sorted(outputs)]
