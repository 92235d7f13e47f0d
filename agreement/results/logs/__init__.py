"""`lars compare` of two logs of alerts: computation and report."""
