"""Static data from files."""

import re

import pytest
import rdflib

from lars.errors import LarsError
from lars.language.terms import Atom, Iri, Variable
from solver.facts import graph_rows
from solver.settings import StaticFile
from solver.traces import read_static

INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

RDF_XML = (
    f'<rdf:RDF xmlns:rdf="{RDF}" xmlns:u="urn:"><rdf:Description rdf:about="urn:s">'
    f'<u:p rdf:datatype="{INTEGER}">01</u:p></rdf:Description></rdf:RDF>'
)


def written(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.ttl", "<urn:s> <urn:p> 01 ."),
        ("a.nt", f'<urn:s> <urn:p> "01"^^<{INTEGER}> .'),
        ("a.nq", f'<urn:s> <urn:p> "01"^^<{INTEGER}> .'),
        ("a.trig", "{ <urn:s> <urn:p> 01 }"),
        ("a.n3", f'<urn:s> <urn:p> "01"^^<{INTEGER}> .'),
        (
            "a.rdf",
            RDF_XML,
        ),
        ("a.jsonld", f'{{"@id": "urn:s", "urn:p": {{"@value": "01", "@type": "{INTEGER}"}}}}'),
    ],
)
@pytest.mark.parametrize("by_content", [False, True])
def test_every_format_keeps_the_lexical_form(tmp_path, name, text, by_content):
    path = written(tmp_path, "data" if by_content else name, text)
    assert read_static([StaticFile(path)]).default == {("<urn:s>", "<urn:p>", f'"01"^^<{INTEGER}>')}


def test_named_graphs_are_kept_apart(tmp_path):
    path = written(tmp_path, "a.trig", "<urn:s> <urn:p> 1 . <urn:g> { <urn:s> <urn:p> 2 }")
    json = written(tmp_path, "b.jsonld", '{"@id": "urn:g", "@graph": [{"@id": "urn:s", "urn:q": "x"}]}')
    static = read_static([StaticFile(path), StaticFile(json)])
    assert static.default == {("<urn:s>", "<urn:p>", f'"1"^^<{INTEGER}>')}
    assert static.named["<urn:g>"] == {
        ("<urn:s>", "<urn:p>", f'"2"^^<{INTEGER}>'),
        ("<urn:s>", "<urn:q>", '"x"'),
    }


