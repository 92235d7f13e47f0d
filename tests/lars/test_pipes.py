"""A pipe can be read only once, but a command may need its text more than once."""

import os
from pathlib import Path
from threading import Thread
from time import sleep

import pytest

from lars.files import read_text
from solver.traces.input_files import readable
from tests.agreement.command import lars
from tests.packs import SAMPLES


def piped(text):
    reading, writing = os.pipe()
    os.write(writing, text.encode())
    os.close(writing)
    return Path(f"/dev/fd/{reading}")


def test_a_pipe_has_the_same_text_when_it_is_read_again():
    one, other = piped("a"), piped("b")
    assert [read_text(path, "a text") for path in (one, other, one)] == ["a", "b", "a"]


@pytest.mark.parametrize(
    "reading", [lambda path: read_text(path, "a text"), lambda path: readable(path).read_text()]
)
def test_a_new_pipe_with_the_inode_of_a_deleted_pipe_has_its_own_text(tmp_path, reading):
    """A program that calls the functions of lars again and again gives the pipes the same name."""
    pipe, found = tmp_path / "pipe", []
    for text in "ab":
        os.mkfifo(pipe)
        writer = Thread(target=pipe.write_text, args=(text,), daemon=True)
        writer.start()
        found.append([reading(pipe), reading(pipe)])
        pipe.unlink()
        sleep(0.02)  # The file system counts time in ticks.
    assert found == [["a", "a"], ["b", "b"]]


def test_the_query_and_the_answers_of_judge_come_from_pipes():
    folder = SAMPLES / "judged/met"
    query, trace = folder / "query.cqels.rq", folder / "doors.nq"
    answers = folder / "answers.cqels.ndjson"
    given = lars("judge", query, trace, "--answers", answers, "--json")
    found = lars("judge", piped(query.read_text()), trace, "--answers", piped(answers.read_text()), "--json")
    assert (found.code, found.json["correct"]) == (given.code, given.json["correct"])
