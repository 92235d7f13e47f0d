"""The reports of `lars decide` about one or two queries and every stream: text, JSON and HTML."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from agreement.documents import outputs
from agreement.documents.dates import Dates
from agreement.documents.requests import sources
from agreement.proving.decide import AgreementQuestion, VariantClasses, never_agrees
from agreement.proving.decide.theorems import Theorem
from agreement.proving.decisions import CheckedPremise, Decision, EveryStream, Witness, all_hold
from agreement.results.renderings.pages.blocks import MOST_RANGES, lanes_json, page_blocks, stream_lanes
from agreement.results.renderings.pages.page import Page, legend_of
from lars.durations import Duration, TimedPoints
from lars.language.terms import Variable
from solver.facts import Fact
from translate.tau import columns

if TYPE_CHECKING:
    from agreement.proving.containment import PairQuery


def as_text(decisions: Sequence[Decision], variants: VariantClasses) -> Iterator[RenderableType]:
    """Yield the report as text: verdicts, premises, and an example stream for each kind of difference."""
    unit = variants.question.setting.unit
    yield from _verdicts(decisions, variants.question)
    yield "premises of the theorems: does each premise hold?"
    checked: dict[CheckedPremise, list[Decision]] = {}
    for decision in decisions:
        for premise in decision.premises:
            checked.setdefault(premise, []).append(decision)
    for premise, decided in checked.items():
        limit = "" if len(decided) == len(decisions) else f" for U = {_periods(decided)}"
        # Python has no flags: "option trigger" is right for both.
        place = premise.place.replace("--", "option ") if premise.place.startswith("--") else premise.place
        yield f"  {_HOLDS[premise.holds]:4} {premise.statement}{limit} ({place})"
    for decision, *_ in _groups(decisions):
        if decision.witness is not None:
            yield from _witness(decision.period, decision.witness, _dates(unit, decision.period))
    classes = list(_variants(variants))
    yield from classes
    # A reader of the output has no list of theorems.
    cited = (*(decision.why for decision in decisions), *(each.statement for each in checked), *classes)
    yield from _theorems_in("\n".join(cited))


def _theorems_in(text: str) -> Iterator[str]:
    """Yield the theorems that a text cites by their ids, each with its statement."""
    statements = [
        f"  {name}: {says}" for name, says in _STATEMENTS.items() if re.search(rf"\b{name}\b", text)
    ]
    yield from ["theorems", *statements] if statements else []


def _dates(unit: Duration, period: int) -> Dates:
    """Return the object that writes the time points of a found stream as texts."""
    return Dates(unit=unit, timed=isinstance(period, TimedPoints))


def _groups(decisions: Sequence[Decision]) -> Iterator[list[Decision]]:
    """Yield groups of consecutive pull periods with equal verdicts and reasons."""
    kinds = groupby(decisions, lambda one: (one.verdict, one.why, one.changes))
    return (list(group) for _, group in kinds)


def _verdicts(decisions: Sequence[Decision], question: AgreementQuestion) -> Iterator[RenderableType]:
    """Yield the verdict on each pull period with its reason, and any verdict with a finer time unit."""
    unit = question.setting.unit
    style = "bold red" if any(map(_differs, decisions)) else "bold"
    yield Text(_headline(decisions, question), style=style)
    yield f"push and pull on every stream, time in units of {unit}"
    table = Table("period U", "verdict", "reason", "another verdict requires")
    for group in _groups(decisions):
        first = group[0]
        table.add_row(_periods(group), _WORDS[first.verdict], first.why or "-", "; ".join(first.changes))
    yield table
    if all(decision.verdict == "never" for decision in decisions) and never_agrees(question):
        yield "for each period U, also outside this table, push and pull differ on some stream"
    if any(map(_differs, decisions)):
        yield "on other streams, push and pull may agree"
    for decision in decisions:
        if decision.finer is not None:
            finer, again = decision.finer
            then = "" if isinstance(decision.period, TimedPoints) else f" (then U = {again.period})"
            yield f"U = {decision.period} with a unit of {finer}{then}: {_WORDS[again.verdict]}"


def _with_finer(decisions: Sequence[Decision]) -> Iterator[Decision]:
    """Yield all decisions, also the decisions with a finer time unit."""
    for decision in decisions:
        yield decision
        if decision.finer is not None:
            yield decision.finer[1]


def _variants(classes: VariantClasses) -> Iterator[str]:
    """Yield the groups of equivalent CQELS queries that are derived from the C-SPARQL query.

    The brave reading of a part of the query matches only the stream; the cautious reading matches the stream
    or static data. For each part, a line contains the reason why its two readings are equal or not.
    """
    if not classes.parts:
        return
    count = len(classes.variants)
    parts = outputs.quantity(len(classes.parts), "part")
    yield (
        f"the C-SPARQL query has {parts}; each part matches only its stream (brave), or also static data "
        "(cautious)"
    )
    if len(classes.classes) == 1:
        # A stream above can be shown with other static data, if several sources can match a triple.
        assumed = "with static data as assumed below, " if classes.question.stock is None else ""
        every = "both" if count == 2 else f"all {count}"  # noqa: PLR2004 - a word for two
        yield f"{assumed}{every} possible CQELS queries have the same answers"
    else:
        is_proved = all(same.holds is not None for _, same in classes.parts)
        which = "different answers" if is_proved else "perhaps different answers"
        yield f"the {count} possible CQELS queries form {len(classes.classes)} groups with {which}"
    if len(classes.classes) > 1:
        yield from (f"  {' = '.join(f'({variant})' for variant in group)}" for group in classes.classes)
    for part, same in classes.parts:
        yield f"  {_SAME[same.holds]}: {part}: {same.statement} ({same.place})"


def as_json(decisions: Sequence[Decision], variants: VariantClasses) -> outputs.Json:
    """Return the report as a JSON document."""
    names = columns(variants.question.pair.csparql)
    return {
        "unit": str(variants.question.setting.unit),
        "profile": variants.question.setting.profile,
        "periods": [_json(decision, names) for decision in decisions],
        "variants": [[list(variant.choices) for variant in each] for each in variants.classes],
        "parts": [
            {"part": part, "same": same.holds, "why": same.statement, "place": same.place}
            for part, same in variants.parts
        ],
    }


def decision_page(
    head: Page, decisions: Sequence[Decision], variants: VariantClasses, document: Mapping[str, object]
) -> Page:
    """Return the content of the HTML report: verdicts by period, and premises with places in the query."""
    unit = variants.question.setting.unit
    periods = {
        verdict: [decision.period for decision in decisions if decision.verdict == verdict]
        for verdict in _NAMES
    }
    static = _static_shown(decision for decision in decisions if decision.verdict == "not always")
    sentences = (
        f"{_WORDS[verdict]}{f' {static}' if verdict == 'not always' else ''} for U = "
        f"{outputs.number_ranges(own, MOST_RANGES)}"
        for verdict, own in periods.items()
        if own
    )
    answer = f"Push and pull: {'; '.join(sentences)}."
    premises = dict.fromkeys(premise for decision in decisions for premise in decision.premises)
    bar = groupby(decisions, lambda decision: decision.verdict)
    page: outputs.Json = {
        "bar": [_stretch(list(own)) for _, own in bar],
        "theorems": _theorems(decisions),
        "streams": [
            _stream(decision.period, decision.witness, _dates(unit, decision.period))
            for decision in _first_of_each(decisions)
        ],
        "marks": [_square(verdict) for verdict, own in periods.items() if own],
        "blocks": page_blocks([*_verdicts(decisions, variants.question), *_variants(variants)]),
        "premises": [_premise_json(premise) for premise in premises],
        "query": variants.question.places.text.rstrip("\n").split("\n"),
    }
    return replace(head, answer=answer, template="decide", document=document, page=page)


_STATEMENTS: Final = {
    "A4": "Assume: the query is monotone, its windows contain each triple from the arrival on, and any input "
    "makes push evaluate. Then push and pull agree on every stream only if U = 1 and each disjunct has a NOW "
    "window.",
    "A5": "Assume: only matching input makes push evaluate, and the query has one stream pattern. Then push "
    "and pull agree on every stream if one pull sees each match.",
    "A6": "If each pattern can match triples of only one source, C-SPARQL and all derived CQELS queries have "
    "the same answers.",
    "A7": "A smallest stream with a difference has at most one triple more than a disjunct has stream "
    "patterns. A search of all streams up to this size is therefore complete.",
    "G1": "If each solution needs a match in a NOW window, push and pull agree on every stream for U = 1, "
    "even if the query is not monotone.",
    "G5": "If push and pull differ on a stream without static data, they differ on a stream with new names, "
    "with any static data.",
}
"""The theorems that verdicts and premises cite, by their ids."""
_SAME: Final = {
    True: "brave and cautious have the same answers",
    False: "brave and cautious differ",
    None: "open",
}
_MOST_STATIC: Final = 9
"""The maximum number of static triples that are shown with a stream."""


_SAID: Final = {
    "always": "push and pull agree on every stream",
    "never": "push and pull differ on some stream",
    "depends on the static data": "whether push and pull agree depends on the static data",
    "not always": "push and pull differ on some stream, {static}",
    "open": "it is open whether push and pull agree on every stream",
}


_WORDS: Final[Mapping[EveryStream, str]] = {
    "always": "agree on every stream",
    "never": "differ on some stream",
    "depends on the static data": "depends on the static data",
    "not always": "differ on some stream",
    "open": "open",
}
"""The verdicts in words: push and pull ..."""


def _static_shown(decisions: Iterable[Decision]) -> str:
    """Return the words about static data for streams with a difference, which may be shown without any."""
    shown = any(decision.witness is not None and decision.witness.triples for decision in decisions)
    return "with the static data shown below" if shown else "without static data"


def _differs(decision: Decision) -> bool:
    return decision.verdict in ("never", "not always")


def _headline(decisions: Sequence[Decision], question: AgreementQuestion) -> str:
    """Return a sentence with all verdicts; verdicts of disagreement come first."""
    by_verdict: dict[EveryStream, list[Decision]] = {}
    for decision in sorted(decisions, key=lambda decision: not _differs(decision)):
        by_verdict.setdefault(decision.verdict, []).append(decision)
    sentences = {
        verdict: _SAID[verdict].format(static=_static_shown(group)) for verdict, group in by_verdict.items()
    }
    if "never" in sentences:
        static = "for all static data" if question.stock is None else "with the given static data"
        sentences["never"] = f"{static}, {sentences['never']}"
    if any(_assumes_sources(decision, question) for decision in decisions):
        sentences["always"] += ", if each triple comes from the source of its own pattern"
    return "; ".join(f"U = {_periods(group)}: {sentences[each]}" for each, group in by_verdict.items())


def _assumes_sources(decision: Decision, question: AgreementQuestion) -> bool:
    """Return whether a verdict assumes that a pattern matches only triples from the pattern's source.

    A verdict can assume this only if push and pull always agree, and the query has several sources (theorem
    A6).
    """
    always = decision.verdict == "always" and decision.why != Theorem.NOTHING.value
    many = len(sources(question.pair.cqels)) + question.reads_static > 1
    return always and many and question.overlap is None


def _periods(group: Sequence[Decision]) -> str:
    return outputs.number_ranges(sorted(decision.period for decision in group))


def _witness(period: int, witness: Witness, dates: Dates) -> Iterator[str]:
    when = f"U = {period}, in {dates.period(witness.start, witness.end)}"
    yield f"a stream on which push and pull differ for {when}: {_row_alone(witness)}"
    yield from (f"  {line}" for line in _arrivals(witness.facts, dates) or ["nothing arrives"])
    yield from (
        f"  {line} (graph {graph})" for line, graph in _static_triples(witness.triples[:_MOST_STATIC])
    )
    yield from (f"  {line}" for line in _more_static(witness))


def _row_alone(witness: Witness) -> str:
    """Return a text with the row that only one side reports, and with the cause."""
    row = ", ".join(map(outputs.retypable, witness.row))
    return f"only {_side(witness)} reports ({row}); cause: {witness.remark}"


def _side(witness: Witness) -> str:
    return "push" if witness.left_only else "pull"


def _arrivals(facts: Iterable[Fact], dates: Dates) -> list[str]:
    """Return a line of text for each triple that arrives."""
    lines = []
    for fact in facts:
        *triple, stream = map(outputs.retypable, fact.arguments)
        lines.append(f"{dates.text(fact.t)}: {' '.join(triple)} (stream {stream})")
    return lines


def _static_triples(quads: Iterable[tuple[str, ...]]) -> Iterator[tuple[str, str]]:
    """Yield a line of text for each static triple, with its graph."""
    return ((f"static: {' '.join(map(outputs.retypable, triple))}", graph) for *triple, graph in quads)


def _more_static(witness: Witness) -> list[str]:
    left = len(witness.triples) - _MOST_STATIC
    more = outputs.quantity(left, "more static triple")
    return [f"… and {more}; the JSON document lists all static triples"] if left > 0 else []


def _json(decision: Decision, columns: Sequence[Variable]) -> outputs.Json:
    return {
        "period": decision.period,
        "verdict": _NAMES[decision.verdict],
        "theorem": None if decision.holds is None else decision.why,
        "premises": [outputs.record(premise, {"statement": "said"}) for premise in decision.premises],
        "changes": list(decision.changes),
        "searched": decision.why or None if decision.holds is None else None,
        "finer": None
        if decision.finer is None
        else {"unit": str(decision.finer[0])} | _json(decision.finer[1], columns),
        "witness": None if decision.witness is None else _json_witness(decision.witness, columns),
    }


def _json_witness(witness: Witness, columns: Sequence[Variable]) -> outputs.Json:
    return {
        "stream": [outputs.json_triple(fact) for fact in witness.facts],
        "static": _static_json(witness.triples),
        "to": witness.timeline.last,
        "interval": {"from": witness.start, "to": witness.end},
        "side": _side(witness),
        "row": outputs.binding(columns, witness.row),
        "cause": witness.remark,
    }


def _static_json(quads: Iterable[tuple[str, ...]]) -> list[outputs.Json]:
    return [{**outputs.binding("spo", quad[:3]), "graph": quad[3]} for quad in quads]


_STREAMS: Final = 4
_RANGES: Final = 4
_LINE: Final = re.compile(r":(\d+):\d+$")
_NAMES: Final[Mapping[EveryStream, str]] = {
    "always": "always",
    "never": "never",
    "depends on the static data": "static",
    "not always": "some",
    "open": "open",
}
"""The names of the verdicts in JSON and in HTML reports."""
_SQUARES: Final = {
    "always": "✓",
    "never": "✗",
    "depends on the static data": "±",
    "not always": "✗",
    "open": "?",
}


def _square(verdict: EveryStream) -> outputs.Json:
    return {"mark": _SQUARES[verdict], "word": _WORDS[verdict], "kind": _NAMES[verdict]}


def _stretch(own: Sequence[Decision]) -> outputs.Json:
    """Return consecutive pull periods with one verdict, and their number: the width of their bar."""
    periods = outputs.number_ranges([decision.period for decision in own], _RANGES)
    return {"periods": periods, "count": len(own)} | _square(own[0].verdict)


def _theorems(verdicts: Sequence[Decision]) -> list[tuple[str, str]]:
    """Return the theorems that prove the verdicts, each with its statement."""
    named = dict.fromkeys(decision.why for decision in verdicts if decision.holds is not None)
    return [
        (name, says) for name in named for theorem, says in legend_of(name) if theorem in name.split(",")[0]
    ]


def _first_of_each(verdicts: Sequence[Decision]) -> list[Decision]:
    """Return the first period of each group of periods with equal verdicts and reasons."""
    decisions: dict[tuple[object, ...], Decision] = {}
    for decision in verdicts:
        if decision.witness is not None:
            decisions.setdefault((decision.verdict, decision.why), decision)
    return list(decisions.values())[:_STREAMS]


def _stream(period: int, witness: Witness | None, dates: Dates) -> outputs.Json:
    assert witness is not None, "only periods with a stream are drawn"
    begin, end = witness.start, witness.end
    title = f"U = {period}, {dates.period(begin, end)}: {_row_alone(witness)}"
    arrivals = ((fact.t, fact.arguments[-1], fact.arguments[:-1]) for fact in witness.facts)
    pulls = [(float(t), "pull", "pull evaluates") for t in {begin, end}]
    times = [fact.t for fact in witness.facts]
    ends = min([begin, *times]), max([end, *times])
    drawn = [*stream_lanes(arrivals, "push"), ("pull", pulls)]
    static = [line for line, _ in _static_triples(witness.triples[:_MOST_STATIC])]
    listed = [*_arrivals(witness.facts, dates), *static, *_more_static(witness)] or ["nothing arrives"]
    return lanes_json(title, drawn, ends, dates.text, (begin, end)) | {"said": listed}


def _premise_json(premise: CheckedPremise) -> outputs.Json:
    line = _LINE.search(premise.place)
    return {
        "holds": premise.holds,
        "said": premise.statement,
        "place": premise.place.rpartition("/")[2],
        "line": None if line is None else int(line[1]),
    }


Direction = tuple["PairQuery", "PairQuery", Decision]
"""A query, a query whose answers may contain the answers of the first query, and the decision on this."""


def containment_text(containments: Sequence[Direction], files: Sequence[str]) -> Iterator[str]:
    """Yield each direction's verdict, refuting data, and any different verdict with a finer time unit."""
    from agreement.proving.containment.canonical import in_unit

    if any(_timed(one, other) for one, other, _ in containments):
        one, other, _ = containments[0]
        how = f"time in units of {one.setting.unit}; profile {one.setting.profile}"
        yield f"{_evaluated(one, other)}; {how}"
    for (query, other, containment), (mine, theirs) in zip(containments, (files, files[::-1]), strict=False):
        verdict = f"{_HOLDS[containment.holds]}{_only_then(query, containment)} ({containment.why})"
        yield f"{_subject(query, mine)} is also {_object(other, theirs)}: {verdict}"
        yield from _data(query, other, containment, mine)
        if containment.finer is not None:
            unit, again = containment.finer
            yield f"  with a unit of {unit}: {_HOLDS[again.holds]} ({again.why})"
            yield from _data(in_unit(query, unit), in_unit(other, unit), again, mine)


