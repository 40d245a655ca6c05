"""The real web app over a scripted engine: ``python -m tests.fake_app --port 7861``.

For working on the page without a model. Words in a message steer the answer:

    slow      a long queue and a long prompt
    long      two thousand words
    empty     no text at all
    fail      an error after some text
    toolong   the error of a prompt that does not fit
    die       the engine dies in the middle and restarts
    giveup    the engine fails for good; Restart works
"""

from __future__ import annotations

import argparse
import asyncio
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

import uvicorn

from qwenchat.api.app import create_app
from qwenchat.engine.fake import FakeEngine, LoadStage, Script
from qwenchat.engine.protocol import Generate
from qwenchat.errors import ContextLengthExceeded, EngineInternal, EngineStartFailed
from qwenchat.hosting.hosting import host
from qwenchat.settings import Settings
from qwenchat.store.opening import open_store
from tests.api.serving import caches_in

RICH = """\
# A heading

Some **bold**, *italic*, `inline code`, a [link](https://example.org) and a footnote-free
sentence. 中文也可以，还有 emoji 🎉👩‍👩‍👧‍👦.

1. First
2. Second
   - nested
   - twice

```python
def greet(name: str) -> str:
\tif not name:
\t\traise ValueError("nobody")
\treturn f"Hello, {name}!"
```

| Fruit | Price | Stock |
|:------|------:|:-----:|
| Apple |  1.20 |  yes  |
| 梨    |  0.80 |  no   |

> A quotation
> over two lines.

Inline math $e^{i\\pi} + 1 = 0$ and a display:

$$\\int_0^1 x^2\\,dx = \\frac{1}{3}$$

<script>alert("never runs")</script>

That is all.
"""


TOO_LONG = ContextLengthExceeded(
    "The conversation has 5,120 tokens and the model reads 4,096. Start a new chat or send a "
    "shorter message."
)
GIVEN_UP = EngineStartFailed(
    "The engine could not start: the machine ran out of memory. Close something, then restart."
)


def pieces(text: str) -> Sequence[str]:
    """Words with what follows them, as a tokenizer would cut them."""
    return re.findall(r"\s*\S{1,6}|\s+$", text)


def answer(request: Generate) -> Script:
    """A script for what the last message asks for."""
    asked = request.messages[-1].content.lower()
    prompt_tokens = sum(len(message.content) // 4 + 4 for message in request.messages)
    usual = Script(pieces(RICH), 0.03, prompt_tokens=prompt_tokens, prefill_delay=0.3)
    loop = asyncio.get_running_loop()
    words = asked.split()
    if "slow" in words:
        return Script(pieces(RICH), 0.1, 3, 1.0, 20, 0.4, 8000, 1024)
    if "long" in words:
        return Script(pieces(RICH * 25), 0.02, prompt_tokens=prompt_tokens)
    if "empty" in words:
        return Script(())
    if "fail" in words:
        refusal = EngineInternal("The engine refused to go on: a made-up reason. Try again.")
        return Script(pieces(RICH)[:30], 0.05, error=refusal)
    if "toolong" in words:
        return Script((), error=TOO_LONG)
    if "die" in words:
        loop.call_later(2.0, engine.die)
    if "giveup" in words:
        loop.call_later(2.0, engine.fail, GIVEN_UP)
    return usual


engine: FakeEngine


async def main() -> None:
    """Serve until interrupted."""
    global engine
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--port", type=int, default=7861)
    parser.add_argument("--auth", help="USER:PASSWORD")
    parser.add_argument("--endpoint", help="a hub's address, for downloads; offline without")
    parser.add_argument("--load-seconds", type=float, default=3.0)
    parser.add_argument("--hold", action="store_true", help="never become ready")
    options = parser.parse_args()
    engine = FakeEngine(
        answer,
        stages=(
            LoadStage("Starting the engine", seconds=options.load_seconds / 4),
            LoadStage("Reading weights", 269_000_000, 20, options.load_seconds / 2),
            LoadStage("Warming up", seconds=options.load_seconds / 4),
        ),
        hold=options.hold,
    )
    with tempfile.TemporaryDirectory() as folder, caches_in(Path(folder)):
        settings = Settings(
            port=options.port,
            data_dir=Path(folder),
            auth=options.auth,
            endpoint=options.endpoint,
            offline=options.endpoint is None,
        )
        hosting = host(settings, engine)
        app = create_app(settings, engine, open_store(settings.data_dir), hosting)
        config = uvicorn.Config(
            app,
            port=options.port,
            log_level="info",
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=1,
        )
        print(f"http://127.0.0.1:{options.port}", flush=True)
        await uvicorn.Server(config).serve()


if __name__ == "__main__":
    asyncio.run(main())
