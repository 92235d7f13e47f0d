"""The command line: the table of commands, their options for Typer, output, and exit codes."""
