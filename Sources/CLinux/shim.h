#ifndef LARDER_CLINUX_SHIM_H
#define LARDER_CLINUX_SHIM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <features.h>
/* The modules of Swift's toolchain see fd_set without this macro, which renames its member; two shapes of one type don't go together. */
#pragma push_macro("__USE_XOPEN")
#undef __USE_XOPEN
#include <sys/select.h>
#pragma pop_macro("__USE_XOPEN")
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/ioprio.h>
#include <linux/magic.h>
#include <linux/netlink.h>
#include <linux/openat2.h>
#include <linux/rtnetlink.h>
#include <malloc.h>
#include <sched.h>
#include <stdint.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/vfs.h>
#include <unistd.h>

/* openat2(2) has no libc wrapper. Fails with ENOSYS on kernels before 5.6 and under old seccomp filters. */
static inline int larder_openat2(int directory, const char *path, int flags, unsigned int mode, uint64_t resolve) {
    struct open_how how = {
        .flags = (uint64_t)(unsigned int)flags, .mode = mode, .resolve = resolve};
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

static const uint64_t larder_resolve_beneath = RESOLVE_BENEATH;
static const uint64_t larder_resolve_no_symlinks = RESOLVE_NO_SYMLINKS;

/* open(2), openat(2) and ioctl(2) are variadic, which Swift can't call with a mode or a pointer. */
static inline int larder_openat(int directory, const char *path, int flags, unsigned int mode) {
    return openat(directory, path, flags, mode);
}

/* Shares the extents of `source` with `destination` where the file system can (FICLONE). */
static inline int larder_clone(int destination, int source) { return ioctl(destination, FICLONE, source); }

/* Which file an open one is (statx(2)): its number and, where the file system keeps that, the moment it was made, so that a copy is another one; and through which
   mount it is seen, by a number that is never used again (STATX_MNT_ID_UNIQUE, 6.8), 0 where the kernel has none. */
struct larder_file_birth {
    uint64_t inode;
    int64_t seconds;
    uint32_t nanoseconds;
    uint64_t mount;
};
static inline int larder_file_birth_of(int file, struct larder_file_birth *birth) {
    const unsigned int unique_mount = 0x00004000U;
    struct statx status;
    if (statx(file, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME | unique_mount, &status) != 0) return -1;
    birth->inode = status.stx_ino;
    birth->seconds = status.stx_mask & STATX_BTIME ? status.stx_btime.tv_sec : 0;
    birth->nanoseconds = status.stx_mask & STATX_BTIME ? status.stx_btime.tv_nsec : 0;
    birth->mount = status.stx_mask & unique_mount ? status.stx_mnt_id : 0;
    return 0;
}

static const unsigned int larder_rename_noreplace = 1u << 0;
static const unsigned int larder_rename_exchange = 1u << 1;

/* renameat2(2) is a GNU extension that Glibc's module map doesn't show. */
static inline int larder_renameat2(int from, const char *source, int to, const char *destination, unsigned int flags) {
    return (int)syscall(SYS_renameat2, from, source, to, destination, flags);
}

/* UTIME_OMIT is a macro with a cast. */
static const long larder_utime_omit = UTIME_OMIT;

/* O_TMPFILE is a compound macro that Swift can't import. */
static const int larder_o_tmpfile = O_TMPFILE;

/* Of glibc 2.34; the GNU extensions of a header that Glibc's module map shows stay hidden. */
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);
extern char **environ;

/* A program gets no descriptor of ours from `first` on. */
static inline int larder_spawn_closing_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

/* The environment as C has it; Swift's own name for it is ambiguous beside this header. */
static inline char **larder_environment(void) { return environ; }

/* A descriptor that can be read once the process has ended; glibc has the name since 2.36 only. */
static inline int larder_open_process(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

/* prctl(2) is variadic. At most 15 bytes of the name are shown. */
static inline void larder_set_thread_name(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

/* A timer that rings every so many seconds, and at once after a sleep. timerfd.h is not in Glibc's module map. */
static inline int larder_open_boot_timer(int seconds) {
    int timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    struct itimerspec period = {.it_interval = {.tv_sec = seconds}, .it_value = {.tv_sec = seconds}};
    if (timer >= 0) timerfd_settime(timer, 0, &period, NULL);
    return timer;
}

/* Whatever may change a default route. The flags of a group are macros with a type that Swift doesn't take for a mask. */
static const uint32_t larder_route_groups = RTMGRP_LINK | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE;

/* A netlink socket's address is none that Swift's bind(2) takes without casts. */
static inline int larder_open_route_socket(uint32_t groups) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = groups};
    if (descriptor < 0 || bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
    int cause = errno;
    close(descriptor);
    errno = cause;
    return -1;
}

/* Asks for the routes of all families; the kernel answers with a series of datagrams. */
static inline int larder_request_routes(int descriptor) {
    struct {
        struct nlmsghdr header;
        struct rtmsg message;
    } request = {
        .header = {
            .nlmsg_len = sizeof request, .nlmsg_type = RTM_GETROUTE, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
        .message = {.rtm_family = AF_UNSPEC}};
    return (int)send(descriptor, &request, sizeof request, 0);
}

/* Glibc's module doesn't show this policy. */
static const int larder_sched_idle = SCHED_IDLE;

/* The flags are of an enumeration that Swift takes for another type than the function's. */
static inline int larder_eventfd(void) { return eventfd(0, EFD_CLOEXEC); }

/* Can be read once one of these signals, which are blocked, waits to be delivered. signalfd.h is not in Glibc's module map. */
static inline int larder_open_signals(const sigset_t *signals) { return signalfd(-1, signals, SFD_CLOEXEC); }

/* ioprio_set(2) has no libc wrapper, and its value is made by a macro. Gives the calling thread the idle class. */
static inline int larder_set_idle_io_priority(void) {
    return (int)syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0));
}

/* ioctl(2) is variadic. Columns and rows of the terminal behind `descriptor`; 0 where there is none. */
static inline void larder_terminal_size(int descriptor, int *columns, int *rows) {
    struct winsize size = {0};
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) size.ws_col = size.ws_row = 0;
    *columns = size.ws_col;
    *rows = size.ws_row;
}

#endif
