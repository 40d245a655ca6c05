"""``python -m qwenchat models``: list, verify and delete the models on this machine."""

from __future__ import annotations

import argparse
import asyncio
import json
import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict

from qwenchat.commands.arguments import Parser, Places, add_places, places
from qwenchat.commands.download import PROGRAM as DOWNLOAD
from qwenchat.commands.progress_line import ProgressLine, share_text
from qwenchat.commands.words import complain, moment_text, size_text
from qwenchat.errors import InvalidRequest
from qwenchat.models.installed_model import InstalledModel
from qwenchat.models.library import Library
from qwenchat.models.reference import is_model_id
from qwenchat.store.lock import DataFolderLock

PROGRAM = "python -m qwenchat models"


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns its exit status.

    Raises:
        QwenChatError: It did not succeed.
    """
    asked = _parser().parse_args(arguments)
    where = places(asked)
    library = Library(where.models_dir, endpoint=where.endpoint, offline=where.offline)
    if asked.action == "verify":
        return asyncio.run(_verify(library, asked.model_id, where))
    if asked.action == "delete":
        return _delete(library, asked.model_id, asked.yes, where)
    return _list(library, asked.json, where)


def _parser() -> Parser:
    parser = Parser(
        prog=PROGRAM,
        description="The models on this machine: those of the data folder, and those in "
        "ModelScope's and Hugging Face's caches.",
        epilog="Exit status: 0 done; 1 a model is damaged or it failed; 2 asked wrongly.",
    )
    add_places(parser)
    parser.add_argument("--json", action="store_true", help="As JSON.")
    # What stands before the action must not be undone by a default that stands behind it.
    shared = Parser(add_help=False, argument_default=argparse.SUPPRESS)
    add_places(shared)
    for action in shared._actions:
        action.default = argparse.SUPPRESS
    actions = parser.add_subparsers(dest="action", metavar="ACTION", parser_class=Parser)
    verify = actions.add_parser(
        "verify", parents=[shared], help="Read a model's files and compare their checksums."
    )
    verify.add_argument("model_id", metavar="ID")
    delete = actions.add_parser(
        "delete", parents=[shared], help="Delete a model of the data folder."
    )
    delete.add_argument("model_id", metavar="ID")
    delete.add_argument("--yes", action="store_true", help="Do not ask.")
    return parser


def _list(library: Library, as_json: bool, where: Places) -> int:
    models = library.models()
    if as_json:
        print(json.dumps([_values(model) for model in models], indent=2))
        return 0
    if not models:
        print(f"No models in {where.models_dir} yet. Get one: {DOWNLOAD} ID")
        return 0
    rows = [("MODEL", "SIZE", "LAST USED", "FOLDER")]
    rows += [
        (m.model_id, size_text(m.size_bytes), moment_text(m.last_used), str(m.path)) for m in models
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    problems = iter([None, *(model.problem for model in models)])
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        print("  ".join([*cells, row[3]]))
        if problem := next(problems):
            print(f"  ! {problem}")
    print(f"Together {size_text(sum(model.size_bytes for model in models))}.")
    return 0


def _values(model: InstalledModel) -> dict[str, object]:
    values = asdict(model)
    paths = {name: str(values[name]) for name in ("path", "root")}
    return values | paths | {"deletable": model.deletable}


async def _verify(library: Library, model_id: str, where: Places) -> int:
    line = ProgressLine(sys.stdout)

    def show(done: int, total: int) -> None:
        line.show("Checking", share_text("Checking", done, total))

    damage = await library.verify(model_id, show)
    line.end()
    if not damage:
        print(f"{model_id}: every file is as it should be.")
        return 0
    for one in damage:
        print(f"{one.path} {one.reason}")
    model = library.find(model_id)
    if is_model_id(model.model_id):
        again = shlex.join([*DOWNLOAD.split(), model.model_id, "--check", *where.given])
        complain(f"{model_id} is damaged. Fetch only what is wrong with: {again}")
    else:
        complain(f"{model_id} is damaged. Delete it and get it again.")
    return 1


def _delete(library: Library, model_id: str, yes: bool, where: Places) -> int:
    model = library.find(model_id)
    # The app may have it loaded, which cannot be seen from here.
    lock = DataFolderLock(where.data_dir)
    try:
        if not yes and not _confirmed(model):
            print("Nothing was deleted.")
            return 1
        freed = library.delete(model_id)
    finally:
        lock.release()
    print(f"{model.model_id} is deleted; {size_text(freed)} are free again.")
    return 0


def _confirmed(model: InstalledModel) -> bool:
    question = f"Delete {model.model_id} ({size_text(model.size_bytes)}, {model.root})?"
    if not sys.stdin.isatty():
        raise InvalidRequest(f"{question} There is nobody to answer: add --yes to delete it.")
    return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
