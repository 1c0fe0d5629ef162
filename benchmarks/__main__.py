"""The command line: ``python -m benchmarks run | table | plot | compile | importtime | profile``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from . import compiling, importtime, plot, profiling, report
from .machine import describe
from .results import DEFAULT_PATH, load_sections, rows_from_json, rows_to_json, save_section
from .run import choose, run
from .sides import OURS, PEER, Side, load_sides
from .summary import summarize
from .timing import FULL, QUICK


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status is 1 where ours did not do the work of a case."""
    options = _parser().parse_args(arguments)
    status: int = options.command(options)
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(required=True)

    command = commands.add_parser("run", help="time the workloads on plain dicts, ours and the peer, interleaved")
    command.add_argument("--quick", action="store_true", help="two trees a workload, fewer rounds")
    command.add_argument(
        "--only", metavar="REGEX", help="the cases whose name matches, as in 'index/int' or 'deep-100'"
    )
    command.add_argument("--all", action="store_true", help="print every case, not only the summary")
    _common(command, _run)

    command = commands.add_parser("compile", help="torch.compile: compile time and the cost of a call")
    command.add_argument("--backend", action="append", help="eager, inductor, ...; may be repeated")
    command.add_argument("--rounds", type=int, default=3)
    command.add_argument("--only", metavar="TEXT", default="", help="the functions whose name has this text")
    _common(command, _compile)

    command = commands.add_parser("importtime", help="what an import adds to 'import torch', in fresh processes")
    command.add_argument("--rounds", type=int, default=7)
    _common(command, _importtime)

    command = commands.add_parser("profile", help="time one case and print where its time goes (cProfile)")
    command.add_argument(
        "workload", help="the name of a case, as in 'shape/permute[flat-10]'; the tree may be left out"
    )
    command.add_argument("--of", default=OURS, help="the side to profile: floor, ours or peer")
    command.add_argument("--lines", type=int, default=25, help="how many functions to print")
    _common(command, _profile)

    command = commands.add_parser("table", help="write RESULTS.md from a results file")
    command.add_argument("--output", type=Path, default=report.RESULTS)
    _common(command, _table)

    command = commands.add_parser("plot", help="draw the ratios of a results file")
    command.add_argument("--output", type=Path, action="append", help="a .png or .svg file; may be repeated")
    _common(command, _plot)

    command = commands.add_parser("list", help="print the names of the cases")
    command.add_argument("--only", metavar="REGEX")
    _common(command, _list)
    return parser


def _common(parser: argparse.ArgumentParser, command: object) -> None:
    parser.add_argument(
        "--json", type=Path, help=f"the results file to write or to read (default to read: {DEFAULT_PATH.name})"
    )
    parser.add_argument("--ours", default="td_core", help="the module in the column 'ours'")
    parser.add_argument(
        "--peer", default="tensordict", help="the module in the column 'peer'; left out if not installed"
    )
    parser.set_defaults(command=command)


def _sides(options: argparse.Namespace) -> list[Side]:
    return load_sides(options.ours, options.peer)


def _run(options: argparse.Namespace) -> int:
    sides = _sides(options)
    cases = choose(quick=options.quick, only=options.only)
    if not cases:
        print(f"No case matches {options.only!r}; 'list' prints their names.", file=sys.stderr)
        return 2
    rows = run(cases, sides, QUICK if options.quick else FULL, progress=sys.stderr.isatty())
    summary = summarize(rows)
    facts = describe(sides)
    print("\n\n".join([report.machine(facts), report.overview(summary), report.figures(summary)]))
    if options.all:
        print("\n" + report.all_rows(rows))
    if options.json is not None:
        save_section(options.json, "run", {"machine": facts, "rows": rows_to_json(rows)})
    return int(any(OURS in row.problems for row in rows))


def _compile(options: argparse.Namespace) -> int:
    backends = options.backend or compiling.default_backends()
    section = {"backends": compiling.compile_times(_sides(options), backends, options.rounds, options.only)}
    print(report.compilation(section))
    if options.json is not None:
        save_section(options.json, "compile", section)
    failed = (
        OURS in by_side and "problem" in by_side[OURS]
        for found in section["backends"].values()
        for by_side in found.values()
    )
    return int(any(failed))


def _importtime(options: argparse.Namespace) -> int:
    names = [side.library.__name__ for side in _sides(options) if side.library is not None]
    section = importtime.import_times(names, options.rounds)
    print(report.import_times(section))
    if options.json is not None:
        save_section(options.json, "importtime", section)
    return 0


def _profile(options: argparse.Namespace) -> int:
    cases = [case for case in choose() if options.workload in (case.name, case.workload.name)]
    if not cases:
        print(f"There is no case {options.workload!r}; 'list' prints their names.", file=sys.stderr)
        return 2
    case = next((case for case in cases if case.tree.name == "flat-10"), cases[0])
    row = profiling.profile(case, _sides(options), of=options.of, lines=options.lines)
    return int(OURS in row.problems)


def _table(options: argparse.Namespace) -> int:
    options.output.write_text(report.document(load_sections(options.json or DEFAULT_PATH)))
    print(f"Wrote {options.output}.")
    return 0


def _plot(options: argparse.Namespace) -> int:
    section = load_sections(options.json or DEFAULT_PATH)["run"]
    paths = options.output or [report.RESULTS.with_name("ratios.svg"), report.RESULTS.with_name("ratios.png")]
    labels = {side: section["machine"].get(side, side) for side in (OURS, PEER)}
    plot.draw(rows_from_json(section["rows"]), paths, labels)
    print(f"Wrote {', '.join(map(str, paths))}.")
    return 0


def _list(options: argparse.Namespace) -> int:
    for case in choose(only=options.only):
        print(f"{case.workload.tag:6} {case.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
