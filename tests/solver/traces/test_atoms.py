"""Traces of atoms: lines, CSV and Parquet, mixed with RDF, both ways of reading, and what programs see."""

import csv
from io import StringIO
from itertools import combinations_with_replacement
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.documents.traces import load_trace
from lars.durations import read_duration
from lars.errors import LarsError, PlacedError
from lars.language.stream import stream_of
from lars.language.terms import RDF_LANG_STRING, Atom, Iri, Literal, Number, Symbol
from lars.language.windows import Interval
from lars.text.notation import read
from solver.columns import TermCodes
from solver.job import Question
from solver.settings import Runner, TraceInput, TraceWarning
from solver.spark.pipeline import SparkTrace
from solver.spark.reading import read_in_tasks
from solver.traces import MalformedPart, prepare, trace
from solver.traces.formats.atom_lines import _read_terms, cell_atom, read_atoms
from solver.traces.formats.cell_columns import TimeColumn, atom_rows
from tests.lars.written import any_constants, names, write_stream
from tests.solver.strategies import fact_of, part_of
from tests.solver.traces.both_readings import by_columns, by_rows, fact_of_row, read_trace_in_process
from tests.solver.traces.writing import SECONDS, both, message, options, read_on_spark, written

LINES = "@prefix e: <http://e/> .\n% so\n\n1: near(a), at(25, e:x) near(a).\r\n1: 'New York' % two\n5:\n"
ROWS = [
    (1, "near", ("a",)),
    (1, "at", ("25", "<http://e/x>")),
    (1, "near", ("a",)),
    (1, "New York", ()),
    (5, None, ()),
]
CSV = "atom,t\nnear(a),1\r\n\"at(25, <http://e/x>)\",1\nnear(a),1\n 'New York',1\n,5\n"
COLUMNS = "arg2,t,predicate,arg1\n,1,near,a\r\n<http://e/x>,1,at,25\n,1,near,a\n,1,'New York',\n,5,,\n"
TRIPLE = '<urn:s> <urn:p> <urn:o> <urn:st> "1" .\n'
HOSTILE = (
    "#script (python)\nend.",
    "% no comment",
    "a'b\"c\\",
    "\x00",
    "\x01\r\n",
    "😀 \u2028",
    "p(a). 9: q",
    "",
)


def cells(path, times, atoms):
    """Write a Parquet file of atoms."""
    pq.write_table(pa.table({"t": times, "atom": pa.array(atoms, pa.string())}), path, row_group_size=2)
    return path


@pytest.mark.parametrize(
    "files", [{"a.atoms": LINES}, {"a.txt": LINES}, {"a": "\ufeff" + LINES}, {"a.csv": CSV}, {"a": COLUMNS}]
)
def test_every_format_gives_the_same_rows_in_both_ways(spark, tmp_path, files):
    assert both(spark, written(tmp_path, files)) == ROWS


@pytest.mark.parametrize("empty", [None, "", " "])
def test_parquet_gives_the_same_rows_in_both_ways(spark, tmp_path, empty):
    atoms = ["near(a)", "at(25, <http://e/x>)", "near(a)", "'New York'", empty]
    assert both(spark, [cells(tmp_path / "a.parquet", [1, 1, 1, 1, 5], atoms)]) == ROWS


@pytest.mark.parametrize("empty", [None, ""])
@pytest.mark.parametrize("prefix", ["http://e/x", "e:x"])
def test_parquet_has_atoms_in_columns_too(spark, tmp_path, empty, prefix):
    columns = {
        "predicate": ["near", "at", "near", "'New York'", empty],
        "t": [1, 1, 1, 1, 5],
        "arg1": ["a", "25", "a", empty, empty],
        "arg2": [empty, f"<{prefix}>" if "//" in prefix else prefix, empty, empty, empty],
        "more": [0.5] * 5,
    }
    pq.write_table(pa.table(columns), tmp_path / "a.parquet", row_group_size=2)
    assert both(spark, [tmp_path / "a.parquet"], options(prefixes=(("e", "http://e/"),))) == ROWS


