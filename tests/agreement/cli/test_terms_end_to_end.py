"""Texts of strangers, from trace to JSON: whatever they say, they are terms and nothing else."""

import csv
import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lars.language.terms import RDF_LANG_STRING, XSD, Iri, Literal
from tests.agreement.command import agree, lars, solve

E = "http://example.org/"
MEGABYTE = "long \"text\" \\ with 'all' % of {it}\n" * 32_000
TEXTS = {
    "quotes": "\"'`\"\"\"'''",
    "a backslash at the end": "c:\\new\\",
    "escapes that are text": r"\n \u0041 \" \\",
    "line ends": "a\nb\r\nc\rd\u2028e\x85f",
    "control characters": "\t\x01\x07\x1b[31m\x7f",
    "NUL": "a\0b",
    "NUL alone": "\0",
    "a script": '#script (python)\nimport os\nos.system("touch pwned")\n#end.',
    "an include": '#include "/etc/passwd".',
    "a call": "@f()",
    "the end of a fact": '"). evil :- not evil. striple("',
    "comments": "% a %* b *% c */ /* <!-- -- #",
    "a choice": "{ a; b } :- X = 1..9.",
    "emoji": "\U0001f9c0\U0001f468\u200d\U0001f469",
    "right to left": "\u202eevil\u202c \u200f\u0627\u0644\u0639\u0631\u0628\u064a\u0629",
    "no characters": "\ufffe\uffff\ufeff",
    "nothing": "",
    "blanks": "  ",
    "null": "null",
    "markup": "[red]bold[/red] {0} %s ${HOME}",
    "commas": 'a,"b",c;d\te',
    "a term": "<http://example.org/x>",
}
LITERALS = {
    **{name: Literal(text) for name, text in TEXTS.items()},
    "a language": Literal('chat "noir"', RDF_LANG_STRING, "fr-ca"),
    "a private language": Literal("@f()", RDF_LANG_STRING, "x-klingon"),
    "an own datatype": Literal("@f()", "urn:x-type:%20(#script)"),
    "a number that is none": Literal("5 apples", f"{XSD}integer"),
    "a number with zeros": Literal("-007", f"{XSD}integer"),
    "endless digits": Literal("9" * 6000, f"{XSD}integer"),
    "markup as XML": Literal("<b>&amp;</b>", "http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral"),
}
LONG = Iri(f"{E}{'x' * 20_000}")
TERMS = {**LITERALS, "a long IRI": LONG, "an odd IRI": Iri("urn:x:%2A@f()#'(~):-_!$&,;=é\U0001f9c0")}
QUERY = f"SELECT ?x ?y WHERE {{ STREAM <{E}s> [RANGE 9s] {{ ?x <{E}p> ?y }} }}"
STATIC = f"SELECT ?x ?y WHERE {{ STREAM <{E}s> [RANGE 9s] {{ ?x <{E}p> ?z }} ?x <{E}q> ?y }}"
MERGED = f"SELECT ?x ?y FROM STREAM <{E}s> [RANGE 9s STEP 1s] WHERE {{ ?x <{E}p> ?y }}"
EXPECTED = {f"{E}{number}": term for number, term in enumerate(TERMS.values())}


def triples():
    return [(f"<{subject}>", f"<{E}p>", str(term)) for subject, term in EXPECTED.items()]


def quads():
    return "".join(f'{s} {p} {o} <{E}s> "1" .\n' for s, p, o in triples())


def trig():
    inside = "".join(f"{s} {p} {o} .\n" for s, p, o in triples())
    return f"<{E}g> <http://www.w3.org/ns/prov#generatedAtTime> 1 . <{E}g> {{ {inside} }}\n"


def table():
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("t", "stream", "s", "p", "o"))
    writer.writerows((1, f"<{E}s>", *triple) for triple in triples())
    return text.getvalue()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "t.nq").write_bytes(quads().encode())
    (folder / "t.trig").write_bytes(trig().encode())
    (folder / "t.csv").write_bytes(table().encode())
    rows = [{"t": 1, "stream": f"<{E}s>", "s": s, "p": p, "o": o} for s, p, o in triples()]
    pq.write_table(pa.Table.from_pylist(rows), folder / "t.parquet")
    (folder / "static.ttl").write_bytes(quads_of_static().encode())
    (folder / "plain.nq").write_text(
        "".join(f'{s} {p} <{E}o> <{E}s> "1" .\n' for s, p, _ in triples()), encoding="utf-8"
    )
    for name, query in (("q.rq", QUERY), ("static.rq", STATIC), ("merged.rq", MERGED)):
        (folder / name).write_text(query, encoding="utf-8")
    return folder


def quads_of_static():
    return "".join(f"{s} <{E}q> {o} .\n" for s, _, o in triples())


def term_of(shown):
    if shown["type"] == "uri":
        return Iri(shown["value"])
    language = shown.get("xml:lang")
    datatype = shown.get("datatype", RDF_LANG_STRING if language else f"{XSD}string")
    return Literal(shown["value"], datatype, language)


def terms(rows):
    return {row["x"]["value"]: term_of(row["y"]) for row in rows}


