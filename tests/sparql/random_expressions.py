"""Random expressions over the variables of a group, and now and then over others."""

from random import Random

from tests.sparql import data
from tests.sparql.functions import ARITIES
from tests.sparql.syntax import Exists, Iri, Literal, Op, Var
from tests.sparql.values import INTEGER

POOL = ("x", "y", "z", "w", "v")
HIDDEN_POOL = ("k", "l", "m")
STRANGER = 0.12
"""How often an expression names a variable that its group does not have."""
COMPARED = ("=", "!=", "<", "<=", ">", ">=")


class Expressions:
    """Makes expressions; `pool` are the names in use, `witness` has likely values of some of them."""

    def __init__(self, rng: Random):
        self.rng = rng
        self.pool = POOL
        self.witness = {}
        self.fresh = 0

    def chance(self, probability):
        return self.rng.random() < probability

    def new_name(self, prefix):
        self.fresh += 1
        return f"{prefix}{self.fresh}"

    def any_variable(self, names):
        listed = list(names)
        if not listed or self.chance(STRANGER):
            listed = self.pool
        return Var(self.rng.choice(listed))

    def constant(self):
        return self.rng.choice(data.NODES[:4]) if self.chance(0.25) else data.literal(self.rng)

    def operand(self, names, depth=1):
        """Return an expression for any term."""
        draw = self.rng.random()
        if draw < 0.55:
            return self.any_variable(names)
        if draw < 0.72 or not depth:
            return self.constant()
        if draw < 0.82:
            return Op(self.rng.choice("+-*/"), (self.operand(names, 0), self.operand(names, 0)))
        return self.function(names, depth - 1)

    def function(self, names, depth):
        match self.rng.randrange(5):
            case 0:
                return Op(
                    "IF", (self.condition(names, 0), self.operand(names, depth), self.operand(names, depth))
                )
            case 1:
                return Op("COALESCE", tuple(self.operand(names, depth) for _ in range(2)))
            case 2:
                return Op("NEG", (self.operand(names, depth),))
            case _:
                name = self.rng.choice(tuple(ARITIES))
                return Op(name, tuple(self.operand(names, depth) for _ in range(ARITIES[name])))

    def condition(self, names, depth=1):
        """Return an expression that mostly is a boolean."""
        draw = self.rng.random()
        if depth and draw < 0.22:
            return Op(
                self.rng.choice(("&&", "||")),
                (self.condition(names, depth - 1), self.condition(names, depth - 1)),
            )
        if depth and draw < 0.28:
            return Op("!", (self.condition(names, depth - 1),))
        if depth and draw < 0.5:
            return self.exists()
        return self.atomic(names, draw)

    def atomic(self, names, draw):
        if draw < 0.7:
            return self.comparison(names)
        if draw < 0.78:
            return Op("BOUND", (self.any_variable(names),))
        if draw < 0.86:
            listed = tuple(self.operand(names, 0) for _ in range(self.rng.randint(0, 3)))
            return Op(self.rng.choice(("IN", "NOT IN")), (self.any_variable(names), *listed))
        if draw < 0.92:
            return Op(
                self.rng.choice(("isIRI", "isBLANK", "isLITERAL", "isNUMERIC")), (self.any_variable(names),)
            )
        if draw < 0.95:
            return Op("=", (Op("DATATYPE", (self.any_variable(names),)), Iri(INTEGER)))
        if draw < 0.97:
            return Op("CONTAINS", (Op("STR", (self.any_variable(names),)), Literal("a")))
        return self.operand(names)

    def comparison(self, names):
        """Return a relation of a variable, half of the time with a constant like its likely value."""
        variable, name = self.any_variable(names), self.rng.choice(COMPARED)
        likely = self.witness.get(variable.name)
        kinds = [kind for kind, _ in data.KINDS if likely in kind]
        other = self.rng.choice(kinds[0]) if kinds and self.chance(0.5) else self.operand(names)
        return Op(name, (variable, other))

    def exists(self):
        """Return EXISTS or NOT EXISTS of a pattern that mostly shares a variable with its group."""
        return Exists(self.inner_group(), self.chance(0.5))

    def inner_group(self):
        raise NotImplementedError
