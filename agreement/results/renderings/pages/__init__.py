"""Pages that show a verdict: one HTML file each, which needs no server and no network."""
