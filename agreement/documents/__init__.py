"""Input and output: options, TOML and JSON with places, traces, recordings, tables, texts."""
