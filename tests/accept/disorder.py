"""A seeded sequence of everything that can happen to a chat while it is being answered."""

from __future__ import annotations

import re
import signal
import time
from collections import Counter
from dataclasses import dataclass
from random import Random

from playwright.sync_api import BrowserContext, expect

from tests.accept.observed import Observed
from tests.accept.tab import ANSWER, BACK_SECONDS, ENDED_EARLY, Tab
from tests.e2e.running import RunningApp

MARKERS = ("Kestrel", "Obsidian", "Marigold", "Tundra")
"""One for each conversation; every question in it has it."""
QUESTIONS = (
    "Write a very long story about a lighthouse keeper named {marker}, with many chapters.",
    "Describe in great detail a whole day in the life of a clockmaker named {marker}.",
    "Write a long letter in which {marker} tells a friend about a voyage around the world.",
    "Explain at length how {marker}, a gardener, plants an orchard from seed to harvest.",
    "Write many diary entries of {marker}, who lives alone in a library for a year.",
)
PLAN = {
    "refresh": 5,
    "reopen": 3,
    "switch": 5,
    "second_tab": 3,
    "stop": 3,
    "continue_": 4,
    "kill_engine": 3,
    "kill_web": 4,
}
"""How often each kind of event happens: 30 in all, the last one a killed web process."""


@dataclass(frozen=True)
class Kill:
    """When a process was killed (or asked to end), on the monotonic clock."""

    of: str
    at: float


