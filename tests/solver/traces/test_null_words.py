"""Words in a table that mean that there is no value: as an empty cell, where they are named."""

import tomllib

import pytest

from solver.rdf import short
from tests.agreement.command import lars, solve

QUERY = "PREFIX : <http://e/> SELECT ?temp WHERE { STREAM :s [NOW] { ?x :temp ?temp } }"
TABLE = "time,temp,note\n1,20.5,-\n2,{},b\n3,22,c\n4,{},d\n"
COLUMNS = ("--column", "t={time}", "--column", "s=_:{row}", "--column", "http://e/temp={temp}")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text(QUERY)
    (tmp_path / "empty.csv").write_text(TABLE.format("", ""))
    return tmp_path


def values(ran):
    assert ran.code == 0, ran.err
    return [row["temp"]["value"] for line in ran.lines for row in line.get("rows", [])]


@pytest.mark.parametrize(("first", "second"), [("n/a", "NA"), ("-", '"-"'), ("?", "")])
def test_a_named_word_is_an_empty_cell(first, second, folder):
    (folder / "a.csv").write_text(TABLE.format(first, second))
    words = [one for word in (first, second) if word for one in ("--null", word.strip('"'))]
    assert values(solve("q.rq", "a.csv", *COLUMNS, *words)) == ["20.5", "22"]
    assert values(solve("q.rq", "empty.csv", *COLUMNS)) == ["20.5", "22"]
    assert values(solve("q.rq", "a.csv", *COLUMNS)) != ["20.5", "22"]


def test_without_the_option_the_warning_leads_to_it(folder):
    (folder / "a.csv").write_text(TABLE.format("21", "n/a"))
    assert "use --null 'n/a' if it stands for a missing value" in solve("q.rq", "a.csv", *COLUMNS).err


def test_a_word_in_a_column_of_texts_stays_unless_named(folder):
    (folder / "a.csv").write_text("time,temp\n1,a\n2,-\n3,b\n")
    lars("init", "e", "q.rq", "a.csv")
    assert "null" not in tomllib.loads((folder / "e/experiment.toml").read_text())


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_init_finds_the_words_and_the_experiment_reads_them(separator, folder):
    (folder / "a.csv").write_text(TABLE.format("n/a", "NA").replace(",", separator))
    made = lars("init", "e", "q.rq", "a.csv", "--period", "1")
    assert made.code == 0, made.err
    assert "cells with NA, n/a are read as missing values (--null)" in made.err
    assert tomllib.loads((folder / "e/experiment.toml").read_text())["null"] == ["NA", "n/a"]
    assert values(solve("e")) == ["20.5", "22"]
    agreed = lars("agree", "e", "--json")
    assert (agreed.code, "is not a number" in agreed.err) == (0, False), agreed.err


def test_the_words_of_a_command_line_replace_those_of_an_experiment(folder):
    (folder / "a.csv").write_text(TABLE.format("x", "n/a"))
    lars("init", "e", "q.rq", "a.csv", "--null", "x", "--null", "n/a")
    assert values(solve("e")) == ["20.5", "22"]
    assert values(solve("e", "--null", "x")) == ["20.5", "22", "n/a"]


NUMBERS = (
    ("integer", "07 08"),
    ("integer", "-0 +5"),
    ("double", "1e1 2"),
    ("double", "1E-3 .5"),
    ("double", "INF 2"),
)


@pytest.mark.parametrize(("kind", "cells"), [*NUMBERS, ("decimal", ".5 07"), ("integer", "_7_ 2")])
def test_init_reads_each_notation_of_numbers_as_numbers(kind, cells, folder):
    """Whichever cell is first, and with a word for a missing value; _ is a space around a number."""
    numbers = [cell.replace("_", " ") for cell in cells.split()]
    for order in (numbers, numbers[::-1]):
        (folder / "s.csv").write_text(
            "".join(f"{line}\n" for line in ("time,temp", *_timed([*order, "n/a"])))
        )
        made = lars("init", "x", "q.rq", "s.csv")
        text = tomllib.loads((folder / "x" / "experiment.toml").read_text())
        assert (text["null"], text["columns"][":temp"]) == ("n/a", "{temp}"), made.out
        ran = solve("x")
        assert "is not a number" not in ran.err
        rows = [row["temp"] for line in ran.lines for row in line["rows"]]
        assert [row["value"] for row in rows] == [number.strip() for number in order]
        assert {row["datatype"].rpartition("#")[2] for row in rows} == {kind}
        (folder / "x" / "experiment.toml").unlink()


def _timed(cells):
    return [f"{t},{cell}" for t, cell in enumerate(cells, 1)]


def test_digits_that_a_query_compares_with_a_text_are_a_code(folder):
    (folder / "s.csv").write_text("time,temp\n1,007\n2,12\n")
    (folder / "q.rq").write_text(QUERY.replace("?temp }", '?temp FILTER(?temp = "007") }'))
    lars("init", "x", "q.rq", "s.csv")
    assert values(solve("x")) == ["007"]


@pytest.mark.parametrize("text", ["?x :temp ?temp, '007'", 'VALUES ?temp { "007" }'])
def test_digits_that_a_pattern_or_values_lists_as_a_text_are_a_code(text, folder):
    (folder / "s.csv").write_text("time,temp\n1,007\n2,12\n")
    (folder / "q.rq").write_text(QUERY.replace("?x :temp ?temp }", f"?x :temp ?temp . {text} }}"))
    lars("init", "x", "q.rq", "s.csv")
    assert values(solve("x")) == ["007"]


@pytest.mark.parametrize("call", ['COALESCE(?temp, "none")', 'IF(BOUND(?temp), ?temp, "none")'])
def test_digits_that_a_text_replaces_are_numbers(call, folder):
    (folder / "s.csv").write_text("time,temp\n1,7\n2,12\n")
    (folder / "q.rq").write_text(
        QUERY.replace("?temp }", f"?temp FILTER(?temp > 10) BIND({call} AS ?seen) }}")
    )
    lars("init", "x", "q.rq", "s.csv")
    assert values(solve("x")) == ["12"]


@pytest.mark.parametrize("cells", ["1e1 a1", "b2 1e1", "3e8 4f1"])
def test_a_column_of_words_may_contain_a_text_that_looks_like_an_exponent(cells, folder):
    (folder / "s.csv").write_text("".join(f"{line}\n" for line in ("time,temp", *_timed(cells.split()))))
    assert '":temp" = ":{temp}"' in lars("init", "x", "q.rq", "s.csv").out


@pytest.mark.parametrize("cells", ["1,5 2,5", "1.000,5 2", "1_000 2_000", "1~000 2~000.5", "1'000 12'000"])
def test_numbers_in_other_notations_have_a_warning(cells, folder):
    rows = [cell.replace("~", " ") for cell in (*cells.split(), cells.split()[0])]
    (folder / "s.csv").write_text("".join(f"{line}\n" for line in ("time;temp", *_semicolons(rows))))
    lars("init", "x", "q.rq", "s.csv")
    assert f"the column temp holds texts: {short(rows[0])} is not a number; write d" in solve("x").err


def _semicolons(cells):
    return [f"{t};{cell}" for t, cell in enumerate(cells, 1)]
