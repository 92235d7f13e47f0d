"""Answers that are packed slice by slice, and read section by section, are compared as held ones are."""

from dataclasses import dataclass, fields, replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as some

from agreement.comparing.agree import causes, periods
from agreement.comparing.agree.agreeing import RowFilter, compare_pairs
from agreement.comparing.agree.narrowing import examples, row_groups
from agreement.results.renderings import agreement_report
from lars.language.windows import Interval
from solver.columns import TermCodes
from solver.job import AnswerRuns, rows_in_parts
from solver.relational import RunTable, coalesce
from solver.spark.task_bytes import answered_part, answers_in_parts
from tests.agreement.comparing.agree.test_sliced_causes import CutTrace
from tests.agreement.comparisons import LAST, SPECS, facts_of, report, variant_of
from translate.model.query import Setting


@dataclass(slots=True)
class PackedTrace(CutTrace):
    """A trace whose answers come packed, of slices of so many time points."""

    def answers(self, questions, within=None):
        """Return packed answers."""
        span = within or self.timeline
        starts = range(span.first, span.last + 1, self.length)
        slices = [Interval(first, min(first + self.length - 1, span.last)) for first in starts]
        return [
            answers_in_parts([self._part(question, one) for one in slices], question.predicate[1])
            for question in questions
        ]

    def _part(self, question, within):
        (found,) = CutTrace.answers(self, [question], within)
        elsewhere = AnswerRuns(found.times, *recoded(found), found.certified)
        return answered_part(0, within, elsewhere)


def recoded(found):
    """Return runs with the codes of other terms."""
    terms = TermCodes()
    terms.code("<http://example.org/elsewhere>")
    columns = tuple(terms.codes(found.terms.atom_texts(column)) for column in found.runs.columns)
    return RunTable(columns, found.runs.first, found.runs.last), terms


def document(report):
    """Return all that is said of a comparison: the document, the tables, groups, examples, proofs."""
    (variant,) = report.variants
    groups = row_groups(RowFilter(), variant)
    chosen = examples(groups, variant, 3)
    tables = [sorted(map(repr, table.rows)) for table in agreement_report.tables(report)]
    shown = agreement_report.as_json(report)
    return (
        {key: list(value) if key == "verdicts" else value for key, value in plain(shown).items()},
        tables,
        [(*key, [(number, count) for number, _, count in parts]) for key, parts in groups.items()],
        [(row.period, row.interval.end, row) for row in chosen],
        variant.supports(chosen),
        [variant.explanation.counts(side).tolist() for side in ("push", "pull")] if chosen else None,
        report.certified[1],
    )


