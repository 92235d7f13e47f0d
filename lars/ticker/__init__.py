"""Programs in the language of the reasoner Ticker, and a legend of their names and numbers."""

from lars.ticker.ticker_rules import Reasoner
