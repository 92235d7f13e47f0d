"""Results beyond one trace: diagrams over periods and lengths, general verdicts and witnesses."""
