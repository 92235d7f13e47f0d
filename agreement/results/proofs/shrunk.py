"""The function `shrink`: find a minimal input on which push and pull still disagree for the same cause."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.console import RenderableType

from agreement.comparing.agree import RowCause, cause_option
from agreement.documents.requests import ComparisonOptions, compared_inputs
from agreement.documents.table_files import Column, OutTable
from agreement.proving.shrinking import MinimalDisagreement, Sizes, write_shrunk
from agreement.proving.shrinking import shrink as shrink_task
from agreement.results.base.library import Findings, Listeners, comparison_on, offered_functions, title_of
from agreement.results.renderings.witness_report import shrunk_json, shrunk_text
from lars.dataclass import dataclass
from lars.errors import LarsError
from solver.facts import Fact

if TYPE_CHECKING:
    from agreement.results.renderings.pages.page import Page

AGREES = "push and pull agree on the trace: there is nothing to shrink"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShrinkRequest:
    """The arguments of `lars shrink`.

    Removes triples, parts of the queries, and time points.
    Keeps a removal only if push and pull still disagree for the same cause.
    Of several periods U, lars takes the first on which push and pull disagree.

    Example:
    lars shrink samples/minus
    """

    HEADING: ClassVar = "Comparison"
    WITHOUT: ClassVar = ("on",)

    inputs: tuple[Path, ...] = compared_inputs()
    options: ComparisonOptions
    cause: RowCause | None = cause_option(
        "Cause that the difference must have on the smaller stream too, such as blocked-later (later "
        "input removed the row). [default: the cause of the first difference]"
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ShrinkResult(Findings):
    """The result of `shrink`: the smallest input found, with its size and the size of the given input."""

    verdict: ClassVar[str | None] = "disagree"

    _outcome: MinimalDisagreement | None
    _title: str

    @property
    def disagree(self) -> bool:
        """Whether push and pull disagree on the given input; only then the input can be minimized."""
        return self._outcome is not None

    @property
    def cause(self) -> str | None:
        """The cause of the remaining difference; None if push and pull agree."""
        return None if self._outcome is None else self._outcome.cause

    @property
    def trace(self) -> tuple[Fact, ...]:
        """The remaining elements of the trace."""
        return () if self._outcome is None else self._outcome.left.facts

    @property
    def sizes(self) -> tuple[Sizes, Sizes] | None:
        """The sizes of the input before and after shrinking; None if push and pull agree."""
        return None if self._outcome is None else (self._outcome.before, self._outcome.after)

    @property
    def ending(self) -> tuple[int, str | None]:
        """The exit code: 1 if push and pull disagree, otherwise 0."""
        return int(self.disagree), None

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        return shrunk_json(self._outcome) if self._outcome is not None else {"cause": None}

    def parts(self) -> Iterable[RenderableType]:
        """Return the sizes before and after shrinking, and the remaining input; empty without difference."""
        return () if self._outcome is None else shrunk_text(self._outcome)

    def page(self) -> "Page":
        """Return the content of the HTML report: both sizes, and push and pull on the remaining input."""
        # Loads what only pages need.
        from agreement.results.renderings.pages.blocks import text_page
        from agreement.results.renderings.pages.page import Page
        from agreement.results.renderings.pages.witness_page import shrink_page

        question = "What is a minimal disagreement with the same cause?"
        if self._outcome is None:
            head = Page(self._title, question, True, f"{AGREES}.", self.warnings)
            return text_page(head, self.document(), ())
        return shrink_page(self._title, question, self._outcome, self.document(), self.warnings)

    def write_experiment(self, folder: str | Path) -> None:
        """Write the remaining input as an experiment for `lars agree`.

        Raises:
            LarsError: Push and pull agree.
        """
        if self._outcome is None:
            raise LarsError(AGREES)
        write_shrunk(Path(folder), self._outcome)

    def tables(self) -> Sequence[OutTable]:
        """Return the table `trace`: the remaining elements."""
        return (OutTable("trace", _COLUMNS, map(_row, self.trace)),)


def _row(fact: Fact) -> tuple[int, str, str, str, str, str | None]:
    subject, predicate, object_, *graph, stream = fact.arguments
    return fact.t, stream, subject, predicate, object_, graph[0] if graph else None


_COLUMNS = (
    Column("t", int, "time at which the triple arrives"),
    Column("stream", str, "its stream"),
    Column("s", str, "its subject"),
    Column("p", str, "its predicate"),
    Column("o", str, "its object"),
    Column("graph", str, "named graph that contains the triple; none: the default graph"),
)


@offered_functions(ShrinkRequest)
def shrink(request: ShrinkRequest, listeners: Listeners) -> ShrinkResult:
    """Return a minimal input on which push and pull disagree for the same cause as on the given input.

    >>> result = shrink("samples/minus")
    >>> result.cause, [fact.t for fact in result.trace]
    ('blocked later', [1, 2])
    """
    task = comparison_on(request.inputs, request.options, listeners.warn)
    made = shrink_task(task, request.cause, listeners.warn, listeners.progress)
    if made is None:
        listeners.note(AGREES)
    return ShrinkResult(made, title_of(request.inputs))
