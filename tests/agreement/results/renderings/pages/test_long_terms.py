"""Terms as long as a page: text and pages show their beginnings, JSON and tables have all of them."""

import json
import shlex

import pytest

from agreement.documents.outputs import clip_text, short
from agreement.results.renderings.pages.page import _clipped
from tests.agreement.command import lars

QUERY = "PREFIX : <http://e/> SELECT ?x ?y WHERE { STREAM :S [RANGE 1s] { ?x :p ?y } }"
LONG = 'quo\\"te ' * 20_000
TERMS = {"literal": f'"{LONG}"', "IRI": f"<http://e/{'n' * 100_000}>"}


@pytest.fixture(params=TERMS)
def ran(request, tmp_path):
    """Return what `lars agree` says of a trace with a long term, and the folder of its files."""
    (tmp_path / "q.rq").write_text(QUERY)
    (tmp_path / "t.nq").write_text(f'<http://e/a> <http://e/p> {TERMS[request.param]} <http://e/S> "1" .\n')
    options = "--period", 5, "--to", 5, "--in-process"
    page = tmp_path / "page.html"
    files = tmp_path / "q.rq", tmp_path / "t.nq"
    return lars("agree", *files, *options, "--report", page), lars("agree", *files, *options, "--json"), page


def test_what_is_shown_of_a_long_term_is_its_beginning_and_its_length(ran):
    text, whole, page = ran
    assert max(map(len, text.out.splitlines())) < 500
    assert "… (1" in text.out
    assert len(page.read_text()) < 150_000
    assert len(json.dumps(whole.json["periods"][0]["intervals"][0]["push"])) > 100_000


def test_the_command_that_is_printed_for_a_long_term_explains_it(ran):
    command = shlex.split(ran[0].out.splitlines()[-1])
    explained = lars(*command[1:])
    assert (explained.code, explained.out.splitlines()[-1][-10:]) == (0, " is [1, 1]")
    assert len(explained.out) < 2_000


@pytest.mark.parametrize("value", ["x" * 3_000, '\\"' * 3_000, "é\n" * 3_000, ["x" * 999, "y" * 1_001]])
def test_lines_of_json_stay_json_when_their_strings_are_shortened(value):
    found = json.loads(_clipped(json.dumps({"a": value, "b": list(range(2_000))}, ensure_ascii=False)))
    texts = found["a"] if isinstance(found["a"], list) else [found["a"]]
    assert found["b"] == list(range(2_000))
    assert all(len(text) < 1_000 for text in texts)
    assert texts[-1].endswith(" characters)")


def test_terms_of_usual_length_are_shown_as_ever():
    assert short(f"<http://e/{'n' * 200}>") == "n" * 200
    assert short(f'"{"n" * 200}"') == "n" * 200
    assert clip_text("n" * 200) == "n" * 200
