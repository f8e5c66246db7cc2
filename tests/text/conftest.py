"""Hypothesis without a wall clock: a shared machine may stall for a second at any time."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("no-clock", deadline=None)
settings.load_profile("no-clock")
