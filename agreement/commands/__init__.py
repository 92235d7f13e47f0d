"""The commands of `lars`, one file each, which the app loads when it is asked for one."""