def _evaluated(one: "PairQuery", other: "PairQuery") -> str:
    """Return the times that a verdict on containment is about, as text."""
    from agreement.proving.containment import evaluation_period

    if {one.operator, other.operator} == {"RSTREAM"}:
        return "compared at every time point of every stream, even if no engine evaluates at this time"
    if (period := evaluation_period(one, other)) is None:
        return "compared at each evaluation on every stream, if each arriving triple triggers both queries"
    length = Duration(period * one.setting.unit.nanoseconds)
    times = f"if both queries are evaluated every {length} from time 0"
    return f"compared at each evaluation on every stream, {times}"


def _only_then(query: "PairQuery", containment: Decision) -> str:
    """Return a text that restricts a verdict to the time unit, if a finer unit has another verdict."""
    if containment.finer is None or containment.finer[1].holds == containment.holds:
        return ""
    unit, again = containment.finer
    return f" with a unit of {query.setting.unit}, but {_HOLDS[again.holds]} with a unit of {unit}"


def _timed(one: "PairQuery", other: "PairQuery") -> bool:
    return any(sources(query.query) for query in (one, other))


def _subject(query: "PairQuery", file: str) -> str:
    if query.operator == "RSTREAM":
        return f"each answer of {file}"
    return f"each row that {query.operator} of {file} reports"


