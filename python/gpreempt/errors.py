# SPDX-License-Identifier: MIT
"""Exceptions: an errno of the library and its reason in words."""
import errno
import os


class GPreemptError(OSError):
    """A call failed; errno and strerror say why."""


class NotFound(GPreemptError):
    """No such process, queue or node."""


class PermissionDenied(GPreemptError, PermissionError):
    """Others' processes, or raising a priority, without the right to do so."""


class NotSupported(GPreemptError):
    """Not with this daemon, driver or hardware."""


class InvalidArgument(GPreemptError, ValueError):
    """The caller's fault."""


class Timeout(GPreemptError, TimeoutError):
    """No answer in time."""


class DaemonGone(GPreemptError, ConnectionError):
    """There is no daemon, or it ended in the middle of the conversation."""


CLASSES = {
    errno.ESRCH: NotFound, errno.ENOENT: NotFound, errno.ENODEV: NotFound,
    errno.EPERM: PermissionDenied, errno.EACCES: PermissionDenied,
    errno.EOPNOTSUPP: NotSupported,
    errno.EINVAL: InvalidArgument,
    errno.ETIMEDOUT: Timeout,
    errno.EPIPE: DaemonGone, errno.ECONNREFUSED: DaemonGone, errno.ECONNRESET: DaemonGone,
}


def make(number, text=""):
    """The exception for an errno (without sign)."""
    return CLASSES.get(number, GPreemptError)(number, text or os.strerror(number))
