"""Readings: what a document leaves open, each value as its own definition of a window's content."""

import random

import pytest

from agreement import api
from agreement.documents.requests import Around, absolute_text, reading_as
from tests.agreement.command import lars
from translate.dialects import read_query

PATTERN = "?s <urn:p> ?o"
CQELS2 = f"SELECT ?s FROM STREAM S [{{}}] WHERE {{{{ STREAM S {{{{ {PATTERN} }}}} }}}}"
JANUS = (
    f"SELECT ?s FROM NAMED WINDOW <w> ON LOG <urn:S> [{{}}] WHERE {{{{ WINDOW <w> {{{{ {PATTERN} }}}} }}}}"
)
CQELS = f"SELECT ?s {{{{ STREAM <urn:S> [{{}}] {{{{ {PATTERN} }}}} }}}}"
CSPARQL = f"SELECT ?s FROM STREAM <urn:S> [{{}}] WHERE {{{{ {PATTERN} }}}}"
RSPQL = f"SELECT ?s FROM NAMED WINDOW <w> ON <urn:S> [{{}}] WHERE {{{{ WINDOW <w> {{{{ {PATTERN} }}}} }}}}"
SPARQ = f"SELECT ?s FROM NAMED WINDOW <w> ON <urn:S> {{}} WHERE {{{{ WINDOW <w> {{{{ {PATTERN} }}}} }}}}"
CASES = {
    "range-alone=sliding": [
        (CQELS2, "RANGE 5s", lambda t, u: t - 5 <= u <= t),
        (RSPQL, "RANGE 5", lambda t, u: t - 5 <= u <= t),  # of Kolibrie
        (SPARQ, "RANGE 5", lambda t, u: t - 5 <= u <= t),
        (SPARQ, "RANGE 5 T0 2", lambda t, u: t >= 7 and t - 5 <= u < t),
    ],
    "range-alone=tumbling": [
        (CQELS, "RANGE 5s", lambda t, u: t // 5 * 5 - 5 <= u <= t // 5 * 5),
        (CSPARQL, "RANGE 5s", lambda t, u: t // 5 * 5 - 5 <= u <= t // 5 * 5),
        (RSPQL, "RANGE PT5S", lambda t, u: t // 5 * 5 - 5 <= u <= t // 5 * 5),
    ],
    "anchor=element": [
        (CQELS2, "PAST 3s FUTURE 2s", lambda t, u: t - 3 < u <= t + 2),
        (CQELS2, "PAST 3s FUTURE 2s STEP 4s", lambda t, u: t - 3 < u <= t + 2),
        (CQELS2, "FUTURE 2s", lambda t, u: t < u <= t + 2),
        (CQELS2, "PAST 3s", lambda t, u: t - 3 < u <= t),
    ],
    "log=causal": [(JANUS, "START 2000 END 6000", lambda t, u: 2 <= u <= min(6, t))],
    "offset=step": [
        (JANUS, "OFFSET 5000 RANGE 2000 STEP 3000", lambda t, u: t // 3 * 3 - 5 <= u <= t // 3 * 3 - 3),
        (JANUS, "OFFSET 0 RANGE 0 STEP 3000", lambda t, u: u == t // 3 * 3),
    ],
    "offset=end": [
        (JANUS, "OFFSET 2000 RANGE 3000 STEP 1000", lambda t, u: t - 5 <= u < t - 2),
        (JANUS, "OFFSET 0 RANGE 3000 STEP 1000", lambda t, u: t - 3 <= u < t),
    ],
}
FLAT = [(reading, *case) for reading, cases in CASES.items() for case in cases]


@pytest.mark.parametrize(("reading", "text", "window", "shows"), FLAT)
def test_each_reading_shows_what_its_definition_says(reading, text, window, shows, tmp_path):
    rng = random.Random(f"{reading} {window}")
    for _ in range(3):
        elements = sorted((rng.randrange(20), f"urn:{name}") for name in "abcdef")
        trace = tmp_path / "s.csv"
        trace.write_text("t,s,p,o\n" + "".join(f"{t},{s},urn:p,urn:x\n" for t, s in elements))
        (tmp_path / "q.rq").write_text(text.format(window))
        engine = ["--engine", "janus"] if "LOG" in text else []
        times = ["--mode", "pull", "--period", 1, "--unit", "1s", "--to", 19]
        both = ["--evaluator", "both", "--certify", "all", "--in-process", "--json"]
        ran = lars(
            "solve",
            tmp_path / "q.rq",
            "--stream",
            f"{'' if text is CQELS2 else 'urn:'}S={trace}",
            "--reading",
            reading,
            *engine,
            *times,
            *both,
        )
        assert ran.code == 0, ran.err
        rows = {line["t"]: {row["s"]["value"] for row in line["rows"]} for line in ran.lines}
        assert rows == {t: {s for u, s in elements if shows(t, u)} for t in range(20)}


ELEMENTS = """VERSION "1.2-messages"
<urn:a> <urn:p> 1 ; <urn:at> 1 . <urn:b> <urn:p> 2 .
MESSAGE <urn:c> <urn:p> 3 ; <urn:at> 3 .
MESSAGE <urn:d> <urn:p> 4 ; <urn:at> {} . <urn:e> <urn:p> 5 .
"""


def on_elements(folder, window, reading, third="5", *more):
    """Return the run of a query over a window of messages with 2, 1 and 2 triples."""
    (folder / "q.rq").write_text(CQELS2.format(window))
    (folder / "log.ttl").write_text(ELEMENTS.format(third))
    given = [folder / "q.rq", "--stream", f"S={folder / 'log.ttl'}", "--time", "urn:at", "--unit", "1s"]
    return lars("solve", *given, "--reading", reading, "--evaluator", "both", "--json", *more)


def test_a_window_that_counts_elements_contains_all_triples_of_the_newest_messages(tmp_path):
    ran = on_elements(tmp_path, "TRIPLES 2", "count=elements")
    rows = {line["t"]: {row["s"]["value"][-1] for row in line["rows"]} for line in ran.lines}
    assert rows == {1: {*"ab"}, 3: {*"abc"}, 5: {*"cde"}}, ran.err
    ran = on_elements(tmp_path, "TRIPLES 2", "count=triples")
    assert {row["s"]["value"][-1] for row in ran.lines[-1]["rows"]} == {*"e"}


@pytest.mark.parametrize("reading", ["count=elements", "grain=message", "grain=triple"])
def test_elements_with_one_time_are_refused_with_the_place_of_the_second(reading, tmp_path):
    window = "NOW" if "grain" in reading else "TRIPLES 2"
    ran = on_elements(tmp_path, window, reading, "3")
    place = "log.ttl:2:1" if reading == "grain=triple" else "log.ttl:4:1"
    assert (ran.code, place in ran.err, f"--reading {reading}" in ran.err) == (2, True, True), ran.err


def test_a_message_is_what_now_contains_where_each_message_has_its_own_time(tmp_path):
    ran = on_elements(tmp_path, "NOW", "grain=message")
    rows = {line["t"]: {row["s"]["value"][-1] for row in line["rows"]} for line in ran.lines}
    assert rows == {1: {*"ab"}, 3: {*"c"}, 5: {*"de"}}, ran.err


def test_rows_with_one_time_are_two_elements_of_one_stream_or_of_two(tmp_path):
    (tmp_path / "q.rq").write_text(CQELS2.format("TRIPLES 2"))
    (tmp_path / "now.rq").write_text(CQELS2.format("NOW"))
    (tmp_path / "s.csv").write_text("t,s,p,o\n1,urn:a,urn:p,urn:x\n2,urn:b,urn:p,urn:x\n")
    (tmp_path / "r.csv").write_text("t,s,p,o\n2,urn:c,urn:p,urn:x\n")
    (tmp_path / "twice.csv").write_text("t,s,p,o\n1,urn:a,urn:p,urn:x\n1,urn:b,urn:p,urn:x\n")
    both = ["--stream", f"S={tmp_path / 's.csv'}", "--stream", f"R={tmp_path / 'r.csv'}"]
    counted = lars("solve", tmp_path / "q.rq", *both, "--reading", "count=elements")
    assert counted.code == 0, counted.err
    now = lars("solve", tmp_path / "now.rq", *both, "--reading", "grain=message")
    assert (now.code, "r.csv:2:1" in now.err, "s.csv:3" in now.err) == (2, True, True), now.err
    twice = ["--stream", f"S={tmp_path / 'twice.csv'}", "--reading", "count=elements"]
    assert "twice.csv:3:1" in lars("solve", tmp_path / "q.rq", *twice).err


MAPPED = "t={time}", "s=ex:{who}", "ex:p={place}", "ex:q={place}"


@pytest.mark.parametrize("more", [(), ("--arrival", "come"), ("--arrival", "order")])
@pytest.mark.parametrize("third", [4, 2])
def test_all_triples_of_a_row_are_one_element_whenever_the_row_arrives(third, more, tmp_path):
    (tmp_path / "q.rq").write_text(CQELS2.format("TRIPLES 2").replace("urn:p", "http://e/p"))
    rows = f"1,2,a,x\n2,4,b,x\n{third},4,c,x\n"
    (tmp_path / "s.csv").write_text(f"time,come,who,place\n{rows}")
    columns = [part for column in MAPPED for part in ("--column", column)]
    given = ["--stream", f"S={tmp_path / 's.csv'}", "--prefix", "ex=http://e/", *columns, *more]
    ran = lars("agree", tmp_path / "q.rq", *given, "--period", 2, "--reading", "count=elements")
    if third == 4:
        assert ran.code == 0, ran.err
    else:
        assert "s.csv:4:1: cannot apply" in ran.err
        assert "the element in line 3" in ran.err


def test_a_row_of_two_triples_is_not_one_triple(tmp_path):
    (tmp_path / "q.rq").write_text(CQELS2.format("NOW"))
    (tmp_path / "s.csv").write_text("time,who,place\n1,a,x\n")
    columns = [part for column in MAPPED for part in ("--column", column)]
    given = ["--stream", f"S={tmp_path / 's.csv'}", "--prefix", "ex=http://e/", *columns]
    ran = lars("solve", tmp_path / "q.rq", *given, "--reading", "grain=triple")
    assert "s.csv:2:1" in ran.err
    assert "the element has 2 triples" in ran.err


@pytest.mark.parametrize("reading", ["count=elements", "grain=message"])
def test_an_engine_evaluates_after_whole_elements(reading, tmp_path):
    # CQELS reports what is new: a row that both messages have is not new at 2.
    window = "NOW" if "grain" in reading else "TRIPLES 1"
    text = CQELS2.format(window).replace(PATTERN, "?s <urn:p> ?o . ?s <urn:q> ?z")
    (tmp_path / "q.rq").write_text(text)
    messages = (f"<urn:a> <urn:p> {t} ; <urn:q> {t} ; <urn:at> {t} ." for t in (1, 2))
    (tmp_path / "log.ttl").write_text('VERSION "1.2-messages"\n' + "\nMESSAGE ".join(messages))
    given = [tmp_path / "q.rq", "--stream", f"S={tmp_path / 'log.ttl'}", "--time", "urn:at", "--unit", "1s"]
    ran = lars("solve", *given, "--reading", reading, "--as", "cqels", "--json")
    assert [line["t"] for line in ran.lines if line["rows"]] == [1], ran.err


def test_what_is_exact_for_some_streams_only_is_not_decided_for_all(tmp_path):
    (tmp_path / "q.rq").write_text(CQELS2.format("NOW"))
    ran = lars("decide", tmp_path / "q.rq", "--reading", "grain=triple")
    assert (ran.code, "cannot decide for all streams" in ran.err) == (2, True), ran.err
    assert lars("decide", tmp_path / "q.rq", "--reading", "grain=message").code in (0, 1)


ALONE = CQELS.format("RANGE 5s")


def test_an_experiment_and_python_choose_readings_as_a_shell_does(tmp_path):
    (tmp_path / "q.rq").write_text(ALONE.replace("<urn:p>", "ex:p"))
    (tmp_path / "s.csv").write_text("t,s,p,o\n1,urn:a,urn:x:p,urn:x\n7,urn:b,urn:x:p,urn:x\n")
    (tmp_path / "experiment.toml").write_text(
        'cqels = "q.rq"\nunit = "1s"\nperiod = 1\nreadings = {range-alone = "tumbling"}\n'
        '[streams]\n"urn:S" = "s.csv"\n[prefixes]\nex = "urn:x:"\n'
    )
    told = [tmp_path / "q.rq", "--stream", f"urn:S={tmp_path / 's.csv'}", "--period", 1, "--unit", "1s"]
    shell = lars("agree", *told, "--reading", "range-alone=tumbling", "--prefix", "ex=urn:x:", "--json")
    assert lars("agree", tmp_path, "--json").out == shell.out
    assert lars("agree", *told, "--prefix", "ex=urn:x:", "--json").out != shell.out
    query = (tmp_path / "q.rq").read_text()
    python = api.translate(query, prefix={"ex": "urn:x:"}, readings={"range-alone": "tumbling"})
    assert "⊞^{5,0,5} ◇ striple(?s, <urn:x:p>, ?o, <urn:S>)" in str(python)


def test_a_query_declares_a_prefix_for_itself():
    text = f"PREFIX ex: <urn:own:> {ALONE.replace('<urn:p>', 'ex:p')}"
    assert "<urn:own:p>" in str(read_query(text, "q.rq", prefixes=(("ex", "urn:given:"),)).pattern)


def test_engines_get_iris_for_prefixes_that_a_query_does_not_declare():
    with reading_as(Around(prefix={"ex": "urn:x:", "o": "urn:o:"})):
        text = absolute_text("PREFIX o: <urn:own:> ASK { ?s ex:p o:q }", "q.rq")
    assert text == "PREFIX o: <urn:own:> ASK { ?s <urn:x:p> o:q }"


@pytest.mark.parametrize(
    ("reading", "why"),
    [
        ("gran=message", 'unknown reading "gran"; use range-alone, grain'),
        ("grain=mesage", 'unknown value "mesage" of the reading grain; use time-point or message or triple'),
        ("messages=unversioned", "requires a trace of messages"),
    ],
)
def test_what_no_reading_is_or_does_is_refused(reading, why, tmp_path):
    (tmp_path / "q.rq").write_text(ALONE)
    (tmp_path / "s.csv").write_text("t,s,p,o\n1,urn:a,urn:p,urn:x\n")
    ran = lars("solve", tmp_path / "q.rq", "--stream", f"urn:S={tmp_path / 's.csv'}", "--reading", reading)
    assert (ran.code, why in ran.err) == (2, True), ran.err


def test_a_program_has_no_readings_of_queries(tmp_path):
    (tmp_path / "p.lars").write_text("a(X) ← ⊞^3 ◇ b(X).")
    for command in ("solve", "translate"):
        ran = lars(command, tmp_path / "p.lars", "--reading", "range-alone=sliding")
        assert (ran.code, "--reading" in ran.err) == (2, True), ran.err


def test_a_log_of_messages_needs_no_version_where_the_reading_says_so(tmp_path):
    (tmp_path / "q.rq").write_text(CQELS.format("NOW"))
    log = tmp_path / "log.ttl"
    log.write_text("<urn:a> <urn:p> 1 .\nMESSAGE\n<urn:b> <urn:p> 2 .\n")
    told = ["solve", tmp_path / "q.rq", "--stream", f"urn:S={log}", "--json"]
    assert "without a version" in lars(*told).err
    found = [
        [row["s"]["value"] for row in line["rows"]]
        for line in lars(*told, "--reading", "messages=unversioned").lines
    ]
    assert found == [["urn:a"], ["urn:b"]]


def test_a_note_says_that_the_reading_of_derived_atoms_has_no_effect_on_a_query():
    (note,) = read_query(ALONE, "q.rq", readings=(("derived", "present"),)).notes
    assert note.startswith("--reading derived=present has no effect on this query")
