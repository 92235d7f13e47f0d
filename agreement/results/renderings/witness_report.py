"""The reports of `lars witness` and `lars shrink` as text and JSON."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from rich.console import RenderableType

from agreement.comparing.agree.agreeing import RowFilter
from agreement.documents import outputs
from agreement.documents.dates import Dates
from agreement.documents.requests import sources
from agreement.proving.decisions import Decision, Witness
from agreement.proving.shrinking import MinimalDisagreement
from agreement.proving.witness import WitnessTask
from agreement.proving.witness.other_sides import NamedProfile
from lars.durations import TimedPoints
from lars.language.terms import DEFAULT, Iri
from lars.language.windows import Interval
from solver.facts import Fact
from translate.dialects import TITLES


def as_text(task: WitnessTask, answers: Sequence[Decision]) -> Iterator[RenderableType]:
    """Yield the streams found for each period, and the reason why the search found no further streams."""
    for answer in answers:
        for witness in answer.witnesses:
            yield from _witness_parts(task, answer.period, witness)
        if answer.search_end is not None:
            yield answer.search_text(_property(task, answer.period))


def _property(task: WitnessTask, period: int) -> str:
    one, other = task.sides
    if task.criteria.sides is not None:
        profiles = isinstance(task.criteria.sides[0], NamedProfile)
        return (
            f"on which {one} and {other} differ"
            if profiles
            else f"on which push reports other rows with {one} than with {other}"
        )
    if task.pair is None:
        both = "only the first query has a row"
        return f"on which {both if task.criteria.contained else 'the two queries differ'}"
    cause = "" if task.criteria.cause is None else f" with the cause {task.criteria.cause}"
    return f"on which {one} and {other} differ for U = {period}{cause}"


def _static_rows(quads: Iterable[tuple[str, ...]]) -> Iterator[tuple[str, str, list[str]]]:
    """Yield static triples as rows of a table of triples, each with its graph."""
    for *triple, graph in quads:
        yield "", "static" if graph == DEFAULT.name else f"static {outputs.short(graph)}", triple


def _witness_parts(task: WitnessTask, period: int, witness: Witness) -> Iterator[RenderableType]:
    static = witness.triples
    chosen = "" if task.static is not None or not static else f" and {len(static)} static"
    size = f"{outputs.quantity(len(witness.facts), 'triple')}{chosen}"
    kind = "a smallest stream" if witness.smallest else "a stream"
    yield f"{kind} {_property(task, period)}: {size}, time in units of {task.setting.unit}"
    # Where push and pull are not compared, no period is written in points.
    dates = Dates(unit=task.setting.unit, timed=task.pair is None or isinstance(period, TimedPoints))
    arriving = (
        (dates.text(fact.t), outputs.short(fact.arguments[-1]), fact.arguments[:-1]) for fact in witness.facts
    )
    yield outputs.triples_table(chain(arriving, _static_rows(static if task.static is None else ())))
    report = task.report(period, witness)
    names = outputs.header(task.variables)
    if report is None:
        for name, rows in zip(task.sides, (witness.left_only, witness.right_only), strict=True):
            if rows:
                texts = sorted(f"({', '.join(map(outputs.retypable, row))})" for row in rows)
                listed_rows = ", ".join(texts)
                yield f"at {dates.text(witness.end)}, only {name} reports {names} = {listed_rows}"
        if witness.remark:
            yield f"at {dates.text(witness.end)}, {witness.remark}"
        return
    differences = list(RowFilter().rows(report.first))
    row_texts = outputs.short_rows([each.row for each in differences])
    for each, text in zip(differences, row_texts, strict=True):
        when = f"in {dates.period(each.interval.start, each.interval.end)}"
        row = f"{names} = {text}"
        yield f"{when}, only {each.side} reports {row}; cause: {each.cause}"


def as_json(task: WitnessTask, answers: Sequence[Decision]) -> outputs.Json:
    """Return the JSON document of the found streams."""
    return {
        "unit": outputs.encode(task.setting.unit),
        "profile": task.setting.profile,
        "sides": list(task.sides),
        "periods": [
            {
                "period": answer.period if task.pair is not None else None,
                "witnesses": [_witness(task, answer.period, witness) for witness in answer.witnesses],
                "ended": None if answer.search_end is None else _ended(answer),
            }
            for answer in answers
        ],
    }


def _witness(task: WitnessTask, period: int, witness: Witness) -> outputs.Json:
    report = task.report(period, witness)
    names = task.variables
    causes = sorted(cause for cause in task.causes(period, witness)) if report is not None else []
    one, other = task.sides
    return {
        "trace": list(map(outputs.json_triple, witness.facts)),
        "smallest": witness.smallest,
        "static": outputs.bindings("spog", witness.triples),
        "from": witness.start,
        "to": witness.end,
        f"{one}_only": outputs.bindings(names, witness.left_only),
        f"{other}_only": outputs.bindings(names, witness.right_only),
        "causes": causes,
    }


def _ended(answer: Decision) -> outputs.Json:
    tried = {"tried": answer.scope[1]} if answer.scope and answer.search_end == "none up to" else {}
    reason = None if answer.search_end == "out of time" else answer.why
    return {"verdict": answer.search_end, "triples": answer.triples, **tried, "reason": reason}


_NAMES = {
    "triples": "triples that arrive",
    "static": "static triples",
    "end": "last time point",
    "terms": "different terms",
    "parts": "parts of the queries",
}


def shrunk_text(disagreement: MinimalDisagreement) -> Iterator[RenderableType]:
    """Yield the sizes before and after minimization, and the remaining input."""
    left = disagreement.left
    found = f"found with {disagreement.evaluations} evaluations"
    yield f"minimal difference for U = {left.period}; cause: {disagreement.cause}; {found}"
    ends = Dates(left.origin, left.setting.unit).within(Interval(0, disagreement.before.end))
    sizes = [
        (
            f"{words}{ends.caption if name == 'end' else ''}",
            *(
                (ends.text if name == "end" else str)(getattr(size, name))
                for size in (disagreement.before, disagreement.after)
            ),
        )
        for name, words in _NAMES.items()
    ]
    yield outputs.table(None, ("", "before", "after"), sizes, right=("before", "after"))
    dates = dates_of(disagreement)
    arriving = ((dates.text(fact.t), _source(fact), fact.arguments[:3]) for fact in left.facts)
    static = _static_rows(left.static.get(("triple", 4), ()))
    yield outputs.triples_table(chain(arriving, static), dates.caption.strip() or None)
    pushed = left.pair.cqels
    yield f"{TITLES[pushed.language]}    {pushed.pattern}"
    every = [source.stream for query in (left.pair.csparql, pushed) for source in sources(query)]
    if all(isinstance(stream, Iri) for stream in every):
        carried = dict.fromkeys(fact.arguments[-1] for fact in left.facts)
        for stream in (each for each in carried if each not in map(str, every)):
            yield f"no query reads the stream {outputs.short(stream)}: its triples only make push evaluate"


def _source(fact: Fact) -> str:
    """Return a text with the stream of a triple, and with the named graph of its element if it has one."""
    *graph, stream = map(outputs.short, fact.arguments[3:])
    return ", ".join((stream, *(f"graph {name}" for name in graph)))


def dates_of(disagreement: MinimalDisagreement) -> Dates:
    """Return the object that maps the time points of the remaining input to dateTimes."""
    timeline = Interval(0, max((fact.t for fact in disagreement.left.facts), default=0))
    return Dates(disagreement.left.origin, disagreement.left.setting.unit).within(timeline)


def shrunk_json(disagreement: MinimalDisagreement) -> outputs.Json:
    """Return the JSON document: sizes, remaining input, and number of evaluations."""
    return {
        "unit": outputs.encode(disagreement.left.setting.unit),
        "origin": disagreement.left.origin,
        "period": disagreement.left.period,
        "cause": disagreement.cause,
        "before": outputs.record(disagreement.before),
        "after": outputs.record(disagreement.after),
        "evaluations": disagreement.evaluations,
        "trace": [outputs.json_triple(fact, dates_of(disagreement)) for fact in disagreement.left.facts],
        "static": outputs.bindings("spog", disagreement.left.static.get(("triple", 4), ())),
    }
