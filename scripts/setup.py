"""Make ``.venv`` and install the pinned requirements into it, once.

``make run`` and ``make test`` call this first. It needs nothing but Python's standard
library, says what it does, goes on where an interrupted run stopped, and returns at
once when nothing changed. Exit status: 0 ready, 1 an installation failed, 2 this machine
or this Python cannot run QwenChat.
"""

import argparse
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

OLDEST, NEWEST = (3, 11), (3, 14)
# Only names every Python 3 knows stand above this check, and no newer syntax anywhere in
# this file: an old interpreter has to get as far as this message.
if not OLDEST <= sys.version_info[:2] <= NEWEST:
    sys.stderr.write(
        "QwenChat needs Python 3.11 to 3.14; {} is Python {}.{}. Install one of those "
        "(Debian, Ubuntu: apt-get install python3.11 python3.11-venv) and run\n"
        "    make run PYTHON=python3.11\n".format(sys.executable, *sys.version_info[:2])
    )
    sys.exit(2)

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "qwenchat-setup.json"
PYTHON = VENV / "bin" / "python"
REQUIREMENTS = ROOT / "requirements.txt"
DEV_REQUIREMENTS = ROOT / "tests" / "requirements.txt"

TORCH_CPU_INDEX = "https://download.pytorch.org/whl/cpu"
DISK_NEEDED_GB = 6
OLDEST_GLIBC = (2, 28)

# What of pip's environment variables survives: where packages come from and how they are
# fetched. The others (PIP_TARGET, PIP_USER, PIP_REQUIRE_VIRTUALENV, ...) change where they go.
PIP_VARIABLES = {
    "PIP_CACHE_DIR",
    "PIP_CERT",
    "PIP_CLIENT_CERT",
    "PIP_CONFIG_FILE",
    "PIP_CONSTRAINT",
    "PIP_DEFAULT_TIMEOUT",
    "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
    "PIP_INDEX_URL",
    "PIP_KEYRING_PROVIDER",
    "PIP_NO_CACHE_DIR",
    "PIP_NO_COLOR",
    "PIP_NO_INDEX",
    "PIP_PROXY",
    "PIP_RETRIES",
    "PIP_TIMEOUT",
    "PIP_TRUSTED_HOST",
}

IMPORT_CHECK = """
import importlib.util, json
report = {"missing": [name for name in ("vllm", "gradio", "modelscope", "torch")
                      if importlib.util.find_spec(name) is None]}
if "torch" not in report["missing"]:
    import torch
    report.update(torch=torch.__version__, cuda=torch.version.cuda)
print(json.dumps(report))
"""


class SetupProblem(Exception):
    """The set-up cannot go on; the text says why and what to do next."""

    def __init__(self, message: str, exit_status: int = 1) -> None:
        super().__init__(message)
        self.exit_status = exit_status


# ---- may this machine run it?


def platform_problem(system: str, machine: str, glibc: str, cpu_flags: str) -> str:
    """Why no wheel fits, with the way out; empty when one does.

    Args:
        glibc: Version of the C library, empty on a system without glibc.
        cpu_flags: The ``flags`` line of /proc/cpuinfo, empty when unknown.
    """
    if system == "Windows":
        return (
            "The engine (vLLM for CPU) has no wheel for native Windows. Install WSL2 "
            "(`wsl --install` in PowerShell), open Ubuntu and run `make run` there: WSL2 "
            "counts as Linux, and the browser on Windows reaches the page."
        )
    if system != "Linux":
        name = "macOS" if system == "Darwin" else system
        return (
            f"The engine (vLLM for CPU) has wheels for Linux only, none for {name}. Run "
            "QwenChat on a Linux machine, in a Linux virtual machine or container, or on "
            "Windows in WSL2."
        )
    if machine not in ("x86_64", "aarch64"):
        return (
            "The engine (vLLM for CPU) has wheels for 64-bit Linux on x86-64 and aarch64; "
            f"this machine is {machine}. Use a machine of one of those kinds."
        )
    if sys.maxsize < 2**32:
        return "This Python is a 32-bit build. Install a 64-bit Python 3.11 and run this again."
    numbers = re.findall(r"\d+", glibc)[:2]
    if tuple(int(number) for number in numbers) < OLDEST_GLIBC:
        found = f"glibc {glibc}" if numbers else "another C library"
        return (
            f"The engine's wheels need glibc 2.28 or newer; this system has {found}. Use "
            "Debian 11, Ubuntu 20.04, RHEL 9 or newer, or a container of one of them."
        )
    if machine == "x86_64" and cpu_flags and "avx2" not in cpu_flags.split():
        return (
            "The engine needs a CPU with AVX2 (Intel since 2013, AMD since 2015), and this "
            "one does not report it. In a virtual machine, set the CPU type to `host`; "
            "otherwise use a newer machine."
        )
    return ""


