"""A cause is named only if it explains every wrong run; causes that no run tells apart are all named."""

import re
from dataclasses import replace

import pytest

from agreement.documents.requests import JudgeOptions
from agreement.engines.adapters.built_in import BuiltInEngine, built_in
from agreement.engines.adapters.messages import EngineReport, RefusedQueryError
from agreement.engines.specifications import builtin
from agreement.proving.hunting import Hunt, HuntLimits, made_queries, reference, run_hunt
from agreement.results.renderings.hunt_report import as_text, rule_text
from tests.agreement.proving.hunting.mutants import AlteredEngine
from tests.agreement.proving.hunting.toy_process import Toy

RSPQL = builtin("rspql")
LAST, SHORTEST = (
    f"all windows have the {one}" for one in ("STEP of the last window", "shortest STEP of the query")
)


def hunted(engine, *names, runs=30):
    """Return the hunt of an engine on queries of some names."""
    queries = [one for one in made_queries(built_in("rspql")).queries if one.name in names]
    found = Hunt(engine, queries, reference("rspql", RSPQL, JudgeOptions(t0=(0,))), HuntLimits(600, runs))
    run_hunt(found)
    return found


def with_steps(choose):
    """Return an engine that gives all windows one STEP, chosen among those of the query."""

    def changed(text):
        step = choose(re.findall(r"STEP (\d+)", text), key=int) if choose is min else choose(text)
        return re.sub(r"STEP \d+", f"STEP {step}", text)

    return AlteredEngine(built_in("rspql"), query=changed)


def last(text):
    return re.findall(r"STEP (\d+)", text)[-1]


@pytest.mark.parametrize(("choose", "sentence"), [(last, LAST), (min, SHORTEST)])
def test_a_query_with_exchanged_windows_tells_causes_apart_that_are_equal_on_the_given_query(
    choose, sentence
):
    (found,) = hunted(with_steps(choose), "two-windows").faults
    assert (found.sentence, found.equal_rules) == (sentence, ())
    assert found.run.query.name == "two-windows"


def test_generated_queries_tell_the_last_window_from_the_one_with_the_shortest_step():
    (found,) = hunted(with_steps(min), "two-windows", "two-slides").faults
    assert found.sentence == SHORTEST


class Choosy(AlteredEngine):
    """Refuses a query whose first window is shorter than its second."""

    def open(self, registration):
        if re.findall(r"RANGE (\d+)", registration.query) == ["2", "4"]:
            raise RefusedQueryError("no")
        return super().open(registration)


def test_causes_that_no_run_tells_apart_are_all_named():
    hunt = hunted(Choosy(built_in("rspql"), query=with_steps(last).query), "two-windows")
    (found,) = hunt.faults
    assert found.sentence == f"{LAST}; or: {SHORTEST} (no run of the hunt distinguishes these rules)"
    assert rule_text(found).startswith(f"The engine follows another rule: {found.sentence}.")
    assert found.rule is not None
    assert "explained in part" not in "".join(map(str, as_text(hunt, ())))


def strange(replies):
    """Return replies to a few streams with rows that no rule explains."""
    if len(replies) % 8:
        return replies
    row = {"s": f"<http://e/strange{len(replies)}>", "a": "<http://e/a>"}
    report = EngineReport(t=4.0, rows=(row,) * (len(replies) % 3 + 1))
    return [replies[0].model_copy(update={"reports": (report,)}), *replies[1:]]


def test_a_cause_that_leaves_wrong_runs_unexplained_is_said_to_explain_a_part():
    closed = BuiltInEngine(RSPQL.model_copy(update={"bounds": ("closed",)}))
    hunt = hunted(AlteredEngine(closed, replies=strange), "tumbling", "sliding")
    (found,) = [one for one in hunt.faults if one.of]
    assert found.rule is None
    assert re.fullmatch(
        r"explained in part: bounds = closed explains \d+ of \d+ wrong runs; "
        r"\d+ of these runs are not explained",
        found.sentence,
    )
    assert 0 < found.times < found.of
    assert found.times + found.left == found.of > len(hunt.wrong) > found.left
    assert rule_text(found).startswith("No rule is proved: bounds = closed explains ")


def test_a_cause_that_right_runs_contradict_is_in_doubt():
    hunt = hunted(Toy("range-two-longer"), "tumbling")
    (found,) = hunt.faults
    assert found.rule is not None
    doubted = replace(found, rule=None, likely=found.rule.sentence, of=9, times=9, against=1)
    assert doubted.sentence == (
        f"in doubt: {found.rule.sentence} explains 9 of 9 wrong runs; 1 run of the hunt contradicts this rule"
    )
