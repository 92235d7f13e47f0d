"""The report of two profiles that differ at very many places."""

from agreement.comparing.compare import DifferenceWithRules, Divergence
from agreement.comparing.matching.likeness import RowMatch
from agreement.comparing.matching.places import ReportMatch
from agreement.documents.dates import Dates
from agreement.documents.recordings import Push, Report
from agreement.results.renderings.parting_report import as_text


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
