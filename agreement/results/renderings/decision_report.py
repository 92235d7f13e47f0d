"""What is decided for every stream, of one query and of two: text, JSON, the page of `lars decide`."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from agreement.documents.outputs import Json, binding, json_triple, number_ranges, range_text, record, short
from agreement.documents.requests import sources
from agreement.proving.containment import Containment, FinerUnit, Holds, OneQuery
from agreement.proving.containment.canonical import in_unit
from agreement.proving.decide import (
    CheckedPremise,
    EveryStream,
    PeriodDecision,
    StreamWitness,
    VariantClasses,
)
from agreement.results.renderings.pages.blocks import MOST_RANGES, Lane, lanes_json, page_blocks
from agreement.results.renderings.pages.page import Page, PageHead, legend_of
from lars.durations import Duration
from lars.language.terms import Variable
from translate.model.query import ToStream


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


_STREAMS: Final = 4
_STATIC: Final = 9
_LINE: Final = re.compile(r":(\d+):\d+$")
_CHECKED: Final = re.compile(r"what was checked$|  (yes|no ) ")
_SQUARES: Final = {
    EveryStream.ALWAYS: "✓",
    EveryStream.NEVER: "✗",
    EveryStream.STATIC: "±",
    EveryStream.OPEN: "?",
}


@dataclass(frozen=True, slots=True)
class DecideContent:
    """What was asked, of which query's text, and what was found, as values and as it is printed."""

    title: str
    text: str
    verdicts: Sequence[PeriodDecision]
    holds: bool | None
    parts: Sequence[RenderableType]


def decide_page(content: DecideContent, document: Mapping[str, object], notes: Sequence[str]) -> Page:
    """Return the page."""
    question = "Do push and pull agree on every stream?"
    sentences = [
        f"{verdict.value} for U = {number_ranges(periods, MOST_RANGES)}"
        for verdict in EveryStream
        if (periods := [decision.period for decision in content.verdicts if decision.verdict is verdict])
    ]
    answer = f"Agreement on every stream: {'; '.join(sentences)}."
    premises = list(dict.fromkeys(premise for decision in content.verdicts for premise in decision.premises))
    others = list(_without_streams(part for part in content.parts if not _CHECKED.match(str(part))))
    page: Json = {
        "bar": [
            _stretch(list(own)) for _, own in groupby(content.verdicts, lambda decision: decision.verdict)
        ],
        "theorems": _theorems(content.verdicts),
        "streams": [
            _stream(decision.period, decision.witness) for decision in _first_of_each(content.verdicts)
        ],
        "marks": [
            _square(stream)
            for stream in EveryStream
            if any(decision.verdict is stream for decision in content.verdicts)
        ],
        "blocks": page_blocks(others),
        "premises": [_premise_json(premise) for premise in premises],
        "query": content.text.rstrip("\n").split("\n"),
    }
    return Page(PageHead(content.title, question, content.holds, answer, notes), "decide", document, page)


def _without_streams(parts: Iterable[RenderableType]) -> Iterator[RenderableType]:
    """Yield what is printed but for streams, which are drawn."""
    inside = False
    for part in parts:
        sentence = part if isinstance(part, str) else ""
        inside = sentence.startswith("a stream on which they differ") or (
            inside and sentence.startswith("  ")
        )
        if not inside:
            yield part


def _square(verdict: EveryStream) -> Json:
    return {"mark": _SQUARES[verdict], "word": verdict.value, "kind": verdict.name.lower()}


def _stretch(own: Sequence[PeriodDecision]) -> Json:
    """Return periods in a row of one verdict, as wide as they are many."""
    return {"periods": range_text(own[0].period, own[-1].period), "count": len(own)} | _square(own[0].verdict)


def _theorems(verdicts: Sequence[PeriodDecision]) -> list[tuple[str, str]]:
    """Return each theorem that a verdict rests on, with what it says."""
    named = dict.fromkeys(decision.theorem.value for decision in verdicts if decision.theorem is not None)
    return [
        (name, says) for name in named for theorem, says in legend_of(name) if theorem in name.split(",")[0]
    ]


def _first_of_each(verdicts: Sequence[PeriodDecision]) -> list[PeriodDecision]:
    """Return of the periods whose streams differ alike, as in the text, the first few."""
    decisions: dict[tuple[object, ...], PeriodDecision] = {}
    for decision in verdicts:
        if decision.witness is not None:
            decisions.setdefault((decision.verdict, decision.theorem), decision)
    return list(decisions.values())[:_STREAMS]


def _stream(period: int, witness: StreamWitness | None) -> Json:
    assert witness is not None, "only periods with a stream are drawn"
    begin, end = witness.period
    lanes: dict[str, list[tuple[float, str, str]]] = {}
    for fact in witness.facts:
        *triple, stream = map(short, fact.arguments)
        lanes.setdefault(stream, []).append((fact.t, "push", " ".join(triple)))
    row = f"({', '.join(map(short, witness.row))})"
    title = f"U = {period}, ({begin}, {end}]: {witness.side} alone has {row}, {witness.cause}"
    pulls = [(float(t), "pull", "pull evaluates") for t in {begin, end}]
    times = [fact.t for fact in witness.facts]
    ends = min([begin, *times]), max([end, *times])
    drawn = [*(Lane(name, marks) for name, marks in lanes.items()), Lane("pull", pulls)]
    listed = []
    for fact in witness.facts:
        *triple, stream = map(short, fact.arguments)
        listed.append(f"{fact.t}: {' '.join(triple)} on {stream}")
    listed += [
        f"static: {' '.join(short(str(term)) for term in row[:3])}" for row in witness.static[:_STATIC]
    ]
    if len(witness.static) > _STATIC:
        listed.append(f"… and {len(witness.static) - _STATIC} more static triples: --json lists them")
    return lanes_json(title, drawn, ends, period=witness.period) | {"said": listed or ["nothing arrives"]}


