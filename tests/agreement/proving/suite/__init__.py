"""Tests of `lars suite`."""