@pytest.mark.parametrize(
    "kind", [pa.int8(), pa.int64(), pa.uint64(), pa.string(), pa.dictionary(pa.int8(), pa.string())]
)
def test_integers_in_columns_are_numbers(spark, tmp_path, kind):
    numbers = pa.array([7, 0, None] if pa.types.is_integer(kind) else ["7", "0", None]).cast(kind)
    pq.write_table(
        pa.table({"t": [1, 2, 3], "predicate": ["p"] * 3, "arg1": numbers}), tmp_path / "a.parquet"
    )
    assert both(spark, [tmp_path / "a.parquet"]) == [(1, "p", ("7",)), (2, "p", ("0",)), (3, "p", ())]


def test_atoms_and_rdf_mix_and_each_keeps_its_own_order(spark, tmp_path):
    files = {"a.atoms": "1: p(b).\n4:\n", "b.nq": TRIPLE, "c.csv": "t,atom\n4,q\n"}
    paths = [*written(tmp_path, files), cells(tmp_path / "d.parquet", [9], ["r"])]
    triple = (1, "<urn:st>", "<urn:s>", "<urn:p>", "<urn:o>")
    assert both(spark, paths) == [(1, "p", ("b",)), (4, None, ()), triple, (4, "q", ()), (9, "r", ())]


def test_a_striple_atom_is_a_triple_of_its_stream(spark, tmp_path):
    paths = written(tmp_path, {"a.atoms": "1: striple(<urn:s>, <urn:p>, <urn:o>, <urn:st>)", "b.nq": TRIPLE})
    rows = both(spark, paths)
    assert rows[0] == rows[1]


ground_atoms = st.builds(
    lambda name, arguments: Atom(name, tuple(arguments)), names, st.lists(any_constants, max_size=3)
)


def is_held(atom):
    """Whether the solver has a symbol for every argument; see the refused ones below."""
    return all(_is_held(term) for term in atom.arguments)


def _is_held(term):
    match term:
        case Symbol(name):
            return "\0" not in name
        case Literal(_, datatype, language):
            return language is not None or datatype != RDF_LANG_STRING
    return True


@given(st.lists(st.tuples(st.integers(0, 9), ground_atoms.filter(is_held)), min_size=1, max_size=5))
def test_reading_what_was_written_gives_the_facts(found):
    ordered = sorted(found, key=lambda pair: pair[0])
    with TemporaryDirectory() as folder:
        [path] = written(Path(folder), {"a.atoms": write_stream(ordered)})
        rows = read_trace_in_process([path], SECONDS)
    assert [fact_of_row(row) for row in rows] == [fact_of(t, atom) for t, atom in ordered]


@given(
    st.lists(
        st.sampled_from(("1: p", " ", ",", "(", ")", ".", "a", "mod", "0", "-7", "007", "<u:x,y>", "<x>"))
    )
)
def test_the_usual_line_is_read_as_any_other(pieces):
    with TemporaryDirectory() as folder:
        (source,) = prepare(written(Path(folder), {"a.atoms": "1:"}), SECONDS)
    line = "1: p" + "".join(pieces)
    assert outcome(read_atoms, source, line) == outcome(_read_terms, source, line)


def outcome(reader, source, line):
    """What a reader returns, or the problem it raises with its column."""
    try:
        return reader(source, line)
    except MalformedPart as error:
        return error.problem, error.column


def written_all(folder, atoms):
    """Write atoms at time 1 as lines, as CSV and as Parquet; the paths."""
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows([("t", "atom"), *((1, str(atom)) for atom in atoms)])
    lines = write_stream((1, atom) for atom in atoms)
    paths = written(folder, {"a.atoms": lines, "b.csv": text.getvalue()})
    return [*paths, cells(folder / "c.parquet", [1] * len(atoms), list(map(str, atoms)))]


def test_hostile_texts_pass_unharmed(spark, tmp_path):
    held = [text for text in HOSTILE if "\x00" not in text]
    atoms = [Atom("p", (Literal(text), Iri(f"urn:{text}"))) for text in HOSTILE]
    atoms += [Atom(text, (Symbol(text), Number(-5))) for text in held]
    rows = both(spark, written_all(tmp_path, atoms))
    assert rows == [(1, atom.predicate, tuple(map(str, atom.arguments))) for atom in atoms] * 3


