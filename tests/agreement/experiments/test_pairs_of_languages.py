"""Two queries in an experiment are compared as the same two queries on the command line."""

import csv
import json
import shlex
from itertools import combinations

import pytest

from tests.agreement.command import lars
from tests.translate.dialects.crowd import framed
from translate.model.query import Language

SPOKEN = [language for language in Language if language is not Language.JANUS]
"""The languages that a text reveals; without a log, a query of Janus is read as RSP-QL."""
PAIRS = list(combinations(SPOKEN, 2))
STREAMS = {"http://example.org/doors": "doors.nt", "doors": "again.nt"}
"""The stream of the queries; the name of a stream in CQELS 2 is no IRI."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with one query per language, each about a predicate and a row of its own."""
    found = tmp_path_factory.mktemp("languages")
    triples = [
        f'<http://example.org/of-{one.value}> <http://example.org/{one.value}> "1" "{t}" .\n'
        for t in (1, 4)
        for one in Language
    ]
    for name in STREAMS.values():
        (found / name).write_text("".join(triples))
    for one in Language:
        parts = {"form": "SELECT ?a", "triple": f"?a :{one.value} ?b .", "rest": "", "tail": ""}
        text = framed(one, head="PREFIX : <http://example.org/>", **parts)
        (found / f"{one.value}.rq").write_text(text)
    return found


def experiment(folder, languages, *lines):
    """Return the path of an experiment with the queries in some languages."""
    queries = [f'{one.value} = "{one.value}.rq"' for one in languages]
    streams = [f'"{stream}" = "{name}"' for stream, name in STREAMS.items()]
    path = folder / f"{'-'.join(one.value for one in languages)}.toml"
    path.write_text("\n".join((*queries, *lines, "[streams]", *streams, "")))
    return path


def inputs(folder, languages):
    """Return the same input on the command line."""
    queries = [folder / f"{one.value}.rq" for one in languages]
    return *queries, *(f"--stream={stream}={folder / name}" for stream, name in STREAMS.items())


def told(command, *arguments):
    """Return the exit code and the JSON document of a command, or its error."""
    found = lars(command, *arguments, "--json")
    return found.code, found.json if found.out else found.err.splitlines()[-1]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: "-".join(one.value for one in pair))
def test_a_folder_means_what_its_queries_mean_on_the_command_line(folder, pair):
    code, document = told("agree", *inputs(folder, pair))
    assert (code, document) == told("agree", experiment(folder, pair))
    if code != 2:
        rows = json.dumps(document)
        assert all(f"of-{one.value}" in rows for one in pair)


def _alike(folder, languages):
    """Write the same question in each language, and return the queries."""
    parts = {"form": "SELECT ?a", "triple": "?a :cqels ?b .", "rest": "", "tail": ""}
    for one in languages:
        text = framed(one, head="PREFIX : <http://example.org/>", **parts)
        (folder / f"{one.value}.rq").write_text(text)
    return [folder / f"{one.value}.rq" for one in languages]


@pytest.mark.parametrize("alike", [True, False], ids=["alike", "apart"])
@pytest.mark.parametrize(
    "languages", [*((one,) for one in SPOKEN), *PAIRS], ids=lambda some: "-".join(one.value for one in some)
)
def test_each_command_that_a_new_experiment_proposes_runs(folder, tmp_path, languages, alike):
    streams = inputs(folder, languages)[len(languages) :]
    queries = _alike(tmp_path, languages) if alike else inputs(folder, languages)[: len(languages)]
    made = lars("init", tmp_path / "new", *queries, *streams)
    (line,) = (text for text in made.out.splitlines() if text.startswith("next: "))
    commands = [shlex.split(text)[1:] for text in line.removeprefix("next: ").split(" · ")]
    for command in commands:
        ran = lars(*command)
        assert ran.code in (0, 1), (command, ran.err)
    # Each command that is left out would end with an error.
    for name in {"agree", "decide"} - {command[0] for command in commands}:
        assert lars(name, tmp_path / "new").code == 2


