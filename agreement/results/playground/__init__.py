"""`lars play`: an experiment or a program in the browser, its texts editable, on this computer alone."""

from agreement.results.playground.playing import Playground, play
