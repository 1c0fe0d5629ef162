"""The benchmarks are no installed package: put the root of the repository on the path, as ``python -m`` does."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))
