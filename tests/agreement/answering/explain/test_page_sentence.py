"""The sentence on a page about what a proof rests on: input atoms of programs, too."""

import pytest

from tests.agreement.command import lars
from tests.packs import SAMPLES

DOOR = (SAMPLES / "door" / "door.lars", SAMPLES / "door" / "door.atoms", "--at", "4")


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (None, "It follows from 1 input atom: 3: enter(bob, front)."),
        ("guard(bob) ← not ⊞^2 ◇ leave(ann).", "No input atom takes part in its proof."),
    ],
)
def test_the_page_says_which_input_atoms_a_proof_has(tmp_path, program, said):
    path, page = tmp_path / "p.lars", tmp_path / "page.html"
    path.write_text(program or DOOR[0].read_text())
    assert lars("explain", path, *DOOR[1:], "guard(bob)", "--report", page).code == 0
    assert said in page.read_text()
    assert "needs no input" not in page.read_text()


@pytest.mark.parametrize(("given", "engine"), [("csparql", "cqels"), ("cqels", "csparql")])
def test_the_query_that_a_comparison_derives_is_explained_too(tmp_path, given, engine):
    name = f"query.{given}.rq"
    for file in (name, "doors.trig", "building.ttl"):
        (tmp_path / file).write_bytes((SAMPLES / "crowd" / file).read_bytes())
    experiment = 'period = 2\nstatic = "building.ttl"\nstreams = {"http://example.org/doors" = "doors.trig"}'
    (tmp_path / "experiment.toml").write_text(f'{given} = "{name}"\n{experiment}')
    ran = lars("explain", tmp_path, "--engine", engine, "--at", 4, "ans1(hall,2)")
    assert "query is derived from the" in ran.err, ran.err
    assert ran.code == 0
    # The trace of both queries is read once, so that its warnings occur once.
    (tmp_path / "doors.nt").write_text('<urn:a> <urn:p> <urn:b> "0" .\n<urn:a> <urn:p> <urn:b> "4" .\n')
    (tmp_path / "experiment.toml").write_text(
        f'{given} = "{name}"\n{experiment.replace("doors.trig", "doors.nt")}'
    )
    again = lars("explain", tmp_path, "--engine", engine, "--at", 4, "ans1(hall,2)")
    assert again.err.count("elements at time 0") == 1, again.err
    other = lars("explain", tmp_path, "--engine", "sparqlstream", "--at", 4, "ans1(hall,2)")
    assert "the experiment has no query in SPARQLstream" in other.err
