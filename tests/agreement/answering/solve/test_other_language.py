"""`lars translate --engine` and `--to`: errors of the named language, warnings about lost meanings."""

import re

import pytest

from agreement import api
from lars.language.windows import Interval
from tests.agreement.command import lars
from translate.dialects import read_query
from translate.model.query import MERGING, Language, Setting
from translate.model.windows import window_operator
from translate.writing import write_query

NAMED = "SELECT ?a FROM NAMED WINDOW <u:w> ON {} WHERE {{ WINDOW <u:w> {{ ?a <u:p> ?b }} }}"
BLOCK = "SELECT ?a WHERE {{ STREAM {} {{ ?a <u:p> ?b }} }}"
CQELS = read_query(BLOCK.format("<u:s> [RANGE 10s SLIDE 5s]"), "q.rq")
TEXTS = {
    one.value: write_query(CQELS, one)
    for one in Language
    if one not in MERGING and one.manner.texts != ""  # else streams are words
} | {"cqels2": BLOCK.format("s [RANGE 10s STEP 5s]")}
READ_AS = re.compile(r"use --engine (\w+)")
ENDS = re.compile(r"the windows of the query are ([a-z-]+), but.*use --bounds \1")


def translated(folder, text, *options):
    (folder / "q.rq").write_text(text)
    return lars("translate", folder / "q.rq", *options)


@pytest.mark.parametrize(
    ("engine", "text", "error"),
    [
        ("janus", NAMED.format("STREAM <u:s> [RANGE 10000, 5000]"), ","),
        ("kolibrie", NAMED.format("<u:s> [RANGE P1M STEP PT5S]"), "P1M"),
        ("kolibrie", NAMED.format("STREAM <u:s> [RANGE PT5S STEP 1 2]"), "STREAM"),
        ("cqels", "SELECT ?a { STREAM <u:s> [RANGE PT5S] { ?a ?b ?c } }", "PT5S"),
    ],
)
def test_the_error_of_the_named_language_is_shown(engine, text, error, tmp_path):
    with pytest.raises(Exception) as expected:  # noqa: PT011  # any error of a query, with its place
        read_query(text, str(tmp_path / "q.rq"), Language(engine))
    ran = translated(tmp_path, text, "--engine", engine)
    assert (ran.code, error in str(expected.value)) == (2, True)
    assert str(expected.value) in ran.err


def ends_of(text, engine):
    """Return the text of the LARS window that a text has in a language."""
    query = read_query(text, "q.rq", Language(engine))
    window = getattr(query.pattern, "window", None) or query.merged[0].window
    operator = str(window_operator(window, query.pattern.stream, Setting().unit, None))
    if "last" in operator:
        return "high-open"
    return next((one for one in ("high-open", "low-open", "open") if one in operator), "closed")


@pytest.mark.parametrize("target", TEXTS)
@pytest.mark.parametrize("source", TEXTS)
def test_a_change_of_window_ends_is_shown(source, target, tmp_path):
    ran = translated(tmp_path, TEXTS[source], "--engine", source, "--to", target)
    if ran.code == 2:
        assert "cannot express the stream" in ran.err
        return
    before, after = ends_of(TEXTS[source], source), ends_of(ran.out, target)
    shown = ENDS.search(" ".join(ran.err.split()))
    assert (shown and shown[1]) == (None if before == after else before)


@pytest.mark.parametrize("target", TEXTS)
def test_a_text_that_is_recognized_as_another_language_is_noted(target, tmp_path):
    text = TEXTS["cqels2"] if target == "cqels2" else TEXTS["cqels"]
    ran = translated(tmp_path, text, "--to", target)
    assert ran.code == 0, ran.err
    shown = READ_AS.search(ran.err)
    recognized = read_query(ran.out, "q.rq").language.value
    assert (shown and shown[1]) == (None if recognized == target else target)
    if shown is not None:
        assert Language(recognized).manner.title in ran.err


