"""The operations that random programs are made of. Importing the families fills the table."""

from . import (
    application as application,
)
from . import (
    arithmetic as arithmetic,
)
from . import (
    batches as batches,
)
from . import (
    casts as casts,
)
from . import (
    combining as combining,
)
from . import (
    contexts as contexts,
)
from . import (
    conversions as conversions,
)
from . import (
    indexing as indexing,
)
from . import (
    mapping as mapping,
)
from . import (
    reductions as reductions,
)
from . import (
    shapes as shapes,
)
from . import (
    trees as trees,
)
from .registry import OPERATIONS as OPERATIONS
from .registry import Operation as Operation
