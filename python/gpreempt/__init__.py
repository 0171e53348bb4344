# SPDX-License-Identifier: MIT
"""Priority preemption for AMD GPUs, from Python.

    with gpreempt.Handle() as g:              # the daemon if it runs, else the driver
        for p in g.processes():
            print(p.pid, p.comm, p.state, p.wait_p99_ns)
        with g.changed(klass="realtime"):     # this process, inside the block
            serve()

Handle lists GPUs, processes and queues, stops and continues queues, and changes attributes and
policies; EventStream follows what happens; GPreemptScheduler calls back, and can schedule by a
policy of one's own. Errors are GPreemptError. What cannot be known is None.
"""
from .api import (ALL, Attributes, Caps, Event, EventStream, Handle, Node, Process, Queue,
                  QueueRef, Result, Stats, self_held)
from .errors import (DaemonGone, GPreemptError, InvalidArgument, NotFound, NotSupported,
                     PermissionDenied, Timeout)
from .scheduler import GPreemptScheduler

__version__ = "0.2.0"

__all__ = ["ALL", "Attributes", "Caps", "DaemonGone", "Event", "EventStream", "GPreemptError",
           "GPreemptScheduler", "Handle", "InvalidArgument", "Node", "NotFound", "NotSupported",
           "PermissionDenied", "Process", "Queue", "QueueRef", "Result", "Stats", "Timeout", "self_held"]