def test_blank_nodes_of_two_files_differ_and_stay_together_in_one(tmp_path):
    text = "_:a <urn:p> _:b . _:b <urn:p> _:a ."
    paths = [written(tmp_path, name, text) for name in ("a.ttl", "b.ttl")]
    triples = read_static(list(map(StaticFile, paths))).default
    assert len(triples) == 4
    assert len({term for s, _, o in triples for term in (s, o)}) == 4


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.ttl", "<urn:s> <urn:p> .", "a.ttl:1:17: "),
        ("a.ttl", "<urn:s> <urn:p> 1 .\n<s> <urn:p> 2 .", "a.ttl:2:1: "),
        ("a.nt", '<urn:s> <urn:p> "a\n" .', "a.nt:1:19: "),
        ("a.nq", "<urn:s> <urn:p> <urn:o> 5 .", "a.nq:1:25: "),
        ("a.trig", "<urn:g> {", "a.trig:1:"),
        ("data", "<urn:s> <urn:p> <urn:o> .\n<urn:s> <urn:p> <urn:o .", "data:2:17: "),
        ("data", '<urn:s> <urn:p> 1 .\n<urn:s> a "x" .\n<urn:s> a "x .', "data:3:"),
        ("data", "<urn:s> <urn:p> <urn:o> <urn:g> .\n<urn:s> <urn:p> <urn:o> <urn:g", "data:2:"),
        ("data", "<html>", "data: neither the name nor the content determines the format"),
        ("a.rdf", "<rdf:RDF", "a.rdf:1:1: syntax error"),
        ("a.rdf", RDF_XML.replace("><", ">\n<").replace("</u:p>", "</u:q>"), "a.rdf:3:"),
        ("a.rdf", RDF_XML.replace("urn:s", "no iri"), "a.rdf: error while parsing IRI 'no iri'"),
        ("a.jsonld", '{"@id": }', "a.jsonld:1:9: "),
        (
            "a.jsonld",
            '{"@context": "http://localhost:1/c", "a": 1}',
            "a.jsonld: the context is the address of",
        ),
        (
            "a.jsonld",
            '{"@context": [{"@import": "http://localhost:1/c"}]}',
            "a.jsonld: the context is the address of",
        ),
        ("a.n3", "<urn:s> <urn:p> .", "a.n3:1:17: . is not a valid RDF value"),
        ("a.trix", "<TriX>", "a.trix:1: not valid TriX"),
        ("a.what", "once upon a time", "a.what: neither the name nor the content"),
    ],
)
def test_a_malformed_file_gives_one_message_with_its_place(tmp_path, name, text, expected):
    path = written(tmp_path, name, text)
    with pytest.raises(LarsError) as caught:
        read_static([StaticFile(path)])
    assert str(caught.value).startswith(f"{tmp_path}/{expected}")
    assert "expected" in str(caught.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(LarsError, match=r"gone\.ttl: no such file; expected Turtle"):
        read_static([StaticFile(tmp_path / "gone.ttl")])


def test_a_graph_whose_name_is_a_term_too_is_cut_like_others(tmp_path):
    path = written(
        tmp_path, "a.nq", "<urn:g> <urn:p> <urn:o> <urn:g> . <urn:s> <urn:p> <urn:o> .".replace(" . ", " .\n")
    )
    static = read_static([StaticFile(path), StaticFile(path, "urn:o", "cqels")])
    rows = graph_rows([("default", (static.default,)), ("<urn:g>", (static.named["<urn:g>"],))])
    pattern = Atom("triple", (Variable("S"), Variable("P"), Variable("O"), Iri("urn:g")))
    assert list(rows.matching([pattern])) == [("<urn:g>", "<urn:p>", "<urn:o>", "<urn:g>")]
    assert static.engine_stores["cqels"].named["<urn:o>"] == {("<urn:s>", "<urn:p>", "<urn:o>")}


def test_what_n3_shares_with_turtle_and_what_it_has_alone_are_both_read(tmp_path):
    shared = written(tmp_path, "a.n3", '@prefix : <urn:> . :s :p 01, [ :q "x y <z> . "@EN ] .')
    alone = written(tmp_path, "b.n3", "<urn:a> = <urn:b> .")
    found = read_static([StaticFile(shared), StaticFile(alone)]).default
    assert found == {
        ("<urn:s>", "<urn:p>", f'"01"^^<{INTEGER}>'),
        ("<urn:s>", "<urn:p>", "_:s0n0"),
        ("_:s0n0", "<urn:q>", '"x y <z> . "@en'),
        ("<urn:a>", "<http://www.w3.org/2002/07/owl#sameAs>", "<urn:b>"),
    }


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "iso-8859-1", "utf-8"])
def test_rdf_xml_in_another_encoding_is_the_same(tmp_path, encoding):
    text = RDF_XML.replace(">01<", ">caf\u00e9<")
    path, named = tmp_path / "a.rdf", f'<?xml version="1.0" encoding="{encoding}"?>{text}'
    path.write_bytes(("\ufeff" if encoding == "utf-16-le" else "").encode(encoding) + named.encode(encoding))
    assert read_static([StaticFile(path)]).default == {("<urn:s>", "<urn:p>", f'"caf\u00e9"^^<{INTEGER}>')}


TRIX = (
    '<TriX xmlns="http://www.w3.org/2004/03/trix/trix-1/"><graph><triple>'
    "<uri>{}</uri><uri>urn:p</uri><uri>urn:o</uri></triple></graph></TriX>"
)


def test_a_graph_of_trix_without_a_name_is_the_default_graph(tmp_path):
    unnamed = TRIX.format("urn:a")
    graphs = (unnamed.replace("<graph>", f"<graph>{name}") for name in ("", "<uri>urn:g</uri>", "<id>b</id>"))
    paths = [written(tmp_path, f"{n}.trix", text) for n, text in enumerate(graphs)]
    found = [read_static([StaticFile(path)]) for path in paths]
    assert [len(each.default) for each in found] == [1, 0, 0]
    assert [len(each.named) for each in found] == [0, 1, 1]


ENTITIES = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(9))
LAUGHS = f'<!DOCTYPE x [<!ENTITY e0 "ha">{ENTITIES}]>{RDF_XML.replace(">01<", ">&e9;<")}'


def test_entities_of_rdf_xml_are_replaced(tmp_path):
    text = '<!DOCTYPE x [<!ENTITY a "caf"><!ENTITY b "&a;&#233;">]>' + RDF_XML.replace(">01<", ">&b;<")
    rows = read_static([StaticFile(written(tmp_path, "a.rdf", text))]).default
    assert rows == {("<urn:s>", "<urn:p>", f'"caf\u00e9"^^<{INTEGER}>')}


def test_a_number_of_json_ld_that_would_lose_digits_is_refused_with_its_place(tmp_path):
    path = written(tmp_path, "a.jsonld", f'{{"@id": "urn:s", "urn:p": {"7" * 5000}}}')
    with pytest.raises(LarsError, match=r"a\.jsonld:1:27: JSON-LD reads the integer '777.*as a double"):
        read_static([StaticFile(path)])


