"""A user's script against the library: mypy --strict finds types; nothing public is Any; help answers."""

import inspect
import re
import subprocess
import sys

import pytest

from agreement import api
from tests.agreement.api import stub
from tests.packs import ROOT

SCRIPT = """
from pathlib import Path
from agreement import api

found = api.agree("samples/coupons", period=range(4, 9), unit="1min", progress=print)
reveal_type(found.agree)
reveal_type(found.verdicts)
reveal_type(found.differences[0].row)
reveal_type(found.to_json())
reveal_type(api.solve(Path("q.rq"), "t.nq", semantics="bag").answers[0].rows)
reveal_type(api.judge("q.rq", "t.nq", answers="a.csv", t0=[0, 5]).correct)
api.agree("samples/coupons", bounds="shut")
api.agree("samples/coupons", perod=3)
"""
REVEALED = [
    "bool | None",
    "tuple[agreement.comparing.agree.periods.PeriodVerdict, ...]",
    "tuple[str | None, ...]",
    "dict[str, None | bool | int | float | str | list[...] | dict[str, ...]]",
    "tuple[tuple[str | None, ...], ...]",
    "bool | None",
]
ON_TRACES = (
    "translate",
    "solve",
    "agree",
    "judge",
    "explain",
    "check",
    "compare",
    "compare_logs",
    "phase",
    "shrink",
    "export",
)
FUNCTIONS = {
    **{name: {"unit", "static", "stream"} for name in ON_TRACES},
    "decide": {"unit", "static", "period", "bounds"},
    "witness": {"unit", "static", "period", "enumerate_"},
    "contained": {"equivalent", "rename"},
    "agree_late": {"arrival", "wait", "lateness", "period", "static"},
    "decide_late": {"delay", "wait", "period", "static"},
    "run": {"out", "jobs"},
    "pack": {"out", "license"},
    "check_pack": {"jobs"},
    "record": {"adapter", "silence"},
    "hunt": {"adapter", "engine", "out", "time_limit", "seed"},
    "suite": {"adapter", "level", "jobs"},
    "generate": {"stations", "seed"},
    "read_export": {"legend"},
    "init": {"period", "unit", "column"},
    "cite": set(),
}


def test_types_are_right_and_a_script_of_a_user_finds_them(tmp_path):
    """Together: reading everything takes longest."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    # Strict, by the project's configuration.
    command = [sys.executable, "-m", "mypy", script, "lars", "translate", "solver", "agreement"]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    lines = ran.stdout.splitlines()
    own = [line for line in lines if "script.py" in line]
    assert [line for line in lines if "error:" in line and line not in own] == []
    revealed = [line.partition("is ")[2].strip('"') for line in own if "Revealed" in line]
    assert revealed == REVEALED
    wrong = [line for line in own if "error" in line]
    assert ['"bounds"' in wrong[0], '"perod"' in wrong[1], len(wrong)] == [True, True, 2]


@pytest.mark.parametrize("name", api.__all__)
def test_nothing_public_is_any(name):
    offered = getattr(api, name)
    if inspect.isclass(offered):
        members = [one for own, one in vars(offered).items() if not own.startswith("_")]
        functions = [one.fget if isinstance(one, property) else one for one in members]
        found = [offered, *filter(inspect.isfunction, functions)]
    else:
        found = [offered] if inspect.isfunction(offered) else []
    for one in found:
        parts = inspect.get_annotations(one)
        assert "Any" not in str([part for own, part in parts.items() if not own.startswith("_")])


def test_the_stub_says_what_is_declared():
    assert stub.PATH.read_text() == stub.source(), "python -m tests.agreement.api.stub writes it"


def test_every_function_is_looked_at():
    assert {name for name in api.__all__ if inspect.isfunction(getattr(api, name))} == set(FUNCTIONS)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_help_names_each_keyword(name):
    parameters = inspect.signature(getattr(api, name)).parameters
    assert not [one for one in parameters.values() if one.kind is inspect.Parameter.VAR_KEYWORD]
    assert FUNCTIONS[name] <= set(parameters)
    told = inspect.getdoc(getattr(api, name))
    assert ">>>" in told
    assert [one for one in parameters if not re.search(rf"^    \*?{one}: [A-Z]", told, re.MULTILINE)] == []
