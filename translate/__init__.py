"""Translation of continuous queries to LARS programs: dialects, the model (V, P, D, S), τ, τ1 and τ2."""
