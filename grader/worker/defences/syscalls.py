"""Numbers of the system calls that a submission has no use for, by instruction set.

From the kernel's ``arch/x86/entry/syscalls/syscall_64.tbl`` and ``include/uapi/asm-generic/unistd.h``; None where an
instruction set lacks the call. What newer kernels add is not here: see ``seccomp`` for how those are met.
"""

from __future__ import annotations

from typing import NamedTuple


class Number(NamedTuple):
    """One call's number on x86-64 and on aarch64."""

    x86_64: int | None
    aarch64: int | None


# calls that depend on their arguments
CLONE, CLONE3 = Number(56, 220), Number(435, 435)
PRLIMIT64, SCHED_SETAFFINITY = Number(302, 261), Number(203, 122)
IOCTL, PRCTL = Number(16, 29), Number(157, 167)
SIGNALS = {
    "kill": Number(62, 129),
    "tgkill": Number(234, 131),
    "rt_sigqueueinfo": Number(129, 138),
    "rt_tgsigqueueinfo": Number(297, 240),
}

REFUSED = {
    # other programs and processes
    "fork": Number(57, None),
    "vfork": Number(58, None),
    "execve": Number(59, 221),
    "execveat": Number(322, 281),
    "memfd_create": Number(319, 279),
    "memfd_secret": Number(447, 447),
    "ptrace": Number(101, 117),
    "process_vm_readv": Number(310, 270),
    "process_vm_writev": Number(311, 271),
    "process_madvise": Number(440, 440),
    "kcmp": Number(312, 272),
    "pidfd_open": Number(434, 434),
    "pidfd_getfd": Number(438, 438),
    "pidfd_send_signal": Number(424, 424),
    "tkill": Number(200, 130),
    "setrlimit": Number(160, 164),
    "setpriority": Number(141, 140),
    "ioprio_set": Number(251, 30),
    "sched_setscheduler": Number(144, 119),
    "sched_setparam": Number(142, 118),
    "sched_setattr": Number(314, 274),
    "migrate_pages": Number(256, 238),
    "move_pages": Number(279, 239),
    # the network, and the ring that calls others past a filter
    "socket": Number(41, 198),
    "io_uring_setup": Number(425, 425),
    "io_uring_enter": Number(426, 426),
    "io_uring_register": Number(427, 427),
    # memory and queues that outlive the process
    "shmget": Number(29, 194),
    "msgget": Number(68, 186),
    "semget": Number(64, 190),
    "mq_open": Number(240, 180),
    # owners and modes of files, which Landlock leaves alone
    "chmod": Number(90, None),
    "fchmod": Number(91, 52),
    "fchmodat": Number(268, 53),
    "fchmodat2": Number(452, 452),
    "chown": Number(92, None),
    "fchown": Number(93, 55),
    "lchown": Number(94, None),
    "fchownat": Number(260, 54),
    "setxattr": Number(188, 5),
    "lsetxattr": Number(189, 6),
    "fsetxattr": Number(190, 7),
    "removexattr": Number(197, 14),
    "lremovexattr": Number(198, 15),
    "fremovexattr": Number(199, 16),
    "utime": Number(132, None),
    "utimes": Number(235, None),
    "futimesat": Number(261, None),
    "utimensat": Number(280, 88),
    # the system itself
    "unshare": Number(272, 97),
    "setns": Number(308, 268),
    "mount": Number(165, 40),
    "umount2": Number(166, 39),
    "pivot_root": Number(155, 41),
    "chroot": Number(161, 51),
    "open_tree": Number(428, 428),
    "move_mount": Number(429, 429),
    "fsopen": Number(430, 430),
    "fsconfig": Number(431, 431),
    "fsmount": Number(432, 432),
    "fspick": Number(433, 433),
    "mount_setattr": Number(442, 442),
    "bpf": Number(321, 280),
    "perf_event_open": Number(298, 241),
    "userfaultfd": Number(323, 282),
    "keyctl": Number(250, 219),
    "add_key": Number(248, 217),
    "request_key": Number(249, 218),
    "name_to_handle_at": Number(303, 264),
    "open_by_handle_at": Number(304, 265),
    "fanotify_init": Number(300, 262),
    "init_module": Number(175, 105),
    "finit_module": Number(313, 273),
    "delete_module": Number(176, 106),
    "kexec_load": Number(246, 104),
    "kexec_file_load": Number(320, 294),
    "reboot": Number(169, 142),
    "swapon": Number(167, 224),
    "swapoff": Number(168, 225),
    "sethostname": Number(170, 161),
    "setdomainname": Number(171, 162),
    "settimeofday": Number(164, 170),
    "clock_settime": Number(227, 112),
    "clock_adjtime": Number(305, 266),
    "adjtimex": Number(159, 171),
    "acct": Number(163, 89),
    "quotactl": Number(179, 60),
    "quotactl_fd": Number(443, 443),
    "syslog": Number(103, 116),
    "personality": Number(135, 92),
    "vhangup": Number(153, 58),
    "iopl": Number(172, None),
    "ioperm": Number(173, None),
    "modify_ldt": Number(154, None),
}
