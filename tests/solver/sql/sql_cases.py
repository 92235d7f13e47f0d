"""Scripts run in SQLite, as who has only the script would run them."""

import sqlite3
from contextlib import closing

from lars.language.terms import Variable
from solver.sql import ProgramInput, script

ANSWERS = "\n-- The answers.\n"


def answers(text):
    """Return the rows of the last result of a script."""
    statements, _, query = text.rpartition(ANSWERS)
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(statements)
        return database.execute(query).fetchall()


def sql_text(program, given_to_it, times, output):
    """Return the script of a program with all that it meets at some times."""
    known = frozenset(given_to_it.background)
    given = ProgramInput(known, known, given_to_it.facts, given_to_it.timeline, given_to_it.background)
    names = tuple(Variable(f"v{place}") for place in range(output[1]))
    return "\n".join(script(program, tuple(times), output, names, given))


def sql_rows(program, given_to_it, times, output):
    """Return the rows at each of the times."""
    found = {t: set() for t in times}
    for t, *row in answers(sql_text(program, given_to_it, times, output)):
        found[t].add(tuple(row))
    return found
