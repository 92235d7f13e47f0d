"""`--format ticker`: programs in the language of that reasoner, with the legend of names and numbers."""

from lars.ticker.ticker_literals import ExportError