class Disorder:
    """Does the events of :data:`PLAN` to an app, each while an answer streams.

    Attributes:
        markers: The marker of each conversation.
        questions: What was asked in it, in order.
        happened: The events so far.
    """

    def __init__(self, app: RunningApp, context: BrowserContext, observed: Observed, seed: int):
        self.app = app
        self.observed = observed
        self.random = Random(seed)
        self.markers: dict[str, str] = {}
        self.questions: dict[str, list[str]] = {}
        self.kills: list[Kill] = []
        self.happened: Counter[str] = Counter()
        self._context = context
        self._tab = Tab(context, app.url)
        self._tabs = [self._tab]
        self._asked = 0

    def run(self) -> None:
        """All events in an order that the seed decides."""
        events = [name for name, times in PLAN.items() for _ in range(times)]
        self.random.shuffle(events)
        events.remove("kill_web")
        for number, name in enumerate([*events, "kill_web"], start=1):
            self._let_an_answer_stream()
            begun = time.monotonic()
            getattr(self, name)()
            self.happened[name] += 1
            took = time.monotonic() - begun
            print(f"{number:2} {name:12} {took:5.1f} s in {self.markers[self._open]}", flush=True)
        self._tab.page.wait_for_timeout(500)

    @property
    def _open(self) -> str:
        conversation = self._tab.conversation
        assert conversation, "a new chat is open"
        return conversation

    def _let_an_answer_stream(self) -> None:
        """In the open conversation, with some of its text shown."""
        tab = self._tab
        for _ in range(10):
            if not tab.is_streaming:
                can_go_on = tab.page.locator(f"{ANSWER}.qc-last{ENDED_EARLY}").count()
                if can_go_on and tab.letters and self.random.random() < 0.5:
                    self._press_continue()
                    self.happened["continue_"] += 1
                else:
                    self._ask()
            tab.until_longer(self.random.randint(10, 150))
            if tab.is_streaming and tab.letters:
                return
        raise AssertionError("no answer goes on streaming")

    def _ask(self) -> None:
        self._asked += 1
        conversation = self._tab.conversation
        marker = self.markers[conversation] if conversation else MARKERS[len(self.markers)]
        # A small model answers a question that it was asked before in as few words as before.
        question = f"{self._asked}. {QUESTIONS[self._asked % len(QUESTIONS)].format(marker=marker)}"
        self._tab.send(question)
        self.markers[self._open] = marker
        self.questions.setdefault(self._open, []).append(question)

    def _leave_a_draft(self) -> str:
        draft = f"A draft of {time.monotonic():.3f} that is not sent"
        self._tab.type(draft)
        return draft

    def _expect_draft(self, draft: str) -> None:
        assert self._tab.draft == draft
        self._tab.type("")

    # ---- the events

    def refresh(self) -> None:
        draft, before = self._leave_a_draft(), self._tab.letters
        self._tab.page.reload()
        self._tab.until_usable()
        self._expect_draft(draft)
        tab = self._tab
        tab.wait(lambda: tab.letters.startswith(before), 10, "the text from before the refresh")

    def reopen(self) -> None:
        """Close the tab and open another one."""
        draft, address = self._leave_a_draft(), self._tab.page.url
        self._tabs.remove(self._tab)
        self._tab.page.close()
        self._tab = Tab(self._context, address)
        self._tabs.append(self._tab)
        self._expect_draft(draft)

    def switch(self) -> None:
        """To another conversation, or a new one while there are few."""
        others = [key for key in self.markers if key != self._open]
        is_new = len(self.markers) < len(MARKERS) and (not others or self.random.random() < 0.6)
        if is_new:
            self._tab.page.click("#new-chat")
            self._ask()
        else:
            other = self.random.choice(others)
            self._tab.page.click(f'a[data-conversation-id="{other}"]')
            assert self._open == other
            expect(self._tab.page.locator(ANSWER).first).to_be_visible(timeout=10_000)

    def second_tab(self) -> None:
        """Show the same answer twice, then go on in either tab."""
        while len(self._tabs) > 1:
            self._tabs.pop(0 if self._tabs[0] is not self._tab else 1).page.close()
        second = Tab(self._context, self._tab.page.url)
        self._tabs.append(second)
        first_text = self._tab.letters
        second.wait(lambda: second.letters.startswith(first_text), 10, "the same text")
        self._tab = self.random.choice(self._tabs)

    def stop(self) -> None:
        while not self._stop():
            self._let_an_answer_stream()

    def _stop(self) -> bool:
        """Whether it did not end by itself just before."""
        answer = self._tab.last_answer
        self._tab.page.locator("#stop").click(timeout=10_000)
        expect(answer).to_have_attribute("data-state", re.compile("stopped|done"), timeout=5_000)
        return answer.get_attribute("data-state") == "stopped"

    def continue_(self) -> None:
        """Stop the answer and let it go on."""
        self.stop()
        before = self._tab.letters
        self._press_continue()
        self._tab.until_longer(5)
        assert self._tab.letters.startswith(before)

    def _press_continue(self) -> None:
        button = self._tab.last_answer.get_by_role("button", name="Continue", exact=True)
        button.click(timeout=10_000)
        expect(self._tab.last_answer).to_have_attribute("data-state", "streaming", timeout=10_000)

    def kill_engine(self) -> None:
        answer = self._tab.last_answer
        engine = self.app.engine
        self.kills.append(Kill("engine", time.monotonic()))
        engine.send_signal(signal.SIGKILL)
        expect(answer).to_have_attribute("data-state", re.compile("failed|done"), timeout=10_000)

    def kill_web(self) -> None:
        """And start it again; every tab must be right again without being touched."""
        draft = self._leave_a_draft()
        waiting = [(tab, tab.last_answer) for tab in self._tabs if tab.is_streaming]
        self.kills.append(Kill("web", self.app.kill()))
        lost = self._tab.page.locator("#status[data-state=lost]")
        expect(lost).to_have_count(1, timeout=10_000)
        self.app.start_again()
        for tab in self._tabs:
            tab.until_connected()
        for _, answer in waiting:
            ended = re.compile("interrupted|done")
            expect(answer).to_have_attribute("data-state", ended, timeout=BACK_SECONDS * 1000)
        assert not any(tab.was_loaded_anew for tab in self._tabs)
        self._expect_draft(draft)
