"""A trace in several files is the trace in one, for every command and every engine version."""

from random import Random

import pandas as pd
import pytest

from agreement import api
from tests.agreement.command import lars

PREFIX = "PREFIX : <http://e/> "
QUERIES = {
    "cs.rq": "SELECT ?s ?o FROM STREAM :A [RANGE 4s STEP 2s] FROM STREAM :B [RANGE 4s STEP 2s] "
    "WHERE { ?s :a ?v . ?s :b ?o }",
    "cq.rq": "SELECT ?s ?o WHERE { STREAM :A [RANGE 4s] { ?s :a ?v } STREAM :B [RANGE 4s] { ?s :b ?o } }",
    "rq.rq": "SELECT ?s ?o FROM NAMED WINDOW :v ON :A [RANGE PT4S STEP PT2S] "
    "FROM NAMED WINDOW :w ON :B [RANGE PT4S STEP PT2S] "
    "WHERE { WINDOW :v { ?s :a ?v } WINDOW :w { ?s :b ?o } }",
    "js.rq": "SELECT ?s ?v FROM NAMED WINDOW :v ON STREAM :A [RANGE 4000 STEP 2000] "
    "WHERE { WINDOW :v { ?s :a ?v } }",
}
VERSIONS = {
    "csparql-0.9.7": "cs.rq",
    "cqels-1.x": "cq.rq",
    "cqels-2011": "cq.rq",
    "yasper-csparql": "rq.rq",
    "yasper-cqels": "rq.rq",
    "rsp-js-1.3.5": "js.rq",
}
SECONDS = ("--unit", "1s")
COMMANDS = {
    **{f"solve --as {name}": ("solve", query, "--as", name) for name, query in VERSIONS.items()},
    "solve": ("solve", "cq.rq"),
    "judge": ("judge", "cq.rq", "--answers", "answers.ndjson", "--engine", "cqels-1.x"),
    # With one start time, a cause of wrong answers is searched in a quarter of the time.
    "judge by a specification": (
        *("judge", "cs.rq", "--answers", "answers.ndjson", "--engine", "csparql", "--t0", "0"),
    ),
    "compare": ("compare", "cqels", "cqels-1.x", "cq.rq"),
    "agree": ("agree", "cs.rq", "--period", "3"),
    "phase": ("phase", "cs.rq", "--period", "2..4", "--length", "2..4"),
    "shrink": ("shrink", "cs.rq", "--period", "3"),
}


def written(folder, seed=1, files=("whole.nq",)):
    """Write queries, and a trace of two streams to files, the lines of one time in their order."""
    folder.mkdir()
    for name, text in QUERIES.items():
        (folder / name).write_text(PREFIX + text)
    trace, dealt = Random(seed), Random(seed + 1)
    texts = dict.fromkeys(files, "")
    for t in range(1, 30):
        drawn = [
            (trace.choice("AB"), trace.choice("xyz"), trace.randint(1, 3)) for _ in range(trace.randint(0, 3))
        ]
        places = sorted(dealt.randrange(len(files)) for _ in drawn)
        for place, (stream, s, o) in zip(places, drawn, strict=True):
            texts[files[place]] += (
                f'<http://e/{s}> <http://e/{stream.lower()}> "{o}" <http://e/{stream}> "{t}" .\n'
            )
    for name, text in texts.items():
        (folder / name).write_text(text)
    answers = lars(
        "solve", folder / "cq.rq", *(folder / name for name in files), "--as", "cqels-1.x", *SECONDS, "--json"
    )
    (folder / "answers.ndjson").write_text(answers.out)
    return folder


def ran(folder, monkeypatch, command, *traces):
    monkeypatch.chdir(folder)
    query = next(place for place, word in enumerate(command) if word.endswith(".rq"))
    found = lars(*command[: query + 1], *traces, *command[query + 1 :], *SECONDS, "--json")
    assert found.code in {0, 1}, found.err
    return found.code, found.out


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_says_of_the_parts_what_it_says_of_the_whole(tmp_path, monkeypatch, command):
    parts = ("a.nq", "b.nq", "c.nq")
    whole = ran(written(tmp_path / "one", 0), monkeypatch, COMMANDS[command], "whole.nq")
    assert ran(written(tmp_path / "three", 0, parts), monkeypatch, COMMANDS[command], *parts) == whole


