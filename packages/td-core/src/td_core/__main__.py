"""`python -m td_core plugins`: what is installed, what it provides, what failed and why."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from .plugins.registry import registry
from .plugins.report import is_healthy, plugin_report


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Returns:
        0, or 1 if a plugin failed or a name is claimed twice.
    """
    parser = argparse.ArgumentParser(prog="python -m td_core", description="Facts about this installation of td-core.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("plugins", help="list plugins, what they provide, and what failed")
    parser.parse_args(arguments)
    found = registry()
    print(plugin_report(found))
    return 0 if is_healthy(found) else 1


if __name__ == "__main__":
    sys.exit(main())
