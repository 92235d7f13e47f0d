"""The command `lars` compares RDF stream processing engines, checks answers, and explains differences."""