EXPERIMENT = """
unit = "1s"
[[queries]]
name = "Q"
csparql = "cs.rq"
cqels = "cq.rq"
rspql = "rq.rq"
[[traces]]
name = "T"
files = {files}
sort = {sort}
[[comparisons]]
period = 3
"""
ENGINES = "".join(
    f'[[engines]]\nengine = "{name}"\nlanguage = "{language}"\nt0 = 0\n'
    for name, language in (
        ("csparql-0.9.7", "csparql"),
        ("cqels-1.x", "cqels"),
        ("yasper-csparql", "rspql"),
        ("yasper-cqels", "rspql"),
    )
)


def tables(folder, files, sort="false"):
    """Return the tables of an experiment on files, and what is warned of."""
    (folder / "experiment.toml").write_text(EXPERIMENT.format(files=list(files), sort=sort) + ENGINES)
    found = lars("run", folder)
    assert found.code == 0, found.err
    results = folder / "results"
    verdicts = pd.concat(
        pd.read_csv(results / name, dtype=str) for name in ("verdicts.csv", "agreements.csv")
    )
    # Cells are called by what they read.
    return verdicts.drop(columns="cell").to_csv(), (results / "summary.txt").read_text(), found.err


@pytest.mark.parametrize("seed", range(3))
def test_an_experiment_finds_of_the_parts_what_it_finds_of_the_whole(tmp_path, seed):
    parts = ("a.nq", "b.nq", "c.nq")
    *whole, _ = tables(written(tmp_path / "one", seed), ["whole.nq"])
    *split, said = tables(written(tmp_path / "three", seed, parts), parts)
    assert (split, "earlier than" in said) == (whole, False)


def test_the_library_says_of_the_parts_what_it_says_of_the_whole(tmp_path):
    parts = ("a.nq", "b.nq")
    one, two = written(tmp_path / "one"), written(tmp_path / "two", files=parts)
    whole = api.compare("cqels", "cqels-1.x", one / "cq.rq", one / "whole.nq", unit="1s")
    split = api.compare("cqels", "cqels-1.x", two / "cq.rq", *(two / name for name in parts), unit="1s")
    assert whole.to_json() == split.to_json()


def in_order_of(path, *keys):
    """Write the lines of a file anew, in the order of the last of the keys, then of those before it."""
    lines = path.read_text().splitlines(keepends=True)
    for key in keys:
        lines.sort(key=key)
    path.write_text("".join(lines))


def is_b(line):
    return "e/B>" in line


def time_of(line):
    return int(line.split('"')[3])


def test_one_file_is_in_the_order_of_arrival_unless_sorted_which_a_run_warns_of(tmp_path):
    folder = written(tmp_path / "one")
    in_order_of(folder / "whole.nq", is_b, time_of)
    *whole, _ = tables(folder, ["whole.nq"])
    in_order_of(folder / "whole.nq", is_b)
    *arrived, said = tables(folder, ["whole.nq"])
    assert (arrived == whole, "has an earlier time than the push before it" in said) == (False, True)
    assert tables(folder, ["whole.nq"], sort="true")[:-1] == (*whole,)


def test_a_file_out_of_order_is_refused_by_a_run_unless_it_is_sorted(tmp_path):
    folder = written(tmp_path / "one")
    path = folder / "whole.nq"
    path.write_text("".join(reversed(path.read_text().splitlines(keepends=True))))
    (folder / "experiment.toml").write_text(EXPERIMENT.format(files=["whole.nq"], sort="false"))
    found = lars("run", folder)
    assert (found.code, "expected times that do not decrease" in found.err) == (2, True)
