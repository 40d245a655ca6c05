"""``python -m qwenchat [serve | doctor | download | models]``, and what ``python app.py`` does.

Only the standard library is imported before it is known that the rest is there.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the app, or say in words what is missing on this machine."""
    if sys.version_info < (3, 11):  # noqa: UP036 - an older python may well be tried
        sys.exit("QwenChat needs Python 3.11 or newer. Run `make run`, or use a newer python.")
    if sys.argv[1:2] == ["serve"]:
        del sys.argv[1]
    try:
        if sys.argv[1:2] == ["doctor"]:
            from qwenchat.doctor.cli import main as doctor

            sys.exit(doctor(sys.argv[2:]))
        if sys.argv[1:2] in (["download"], ["models"]):
            from qwenchat.commands.run import run as command

            command(sys.argv[1:])
        from qwenchat.server.cli import run

        run()
    except ModuleNotFoundError as error:
        sys.exit(
            f"The Python package {error.name} is not installed. Run `make run`, or install the "
            "requirements as the README shows and use that environment's python."
        )


if __name__ == "__main__":
    main()
