"""Shapes, which are in `_request`."""

from ._request import broadcast_shapes, group_size

__all__ = ["broadcast_shapes", "group_size"]
