"""The faults that explain a wrong case: also those of `lars hunt`, and the simplest of equal ones first."""

from tests.agreement.command import lars
from tests.agreement.comparing.judge.test_batches import case

QUERY = """PREFIX : <http://e/>
REGISTER RStream <http://e/out> AS
SELECT {}
FROM NAMED WINDOW :w ON STREAM :S [RANGE 4 STEP 4]
WHERE {{
WINDOW :w {{ ?s :p ?o }} }}"""


def pushed(*triples):
    texts = ((t, f'<http://e/a> <http://e/p> "{o}" .') for t, o in triples)
    return [{"t": t, "stream": "http://e/S", "triple": text} for t, text in texts]


def explained(path):
    """Return the lines about the faults that explain a case, best first."""
    text = lars("judge", path, "--engine", "rspql", "--t0", "0").out
    start = text.index("best explanation: ")
    return [line.removeprefix("best explanation: ").strip() for line in text[start:].splitlines()]


def test_a_case_of_a_hunt_has_the_fault_that_the_hunt_names(tmp_path):
    row = {"s": "<http://e/a>"}
    path = case(
        tmp_path,
        "distinct",
        query=QUERY.format("DISTINCT ?s"),
        engine="mine-1",
        stream=pushed((1, "1"), (2, "2"), (5, "1")),
        output=[{"t": 4, "trigger": 2, "rows": [row, row]}],
    )
    best, few, *_ = explained(path)
    assert best.startswith(
        'rspql with the fault "DISTINCT is ignored" predicts every report, and nothing else'
    )
    assert few == "the explanations rest on 1 report; a longer recording shows which fault is the cause"


def test_a_single_change_comes_before_an_engine_version_that_explains_as_much(tmp_path):
    """The windows of rsp-js are high-open, too, and these reports show none of its other rules."""
    times = (2, 4, 5, 8, 9, 12, 13, 17)
    path = case(
        tmp_path,
        "high-open",
        query=QUERY.format("?s ?o"),
        engine="mine-1",
        stream=[
            {**one, "triple": one["triple"].replace("/p>", "/q>")} if one["t"] % 4 == 1 else one
            for one in pushed(*((t, str(t)) for t in times))
        ],
        output=[
            {"t": t, "trigger": times.index(t), "rows": [{"s": "<http://e/a>", "o": f'"{o}"'}]}
            for t, o in ((5, 2), (9, 4), (13, 8), (17, 12))
        ],
    )
    best, second, *_ = explained(path)
    assert best.startswith("rspql with bounds = high-open predicts every report")
    assert second == "or the engine rsp-js-1.3.5 predicts every report, and nothing else"
