"""Static data that vary in time, through the command: Example 10 of RSP-QL (2014)."""

import json

import pytest

from tests.agreement.command import lars

QUERY = """PREFIX : <http://e/> SELECT * WHERE {
  STREAM :nearby [RANGE 5s SLIDE 2s] { ?shopper :isNear ?shop }
  STREAM :coupon [RANGE 2s SLIDE 2s] { ?owner :offers ?coupon }
  ?owner :owns ?shop }"""
SPECIFICATION = """name = "example"
report = []
windows = { "http://e/coupon" = ["window-close", "non-empty"] }
"""
STREAMS = {
    "nearby": "diana isNear a 2, eve isNear b 2, carl isNear a 5, eve isNear a 7, diana isNear b 12",
    "coupon": "alice offers ten 8, bob offers coffee 15",
}
ALICE = "<http://e/alice> <http://e/owns> <http://e/a> ."
BOB = "<http://e/bob> <http://e/owns> <http://e/b> ."
ROWS = [(8, "carl a alice ten"), (8, "eve a alice ten"), (16, "diana b bob coffee")]


def node(name):
    return f"<http://e/{name}>"


def line(stream, text):
    s, p, o, t = text.split()
    return int(t), f'{node(s)} {node(p)} {node(o)} {node(stream)} "{t}" .\n'


@pytest.fixture
def files(tmp_path):
    lines = [line(name, text) for name, part in STREAMS.items() for text in part.split(", ")]
    written = {
        "q.rq": QUERY,
        "own.toml": SPECIFICATION,
        "t.nq": "".join(text for _, text in sorted(lines)),
        "both.ttl": f"{ALICE}\n{BOB}",
        "bob.ttl": BOB,
        "a.csv": "t,shopper,shop,owner,coupon\n"
        + "".join(f"{t},{','.join(f'http://e/{name}' for name in row.split())}\n" for t, row in ROWS),
    }
    for name, text in written.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def judged(files, *static):
    options = [part for text in static for part in ("--static-at", text)]
    where = [files / "q.rq", files / "t.nq", "--answers", files / "a.csv", "--engine", files / "own.toml"]
    return lars("judge", *where, *options, "--no-diagnosis", "--json", "--until", "16")


def test_example_10_is_correct_with_the_shops_of_its_times(files):
    ran = judged(files, f"2..13={files}/both.ttl", f"14..={files}/bob.ttl")
    assert (ran.code, json.loads(ran.out)["correct"]) == (0, True)
    assert 0 in [owners for _, owners in json.loads(ran.out)["t0"]]


def test_it_is_incorrect_when_a_shop_leaves_too_early(files):
    ran = judged(files, f"2..7={files}/both.ttl", f"8..={files}/bob.ttl")
    assert (ran.code, json.loads(ran.out)["correct"]) == (1, False)


@pytest.mark.parametrize("text", ["2-13=x.ttl", "13..2=x.ttl", "2..13", "a..b=x.ttl", "2..3="])
def test_a_wrong_span_is_one_message(files, text):
    ran = judged(files, text)
    assert ran.code == 2
    assert f"--static-at {text}: expected FROM..TO=FILE" in ran.err
