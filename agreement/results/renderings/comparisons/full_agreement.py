"""What the verdict rests on, as `lars agree --full` shows it: the model, both LARS programs, all answers."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.table import Table

from agreement.comparing.agree import VariantReport
from agreement.comparing.agree.verdicts import AgreementReport
from agreement.documents.dates import Dates
from agreement.documents.outputs import Json, bindings, row_order, short_row, table
from lars.language.terms import Variable
from translate.analysis import model_of_cqels
from translate.model.query import Query, Setting
from translate.tau import Trigger, lars_program, pull, push
from translate.writing import model_json, model_lines

if TYPE_CHECKING:
    from solver.spark import RowsByTime


@dataclass(frozen=True, slots=True)
class FullReport:
    """A report with what its verdict rests on: the model, both LARS programs, all answers."""

    report: AgreementReport
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

    def as_json(self) -> Json:
        """Return the keys that --full adds: model, programs, answers."""
        names, variants = self.report.variables, self.report.variants
        period, rules = self._pull_rules()
        return {
            "model": model_json(self._model),
            "programs": {
                "pull": {"period": period, "rules": rules},
                "push": [{"variant": str(one.pair), "rules": self._push_rules(one)} for one in variants],
            },
            "answers": [
                {
                    "variant": str(one.pair),
                    "push": _by_time(names, one.sides.pushed.whole().by_time(), self._dates(one)),
                    "pull": _by_time(names, one.sides.pulled.whole().by_time(), self._dates(one)),
                }
                for one in variants
            ],
        }

    @property
    def _model(self) -> Query:
        return model_of_cqels(self.report.variants[0].pair.cqels)

    def _pull_rules(self) -> tuple[int, list[str]]:
        # Programs of two periods differ in one number: the first period stands for all.
        first = self.report.variants[0]
        period = first.verdicts[0].period
        program = pull(lars_program(first.pair.csparql, self.setting), period)
        return period, [str(rule) for rule in program.rules]

    def _push_rules(self, variant: VariantReport) -> list[str]:
        return [
            str(rule) for rule in push(lars_program(variant.pair.cqels, self.setting), self.trigger).rules
        ]

    def _answers(self, variant: VariantReport) -> Table:
        dates = self._dates(variant).within(variant.trace.timeline)
        title = f"answers per time point{dates.caption}"
        shown = table(title, "t", "push", "pull", right=("t",), whole=frozenset("t"))
        pushed, pulled = (own.whole().by_time() for own in (variant.sides.pushed, variant.sides.pulled))
        for t in sorted({*pushed, *pulled}):
            shown.add_row(dates.text(t), _rows(pushed, t), _rows(pulled, t))
        return shown

    def _dates(self, variant: VariantReport) -> Dates:
        return Dates(variant.trace.origin, self.setting.unit)


def _rows(outputs: "RowsByTime", t: int) -> str:
    return " ".join(map(short_row, sorted(outputs.get(t, ()), key=row_order)))


def _by_time(names: tuple[Variable, ...], outputs: "RowsByTime", dates: Dates) -> list[Json]:
    return [{**dates.with_dates({"t": t}), "rows": bindings(names, outputs[t])} for t in sorted(outputs)]
