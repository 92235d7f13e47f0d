"""`compare` of two logs of alerts: what is found, and how it is told."""
