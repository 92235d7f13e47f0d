"""A made-up language that uses what no other language has: it needs a grammar and one value alone."""

import json
from dataclasses import replace

import pytest

from lars.durations import Duration
from tests.packs import ROOT
from tests.translate.sparql.tables import made
from translate.analysis import stream_blocks
from translate.dialects import grammars, read_query
from translate.model import query as model
from translate.model.manner import NAME, SIZE, Manner, terminal, unit_of_time
from translate.model.query import Language
from translate.model.windows import Range, Rows
from translate.sparql import syntax_tree
from translate.writing import CannotSayError, write_query

LENGTHS = {"beat": 10**8, "beats": 10**8, "bar": 10**9, "bars": 10**9}
WEIR = Manner(
    title="Weir",
    windows="(n bars), (n bars BY n bars) and (COUNT n)",
    terminals={
        "size": SIZE,
        "unit": unit_of_time(LENGTHS, "BEATS or BARS"),
        "name": NAME,
        "word": terminal(r"[a-z_]\w*(?![\w:])", "the name of a stream"),
    },
    example="(10 bars BY 5 bars)",
    place="are written in USE stream (10 bars), read by OF stream { .. }",
    lengths=LENGTHS,
    units={"bar": " BARS", "beat": " BEATS"},
    templates={"range": (r"\({length}( BY {slide})\)",), "rows": (r"\(COUNT {count}\)",)},
    block="OF {word}",
    declares="USE {word} {window}",
    header=("LISTEN( AGAIN {every}) INTO {name} AS",),
    header_always=True,
    operators={"RSTREAM": "YIELD ALL ROWS", "ISTREAM": "YIELD FRESH ROWS"},
    operators_at="pattern",
    operators_of=("SELECT", "ASK"),
    forms=("SELECT", "ASK"),
    texts="",
)
GRAMMAR = """\
// behind _clauses.lark
%declare WORD
%override _query: select | ask
%override start: prologue register prologue _query _end
_end: every? to_stream?
register: "LISTEN" every? "INTO" NAME "AS"
%override every: "AGAIN" length
%override select: "SELECT" _duplicates? projection _dataset* _where to_stream? _modifiers
%override ask: "ASK" _dataset* _where to_stream? _modifiers
%override !to_stream: "YIELD" ("ALL" | "FRESH") "ROWS"
%extend _dataset: merged
!merged: "USE" WORD window
%extend _part: block
!block: "OF" WORD group
window: "(" (rows | range) ")"
%override rows: "COUNT" SIZE
%override range: length slide?
%override slide: "BY" length
"""
TEXT = """\
PREFIX e: <http://e/>
LISTEN AGAIN 25 BEATS INTO mine AS
SELECT ?a (COUNT(?v) AS ?n)
USE s (10 BARS BY 5 BEATS)
USE r (COUNT 3)
WHERE {
  OF s {
    ?a e:p ?v .
  }
  OF r {
    ?a e:q ?w .
  }
}
YIELD FRESH ROWS
GROUP BY ?a
"""
WEIRD = Language.CQELS2  # the language in whose place it stands


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("weir")
    shared = (ROOT / "translate/dialects/_clauses.lark").read_text()
    (folder / "_clauses.lark").write_text(shared.replace("../sparql", str(ROOT / "translate/sparql")))
    (folder / "weir.lark").write_text(GRAMMAR)
    content = json.loads(made(folder / "weir.lark"))
    return content["states"], content["rules"]


@pytest.fixture
def weir(tables, monkeypatch):
    """Return a function that puts the language in, with other fields."""
    known = syntax_tree._tables
    monkeypatch.setattr(
        syntax_tree, "_tables", lambda package, name: tables if name == "weir" else known(package, name)
    )
    grammar = syntax_tree.Grammar("translate.dialects", "weir", WEIR.terminals, window=WEIR.example)
    monkeypatch.setitem(grammars.GRAMMARS, WEIRD, grammar)
    monkeypatch.setitem(grammars.TITLES, WEIRD, WEIR.title)

    def put(**fields):
        monkeypatch.setitem(model._MANNERS, WEIRD, replace(WEIR, **fields))

    put()
    return put


def read(text):
    return read_query(text, "q.rq", WEIRD)


def test_what_is_read_is_written_again(weir):
    query = read(TEXT)
    assert (query.name, query.every, query.to_stream) == ("mine", Duration(25 * 10**8), "ISTREAM")
    windows = [block.window for block in stream_blocks(query.pattern)]
    assert windows == [Range(Duration(10**10), Duration(5 * 10**8)), Rows(3)]
    assert write_query(query, WEIRD) == TEXT


@pytest.mark.parametrize(
    ("fields", "old", "new"),
    [
        ({"header": ("LISTEN INTO {name} AS",), "footer": "AGAIN {every}"}, " AGAIN 25 BEATS", ""),
        ({"footer": "{operator}", "operators_at": "nowhere"}, "YIELD FRESH ROWS\n", ""),
        ({"operators": {"RSTREAM": "ALL ROWS", "ISTREAM": "YIELD FRESH ROWS"}}, "FRESH", "ALL"),
    ],
)
def test_a_part_may_stand_behind_the_query(fields, old, new, weir):
    weir(**fields)
    moved = old.strip() + "\n" if "footer" in fields else ""
    text = TEXT.replace(old, new) + moved
    query = read(text)
    assert (query.every, query.to_stream) == (Duration(25 * 10**8), "RSTREAM" if new else "ISTREAM")
    assert write_query(query, WEIRD) == (text if moved else text.replace("YIELD ALL", "ALL"))


def test_a_query_of_another_language_gets_what_the_header_needs(weir):
    merged = "FROM STREAM <s> [RANGE 10s STEP 5s] { ?a <p> ?b }"
    named = read_query(f"REGISTER STREAM <http://e/my-q> COMPUTED EVERY 5s AS SELECT ?a {merged}", "q.rq")
    block = read_query("SELECT ?a { STREAM <s> [RANGE 10s SLIDE 5s] { ?a <p> ?b } }", "q.rq")
    with pytest.raises(CannotSayError, match="merged into the default graph"):
        write_query(named, WEIRD)
    assert write_query(replace(block, name="x", every=named.every), WEIRD).startswith(
        "LISTEN AGAIN 5 BARS INTO x AS\nSELECT ?a\nUSE s (10 BARS BY 5 BARS)\n"
    )
    assert write_query(block, WEIRD).startswith("LISTEN INTO answers AS\n")
    weir(header=("LISTEN AGAIN {every} INTO {name} AS",))
    with pytest.raises(CannotSayError, match="Weir cannot express a query without a period"):
        write_query(block, WEIRD)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "it has YIELD ALL ROWS and YIELD FRESH ROWS behind the pattern of SELECT and ASK only"),
        (
            {"operators_at": "nowhere", "footer": "{operator}"},
            "it has YIELD ALL ROWS and YIELD FRESH ROWS only",
        ),
    ],
)
def test_an_operator_that_the_language_lacks_is_named(fields, said, weir):
    weir(**fields)
    with pytest.raises(CannotSayError, match=f"^Weir cannot express DSTREAM of SELECT: {said}$"):
        write_query(replace(read(TEXT), to_stream="DSTREAM"), WEIRD)


def test_the_words_of_a_header_are_known_to_the_readers_of_files():
    assert WEIR.first_words == {"LISTEN"}
    assert WEIR.words_before_names == {"INTO": 1}
    before = replace(WEIR, header=("({operator} )LISTEN",), operators_at="nowhere")
    assert before.first_words == {"LISTEN", "YIELD"}
