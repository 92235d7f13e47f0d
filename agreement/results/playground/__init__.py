"""`lars play`: a web page on this computer, on which users edit and evaluate an experiment or a program."""

from agreement.results.playground.playing import play
