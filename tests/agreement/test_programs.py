"""Programs written by hand through the real command: answer streams, consequences, refusals."""

import pytest

from tests.agreement.command import SAMPLES, lars

DOOR = (SAMPLES / "door" / "door.lars", SAMPLES / "door" / "door.atoms")
LOOP = "p ← not q, e. q ← not p, e. r ← p. r ← q. ← f."
STREAM = "1: e.\n2: e f.\n3:\n"


def solved(folder, text, stream, *options):
    (folder / "p.lars").write_text(text)
    (folder / "s.atoms").write_text(stream)
    return lars("solve", folder / "p.lars", folder / "s.atoms", "--in-process", *options)


def test_no_answer_stream_is_told_apart_from_the_empty_one(tmp_path):
    assert solved(tmp_path, LOOP, STREAM).out.splitlines() == [
        "0: {}",
        "1: {p, r} | {q, r}",
        "2: no answer stream",
        "3: {}",
    ]
    assert [line["answer_streams"] for line in solved(tmp_path, LOOP, STREAM, "--json").lines] == [
        [[]],
        [["p", "r"], ["q", "r"]],
        [],
        [[]],
    ]


def test_brave_and_cautious_are_null_without_an_answer_stream(tmp_path):
    brave = solved(tmp_path, LOOP, STREAM, "--brave", "--json").lines
    assert [line["brave"] for line in brave] == [[], ["p", "q", "r"], None, []]
    cautious = solved(tmp_path, LOOP, STREAM, "--cautious").out.splitlines()
    assert cautious == ["0: {}", "1: {r}", "2: no answer stream", "3: {}"]


def test_some_of_the_answer_streams_say_that_there_are_more(tmp_path):
    one = solved(tmp_path, LOOP, STREAM, "--models", "1")
    assert one.out.splitlines()[1] in ("1: {p, r} | …", "1: {q, r} | …")
    two = solved(tmp_path, LOOP, STREAM, "--models", "2", "--json").lines[1]
    assert (len(two["answer_streams"]), two["more"]) == (2, False)
    assert solved(tmp_path, LOOP, STREAM, "--models", "all").out == solved(tmp_path, LOOP, STREAM).out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--models", "0"), "--models 0: accepted: all, or a number from 1"),
        (("--brave", "--cautious"), "accepted: one of --models, --brave and --cautious"),
        (("--models", "2", "--brave"), "accepted: one of --models, --brave and --cautious"),
    ],
)
def test_wrong_wishes_are_one_message(tmp_path, options, words):
    ran = solved(tmp_path, LOOP, STREAM, *options)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err


@pytest.mark.parametrize(
    "window", ["#2", "#2 all", "#2 choose", "#1 by 1", "#1 by predicate choose", "5 low-open", "3,0,2"]
)
def test_spark_and_one_process_print_the_same(tmp_path, window):
    stream = "".join(f"{t}: f({t % 7}, a) f({t % 5}, b) g({t % 3}).\n" for t in range(0, 40, 3))
    rules = f"p(X) ← ⊞^{{{window}}} ◇ f(X, Y), not g(X). ← p(3), p(4). @_T q ← ⊞^{{{window}}} @_T g(2)."
    local = solved(tmp_path, rules, stream)
    spark = lars("solve", tmp_path / "p.lars", tmp_path / "s.atoms")
    assert (local.code, local.out) == (0, spark.out)


def test_the_door_is_kept_on_spark_as_in_one_process():
    assert lars("solve", *DOOR).out == lars("solve", *DOOR, "--in-process").out
