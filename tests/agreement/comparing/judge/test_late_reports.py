"""Answers of engines to data that came late: specifications and `lars judge`, against a replay."""

import json

import pyarrow as pa
import pytest

from agreement import api
from lars.errors import LarsError
from tests.agreement.comparing.agree.late_cases import text_of
from tests.agreement.comparing.judge.late_cases import both, late_case, specification_of
from tests.agreement.comparing.judge.late_reports import reports
from tests.sizes import few


@pytest.mark.parametrize("seed", few(range(120), 40))
def test_reports_of_specifications_are_those_of_a_replay(seed):
    mine, theirs, case = both(f"reports {seed}")
    assert mine == theirs, case


def table_of(stream):
    """Return a table of elements, in another order than that of arrival."""
    columns = list(zip(*stream, strict=True))
    texts = {name: [f"<http://e/{x}>" for x in part] for name, part in zip("spo", columns[2:], strict=True)}
    return pa.table({"t": columns[0], "stream": ["<http://e/s>"] * len(stream), **texts, "came": columns[1]})


def answer_lines(query, found):
    """Return reports as JSON lines."""
    names = [*query["names"], *(["n"] if query["counted"] else [])]
    number = "http://www.w3.org/2001/XMLSchema#integer"

    def term(value):
        if isinstance(value, int):
            return {"type": "literal", "value": str(value), "datatype": number}
        return {"type": "uri", "value": f"http://e/{value}"}

    def entry(row):
        return {name: term(value) for name, value in zip(names, row, strict=True) if value is not None}

    lines = ({"t": t, "rows": [entry(row) for row in sorted(rows, key=str)]} for t, rows in found)
    return "".join(json.dumps(line) + "\n" for line in lines)


def judged(folder, case, answers, **other):
    query, stream, how = case
    path = folder / "late.toml"
    fields = specification_of(how).model_dump(exclude={"windows", "description", "period"})
    lines = [
        f"{name} = {json.dumps([*value] if name == 'report' else value)}" for name, value in fields.items()
    ]
    path.write_text("\n".join([*lines, f'period = "{how["period"]}s"', ""]))
    options = {"wait": how["wait"], "lateness": how["lateness"], "arrival": "came", "t0": how["t0"], **other}
    return api.judge(
        text_of(query, 1),
        table_of(stream),
        answers=answers,
        answers_unit="1s",
        engine=str(path),
        unit="1s",
        diagnosis=False,
        **options,
    )


def with_rows(seed):
    """Return a case, its reports, and the place of a report with rows that decides the verdict."""
    for number in range(50):
        query, stream, how = case = late_case(f"judged {seed} {number}")
        found = reports(query, stream, how, 30)
        last = max((a for _, a, *_ in stream), default=0)
        stable = [n for n, (t, rows) in enumerate(found) if 9 < t - how["wait"] < last and rows]
        if stable:
            return case, found, stable[len(stable) // 2]
    raise AssertionError("no case has rows")


@pytest.mark.parametrize("seed", few(range(24), 10))
def test_answers_as_the_data_came_are_correct_and_a_missing_row_is_found(seed, tmp_path):
    case, found, place = with_rows(seed)
    assert judged(tmp_path, case, answer_lines(case[0], found)).correct is True
    time, rows = found[place]
    found[place] = time, rows - {min(rows, key=str)}
    assert judged(tmp_path, case, answer_lines(case[0], found)).correct is False


QUERY = "SELECT ?a FROM STREAM <http://e/s> [RANGE 5s STEP 5s] WHERE { ?a <http://e/p> ?b }"
PULL = f"REGISTER QUERY q AS {QUERY}"
PUSH = "SELECT ?a WHERE { STREAM <http://e/s> [RANGE 5s] { ?a <http://e/p> ?b } }"
LATE = [(1, 1, "x", "p", "o"), (4, 9, "y", "p", "o"), (8, 8, "z", "p", "o"), (12, 12, "x", "p", "o")]
ANSWERS = answer_lines({"names": ("a",), "counted": False}, [(5, {("x",)}), (10, {("z",)})])


def test_a_late_element_explains_an_answer_that_lacks_it():
    options = {"answers": ANSWERS, "answers_unit": "1s", "t0": 0, "bounds": "low-open", "diagnosis": False}
    assert api.judge(PULL, table_of(LATE), **options).correct is False
    assert api.judge(PULL, table_of(LATE), arrival="came", **options).correct is True
    # The answers have the times of the windows' ends, and not those of the evaluations.
    waiting = {**options, "arrival": "came", "early": 4000}
    assert api.judge(PULL, table_of(LATE), wait=3, **waiting).correct is True
    assert api.judge(PULL, table_of(LATE), wait=4, **waiting).correct is False
    assert api.judge(PULL, table_of(LATE), wait=4, lateness=4, **waiting).correct is True


def test_two_engines_are_compared_on_data_as_they_came():
    def compared(first, second, **options):
        return api.compare(first, second, PUSH, table_of(LATE), arrival="came", **options)

    # Both report y when it arrives. With a lateness, the specification drops y.
    assert compared("cqels", "cqels-1.x").same
    assert [one.difference.at for one in compared("cqels", "cqels-1.x", lateness=4).differences] == [2]


def test_options_of_arrival_need_arrival_and_a_specification():
    with pytest.raises(LarsError, match="wait= requires arrival="):
        api.judge(PULL, table_of(LATE), answers=ANSWERS, wait=3)
    with pytest.raises(LarsError, match="wait= has no effect, because the specification cqels reports when"):
        api.judge(PUSH, table_of(LATE), answers=ANSWERS, wait=3, arrival="came")
    with pytest.raises(LarsError, match="lateness= requires arrival="):
        api.compare("cqels", "csparql", PUSH, table_of(LATE), lateness=3)
    with pytest.raises(LarsError, match="wait= with an engine version, which has no open parameters"):
        api.judge(PULL, table_of(LATE), answers=ANSWERS, wait=3, arrival="came", engine="csparql-0.9.7")
    with pytest.raises(LarsError, match="lateness= requires a specification"):
        api.compare("cqels-1.x", "cqels-2011", PUSH, table_of(LATE), lateness=3, arrival="came")
