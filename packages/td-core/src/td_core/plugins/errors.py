"""What can go wrong between td-core and a plugin."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..errors import TDError, TDKeyError


class PluginError(TDError):
    """Base of the errors about plugins."""


class PluginLoadError(PluginError, ImportError):
    """A plugin, or an object that one of its descriptors names, could not be imported."""

    def __init__(self, target: str, reason: str) -> None:
        self.target, self.reason = target, reason
        super().__init__(f"Could not load {target!r}: {reason}.")


class PluginTypeError(PluginError, TypeError):
    """A plugin answered a hook with something that the hook does not accept."""

    def __init__(self, plugin: str, hook: str, reason: str) -> None:
        self.plugin, self.hook, self.reason = plugin, hook, reason
        super().__init__(f"The plugin {plugin} answered {hook} wrongly: {reason}. Report this to its authors.")


class PluginConflictError(PluginError, ValueError):
    """Two plugins claim one name; neither is used."""

    def __init__(self, kind: str, name: str, claimants: Sequence[str]) -> None:
        self.kind, self.name, self.claimants = kind, name, tuple(claimants)
        super().__init__(
            f"The {kind} {name!r} is claimed by {' and by '.join(self.claimants)}. "
            "Uninstall one of them, or choose with the environment variable TD_PLUGINS."
        )


class PluginLookupError(PluginError, TDKeyError):
    """No plugin provides the name that was asked for."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(sorted(known))
        super().__init__(
            f"There is no {kind} {name!r}. Available: {', '.join(self.known) or 'none'}. "
            "`python -m td_core plugins` lists what is installed and what failed to load."
        )


class MissingBackendError(TDError, ImportError):
    """What was called lives in a plugin that cannot serve now: absent, left out, broken, or short of a requirement.

    Attributes:
        call: What was called, such as `TensorDict.to_h5()`.
        distribution: The distribution that provides it.
        reason: Why it cannot serve.
    """

    def __init__(self, call: str, distribution: str, reason: str, remedy: str) -> None:
        self.call, self.distribution, self.reason, self.remedy = call, distribution, reason, remedy
        super().__init__(f"{call} needs the {distribution} plugin, {reason}. {remedy}")

    @classmethod
    def not_installed(cls, call: str, distribution: str, install: str, installed: Sequence[str]) -> MissingBackendError:
        """Build the error for a distribution that is not there."""
        found = ", ".join(installed) or "none"
        return cls(
            call,
            distribution,
            "which is not installed",
            f"Install it with: pip install '{install}'. Installed plugins: {found}.",
        )

    @classmethod
    def failed_to_load(cls, call: str, distribution: str, error: BaseException) -> MissingBackendError:
        """Build the error for a plugin that is installed and broken; raise it `from error`."""
        return cls(
            call,
            distribution,
            "which is installed but failed to load",
            f"{error} See `python -m td_core plugins`, then update or reinstall {distribution}.",
        )

    @classmethod
    def requirement_missing(cls, call: str, distribution: str, reason: str, install: str) -> MissingBackendError:
        """Build the error for a plugin that works but for something it needs."""
        return cls(
            call,
            distribution,
            f"which cannot be used here: {reason}",
            f"Install what it needs: pip install '{install}'.",
        )

    @classmethod
    def left_out(cls, call: str, distribution: str, plugin: str, selection: str) -> MissingBackendError:
        """Build the error for a plugin that `TD_PLUGINS` does not name."""
        return cls(
            call,
            distribution,
            f"which the environment variable TD_PLUGINS={selection!r} leaves out",
            f"Add {plugin!r} to it, or unset it.",
        )

    @classmethod
    def outdated(cls, call: str, distribution: str, version: str, install: str) -> MissingBackendError:
        """Build the error for a plugin that is installed in a version without what was called."""
        return cls(
            call,
            distribution,
            f"whose installed version {version} does not provide it",
            f"Update it with: pip install --upgrade '{install}'.",
        )