@pytest.mark.parametrize("text", [text for text in HOSTILE if "\x00" not in text])
def test_a_constant_of_a_program_matches_the_same_text_in_a_trace_alone(tmp_path, text):
    own, other = Atom("p", (Symbol(text),)), Atom("p", (Symbol(f"{text}!"),))
    paths = written(tmp_path, {"a.atoms": write_stream([(0, own), (1, other), (2, own)])})
    program = read(f"found(X) ← ⊞^0 ◇ p(X), ⊞^0 ◇ {own}.")
    answers = loaded(paths, in_process=True).answers([Question(program, ("found", 1), None)])
    assert [found.by_time() for found in answers] == [
        {t: frozenset({(str(own.arguments[0]),)}) for t in (0, 2)}
    ]


MALFORMED = {
    "variable": ("a.atoms", "1: p\n1: p(X)\n", "2:6: found “X”, expected a constant"),
    "syntax": ("a.atoms", "1: p(a\n", "1:7: found the end of the text, expected , or )"),
    "two dots": ("a.atoms", "1: p. q\n", "1:7: found “q”"),
    "no time": ("a.atoms", "p(a)\n", "1:1: found “p”, expected a time"),
    "no prefix": ("a.atoms", "1: p(e:a)\n", "1:6: the prefix e: is not declared; declared: none"),
    "a late prefix": ("a.atoms", "1: p\n@prefix e: <u:> .\n", "2:1: found a new meaning of e:"),
    "two meanings": ("a.atoms", "@prefix e: <u:> .\n@prefix e: <v:> .\n1: p\n", "2:1: found a new meaning"),
    "bad prefix": ("a.atoms", "@prefix e <u:> .\n1: p\n", "1:9: found “e”, expected a prefix"),
    "order": (
        "a.atoms",
        "3: p\n1: p\n",
        "2:1: the time 1 comes after the later time 3; expected times that do not",
    ),
    "order of a quiet time": ("a.atoms", "3: p\n1:\n", "2:1: the time 1 comes after the later time 3"),
    "too large a number": (
        "a.atoms",
        "1: p p(9999999999)\n",
        "1:6: the number 9999999999 does not fit into 32 bits; write it as an RDF literal",
    ),
    "too late": ("a.atoms", f"{2**63}: p\n", "1:1: the time 9223372036854775808"),
    "relative iri": ("a.atoms", "1: p(<a>)\n", "1:4: '<a>' is not an RDF term: the IRI has no scheme"),
    "NUL": ("a.atoms", "1: p('\\u0000')\n", "1:4: cannot write a symbol of clingo for"),
    "half a character": ("a.atoms", '1: p("\\uD800")\n', "1:7: \\uD800 is not an escape"),
    "half a predicate": ("a.atoms", "1: '\\uD800'\n", "1:5: \\uD800 is not an escape"),
    "no utf-8": ("a.atoms", b'1: p("\xff")\n', "1:7: found bytes that are not valid UTF-8"),
    "csv": ("a.csv", "t,atom\n1,p(a)\n1,p(X)\n", "3:5: found “X”"),
    "csv in quotes": ("a.csv", 't,atom\n1,"p(""a"", X)"\n', "2:13: found “X”"),
    "csv time": ("a.csv", "atom,t\np,x\n", "2:3: 'x' is not a time"),
    "csv of two atoms": ("a.csv", "t,atom\n1,p q\n", "2:5: found “q”, expected the end of the cell"),
    "csv predicate": (
        "a.csv",
        "t,predicate,arg1\n1,p(a),\n",
        "2:3: found 'p(a)'; expected a predicate without arguments",
    ),
    "csv argument": ("a.csv", "t,predicate,arg1\n1,p,a\n1,p,X\n", "3:5: found “X”"),
    "csv arguments": ("a.csv", 't,predicate,arg1\n1,p,"a, b"\n', "2:5: found 'a, b' as arg1; expected one"),
    "csv atoms": ("a.csv", 't,predicate,arg1\n1,p,"a) q(b"\n', "2:9: found “q”, expected the end"),
    "csv gap": ("a.csv", "t,predicate,arg1,arg2\n1,p,,b\n", "2:6: found arg2 without arg1; expected empty"),
    "csv no predicate": ("a.csv", "t,predicate,arg1\n1,,a\n", "2:3: found arguments without a predicate"),
    "csv fields": ("a.csv", "t,predicate,arg1\n1,p\n", "2:3: found 2 fields; expected 3"),
    "csv missing column": ("a.csv", "t,predicate,arg2\n", "1:1: found 't,predicate,arg2' as header"),
    "csv column twice": ("a.csv", "t,predicate,arg1,arg1\n", "1:1: found 't,predicate,arg1,arg1' as header"),
    "csv header": ("a.csv", "t,atoms\n", "1:1: found 't,atoms' as header; expected the columns t, stream"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_a_malformed_trace_gives_one_message_with_its_place(spark, tmp_path, case):
    name, content, expected = MALFORMED[case]
    paths = written(tmp_path, {name: content})
    found = message(lambda: read_trace_in_process(paths, SECONDS))
    assert found.startswith(f"{tmp_path}/{name}:{expected}")
    assert found == message(lambda: read_on_spark(spark, paths, SECONDS))


@pytest.mark.parametrize(
    ("atom", "expected"), [("p(X)", "1:10: found “X”"), (5, ": the column atom is int64")]
)
def test_a_malformed_table_gives_one_message_with_its_place(spark, tmp_path, atom, expected):
    pq.write_table(pa.table({"t": [1], "atom": [atom]}), tmp_path / "a.parquet")
    found = message(lambda: read_trace_in_process([tmp_path / "a.parquet"], SECONDS))
    assert found.startswith(f"{tmp_path}/a.parquet{':' * (expected[0] != ':')}{expected}")
    assert found == message(lambda: read_on_spark(spark, [tmp_path / "a.parquet"], SECONDS))


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"arg1": ["X"]}, ":1:28: found “X”"),
        ({"arg1": [None], "arg2": ["a"]}, ":1:42: found arg2 without arg1"),
        ({"arg1": [2**40]}, ":1:28: the number 1099511627776 does not fit into 32 bits"),
        ({"arg2": ["a"]}, ": found the column arg2 without the columns before it; expected t as integer"),
        ({"arg1": [0.5]}, ": the column arg1 is double; expected t as integer"),
        ({"predicate": [5]}, ": the column predicate is int64; expected t as integer"),
    ],
)
def test_wrong_columns_of_atoms_give_one_message(spark, tmp_path, columns, expected):
    pq.write_table(pa.table({"t": [1], "predicate": ["p"]} | columns), tmp_path / "a.parquet")
    found = message(lambda: read_trace_in_process([tmp_path / "a.parquet"], SECONDS))
    assert found.startswith(f"{tmp_path}/a.parquet{expected}")
    assert found == message(lambda: read_on_spark(spark, [tmp_path / "a.parquet"], SECONDS))


