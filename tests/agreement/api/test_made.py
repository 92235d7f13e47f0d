"""What leaves files behind, and what checks them: each call does what its command does."""

import json

import pytest

from agreement import api
from tests.agreement.command import lars
from tests.packs import SAMPLES

DOOR = (SAMPLES / "door" / "door.lars", SAMPLES / "door" / "door.atoms")


def bytes_in(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_run_writes_the_tables_of_the_command_and_returns_them(tmp_path, capfd):
    found = api.run(SAMPLES / "slide", out=tmp_path / "one")
    assert capfd.readouterr() == ("", "")
    ran = lars("run", SAMPLES / "slide", "--out", tmp_path / "other")
    assert found.text == ran.out.rstrip("\n")
    assert bytes_in(tmp_path / "one") == bytes_in(tmp_path / "other")
    assert [(row["period"], row["agree"]) for row in found.to_json()["agreements"]] == [(3, False)]
    assert found.to_pandas("agreements")["disagreeing"].tolist() == [1]
    assert (len(found.cells), found.refused, found.folder) == (1, {}, tmp_path / "one")
    found.write_report(tmp_path / "page.html")
    assert "A slide hides new input" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_an_export_is_that_of_the_command(tmp_path):
    found = api.export(*DOOR, to="asp", out=tmp_path / "one", until=4)
    ran = lars("export", *DOOR, "--to", "asp", "--out", tmp_path / "other", "--until", 4)
    assert found.text.replace("one", "other", 1) == ran.out.rstrip("\n")
    assert bytes_in(tmp_path / "one") == bytes_in(tmp_path / "other")
    with pytest.raises(api.LarsError, match="exists already; use another name, or overwrite=True"):
        api.export(*DOOR, to="asp", out=tmp_path / "one")
    with pytest.raises(api.LarsError, match=r'clock=.* requires to="ticker"'):
        api.export(*DOOR, to="asp", out=tmp_path / "two", clock="2s")


def test_a_made_up_stream_is_that_of_the_command(tmp_path):
    found = api.generate(tmp_path / "one.nq", stations=3, duration="4s", seed=7, arrivals="poisson")
    words = ("--stations", 3, "--duration", "4s", "--seed", 7, "--arrivals", "poisson")
    ran = lars("generate", tmp_path / "other.nq", *words)
    assert (tmp_path / "one.nq").read_bytes() == (tmp_path / "other.nq").read_bytes()
    assert found.text.replace("one.nq", "other.nq") == ran.out.rstrip("\n")
    assert len((tmp_path / "one.nq").read_text().splitlines()) == found.triples
    with pytest.raises(api.LarsError, match="arrivals='often': expected regular, poisson"):
        api.generate(tmp_path / "two.nq", arrivals="often")


def test_an_answer_is_checked_as_by_the_command(tmp_path):
    answer = json.dumps({"t": 1, "answer_streams": [["guard(ann)"]]}) + "\n"
    (tmp_path / "answer").write_text(answer)
    found = api.check(*DOOR, answer=answer, at=1)
    ran = lars("check", *DOOR, "--answer", tmp_path / "answer", "--at", 1)
    assert (found.correct, ran.code) == (False, 1)
    assert found.text == ran.out.rstrip("\n")
    right = api.solve(*DOOR, to=1).text + "\n"
    assert api.check(*DOOR, answer=right, at=1).correct


def test_an_answer_read_back_is_that_of_the_export(tmp_path):
    api.export(*DOOR, to="asp", out=tmp_path / "door", until=2)
    with pytest.raises(api.LarsError, match="nowhere: no such file"):
        api.read_export("nowhere", tmp_path / "door" / "legend.json")
