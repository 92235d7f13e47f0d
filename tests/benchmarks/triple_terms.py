"""Queries of SPARQL 1.2 over random triple terms: columns, clingo, and Oxigraph on each window.

`python -m tests.benchmarks.triple_terms 2000 --seed 1` prints how many cases had answers, and each in which
two of the three differ. Exit code 1: some do. Left out is what Oxigraph reads otherwise: EXISTS with blank
nodes, which it matches as variables, and terms that are none, which it fails at.
"""

import argparse
import sys
from collections import Counter
from random import Random

import pyoxigraph as ox

from agreement.comparing.matching.blank_nodes import alike_rows
from lars.language.windows import Interval
from solver.facts import STREAM_PREDICATE, Fact, Situation
from solver.job import ask
from solver.rdf.terms import quad_texts, text_of_oxigraph
from tests.solver.in_process import evaluate
from tests.sparql.engine import SETTING
from translate.dialects import read_query
from translate.tau import lars_program, output_of

HEAD = "PREFIX : <http://e/> PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>\n"
FRAMES = {
    "csparql": "{head} FROM STREAM :s [RANGE {size}s STEP 1s] {{ {group} }} {tail}",
    "cqels": "{head} {{ STREAM :s [RANGE {size}s] {{ {group} }} }} {tail}",
    "rspql": "{head} FROM NAMED WINDOW :w ON :s [RANGE PT{size}S STEP PT1S] "
    "{{ WINDOW :w {{ {group} }} }} {tail}",
}
FORMS = (
    *(("SELECT DISTINCT *", ""),) * 3,
    ("SELECT DISTINCT ?x ?y", ""),
    ("SELECT ?x (COUNT(*) AS ?k)", "GROUP BY ?x"),
    ("CONSTRUCT { ?x :p <<( ?y :q ?x )>> . << ?x :r ?y >> . }", ""),
)
NAMES, VARIABLES = (":a", ":b", ":c"), ("?x", "?y", "?z", "?w")
LITERALS = ("1", "2", '"s"', '"s"@en', '"s"@en--ltr')
LAST = 6


class World(Random):
    """A generator of random data and groups of patterns."""

    def property(self):
        return self.choice((":p", ":q"))

    def triple(self, depth=0):
        """Return a triple of data."""
        object_ = self.choice((*NAMES, "_:n", self.choice(LITERALS)))
        if depth < 2 and self.random() < 0.35:
            object_ = f"<<( {self.triple(depth + 1)} )>>"
        return f"{self.choice((*NAMES, '_:n'))} {self.property()} {object_}"

    def statement(self):
        """Return a triple of data, perhaps with what is said of it."""
        note = f"{self.property()} {self.choice((*NAMES, *LITERALS))}"
        endings = (".", f"{{| {note} |}} .", f"~ {self.choice(NAMES)} .")
        return self.choice(
            (*(f"{self.triple()} {end}" for end in endings), f":a rdf:reifies <<( {self.triple()} )>> .")
        )

    def term(self, *, subject=False, depth=0):
        """Return a term of a pattern."""
        if self.random() < 0.75:
            return self.choice((*VARIABLES, f"_:b{self.randrange(10**9)}"))
        if not subject and depth < 2 and self.random() < 0.5:
            return self.triple_term(depth)
        return self.choice(NAMES if subject else (*NAMES, *LITERALS))

    def verb(self):
        return self.choice((":p", ":q", ":p", ":q", "?v"))

    def triple_term(self, depth=0):
        return f"<<( {self.term(subject=True)} {self.verb()} {self.term(depth=depth + 1)} )>>"

    def reified(self, depth=0):
        one = self.reified(1) if depth == 0 and self.random() < 0.1 else self.term(subject=True)
        reifier = self.choice(("", " ~", f" ~ {self.choice((*VARIABLES, ':a'))}"))
        return f"<< {one} {self.verb()} {self.term(depth=1)}{reifier} >>"

    def pattern(self):
        """Return a triple pattern, a path, or what is said of one."""
        one, verb, two = self.term(subject=True), self.verb(), self.term()
        path = self.choice((":p/:q", "(:p|:q)+", ":p+", "^:p", ":p|:q"))
        patterns = (
            *(f"{one} {verb} {two} .", f"{one} {verb} {two} .", f"{one} {path} {two} ."),
            *(f"{self.reified()} {verb} {two} .", f"{one} {verb} {self.reified()} .", f"{self.reified()} ."),
            f"{one} rdf:reifies {self.triple_term()} .",
            f"{one} {verb} {two} {self.choice(('~ ?x', ''))} {{| {self.verb()} {self.term()} |}} .",
        )
        return self.choice(patterns)

    def patterns(self):
        return " ".join(self.pattern() for _ in range(self.choice((1, 1, 1, 2))))

    def condition(self):
        """Return a condition on terms and their parts."""
        name, other = self.choice(VARIABLES), self.choice(VARIABLES)
        term = f"<<( {self.choice((*NAMES, other))} :p {self.choice((*NAMES, other, *LITERALS))} )>>"
        conditions = (
            *(f"isTRIPLE({name})", f"!isTRIPLE({name})", f"SUBJECT({name}) = :a", f"hasLANGDIR({name})"),
            *(f"{name} = {term}", f"{name} < {term}", f"{name} IN ({term}, :a)", f'LANGDIR({name}) = "ltr"'),
            *(f"sameTerm(OBJECT({name}), {other})", f"TRIPLE({name}, :p, {other}) = {other}"),
            f"PREDICATE({name}) = :p && isIRI(OBJECT({name}))",
        )
        return self.choice(conditions)

    def element(self, depth):
        """Return what stands behind patterns in a group."""
        name, fresh = self.choice(VARIABLES), f"?n{self.randrange(10**9)}"
        value = self.choice(
            ("SUBJECT(?x)", "OBJECT(?y)", "TRIPLE(?x, :p, ?y)", "<<( ?x :q ?y )>>", "LANG(?x)")
        )
        row = self.choice((*NAMES, *LITERALS, "<<( :a :p :b )>>", "<<( :b :q <<( :a :p 1 )>> )>>", "UNDEF"))
        elements = [
            *(f"FILTER({self.condition()})", f"FILTER({self.condition()})", f"BIND({value} AS {fresh})"),
            f"VALUES {name} {{ {row} :b }}",
            f"FILTER {self.choice(('', 'NOT '))}EXISTS {{ {self.patterns()} }}",
        ]
        if depth < 2:
            inner, other = self.group(depth + 1), self.group(depth + 1)
            elements += [
                f"OPTIONAL {{ {inner} }}",
                f"MINUS {{ {inner} }}",
                f"{{ {inner} }} UNION {{ {other} }}",
            ]
        return self.choice(elements)

    def group(self, depth=0):
        """Return the text of a group."""
        elements = (self.element(depth) for _ in range(self.choice((0, 0, 1, 2))))
        return " ".join((self.patterns(), *elements))


