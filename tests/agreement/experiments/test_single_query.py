"""An experiment's folder says to every command what its files and options would say."""

import json

import pytest

from agreement import api
from tests.agreement.command import lars
from tests.packs import SAMPLES

FOLDER = SAMPLES / "coupons"
FILES = [FOLDER / name for name in ("coupons.trig", "locations.trig")]
INPUT = [
    *("--unit", "1min", "--static", FOLDER / "products.ttl"),
    *("--stream", f"http://example.org/coupons={FILES[0]}"),
    *("--stream", f"http://example.org/locations={FILES[1]}"),
]
CS, CQ = FOLDER / "query.csparql.rq", FOLDER / "query.cqels.rq"
SPAN = ("--from", "0", "--to", "50")
CALLS = {
    "solve": (("solve",), (CS, *SPAN, *INPUT)),
    "solve, pushed": (("solve", "--mode", "push"), (CQ, *SPAN, *INPUT)),
    "solve, of CQELS": (("solve", "--engine", "cqels", "--to", "20"), (CQ, "--from", "0", *INPUT)),
    "solve, reported": (("solve", "--as", "csparql", "--json"), (CS, *SPAN, *INPUT)),
    "translate": (("translate",), (CS, "--unit", "1min")),
    "translate, model": (("translate", "--format", "model", "--engine", "cqels"), (CQ, "--unit", "1min")),
    "translate, sql": (("translate", "--format", "sql"), (CS, *INPUT)),
    "translate, asp": (("translate", "--format", "asp", "--at", "18"), (CS, *INPUT)),
    "compare versions": (("compare", "csparql", "csparql-0.9.7"), (CS, *INPUT)),
    "compare languages": (("compare", "csparql", "cqels"), (CS, CQ, *INPUT)),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_folder_says_what_files_and_options_say(call):
    words, instead = CALLS[call]
    by_folder, by_files = lars(*words, FOLDER), lars(*words, *instead)
    assert by_folder.out == by_files.out
    assert by_folder.code == by_files.code
    assert by_folder.out


def test_one_value_of_each_parameter_is_no_grid(tmp_path):
    (tmp_path / "t.nq").write_text('<e:a> <e:p> <e:b> <e:s> "1" .\n')
    (tmp_path / "q.rq").write_text("SELECT ?a { STREAM <e:s> [RANGE 2s] { ?a <e:p> ?b } }")
    text = 'files = "{n}.nq"\ncqels = "{q}.rq"\nperiod = "{U}"\n[grid]\nn = ["t"]\nq = ["q"]\nU = [2]'
    (tmp_path / "experiment.toml").write_text(text)
    assert [len(one["rows"]) for one in lars("solve", tmp_path, "--json").lines] == [1]
    assert lars("agree", tmp_path).code == 0
    (tmp_path / "experiment.toml").write_text('files = ["t.nq", "./t.nq"]\ncqels = "q.rq"\nperiod = 2')
    for command in ("agree", "solve"):
        assert "twice" in lars(command, tmp_path).err


def test_every_command_counts_in_the_unit_that_fits_the_whole_experiment(tmp_path):
    pattern = "{ ?a <e:p> ?b }"
    (tmp_path / "t.nq").write_text('<e:a> <e:p> <e:b> <e:s> "4" .\n')
    (tmp_path / "p.rq").write_text(f"SELECT ?a {{ STREAM <e:s> [RANGE 500ms] {pattern} }}")
    asked = "REGISTER QUERY q AS SELECT ?a FROM STREAM <e:s> [RANGE 1s STEP 1s]"
    (tmp_path / "q.rq").write_text(f"{asked} {pattern}")
    text = 'files = "t.nq"\ncqels = "p.rq"\ncsparql = "q.rq"\nperiod = 2'
    (tmp_path / "experiment.toml").write_text(text)
    for words, unit in (((), 500), (("--period", "250ms"), 250)):
        found = lars("solve", tmp_path, "--engine", "csparql", "--json", *words)
        assert f"one time point is {unit}ms" in found.err
        assert [one["t"] for one in found.lines if one["rows"]] == [4], found.err


def test_a_judged_folder_says_what_files_say(tmp_path):
    answers = tmp_path / "a.json"
    answers.write_text(lars("solve", FOLDER, "--as", "csparql", "--json").out)
    call = ("judge", "--answers", answers, "--engine", "csparql", "--json")
    assert lars(*call, FOLDER).json == lars(*call, CS, *INPUT).json
    assert lars(*call, FOLDER).json["correct"] is True


def test_an_exported_folder_says_what_files_say(tmp_path):
    assert lars("export", FOLDER, "--to", "asp", "--out", tmp_path / "a").code == 0
    assert (
        lars(
            "export", CS, "--to", "asp", "--out", tmp_path / "b", "--until", "50", "--from", "0", *INPUT
        ).code
        == 0
    )
    for file in ("program.lp", "stream.lp"):
        assert (tmp_path / "a" / file).read_text() == (tmp_path / "b" / file).read_text()


def test_python_takes_folders_too():
    found = api.solve(FOLDER, as_="csparql", to=20)
    assert json.dumps(found.to_json()) == json.dumps(api.solve(str(FOLDER), as_="csparql", to=20).to_json())
    assert api.translate(FOLDER).text.startswith("ans")


def test_which_query_is_asked_is_said_where_nobody_chose(tmp_path):
    assert "the command uses the query" in lars("solve", FOLDER, "--to", "3").err
    assert "the command uses the query" not in lars("solve", FOLDER, "--to", "3", "--engine", "csparql").err
    text = (FOLDER / "experiment.toml").read_text().replace('"query.csparql.rq"', "{text = 'SELECT'}")
    for file in FOLDER.iterdir():
        if file.is_file():
            (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "experiment.toml").write_text(text)
    found = lars("solve", tmp_path)
    assert found.code == 2
    assert "csparql: found the text of a query; this command requires the path of a file" in found.err
