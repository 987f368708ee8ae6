"""``python elsewhere.py ARGUMENTS``: the grader's command line in a process that looks as on Windows to Python code.

What Python has on POSIX systems only is taken away once the libraries are loaded, so that whatever of the grader needs
it fails as it would there. The worker is a process of its own and stays what it is.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import signal
import socket
import sys

MODULES = ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog", "readline", "curses")
NAMES = {
    os: "fork forkpty killpg getuid geteuid setuid getgid setgid getpgid setsid uname mkfifo sched_setaffinity"
    " pidfd_open register_at_fork O_NOFOLLOW O_DIRECTORY O_NONBLOCK O_CLOEXEC O_PATH",
    signal: "SIGALRM SIGCHLD SIGSTOP SIGHUP setitimer pidfd_send_signal pthread_sigmask",
    socket: "socketpair send_fds recv_fds AF_UNIX SCM_RIGHTS",
}
"""Without SIGKILL and WNOHANG, which the standard library's own POSIX half asks for here."""

LINUX_ONLY = ("grader.doctor.inside",)
"""Runs in a container."""


class Missing:
    """Finds what Windows has not: that it is missing."""

    def find_spec(self, name: str, path: object, target: object = None) -> None:
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def import_all() -> list[str]:
    """Import every module of the grader; returns their names."""
    import grader

    found = [module.name for module in pkgutil.walk_packages(grader.__path__, "grader.")]
    wanted = [name for name in found if name not in (*LINUX_ONLY, "grader.__main__")]
    for name in wanted:
        importlib.import_module(name)
    return wanted


def leave_posix() -> None:
    """Take away what only POSIX systems have, the grader's own modules included, which are then imported again."""
    for name in [name for name in sys.modules if name.split(".")[0] in ("grader", "reference", *MODULES)]:
        del sys.modules[name]
    sys.meta_path.insert(0, Missing())
    for module, names in NAMES.items():
        for name in names.split():
            if hasattr(module, name):
                delattr(module, name)
    os.supports_dir_fd.clear()
    os.supports_fd.clear()
    sys.platform = "win32"


if __name__ == "__main__":
    import_all()
    leave_posix()
    import_all()
    from grader.cli import main

    main()