def test_skipped_lines_are_counted_and_kept(spark, tmp_path):
    paths = written(tmp_path, {"a.atoms": "1: p q(X)\n2: p\noops\n"})
    side = tmp_path / "bad.txt"
    given_options = options(on_error="skip", rejected=side)
    with pytest.warns(TraceWarning, match="skipped 2 invalid lines"):
        assert both(spark, paths, given_options) == [(2, "p", ())]
    assert side.read_text().splitlines()[2::2] == ["1: p q(X)", "oops"]


def test_sorting_is_stable(spark, tmp_path):
    paths = written(tmp_path, {"a.atoms": "3: p q\n1: r s\n3: a\n"})
    assert "--sort" in message(lambda: read_on_spark(spark, paths, SECONDS))
    ours = [row[3] for row in read_trace_in_process(paths, options(sort=True))]
    theirs, _ = read_on_spark(spark, paths, options(sort=True))
    assert ours == [fact.predicate for fact in theirs] == ["r", "s", "p", "q", "a"]


@pytest.mark.filterwarnings("ignore:integers in the trace count from 1970")
@pytest.mark.parametrize("first", [0, 1_700_000_000])
def test_the_input_of_an_interval_is_all_that_lies_in_it(spark, tmp_path, first):
    """Of files that overlap in time, that touch at one time, that have no element or stand at one end."""
    times = {"a": (3, 4, 4, 9), "b": (), "c": (4, 5), "d": (9, 9), "e": (0,), "f": (12, 20)}
    files = {f"{name}.atoms": "".join(f"{first + t}: {name}\n" for t in own) for name, own in times.items()}
    files["b.atoms"] = f"{first + 2}:\n"
    read = read_in_tasks(spark, prepare(written(tmp_path, files), SECONDS), SECONDS)
    here = SparkTrace(read, Interval(0, read.last), {})
    zero = read.last - 20
    for begin, end in combinations_with_replacement((0, 1, 4, 9, 10, 20, 21), 2):
        found = here.facts(Interval(zero + begin, zero + end))
        expected = sorted((t, name) for name in times for t in times[name] if begin <= t <= end)
        assert sorted((fact.t - zero, fact.predicate) for fact in found) == expected, (begin, end)


