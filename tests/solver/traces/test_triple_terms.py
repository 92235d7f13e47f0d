"""Terms of RDF 1.2 in every format of traces and in static data."""

import pytest

from solver.settings import StaticFile
from solver.traces import prepare, read_static
from tests.solver.traces.both_readings import read_here, read_trace_in_process
from tests.solver.traces.writing import SECONDS, in_order, message, options, table, written

TERM = '<<( _:b <urn:p> <<( <urn:s> <urn:p> "x )>> \\" _:b"@en--ltr )>> )>>'
PLAIN = "<<( <urn:s> <urn:p> <urn:o> )>>"
TRIPLES = [
    *(("_:b", "<urn:p>", TERM), ("<urn:s>", "<urn:p>", TERM), ("<urn:s>", "<urn:p>", PLAIN)),
    ("<urn:s>", "<urn:p>", '"a"@ar--rtl'),
]
PROV = "<http://www.w3.org/ns/prov#generatedAtTime>"


def spelled(kind, triples, folder):
    """Return the text of a trace: the triples at the times 1, 2, .., in N-Quads with fewer blanks."""
    lines = [" ".join(triple) for triple in triples]
    match kind:
        case "nq":
            rows = (f'{line} <urn:S> "{t}" .\n' for t, line in enumerate(lines, 1))
            return "".join(rows).replace("<<( <urn:s>", "<<(<urn:s>").replace("<urn:o> )>>", "<urn:o>)>>")
        case "nt":
            return "".join(f'{line} "{t}" .\n' for t, line in enumerate(lines, 1))
        case "trig":
            graphs = (f"<urn:g{t}> {{ {line} }} <urn:g{t}> {PROV} {t} .\n" for t, line in enumerate(lines, 1))
            return "".join(graphs)
        case "csv":
            cells = (
                ",".join(f'"{text.replace(chr(34), chr(34) * 2)}"' for text in triple) for triple in triples
            )
            return "t,s,p,o\n" + "".join(f"{t},{row}\n" for t, row in enumerate(cells, 1))
        case "parquet":
            rows = [(t, None, *triple) for t, triple in enumerate(triples, 1)]
            return table(folder / "x", rows).read_bytes()


def facts(paths, given=SECONDS):
    return read_trace_in_process(paths, given)


@pytest.mark.parametrize("kind", ["nq", "nt", "trig", "csv", "parquet"])
def test_each_format_has_the_terms_in_columns_and_row_by_row(kind, tmp_path):
    paths = written(tmp_path / kind, {f"a.{kind}": spelled(kind, TRIPLES, tmp_path)})
    columns, rows = facts(paths), read_here(prepare(paths, SECONDS), SECONDS)
    assert in_order(columns) == in_order(rows)
    found = [row[2:] for row in in_order(columns)]
    label = found[0][0]
    assert label.startswith("_:f0.")
    assert found == [tuple(term.replace("_:b", label, 1) for term in triple) for triple in TRIPLES]


@pytest.mark.parametrize("scope", ["document", "element"])
def test_a_blank_node_is_one_inside_and_outside_of_a_triple_term(scope, tmp_path):
    lines = "".join(f'_:b <urn:p> <<( _:b <urn:p> <urn:o{t}> )>> "{t}" .\n' for t in (1, 2))
    given = options(blank_nodes=scope)
    found = [row[2:] for row in in_order(facts(written(tmp_path, {"a.nt": lines}), given))]
    assert all(o.startswith(f"<<( {s} ") for s, _, o in found)
    assert len({s for s, _, _ in found}) == (1 if scope == "document" else 2)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (f'{PLAIN} <urn:p> <urn:o> "1" .', "1:1: found a triple term as subject"),
        (f'<urn:s> {PLAIN} <urn:o> "1" .', "1:9: found no IRI as predicate"),
        (f'<urn:s> <urn:p> <urn:o> {PLAIN} "1" .', "found no IRI as stream"),
        ('<urn:s> <urn:p> <<( "a" <urn:p> <urn:o> )>> "1" .', "1:17: "),
        ('<urn:s> <urn:p> <<( <urn:a> <urn:p> )>> "1" .', "1:17: "),
    ],
)
def test_a_triple_term_stands_where_an_object_does_and_nowhere_else(line, said, tmp_path):
    good = f'<urn:s> <urn:p> {PLAIN} "1" .\n'
    assert said in message(lambda: facts(written(tmp_path, {"a.nq": f"{line}\n"})))
    assert facts(written(tmp_path, {"a.nq": good}))


@pytest.mark.parametrize("kind", ["nt", "trig"])
@pytest.mark.parametrize(
    ("deep", "said"), [(128, ""), (129, "nested more than 128 deep"), (5000, "nested more than")]
)
def test_triple_terms_are_nested_so_deep_and_no_deeper(kind, deep, said, tmp_path):
    term = "<<( <urn:s> <urn:p> " * deep + "<urn:o>" + " )>>" * deep
    paths = written(tmp_path, {f"a.{kind}": spelled(kind, [("<urn:s>", "<urn:p>", term)], tmp_path)})
    if said:
        assert f"{said}" in (found := message(lambda: facts(paths)))
        assert found.startswith(f"{paths[0]}:1:")
    else:
        assert in_order(facts(paths))[0][4] == term


@pytest.mark.parametrize("suffix", ["ttl", "trig", "nt", "nq", "odd"])
@pytest.mark.parametrize("many", [1, 3000])
def test_static_data_have_the_terms_however_they_are_read(suffix, many, tmp_path):
    lines = "".join(f"<urn:s{n}> <urn:p> {TERM} .\n" for n in range(many))
    read = read_static([StaticFile(written(tmp_path, {f"a.{suffix}": lines})[0])])
    (triple, *_) = read.default
    assert len(read.default) == many
    assert triple[2] == TERM.replace("_:b", triple[2].split()[1], 1)
