"""Pull of each of today's languages against push of CQELS."""

import shlex

import pytest

from agreement import api
from lars.errors import LarsError
from tests.agreement.command import lars
from tests.packs import SAMPLES
from tests.translate.dialects.crowd import crowd
from translate.analysis import is_pushed
from translate.model.query import Language

CROWD = SAMPLES / "crowd"
PULLED = [
    one.value
    for one in Language
    if one is not Language.CSPARQL and one.manner.texts != "" and not is_pushed(crowd(one))
]


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
    with pytest.raises(LarsError, match="cannot compare two queries that both are pulled"):
        agree(*languages)


@pytest.mark.parametrize("language", ["sparq"])
def test_the_command_says_how_to_ask_why_of_each_side(language):
    files = [CROWD / f"query.{one}.rq" for one in (language, "cqels")]
    found = lars("agree", *files, CROWD / "doors.trig", "--static", CROWD / "building.ttl", "--period", 2)
    commands = [shlex.split(line)[1:] for line in found.out.splitlines() if line.startswith("lars explain")]
    asked = {command[1] for command in commands}
    assert asked == {str(file) for file in files}
    for path in asked:
        assert lars(*next(one for one in commands if one[1] == path)).code == 0