ALL_STREAMS = [pair for pair in PAIRS if Language.KOLIBRIE in pair or Language.CQELS2 in pair]


@pytest.mark.parametrize("pair", ALL_STREAMS, ids=lambda pair: "-".join(one.value for one in pair))
@pytest.mark.parametrize("command", ["decide", "witness"])
def test_a_question_about_all_streams_is_about_the_same_queries(folder, pair, command):
    files = [folder / f"{one.value}.rq" for one in pair]
    (code, document), own = told(command, *files), told(command, experiment(folder, pair))
    if code == 2:
        # An error of two queries of one side names a file, or the experiment.
        cause = document.partition(": ")[2].partition(": ")[2]
        assert own[0] == code
        assert cause in own[1]
    else:
        assert own == (code, document)


KOLIBRIE = Language.KOLIBRIE, Language.CQELS


@pytest.mark.parametrize("command", ["phase", "shrink"])
def test_a_search_on_a_trace_is_about_the_same_queries(folder, command):
    result = told(command, experiment(folder, KOLIBRIE))
    assert result == told(command, *inputs(folder, KOLIBRIE))
    assert result != told(command, experiment(folder, [Language.CQELS], "period = 2"))


def test_a_run_compares_both_queries(folder, tmp_path):
    found = lars("run", experiment(folder, KOLIBRIE), "--out", tmp_path / "results")
    assert "query (pull)" not in found.err
    (row,) = csv.DictReader((tmp_path / "results/agreements.csv").read_text().splitlines())
    assert (row["variant"], row["period"], row["push_only"], row["pull_only"]) == ("given", "2", "2", "2")


@pytest.mark.parametrize(("mode", "language"), [("pull", "kolibrie"), ("push", "cqels")])
def test_a_mode_chooses_the_query_that_a_comparison_evaluates_so(folder, mode, language):
    path = experiment(folder, KOLIBRIE)
    assert f"of-{language}" in lars("solve", path, "--mode", mode).out
    explained = lars("explain", path, "--mode", mode, "--at", 2 if mode == "pull" else 1, "ans(?a)")
    assert f"of-{language}" in explained.out, explained.err


def test_an_experiment_explains_the_query_of_each_engine(folder):
    path = experiment(folder, KOLIBRIE)
    for language in ("kolibrie", "cqels"):
        at = "--engine", language, "--at", 2 if language == "kolibrie" else 1
        assert f"of-{language}" in lars("explain", path, *at, "ans(?a)").out
    other = lars("explain", path, "--engine", "rspql", "--at", 2, "ans(?a)")
    assert "the experiment has no query in RSP-QL; use --engine cqels or --engine kolibrie" in other.err


def test_a_command_explains_push_of_a_language_that_is_usually_pulled(folder):
    pair = Language.CSPARQL, Language.KOLIBRIE
    for given in ([experiment(folder, pair)], inputs(folder, pair)):
        printed = [line for line in lars("agree", *given).out.splitlines() if "explain" in line]
        pushed = next(line for line in printed if "--mode push" in line)
        found = lars(*shlex.split(pushed)[1:])
        assert "of-kolibrie" in found.out, (pushed, found.err)


def test_three_queries_of_an_experiment_are_no_comparison(folder):
    three = experiment(folder, (*KOLIBRIE, Language.RSPQL))
    for command in ("agree", "run", "decide"):
        found = lars(command, three)
        assert found.code == 2
        assert "cannot compare two queries that both are pulled (RSP-QL and Kolibrie)" in found.err


@pytest.mark.parametrize("languages", [KOLIBRIE, [Language.CSPARQL]], ids=["kolibrie-cqels", "csparql"])
@pytest.mark.parametrize("command", ["witness", "shrink"])
def test_a_stream_is_written_with_the_queries_and_the_step_of_its_comparison(
    folder, tmp_path, command, languages
):
    found = lars(command, experiment(folder, languages), "--out", tmp_path / "out")
    assert found.code == 1, found.err
    assert 'period = "2s"' in (tmp_path / "out/experiment.toml").read_text()
    assert lars("agree", tmp_path / "out").code == 1