MERGED = "SELECT ?s FROM STREAM <http://e/a> [RANGE 3s STEP 3s] FROM STREAM <http://e/b> [RANGE 3s STEP 3s] "
MERGED += "WHERE {{ ?s <http://e/p> 1 . ?s <http://e/{}> 2 }}"


def experiment(folder, second, more=""):
    rows = ["1,http://e/a,http://e/s,http://e/p,1", "2,http://e/b,http://e/s,http://e/q,2", *more.split()]
    (folder / "in.csv").write_text("\n".join(["t,stream,s,p,o", *rows, ""]))
    (folder / "q.rq").write_text(MERGED.format(second))
    return folder / "experiment.toml"


def test_a_warning_on_a_merged_query_is_printed_once(tmp_path):
    experiment(tmp_path, "q")
    ran = lars("translate", tmp_path / "q.rq", "--to", "cqels", "--assign", "http://e/a=http://e/p")
    assert "a predicate that is assigned to the stream <http://e/b>, so no" in ran.err
    assert sorted(ran.err.splitlines()) == sorted(set(ran.err.splitlines()))


@pytest.mark.parametrize("option", ["--to", "--engine"])
@pytest.mark.parametrize(
    ("assign", "more", "streams"),
    [
        ("", "", ["a", "b"]),
        ('assign = {"http://e/b" = ["http://e/q"]}', "3,http://e/a,http://e/s,http://e/q,2", ["a", "b"]),
        ('assign = {"http://e/a" = ["http://e/q"]}', "", ["a"]),
    ],
)
def test_the_streams_of_a_derived_query_are_those_of_the_trace_of_an_experiment(
    option, assign, more, streams, tmp_path
):
    path = experiment(tmp_path, "q", more)
    path.write_text(f'csparql = "q.rq"\nfiles = "in.csv"\nperiod = 3\n{assign}\n')
    found = lars("translate", path, option, "cqels")
    assert found.code == 0, found.err
    assert ("assigned to the stream <http://e/b>, so no pattern" in found.err) == (streams == ["a"])
    first = found.out.partition("cautious")[0]
    assert sorted(set(re.findall(r"(?:<http://e/|\be:)([ab])\b", first))) == streams
    # As lars agree derives it.
    warned = lars("agree", tmp_path).err
    assert "give the same inputs to `lars translate --to cqels`" in warned
    assert all(f"SLIDE 3s] on <http://e/{stream}>" in warned for stream in streams)


@pytest.mark.parametrize(("second", "named"), [("?p", False), ("<http://e/q>", True)])
def test_a_pattern_of_two_streams_needs_both_queries(second, named, tmp_path):
    path = experiment(tmp_path, "q", "3,http://e/a,http://e/s,http://e/q,2")
    path.write_text('csparql = "q.rq"\nfiles = "in.csv"\nperiod = 3\n')
    (tmp_path / "q.rq").write_text(MERGED.format("q").replace("<http://e/q>", second))
    said = lars("agree", tmp_path).err
    assert "use both queries, because a CQELS query names the stream of each pattern" in said
    assert ("--assign STREAM=PREDICATE" in said) == named


REGISTERED = {
    "csparql": "REGISTER STREAM my-q COMPUTED EVERY 7s AS "
    "SELECT ?a FROM STREAM <u:s> [RANGE 9s STEP 9s] { ?a <u:p> ?c }",
    "rspql": "REGISTER STREAM <u:my-q> COMPUTED EVERY PT7S AS "
    + NAMED.format("<u:s> [RANGE PT9S STEP PT9S]"),
    "cqels2": "REGISTER QUERY my-q AS SELECT ?a FROM STREAM s [RANGE 9s] { STREAM s { ?a <u:p> ?b } }",
    "kolibrie": f"REGISTER RSTREAM <u:my-q> AS {NAMED.format('<u:s> [RANGE 9 STEP 3]')}",
    "sparq": f"REGISTER RSTREAM <u:my-q> AS {NAMED.format('<u:s> [RANGE 9 STEP 3 T0 0]')}",
}


