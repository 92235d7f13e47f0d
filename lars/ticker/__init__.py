"""Programs in the language of the reasoner Ticker, with the legend of names and numbers."""

from lars.ticker.ticker_rules import ExportError, Reasoner
