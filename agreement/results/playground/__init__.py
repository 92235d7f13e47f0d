"""`lars play`: an experiment or program with editable texts in a browser on this computer."""

from agreement.results.playground.playing import play
