"""No keyword of any function takes a value of a wrong kind, and none lets another exception than ours out."""

import math
import re
import sys
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from agreement import api
from agreement.documents.requests.readers import fitting
from agreement.results.base.library import answering
from lars.errors import LarsError

FUNCTIONS = [name for name in api.__all__ if hasattr(getattr(api, name), "answering")]
GIVEN = {
    "at": 1,
    "answer": "a.json",
    "to": "asp",
    "out": "x",
    "first": "a",
    "second": "b",
    "folder": "x",
    "delay": 1,
}


class Unnamed:
    """What cannot even be shown."""

    def __repr__(self):
        raise RuntimeError


class Word(StrEnum):
    PUSH = "push"


WRONG = {
    "complex": 1j,
    "module": sys,
    "no time": pd.NaT,
    "half": "\ud800",
    "nul": "a\0b",
    "unnamed": Unnamed(),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_keyword_names_what_is_wrong_with_its_value(name):
    function = getattr(api, name)
    options = [each for each in answering(function).options if not each.argument]
    needed = {each.name: GIVEN.get(each.name, "x") for each in options if each.needed}
    own = {"compare": ("csparql", "cqels", "query.rq"), "compare_logs": ("a.csv", "b.csv")}
    inputs = own.get(name, ("query.rq",))
    for each in options:
        for wrong in WRONG.values():
            with pytest.raises(LarsError, match=f"^{each.name}=|found"):
                function(*inputs, **needed | {each.name: wrong})


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_input_has_no_keyword(name):
    for each in answering(getattr(api, name)).options:
        if each.argument:
            with pytest.raises(TypeError, match=rf"^{name}\(\) takes '{each.name}' only by position"):
                getattr(api, name)(**{each.name: "x"})


@pytest.mark.parametrize("wrong", [*WRONG.values(), np.array(3), {("a",): 1}, [Unnamed()]])
def test_an_input_of_a_wrong_kind_is_refused(wrong):
    with pytest.raises(LarsError):
        api.solve("SELECT ?s { STREAM <e:s> [NOW] { ?s ?p ?o } }", wrong)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_input_of_a_wrong_kind_is_named_by_its_place(name):
    """An option without its keyword, as in agree(query, 7), is read as an input."""
    options = answering(getattr(api, name)).options
    arguments = [each for each in options if each.argument]
    keywords = {each.name: GIVEN.get(each.name, "x") for each in options if each.needed and not each.argument}
    for place, each in enumerate(arguments):
        before = ["query.rq"] * (place + each.several)
        after = ["query.rq" for other in arguments[place + 1 :] if other.needed]
        named = re.escape(f"{each.name}{'[1]' * each.several}")
        said = rf"^{named}(=|: found )7 \(int\)"
        with pytest.raises(LarsError, match=said):
            getattr(api, name)(*before, 7, *after, **keywords)


PERIODS = "int | str | Sequence[int] | None"


@pytest.mark.parametrize(
    ("accepted", "value", "fits"),
    [
        (PERIODS, (n for n in (np.int64(1), 2)), [1, 2]),
        (PERIODS, pd.Series([1, 2]), [1, 2]),
        ("str | None", timedelta(seconds=90), "90s"),
        ("str | None", Word.PUSH, "push"),
        ("float", np.float64(2.5), 2.5),
        ("str | Path", Path("a\udcff"), Path("a\udcff")),
        ("Mapping[str, str] | None", {np.str_("a"): "b"}, {"a": "b"}),
    ],
)
def test_a_value_of_another_library_is_one_of_pythons_own(accepted, value, fits):
    found = fitting(accepted, value)
    assert (type(found), found) == (type(fits), fits)


@pytest.mark.parametrize(
    ("accepted", "value"),
    [
        (PERIODS, {1: 2}),
        (PERIODS, [2.5]),
        (PERIODS, True),
        (PERIODS, pd.DataFrame({"a": [1]})),
        ("str | Sequence[str] | None", [1]),
        ("float | None", math.nan),
        ("Mapping[str, str] | None", {1: "a"}),
        ("Mapping[str, str] | None", {"a": {}}),
        ("Mapping[str, Sequence[str]] | None", []),
        ("int | str | datetime", b"1"),
        ("str | None", datetime(2026, 5, 4)),  # noqa: DTZ001 - of any zone
    ],
)
def test_a_value_of_a_wrong_kind_is_none(accepted, value):
    with pytest.raises(TypeError):
        fitting(accepted, value)


NEAR, FAR = (
    f"SELECT ?{v} {{ STREAM <e:s> [RANGE {n}s] {{ ?{v} <e:p> 1 }} }}" for v, n in (("x", 5), ("y", 9))
)


def test_a_function_takes_the_options_of_its_own_question():
    """In a shell --rename requires --contained, which `contained` has said by its name."""
    assert api.contained(NEAR, FAR, rename={"x": "y"}).holds
    for function, other in ((api.contained, {"period": 3}), (api.decide, {"rename": {"x": "y"}})):
        with pytest.raises(TypeError, match="unexpected keyword argument"):
            function(NEAR, FAR, **other)
    with pytest.raises(TypeError, match="export\\(\\) requires the argument 'to'"):
        api.export("p.lars", "t.atoms", out="x")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_none_in_place_of_an_input_is_named(name):
    """`read()` that has found nothing gives None: that is a wrong value, not a missing argument."""
    needed = {each.name: "x" for each in answering(getattr(api, name)).options if each.needed}
    given = {key: value for key, value in needed.items() if not _is_input(name, key)}
    inputs = [key for key in needed if _is_input(name, key)]
    if inputs:
        with pytest.raises(LarsError, match=r"found null|\[0\]=None"):
            getattr(api, name)(*[None] * len(inputs), **given)


def _is_input(name, key):
    return any(each.argument and each.name == key for each in answering(getattr(api, name)).options)
