"""Train an agent with PPO; end with a table of how it does and a report; see ``--help``."""

from __future__ import annotations

import argparse
import contextlib
import logging
import shlex
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from agents.cluster import check_address, check_ray
from agents.ppo.config import RLLIB, Config, add_arguments, from_arguments
from agents.ppo.runs import Plan, RunInUseError, held, plan_new, plan_resumed
from cribbage_env.command_line import OneLineParser, imports_of, one_line
from cribbage_env.extras import require

with imports_of("train.py", ".[train]"):
    from tqdm import tqdm

if TYPE_CHECKING:
    from agents.ppo.training import Run
    from agents.rllib.training import RllibRun

RUNS = Path("runs")
FAILED, INTERRUPTED = 1, 130


class _AboveTheBar(logging.Handler):
    """Writes log lines without tearing the progress bar."""

    def emit(self, record: logging.LogRecord) -> None:
        tqdm.write(self.format(record), file=sys.stderr)


def main(arguments: list[str]) -> int:
    """Train as the command line says; return the exit status."""
    parser = _make_parser()
    given = parser.parse_args(arguments)
    threading.excepthook = _say_what_is_no_os_error
    logging.basicConfig(level=logging.INFO, format="%(message)s", handlers=[_AboveTheBar()])
    command = shlex.join(["python", "train.py", *arguments])
    settings = from_arguments(given)
    try:
        if given.resume is None:
            config = Config(**settings)
            _check_engine(config)
            plan = plan_new(config, given.run_dir, RUNS, command)
        else:
            plan = plan_resumed(given.resume, settings, given.run_dir, command)
            _check_engine(plan.config)
    except (ImportError, OSError, TypeError, ValueError) as error:
        parser.error(one_line(error))
    try:
        with held(plan.run_dir):
            return _train(plan, command)
    except RunInUseError as error:
        parser.error(one_line(error))
    except (MemoryError, OSError, ValueError) as error:
        _say(f"{parser.prog}: {one_line(error)}")
        return FAILED
    except KeyboardInterrupt:
        _say(f"{parser.prog}: interrupted; the run is {plan.run_dir}")
        return INTERRUPTED


def _check_engine(config: Config) -> None:
    """Make sure that what trains is there.

    Raises:
        ImportError: PyTorch or Stable-Baselines3 isn't installed.
        ValueError: Ray isn't installed, or no cluster answers.
    """
    if config.engine == RLLIB:
        check_ray("--engine rllib")
        if config.address is not None:
            check_address(config.address)
    else:
        require("--engine sb3", ".[train]", "torch", "stable_baselines3", "sb3_contrib")


def _train(plan: Plan, command: str) -> int:
    _say(f"run {plan.run_dir}", *plan.notes)
    # Here, not above: torch takes seconds to import, and bad input is refused at once.
    from agents.ppo.stopping import StopRequest

    request = StopRequest()
    with _run(plan, command) as run:
        with request.from_signals():
            reason = run.learn(request)
        _say(f"{run.decisions} decisions in {run.seconds:.0f} s")
        if reason:
            _say(f"stopped, since {reason}; --resume {plan.run_dir} goes on")
        if not request.is_from_user:
            print(run.final_table())
    _report(plan.run_dir)
    return INTERRUPTED if request.is_from_user else 0


@contextlib.contextmanager
def _run(plan: Plan, command: str) -> Iterator[Run | RllibRun]:
    """Make the run that a plan asks for."""
    if plan.config.engine == RLLIB:
        from agents.rllib.training import RllibRun

        run = RllibRun(plan.config, plan.run_dir, command, plan.resumed)
        with contextlib.closing(run):
            yield run
    else:
        from agents.ppo.training import Run

        yield Run(plan.config, plan.run_dir, command, plan.resumed)


def _report(run_dir: Path) -> None:
    try:
        from agents.ppo.report import write_report

        _say(f"report {write_report(run_dir)}")
    except ImportError as error:  # a run is no worse for want of a picture
        _say(f"no report, since {error}")


def _make_parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        prog="train.py",
        description="Train an agent with PPO; ends with a table of duplicate games.",
        epilog="Ctrl-C ends after the update that is running, with a checkpoint (status 130).",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--run-dir",
        type=Path,
        help=f"folder of the run, new or empty (default: a new one in {RUNS}/)",
    )
    parser.add_argument(
        "--resume",
        type=Path,
        metavar="RUN",
        help="go on with a run, or from one checkpoint of it; its settings are kept, but for "
        "--timesteps, --time-limit, --threads and --final-...",
    )
    add_arguments(parser)
    return parser


def _say_what_is_no_os_error(failure: threading.ExceptHookArgs) -> None:
    """Say why a thread failed, unless the main thread is told: TensorBoard's writer does so."""
    if not isinstance(failure.exc_value, OSError):
        threading.__excepthook__(failure)


def _say(*lines: str) -> None:
    for line in lines:
        print(line, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
