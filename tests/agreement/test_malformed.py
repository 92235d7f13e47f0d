"""Unusable input of every kind: one message that says where, what was found and what is accepted."""

import re
from pathlib import Path

import pytest

from tests.agreement.command import lars
from tests.agreement.malformed import CASES, GOOD, MORE, Case

ROOT = Path(__file__).parents[2]
PLACE = re.compile(r"lars: [^\n]+?:\d+:\d+: ")


def write(folder: Path, case: Case) -> None:
    for name, content in (GOOD | MORE | ({case.file: case.content} if case.file else {})).items():
        data = content if isinstance(content, bytes) else content.encode()
        (folder / name).write_bytes(data)


def in_process(command: str) -> list[str]:
    words = re.split(r" +", command.strip())
    return (
        words if words[0] == "translate" or words[0] not in ("solve", "agree") else [*words, "--in-process"]
    )


@pytest.mark.parametrize("name", CASES)
def test_an_unusable_input_gives_exit_code_2_and_one_message(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, CASES[name])
    ran = lars(*in_process(CASES[name].command))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("lars: ")
    assert ran.err.count("lars: ") == 1
    assert "Traceback" not in ran.err
    assert [text for text in CASES[name].says if text not in ran.err] == [], ran.err