def test_times_count_the_unit_of_the_trace(spark, tmp_path):
    paths = written(tmp_path, {"a.atoms": "2: p\n3: q\n"})
    assert [row[0] for row in both(spark, paths, options(trace_unit=read_duration("1min")))] == [120, 180]
    half = options(trace_unit=read_duration("500ms"))
    assert "a.atoms:2:1: the time 3 (of 500ms each)" in message(lambda: read_on_spark(spark, paths, half))


def test_a_file_in_many_parts_keeps_prefixes_and_order(spark, monkeypatch, tmp_path):
    monkeypatch.setattr(trace, "_LEAST", 200)
    lines = "".join(f"{i // 7}: p(e:a{i}) q({i})\n" for i in range(2000))
    paths = written(tmp_path, {"a.atoms": "@prefix e: <urn:> .\n" + lines})
    assert len(trace.file_parts(prepare(paths, SECONDS), 9)) > 5
    expected = [text for i in range(2000) for text in (f"<urn:a{i}>", str(i))]
    assert [row[2][0] for row in both(spark, paths)] == expected


def test_a_stream_is_named_for_rdf_alone(tmp_path):
    [path] = written(tmp_path, {"a.atoms": "1: p"})
    found = message(lambda: read_trace_in_process([path], options(stream={path: "urn:a"})))
    assert "a.atoms: a file of atoms has no stream" in found


def loaded(paths, *, in_process):
    """Load a trace as the commands do."""
    given_to_it = TraceInput(
        tuple(paths), SECONDS, runner=Runner("local[2]", in_process=in_process, slices=3)
    )
    return load_trace(given_to_it, (), print)


@pytest.mark.parametrize("in_process", [True, False])
def test_a_trace_tells_its_end_and_its_predicates(spark, tmp_path, in_process):
    text = "1: p(a) striple(<urn:s>, <urn:q>, <urn:o>, <urn:t>) striple(a).\n50:\n"
    trace = loaded(written(tmp_path, {"a.atoms": text, "b.nq": TRIPLE}), in_process=in_process)
    assert trace.timeline == Interval(0, 50)
    assert trace.signatures() == {("p", 1), ("striple", 4), ("striple", 1)}
    assert trace.predicates() == {("<urn:st>", "<urn:p>"), ("<urn:t>", "<urn:q>")}
    assert [fact.predicate for fact in trace.facts(Interval(0, 50))] == ["p", *["striple"] * 3]


PROGRAM = read("""q(X) ← ⊞^3 ◇ p(X), not ⊞^0 ◇ r.
s(X, S) ← ⊞^{#2} ◇ p(X), ⊞^9 ◇ striple(S, <urn:p>, O, G).
still ← ⊞^2 □ ¬p(a).""")


def test_a_program_answers_the_same_in_process_and_on_spark(spark, tmp_path):
    text = "0: p(a)\n1: p(b) p(b) r\n4: p('New York') p(7)\n9:\n"
    paths = written(tmp_path, {"a.atoms": text, "b.nq": TRIPLE})
    asked = [Question(PROGRAM, name, None) for name in (("q", 1), ("s", 2), ("still", 0))]
    ours, theirs = (
        [found.whole().by_time() for found in loaded(paths, in_process=here).answers(asked)]
        for here in (True, False)
    )
    assert ours == theirs
    assert ours[0][7] == {("'New York'",), ("7",)}
    assert ours[1] == {t: {("'New York'", "<urn:s>"), ("7", "<urn:s>")} for t in range(4, 10)}
    assert max(ours[2]) == 9


@part_of(0.2)
@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from((Atom("p", (Symbol("a"),)), Atom("r"))))))
def test_equal_atoms_at_one_time_count_once(found):
    ordered = sorted(found, key=lambda pair: pair[0])
    with TemporaryDirectory() as folder:
        paths = written(Path(folder), {"a.atoms": write_stream(ordered) + "5:\n"})
        trace = loaded(paths, in_process=True)
    stream = stream_of(Interval(0, 5), ordered)
    facts = [fact_of(t, atom) for t, atoms in stream.input.items() for atom in atoms]
    assert list(dict.fromkeys(trace.facts(Interval(0, 5)))) == facts