@pytest.mark.parametrize("name", ["t.nq", "t.trig", "t.csv", "t.parquet"])
@pytest.mark.parametrize("mode", [("push",), ("pull", "--period", "1")], ids=" ".join)
def test_every_term_of_a_trace_comes_out_as_it_went_in(name, mode, folder):
    ran = solve(folder / "q.rq", folder / name, "--mode", *mode, "--from", "1")
    (one,) = ran.lines
    assert terms(one["rows"]) == EXPECTED
    assert len(one["rows"]) == len(EXPECTED)


@pytest.mark.parametrize("mode", [("push",), ("pull", "--period", "1")], ids=" ".join)
def test_every_term_of_static_data_comes_out_as_it_went_in(mode, folder):
    static = ("--static", folder / "static.ttl")
    options = ("--mode", *mode, "--from", "1")
    (one,) = solve(folder / "static.rq", folder / "plain.nq", *static, *options).lines
    assert terms(one["rows"]) == EXPECTED


def test_the_two_engines_agree_on_every_term(folder):
    ran = agree(folder / "merged.rq", folder / "q.rq", folder / "t.nq", "--period", "1")
    (one,) = ran.json["periods"][0]["intervals"]
    assert (ran.code, terms(one["push"]), terms(one["pull"])) == (0, EXPECTED, EXPECTED)


def test_every_term_survives_in_the_support_of_a_difference(folder):
    ran = agree(folder / "merged.rq", folder / "q.rq", folder / "t.nq", "--period", "1", "--to", "2")
    _, second = ran.json["periods"][0]["intervals"]
    support = {
        cause["row"]["x"]["value"]: term_of(triple["o"])
        for cause in second["causes"]
        for triple in cause["support"]
    }
    assert support == EXPECTED
    assert {cause["cause"] for cause in second["causes"]} == {"silent period"}


def test_the_table_of_a_disagreement_shows_no_control_character(folder):
    ran = lars(
        "agree", folder / "merged.rq", folder / "q.rq", folder / "t.nq", "--period", "1", "--to", "2",
        "--in-process",
    )  # fmt: skip
    assert ran.code == 1
    assert not set("\0\x01\x07\x1b\x7f\r\x85\u2028\u202e\u200f") & set(ran.out)
    assert "[red]bold[/red]" in ran.out


def test_spark_gives_the_same_rows_for_all_formats_at_once(folder, spark):
    files = [folder / name for name in ("t.nq", "t.trig", "t.csv", "t.parquet", "plain.nq")]
    here = solve(folder / "q.rq", *files, "--static", folder / "static.ttl")
    options = ("--static", folder / "static.ttl", "--json", "--master", "local[2]")
    there = lars("solve", folder / "q.rq", *files, *options)
    assert there == here
    (one,) = here.lines
    assert len(one["rows"]) == 2 * len(EXPECTED)


def test_a_megabyte_of_text_passes_every_format(folder, tmp_path):
    literal = str(Literal(MEGABYTE))
    (tmp_path / "long.nq").write_text(f'<{E}a> <{E}p> {literal} <{E}s> "1" .\n', encoding="utf-8")
    (tmp_path / "long.ttl").write_text(f"<{E}a> <{E}q> {literal} .", encoding="utf-8")
    from_trace = solve(folder / "q.rq", tmp_path / "long.nq").lines[0]["rows"]
    from_static = solve(folder / "static.rq", tmp_path / "long.nq", "--static", tmp_path / "long.ttl").lines[
        0
    ]["rows"]
    assert from_trace[0]["y"]["value"] == from_static[0]["y"]["value"] == MEGABYTE


@pytest.mark.parametrize("name", TERMS)
@pytest.mark.parametrize("shape", ["{ ?x <%sp> %s }", "{ ?x <%sp> ?y } FILTER(?y = %s)"])
def test_a_constant_of_a_query_matches_itself_alone(name, shape, folder, tmp_path):
    pattern = shape.replace("%s", E, 1).replace("%s", in_sparql(TERMS[name]))
    query = tmp_path / "q.rq"
    query.write_text(f"SELECT ?x WHERE {{ STREAM <{E}s> [RANGE 9s] {pattern} }}", encoding="utf-8")
    (one,) = solve(query, folder / "t.nq").lines
    found = [EXPECTED[row["x"]["value"]] for row in one["rows"]]
    assert found == [TERMS[name]]


def in_sparql(term):
    # N-Triples and SPARQL write terms alike; a NUL is escaped, since some parsers end there.
    return str(term).replace("\0", "\\u0000")


@pytest.mark.parametrize("name", TERMS)
def test_a_constant_stays_on_its_line_in_every_format(name, tmp_path):
    query = tmp_path / "q.rq"
    query.write_text(f"ASK {{ ?x <{E}p> {in_sparql(TERMS[name])} }}", encoding="utf-8")
    for shape in ("lars", "ascii", "json", "model"):
        ran = lars("translate", query, "--format", shape)
        assert (ran.code, ran.err) == (0, "")
        assert len(ran.out.split("\n")) == (5 if shape == "model" else 2)


def test_nothing_of_a_literal_was_run(folder):
    assert not (folder / "pwned").exists()
