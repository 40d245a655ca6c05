"""How fast something goes, over the last seconds."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

WINDOW_SECONDS = 5.0


class Rate:
    """Bytes a second over a window that moves; a standstill shows within the window's length.

    Args:
        clock: Seconds that only grow.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._samples: deque[tuple[float, int]] = deque()

    def restart(self, done: int) -> None:
        """Count from here: what is there already was not fetched now."""
        self._samples.clear()
        self._samples.append((self._clock(), done))

    def add(self, done: int) -> None:
        """Note that ``done`` bytes are there now."""
        self._samples.append((self._clock(), done))

    def bytes_per_second(self) -> float:
        """The rate now; 0 before two moments are known."""
        now = self._clock()
        # The last sample before the window is where the window's first bytes count from.
        while len(self._samples) > 1 and self._samples[1][0] <= now - WINDOW_SECONDS:
            self._samples.popleft()
        if not self._samples:
            return 0.0
        began, first = self._samples[0]
        seconds = now - began
        return max(0.0, (self._samples[-1][1] - first) / seconds) if seconds > 0 else 0.0
