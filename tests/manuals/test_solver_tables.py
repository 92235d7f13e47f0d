"""Each format of traces that the solver's manual shows is read, and its cluster's commands."""

import json
import re
from random import Random

import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest

from tests.benchmarks import message_logs
from tests.manuals.pages import BLOCKS, ROOT, rows, snippets
from tests.manuals.running import copied, lines, run
from tests.solver.traces.test_jelly import MESSAGES

FORMATS = rows("solver/README.md", "| format | one element |")
EVALUATORS = rows("solver/README.md", "| `--evaluator` | evaluators |")
QUERY = "SELECT * { STREAM <http://e/S> [RANGE 3s] { ?s ?p ?o } }"
PREFIXES = "@prefix : <http://e/> . @prefix prov: <http://www.w3.org/ns/prov#> .\n"


def times(folder, *traces):
    """Return at which times there are answers."""
    (folder / "q.rq").write_text(QUERY, encoding="utf-8")
    code, out = run(" ".join(("lars solve q.rq --json", *traces)), folder)
    assert code == 0, out
    return [json.loads(line)["t"] for line in out.splitlines()]


def as_lines(folder, row):
    quads = snippets(row[1])[0]
    (folder / "t.nq").write_text(quads + "\n", encoding="utf-8")
    (folder / "t.nt").write_text(quads.replace(" <http://e/S>", "") + "\n", encoding="utf-8")
    assert times(folder, "t.nq") == times(folder, "t.nt") == [17]


def as_trig(folder, row):
    (folder / "t.trig").write_text(PREFIXES + snippets(row[1])[0], encoding="utf-8")
    assert times(folder, "t.trig") == [17]


def as_table(folder, row):
    (folder / "t.csv").write_text("\n".join(snippets(row[1])) + "\n", encoding="utf-8")
    options = pyarrow.csv.ParseOptions(quote_char='"', double_quote=True)
    table = pyarrow.csv.read_csv(folder / "t.csv", parse_options=options)
    pyarrow.parquet.write_table(table, folder / "t.parquet")
    pyarrow.feather.write_feather(table, folder / "t.feather")
    (folder / "t.jsonl").write_text(json.dumps(table.to_pylist()[0]) + "\n")
    for name in ("t.csv", "t.parquet", "t.feather", "t.jsonl"):
        assert times(folder, name) == [17]


def as_folder(folder, row):
    (folder / "data").mkdir()
    for name in snippets(row[1]):
        (folder / "data" / name).write_text(f"{PREFIXES}:ann :in :hall .", encoding="utf-8")
    assert times(folder, "data") == [0, 1]


def as_atoms(folder, row):
    (folder / "s.atoms").write_text(snippets(row[1])[0], encoding="utf-8")
    (folder / "p.lars").write_text("in(X) ← enter(X, D).", encoding="utf-8")
    assert run("lars solve p.lars s.atoms --from 3", folder) == (0, "3: {in(bob), in(cid)}\n")


def as_log(folder, row):
    (folder / "t.log").write_text(snippets(row[1])[0], encoding="utf-8")
    (folder / "p.lars").write_text("in(X) ← alpha(X), off.", encoding="utf-8")
    assert run("lars solve p.lars t.log --from 1", folder)[1].endswith("{in(25)}\n")


def as_shown(name, expected):
    """Return the reader of a format whose example is a block of the page."""

    def read(folder, row):
        (example,) = (part.text for part in BLOCKS["solver/README.md"] if part.note == name)
        (folder / name).write_text(example, encoding="utf-8")
        assert times(folder, name) == expected

    return read


def as_document(folder, row):
    graph = snippets(row[1])[0].replace("[..]", '[{"@id": "http://e/ann", "http://e/in": "hall"}]')
    context = '{"@context": {"prov": "http://www.w3.org/ns/prov#", "@base": "http://e/"}, '
    (folder / "t.jsonld").write_text(context + graph[1:], encoding="utf-8")
    assert times(folder, "t.jsonld") == [17]


def as_frames(folder, row):
    pytest.importorskip("pyjelly")
    (folder / "t.jelly").write_bytes(message_logs.written_frames(Random(1), MESSAGES))
    assert times(folder, "t.jelly") == [1, 2]


READERS = {"timed": as_lines, "TriG": as_trig, "CSV": as_table, "folder": as_folder, "atoms": as_atoms}
READERS |= {
    "[messages]": as_shown("log.ttl", [1, 2]),
    "[JSON-LD lines]": as_shown("hall.ndjsonld", [1, 2]),
    "[a page of LDES]": as_shown("page.ttl", [17, 19]),
    "[JSON-LD]": as_document,
    "[Jelly]": as_frames,
    "log of I-DLV-sr": as_log,
}


@pytest.mark.parametrize("row", FORMATS, ids=lambda row: row[0])
def test_each_format_of_a_trace_is_read(row, tmp_path):
    (reader,) = (reader for beginning, reader in READERS.items() if row[0].startswith(beginning))
    reader(tmp_path, row)


def test_the_evaluators_are_those_that_can_be_chosen(tmp_path):
    (choices,) = re.findall(r"--evaluator ([a-z|]+)", run("lars solve --help", tmp_path)[1])
    assert [snippets(row[0])[0] for row in EVALUATORS] == choices.split("|")


def test_a_cluster_changes_nothing(tmp_path):
    """That Spark gives what one process does is tested where both are; here they are the same command."""
    copied(tmp_path)
    first, second = (b for b in BLOCKS["solver/README.md"] if b.note == "cluster")
    commands = [re.sub(r"--master \S+", "--in-process", line) for line in lines(first)]
    assert len(set(commands)) == 1
    assert run(commands[0], tmp_path)[0] == 0
    (script,) = re.findall(r"(\S+\.py) agree", second.text)
    assert "agree" in run(f"python {ROOT / script} --help", tmp_path)[1]
    assert re.findall(r"-o (\S+)", second.text) == re.findall(r"--archives (\S+)#environment", second.text)
