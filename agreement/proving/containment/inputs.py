"""Read two query files for a decision of containment, and rename columns of the first query."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from agreement.documents.outputs import quantity
from agreement.documents.requests import (
    APART,
    InterpretationOptions,
    durations_in,
    fitting_unit,
    graphs_as_streams,
    load_query,
    sources,
)
from agreement.proving.containment.canonical import PairQuery
from lars.durations import Duration
from lars.errors import LarsError
from lars.files import exists
from lars.language.terms import Variable
from solver.settings import Warn, unsaid
from translate.analysis import keeps_ties, profile_remarks, rename, unbound_remarks
from translate.model.patterns import Select
from translate.model.query import EngineQuery

_ACCEPTED: Final = "--contained and --equivalent require two files, each with a query"
_TIES: Final = (
    "LIMIT chooses among equal rows by the order of names, and --rename changes this order; "
    "use new names in the same order"
)
_TWO: Final = 2


def two_queries(
    inputs: Sequence[Path],
    unit: Duration | None,
    reading: InterpretationOptions,
    names: Mapping[str, str],
    warn: Warn = unsaid,
) -> tuple[PairQuery, PairQuery]:
    """Read two query files, and return both queries with the settings for deciding containment.

    If the queries have no windows and --profile is not given, the queries have the semantics of SPARQL 1.1.

    Args:
        inputs: The two query files.
        unit: The length of a time point; if None, a unit that divides all durations of the queries.
        reading: The options that choose the semantics.
        names: The new names for columns of the first query.
        warn: The function that receives warnings.

    Raises:
        LarsError: The number of files is not two, or a file or a column does not exist.
    """
    if len(inputs) != _TWO:
        raise LarsError(f"{quantity(len(inputs), 'input')}; {_ACCEPTED}")
    for path in inputs:
        if not exists(path):
            raise LarsError(f"{path}: no such file; {_ACCEPTED}")
    length = fitting_unit(durations_in(inputs)) if unit is None else unit
    loaded = [load_query(path, length, graphs=True) for path in inputs]
    first, second = graphs_as_streams(loaded, str(inputs[0]))
    if (first, second) != (*loaded,):
        warn(APART)
    setting = reading.setting(length)
    if reading.profile is None and not (*sources(first), *sources(second)):
        setting = replace(setting, profile="sparql11")
    both = (each for query in loaded for each in (*profile_remarks(query, setting), *unbound_remarks(query)))
    for remark in dict.fromkeys(both):
        warn(remark)
    return PairQuery(_renamed(first, names, inputs[0]), setting), PairQuery(second, setting)


def _renamed(query: EngineQuery, names: Mapping[str, str], path: Path) -> EngineQuery:
    renaming: dict[Variable, Variable] = {}
    for old, new in names.items():
        if not (old and new) or Variable(old) not in query.result:
            columns = " ".join(f"?{name.name}" for name in sorted(query.result)) or "none"
            raise LarsError(f"--rename {old}={new}: expected A=B, where A is a column of {path}: {columns}")
        renaming[Variable(old)] = Variable(new)
    for name, number in Counter(renaming.values()).items():
        if number > 1:
            raise LarsError(f"--rename: cannot rename two columns to {name}; use a new name for each column")
    # The renaming is one to one: what had the last new name of a chain gets its first old name, because the
    # other names inside a query are its own.
    before = {new: old for old, new in renaming.items()}
    whole = dict(renaming)
    for last in before.keys() - renaming.keys():
        first = last
        while first in before:
            first = before[first]
        whole[last] = first
    result = tuple(whole.get(name, name) for name in query.result)
    if not keeps_ties(Select(query.pattern, query.result, query.modifiers), whole):
        raise LarsError(f"--rename: cannot rename columns of {path}: {_TIES}")
    order = tuple(
        replace(key, variable=whole.get(key.variable, key.variable)) for key in query.modifiers.order
    )
    modifiers = replace(query.modifiers, order=order)
    return replace(query, result=result, pattern=rename(query.pattern, whole), modifiers=modifiers)