def case(seed):
    """Return the timed triples, the window's size, and the query in a language and in SPARQL."""
    world = World(seed)
    text = HEAD + "\n".join(world.statement() for _ in range(world.randint(2, 14)))
    group, size = world.group(), world.randint(1, 5)
    quads = [quad_texts(quad)[:3] for quad in ox.parse(text.encode(), format=ox.RdfFormat.TURTLE)]
    if "EXISTS" in group:
        quads = [quad for quad in quads if not any("_:" in term for term in quad)]
    times = sorted(world.randint(1, LAST) for _ in quads)
    head, tail = world.choice(FORMS)
    frame = world.choice(tuple(FRAMES.values()))
    streamed = HEAD + frame.format(head=head, size=size, group=group, tail=tail)
    return list(zip(times, quads, strict=True)), size, streamed, f"{HEAD}{head} {{ {group} }} {tail}"


def answers(query, timed, evaluator):
    """Return the rows of each time point, with the names of their columns."""
    facts = [Fact(t, STREAM_PREDICATE, (*triple, "<http://e/s>")) for t, triple in timed]
    output, whole = output_of(query, SETTING), Interval(1, LAST)
    question = ask(lars_program(query, SETTING), output.predicate)
    rows = {t: [] for t in range(1, LAST + 1)}
    for _, t, row in evaluate([question], Situation(whole, facts, {}), whole, evaluator=evaluator):
        rows[t].append(row)
    return {t: output.answers(found) for t, found in rows.items()}, [one.name for one in output.variables]


def oxigraph(text, triples, columns):
    """Return the rows of a query to a graph; None where Oxigraph fails at a term."""
    store = ox.Store()
    lines = "".join(f"{s} {p} {o} .\n" for s, p, o in triples)
    store.extend(ox.parse(lines.encode(), format=ox.RdfFormat.N_TRIPLES))
    try:
        found = list(store.query(text))
    except RuntimeError:
        return None
    if found and isinstance(found[0], ox.Triple):
        found = dict.fromkeys(found)
        return [tuple(map(text_of_oxigraph, (one.subject, one.predicate, one.object))) for one in found]
    return [tuple(row[name] and text_of_oxigraph(row[name]) for name in columns) for row in found]


def difference(seed):
    """Return which evaluations differ, None where none do, and whether there was an answer."""
    timed, size, streamed, plain = case(seed)
    query = read_query(streamed, "query", rdf12=True)
    rows, columns = answers(query, timed, "relational")
    reference, _ = answers(query, timed, "clingo")
    for t, found in rows.items():
        if Counter(found) != Counter(reference[t]):
            return f"columns and clingo at {t}", True
        right = oxigraph(plain, [triple for at, triple in timed if t - size <= at <= t], columns)
        if right is not None and Counter(found) != Counter(right) and not alike_rows(found, right):
            return f"Oxigraph at {t}: {right[:5]} and not {found[:5]}", True
    return None, query.form != "ASK" and any(rows.values())


def main():
    """Compare, print, and exit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=int)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    first = wanted.seed * 1_000_000
    found = {seed: difference(seed) for seed in range(first, first + wanted.cases)}
    differing = {seed: problem for seed, (problem, _) in found.items() if problem is not None}
    for seed, problem in differing.items():
        timed, _, streamed, _ = case(seed)
        print(f"DIFFERENT ({seed}): {problem}\n{streamed}\n{timed}\n")
    filled = sum(answered for _, answered in found.values())
    print(f"{len(found)} cases, {filled} with an answer, {len(differing)} differ")
    sys.exit(bool(differing))


if __name__ == "__main__":
    main()
