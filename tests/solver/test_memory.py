"""What is said of a run that needs more memory than it may take."""

import resource

from solver import memory


def test_the_limit_of_the_system_is_named_where_it_is_the_lower_one(monkeypatch):
    low = 700 * 2**20, resource.RLIM_INFINITY
    monkeypatch.setattr(memory.resource, "getrlimit", lambda _: low)
    assert memory.problem().startswith("the run needs more memory than 700M, which ulimit -v allows")
    with memory.bound_of_a_run():
        memory.set_bound(256 * 2**20)
        assert "than 256M" in memory.problem()


def test_a_run_that_cannot_say_what_it_does_is_bounded_too(monkeypatch):
    said = []
    monkeypatch.setattr(memory, "problem", lambda: 1 / 0)
    with memory.bound_of_a_run():
        memory.set_bound(2**20)
        memory._look(said.append)
    assert said == ["the run needs more memory than 1M"]
