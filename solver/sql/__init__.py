"""Programs as one SQL script for SQLite or DuckDB, which computes the relational evaluation in SQL."""

from solver.sql.first_statements import ProgramInput
from solver.sql.script import script
