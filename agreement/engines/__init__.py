"""Engine versions as simulations with numbered rules that can be switched off; `registry` lists the names."""
