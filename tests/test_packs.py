"""Each pack beside the project is whole; where one is not there, what it checks is said."""

import pytest

from tests.packs import HELD, PACKS, is_there


@pytest.mark.parametrize("name", PACKS)
def test_a_pack_is_whole(name):
    pack = PACKS[name]
    if not is_there(name):
        pytest.skip(f"no pack {name} in {pack.beside}: not checked are {pack.checks}")
    assert len(list(pack.folder.glob(pack.files))) >= pack.count


def test_the_projects_own_recordings_are_small_and_of_every_engine():
    paths = sorted(HELD.glob("*/*.json"))
    assert sum(path.stat().st_size for path in paths) < 500_000
    counts = {folder.name: len(list(folder.iterdir())) for folder in HELD.iterdir()}
    engines = ["csparql-0.9.7", "cqels-1.x", "yasper-csparql", "yasper-cqels", "rsp-js-1.3.5", "rsp-rs-0.3.5"]
    engines += ["csparql2-rsp4j-c46e0f67", "yasper-rsp4j-1.0.1"]
    assert sorted(counts) == sorted(engines)
    assert min(counts.values()) >= 3
