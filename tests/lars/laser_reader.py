"""Laser's language read by Laser's rules: constants and repeated variables of body atoms are ignored.

Each is replaced by a variable of its own. A line without `:-` is a fact given at every time point.
"""

import re

from lars.formulas import At, Box, Comparison, Diamond, In, Not, Operation, Operator, Relation, Truth
from lars.program import Program, Rule
from lars.terms import Atom, Number, Variable
from lars.windows import TimeWindow, TupleWindow

CALL = re.compile(r"(@|[A-Za-z][A-Za-z0-9_]*)\((.*)\)")
MODES = {"diamond": Diamond, "box": Box}


def parted(text, separator=","):
    """Part a text at a separator outside all brackets."""
    found, depth, start = [], 0, 0
    for i, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0 and text.startswith(separator, i):
            found.append(text[start:i].strip())
            start = i + len(separator)
    return [*found, text[start:].strip()] if text.strip() else []


def term(text):
    if text.isdigit():
        return Number(int(text))
    assert re.fullmatch("[A-Z][A-Za-z0-9]*", text), f"{text} is no variable"
    return Variable(text)


def call(text):
    found = CALL.fullmatch(text)
    assert found, f"Laser reads no {text!r}"
    return found.group(1), parted(found.group(2))


class Body:
    """One rule's body; `ignored` counts the places that Laser does not look at."""

    def __init__(self):
        self.ignored = 0

    def fresh(self):
        self.ignored += 1
        return Variable(f"Ignored{self.ignored}")

    def literal(self, text):
        name, parts = call(text)
        match name:
            case "not":
                return Not(self.look(parts[0]))
            case "COMP":
                relation, left, right = parts
                return Comparison(term(left), Relation(relation), term(right))
            case "MATH":
                operator, result, left, right = parts
                assert operator in "+-*"
                return Comparison(
                    term(result), Relation.EQUAL, Operation(Operator(operator), term(left), term(right))
                )
            case _:
                return self.look(text)

    def look(self, text):
        name, parts = call(text)
        if name == "time_win":
            size, future, step, inside = parts
            assert (future, step) == ("0", "1")
            return In(TimeWindow(int(size)), self.mode(inside))
        if name == "tuple_win":
            return In(TupleWindow(int(parts[0])), self.mode(parts[1]))
        return self.atom(text, set())

    def mode(self, text):
        name, parts = call(text)
        if name == "@":
            time = term(parts[0])
            assert isinstance(time, Variable)
            return At(time, self.atom(parts[1], {time}))
        return MODES[name](self.atom(parts[0], set()))

    def atom(self, text, seen):
        name, parts = call(text)
        arguments = []
        for one in map(term, parts):
            looked_at = isinstance(one, Variable) and one not in seen
            arguments.append(one if looked_at else self.fresh())
            seen.add(one)
        return Atom(name, tuple(arguments))


def head_of(text):
    name, parts = call(text)
    if name == "@":
        return At(term(parts[0]), head_of(parts[1]))
    return Atom(name, tuple(map(term, parts)))


def read_laser(text):
    """Return the program that Laser reads."""
    rules = []
    for line in text.splitlines():
        if not line.startswith("#"):
            head, _, body = line.partition(" :- ")
            own = Body()
            literals = tuple(own.literal(part) for part in parted(body, " and "))
            rules.append(Rule(head_of(head), literals or (Truth(),)))
    return Program(tuple(rules))
