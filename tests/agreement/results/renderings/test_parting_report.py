"""The report of two sides: differences at very many places, and sides without rules or with one name."""

import pytest

from agreement.comparing.compare import DifferenceWithRules, Divergence, SwitchedRule
from agreement.comparing.matching.likeness import RowMatch
from agreement.comparing.matching.places import ReportMatch
from agreement.documents.dates import Dates
from agreement.documents.recordings import Push, Report
from agreement.engines.engine import EngineRule
from agreement.results.renderings.parting_report import as_text, summary


def test_the_time_of_a_report_is_linear_in_its_differences(monkeypatch):
    calls = []
    within = Dates.within
    monkeypatch.setattr(Dates, "within", lambda self, span: calls.append(span) or within(self, span))
    row = ("<e:a>",)
    pushes = tuple(Push(float(n), "<e:s>", ("<e:a>", "<e:p>", "<e:b>")) for n in range(100))
    differences = (
        ReportMatch(float(n), (Report(float(n), (row,), n),), rows=RowMatch((), (row,))) for n in range(100)
    )
    parted = tuple(DifferenceWithRules(one, (), undone=False) for one in differences)
    ends = ((), ()), (False, False)
    (table, *_) = as_text((Divergence(("a", "b"), ("s",), pushes, 100, parted, (), (), None, (), *ends),))
    assert table.row_count == 100
    # Dates depend on all differences.
    assert len(calls) < 10


RULE = SwitchedRule(0, "rsp-rs", EngineRule("D1", "windows begin late"))
ROW = Report(1.0, (("<e:a>",),), 0)
PUSHES = (Push(1.0, "<e:s>", ("<e:a>", "<e:p>", "<e:b>")),)
PARTED = DifferenceWithRules(ReportMatch(0.0, (ROW,), rows=RowMatch((), ROW.rows)), (), undone=False)


def compared(names, parted=(), causes=()):
    ends = ((), ()), (False, False)
    return Divergence(names, ("s",), PUSHES, 1, tuple(parted), tuple(causes), (), None, (), *ends)


@pytest.mark.parametrize(
    ("causes", "cell", "said"),
    [
        ((), "not known", "no side has rules that could explain the differences; an engine model as a side"),
        ((RULE,), "no rule explains it", "no rule explains the differences"),
    ],
)
def test_no_rule_is_said_to_fail_where_no_side_has_rules(causes, cell, said):
    """Two real engines have no rules: *no rule explains the differences* read as if rules were tried."""
    parting = compared(("rsp-rs-0.3.5", "rsp-js-1.3.5"), [PARTED], causes)
    (table, *_) = as_text((parting,))
    assert list(table.columns[-1].cells) == [cell]
    assert f"(time 1); {said}" in summary(parting)


def test_an_engine_and_its_model_are_told_apart():
    """The adapter of rsp-rs has the name of its model: "rsp-rs-0.3.5 and rsp-rs-0.3.5 have the same"."""
    said = "rsp-rs-0.3.5 (1) and rsp-rs-0.3.5 (2) have the same reports at 1 element with a report"
    assert summary(compared(("rsp-rs-0.3.5",) * 2)) == said
