"""What a wrong experiment with a grid is told: where, what was found, what is accepted."""

import pytest

from tests.agreement.command import lars
from tests.agreement.experiments.experiments import GRID, experiment, toml


def grid(line):
    return toml(grid=f"{GRID['grid']}\n{line}")


def engine(text):
    return toml(engines=text)


CSPARQL = 'engine = "csparql-0.9.7"\n'
MANY = 'a = "1..100"\nb = "1..1000"\nc = "1..1000"'
WRONG = {
    "a parameter without values": (grid("x = []"), 8, "x: a list, not empty"),
    "a parameter given twice a value": (grid("x = [1, 1]"), 8, "each once"),
    "values of two kinds": (grid('x = [1, "a"]'), 8, "all of one kind"),
    "a value that is no scalar": (grid("x = [{}]"), 8, "texts, numbers"),
    "a range that is reversed": (grid('x = "5..1"'), 8, "values 5..1 is reversed", "use 1..5"),
    "a parameter that nothing uses": (grid("x = [1]"), 8, "nothing uses the parameter x"),
    "a parameter with the name of a column": (grid("recall = [1]"), 8, "another name"),
    "a placeholder without a parameter": (engine(CSPARQL + 't0 = "{start}"'), 20, "{start}", "{stations}"),
    "a value that is wrong": (
        engine(CSPARQL + 't0 = "soon"'),
        20,
        '"soon" is not a valid start time',
        "whole numbers",
    ),
    "an unknown key": (engine(CSPARQL + "bound = 0"), 20, "unknown key", "did you mean bounds"),
    "an unknown engine": (engine('engine = "csparql-9"'), 19, "csparql-9", "csparql-0.9.7", "cqels-1.x"),
    "an unknown specification": (engine(CSPARQL + 'specification = "sparql"'), 20, "rspql"),
    "an unknown rule": (engine(CSPARQL + 'off = "W77"'), 20, "W77", "W1"),
    "rules of a specification": (engine('engine = "csparql"\noff = "W1"'), 20, "engine version"),
    "neither engine nor answers": (engine('name = "x"'), 18, "one of these keys: `engine`"),
    "answers that are not there": (engine('name = "x"\nanswers = "none.json"'), 20, "does not exist"),
    "a query that is not there": (engine(CSPARQL + 'queries = "R"'), 20, 'found "R"', "expected Q"),
    "another language": (
        engine(CSPARQL + 'language = "rspql"'),
        18,
        "not in a language of this engine",
        "rspql",
    ),
    "two engines of one name": (engine(CSPARQL + f"[[engines]]\n{CSPARQL}"), 20, "twice"),
    "a query without a name": (toml(queries='csparql = "q.csparql.rq"'), 9, "the key name is missing"),
    "a query's file that is not there": (toml(queries='name = "Q"\ncsparql = "no.rq"'), 11, "does not exist"),
    "no trace": (toml(traces='name = "T"'), 14, "one of generate, streams and files"),
    "no stations": (toml(traces='name = "T"\ngenerate = {stations = 0}'), 16, "stations: found 0", "least 1"),
    "a wrong duration": (toml(traces='name = "T"\ngenerate = {duration = "x"}'), 16, "duration"),
    "an unknown key inside": (
        toml(traces='name = "T"\ngenerate = {walks = "1"}'),
        16,
        "did you mean walk?",
    ),
    "too many cells": (grid('a = "1..200"\nb = "1..200"').replace("seed = 1", 'seed = "{a}{b}"'), 3, "cells"),
    "many cells of one trace": (
        grid(MANY).replace("seed = 1", 'seed = "{a}{b}{c}"'),
        3,
        "has 200000000 cells",
    ),
    "many cells of one engine": (
        grid(MANY).replace(CSPARQL, f'{CSPARQL}name = "{{a}}-{{b}}-{{c}}"\n'),
        3,
        "found 100000000 combinations of a, b, c",
    ),
    "a number that no table holds": (grid("x = [100000000000000000000000]"), 8, "numbers up to"),
    "keys that become one": (
        grid("n = [1]").replace(
            'generate = {stations = "{stations}"', 'streams = {"e:{n}" = "{stations}", "e:1" = "b"} #'
        ),
        15,
        "keys become equal: e:{n}",
        "stations = 1, n = 1\n",
    ),
    "no variable": (toml("[[comparisons]]\nperiod = 2\non = 0", engines=""), 20, "expected a text in quotes"),
    "no query of a list": (engine(CSPARQL + "queries = []"), 20, "missing a name; expected Q"),
    "a time as an option": (
        engine('adapter = "x"\nname = "x"\noptions = {since = 2020-01-01T00:00:00Z}'),
        21,
        'found "2020-01-01 00:00:00+00:00"; expected a value of JSON',
    ),
    "an option that is infinite": (
        engine('adapter = "x"\nname = "x"\noptions = {most = inf}'),
        21,
        "a value of JSON",
    ),
    "nothing to run": (toml(engines=""), None, "[[engines]] or [[comparisons]]"),
    "no queries": (toml(queries=""), None, "missing query", "or [[queries]]"),
}


@pytest.mark.parametrize(
    ("text", "line", "words"), [(text, line, words) for text, line, *words in WRONG.values()], ids=WRONG
)
def test_a_wrong_grid_is_told_where_and_what(tmp_path, text, line, words):
    ran = lars("run", experiment(tmp_path, text))
    file = tmp_path / "experiment.toml"
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"lars: {file}: " if line is None else f"lars: {file}:{line}:"), ran.err
    assert [word for word in words if word not in ran.err] == []
    assert ran.err.count("\nwith ") <= 1
    assert "Traceback" not in ran.err


def test_a_placeholder_in_a_query_is_told_at_its_place(tmp_path):
    folder = experiment(tmp_path)
    query = folder / "q.csparql.rq"
    query.write_text(query.read_text().replace("{slide}", "{slid}"))
    ran = lars("run", folder)
    assert ran.code == 2
    assert f"{query}:2:81: found the placeholder {{slid}}; expected {{window}}, {{slide}}" in ran.err


def test_a_query_that_is_none_is_told_with_its_parameters(tmp_path):
    ran = lars("run", experiment(tmp_path, toml(grid=GRID["grid"].replace("[80]", '["> 5"]'))))
    assert ran.code == 2
    assert f"{tmp_path}/q.csparql.rq:3:" in ran.err
    assert 'threshold = "> 5"' in ran.err


AGREE = "[[comparisons]]\nperiod = 5000\n"


@pytest.mark.parametrize(("more", "cells"), [("", 0), (AGREE, 2)])
def test_agree_and_explain_say_that_run_executes_grids(tmp_path, more, cells):
    folder = experiment(tmp_path, toml(more))
    for ran in (lars("agree", folder), lars("explain", folder, "--at", 5, "ans(1)")):
        assert ran.code == 2
        assert f"has {cells} cells that compare push and pull; this command requires exactly one." in ran.err


def test_the_keys_can_be_printed():
    ran = lars("run", "--schema")
    assert ran.code == 0
    assert [
        word for word in ("[[engines]]", "gracious (default: false)", "stations") if word not in ran.out
    ] == []