def read_cpu_flags() -> str:
    """The CPU's ``flags`` line, empty where there is none."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    found = re.search(r"^flags\s*:(.*)$", text, re.MULTILINE)
    return found.group(1) if found else ""


def check_machine() -> None:
    """Raise SetupProblem when nothing installed here could run."""
    glibc = platform.libc_ver()
    problem = platform_problem(
        platform.system(),
        platform.machine(),
        glibc[1] if glibc[0] == "glibc" else "",
        read_cpu_flags(),
    )
    if problem:
        raise SetupProblem(problem, exit_status=2)


def check_disk(free_bytes: int, *, fresh: bool) -> None:
    """Raise SetupProblem when the disk cannot hold the set-up; a begun one needs less."""
    needed = DISK_NEEDED_GB if fresh else 2
    if free_bytes < needed * 10**9:
        raise SetupProblem(
            f"The disk of {ROOT} has {free_bytes / 10**9:.1f} GB free; the set-up needs "
            f"{needed} GB (3 GB stay in .venv, the rest is for unpacking). Free some space "
            "or move this folder to a larger disk, then run this again.",
            exit_status=2,
        )


# ---- what was done already?


def key_of(*files: Path) -> str:
    """A name for "these requirements, this Python, this set-up script"."""
    digest = hashlib.sha256(f"{sys.version_info[:2]} {platform.machine()}".encode())
    for file in (Path(__file__), *files):
        digest.update(file.read_bytes() + b"\0")
    return digest.hexdigest()


def read_stamp() -> dict[str, str]:
    """What is installed, by kind ("app", "dev"); empty when that is not known."""
    try:
        loaded = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return loaded if isinstance(loaded, dict) else {}


def write_stamp(stamp: dict[str, str]) -> None:
    """Remember what is installed, so that the next run returns at once."""
    unfinished = STAMP.with_suffix(".tmp")
    unfinished.write_text(json.dumps(stamp), encoding="utf-8")
    unfinished.replace(STAMP)


def remove_incomplete(site_packages: Path) -> list[str]:
    """Forget packages whose installation was cut short, so that pip installs them again.

    pip takes a package for installed as soon as its ``.dist-info`` folder is there, even
    when files are missing or cut. Their names are returned.
    """
    removed = []
    for info in sorted(site_packages.glob("*.dist-info")):
        if not _is_complete(info, site_packages):
            shutil.rmtree(info)
            removed.append(info.name.split("-")[0])
    return removed


def _is_complete(info: Path, site_packages: Path) -> bool:
    try:
        lines = (info / "RECORD").read_text(encoding="utf-8").splitlines()
        if not (info / "INSTALLER").exists():
            return False
        for line in lines:
            name, _, size = line.rsplit(",", 2)
            path = site_packages / name.strip('"')
            if size and path.suffix != ".pyc" and path.stat().st_size != int(size):
                return False
    except (OSError, ValueError):
        return False
    return True


# ---- doing it


def clean_environment() -> dict[str, str]:
    """This environment without what would bend Python or pip inside ``.venv``."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "PIP_", "__PYVENV")) and name != "VIRTUAL_ENV"
    }
    kept.update({name: os.environ[name] for name in PIP_VARIABLES & os.environ.keys()})
    return kept | {
        "PYTHONNOUSERSITE": "1",
        "PIP_USER": "0",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_INPUT": "1",
        # pip unpacks about a gigabyte there; /tmp may be a small RAM disk
        "TMPDIR": str(VENV / "tmp"),
    }


def say(text: str) -> None:
    """Print a line at once."""
    print(text, flush=True)


