"""The commands of `lars`, one file each; importing this package makes them known to the app."""

from agreement.commands import agree, solve, translate

__all__ = ["agree", "solve", "translate"]
