"""Characters that act and are not seen, in what strangers write: no command prints one, no page holds one.

Titles, names of files, IRIs, literals, prefixes, predicates, keys of TOML have them, whether they are
accepted there or not: escapes of terminals, turns of direction, what has no width.
"""

import shutil
import sqlite3
import subprocess
from random import Random

import clingo
import pytest

from solver.sql.values import quote
from tests.agreement.command import lars
from tests.sizes import few

UNSEEN = (
    "\x00\x07\x1b\x7f\x85\x9b\u00ad\u200b\u200d\u200e\u200f\u2028\u202a\u202e\u2066\u2069\ufeff\U000e0041\t"
)
ODD = "\x1b[31m\u202eX\u2069\u200b\x9b"
E = "http://example.org/"
SAID = "".join(f"\\u{ord(one):04X}" if not one.isprintable() else one for one in ODD)
QUERY = f'SELECT ?x ?y WHERE {{ STREAM <{E}s> [RANGE 3s] {{ ?x <{E}p> ?y }} FILTER (?y != "{SAID}") }}'
MERGED = (
    f'SELECT ?x ?y FROM STREAM <{E}s> [RANGE 3s STEP 2s] WHERE {{ ?x <{E}p> ?y FILTER (?y != "{SAID}") }}'
)
LINES = f'<{E}a\u202e> <{E}p> "{SAID}1" <{E}s> "1" .\n<{E}b> <{E}p> "{SAID}2"@en <{E}s> "4" .\n'
TRIG = (
    f"<{E}g> <http://www.w3.org/ns/prov#generatedAtTime> 1 .\n"
    f'<{E}g> {{ <{E}a\u202e> <{E}p> "{SAID}", "\u202e\u2066" }}\n'
)
PROGRAM = f"@prefix ex: <{E}> . p(X, '{SAID}') ← ⊞^3 ◇ q(X, \"{SAID}\"), not 'r{SAID}'(X). % {ODD}\n"
ATOMS = f'1: q(a, "{SAID}").\n2: \'r{SAID}\'(a), q(b, "{SAID}").\n'
EXPERIMENT = (
    f'title = "{SAID}\\nThey agree"\ntimeline = [0, 8]\nperiod = 2\nfiles = "t.nq"\n'
    'csparql = "cs.rq"\ncqels = "cq.rq"\n'
)
GRID = (
    f'title = "{SAID}"\nfiles = "t.nq"\ncqels = "cq.rq"\n[grid]\nn = ["{SAID}"]\n'
    '[[engines]]\nengine = "cqels-1.x"\nbounds = "{n}"\n'
)
ENGINES = (
    f"title = \"{SAID}\"\nfiles = \"t.nq\"\ncqels = {{text = '''{QUERY.replace(SAID, '{n}')}'''}}\n"
    f'[grid]\nn = ["{SAID}", "b"]\n[[engines]]\nengine = "cqels-1.x"\nspecification = "cqels"\n'
)
FILES = {
    "engines.toml": ENGINES,
    "cq.rq": QUERY,
    "cs.rq": MERGED,
    "t.nq": LINES,
    "t.trig": TRIG,
    "p.lars": PROGRAM,
    "a.atoms": ATOMS,
    "experiment.toml": EXPERIMENT,
    "grid.toml": GRID,
}
PAIR = ("cs.rq", "cq.rq", "t.nq")
COMMANDS = (
    ("agree", ".", "--in-process"),
    ("agree", *PAIR, "--period", "2", "--full"),
    ("run", "grid.toml"),
    ("run", "experiment.toml"),
    ("solve", "cq.rq", "t.nq", "--mode", "push"),
    ("solve", "cq.rq", "t.trig", "--mode", "push"),
    ("solve", "p.lars", "a.atoms"),
    ("explain", "p.lars", "a.atoms", "--at", "1", f"p(a, '{ODD}')"),
    ("explain", "cq.rq", "t.nq", "--at", "1", ODD),
    ("check", "p.lars", "a.atoms", "--at", "1", "--answer", "a.atoms"),
    ("translate", "cq.rq", "--to", "rspql"),
    *(
        ("translate", "p.lars", "--format", kind)
        for kind in ("lars", "ascii", "asp", "sql", "ticker", "json")
    ),
    *(("translate", "cq.rq", "--format", kind) for kind in ("lars", "asp", "sql", "model", "json")),
    ("translate", "p.lars", "a.atoms", "--format", "asp"),
    ("fmt", "p.lars"),
    ("decide", "cs.rq", "cq.rq", "--period", "2"),
    ("decide", "cq.rq", "cq.rq", "--contained"),
    ("witness", "cs.rq", "cq.rq", "--period", "2", "--unit", "1s"),
    ("shrink", *PAIR, "--period", "2"),
    ("phase", *PAIR, "--period", "2", "--length", "1..3"),
    ("compare", "cqels", "cqels-1.x", "cq.rq", "t.nq"),
    ("judge", "cq.rq", "t.nq", "--answers", "t.nq", "--engine", ODD),
    ("agree", f"{ODD}.rq", ODD, f"--{ODD}"),
    ("run", "engines.toml"),
    ("agree", f"{ODD}.rq"),
    ("solve", "cq.rq", f"{ODD}.nq", "--stream", f"{ODD}=t.nq"),
    (ODD,),
)
PAGES = ("agree", "run", "explain", "decide", "witness", "shrink", "phase", "compare")