class Steps:
    """Numbers the steps of this run and says how long each took."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.number = 0
        self.began = time.monotonic()

    def begin(self, what: str) -> None:
        """Announce the next step."""
        self.number += 1
        say(f"\n[{self.number}/{self.total}] {what} ({self.elapsed():.0f} s elapsed)")

    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.began


def site_packages() -> Path:
    """Where ``.venv`` keeps its packages."""
    return VENV / "lib" / "python{}.{}".format(*sys.version_info[:2]) / "site-packages"


def _report_progress(stop: threading.Event, steps: Steps) -> None:
    """While pip copies files it says nothing: count what has arrived.

    While it downloads it draws bars of its own, and this keeps quiet.
    """
    before = at_start = len(list(site_packages().glob("*.dist-info")))
    while not stop.wait(5):
        now = len(list(site_packages().glob("*.dist-info")))
        if now != before:
            say(f"      packages installed: {now - at_start} ({steps.elapsed():.0f} s elapsed)")
        before = now


def pip_install(arguments: list[str], steps: Steps, *, quiet_errors: bool = False) -> str:
    """Install with pip, its progress visible; empty on success, else what it complained of.

    Args:
        quiet_errors: Keep pip's errors back, because another try follows.
    """
    command = [str(PYTHON), "-m", "pip", "install", "--no-deps", *arguments]
    stop = threading.Event()
    reporter = threading.Thread(target=_report_progress, args=(stop, steps), daemon=True)
    complaints: list[str] = []
    reporter.start()
    try:
        with subprocess.Popen(
            command, cwd=ROOT, env=clean_environment(), stderr=subprocess.PIPE, text=True
        ) as pip:
            assert pip.stderr is not None
            for line in pip.stderr:
                complaints.append(line)
                if not (quiet_errors and line.startswith("ERROR")):
                    sys.stderr.write(line)
                    sys.stderr.flush()
    finally:
        stop.set()
    reporter.join()
    if pip.returncode == 0:
        return ""
    if pip.returncode < 0:
        complaints.append(f"pip was killed by signal {-pip.returncode}\n")
    return "".join(complaints) or f"pip ended with status {pip.returncode}\n"


def explain(complaint: str) -> str:
    """The cause of a failed installation and the next step, from what pip wrote."""
    if "No space left on device" in complaint or "Disk quota exceeded" in complaint:
        return "The disk is full. Free 6 GB and run this again; it goes on where it stopped."
    if re.search(
        r"Max retries exceeded|NewConnectionError|ConnectTimeout|Read timed out|ProxyError"
        r"|Connection broken|Connection reset|RemoteDisconnected|SSLError|name resolution",
        complaint,
    ):
        return (
            "The package index could not be reached. Check the network (behind a proxy, set "
            "HTTPS_PROXY) and run this again; it goes on where it stopped."
        )
    killed = re.search(r"pip was killed by signal \d+", complaint)
    if killed:
        return (
            f"{killed.group(0)}, by a person or because memory was short. Run this again; it "
            "goes on where it stopped."
        )
    missing = re.search(r"No matching distribution found for (\S+)", complaint)
    if missing:
        return (
            f"pip's package index has no {missing.group(1)} for this Python and machine. If pip "
            "is set to a mirror, it may lag behind: try the original index, or Python 3.11."
        )
    return "pip's own words are above. Run this again; if it stays, `make clean` starts afresh."


def make_venv(steps: Steps) -> None:
    """Create ``.venv`` unless there is one that works with this version of Python."""
    version = "{}.{}".format(*sys.version_info[:2])
    # from inside .venv, its own python is a link that may be about to go
    inside = Path(sys.prefix).resolve() == VENV
    interpreter = os.path.realpath(sys.executable) if inside else sys.executable
    if VENV.exists():
        reason = _unusable_because(version)
        if not reason:
            steps.begin(f"Using the .venv that is there (Python {version})")
            for name in remove_incomplete(site_packages()):
                say(f"      {name} is incomplete and will be installed again")
            return
        steps.begin(f"Making .venv anew with Python {version}: {reason}")
        shutil.rmtree(VENV)
    else:
        steps.begin(f"Creating .venv with Python {version} ({interpreter})")
    made = subprocess.run(
        [interpreter, "-m", "venv", str(VENV)],
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if made.returncode:
        shutil.rmtree(VENV, ignore_errors=True)
        if "ensurepip" in made.stdout or "No module named venv" in made.stdout:
            raise SetupProblem(
                f"This Python ({interpreter}) comes without its venv module. Install it "
                f"(Debian, Ubuntu: apt-get install python{version}-venv), then run this again.",
                exit_status=2,
            )
        raise SetupProblem(f"{made.stdout.strip()}\n.venv could not be created; see above.")


def _unusable_because(version: str) -> str:
    try:
        made_with = re.search(
            r"^version\w*\s*=\s*(\d+\.\d+)", (VENV / "pyvenv.cfg").read_text(), re.MULTILINE
        )
    except OSError:
        return "it has no pyvenv.cfg"
    if made_with is None or made_with.group(1) != version:
        return "it was made with Python " + (made_with.group(1) if made_with else "unknown")
    try:
        pip = subprocess.run(
            [str(PYTHON), "-m", "pip", "--version"],
            env=clean_environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    except OSError:
        return "its python does not run"
    return "its pip does not run" if pip.returncode else ""


def install_torch(steps: Steps) -> None:
    """Install the CPU build of torch, by itself: PyPI does not have it.

    Whatever pip is set to use comes first. Where that has no such build, as plain PyPI,
    it says so within a second, and PyTorch's own index follows.
    """
    found = re.search(r"^torch==\S+", REQUIREMENTS.read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise SetupProblem("requirements.txt has no line `torch==…`. Restore it from git.")
    pin = found.group(0)
    steps.begin(f"Installing {pin}, about 200 MB")
    first = pip_install([pin], steps, quiet_errors=True)
    if not first:
        return
    say(f"      not found where pip looks by itself; trying {TORCH_CPU_INDEX}")
    second = pip_install(
        ["--timeout", "15", "--retries", "1", "--index-url", TORCH_CPU_INDEX, pin], steps
    )
    if second:
        sys.stderr.write("The first try, with pip's own settings, had ended with:\n" + first)
        if "No space left" in first + second:
            raise SetupProblem(explain("No space left on device"))
        raise SetupProblem(
            f"{pin} could not be installed, neither from where pip looks by itself nor from "
            f"{TORCH_CPU_INDEX}. Check the network (behind a proxy, set HTTPS_PROXY) and run "
            "this again. Without access to that address, fetch the wheel elsewhere and run "
            "`PIP_FIND_LINKS=/folder/of/the/wheel make setup`."
        )


def install_file(what: str, file: Path, steps: Steps) -> None:
    """Install a list of exact pins that names everything it needs."""
    pins = re.findall(r"^\w[^#\n]*==", file.read_text(encoding="utf-8"), re.MULTILINE)
    steps.begin(f"Installing {what}: {len(pins)} packages of {file.relative_to(ROOT)}")
    complaint = pip_install(["-r", str(file)], steps)
    if complaint:
        raise SetupProblem(explain(complaint))


def check_imports(steps: Steps) -> None:
    """Raise SetupProblem unless what the engine and the page need can be found."""
    steps.begin("Checking what was installed")
    run = subprocess.run(
        [str(PYTHON), "-c", IMPORT_CHECK],
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        sys.stderr.write(run.stderr)
        cause = "this CPU lacks an instruction it uses" if run.returncode == -4 else "see above"
        raise SetupProblem(f"torch is installed but cannot be imported: {cause}.")
    report = json.loads(run.stdout.splitlines()[-1])
    if report["missing"]:
        raise SetupProblem(
            f"Not importable after the installation: {', '.join(report['missing'])}. "
            "`make clean`, then run this again."
        )
    if report["cuda"]:
        raise SetupProblem(
            f"torch {report['torch']} in .venv is a CUDA build, and QwenChat needs the CPU "
            "build. `make clean`, then run this again."
        )
    say(f"      vllm, gradio and modelscope found; torch {report['torch']} imports")


def only_one_at_a_time() -> None:
    """Wait while another set-up of this folder runs."""
    import fcntl

    folder = os.open(ROOT, os.O_RDONLY)  # left open: the lock lasts as long as this process
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say("Another set-up of this folder is running; waiting for it.")
        fcntl.flock(folder, fcntl.LOCK_EX)
    except OSError:
        os.close(folder)  # a file system without locks


def set_up(*, dev: bool) -> None:
    """Bring ``.venv`` to what the requirements files say.

    Raises:
        SetupProblem: It cannot be done.
    """
    wanted = {"app": key_of(REQUIREMENTS)}
    if dev:
        wanted["dev"] = key_of(REQUIREMENTS, DEV_REQUIREMENTS)
    done = read_stamp() if PYTHON.exists() else {}
    if wanted.items() <= done.items():
        say("Set-up: up to date.")
        return
    check_machine()
    only_one_at_a_time()
    done = read_stamp() if PYTHON.exists() else {}
    steps = Steps(total=3 if done.get("app") == wanted["app"] else 5 if dev else 4)
    if done.get("app") != wanted["app"]:
        say("Setting up QwenChat in .venv. The first time this takes a few minutes and 3 GB.")
        check_disk(shutil.disk_usage(ROOT).free, fresh=not VENV.exists())
        done = {}
        STAMP.unlink(missing_ok=True)
    make_venv(steps)
    (VENV / "tmp").mkdir(exist_ok=True)
    if not done:
        install_torch(steps)
        install_file("QwenChat's requirements", REQUIREMENTS, steps)
    if dev:
        install_file("tools for tests and checks", DEV_REQUIREMENTS, steps)
    check_imports(steps)
    shutil.rmtree(VENV / "tmp", ignore_errors=True)
    write_stamp(done | wanted)
    say(f"\nSet-up done in {steps.elapsed():.0f} s.")


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        description="Make .venv and install QwenChat's pinned requirements."
    )
    parser.add_argument("--dev", action="store_true", help="also what tests and checks need")
    options = parser.parse_args()
    try:
        set_up(dev=options.dev)
    except SetupProblem as problem:
        sys.stderr.write(f"\nSet-up stopped: {problem}\n")
        return problem.exit_status
    except KeyboardInterrupt:
        sys.stderr.write("\nSet-up interrupted. Run it again; it goes on where it stopped.\n")
        return 130
    except OSError as problem:
        sys.stderr.write(
            f"\nSet-up stopped: {problem}. Check that this folder can be written and the disk "
            "has room, then run this again.\n"
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
