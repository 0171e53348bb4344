# SPDX-License-Identifier: MIT
"""Priority preemption for AMD GPUs, from Python: see python/README.md."""
from .api import (ALL, Attributes, Caps, Event, EventStream, Handle, Node, Process, Queue,
                  QueueRef, Result, Stats, self_held)
from .errors import (DaemonGone, GPreemptError, InvalidArgument, NotFound, NotSupported,
                     PermissionDenied, Timeout)
from .scheduler import GPreemptScheduler

__version__ = "0.1.0"

__all__ = ["ALL", "Attributes", "Caps", "DaemonGone", "Event", "EventStream", "GPreemptError",
           "GPreemptScheduler", "Handle", "InvalidArgument", "Node", "NotFound", "NotSupported",
           "PermissionDenied", "Process", "Queue", "QueueRef", "Result", "Stats", "Timeout", "self_held"]
