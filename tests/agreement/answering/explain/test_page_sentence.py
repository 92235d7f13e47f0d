"""The sentence on a page about what a proof rests on: input atoms of programs, too."""

import pytest

from tests.agreement.command import lars
from tests.packs import SAMPLES

DOOR = (SAMPLES / "door" / "door.lars", SAMPLES / "door" / "door.atoms", "--at", "4")


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (None, "It rests on 1 input atom: 3: enter(bob, front)."),
        ("guard(bob) ← not ⊞^2 ◇ leave(ann).", "No input atom takes part in its proof."),
    ],
)
def test_the_page_says_which_input_atoms_a_proof_has(tmp_path, program, said):
    path, page = tmp_path / "p.lars", tmp_path / "page.html"
    path.write_text(program or DOOR[0].read_text())
    assert lars("explain", path, *DOOR[1:], "guard(bob)", "--report", page).code == 0
    assert said in page.read_text()
    assert "needs no input" not in page.read_text()
