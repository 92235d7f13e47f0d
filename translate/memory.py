"""What is asked of the same pattern again and again is remembered."""

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Concatenate, Final, ParamSpec, TypeVar

_Asked = TypeVar("_Asked")
_More = ParamSpec("_More")
_Answer = TypeVar("_Answer")
_KEPT: Final = 2**17


def remember(
    ask: Callable[Concatenate[_Asked, _More], _Answer],
) -> Callable[Concatenate[_Asked, _More], _Answer]:
    """Return the function with a memory, by the identity of its first argument and by the others.

    The hash of a pattern walks all of it, so that a memory by equality makes long queries slow.

    >>> calls = []
    >>> count = remember(lambda pattern: calls.append(pattern) or len(calls))
    >>> one, other = ["p"], ["p"]
    >>> count(one), count(other), count(one)
    (1, 2, 1)
    """
    known: dict[tuple[Hashable, ...], tuple[object, _Answer]] = {}

    @wraps(ask)
    def answer(question: _Asked, /, *more: _More.args, **named: _More.kwargs) -> _Answer:
        key = (id(question), *more, *named.values())
        known_answer = known.get(key)
        if known_answer is None:
            # What is kept cannot be freed, so that no other object gets its identity.
            known_answer = question, ask(question, *more, **named)
            if len(known) >= _KEPT:
                known.clear()
            known[key] = known_answer
        return known_answer[1]

    return answer
