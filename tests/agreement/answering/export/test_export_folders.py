"""`lars export`: a folder that is there whole or not at all, and calls that say too little or too much."""

import pytest

from tests.agreement.command import lars
from tests.packs import SAMPLES

DOOR = (SAMPLES / "door/door.lars", SAMPLES / "door/door.atoms")


def test_a_folder_is_replaced_when_asked_for_and_is_an_export(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    first = lars("export", *DOOR, "--to", "asp", "-o", out)
    assert first.code == 0, first.err
    again = lars("export", *DOOR, "--to", "asp", "-o", out)
    assert (again.code, "exists already; use another name, or --overwrite" in again.err) == (2, True)
    assert lars("export", *DOOR, "--to", "asp", "-o", out, "--overwrite", "--until", "2").code == 0
    assert "for t in 0 1 2; do" in (out / "run.sh").read_text()


def test_a_folder_with_something_else_is_never_replaced(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/notes.txt").write_text("mine")
    ran = lars("export", *DOOR, "--to", "asp", "-o", tmp_path / "out", "--overwrite")
    assert (ran.code, "notes.txt in it is not a file of an export" in ran.err) == (2, True)
    assert (tmp_path / "out/notes.txt").read_text() == "mine"
    assert len(list(tmp_path.iterdir())) == 1


QUERY, DOOR_TRIG = SAMPLES / "slide/query.cqels.rq", SAMPLES / "slide/door.trig"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            (*DOOR,),
            "missing --to ticker|asp, -o DIR; expected PROGRAM TRACE.. --to ticker|asp -o DIR, or --read",
        ),
        (
            (*DOOR, "--to", "asp"),
            "missing -o DIR; expected PROGRAM TRACE.. --to ticker|asp -o DIR, or --read",
        ),
        ((*DOOR, "--to", "laser", "-o", "out"), "'laser' is not one of 'ticker', 'asp'"),
        (
            (*DOOR, "--to", "asp", "-o", "out", "--reasoner", "clingo"),
            "--reasoner requires --to ticker",
        ),
        ((*DOOR, "--to", "asp", "-o", "none/out"), "the folder none does not exist"),
        (
            (*DOOR, "--to", "asp", "-o", str(DOOR[0])),
            "door.lars: cannot write the folder: a file has this name; use another name",
        ),
        ((*DOOR, "--to", "asp", "-o", "out", "--mode", "push"), "--mode"),
        (
            (*DOOR, "--to", "ticker", "-o", "out", "--from", "10000", "--until", "10000"),
            "the timeline ends at 10000",
        ),
        (
            (*DOOR, "--to", "asp", "-o", "out", "--until", "10000"),
            "more than 10000 evaluation times from 0 to 10000; use a shorter",
        ),
        (
            (*DOOR, "--to", "asp", "-o", "out", "--from", "1073741825", "--until", "1073741825"),
            "the timeline ends at 1073741825, but clingo requires an end of at most 1073741824",
        ),
        (
            (
                QUERY,
                DOOR_TRIG,
                "--to",
                "asp",
                "-o",
                "out",
                "--mode",
                "pull",
                "--period",
                "3",
                "--until",
                "60000",
            ),
            "more than 10000 evaluation times from 0 to 60000",
        ),
        ((*DOOR, "--to", "ticker", "-o", "out", "--clock", "0s"), "--clock"),
        (("--read", "o.txt"), "expected --read OUTPUT --legend legend.json"),
        ((DOOR[0], "--read", "o.txt", "--legend", "l.json"), "with --read, which prints"),
        (
            ("--read", str(DOOR[1]), "--legend", "l.json"),
            "l.json: no such file; expected the file legend.json",
        ),
        (("--read", str(DOOR[1]), "--legend", str(DOOR[1])), "door.atoms:1:"),
        (
            (QUERY, "--to", "asp", "-o", "out", "--stream", "http://example.org/door=none.trig"),
            "none.trig: no such file",
        ),
        ((QUERY, "--to", "asp", "-o", "out"), "no trace given"),
        (
            (QUERY, DOOR_TRIG, "--to", "asp", "-o", "out", "--period", "3"),
            "--period requires --mode pull, because a CQELS query is evaluated by push if no mode is given",
        ),
        (
            (QUERY, DOOR_TRIG, "--to", "asp", "-o", "out", "--mode", "push", "--until", "0"),
            "no evaluation time",
        ),
    ],
)
def test_what_cannot_be_exported_is_one_message(arguments, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = lars("export", *arguments)
    assert (ran.code, ran.out, said in ran.err) == (2, "", True), ran.err
    assert not list(tmp_path.iterdir())
