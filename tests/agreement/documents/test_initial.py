"""`lars init`: the folder that it writes says what the files and options said."""

import json
import re
import tomllib

import pandas as pd
import pytest

from agreement import api
from agreement.documents.initial import _GUESSED, _telling_cells
from agreement.documents.options import declared
from agreement.results.files.initialised import InitRequest
from lars.language.terms import XSD
from tests.agreement.command import lars
from tests.packs import SAMPLES

COUPONS = SAMPLES / "coupons"
FILES = [COUPONS / name for name in ("query.csparql.rq", "query.cqels.rq", "coupons.trig", "locations.trig")]
MORE = ("--static", COUPONS / "products.ttl", "--unit", "1min", "--period", "5,8")


def test_the_folder_says_what_files_and_options_said(tmp_path):
    made = lars("init", tmp_path / "mine", *FILES, *MORE)
    assert made.code == 0
    streams = (f"http://example.org/{name}={COUPONS / name}.trig" for name in ("coupons", "locations"))
    named = [word for one in streams for word in ("--stream", one)]
    by_files = lars("agree", *FILES[:2], *MORE, *named, "--json")
    assert lars("agree", tmp_path / "mine", "--json").out == by_files.out
    again = lars("init", tmp_path / "mine", *FILES)
    assert (again.code, "exists already" in again.err) == (2, True)


