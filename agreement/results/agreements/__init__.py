"""Results of `lars agree`: the comparison of push and pull, and the effects of late data."""