def test_numbers_of_json_ld_have_their_canonical_forms(tmp_path):
    path = written(tmp_path, "a.jsonld", '{"@id": "urn:s", "urn:p": [5.0, 1.5, 1e30, 9007199254740993]}')
    found = {
        text.split("#")[0] + text.split("#")[1] for _, _, text in read_static([StaticFile(path)]).default
    }
    xsd = "^^<http://www.w3.org/2001/XMLSchema"
    integers, doubles = ("5", "9007199254740993"), ("1.5E0", "1.0E30")
    assert found == {*(f'"{n}"{xsd}integer>' for n in integers), *(f'"{n}"{xsd}double>' for n in doubles)}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.jsonld", '{"@id": "foo", "urn:p": 1}', "<foo>' is not an RDF term: a relative IRI"),
        ("a.jsonld", '{"@id": "urn:s",\n"urn:p": "foo",\n"urn:q": {"@id": "foo"}}', "3:18: '<foo>' is not"),
        ("a.json", '[{"@id": "urn:s",\n"urn:q": {"@id": "a b"}}]', "2:18: '<a b>' is not an RDF term"),
        ("a.jsonld", '{"@id": "urn:a b", "urn:p": 1}', "<urn:a b>' is not an RDF term: it has a character"),
        ("a.jsonld", "[" * 5000 + "]" * 5000, "brackets inside brackets"),
        ("a.rdf", LAUGHS, "its entities stand for"),
        ("a.n3", "{ <urn:a> <urn:p> <urn:b> } <urn:q> <urn:c> .", "no formulas"),
        ("a.n3", "<urn:a> <urn:p> ?x .", "a.n3"),
        ("a.trix", TRIX.format("urn:a b"), "no IRI has the character ' '"),
        ("a.trix", TRIX.format("foo"), "the IRI has no scheme"),
    ],
)
def test_what_is_no_rdf_in_json_ld_and_n3_is_refused(tmp_path, name, text, said):
    with pytest.raises(LarsError, match=re.escape(said)):
        read_static([StaticFile(written(tmp_path, name, text))])


@pytest.mark.parametrize("more", [0, 600])
def test_an_iri_with_an_escaped_blank_is_refused_in_files_of_every_size(tmp_path, more):
    usual = "".join(f'<http://e/s{n}> <http://e/p> "a text that is long enough {n}" .\n' for n in range(more))
    path = written(tmp_path, "s.nt", f"{usual}<http://e/s> <http://e/\\u0020p> <http://e/o> .\n")
    with pytest.raises(LarsError, match=f"s.nt:{more + 1}:"):
        read_static([StaticFile(path)])


XML_TEXTS = {
    "lines of Windows": "<u:p>a\r\nb</u:p>",
    "lines of CR": "<u:p>a\rb&#13;</u:p>",
    "a comment in a text": '<u:p>a<!-- > " -->b</u:p>',
    "a processing instruction in a text": "<u:p>a<?x > y?>b</u:p>",
    "CDATA after a text": "<u:p>a &amp; <![CDATA[<!-- & -->]]> b</u:p>",
    "no language inside of one": """<u:q xml:lang='de'><rdf:Description u:p='a'>
        <u:p xml:lang = "">b</u:p><u:p xml:lang=''>' xml:lang=""'</u:p></rdf:Description></u:q>""",
    "a tag as we would write for none": "<u:p xml:lang=''>a</u:p><u:p xml:lang='x-none0'>b</u:p>",
    "lines and tabs in an attribute": "<u:q><rdf:Description u:p='a>\n\"b\"\tc'/></u:q>",
}


@pytest.mark.parametrize("case", XML_TEXTS)
def test_texts_of_rdf_xml_are_those_of_rdflib(tmp_path, case):
    start = RDF_XML.partition("<u:p")[0]
    text = f"<?xml version='1.0'?>\n<!-- x -->\n{start}{XML_TEXTS[case]}</rdf:Description></rdf:RDF>"
    found = read_static([StaticFile(written(tmp_path, "a.rdf", text))]).default
    graph = rdflib.Graph().parse(data=text.encode(), format="xml")
    wanted = {o for o in graph.objects() if isinstance(o, rdflib.Literal)}
    assert {rdflib.util.from_n3(o) for *_, o in found if o.startswith('"')} == wanted


def test_no_language_inside_of_an_xml_literal_stays_as_it_is(tmp_path):
    start = RDF_XML.partition("<u:p")[0]
    text = f"""{start}<u:p rdf:parseType="Literal"><b xml:lang="">x</b></u:p></rdf:Description></rdf:RDF>"""
    ((*_, o),) = read_static([StaticFile(written(tmp_path, "a.rdf", text))]).default
    assert 'xml:lang=\\"\\"' in o
