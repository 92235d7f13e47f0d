"""From the raw rows of ans1 to what a query answers: columns, multiplicities, order."""

from collections.abc import Iterable
from dataclasses import dataclass

from lars.terms import Signature, Variable
from translate.forms import columns
from translate.node import ordered
from translate.path_patterns import without_paths
from translate.patterns import Duplicates, variables
from translate.profiles import Semantics, Setting
from translate.query import EngineQuery, Form
from translate.witnesses import witnesses

Row = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Output:
    """The answer predicate of a query: ans1 with `width` arguments, the first of which are `variables`.

    `order` are the columns that ORDER BY sorts by, with whether it is descending; columns after
    those of `variables` are not shown. In a multiset (`bag`) each raw row is one answer.
    """

    variables: tuple[Variable, ...]
    width: int
    order: tuple[tuple[int, bool], ...] = ()
    bag: bool = False

    @property
    def predicate(self) -> Signature:
        """Name and arity of the answer predicate."""
        return "ans1", self.width

    def shown(self, found: Iterable[Row]) -> list[Row]:
        """Return the answers of raw rows in their order; a set keeps the first of equal ones."""
        rows = [row[: len(self.variables)] for row in found]
        return rows if self.bag else list(dict.fromkeys(rows))


def answered(query: EngineQuery, setting: Setting) -> Output:
    """Return how the answers of the query's program are read."""
    shown = columns(query)
    if query.form is not Form.SELECT:
        return Output(shown, len(shown))
    wide = columns(query, ordered_rows=setting.ordered)
    keys = query.modifiers.order if setting.ordered else ()
    order = tuple((wide.index(key.variable), key.descending) for key in keys if key.variable in wide)
    bag = setting.semantics is Semantics.BAG and query.modifiers.duplicates is not Duplicates.DISTINCT
    if not bag:
        return Output(shown, len(wide), order)
    pattern = without_paths(query.pattern, frozenset(ordered(variables(query.pattern))))
    hidden = variables(pattern) - frozenset(query.result)
    return Output(shown, len(wide) + len(hidden) + witnesses(pattern), order, bag=True)