def unseen(text):
    return {one for one in text if not one.isprintable()} - {"\n"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check(command, folder):
    report = ("--report", "page.html") if command[0] in PAGES and command[1] != f"{ODD}.rq" else ()
    as_json = () if command[0] in ("run", "translate", "fmt", ODD) else ("--json",)
    for options in {(), report, as_json}:
        ran = lars(*command, *options)
        assert unseen(ran.out + ran.err) == set(), (command, ran)
        assert ran.code != 3, ran
        if options == report and (folder / "page.html").exists():
            assert unseen((folder / "page.html").read_text(encoding="utf-8")) == set(), command


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(map(repr, command[:4])))
def test_what_a_command_prints_can_be_seen(command, folder):
    check(command, folder)


def broken(random, text):
    """Return a text with some characters that are not seen, at random places."""
    for _ in range(random.randint(1, 3)):
        place = random.randrange(len(text) + 1)
        text = text[:place] + random.choice(UNSEEN) + text[place:]
    return text


@pytest.mark.parametrize("number", few(range(40), 12))
def test_what_is_said_of_faulty_inputs_can_be_seen(number, folder):
    random = Random(number)
    for name in random.sample(sorted(FILES), 2):
        (folder / name).write_text(broken(random, FILES[name]), encoding="utf-8")
    check(random.choice(COMMANDS), folder)


def test_printed_programs_are_still_those_of_clingo_and_sql(folder):
    control = clingo.Control()
    control.add("base", [], lars("translate", "p.lars", "a.atoms", "--format", "asp").out)
    control.ground()
    text = f"it's {ODD}"
    assert sqlite3.connect(":memory:").execute(f"SELECT {quote(text)}").fetchone() == (text,)


@pytest.mark.skipif(shutil.which("node") is None, reason="no node here")
def test_the_script_of_a_page_shows_the_strings_of_its_data_with_escapes():
    from agreement.results.renderings.pages.page import part

    _, begin, rest = part("page.js").partition("const seen")
    seen = begin + rest.partition("const data")[0]
    script = f"{seen}console.log(JSON.stringify(JSON.parse(process.argv[1], allSeen)))"
    text = '{"a\\u202e": ["\\u001b[31m x\\ny\\t", 1, null, {"b": "\\udb40\\udc41"}]}'
    ran = subprocess.run(["node", "-e", script, text], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == '{"a\\\\u202E":["\\\\u001B[31m x\\ny\\\\t",1,null,{"b":"\\\\U000E0041"}]}'


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            b"\x7fELF\x02" + b"\0" * 70 + b"\xd0" + b"\0" * 500,
            "q.rq:1:76: found the byte 0xd0, which is not text",
        ),
        ("SELECT".encode("utf-16"), "q.rq:1:1: found text in UTF-16; expected a file with a query in "),
    ],
)
def test_the_excerpt_of_a_binary_file_is_one_line(data, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_bytes(data)
    first, line, caret = lars("solve", "q.rq", "q.rq").err.splitlines()
    assert first.startswith(f"lars: {said}")
    assert max(len(line), len(caret)) <= 120
    assert set(caret) == {" ", "^"}
