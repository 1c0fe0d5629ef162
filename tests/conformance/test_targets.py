"""Every conformance target that the installed plugins announce, through the kit."""

from td_core.testing import targets

globals().update({name: value for name, value in vars(targets).items() if name.startswith("Test")})