def plain(value):
    """Return a document with what is made as it is written."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, str | int | float | bool | None):
        return value
    return [plain(one) for one in value]


def compared(variant, setting, lengths, trace):
    """Return the report of the same queries on a trace, of some periods."""
    return compare_pairs([variant.pair], lengths, trace, setting)


def packed(variant, length):
    """Return the trace of a comparison, packed in slices of so many time points."""
    values = {one.name: getattr(variant.trace, one.name) for one in fields(variant.trace) if one.init}
    return PackedTrace(**values, length=length)


@given(SPECS, some.integers(1, 5), some.integers(0, 4), some.integers(0, 3))
def test_answers_read_by_section_are_compared_as_held_ones(spec, length, most, batch):
    variant, setting = variant_of(spec), replace(Setting(), bounds=spec.bounds)
    lengths = sorted({spec.period, 3})
    held = compared(variant, setting, lengths, variant.trace)
    expected = document(held)
    with patch.object(periods, "_RUNS_AT_ONCE", most), patch.object(causes, "_ROWS_AT_ONCE", batch):
        read = compared(variant, setting, lengths, packed(variant, length))
        found = document(read)
        event(f"{min(len(read.variants[0].answers), 4)} sections")
    event("rows" if expected[2] else "no row")
    assert found == expected


def test_the_last_report_before_a_section_is_found_in_an_earlier_one():
    """Push has the row at 1, pull alone at 9 and 12: when push last had it two sections earlier say."""
    queries = (
        "SELECT ?x FROM STREAM :r [RANGE 12s] WHERE { ?x :p ?y FILTER NOT EXISTS { ?z :q ?w } }",
        "SELECT ?x WHERE { STREAM :r [RANGE 1s] { ?x :p ?y } FILTER NOT EXISTS { ?z :q ?w } }",
    )
    facts = facts_of([("1", "a", "p", "b"), ("6", "a", "z", "b"), ("11", "a", "z", "b")], lambda _: "r")
    variant, setting = report(queries, facts, period=3, last=12, static=()), Setting()
    expected = [
        (one.side, one.pushed)
        for interval in variant.verdicts[0].intervals
        for one in variant.differences(interval)
    ]
    with patch.object(periods, "_RUNS_AT_ONCE", 0):
        read = compared(variant, setting, [3], packed(variant, 2)).variants[0]
        assert len(read.answers) > 2
        found = [
            (one.side, one.pushed)
            for interval in read.verdicts[0].intervals
            for one in read.differences(interval)
        ]
    assert found == expected
    assert ("pull", 1) in found


TIMES = some.lists(some.integers(0, LAST), min_size=1, max_size=6).map(sorted)


@given(TIMES, some.sets(some.tuples(some.sampled_from("ab"), some.integers(0, 5))), some.integers(1, 6))
def test_packed_answers_are_the_answers(times, cells, length):
    terms = TermCodes()
    kept = sorted((name, index) for name, index in cells if index < len(times))
    column, index = terms.codes([f"<{name}>" for name, _ in kept]), np.array([i for _, i in kept], np.int64)
    whole = AnswerRuns(
        np.array(times, np.int64), coalesce(RunTable((column,), index, index), len(times)), terms
    )
    parts = []
    for first in range(0, LAST + 1, length):
        inside = [place for place, t in enumerate(times) if first <= t < first + length]
        own = AnswerRuns(whole.times[inside], moved(whole, inside), terms)
        parts.append(answered_part(0, Interval(first, first + length - 1), own))
    found = answers_in_parts(parts, 1)
    assert found.whole().by_time() == whole.by_time()
    assert list(found.whole().rows()) == list(whole.rows())
    assert list(rows_in_parts(found)) == list(whole.rows())
    assert (found.evaluations, sum(size for _, size in found.parts) > 0) == (len(times), bool(kept))
    assert list(found.of_rows([("<a>",), ("<c>",)]).rows()) == list(
        whole.of_rows([("<a>",), ("<c>",)]).rows()
    )
    assert [t for part in found.each_part() for t in part.times.tolist()] == times
    span = Interval(3, 5)
    some_of = found.within(span, TermCodes())
    assert {t: some_of.at(t) for t in times if t in span} == {t: whole.at(t) for t in times if t in span}


def moved(whole, inside):
    """Return the runs of answers at consecutive evaluations, counted from the first of these."""
    first = inside[0] if inside else 0
    runs = whole.runs.take((whole.runs.last >= first) & (whole.runs.first < first + len(inside)))
    ends = (np.clip(one - first, 0, max(len(inside) - 1, 0)) for one in (runs.first, runs.last))
    return RunTable(runs.columns, *ends)


@pytest.mark.parametrize("most", [0, 1, 7])
def test_sections_end_where_parts_end_and_are_not_too_large(most):
    class Sized:
        def __init__(self, *parts):
            self.parts = parts

    push, pull = Sized((3, 5), (6, 1), (9, 2)), Sized((4, 1), (9, 6))
    with patch.object(periods, "_RUNS_AT_ONCE", most):
        answers = periods.BothAnswers(push, pull, 4)
        assert answers.borders.tolist() == {0: [3, 4, 6], 1: [3, 4, 6], 7: [6]}[most]
        spans = [answers.span(number) for number in range(len(answers))]
    assert [(one.first, one.last) for one in spans[:-1]] == [
        (first + 1, last)
        for first, last in zip([-1, *answers.borders.tolist()], answers.borders.tolist(), strict=False)
    ]
    assert spans[-1].first == answers.borders[-1] + 1