def test_a_table_with_columns_of_its_own_gets_a_first_mapping(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text(
        "SELECT ?b WHERE { STREAM <http://e/S> [RANGE 3s] { ?b <http://e/at> ?s } }"
    )
    pd.DataFrame({"bike": ["b"], "time": [3], "at the": ["s"]}).to_csv("bikes.csv", index=False)
    found = lars("init", ".", "q.rq", "bikes.csv")
    assert 't = "{time}"\ns = "ex:{bike}"\n"http://e/at" = "ex:{at the}"' in found.out
    assert "bikes.csv: [columns] is guessed from the columns bike, time, at the. Correct" in found.err
    assert lars("solve", ".").code == 0
    made = api.init(
        "other", "q.rq", "bikes.csv", column={"t": "{time}", "s": "http://e/{bike}", "a": "{bike}"}
    )
    assert "prefixes" not in made.text
    assert made.path.read_text() in made.text


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_columns_of_lists_are_left_out_with_a_note(tmp_path, monkeypatch, suffix):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text("SELECT ?b { STREAM <http://e/S> [RANGE 3s] { ?b <http://e/at> ?s } }")
    frame = pd.DataFrame({"bike": ["b", "c"], "time": [3, 4], "tags": [["x"], []], "at": ["s", "r"]})
    path = f"bikes.{suffix}"
    frame.to_parquet(path) if suffix == "parquet" else frame.to_json(path, orient="records", lines=True)
    found = lars("init", ".", "q.rq", path)
    assert (found.code, '"http://e/at" = "ex:{at}"' in found.out, "{tags}" in found.out) == (0, True, False)
    assert f"note: {path}: omits the columns tags, because lars reads only texts" in found.err
    assert lars("solve", ".", "-q").out.splitlines()[1:] == ["3: (b)", "4: (b) (c)"]


MIXED = {
    "1,a,20,50\n1,b,22,55\n1,a,25,60": (1, 3),
    "1,a,20,50\n1,a,25,50": None,
    "1,a,20,\n1,a,,50": None,
    "1,a,20,50\n2,a,25,60": None,
}


@pytest.mark.parametrize("rows", MIXED)
def test_rows_whose_values_a_query_can_combine_are_named(tmp_path, monkeypatch, rows):
    monkeypatch.chdir(tmp_path)
    pattern = "?sensor <http://e/temp> ?temp ; <http://e/hum> ?hum"
    (tmp_path / "q.rq").write_text(f"SELECT * WHERE {{ STREAM <http://e/S> [RANGE 3s] {{ {pattern} }} }}")
    (tmp_path / "d.csv").write_text(f"time,sensor,temp,hum\n{rows}\n")
    found, numbers = lars("init", "made", "q.rq", "d.csv"), MIXED[rows]
    assert found.code == 0
    for text in (found.err, (tmp_path / "made" / "experiment.toml").read_text()):
        named = re.findall(
            r'd\.csv: rows (\d+) and (\d+) have the same subject and time.* use s = "_:\{row\}"', text
        )
        assert named == ([] if numbers is None else [tuple(map(str, numbers))])


@pytest.mark.parametrize(("rows", "omitted"), [("1,a,20\n2,,21\n3,b,22", 2), ("1,a,20\n2, ,\n3,b,22", None)])
def test_a_row_without_its_subject_is_named_since_lars_omits_it(tmp_path, monkeypatch, rows, omitted):
    """Spaces are a subject; a row without another value loses only that triple."""
    monkeypatch.chdir(tmp_path)
    query = "SELECT * WHERE { STREAM <http://e/S> [RANGE 9s] { ?s <http://e/temp> ?temp } }"
    (tmp_path / "q.rq").write_text(query)
    (tmp_path / "d.csv").write_text(f"time,place,temp\n{rows}\n")
    found = lars("init", "made", "q.rq", "d.csv")
    for text in (found.err, (tmp_path / "made" / "experiment.toml").read_text()):
        named = re.findall(
            r'd\.csv: row (\d+) has no value in the column place, .* use s = "_:\{row\}"', text
        )
        assert named == ([] if omitted is None else [str(omitted)])
    solved = lars("solve", "made")
    assert (solved.code, "20" in solved.out, "22" in solved.out, "21" in solved.out) == (0, True, True, False)


@pytest.mark.parametrize(
    "header",
    [
        "sensor,zeit,v\nA,2026-03-01 08:00:00,4",
        "sensor,ms,v\nA,1772348430000,4",
        "v,time,w\n4,1772348430000,4",
        "n,seen,v\n4,4711000001,4",
    ],
)
def test_the_times_are_in_the_first_column_whose_first_cell_is_a_moment(header, tmp_path, monkeypatch):
    """Without a usual name; a short integer is a time only in the first column."""
    monkeypatch.chdir(tmp_path)
    text = "SELECT ?v WHERE { STREAM <http://e/S> [RANGE 3s] { ?b <http://e/v> ?v } }"
    (tmp_path / "q.rq").write_text(text)
    (tmp_path / "d.csv").write_text(f"{header}\n")
    names = header.split("\n")[0].split(",")
    assert f't = "{{{names[0] if names[0] == "n" else names[1]}}}"' in lars("init", ".", "q.rq", "d.csv").out


def test_a_column_without_a_name_is_left_out(tmp_path, monkeypatch):
    """pandas writes its index as such a column."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text(
        "SELECT ?b WHERE { STREAM <http://e/S> [RANGE 3s] { ?b <http://e/at> ?s } }"
    )
    pd.DataFrame({"time": [3], "bike": ["b"], "at": ["s"]}).to_csv("bikes.csv")
    found = lars("init", ".", "q.rq", "bikes.csv")
    assert 't = "{time}"\ns = "ex:{bike}"\n"http://e/at" = "ex:{at}"' in found.out
    assert lars("solve", ".").out.endswith("3: (b)\n")


@pytest.mark.parametrize(("column", "remark"), [("temperature", True), ("heat", False)])
def test_a_predicate_that_no_column_is_named_by_is_said(tmp_path, monkeypatch, column, remark):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text("SELECT ?s { STREAM <e:S> [RANGE 3s] { ?s <http://e/heat> ?t } }")
    (tmp_path / "t.csv").write_text(f"time,sensor,{column}\n3,a,31\n")
    found = lars("init", "mine", "q.rq", "t.csv")
    assert f'"http://e/heat" = "{{{column}}}"' in found.out
    sentence = "column temperature gets the predicate http://e/heat, because only this column"
    assert (sentence in found.err) == remark


def test_a_query_without_a_step_gets_a_pull_period_and_files_their_streams_by_name(tmp_path, monkeypatch):
    """The first `lars agree` of the folder has a verdict, and both guesses are said."""
    monkeypatch.chdir(tmp_path)
    windows = "STREAM <e:ab> [RANGE 4s] { ?s <e:p> ?x } STREAM <e:cd> [RANGE 2s] { ?s <e:q> ?y }"
    (tmp_path / "q.rq").write_text(f"SELECT ?s {{ {windows} }}")
    for name, of in (("ab", "p"), ("cd", "q")):
        (tmp_path / f"{name}.csv").write_text(f"time,s,{of}\n3,a,1\n9,a,2\n")
    found = lars("init", "mine", "q.rq", "ab.csv", "cd.csv")
    assert '\nperiod = "2s"\n' in found.out
    assert '"e:ab" = "../ab.csv"\n"e:cd" = "../cd.csv"' in found.out
    assert "note: the pull period is 2s. No query defines a pull period" in found.err
    assert "note: lars guessed the stream of each file from the name of the file" in found.err
    assert "agree on 4 whole periods" in lars("agree", "mine").out
    given = lars("init", "given", "q.rq", "--stream", "e:ab=ab.csv", "--stream", "e:cd=cd.csv", "--period", 3)
    assert ('period = "3"' in given.out, "guessed the stream" in given.err, "pull answers" in given.err) == (
        True,
        False,
        False,
    )


HEADERS = {
    "time|bike|load\n3|b|1\n": "'|' between columns; use commas between columns",
    "2026-05-04 08:00:00,b,1.5\n": "2026-05-04 08:00:00 as the name of a column; use a first line with",
    "sep=,\ntime,b,load\n3,b,1\n": "found sep= in place of the names of columns; remove this line",
    "# export\ntime,b,load\n3,b,1\n": "found # export in place of the names of columns; remove this line",
    "3,b,1.5\n": "1.5 as the name of a column; use",
    "time,b,v,b\n3,b,1,2\n": "two columns have the name b; use a different name for each column",
    "time,room;temp\n3,hall;20\n": "room;temp and its first cell hall;20 contain ';'; use one separator",
}


@pytest.mark.parametrize("text", HEADERS)
def test_a_first_line_that_cannot_name_columns_is_refused(tmp_path, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text("SELECT ?b WHERE { STREAM <http://e/S> [RANGE 3s] { ?b ?p ?s } }")
    (tmp_path / "t.csv").write_text(text)
    found = lars("init", "mine", "q.rq", "t.csv")
    assert (found.code, (tmp_path / "mine").exists()) == (2, False)
    assert HEADERS[text] in found.err.splitlines()[0]
    assert found.err.startswith("lars: t.csv:1:1: ")


def test_a_table_of_other_bytes_than_utf_8_is_no_failure_of_the_guess(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text("SELECT ?b WHERE { STREAM <http://e/S> [RANGE 3s] { ?b ?p ?s } }")
    (tmp_path / "t.csv").write_bytes("time,bike,place\n3,b,Küche\n".encode("latin-1"))
    assert lars("init", "mine", "q.rq", "t.csv").code == 0
    assert "t.csv:2:6: found the byte 0xfc, which is not text" in lars("solve", "mine").err


def test_a_first_mapping_is_what_the_queries_ask(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text(
        "PREFIX : <http://b/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n"
        "SELECT ?bike ?n WHERE { STREAM :S [RANGE 9s] { ?bike :at ?station ; :load ?n ; :by ?who } }"
    )
    (tmp_path / "t.csv").write_text("load,when,bike,station,rider\n5,1,b1,north,ann\n7,2,b1,south,bob\n")
    found = lars("init", ".", "q.rq", "t.csv")
    assert found.out.partition("[prefixes]")[2].split("\nnext")[0].strip().split("\n") == [
        '"" = "http://b/"',
        "",
        *_GUESSED,
        "[columns]",
        't = "{when}"',
        's = ":{bike}"',
        '":load" = "{load}"',
        '":at" = ":{station}"',
        '":by" = ":{rider}"',
    ]
    assert lars("solve", ".").out.splitlines()[1:] == ["1: (b1, 5)", "2: (b1, 5) (b1, 7)"]


WRONG = {
    ("q.rq",): "found no traces among the files; expected DIR QUERY.. TRACE..",
    ("t.nq",): "found no a query",
    ("q.rq", "t.nt", "u.nt"): "u.nt: the stream of this file is unknown; use --stream IRI=u.nt",
    (
        "q.rq",
        "r.rq",
        "t.nq",
    ): "r.rq: the query is in the same language as q.rq; expected one query in each language",
    ("q.rq", "nowhere"): "nowhere: no such file or folder; expected queries, traces and static data",
    ("q.rq", "t.nq", "--static", "nowhere"): "nowhere: no such file or folder",
}


@pytest.mark.parametrize("files", WRONG)
def test_what_makes_no_experiment_is_refused(tmp_path, monkeypatch, files):
    monkeypatch.chdir(tmp_path)
    for name in ("q.rq", "r.rq"):
        (tmp_path / name).write_text(
            "SELECT ?b WHERE { STREAM <http://e/S> [RANGE 3s] { ?b <http://e/p> ?s } }"
        )
    for name in ("t.nq", "t.nt", "u.nt"):
        (tmp_path / name).touch()
    found = lars("init", "new", *files)
    assert found.code == 2
    assert WRONG[files].replace("no a", "no") in found.err
    assert not (tmp_path / "new").exists()


@pytest.fixture
def sensors(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = (f"STREAM <e:{name}> [RANGE 60s] {{ ?{name} <e:{asked}> ?v{name} }}" for name, asked in ASKED)
    (tmp_path / "q.rq").write_text(f"SELECT ?vfast ?vbad {{ {' '.join(blocks)} }}")
    (tmp_path / "fast.csv").write_text("time,car,segment,speed\n2,c1,A1,58.6\n9,c2,A2,61.2\n")
    (tmp_path / "bad.csv").write_text("time,case,area,kind\n3,i1,A2,animal\n6,i2,A1,works\n")


ASKED = (("fast", "speed"), ("bad", "kind"))


def test_tables_of_different_columns_have_a_mapping_for_each_stream(sensors):
    made = lars("init", "mine", "q.rq", "fast.csv", "bad.csv", "--period", "5s")
    assert '[columns."e:fast"]\nt = "{time}"\ns = "ex:{car}"\n"ex:segment" = "ex:{segment}"' in made.out
    assert '[columns."e:bad"]' in made.out
    rows = {
        (b(row["vfast"]), b(row["vbad"]))
        for one in lars("solve", "mine", "--json").lines
        for row in one["rows"]
    }
    assert {("58.6", "http://example.org/animal"), ("61.2", "http://example.org/works")} <= rows


def b(term):
    return term["value"]


def test_a_table_whose_rows_name_streams_has_no_mapping_of_its_own_beside_another(sensors, tmp_path):
    (tmp_path / "bad.csv").write_text("time,stream,kind\n3,e:bad,animal\n")
    (tmp_path / "fast.csv").write_text("time,stream,speed\n2,e:fast,58.6\n")
    made = lars("init", "mine", "q.rq", "fast.csv", "bad.csv")
    assert made.code == 2
    assert (
        "its columns differ from the columns of the other tables, and its rows contain the stream" in made.err
    )


def test_a_column_that_is_the_subject_stays_the_object_that_a_query_asks_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "SELECT ?room { STREAM <e:S> [RANGE 9s] { ?x <e:room> ?room ; <e:heat> ?t } FILTER(?t > 40) }"
    (tmp_path / "q.rq").write_text(text)
    (tmp_path / "t.csv").write_text("time,room,heat\n1,lab,20\n2,kitchen,43\n")
    assert '"<e:room>" = "ex:{room}"' in lars("init", "mine", "q.rq", "t.csv").out
    (row,) = {b(row["room"]) for one in lars("solve", "mine", "--json").lines for row in one["rows"]}
    assert row == "http://example.org/kitchen"


def test_an_experiment_that_cannot_be_written_leaves_no_folder(tmp_path, monkeypatch):
    query, trace = tmp_path / "q.rq", tmp_path / "t.nq"
    query.write_text("SELECT ?s { STREAM <e:S> [RANGE 9s] { ?s <e:p> ?o } }")
    trace.write_text('<e:a> <e:p> <e:b> <e:S> "1" .')

    def full(path, text):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("agreement.results.files.initialised.rewrite", full)
    (tmp_path / "own").mkdir()
    for folder in ("new/one", "own"):
        assert lars("init", tmp_path / folder, query, trace).code == 3
    assert {path.name for path in tmp_path.iterdir()} == {"q.rq", "t.nq", "own"}


def test_every_option_of_the_input_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text("SELECT ?s { STREAM <e:S> [RANGE 3s] { ?s <e:in> ?o } }")
    (tmp_path / "t.csv").write_text("time,s\n3,a\n")
    values = {"static": "t.ttl", "stream": "e:S=t.csv", "sort": "", "time": "e:at", "prefix": "e=http://e/"}
    values |= {"unit": "1s", "trace_unit": "1ms", "base": "http://x/", "rdf": "1.2", "blank_nodes": "element"}
    values |= {
        "origin": "2026-01-31T12:00:00Z",
        "column": "t={time}",
        "readings": "range-alone=tumbling",
        "null": "-",
        "arrival": "order",
    }
    flags = {one.name: one.flag for one in declared(InitRequest) if not one.argument}
    assert {*flags} == {*values, "period"}
    (tmp_path / "t.ttl").write_text("")
    given = [word for name, value in values.items() for word in (flags[name], value) if word]
    assert lars("init", "d", "q.rq", "t.csv", *given).code == 0
    written = tomllib.loads((tmp_path / "d/experiment.toml").read_text())
    names = {"stream": "streams", "prefix": "prefixes", "column": "columns"}
    assert {names.get(name, name) for name in values} <= {*written}


@pytest.mark.parametrize("ending", [".csv", ".CSV", ".tsv", ".Tsv"])
def test_the_ending_of_a_table_has_any_case(tmp_path, monkeypatch, ending):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text("SELECT ?s { STREAM <e:S> [RANGE 3s] { ?s <http://e/state> ?o } }")
    between = "\t" if ending.lower() == ".tsv" else ","
    lines = ("t,room,state,n", "1,kitchen,open,1", "2,hall,NA,NA")
    (tmp_path / f"d{ending}").write_text("".join(line.replace(",", between) + "\n" for line in lines))
    said = lars("init", "d", "q.rq", f"d{ending}").out
    assert 'null = "NA"' in said
    assert '"ex:{state}"' in said


def test_a_csv_with_more_than_the_columns_of_a_trace_gets_a_mapping(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text("SELECT ?s { STREAM <e:S> [RANGE 3s] { ?s <http://e/note> ?o } }")
    (tmp_path / "t.csv").write_text("t,s,p,o,note\n3,a,b,c,d\n")
    assert '"http://e/note" = "ex:{note}"' in lars("init", "d", "q.rq", "t.csv").out
    assert lars("solve", "d").out.splitlines()[1:] == ["3: (a)"]


def test_the_unit_is_one_that_the_times_of_events_fit(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text("SELECT ?d { STREAM <e:S> [RANGE 3s] { ?e <http://e/d> ?d } }")
    for fraction, unit in (("", None), (".197", "1ms"), (".197004", "1000ns")):
        table = f"time;d\n2026-01-01T10:00:05{fraction}+02:00;a\n2026-01-01T10:00:09+02:00;b\n"
        (tmp_path / "t.csv").write_text(table)
        folder = tmp_path / f"mine{fraction}"
        written = tomllib.loads(api.init(str(folder), "q.rq", "t.csv").path.read_text())
        assert (written.get("unit"), "origin" in written) == (unit, True)
        assert lars("solve", folder).code == 0


def test_time_0_is_before_the_elements_of_each_file_whatever_its_column_of_times_is_called(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    windows = "STREAM <e:ab> [RANGE 1m] { ?s <e:p> ?x } STREAM <e:cd> [RANGE 1m] { ?s <e:q> ?y }"
    (tmp_path / "q.rq").write_text(f"SELECT ?s {{ {windows} }}")
    (tmp_path / "ab.csv").write_text("observed_at;s;p\n2026-06-01T07:00:45+02:00;a;1\n")
    (tmp_path / "cd.csv").write_text("ts;s;q\n2026-06-01T07:01:56+02:00;a;1\n")
    found = lars("init", "mine", "q.rq", "ab.csv", "cd.csv", "--period", "1m")
    assert 'origin = "2026-06-01T07:00:00+02:00"' in found.out
    assert lars("solve", "mine").code == 0
    # A trace whose times are not known here may begin earlier.
    (tmp_path / "cd.nt").write_text('<e:g> <http://www.w3.org/ns/prov#generatedAtTime> "x" .\n')
    other = lars("init", "other", "q.rq", "ab.csv", "--stream", "e:cd=cd.nt", "--period", "1m")
    assert (other.code, "origin" in other.out) == (0, False)


NONE_LATER = "No pull period begins after the last element."
TIME_0 = [
    ("5m", "07:10"),
    ("1h", "07:00"),
    ("1m..5m", "07:00"),
    ("2m,3m", "07:12"),
    ("7s", "00:00"),
    ("1m,7m", "00:00"),
]


@pytest.mark.parametrize(("period", "origin"), TIME_0)
def test_time_0_is_a_common_multiple_of_the_pull_periods(tmp_path, monkeypatch, period, origin):
    """Pulls of every 5 minutes are at minutes that 5 divides, as those of a clock."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text("SELECT ?s { STREAM <e:S> [RANGE 9m] { ?s <e:p> ?x } }")
    (tmp_path / "t.csv").write_text("time,s,p\n2026-06-01T07:13:45Z,a,1\n")
    found = lars("init", "mine", "q.rq", "t.csv", "--period", period)
    assert f'multiples of their length after midnight.\norigin = "2026-06-01T{origin}:00+00:00"' in found.out


def test_the_clock_of_round_times_is_in_the_time_zone_of_the_trace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text(HOT)
    (tmp_path / "t.csv").write_text("time,r,t\n2026-06-01T07:13:45+05:30,a,1\n")
    assert (
        'origin = "2026-06-01T07:00:00+05:30"' in lars("init", "mine", "q.rq", "t.csv", "--period", "1h").out
    )


@pytest.mark.parametrize(
    ("period", "timeline", "comment"),
    [
        ("5m", ["07:10", "07:25"], NONE_LATER),
        (
            "1m..3m",
            ["07:12", "07:22"],
            f"{NONE_LATER} The period with the last element is not compared for: 3m.",
        ),
        ("1m,1h", ["07:00", "08:00"], "Some pull periods begin after the last element (for the lengths 1m)."),
    ],
)
def test_the_timeline_has_no_period_after_the_last_element_unless_it_says_so(
    tmp_path, monkeypatch, period, timeline, comment
):
    """Push is silent after the last element, so that pull alone would report the rows of later periods."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text(HOT)
    (tmp_path / "t.csv").write_text("time,r,t\n2026-06-01T07:13:45Z,a,20\n2026-06-01T07:21:45Z,a,30\n")
    text = api.init("mine", "q.rq", "t.csv", period=period).path.read_text()
    ends = ", ".join(f'"2026-06-01T{time}:00+00:00"' for time in timeline)
    assert f"# {comment}\ntimeline = [{ends}]" in text


def test_words_that_a_query_compares_with_texts_are_texts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("time,event,room\n1,e,hall\n2,f,attic\n")
    head = "PREFIX e: <http://e/> SELECT ?r { STREAM <e:S> [RANGE 3s] { ?event e:room "
    for n, rest in enumerate(('?r FILTER(?r = "hall") } }', '?r FILTER(?r IN ("hall", "x")) } }')):
        (tmp_path / "q.rq").write_text(head + rest)
        assert '"e:room" = "{room}"' in api.init(f"m{n}", "q.rq", "t.csv").text
        assert "hall" in lars("solve", f"m{n}").out
    (tmp_path / "q.rq").write_text(head + "?r FILTER(?r = e:hall) } }")
    assert '"e:room" = "e:{room}"' in api.init("iri", "q.rq", "t.csv").text


def test_a_text_in_place_of_an_iri_is_called_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text(
        "SELECT ?room { STREAM <e:S> [RANGE 3s] { ?event <http://e/room> ?room } }"
    )
    (tmp_path / "t.csv").write_text("time,event,room\n1,e,hall\n9,f,attic\n")
    (tmp_path / "a.csv").write_text("time,room\n1,hall\n9,attic\n")
    lars("init", "mine", "q.rq", "t.csv")
    found = lars("judge", "mine", "--engine", "cqels", "--answers", "a.csv")
    said = 'same values, other kind of term: expected <http://example.org/hall>, found "hall"'
    assert (found.code, found.out.splitlines()[1]) == (1, said)
    # No search for faults of windows, which it cannot be.
    assert "no known fault" not in found.out
    # One more wrong row, and the search begins.
    (tmp_path / "b.csv").write_text("time,room\n1,hall\n9,attic\n9,cellar\n")
    again = lars("judge", "mine", "--engine", "cqels", "--answers", "b.csv")
    assert said in again.out
    assert "fault" in again.out or "explanation" in again.out
    (tmp_path / "mine/experiment.toml").write_text(
        (tmp_path / "mine/experiment.toml").read_text().replace("ex:{room}", "{room}")
    )
    assert lars("judge", "mine", "--engine", "cqels", "--answers", "a.csv", "--no-diagnosis").code == 0


UNUSABLE = {
    "t.xlsx": ("\x7fELF\x02", "t.xlsx: cannot read a spreadsheet"),
    "d.csv": ("time,x\n01.07.2026 12:00:01,1\n", "'01.07.2026 12:00:01' is not a time"),
    "n.csv": ("x,y\na,01.07.2026 12:00:01\n", "cannot use the column y for the times: '01.07.2026 12:00:01'"),
    "w.csv": ("x,y\na,b\n", "cannot use the column x for the times: 'a' is not a time"),
    "u.csv": ("\ufefftime,x\n3,1\n", "u.csv: found text in UTF-16; use UTF-8"),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_a_trace_that_no_command_can_read_makes_no_experiment(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text("SELECT ?x { STREAM <e:S> [RANGE 3s] { ?s <http://e/x> ?x } }")
    text, problem = UNUSABLE[name]
    (tmp_path / name).write_bytes(text.encode("utf-16-le" if text[0] == "\ufeff" else "utf-8"))
    found = lars("init", "mine", "q.rq", name)
    assert (found.code, (tmp_path / "mine").exists()) == (2, False)
    assert problem in found.err
    assert ("write the year first, then month and day" in found.err) == (name in {"d.csv", "n.csv"})


WIDE = "time,CO2 lab (ppm),CO2 hall (ppm)\n1,873,456\n"
LONG = "time,room,quantity,value\n1,lab,co2,873\n"


@pytest.mark.parametrize(("table", "missing"), [(WIDE, "ex:room, ex:co2"), (LONG, "ex:co2"), ("", None)])
def test_predicates_that_no_column_gives_are_said_and_measurements_name_no_subject(
    tmp_path, monkeypatch, table, missing
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(table or "time,room,co2\n1,lab,873\n")
    (tmp_path / "q.rq").write_text(
        "PREFIX ex: <http://e/> SELECT ?c { STREAM ex:S [RANGE 3s] { ?m ex:room ?r ; ex:co2 ?c } }"
    )
    found = lars("init", "mine", "q.rq", "t.csv")
    assert 's = "_:{row}"' in found.out
    said = f"note: no column gives the predicate {missing}, which the queries ask for"
    assert (said in found.err) == (missing is not None), found.err
    assert ("no column gives" in found.err) == (missing is not None), found.err


@pytest.mark.parametrize(
    ("header", "subject"),
    [("id", "ex:{id}"), ("sensorId", "ex:{sensorId}"), ("grid", "_:{row}"), ("room", "_:{row}")],
)
def test_a_column_with_the_name_of_an_identifier_is_the_subject_behind_the_objects(
    tmp_path, monkeypatch, header, subject
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(f"time,co2,{header}\n1,873,007\n2,900,008\n")
    (tmp_path / "q.rq").write_text(
        "PREFIX ex: <http://e/> SELECT ?s ?c { STREAM ex:S [RANGE 3s] { ?s ex:co2 ?c } }"
    )
    assert f's = "{subject}"' in lars("init", "mine", "q.rq", "t.csv").out
    rows = lars("solve", "mine", "--to", "2", "-q").out
    assert ("007" in rows) == (subject != "_:{row}"), rows


def test_a_predicate_does_not_come_from_a_column(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(LONG)
    (tmp_path / "q.rq").write_text("SELECT ?c { STREAM <e:S> [RANGE 3s] { ?m <http://e/co2> ?c } }")
    options = ("--column", "t={time}", "--column", "s=_:{row}", "--column", "ex:{quantity}={value}")
    found = lars("solve", "q.rq", "t.csv", "--prefix", "ex=http://e/", *options)
    assert (
        found.code,
        "cannot use 'ex:{quantity}' as a predicate: a predicate must be the same" in found.err,
    ) == (
        2,
        True,
    )


def test_times_of_one_fraction_of_a_second_get_a_unit_that_time_0_fits(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text(ROOMS)
    (tmp_path / "air.csv").write_text("time,room\n2026-06-15T08:00:05.250Z,a\n2026-06-15T08:00:11.250Z,b\n")
    assert lars("init", "x", "q.rq", "air.csv").code == 0
    assert 'unit = "1ms"' in (tmp_path / "x/experiment.toml").read_text()
    assert lars("agree", "x").code == 0


@pytest.mark.parametrize(("digits", "unit"), [("", None), ("000", "1ms"), ("000000", "1000ns")])
def test_integers_with_the_digits_of_milliseconds_count_milliseconds(tmp_path, monkeypatch, digits, unit):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text(ROOMS)
    (tmp_path / "air.csv").write_text(f"ts,room\n1781510405{digits},a\n1781510411{digits},b\n")
    assert lars("init", "x", "q.rq", "air.csv").code == 0
    assert (f'trace_unit = "{unit}"' in (tmp_path / "x/experiment.toml").read_text()) == (unit is not None)
    assert "2026-06-15T08:00:11Z: (a) (b)" in lars("solve", "x").out


def test_a_date_beside_a_time_of_day_is_no_time(tmp_path, monkeypatch):
    """The whole day was one time point, and the time of day the subject."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text(ROOMS)
    (tmp_path / "air.csv").write_text("date,clock,room\n2026-06-15,08:00:05,a\n2026-06-15,08:00:11,b\n")
    run = lars("init", "x", "q.rq", "air.csv")
    assert (run.code, "use one column with times such as 2026-06-15T08:00:05" in run.err) == (2, True)
    (tmp_path / "air.csv").write_text("date,room\n2026-06-15,a\n2026-06-16,b\n")
    assert lars("init", "x", "q.rq", "air.csv").code == 0


ROOMS = """PREFIX ex: <http://example.org/>
SELECT ?room WHERE { STREAM ex:air [RANGE 30s] { ?e ex:room ?room } }
"""


HOT = "PREFIX ex: <http://e/> SELECT ?r ?t { STREAM ex:air [RANGE 10s] { ?r ex:t ?t } }"
TWO = f"{HOT[:-1]} STREAM ex:doors [RANGE 10s] {{ ?r ex:d ?d }} }}"


@pytest.mark.parametrize(
    ("times", "problem"),
    [
        (
            "1714557604000",
            "doors.csv: cannot compare its times with the times of air.csv: 1714557604000 is an integer of",
        ),
        ("2024-05-01 10:00:04", "2024-05-01 10:00:04 is a dateTime without a time zone, and"),
        ("7", "7 is an integer, and 2024-05-01T10:00:03Z is a dateTime"),
    ],
)
def test_files_whose_times_no_command_reads_together_make_no_experiment(
    tmp_path, monkeypatch, times, problem
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text(TWO)
    (tmp_path / "air.csv").write_text("time,r,t\n2024-05-01T10:00:03Z,a,20\n")
    (tmp_path / "doors.csv").write_text(f"time,r,d\n{times},a,1\n")
    found = lars("init", "mine", "q.rq", "air.csv", "doors.csv")
    assert (found.code, problem in found.err, (tmp_path / "mine").exists()) == (2, True, False)
    remedy = "use one notation for all times, such as 2024-05-01T10:00:04Z in place of 1714557604000"
    assert (remedy in found.err) == (times == "1714557604000")


def test_integers_of_several_lengths_are_times_of_one_kind_unless_they_count_from_1970(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text(TWO)
    (tmp_path / "air.csv").write_text("time,r,t\n7,a,20\n1000000000,a,21\n")
    (tmp_path / "doors.csv").write_text("time,r,d\n12,a,1\n")
    assert lars("init", "mine", "q.rq", "air.csv", "doors.csv").code == 0
    (tmp_path / "air.csv").write_text("time,r,t\n1714557603,a,20\n")
    (tmp_path / "doors.csv").write_text("time,r,d\n1714557604000,a,20\n")
    assert "is an integer of 10 digits; use" in lars("init", "other", "q.rq", "air.csv", "doors.csv").err


TIMES = {
    "air.tsv": "time\tr\tt\n2024-05-01T10:00:03Z\ta\t20\n2024-05-01T10:00:09Z\tb\t21\n",
    "zone.csv": "time,r,t\n2024-05-01 10:00:03+0200,a,20\n2024-05-01 10:00:09+0200,b,21\n",
    "index.csv": ",time,r,t\n0,2024-05-01 10:00:03,a,20\n1,2024-05-01 10:00:09,b,21\n",
    "minutes.csv": "time,r,t\n2024-05-01T10:00,a,20\n2024-05-01T10:01,b,21\n",
    "ms.csv": "time,r,t\n1714557603000,a,20\n1714557609000,b,21\n",
    "unsorted.csv": "time,r,t\n2024-05-01T10:00:09Z,a,20\n2024-05-01T10:00:03Z,b,21\n",
}


@pytest.mark.parametrize("name", TIMES)
def test_the_first_experiment_of_a_table_has_a_round_time_0_and_a_verdict_on_all_rows(
    tmp_path, monkeypatch, name
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text(HOT)
    (tmp_path / name).write_text(TIMES[name])
    written = tomllib.loads(api.init("mine", "q.rq", name).path.read_text())
    zone = {"zone": "+02:00", "index": "", "minutes": ""}.get(name[: name.index(".")], "+00:00")
    begin = "09:59" if name == "minutes.csv" else "10:00"
    assert written["origin"] == f"2024-05-01T{begin}:00{zone}"
    # A row at the end of a period needs no longer timeline.
    assert written.get("timeline", [""])[-1] == ("" if begin == "09:59" else f"2024-05-01T10:00:10{zone}")
    assert written.get("sort") == (True if name == "unsorted.csv" else None)
    assert lars("agree", "mine").code in (0, 1)
    (period,) = json.loads(lars("agree", "mine", "--json").out)["periods"]
    assert (period["unfinished"], period["intervals"] != []) == (None, True)


def test_a_row_without_a_time_is_called_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text(HOT)
    (tmp_path / "air.csv").write_text("time,r,t\n2024-05-01T10:00:03Z,a,20\n,b,21\n")
    assert 'origin = "2024-05-01T10:00:00+00:00"' in lars("init", "mine", "q.rq", "air.csv").out
    run = lars("agree", "mine")
    assert "air.csv:3:1: found no time; expected a time in each row, or --on-error skip" in run.err
    assert lars("agree", "mine", "--on-error", "skip", "--rejected", "bad.csv").code in (0, 1)


def test_times_in_a_column_without_a_name_need_a_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text(HOT)
    (tmp_path / "air.csv").write_text(",r,heat\n2024-05-01 10:00:03,a,20\n")
    run = lars("init", "mine", "q.rq", "air.csv")
    assert (run.code, "cannot use the column without a name for the times; use a name" in run.err) == (
        2,
        True,
    )


@pytest.mark.parametrize(
    ("pattern", "said", "proposed"),
    [
        (
            "?r ex:t ?t",
            "several streams have the predicate http://e/t. Before `lars agree`, choose the",
            True,
        ),
        (
            "?r ?p ?t",
            "triples of each stream can match the predicate ?p. Before `lars agree`, add a CQ",
            False,
        ),
        ("?r ex:u ?x", None, False),
    ],
)
def test_patterns_that_several_streams_match_are_told_at_once(tmp_path, monkeypatch, pattern, said, proposed):
    """A C-SPARQL query names no stream of a pattern, so that the next command would fail."""
    monkeypatch.chdir(tmp_path)
    froms = " ".join(f"FROM STREAM <e:{name}> [RANGE 5s STEP 5s]" for name in ("air", "ground"))
    head = "REGISTER QUERY x AS PREFIX ex: <http://e/> SELECT ?r"
    (tmp_path / "q.rq").write_text(f"{head} {froms} WHERE {{ {pattern} }}")
    (tmp_path / "air.csv").write_text("time,r,t,v\n3,a,20,1\n")
    (tmp_path / "ground.csv").write_text("time,r,t,u\n3,a,20,1\n")
    made = lars("init", "mine", "q.rq", "air.csv", "ground.csv")
    assert ("The query does not name the stream" in made.err, (said or "") in made.err) == (
        said is not None,
        True,
    )
    path = tmp_path / "mine/experiment.toml"
    lines = path.read_text()
    assert ('\n# [assign]\n# "e:air" = ["http://e/t"]\n# "e:ground" = ["http://e/t"]' in lines) == proposed
    assert lars("agree", "mine").code == (2 if said else 0)
    if proposed:
        path.write_text(lines.replace("# [assign]\n# ", "[assign]\n"))
        assert lars("agree", "mine").code in (0, 1)


def test_of_a_large_table_the_first_row_determines_the_unit_and_no_time_0_is_proposed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("agreement.documents.initial._MOST_BYTES", 10)
    (tmp_path / "q.rq").write_text(HOT)
    (tmp_path / "air.csv").write_text(TIMES["ms.csv"])
    written = tomllib.loads(api.init("mine", "q.rq", "air.csv").path.read_text())
    assert (written["trace_unit"], "origin" in written, "timeline" in written) == ("1ms", False, False)
    assert lars("agree", "mine").code in (0, 1)


@pytest.mark.parametrize(("period", "end"), [("4", "10:00:12"), ("2s,4s", "10:00:10"), ("3", None)])
def test_the_timeline_ends_with_the_last_period_also_if_the_period_is_a_number(
    tmp_path, monkeypatch, period, end
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text(HOT)
    (tmp_path / "air.csv").write_text(TIMES["zone.csv"])
    text = api.init("mine", "q.rq", "air.csv", period=period).path.read_text()
    written = tomllib.loads(text)
    expected = None if end is None else ["2024-05-01T10:00:00+02:00", f"2024-05-01T{end}+02:00"]
    assert written.get("timeline") == expected
    assert lars("agree", "mine").code in (0, 1)


def test_a_trace_that_names_its_streams_beside_another_needs_its_stream(tmp_path, monkeypatch):
    """An experiment has files or streams, so that the next command would fail."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text(TWO)
    (tmp_path / "air.nq").write_text('<http://e/a> <http://e/t> "20" <http://e/air> "3" .\n')
    (tmp_path / "doors.csv").write_text("time,r,d\n4,a,1\n")
    run = lars("init", "mine", "q.rq", "air.nq", "doors.csv")
    remedy = "with doors.csv; use --stream IRI=air.nq, with http://e/air\n"
    assert (run.code, remedy in run.err, (tmp_path / "mine").exists()) == (2, True, False)
    options = ("--stream", "http://e/air=air.nq", "--period", "2s")
    assert lars("init", "mine", "q.rq", "doors.csv", *options).code == 0
    assert lars("agree", "mine").code in (0, 1)


@pytest.mark.parametrize(("column", "key"), [("state", "ex:kg"), ("open", "ex:state")])
def test_a_predicate_with_a_column_in_another_table_is_not_left_over(tmp_path, monkeypatch, column, key):
    monkeypatch.chdir(tmp_path)
    froms = " ".join(f"FROM STREAM <http://e/{name}> [RANGE 5s STEP 5s]" for name in ("loads", "doors"))
    where = 'WHERE { ?load ex:truck ?t ; ex:depot ?d . ?door ex:depot ?d ; ex:state "closed" . }'
    (tmp_path / "q.rq").write_text(f"REGISTER QUERY x AS PREFIX ex: <http://e/> SELECT ?t ?d {froms} {where}")
    (tmp_path / "loads.csv").write_text("time,truck,depot,kg\n3,T1,north,20\n")
    (tmp_path / "doors.csv").write_text(f"time,depot,{column}\n3,north,closed\n")
    made = lars("init", "mine", "q.rq", "loads.csv", "doors.csv")
    assert f'"{key}" = "{{kg}}"' in made.out
    assert ("column kg gets the predicate ex:state" in made.err) == (column == "open")


OF_DOORS = ("--stream", "http://e/doors=doors.csv")
OF_ROOMS = ("--static", "rooms.ttl")
ON_AIR = "SELECT ?w FROM STREAM ex:air [RANGE 5s STEP 5s]"
ON_BOTH = f"{ON_AIR} FROM STREAM ex:doors [RANGE 5s STEP 5s]"


@pytest.mark.parametrize(
    ("text", "other"),
    [
        (
            "SELECT ?w { STREAM ex:doors [NOW] { ?p ex:enters ?w } STREAM ex:air [NOW] { ?o ex:room ?w } }",
            OF_DOORS,
        ),
        ("SELECT ?w { ?p ex:enters ?w . STREAM ex:air [NOW] { ?o ex:room ?w } }", OF_ROOMS),
        (f"{ON_BOTH} {{ ?p ex:enters ?w . ?o ex:room ?w }}", OF_DOORS),
        (f"{ON_AIR} {{ ?p ex:enters ?w . ?o ex:room ?w }}", OF_ROOMS),
        (f"{ON_AIR} {{ ?p ex:enters ?w . ?o ex:room ?w }}", ()),
    ],
)
def test_a_predicate_of_other_data_is_not_left_over(tmp_path, monkeypatch, text, other):
    monkeypatch.chdir(tmp_path)
    register = "REGISTER QUERY x AS " if "FROM" in text else ""
    (tmp_path / "q.rq").write_text(f"{register}PREFIX ex: <http://e/> {text}")
    (tmp_path / "air.csv").write_text("time,sensor,room,humidity\n3,s1,r1,40\n")
    (tmp_path / "doors.csv").write_text("t,s,p,o\n3,http://e/p,http://e/enters,http://e/r1\n")
    (tmp_path / "rooms.ttl").write_text("@prefix e: <http://e/> . e:p e:enters e:r1 .")
    made = lars("init", "mine", "q.rq", "air.csv", *other, "--period", "5s")
    assert f'"ex:{"humidity" if other else "enters"}" = "{{humidity}}"' in made.out


@pytest.mark.parametrize(
    ("where", "first", "is_derived"),
    [
        ('?load ex:truck ?t ; ex:depot ?d . ?door ex:depot ?d ; ex:state "closed"', "truck", True),
        ("?load ex:truck ?t ; ?any ?d . ?door ex:depot ?d ; ex:state ?any2", "truck", True),
        ("?load ex:truck ?t ; ex:depot ?d . ?door ex:depot ?d", "truck", False),
        # Several rows have the same subject, so that rows of the other table can have it, too.
        ("?load ex:kg ?t ; ex:depot ?d . ?door ex:depot ?d ; ex:state ?any", "load", False),
    ],
)
def test_the_subjects_of_patterns_determine_their_streams_if_each_row_has_a_subject_of_its_own(
    tmp_path, monkeypatch, where, first, is_derived
):
    """lars agree cannot choose the stream of a pattern whose predicate is a column of two tables."""
    monkeypatch.chdir(tmp_path)
    froms = " ".join(f"FROM STREAM <http://e/{name}> [RANGE 5s STEP 5s]" for name in ("loads", "doors"))
    head = "REGISTER QUERY x AS PREFIX ex: <http://e/> SELECT ?t ?d"
    (tmp_path / "q.rq").write_text(f"{head} {froms} WHERE {{ {where} }}")
    (tmp_path / "loads.csv").write_text(f"time,{first},depot,kg\n3,T1,north,20\n")
    (tmp_path / "doors.csv").write_text("time,depot,state\n3,north,closed\n4,south,open\n")
    made = lars("init", "mine", "q.rq", "loads.csv", "doors.csv")
    path = tmp_path / "mine/derived.cqels.rq"
    assert ('cqels = "derived.cqels.rq"' in made.out, path.exists()) == (is_derived, is_derived)
    assert (
        "next: choose the streams in mine/experiment.toml, then lars agree mine" in made.out
    ) != is_derived
    assert (lars("agree", "mine").code in (0, 1)) == is_derived
    if is_derived:
        loads, doors = path.read_text().split("STREAM")[1:]
        assert ("?load" in doors, "?door" in loads) == (False, False)


PATTERN = "?r <http://e/room> <http://e/hall> ; <http://e/temp> ?t"
READINGS = f"SELECT ?t {{ STREAM <http://e/S> [RANGE 3s] {{ {PATTERN} }} }}"


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("first", ["hall", "n/a", None])
def test_the_first_cell_with_a_value_determines_the_kind_of_term(tmp_path, monkeypatch, first, form):
    """In a Parquet file of texts as in CSV; a missing value shows no kind."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text(READINGS)
    frame = pd.DataFrame({"time": [3, 4], "room": [first, "hall"], "temp": [21.5, 30.0]})
    path = tmp_path / f"t.{form}"
    frame.to_parquet(path) if form == "parquet" else frame.to_csv(path, index=False)
    made = lars("init", "mine", "q.rq", path)
    columns = tomllib.loads((tmp_path / "mine/experiment.toml").read_text())["columns"]
    assert (columns["http://e/room"], columns["http://e/temp"]) == (
        "<http://e/{room}>",
        "{temp}",
    ), made.err


@pytest.mark.parametrize(
    ("header", "named"),
    [
        ("time,Room,Temp (°C),hum", "{Temp (°C)}"),
        ("time,room,temp [C],hum", "{temp [C]}"),
        ("time,room,t,temp", "{temp}"),
        ("time,room,temp (F),temp", "{temp}"),
        ("time,room,temp,Temp (F)", "{temp}"),
    ],
)
def test_a_unit_in_the_name_of_a_column_hides_no_predicate(tmp_path, monkeypatch, header, named):
    """A column with the very name comes first, and each column has its own predicate."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text(READINGS)
    (tmp_path / "t.csv").write_text(f"{header}\n3,hall,21.5,70.7\n")
    lars("init", "mine", "q.rq", "t.csv")
    columns = tomllib.loads((tmp_path / "mine/experiment.toml").read_text())["columns"]
    assert columns["http://e/temp"] == named
    assert len(columns) == 5


OTHER = "STREAM <http://e/bs> [RANGE 9s] { ?y <http://e/place> ?c }"


@pytest.mark.parametrize("rows", [("Alte Mühle", "Bahnhof"), ("Bahnhof", "Alte Mühle")])
@pytest.mark.parametrize("more", ["", "; <http://e/city> <http://e/Bahnhof>"])
def test_columns_that_a_query_joins_have_one_kind_of_term(tmp_path, monkeypatch, rows, more):
    """A name with a space in any row makes texts of both columns, unless a query asks for an IRI."""
    monkeypatch.chdir(tmp_path)
    first = f"STREAM <http://e/as> [RANGE 9s] {{ ?x <http://e/city> ?c {more} }}"
    (tmp_path / "q.rq").write_text(f"PREFIX ex: <http://e/> SELECT ?c {{ {first} {OTHER} }}")
    lines = [f"{t},{row},5\n" for t, row in enumerate(rows, 3)]
    (tmp_path / "as.csv").write_text("time,city,n\n" + "".join(lines))
    (tmp_path / "bs.csv").write_text("time,place,m\n5,Bahnhof,7\n")
    made = lars("init", "mine", "q.rq", "as.csv", "bs.csv")
    columns = tomllib.loads((tmp_path / "mine/experiment.toml").read_text())["columns"]
    kinds = {columns["http://e/as"]["ex:city"], columns["http://e/bs"]["ex:place"]}
    wanted = {"ex:{city}", "ex:{place}"} if more else {"{city}", "{place}"}
    assert kinds == wanted, made.out
    assert "(Bahnhof)" in lars("solve", "mine").out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\n\ntime;room;temp\n2026-05-04 08:00:01;hall;31\n", '"http://e/room" = "<http://e/{room}>"'),
        (
            f'time,room,temp\n2026-05-04 08:00:01,"{"x y" * 50_000}",31\n',
            '"http://e/room" = "<http://e/{room}>"',
        ),
        ("time,ro{o}m,temp\n5,hall,31\n", "the column ro{o}m has a bracket in its name"),
    ],
)
def test_odd_tables_have_a_mapping_or_a_reason(tmp_path, monkeypatch, text, said):
    """Blank lines before the header, a cell of 150,000 characters, and a name that no template can have."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text(READINGS)
    (tmp_path / "t.csv").write_text(text)
    made = lars("init", "mine", "q.rq", "t.csv")
    assert said in made.out + made.err
    assert made.code == (2 if "bracket" in said else lars("solve", "mine").code)


def test_the_rows_of_a_table_are_read_only_while_a_column_is_undecided():
    rows = iter([["a", "1"], ["b c", "2"], ["c d", "3"]])
    assert _telling_cells(rows, [(0, "x"), (1, "y")], {""}) == {"x": "b c", "y": "1"}
    assert next(rows) == ["c d", "3"]


@pytest.mark.parametrize(("first", "second"), [("http://e/S", "http://e/R"), ("S", "R")])
def test_a_column_stream_names_the_stream_of_each_row(tmp_path, monkeypatch, first, second):
    """Rows of another stream were rows of the stream of the query."""
    monkeypatch.chdir(tmp_path)
    block = "STREAM ex:S [RANGE 3s] { ?s ex:temp ?t }"
    (tmp_path / "q.rq").write_text(f"PREFIX ex: <http://e/> SELECT ?t {{ {block} }}")
    (tmp_path / "t.csv").write_text(f"time,stream,temp\n1,{first},20\n2,{second},30\n")
    assert lars("init", "mine", "q.rq", "t.csv").code == 0
    found = [row for answer in api.solve("mine").answers for row in answer.rows]
    assert {term for row in found for term in row} == {f'"20"^^<{XSD}integer>'}


def test_events_with_nanoseconds_have_a_unit_that_divides_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text(READINGS)
    (tmp_path / "t.csv").write_text("time,room,temp\n2026-05-04T08:00:01.123456789Z,hall,31\n")
    assert 'unit = "1ns"' in lars("init", "mine", "q.rq", "t.csv").out
    assert lars("solve", "mine").code == 0


@pytest.mark.parametrize(
    ("case", "is_joined"),
    [
        (("007", '"007"', '"{code}"'), True),
        (("hall", '"hall"', "{code}"), True),
        (("007", "7", "{code}"), False),
        (("7", "7", "{code}"), True),
        # Both kinds are stored: digits stay numbers.
        (("7", '7, "008"', "{code}"), True),
        (("hall", "<http://e/hall>", "e:{code}"), True),
    ],
)
def test_a_column_that_joins_static_texts_has_texts(tmp_path, monkeypatch, case, is_joined):
    """A column of the digits 007 was xsd:integer, which joins no "007"; a word was an IRI."""
    cell, stored, template = case
    monkeypatch.chdir(tmp_path)
    where = "?x e:code ?c } GRAPH e:g { ?item e:sku ?c }"
    (tmp_path / "q.rq").write_text(
        f"PREFIX e: <http://e/> SELECT ?item {{ STREAM e:S [RANGE 3s] {{ {where} }}"
    )
    (tmp_path / "goods.ttl").write_text(f"<http://e/i> <http://e/sku> {stored} ; <http://e/n> 3 .")
    (tmp_path / "t.csv").write_text(f"time,code\n3,{cell}\n")
    made = lars("init", "mine", "q.rq", "t.csv", "--static", "http://e/g=goods.ttl")
    columns = tomllib.loads((tmp_path / "mine/experiment.toml").read_text())["columns"]
    assert columns["e:code"] == template, made.out
    assert [len(answer.rows) for answer in api.solve("mine").answers] == [int(is_joined)]


@pytest.mark.parametrize(
    ("where", "stored", "template"),
    [
        ("?x e:room r:hall", "", "r:{room}"),
        ("?x e:room <http://b/rooms#hall>", "", "<http://b/rooms#{room}>"),
        ("?x e:room ?r . ?r e:floor ?f", "<http://b/hall> e:floor 2", "<http://b/{room}>"),
        ("?x e:room ?r . ?f e:has ?r", "<http://b/1> e:has r:hall, <http://c/attic>", "r:{room}"),
        ("?room e:temp ?t . ?room e:floor ?f", "<http://b/hall> e:floor 2", "<http://b/{room}>"),
        # Nothing tells one of two namespaces, or a name inside a longer one.
        ("?x e:room ?r . ?r e:floor ?f", "<http://b/hall> e:floor 2 . <http://c/hall> e:floor 2", "e:{room}"),
        ("?x e:room ?r . ?r e:floor ?f", "<http://b/bighall> e:floor 2", "e:{room}"),
        ("?x e:room e:attic", "", "e:{room}"),
    ],
)
def test_words_become_iris_like_those_that_a_query_joins_them_with(
    tmp_path, monkeypatch, where, stored, template
):
    """They had the first prefix of the query, so that the join, or the pattern, matched nothing."""
    monkeypatch.chdir(tmp_path)
    head = "PREFIX e: <http://e/>\nPREFIX r: <http://rooms/>\n"
    (tmp_path / "q.rq").write_text(f"{head}SELECT * WHERE {{ STREAM e:S [RANGE 3s] {{ {where} }} }}")
    (tmp_path / "st.ttl").write_text(f"{head}{stored}{' .' if stored else ''}")
    (tmp_path / "t.csv").write_text("time,room,temp\n3,hall,20\n")
    made = lars("init", "mine", "q.rq", "t.csv", *(("--static", "st.ttl") if stored else ()))
    columns = tomllib.loads((tmp_path / "mine/experiment.toml").read_text())["columns"]
    assert template in (columns.get("e:room"), columns["s"]), made.out


@pytest.mark.parametrize(
    ("subject", "template"), [("?x", "e:{sensor}"), ("<http://b/s1>", "<http://b/{sensor}>")]
)
def test_subjects_become_iris_like_those_of_their_own_patterns(tmp_path, monkeypatch, subject, template):
    """A subject of other data, such as a limit, says nothing of the namespace of the table."""
    monkeypatch.chdir(tmp_path)
    head = "REGISTER QUERY q AS PREFIX e: <http://e/> SELECT ?t FROM STREAM e:S [RANGE 3s STEP 3s] "
    (tmp_path / "q.rq").write_text(f"{head}WHERE {{ {subject} e:temp ?t . <http://c/all> e:limit ?l }}")
    (tmp_path / "t.csv").write_text("time,sensor,temp\n3,s1,20\n")
    (tmp_path / "st.ttl").write_text("<http://c/all> <http://e/limit> 2 .")
    made = lars("init", "mine", "q.rq", "t.csv", "--static", "st.ttl")
    assert tomllib.loads((tmp_path / "mine/experiment.toml").read_text())["columns"]["s"] == template, (
        made.out
    )