def _object(query: "PairQuery", file: str) -> str:
    if query.operator == "RSTREAM":
        return f"an answer of {file}"
    return f"a row that {query.operator} of {file} reports"


def _data(query: "PairQuery", other: "PairQuery", containment: Decision, mine: str) -> Iterator[str]:
    if (against := containment.witness) is None:
        return
    dates = Dates(unit=query.setting.unit, timed=True)
    before = "" if against.before is None else f" (previous evaluation: {dates.text(against.before)})"
    when = f"at {dates.text(against.end)}{before}, " if _timed(query, other) else ""
    row = ", ".join(map(outputs.retypable, against.row))
    yield f"  {when}only {mine} reports ({', '.join(map(str, query.result))}) = ({row})"
    yield from (f"  {line}" for line in _arrivals(against.facts, dates))
    yield from (f"  {line} (graph {graph})" for line, graph in _static_triples(against.triples))


_HOLDS: Final = {True: "yes", False: "no", None: "open"}


def containment_json(containments: Sequence[Direction], files: Sequence[str]) -> outputs.Json:
    """Return the report as a JSON document, in which null stands for an open verdict."""
    return {
        "unit": str(containments[0][0].setting.unit),
        "profile": containments[0][0].setting.profile,
        "evaluated": _evaluated(*containments[0][:2]),
        "contained" if len(containments) == 1 else "equivalent": all_hold(
            [containment for *_, containment in containments]
        ),
        "directions": [
            {
                "of": mine,
                "in": theirs,
                **_containment_json(query, containment),
                "finer": None
                if containment.finer is None
                else {"unit": str(containment.finer[0]), **_containment_json(query, containment.finer[1])},
            }
            for (query, _, containment), (mine, theirs) in zip(
                containments, (files, files[::-1]), strict=False
            )
        ],
    }


def _containment_json(query: "PairQuery", containment: Decision) -> outputs.Json:
    against = containment.witness
    return {
        "contained": containment.holds,
        "why": containment.why,
        "against": None
        if against is None
        else {
            "t": against.end,
            "before": against.before,
            "row": outputs.binding(query.result, against.row),
            "stream": [outputs.json_triple(fact) for fact in against.facts],
            "static": _static_json(against.triples),
        },
    }
