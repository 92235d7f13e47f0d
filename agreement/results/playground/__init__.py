"""`lars play`: a web page on this computer with an experiment or program whose texts can be edited."""

from agreement.results.playground.playing import play
