"""Ticker's language read by Ticker's rules: a second look at what `lars.ticker.ticker_writer` writes.

A fact is a rule without body: it derives its atom at the time of evaluation only.
"""

import re

from lars.formulas import At, Box, Comparison, Diamond, In, Not, Operation, Operator, Relation, Truth
from lars.program import Program, Rule
from lars.terms import Atom, Number, Variable
from lars.windows import TimeWindow, TupleWindow

TOKEN = re.compile(r"\s+|%[^\n]*|(:-|<=|>=|!=|[()\[\],.=<>+*/#-]|[A-Za-z][A-Za-z0-9]*|[0-9]+)")
WORDS = {"not", "at", "always", "sec"}


class Reader:
    def __init__(self, text, seconds):
        found, end = [], 0
        while end < len(text):
            token = TOKEN.match(text, end)
            assert token, f"Ticker reads no {text[end:]!r}"
            end = token.end()
            found += [token.group(1)] if token.group(1) else []
        self.tokens, self.seconds = found, seconds

    def accept(self, *wanted):
        if self.tokens and self.tokens[0] in wanted:
            return self.tokens.pop(0)
        return None

    def expect(self, wanted):
        assert self.accept(wanted), f"expected {wanted}, found {self.tokens[:5]}"

    def program(self):
        rules = []
        while self.tokens:
            rules.append(self.rule())
        return Program(tuple(rules))

    def rule(self):
        head = self.atom()
        if self.accept("at"):
            head = At(self.variable(), head)
        body = [Truth()]
        while self.accept(":-" if len(body) == 1 else ","):
            body.append(self.literal())
        self.expect(".")
        return Rule(head, tuple(body[1:]) or (Truth(),))

    def literal(self):
        if self.accept("not"):
            return Not(self.look())
        return self.look() if self.tokens[0][0].islower() else self.comparison()

    def look(self):
        atom = self.atom()
        if self.accept("always"):
            return In(self.window(), Box(atom))
        if self.accept("at"):
            time = self.variable()
            return In(self.window(), At(time, atom))
        return In(self.window(), Diamond(atom)) if self.tokens[0] == "[" else atom

    def window(self):
        self.expect("[")
        size = self.number()
        if self.accept("#"):
            found = TupleWindow(size)
        else:
            self.expect("sec")
            assert size % self.seconds == 0
            found = TimeWindow(size // self.seconds)
        self.expect("]")
        return found

    def comparison(self):
        left = self.term()
        relation = Relation(self.accept("=", "!=", "<", "<=", ">", ">="))
        right = self.term()
        operator = self.accept("+", "-", "*", "/")
        return Comparison(
            left, relation, Operation(Operator(operator), right, self.term()) if operator else right
        )

    def atom(self):
        name = self.tokens.pop(0)
        assert name[0].islower()
        assert name not in WORDS
        if not self.accept("("):
            return Atom(name)
        arguments = [self.term()]
        while self.accept(","):
            arguments.append(self.term())
        self.expect(")")
        return Atom(name, tuple(arguments))

    def term(self):
        return Number(self.number()) if self.tokens[0].isdigit() else self.variable()

    def variable(self):
        name = self.tokens.pop(0)
        assert name[0].isupper(), f"Ticker has variables and numbers only, not {name}"
        return Variable(name)

    def number(self):
        return int(self.tokens.pop(0))


def read_ticker(text, seconds=1):
    """Return the program that Ticker reads, when one time point lasts so many seconds."""
    return Reader(text, seconds).program()
