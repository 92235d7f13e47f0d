"""What is read and written: options, TOML and JSON with places, traces, recordings, tables, texts."""
