"""Engine versions as they run, by numbered rules that can be switched off; `registry` names them."""