NAMES = st.sampled_from(["p", "q_1", "not", "true", "mod", "nota", "_x", "P"])
ARGUMENTS = st.sampled_from(
    [
        "a",
        "<x:a>",
        "<x:a,b>",
        "<a>",
        "<x:>",
        "0",
        "-7",
        "007",
        "12345678901",
        "true",
        '"x"',
        "x:a",
        "X",
        "'a'",
        "<x:é>",
    ]
)
CELLS = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", " "]),
    st.builds(
        lambda name, some, by: f"{name}({by.join(some)})" if some else name,
        NAMES,
        st.lists(ARGUMENTS),
        st.sampled_from([",", ", ", " ,"]),
    ),
    st.sampled_from(["", " ", ".", "\ud800"]),
)


@given(CELLS)
def test_a_usual_cell_is_read_at_once_as_term_by_term(text):
    cells = pa.array([text.encode("utf-8", "surrogatepass")], pa.binary()), np.zeros(1, np.int64)
    time, terms = np.zeros(1, np.int64), TermCodes()
    for rows in atom_rows(cells, TimeColumn(time, time, time == 0, time), terms):
        arguments = (terms.texts(column.tolist())[0] for column in rows.columns)
        assert (rows.name[0], tuple(arguments)) == cell_atom(text, {"x": "http://e/"})


CELL = st.sampled_from(["", " ", "a, b", "a)", "% c", "q"]) | ARGUMENTS


@part_of(0.5)
@given(st.lists(st.tuples(NAMES | CELL, CELL, CELL), min_size=1, max_size=4), st.booleans())
def test_cells_in_columns_are_the_atom_that_they_make_up(rows, in_csv):
    with TemporaryDirectory() as name:
        path, cells = Path(name) / "a", [("1", *row) for row in rows]
        if in_csv:
            text = StringIO()
            csv.writer(text, lineterminator="\n").writerows([("t", "predicate", "arg1", "arg2"), *cells])
            path.write_text(text.getvalue())
        else:
            columns = zip(("t", "predicate", "arg1", "arg2"), zip(*cells, strict=True), strict=True)
            pq.write_table(pa.table({column: list(values) for column, values in columns}), path)
        read_options = options(prefixes=(("x", "http://e/"),))
        sources = prepare([path], read_options)
        found = by_rows(sources, read_options)
        assert by_columns(sources, read_options) == found
    if found.error is None:
        assert [(predicate, arguments) for _, predicate, arguments in found.rows] == [
            cell_atom(f"{predicate}({', '.join(given)})" if given else predicate, {"x": "http://e/"})
            for predicate, *both_cells in rows
            if predicate
            for given in [[cell for cell in both_cells if cell]]
        ]


UNNAMED = ["1: _.", "1: a(_).", "1: a(b, _).", "1: _(b).", "t,atom\n1,_", 't,atom\n1,"a(b,_)"']
UNNAMED += ["t,predicate,arg1\n1,_,a", "t,predicate,arg1\n1,a,_"]


@pytest.mark.parametrize("text", UNNAMED)
def test_a_variable_without_a_name_is_no_name_in_any_format(tmp_path, text):
    with pytest.raises(PlacedError, match="found “_”, expected"):
        read_trace_in_process(written(tmp_path, {"a.csv" if "," in text[:3] else "a.atoms": text}), SECONDS)


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.atoms", "1: p(_:b)."), ("a.csv", "t,atom\n1,p(_:b)\n"), ("a.csv", "t,predicate,arg1\n1,p,_:b\n")],
)
def test_the_scope_of_blank_nodes_requires_rdf(tmp_path, name, text):
    paths = written(tmp_path, {name: text})
    with pytest.raises(LarsError, match="--blank-nodes requires a trace of RDF, because in atoms"):
        prepare(paths, options(blank_nodes="element"))
    mixed = [*paths, *written(tmp_path, {"a.nq": '<u:s> <u:p> <u:o> <u:S> "1" .'})]
    assert len(prepare(mixed, options(blank_nodes="element"))) == 2
