"""``python -m qwenchat download ID``: the page's download, in a terminal."""

from __future__ import annotations

import asyncio
import shlex
import signal
import sys
from collections.abc import Sequence

from qwenchat.commands.arguments import Parser, Places, add_places, places
from qwenchat.commands.progress_line import ProgressLine, download_text
from qwenchat.commands.words import size_text
from qwenchat.models.download_state import Download
from qwenchat.models.downloads import Downloads
from qwenchat.models.reference import EXAMPLE_ID
from qwenchat.server.data_folder import prepare_data_folder

PROGRAM = "python -m qwenchat download"


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns its exit status.

    Raises:
        QwenChatError: It did not succeed.
    """
    parser = Parser(
        prog=PROGRAM,
        description="Download a model from ModelScope. Ctrl-C pauses; the same command goes on.",
        epilog="Exit status: 0 it is there; 1 it failed; 2 asked wrongly; 130 paused.",
    )
    parser.add_argument("model_id", metavar="ID", help=f"The model's id, such as {EXAMPLE_ID}.")
    parser.add_argument(
        "--check",
        action="store_true",
        help="Also read a model that looks whole, and fetch the files that differ from the hub's.",
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="A line for each file too.")
    add_places(parser)
    asked = parser.parse_args(arguments)
    where = places(asked)
    prepare_data_folder(where.data_dir)
    return asyncio.run(_download(asked.model_id, asked.check, asked.verbose, where))


async def _download(model_id: str, check: bool, verbose: bool, where: Places) -> int:
    downloads = Downloads(where.models_dir, endpoint=where.endpoint, offline=where.offline)
    await downloads.find_unfinished()
    line = ProgressLine(sys.stdout)
    files = _Files(line) if verbose else None

    def show(changed: str) -> None:
        download = downloads.get(model_id)
        if changed == model_id and download is not None and download.active:
            if files is not None:
                files.show(download)
            line.show(download.stage, download_text(download))

    downloads.on_change(show)
    stopped: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, _stop, stopped, number)
    downloads.start(model_id, check=check)
    waiting = asyncio.ensure_future(downloads.wait(model_id))
    await asyncio.wait((waiting, stopped), return_when=asyncio.FIRST_COMPLETED)
    if not waiting.done():
        await downloads.pause(model_id)
        await asyncio.wait((waiting,))
    line.end()
    download = downloads.get(model_id)
    assert download is not None
    if download.state == "paused":
        again = shlex.join([*PROGRAM.split(), model_id, *where.given])
        print(
            f"Paused at {size_text(download.done_bytes)} of {size_text(download.total_bytes)}. "
            f"Go on with: {again}"
        )
        waiting.exception()
        return 128 + stopped.result()
    path = waiting.result()
    if download.note:
        print(download.note)
    print(f"{model_id} is ready in {path}")
    return 0


def _stop(stopped: asyncio.Future[int], number: int) -> None:
    if not stopped.done():
        stopped.set_result(number)


class _Files:
    """A line for each file that is complete, as it comes."""

    def __init__(self, line: ProgressLine) -> None:
        self._line = line
        self._told: set[str] = set()

    def show(self, download: Download) -> None:
        for file in download.files:
            if file.state in ("checking", "done") and file.path not in self._told:
                self._told.add(file.path)
                self._line.say(f"  {file.path}  {size_text(file.size)}")
