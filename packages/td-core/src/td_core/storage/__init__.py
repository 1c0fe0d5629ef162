"""Storages of td_core besides the dense one, which is a builtin dict."""

from .lazy_stack import LazyStack as LazyStack
from .sub_view import SubView as SubView
