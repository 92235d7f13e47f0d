"""Engine versions as they run: one file per engine, its rules numbered and switchable."""
