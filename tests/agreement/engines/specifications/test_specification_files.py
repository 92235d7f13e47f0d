"""Specifications by name and from files: what is read, and what each wrong one is told."""

import pytest

from agreement.engines.specifications import NAMES, Specification, builtin, specification
from agreement.engines.specifications.parameters import fields_text, read_specification
from lars.errors import LarsError, PlacedError

HEAD = 'name = "mine"\nreport = ["window-close"]\n'


def written(tmp_path, text):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", NAMES)
def test_the_names_are_those_of_the_specifications_that_come_with_the_program(name):
    assert specification(name) == builtin(name)


def test_a_file_is_a_specification(tmp_path):
    text = (
        HEAD + 'tick = "graph"\nbounds = ["closed", "low-open"]\nperiod = "2s"\n[windows]\n2 = ["periodic"]\n'
    )
    found = specification(str(written(tmp_path, text)))
    assert (found.name, found.tick, found.bounds) == ("mine", "graph", ("closed", "low-open"))
    assert found.strategies("http://example.org/s", 1) == {"window-close"}
    assert found.strategies("http://example.org/s", 2) == {"periodic"}


def test_other_names_are_told_what_is_accepted():
    with pytest.raises(LarsError, match=r"unknown specification 'sparql'; use .* cqels, .*\.toml"):
        specification("sparql")
    with pytest.raises(LarsError, match=r"none\.toml: no such file"):
        specification("none.toml")


WRONG = {
    "an unknown key": (HEAD + 'bound = "closed"\n', "3:1", "did you mean bounds"),
    "a strategy that is none": ('name = "m"\nreport = ["window-closed"]', "2:10", '"window-close"'),
    "a strategy that is no list": ('name = "m"\nreport = "window-close"', "2:10", "a list"),
    "bounds that are none": (HEAD + 'bounds = ["ajar"]', "3:10", '"low-open"'),
    "a name that is no text": ("name = 5\nreport = []", "1:8", "a text in quotes"),
    "a stream operator that is none": (HEAD + 'stream = "ISTREM"', "3:10", '"ISTREAM"'),
    "a period that is zero": (HEAD + 'period = "0s"', "3:10", "above zero"),
    "periodic without a period": ('name = "m"\nreport = ["periodic"]', "2:11", 'period = "1s"'),
    "a window's periodic without one": (HEAD + '[windows]\n1 = ["periodic"]', "4:6", 'period = "1s"'),
    "a window that is none": (HEAD + "[windows]\nfirst = []", "4:1", "its number, from 1"),
    "a window's strategy that is none": (HEAD + '[windows]\n1 = ["x"]', "4:5", '"non-empty"'),
    "windows that are no table": (HEAD + "windows = 1", "3:11", "a table"),
    "no TOML": (HEAD + "bounds = closed", "3:10", "invalid TOML"),
}


@pytest.mark.parametrize(("text", "place", "word"), WRONG.values(), ids=WRONG)
def test_a_wrong_file_is_told_where_and_what(tmp_path, text, place, word):
    path = written(tmp_path, text)
    with pytest.raises(PlacedError) as caught:
        read_specification(path)
    assert str(caught.value).startswith(f"{path}:{place}: ")
    assert word in str(caught.value)


def test_a_missing_key_is_told_with_those_required(tmp_path):
    with pytest.raises(LarsError, match=r"the key report is missing; required: name, report"):
        read_specification(written(tmp_path, 'name = "m"'))


def test_the_fields_are_all_documented():
    text = fields_text()
    for name, field in Specification.model_fields.items():
        assert f"\n{name} (" in f"\n{text}"
        assert " ".join(field.description.split()[:4]) in text
