"""The command line: all commands in one table, their options as Typer's, what is printed, how a run ends."""
