"""Models around an engine that runs, and what was told of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from qwenchat.hosting.choice import Choice, read_choice
from qwenchat.hosting.hosting import Hosting


class World:
    """Models around an engine that has started, and what was told of them."""

    def __init__(self, hosting: Hosting) -> None:
        self.hosting, self.engine, self.switcher = hosting, hosting.engine, hosting.switcher
        self.choices: list[Choice] = []
        self.messages: list[str] = []
        self.switcher.watch(lambda: self.choices.append(self.switcher.choice))
        self.switcher.watch_fallbacks(self.messages.append)

    async def settled(self) -> None:
        while self.engine.status.state not in ("ready", "failed"):
            await asyncio.sleep(0.002)
        await self.switcher.close()

    @property
    def remembered(self) -> Choice | None:
        return read_choice(self.hosting.settings.data_dir)


Story = Callable[[World], Awaitable[None]]


def run(make: Callable[[], Hosting], story: Story) -> None:
    async def whole() -> None:
        hosting = make()
        world = World(hosting)
        await hosting.engine.start()
        async with asyncio.timeout(10):
            await world.settled()
            await story(world)
        await hosting.engine.close()
        await hosting.close()

    asyncio.run(whole())
