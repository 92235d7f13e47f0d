"""Continuous queries as LARS programs: the dialects, the query model (V, P, D, S), τ, τ1, τ2."""
