"""Results of `lars agree`: push and pull compared, and the answers as data came."""
