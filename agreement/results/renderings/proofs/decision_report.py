"""What is decided, for readers and as JSON."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from agreement.documents.outputs import Json, binding, json_triple, number_ranges, record, short
from agreement.proving.decide import (
    CheckedPremise,
    EveryStream,
    PeriodDecision,
    StreamWitness,
    VariantClasses,
)
from lars.durations import Duration
from lars.language.terms import Variable


def as_text(found: Sequence[PeriodDecision], unit: Duration) -> Iterator[RenderableType]:
    """Yield the report for readers: the verdict of each period, what it rests on, a stream for each kind."""
    yield Text(_headline(found), style="bold red" if any(map(_differs, found)) else "bold")
    yield f"push and pull on every stream, time in units of {unit}"
    table = Table("period U", "verdict", "rests on", "what would change it")
    groups = [list(group) for _, group in groupby(found, _kind)]
    for group in groups:
        one = group[0]
        theorem = (one.searched or "-") if one.theorem is None else one.theorem.value
        table.add_row(_periods(group), one.verdict.value, theorem, "; ".join(one.changes))
    yield table
    yield from (_in_finer(one) for one in found if one.finer is not None)
    yield "what was checked"
    checked: dict[CheckedPremise, list[PeriodDecision]] = {}
    for one in found:
        for premise in one.premises:
            checked.setdefault(premise, []).append(one)
    for premise, decided in checked.items():
        yield _premise(premise, [] if len(decided) == len(found) else decided)
    for group in groups:
        if (witness := group[0].witness) is not None:
            yield from _witness(group[0].period, witness)


_MOST_STATIC: Final = 9
"""Of more static triples of a stream's background these are shown."""


def _kind(one: PeriodDecision) -> tuple[object, ...]:
    return one.verdict, one.theorem, one.searched, one.changes


_SAID: Final = {
    EveryStream.ALWAYS: "push and pull agree on every stream",
    EveryStream.NEVER: "there is a stream on which push and pull differ",
    EveryStream.STATIC: "whether push and pull agree depends on the static data",
    EveryStream.OPEN: "it is open whether push and pull agree on every stream",
}


def _differs(one: PeriodDecision) -> bool:
    return one.verdict is EveryStream.NEVER


def _headline(found: Sequence[PeriodDecision]) -> str:
    """Return the verdicts in one sentence, those that differ first."""
    ordered = sorted(found, key=lambda one: not _differs(one))
    groups = [list(group) for _, group in groupby(ordered, lambda one: one.verdict)]
    said = {group[0].verdict: f"U = {_periods(group)}: {_SAID[group[0].verdict]}" for group in groups}
    return "; ".join(said.values())


def _in_finer(one: PeriodDecision) -> str:
    assert one.finer is not None
    unit, again = one.finer
    return f"U = {one.period} with a unit of {unit}, U = {again.period} then: {again.verdict.value}"


def _periods(group: Sequence[PeriodDecision]) -> str:
    return number_ranges(sorted(one.period for one in group))


def _premise(one: CheckedPremise, only: Sequence[PeriodDecision]) -> str:
    limit = f" for U = {_periods(only)}" if only else ""
    return f"  {'yes' if one.holds else 'no '}  {one.statement}{limit} ({one.place})"


def _witness(period: int, found: StreamWitness) -> Iterator[str]:
    begin, end = found.period
    said = f"{found.side} alone has ({', '.join(map(short, found.row))}), {found.cause}"
    yield f"a stream on which they differ for U = {period}, in ({begin}, {end}]: {said}"
    for fact in found.facts:
        *triple, stream = map(short, fact.arguments)
        yield f"  {fact.t}: {' '.join(triple)} on {stream}"
    if not found.facts:
        yield "  nothing arrives"
    for subject, predicate, object_, graph in found.static[:_MOST_STATIC]:
        yield f"  static: {' '.join(short(str(term)) for term in (subject, predicate, object_))} in {graph}"
    if len(found.static) > _MOST_STATIC:
        yield f"  … and {len(found.static) - _MOST_STATIC} more static triples: --json lists them"


def variants_text(found: VariantClasses) -> Iterator[str]:
    """Yield which of the CQELS queries are the same, and the premise for each choice."""
    if not found.parts:
        return
    count = len(found.variants)
    different = f"{len(found.classes)} {'query' if len(found.classes) == 1 else 'queries'}"
    yield f"brave or cautious for each of {len(found.parts)} parts: {count} CQELS queries are {different}"
    if len(found.classes) > 1:
        yield from (f"  {' = '.join(f'({one})' for one in group)}" for group in found.classes)
    for one in found.parts:
        yield f"  {_SAME[one.same]}: {one}: {one.why} ({one.place})"


_SAME = {True: "brave and cautious are one", False: "they differ", None: "open"}


def as_json(
    found: Sequence[PeriodDecision], variants: VariantClasses, unit: Duration, columns: Sequence[Variable]
) -> Json:
    """Return the report for machines."""
    return {
        "unit": str(unit),
        "periods": [_json(one, columns) for one in found],
        "variants": [[[choice.value for choice in one.choices] for one in each] for each in variants.classes],
        "parts": [
            {"part": str(one), "same": one.same, "why": one.why, "place": one.place} for one in variants.parts
        ],
    }


def _json(one: PeriodDecision, columns: Sequence[Variable]) -> Json:
    return {
        "period": one.period,
        "verdict": _WORDS[one.verdict],
        "theorem": None if one.theorem is None else one.theorem.value,
        "premises": [record(premise, {"statement": "said"}) for premise in one.premises],
        "changes": list(one.changes),
        "searched": one.searched or None,
        "finer": None if one.finer is None else {"unit": str(one.finer[0])} | _json(one.finer[1], columns),
        "witness": None if one.witness is None else _json_witness(one.witness, columns),
    }


_WORDS = {
    EveryStream.ALWAYS: "always",
    EveryStream.NEVER: "never",
    EveryStream.STATIC: "static",
    EveryStream.OPEN: "open",
}


def _json_witness(found: StreamWitness, columns: Sequence[Variable]) -> Json:
    return {
        "stream": [json_triple(fact) for fact in found.facts],
        "static": [
            {**binding("spo", tuple(map(str, one[:3]))), "graph": str(one[3])} for one in found.static
        ],
        "to": found.timeline.last,
        "interval": {"from": found.period[0], "to": found.period[1]},
        "side": found.side,
        "row": binding(columns, found.row),
        "cause": found.cause,
    }
