"""The command line of `lars`: the table of commands, their options for Typer, output, and exit codes."""
