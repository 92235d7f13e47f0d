"""Programs as one SQL script that others can run in SQLite or DuckDB: what columns do, written down."""

from solver.sql.first_statements import ProgramInput
from solver.sql.script import script
from solver.sql.values import InexpressibleInSqlError
