"""substitute(P, μ) of SPARQL 1.1, 18.6, on syntax trees."""

from dataclasses import fields, is_dataclass, replace

from tests.sparql.scope import occurring
from tests.sparql.syntax import Bind, Select, Values, Var
from tests.sparql.values import UndeterminedError


def substitute(tree, solution):
    """Return the tree with the solution's values for its variables.

    A value cannot stand in the head of a subquery, of VALUES or of BIND: SPARQL 1.1 does not say
    what that means, so it raises UndeterminedError.
    """
    match tree:
        case Var(name):
            return solution.get(name, tree)
        case Select() | Values():
            if occurring(tree) & solution.keys():
                raise UndeterminedError
            return tree
        case Bind(_, Var(name)) if name in solution:
            raise UndeterminedError
        case tuple():
            return tuple(substitute(one, solution) for one in tree)
        case _ if is_dataclass(tree):
            return replace(
                tree, **{one.name: substitute(getattr(tree, one.name), solution) for one in fields(tree)}
            )
        case _:
            return tree