@pytest.mark.parametrize("target", sorted(one.value for one in Language))
@pytest.mark.parametrize("source", REGISTERED)
def test_what_a_text_lacks_of_the_registration_is_said_once(source, target, tmp_path):
    assigned = source == "csparql" and Language(target) not in MERGING
    ran = translated(tmp_path, REGISTERED[source], "--to", target, *["--assign", "u:s=u:p"][: 2 * assigned])
    if ran.code == 2:
        assert "cannot express" in ran.err
        return
    kept, query = " ".join(ran.out.split()), read_query(REGISTERED[source], "q.rq")
    said = " ".join(ran.err.split())
    in_text = re.search(r"REGISTER \w+ <?([^ <>]*)", kept)
    if in_text is None:
        assert said.count(f'does not contain the name of the query, "{query.name}"') == 1
    else:
        renamed = f'the name of the query, "{query.name}", is "{in_text[1]}" in'
        assert said.count(renamed) == (in_text[1] != query.name)
    assert said.count("does not register a stream") == (query.registers_stream and in_text is None)
    lost = query.every is not None and "EVERY" not in kept
    assert said.count("does not contain the period of the query, 7s; use --mode pull --period 7s") == lost


def test_a_query_of_cqels_2_is_registered_as_a_query():
    assert not read_query(REGISTERED["cqels2"], "q.rq").registers_stream


@pytest.mark.parametrize("source", ["cqels", "kolibrie", "rspql", "janus"])
@pytest.mark.parametrize(("length", "step"), [(5, 2), (7, 3), (2, 5), (6, 3)])
def test_a_window_closes_at_the_same_times_in_sparq(source, length, step):
    own = read_query(BLOCK.format(f"<u:s> [RANGE {length}s SLIDE {step}s]"), "q.rq")
    text = write_query(
        read_query(write_query(own, Language(source)), "q.rq", Language(source)), Language.SPARQ
    )
    operators = [
        window_operator(query.pattern.window, query.pattern.stream, Setting().unit, "closed")
        for query in (own, read_query(text, "q.rq", Language.SPARQ))
    ]
    shown = [[one.bounds(t, Interval(0, 60)) for t in range(20, 60)] for one in operators]
    assert shown[0] == shown[1]


@pytest.mark.parametrize("variant", ["", "brave", "cautious"])
def test_one_derived_query_is_printed_and_can_be_read_again(variant, tmp_path):
    path = experiment(tmp_path, "q", "")
    path.write_text('csparql = "q.rq"\nfiles = "in.csv"\nperiod = 3\n')
    names = list(api.translate(path, to="cqels").queries)
    wanted = variant or "brave"
    name = ",".join([wanted] * names[0].count("brave"))
    found = lars("translate", path, "--to", "cqels", *(("--variant", name) if variant else ()))
    assert (found.code, "and prints the query brave" in found.err) == (0, not variant)
    (tmp_path / "derived.rq").write_text(found.out)
    again = lars("translate", tmp_path / "derived.rq", "--to", "cqels")
    assert (again.code, again.out) == (0, found.out)
    unknown = lars("translate", path, "--to", "cqels", "--variant", "none")
    assert (unknown.code, unknown.out) == (2, "")
    assert 'unknown query "none"; use brave' in unknown.err


def test_a_merged_window_of_the_drafts_is_written_again_in_its_own_language(tmp_path):
    text = "SELECT ?a\nFROM WINDOW ON <u:s> [RANGE PT5S STEP PT1S]\nWHERE {\n  ?a <u:p> ?b .\n}\n"
    ran = translated(tmp_path, text, "--to", "rspql")
    assert (ran.code, ran.out) == (0, text)


def test_a_word_that_becomes_a_relative_iri_is_noted(tmp_path):
    ran = translated(tmp_path, TEXTS["cqels2"], "--to", "cqels")
    assert "CQELS resolves the relative IRI <s> against the IRI of the file" in " ".join(ran.err.split())
    assert "relative IRI" not in translated(tmp_path, TEXTS["cqels2"], "--to", "cqels2").err
    assert "relative IRI" not in translated(tmp_path, TEXTS["cqels"], "--to", "rspql").err
