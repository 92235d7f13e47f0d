"""The report of `lars decide --delay`, as text and JSON."""

from collections.abc import Iterator
from typing import Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from agreement.documents import outputs
from agreement.documents.dates import Dates
from agreement.documents.requests import SIDES, Side
from agreement.proving.disjuncts import arrival
from agreement.proving.lateness import (
    KINDS,
    ChangeKind,
    Decisions,
    LateArrival,
    LatenessDecision,
    LatenessQuestion,
    LateWitness,
)
from lars.durations import Duration
from translate.tau import columns

_SAID: dict[ChangeKind, str] = {
    "lost": "a row is missing in its period",
    "lost for good": "a row is missing in its period and in all later periods",
    "invented": "a row is reported that is not an answer on time in this or an earlier period",
}


def as_text(decisions: Decisions, question: LatenessQuestion) -> Iterator[RenderableType]:
    """Yield the verdicts, and an example stream for each kind of change that is possible."""
    verdicts = {decision.verdict for kinds in decisions.values() for decision in kinds.values()}
    yield Text(headline(decisions, question), style="bold red" if "possible" in verdicts else "bold")
    lengths = {"delay at most": question.delay, "wait of pull": question.wait, "period U": question.period}
    unit = question.agreement.setting.unit
    listed = ", ".join(f"{name} {_length(question, points)}" for name, points in lengths.items())
    yield f"on every stream: {listed}; time in units of {unit}"
    table = Table("side", "rows", "verdict", "reason", "on no stream if")
    for side in SIDES:
        for kind in KINDS:
            decision = decisions[side][kind]
            table.add_row(side, kind, _WORDS[decision.verdict], decision.why, _never_if(decision, question))
    yield table
    for side in SIDES:
        for kind in KINDS:
            if (witness := decisions[side][kind].witness) is not None:
                yield from _stream(side, kind, witness, question)


_WORDS: Final = {"never": "on no stream", "possible": "on some stream", "open": "open"}
"""The verdicts in words: whether late data cause a change on a stream."""


def headline(decisions: Decisions, question: LatenessQuestion) -> str:
    """Return a sentence about push and a sentence about pull, or one sentence about both."""
    push, pull = (_sentence(decisions, side, question) for side in SIDES)
    return f"push and pull: {push}" if push == pull else f"push: {push}; pull: {pull}"


def _sentence(decisions: Decisions, side: Side, question: LatenessQuestion) -> str:
    by_verdict: dict[str, list[str]] = {}
    for kind, decision in decisions[side].items():
        by_verdict.setdefault(decision.verdict, []).append(kind)
    delay = _length(question, question.delay)
    if set(by_verdict) == {"never"}:
        return f"a delay of at most {delay} changes no answer on any stream"
    texts = {
        "possible": f"with a delay of at most {delay}, rows can be {{}}",
        "never": "rows are never {}",
        "open": "it is open whether rows can be {}",
    }
    said = {verdict: " or ".join(kinds) for verdict, kinds in by_verdict.items()}
    return ", and ".join(text.format(said[verdict]) for verdict, text in texts.items() if verdict in said)


def _length(question: LatenessQuestion, points: int) -> str:
    return str(Duration(points * question.agreement.setting.unit.nanoseconds)) if points else "0"


def _never_if(decision: LatenessDecision, question: LatenessQuestion) -> str:
    wait, length = decision.least_wait, decision.least_length
    texts = []
    if wait is not None and wait > question.wait:
        texts.append(f"the wait is at least {_length(question, wait)}")
    if length is not None and decision.verdict == "possible":
        texts.append(f"the window has at least {_length(question, length)}")
    return ", or ".join(texts)


def _stream(side: Side, kind: ChangeKind, witness: LateWitness, question: LatenessQuestion) -> Iterator[str]:
    dates = Dates(unit=question.agreement.setting.unit, timed=True)
    row = ", ".join(map(outputs.retypable, witness.row))
    yield f"{side}, {kind}: in {dates.period(witness.start, witness.end)} {_SAID[kind]}: ({row})"
    for t, came, quad in sorted(witness.stream, key=lambda each: each[:2]):
        *triple, stream = map(outputs.retypable, map(str, quad))
        late = f", arrives at {dates.text(came)}" if came > t else ""
        yield f"  {dates.text(t)}: {' '.join(triple)} (stream {stream}){late}"
    yield from (
        f"  static: {' '.join(map(outputs.retypable, map(str, quad[:3])))}" for quad in witness.static
    )


def as_json(decisions: Decisions, question: LatenessQuestion) -> outputs.Json:
    """Return the report as a JSON document; all lengths and times are time points."""
    return {
        "unit": str(question.agreement.setting.unit),
        "period": question.period,
        "delay": question.delay,
        "wait": question.wait,
        "late": {side: _side_json(decisions, side, question) for side in SIDES},
    }


def _side_json(decisions: Decisions, side: Side, question: LatenessQuestion) -> outputs.Json:
    kinds = {kind.replace(" ", "_"): decision for kind, decision in decisions[side].items()}
    found = {name: decision.witness for name, decision in kinds.items() if decision.witness is not None}
    return {
        **{name: decision.verdict for name, decision in kinds.items()},
        "why": {name: decision.why for name, decision in kinds.items()},
        "least_wait": {name: decision.least_wait for name, decision in kinds.items()},
        "least_length": kinds["lost_for_good"].least_length,
        "streams": {name: _witness_json(witness, question) for name, witness in found.items()},
    }


def _witness_json(witness: LateWitness, question: LatenessQuestion) -> outputs.Json:
    return {
        "stream": [_arrival_json(each) for each in sorted(witness.stream, key=lambda each: each[:2])],
        "static": [
            {**outputs.binding("spo", tuple(map(str, quad[:3]))), "graph": str(quad[3])}
            for quad in witness.static
        ],
        "interval": {"from": witness.start, "to": witness.end},
        "row": outputs.binding(columns(question.agreement.pair.csparql), witness.row),
    }


def _arrival_json(each: LateArrival) -> outputs.Json:
    t, came, quad = each
    return {**outputs.json_triple(arrival(t, quad)), "arrival": came}
