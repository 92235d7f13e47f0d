"""Engine versions as they run, a folder per engine: rules numbered and switchable; `registry` names them."""
