"""HTML reports: each report is one HTML file, which requires no server and no network."""
