"""Directed programs: for each method a small grid of arguments, on a few trees that differ in what matters."""

from .tables import GRIDS as GRIDS
from .tables import programs as programs
