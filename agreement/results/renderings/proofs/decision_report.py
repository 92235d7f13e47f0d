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


def as_text(decisions: Sequence[PeriodDecision], unit: Duration) -> Iterator[RenderableType]:
    """Yield the report for readers: the verdict of each period, what it rests on, a stream for each kind."""
    yield Text(_headline(decisions), style="bold red" if any(map(_differs, decisions)) else "bold")
    yield f"push and pull on every stream, time in units of {unit}"
    table = Table("period U", "verdict", "rests on", "what would change it")
    groups = [list(group) for _, group in groupby(decisions, _kind)]
    for group in groups:
        decision = group[0]
        theorem = (decision.searched or "-") if decision.theorem is None else decision.theorem.value
        table.add_row(_periods(group), decision.verdict.value, theorem, "; ".join(decision.changes))
    yield table
    yield from (
        _in_finer(period_decision) for period_decision in decisions if period_decision.finer is not None
    )
    yield "what was checked"
    checked: dict[CheckedPremise, list[PeriodDecision]] = {}
    for decision in decisions:
        for premise in decision.premises:
            checked.setdefault(premise, []).append(decision)
    for premise, decided in checked.items():
        yield _premise(premise, [] if len(decided) == len(decisions) else decided)
    for group in groups:
        if (witness := group[0].witness) is not None:
            yield from _witness(group[0].period, witness)


_MOST_STATIC: Final = 9
"""Of more static triples of a stream's background these are shown."""


def _kind(decision: PeriodDecision) -> tuple[object, ...]:
    return decision.verdict, decision.theorem, decision.searched, decision.changes


_SAID: Final = {
    EveryStream.ALWAYS: "push and pull agree on every stream",
    EveryStream.NEVER: "there is a stream on which push and pull differ",
    EveryStream.STATIC: "whether push and pull agree depends on the static data",
    EveryStream.OPEN: "it is open whether push and pull agree on every stream",
}


def _differs(decision: PeriodDecision) -> bool:
    return decision.verdict is EveryStream.NEVER


def _headline(decisions: Sequence[PeriodDecision]) -> str:
    """Return the verdicts in one sentence, those that differ first."""
    ordered = sorted(decisions, key=lambda decision: not _differs(decision))
    groups = [list(group) for _, group in groupby(ordered, lambda decision: decision.verdict)]
    sentences = {group[0].verdict: f"U = {_periods(group)}: {_SAID[group[0].verdict]}" for group in groups}
    return "; ".join(sentences.values())


def _in_finer(decision: PeriodDecision) -> str:
    assert decision.finer is not None
    unit, again = decision.finer
    return f"U = {decision.period} with a unit of {unit}, U = {again.period} then: {again.verdict.value}"


def _periods(group: Sequence[PeriodDecision]) -> str:
    return number_ranges(sorted(decision.period for decision in group))


def _premise(premise: CheckedPremise, only: Sequence[PeriodDecision]) -> str:
    limit = f" for U = {_periods(only)}" if only else ""
    return f"  {'yes' if premise.holds else 'no '}  {premise.statement}{limit} ({premise.place})"


def _witness(period: int, witness: StreamWitness) -> Iterator[str]:
    begin, end = witness.period
    sentence = f"{witness.side} alone has ({', '.join(map(short, witness.row))}), {witness.cause}"
    yield f"a stream on which they differ for U = {period}, in ({begin}, {end}]: {sentence}"
    for fact in witness.facts:
        *triple, stream = map(short, fact.arguments)
        yield f"  {fact.t}: {' '.join(triple)} on {stream}"
    if not witness.facts:
        yield "  nothing arrives"
    for subject, predicate, object_, graph in witness.static[:_MOST_STATIC]:
        yield f"  static: {' '.join(short(str(term)) for term in (subject, predicate, object_))} in {graph}"
    if len(witness.static) > _MOST_STATIC:
        yield f"  … and {len(witness.static) - _MOST_STATIC} more static triples: --json lists them"


def variants_text(classes: VariantClasses) -> Iterator[str]:
    """Yield which of the CQELS queries are the same, and the premise for each choice."""
    if not classes.parts:
        return
    count = len(classes.variants)
    different = f"{len(classes.classes)} {'query' if len(classes.classes) == 1 else 'queries'}"
    yield f"brave or cautious for each of {len(classes.parts)} parts: {count} CQELS queries are {different}"
    if len(classes.classes) > 1:
        yield from (f"  {' = '.join(f'({variant})' for variant in group)}" for group in classes.classes)
    for choice in classes.parts:
        yield f"  {_SAME[choice.same]}: {choice}: {choice.why} ({choice.place})"


_SAME = {True: "brave and cautious are one", False: "they differ", None: "open"}


def as_json(
    decisions: Sequence[PeriodDecision], variants: VariantClasses, unit: Duration, columns: Sequence[Variable]
) -> Json:
    """Return the report for machines."""
    return {
        "unit": str(unit),
        "periods": [_json(decision, columns) for decision in decisions],
        "variants": [
            [[choice.value for choice in variant.choices] for variant in each] for each in variants.classes
        ],
        "parts": [
            {"part": str(choice), "same": choice.same, "why": choice.why, "place": choice.place}
            for choice in variants.parts
        ],
    }


def _json(decision: PeriodDecision, columns: Sequence[Variable]) -> Json:
    return {
        "period": decision.period,
        "verdict": _WORDS[decision.verdict],
        "theorem": None if decision.theorem is None else decision.theorem.value,
        "premises": [record(premise, {"statement": "said"}) for premise in decision.premises],
        "changes": list(decision.changes),
        "searched": decision.searched or None,
        "finer": None
        if decision.finer is None
        else {"unit": str(decision.finer[0])} | _json(decision.finer[1], columns),
        "witness": None if decision.witness is None else _json_witness(decision.witness, columns),
    }


_WORDS = {
    EveryStream.ALWAYS: "always",
    EveryStream.NEVER: "never",
    EveryStream.STATIC: "static",
    EveryStream.OPEN: "open",
}


def _json_witness(witness: StreamWitness, columns: Sequence[Variable]) -> Json:
    return {
        "stream": [json_triple(fact) for fact in witness.facts],
        "static": [
            {**binding("spo", tuple(map(str, quad[:3]))), "graph": str(quad[3])} for quad in witness.static
        ],
        "to": witness.timeline.last,
        "interval": {"from": witness.period[0], "to": witness.period[1]},
        "side": witness.side,
        "row": binding(columns, witness.row),
        "cause": witness.cause,
    }
