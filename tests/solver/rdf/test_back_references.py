"""Back-references are matched apart from the program, so that none can hold it up."""

import os
import threading
import time
from functools import cache
from warnings import catch_warnings

import pytest

from lars.errors import FailedRunError
from lars.language.terms import Literal
from solver.rdf import back_references, functions
from solver.rdf.functions import matches, replace_matches


def test_a_pattern_that_takes_too_long_ends_the_run_and_the_next_is_matched(monkeypatch):
    monkeypatch.setattr(back_references, "_PATIENCE", 0.5)
    with pytest.raises(FailedRunError, match=r'"\^\(a\+\)\+\\1b\$" takes more than'):
        matches(Literal("a" * 40), Literal(r"^(a+)+\1b$"))
    assert matches(Literal("abab"), Literal(r"^(ab)\1$")).lexical == "true"


def test_other_threads_go_on_while_a_pattern_is_matched(monkeypatch):
    monkeypatch.setattr(back_references, "_PATIENCE", 0.5)
    ticks = []
    ticking = threading.Thread(target=lambda: [ticks.append(time.sleep(0.02)) for _ in range(10)])
    ticking.start()
    with pytest.raises(FailedRunError):
        matches(Literal("a" * 41), Literal(r"^(a+)+\1b$"))
    assert len(ticks) == 10


def test_each_match_is_replaced_by_its_own_groups():
    assert replace_matches(Literal("xaa-bb"), Literal(r"(.)\1|(z)"), Literal("<$1$2>")).lexical == "x<a>-<b>"


def test_python_says_nothing_of_expressions_that_it_may_read_otherwise_later():
    with catch_warnings(action="error"):
        assert functions._python(r"([a||b])\1", "", "") is not None


def test_a_pattern_too_large_for_automata_is_matched_and_a_wrong_one_is_an_error():
    assert matches(Literal("b" + "a" * 60000), Literal("a{50000}$")).lexical == "true"
    assert matches(Literal("b" + "a" * 6000), Literal("a{50000}$")).lexical == "false"
    assert matches(Literal("a"), Literal("a{2000,1000}")) is None


def test_an_interrupted_question_is_not_answered_to_the_next_one(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(back_references, "select", interrupted)
    with pytest.raises(KeyboardInterrupt):
        matches(Literal("abab"), Literal(r"^(ab)\1$"))
    monkeypatch.undo()
    assert matches(Literal("abb"), Literal(r"^(ab)\1$")).lexical == "false"


def test_the_process_that_matches_is_started_anew_where_it_has_ended():
    process = back_references._process(os.getpid())
    process.kill()
    process.wait()
    assert matches(Literal("abab"), Literal(r"^(ab)\1$")).lexical == "true"


def test_a_process_that_ends_at_a_question_fails_the_run(monkeypatch):
    script = "input()"
    words = [back_references.sys.executable, "-I", "-S", "-c", script]
    pipe = back_references.subprocess.PIPE
    process = back_references.subprocess.Popen(words, stdin=pipe, stdout=pipe)
    with monkeypatch.context() as patched:
        patched.setattr(back_references, "_process", cache(lambda _: process))
        with pytest.raises(FailedRunError, match="has ended, perhaps because memory is short"):
            matches(Literal("abab"), Literal(r"^(ab)\1$"))
    assert matches(Literal("abab"), Literal(r"^(ab)\1$")).lexical == "true"