def _premise_json(premise: CheckedPremise) -> Json:
    line = _LINE.search(premise.place)
    return {
        "holds": premise.holds,
        "said": premise.statement,
        "place": premise.place.rpartition("/")[2],
        "line": None if line is None else int(line[1]),
    }


Direction = tuple[OneQuery, OneQuery, Containment]
"""A query, the one that its answers are looked for in, and what was found."""


def containment_text(containments: Sequence[Direction], files: Sequence[str]) -> Iterator[str]:
    """Yield the report for readers: each direction, the data that refute it, a unit that changes it."""
    if any(_timed(one, other) for one, other, _ in containments):
        yield f"at every time of every stream, time in units of {containments[0][0].setting.unit}"
    for (query, other, containment), (mine, theirs) in zip(containments, _names_of(files), strict=False):
        verdict = f"{_ANSWERS[containment.holds]} ({containment.why})"
        yield f"{_subject(query, mine)} is one of {_whose(other, theirs)}: {verdict}"
        yield from _data(query, other, containment, mine)
        if containment.finer is not None:
            unit, again = containment.finer.unit, containment.finer.containment
            yield f"  with a unit of {unit}: {_ANSWERS[again.holds]} ({again.why})"
            yield from _data(in_unit(query, unit), in_unit(other, unit), again, mine)


def _timed(one: OneQuery, other: OneQuery) -> bool:
    return any(sources(query.query) for query in (one, other))


def _subject(query: OneQuery, file: str) -> str:
    return (
        f"each answer of {file}"
        if query.operator is ToStream.RSTREAM
        else f"what {_whose(query, file)} reports"
    )


def _whose(query: OneQuery, file: str) -> str:
    return file if query.operator is ToStream.RSTREAM else f"{query.operator.value} of {file}"


def _data(query: OneQuery, other: OneQuery, containment: Containment, mine: str) -> Iterator[str]:
    if (against := containment.against) is None:
        return
    when = f"at {_time(against.t, query)} " if _timed(query, other) else ""
    if against.before is not None:
        when = f"{when}(evaluated before at {_time(against.before, query)}) "
    row = ", ".join(map(short, against.row))
    yield f"  {when}{mine} alone has the row ({row}) of ({', '.join(map(str, query.result))})"
    for fact in against.facts:
        *triple, stream = map(short, fact.arguments)
        yield f"  {_time(fact.t, query)}: {' '.join(triple)} on {stream}"
    for subject, predicate, object_, graph in against.static:
        stored = (subject, predicate, object_)
        yield f"  static: {' '.join(short(str(term)) for term in stored)} in {graph}"


def _time(t: int, query: OneQuery) -> str:
    unit = query.setting.unit
    return f"0{str(unit).lstrip('0123456789')}" if t == 0 else str(Duration(t * unit.nanoseconds))


def _names_of(files: Sequence[str]) -> Sequence[Sequence[str]]:
    return files, files[::-1]


_ANSWERS = {Holds.YES: "yes", Holds.NO: "no", Holds.OPEN: "open"}
_VALUES = {Holds.YES: True, Holds.NO: False, Holds.OPEN: None}


def containment_json(containments: Sequence[Direction], files: Sequence[str]) -> Json:
    """Return the report for machines: null is open."""
    directions = [
        {
            "of": mine,
            "in": theirs,
            "contained": _VALUES[containment.holds],
            "why": containment.why,
            "against": _containment_json(query, containment),
            "finer": None if containment.finer is None else _finer(query, containment.finer),
        }
        for (query, _, containment), (mine, theirs) in zip(containments, _names_of(files), strict=False)
    ]
    verdicts = {containment.holds for _, _, containment in containments}
    whole = next(
        (value for holds, value in _VALUES.items() if holds in verdicts and holds is not Holds.YES), True
    )
    unit = str(containments[0][0].setting.unit)
    return {
        "unit": unit,
        "contained" if len(containments) == 1 else "equivalent": whole,
        "directions": directions,
    }


def _finer(query: OneQuery, finer: FinerUnit) -> Json:
    containment = finer.containment
    return {
        "unit": str(finer.unit),
        "contained": _VALUES[containment.holds],
        "why": containment.why,
        "against": _containment_json(query, containment),
    }


def _containment_json(query: OneQuery, containment: Containment) -> Json | None:
    if (against := containment.against) is None:
        return None
    return {
        "t": against.t,
        "before": against.before,
        "row": binding(query.result, against.row),
        "stream": [json_triple(fact) for fact in against.facts],
        "static": [
            {**binding("spo", tuple(map(str, triple))), "graph": str(graph)}
            for *triple, graph in against.static
        ],
    }
