"""Random parity: the same sequences of operations on both libraries.

Modest by default. `TD_PARITY_SEQUENCES=20000 pytest tests/parity/test_sequences.py` runs that many and prints what was
executed; `TD_PARITY_SEED` chooses others.
"""

from __future__ import annotations

import os
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from .arena import Finding, Libraries
from .report import failure_report
from .sequences import Statistics, run_sequence, seeded
from .shrink import shrink

SEQUENCES = int(os.environ.get("TD_PARITY_SEQUENCES", "400"))
SEED = int(os.environ.get("TD_PARITY_SEED", "0"))
SHARDS = 4


@given(random=st.randoms(use_true_random=False))
@settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],  # shrink.py makes smaller programs than hypothesis does, which knows nothing of steps
)
def test_sequences_drawn_by_hypothesis(libraries: Libraries, random: Random) -> None:
    for finding in run_sequence(libraries, random, Statistics(), length=8):
        raise AssertionError(failure_report(libraries, shrink(libraries, finding)))


@pytest.mark.parametrize("shard", range(SHARDS))
def test_seeded_sequences(libraries: Libraries, shard: int, capsys: pytest.CaptureFixture[str]) -> None:
    statistics = Statistics()
    findings: list[Finding] = []
    for number in range(shard, SEQUENCES, SHARDS):
        findings += run_sequence(libraries, seeded(SEED, number), statistics)
    if "TD_PARITY_SEQUENCES" in os.environ:
        with capsys.disabled():
            print(f"\nshard {shard} of {SHARDS}: {statistics.report()}")
    assert statistics.sequences == len(range(shard, SEQUENCES, SHARDS))
    if findings:
        smallest = min(findings, key=lambda finding: len(finding.program.steps))
        raise AssertionError(failure_report(libraries, shrink(libraries, smallest), len(findings)))
