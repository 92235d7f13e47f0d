"""The engine versions by name."""

from collections import Counter

import pytest

from agreement.engines.registry import ENGINES, engine
from lars.errors import LarsError


def test_the_registry_has_every_engine_by_its_name():
    names = ["csparql-0.9.7", "cqels-1.x", "yasper-csparql", "yasper-cqels", "rsp-js-1.3.5", "cqels-2011"]
    assert list(ENGINES) == names
    assert [engine(name).name for name in names] == names
    for found in ENGINES.values():
        assert max(Counter(rule.name for rule in found.rules).values()) == 1
        assert found.specification in {"csparql", "cqels", "rspql"}


def test_an_engine_that_there_is_not_is_told_with_those_there_are():
    with pytest.raises(
        LarsError, match=r"found the engine 'cqels'; accepted: csparql-0\.9\.7, .*cqels-2011$"
    ):
        engine("cqels")
