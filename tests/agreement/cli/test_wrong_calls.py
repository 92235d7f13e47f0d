"""A hand-written program with a call that has no value: one message, whatever the trace holds."""

import pytest

from tests.agreement.command import lars

CALLS = {
    "[STRLEN(?S, ?O)]": "STRLEN: found 2 arguments; expected 1",
    "N := [1 + SUBSTR(?S)]": "SUBSTR: found 1 argument; expected 2 or 3",
    "[BOUND()]": "BOUND: found 0 arguments; expected 1",
    "¬[IN()]": "IN: found 0 arguments; expected 1 or more",
    "[NOBODYS(?S)]": "NOBODYS: unknown",
    "[RAND() < 0.5]": "RAND: two evaluations of the same window would differ",
}


@pytest.mark.parametrize(("condition", "problem"), CALLS.items())
@pytest.mark.parametrize("predicate", ["<x:p>", "<x:never>"])
def test_a_call_without_a_value_is_one_message(tmp_path, condition, problem, predicate):
    program, rows = tmp_path / "p.lars", tmp_path / "trace.nt"
    before = f"hot(S) ← ⊞^3 ◇ striple(S, {predicate}, O, G), "
    program.write_text(f"{before}{condition}.")
    rows.write_text("<x:s> <x:p> <x:o> 1000 .\n")
    found = lars("solve", program, rows, "--in-process")
    first, *excerpt = found.err.splitlines()
    place = f"{program}:1:{len(before) + 1}"
    assert (found.code, found.out, first) == (2, "", f"lars: {place}: function {problem}")
    assert excerpt == [f"  {before}{condition}.", " " * (len(before) + 2) + "^"]
