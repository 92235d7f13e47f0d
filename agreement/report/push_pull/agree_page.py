"""The page of `lars agree`: verdicts, timeline, differences with proofs, the queries and their rules."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agreement.agree import Side, VariantReport
from agreement.agree.causes import CAUSES
from agreement.agree.narrowing import FoundRow, Narrowed, evenly, groups_of, spread
from agreement.agree.periods import PeriodVerdict
from agreement.agree.verdicts import AgreementReport
from agreement.explain import explaining, explanation_json, explanation_text
from agreement.outputs import Json, atom_text, counted, header, short_row
from agreement.report.blocks import listed
from agreement.report.page import Page
from agreement.report.push_pull.cause_words import CHANGES, WORDS
from agreement.report.push_pull.logic import side_by_side
from agreement.report.push_pull.strip import strip_cells
from agreement.report.push_pull.timeline import NumberedTexts, answers, elements, term_texts, windows
from agreement.traces import Trace
from lars.analysis import reach
from lars.errors import LarsError
from lars.program import Program
from lars.stream import stream_of
from lars.windows import Interval
from solver.facts import Fact, Situation, atom_of, atoms_of
from translate.dialects import TITLES
from translate.query import EngineQuery, Setting
from translate.tau import Trigger, pull, push, translated

_MOST: Final = 1000
_PROOFS: Final = 20


@dataclass(frozen=True, slots=True)
class AgreeContent:
    """What was asked and what was found, with the JSON document of it; `title` names it for readers."""

    title: str
    setting: Setting
    trigger: Trigger
    report: AgreementReport
    shown: Narrowed
    document: Mapping[str, object]


def agree_page(given: AgreeContent) -> Page:
    """Return the page; what is shown of variants is the first, the brave one."""
    variant, verdicts = given.report.variants[0], given.shown.verdicts(given.report.variants[0])
    every = list(given.shown.rows(variant))
    rows = spread(every, groups_of(every), _MOST)
    named = " and ".join(TITLES[query.language] for query in (variant.pair.csparql, variant.pair.cqels))
    asked = (
        f"{given.title}: do pull and push of {named} report the same rows in each period, for "
        f"U = {listed([one.period for one in verdicts])} (unit {given.setting.unit}) "
        f"on {variant.trace.timeline}?{_reading(given.report)}"
    )
    page = _content(given, variant, verdicts, rows) | {"more": len(every) - len(rows)}
    agree, said = summary(verdicts)
    return Page(given.title, asked, agree, said, "agree", given.document, page, given.report.warnings)


def _reading(report: AgreementReport) -> str:
    first, *others = report.variants
    if first.pair.choices is None:
        return ""
    more = f"; {counted(len(others), 'other reading')} in the JSON" if others else ""
    return f" The CQELS query is derived, read as {first.pair}{more}."


def summary(verdicts: Sequence[PeriodVerdict]) -> tuple[bool | None, str]:
    """Return whether all whole periods agree, None without any, and that in a sentence."""
    wrong = [verdict.period for verdict in verdicts if verdict.agree is False]
    whole = sum(len(verdict.intervals) for verdict in verdicts)
    bad = sum(not one.agree for verdict in verdicts for one in verdict.intervals)
    share = f"{whole - bad} of {counted(whole, 'whole period')} agree" if whole else "No period is whole"
    said = f"{share}; U = {listed(wrong)} disagree." if wrong else f"{share}."
    return (False if wrong else True if whole else None), said


def _content(
    given: AgreeContent, variant: VariantReport, verdicts: Sequence[PeriodVerdict], rows: Sequence[FoundRow]
) -> Json:
    setting, trace, terms, texts = given.setting, variant.trace, NumberedTexts(), NumberedTexts()
    csparql, cqels = variant.pair.csparql, variant.pair.cqels
    first = verdicts[0].period

    def pulling(query: EngineQuery) -> Program:
        return pull(translated(query, setting), first)

    def pushing(query: EngineQuery) -> Program:
        return push(translated(query, setting), given.trigger)

    pulled, pushed = pulling(csparql), pushing(cqels)
    found, places = elements(trace, terms)
    differing = [one.difference.row for one in rows]
    causes = [cause.value for cause in CAUSES]
    drawn = {
        "elements": found,
        "push": answers(variant.sides.pushed, texts, differing),
        "pull": answers(variant.sides.pulled, texts, differing),
    }
    return {
        **drawn,
        "above": [],
        "timeline": [trace.timeline.first, trace.timeline.last],
        "unit": str(setting.unit),
        "variables": header(given.report.variables),
        "columns": [variable.name for variable in given.report.variables],
        "causes": [{"name": cause.value, "says": WORDS[cause], "change": CHANGES[cause]} for cause in CAUSES],
        "strip": [_strip(variant, verdict) for verdict in verdicts],
        "windows": [*windows(csparql, setting, "pull"), *windows(cqels, setting, "push")],
        "terms": term_texts(terms.texts),
        "full": [text.strip("<>") if text[:1] == "<" else text for text in terms.texts],
        "rows": texts.texts,
        "differences": list(_differences(variant, rows, places, causes)),
        "proofs": _proofs(variant, rows, {Side.PUSH: (pushed, cqels), Side.PULL: (pulled, csparql)}),
        "logic": [
            side_by_side(csparql, pulling, TITLES[csparql.language], f"pull, τ1, U = {first}", cqels),
            side_by_side(cqels, pushing, TITLES[cqels.language], "push, τ2", csparql),
        ],
    }


def _strip(variant: VariantReport, verdict: PeriodVerdict) -> Json:
    wrong = sum(not one.agree for one in verdict.intervals)
    named = {
        "period": verdict.period,
        "agree": verdict.agree,
        "whole": len(verdict.intervals),
        "wrong": wrong,
    }
    return named | {"cells": strip_cells(variant, verdict)}


def _differences(
    variant: VariantReport, rows: Sequence[FoundRow], places: Mapping[Fact, int], causes: Sequence[str]
) -> Iterator[Json]:
    supports = variant.supports([(row.difference, row.interval) for row in rows])
    for row, support in zip(rows, supports, strict=True):
        one = row.difference
        yield {
            "period": row.period,
            "from": row.interval.start,
            "to": row.interval.end,
            "side": one.side.value,
            "row": short_row(one.row),
            "terms": one.row,
            "cause": causes.index(one.cause.value),
            "pushed": one.pushed,
            "support": [places[fact] for fact in support if fact in places],
        }


Evaluated = Mapping[Side, tuple[Program, EngineQuery]]


def _proofs(variant: VariantReport, rows: Sequence[FoundRow], sides: Evaluated) -> Json:
    """Return, for some rows by their places, the proof of the side that has it and what the other lacks."""
    return {str(place): _proof(variant, rows[place], sides) for place in evenly(range(len(rows)), _PROOFS)}


def _proof(variant: VariantReport, row: FoundRow, sides: Evaluated) -> Json:
    one, end = row.difference, row.interval.end
    own = one.pushed if one.side is Side.PUSH and one.pushed is not None else end
    other = Side.PULL if one.side is Side.PUSH else Side.PUSH
    times = variant.sides.pushed.times
    before = [int(t) for t in times[(times > row.interval.start) & (times <= end)][-1:]]
    asked = end if other is Side.PULL else before[0] if before else end
    atom = atom_text("ans1", one.row)
    return {
        "at": own,
        "why": _told(sides[one.side], variant.trace, own, atom),
        "other_at": asked,
        "lacks": _told(sides[other], variant.trace, asked, atom),
    }


def _told(asked: tuple[Program, EngineQuery], trace: Trace, t: int, atom: str) -> Json:
    program, query = asked
    try:
        found = explaining.explained(_around(program, query, trace, t), t, atom, None, Path("query"))
    except LarsError as error:
        return {"lines": [str(error)], "document": None}
    return {"lines": list(explanation_text.text_lines(found)), "document": explanation_json.as_json(found)}


def _around(program: Program, query: EngineQuery, trace: Trace, t: int) -> explaining.Situated:
    """Return the program with the input that it can see at t."""
    seen, timeline = reach(program), trace.timeline
    first = timeline.first if seen.past is None or seen.tuples else t - seen.past
    last = timeline.last if seen.future is None else t + seen.future
    facts: Iterable[Fact] = trace.facts(Interval(first, last).meet(timeline))
    listed = list(facts)
    stream = stream_of(timeline, ((fact.t, atom_of(fact)) for fact in listed))
    background = frozenset(atoms_of(trace.background))
    return explaining.Situated(
        program, stream, background, Situation(timeline, listed, trace.background), query
    )
