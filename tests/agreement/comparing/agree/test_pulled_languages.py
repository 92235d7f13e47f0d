"""Pull of each of today's languages against push of CQELS."""

import pytest

from agreement import api
from lars.errors import LarsError
from tests.packs import SAMPLES

CROWD = SAMPLES / "crowd"
PULLED = ("rspql", "kolibrie", "janus", "sparq")


def agree(*languages, period=2):
    queries = [CROWD / f"query.{language}.rq" for language in languages]
    how = {"static": CROWD / "building.ttl", "period": period, "in_process": True, "bounds": "closed"}
    return api.agree(*queries, CROWD / "doors.trig", **how)


@pytest.mark.parametrize("language", PULLED)
def test_a_query_of_each_language_is_pulled(language):
    rows, known = (
        [(one.start, one.end, one.pull, one.push) for one in agree(pulled, "cqels").verdicts[0].intervals]
        for pulled in (language, "csparql")
    )
    assert rows == known
    assert any(pull for _, _, pull, _ in rows)
    assert any(push for *_, push in rows)


@pytest.mark.parametrize("languages", [("rspql", "sparq"), ("csparql", "sparqlstream")])
def test_two_queries_that_are_pulled_are_refused_by_name(languages):
    with pytest.raises(LarsError, match="cannot compare two queries of which each is pulled"):
        agree(*languages)
