"""The judge of a live cluster, made once in a process: it keeps nothing but compiled definitions."""

from functools import cache
from typing import Final

from ovnguard.reconciler.loop.process import lifecycle

judge_live: Final = cache(lifecycle.judge_live)
