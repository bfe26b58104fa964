/* Preloaded into the program by tests: sees every call by which it changes files beneath one directory, one after the other.
 *
 *   FILECALLS_ROOT  the directory, absolute and without a symbolic link in it.
 *   FILECALLS_LOG   a file to which each call that succeeded is written, a line a call; see RecordedCall.swift.
 *   FILECALLS_AT    a moment: the number of a call, from 1, or `OPERATION TEXT`, the first such call whose path has that text in it.
 *   FILECALLS_DO    what happens then, before the call: `kill`; `stop`, until somebody sends SIGCONT; `fail ERRNO`, that call alone; `fail-on ERRNO`,
 *                   that call and all after it.
 *   FILECALLS_PLAIN if set, the file system has neither files without names nor renames that replace nothing, as NFS.
 *   FILECALLS_BOOT  what the program is told when it asks for the id of this boot.
 *
 * Names are written in hexadecimal. Works where the program calls the system's C library dynamically, and on 64-bit Linux. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NAME_DIGITS = 2 * NAME_MAX + 1, PIECE_BYTES = 1 << 16 };

static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static long (*system_call)(long, ...);
static const char *root, *moment, *action, *boot;
static int log_file = -1;
static unsigned long call_count;
static bool was_reached, is_plain;

__attribute__((constructor)) static void begin_watching(void) {
    system_call = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    /* What starts it is not watched, nor what it starts. */
    if (strcmp(program_invocation_short_name, "larder") != 0) return;
    root = getenv("FILECALLS_ROOT");
    moment = getenv("FILECALLS_AT");
    action = getenv("FILECALLS_DO");
    boot = getenv("FILECALLS_BOOT");
    is_plain = getenv("FILECALLS_PLAIN") != NULL;
    const char *path = getenv("FILECALLS_LOG");
    if (path) log_file = (int)system_call(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

/* The C library's wrapper sets errno; it may not have been found yet when another library's constructor calls. */
static long call(long number, long a, long b, long c, long d, long e, long f) {
    if (!system_call) system_call = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return system_call(number, a, b, c, d, e, f);
}
#define CALL(number, a, b, c, d, e) call(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)

/* MARK: Where */

static bool is_beneath_root(const char *path) {
    if (!root) return false;
    size_t length = strlen(root);
    return strncmp(path, root, length) == 0 && (path[length] == 0 || path[length] == '/');
}

static bool path_of(int descriptor, char path[PATH_MAX]) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length <= 0) return false;
    path[length] = 0;
    return path[0] == '/';
}

static ino_t inode_of(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) == 0 ? status.st_ino : 0;
}

/* A name in a directory. */
struct place {
    char path[PATH_MAX];
    ino_t directory;
    char name[NAME_DIGITS];
    /* What the name stands for; 0 for nothing. */
    ino_t inode;
};

static void write_hexadecimal(const void *bytes, size_t count, char *digits) {
    static const char table[] = "0123456789abcdef";
    for (size_t index = 0; index < count; index++) {
        *digits++ = table[((const uint8_t *)bytes)[index] >> 4];
        *digits++ = table[((const uint8_t *)bytes)[index] & 15];
    }
    *digits = 0;
}

/* False for what isn't beneath the root. */
static bool find(int directory, const char *path, struct place *place) {
    char holder[PATH_MAX];
    if (path[0] == '/') {
        holder[0] = 0;
    } else if (directory == AT_FDCWD ? !getcwd(holder, sizeof holder) : !path_of(directory, holder)) {
        return false;
    }
    int length = snprintf(place->path, PATH_MAX, path[0] == '/' ? "%s%s" : "%s/%s", holder, path);
    if (length <= 0 || length >= PATH_MAX || !is_beneath_root(place->path)) return false;
    char *slash = strrchr(place->path, '/');
    if (strlen(slash + 1) > NAME_MAX) return false;
    write_hexadecimal(slash + 1, strlen(slash + 1), place->name);
    struct stat status;
    *slash = 0;
    place->directory = stat(place->path, &status) == 0 ? status.st_ino : 0;
    *slash = '/';
    place->inode = lstat(place->path, &status) == 0 ? status.st_ino : 0;
    return true;
}

/* MARK: When */

/* The same, and true with the turn taken: until it is given back nothing else changes what was found. */
static bool locate(int directory, const char *path, struct place *place) {
    pthread_mutex_lock(&order);
    if (find(directory, path, place)) return true;
    pthread_mutex_unlock(&order);
    return false;
}

static bool is_moment(const char *operation, const char *path) {
    if (!moment) return false;
    if (moment[0] >= '0' && moment[0] <= '9') return call_count == strtoul(moment, NULL, 10);
    size_t length = strlen(operation);
    return strncmp(moment, operation, length) == 0 && moment[length] == ' ' && strstr(path, moment + length + 1);
}

/* A full disk still lets things be removed. */
static bool needs_no_room(const char *operation) {
    return strcmp(operation, "unlink") == 0 || strcmp(operation, "mode") == 0 || strcmp(operation, "time") == 0;
}

/* Goes on with the turn, which `end` gives back. False, errno set and the turn given back, where the call is to fail. */
static bool begin(const char *operation, const char *path) {
    call_count++;
    bool is_now = !was_reached && is_moment(operation, path);
    was_reached |= is_now;
    if (!action || !was_reached) return true;
    if (is_now && strcmp(action, "kill") == 0) {
        kill(getpid(), SIGKILL);
        pause();
    }
    if (is_now && strcmp(action, "stop") == 0) raise(SIGSTOP);
    int code = 0;
    if (is_now && strncmp(action, "fail ", 5) == 0) code = atoi(action + 5);
    if (strncmp(action, "fail-on ", 8) == 0) code = atoi(action + 8);
    if (code == 0 || ((code == ENOSPC || code == EDQUOT) && needs_no_room(operation))) return true;
    pthread_mutex_unlock(&order);
    errno = code;
    return false;
}

static long end(long result) {
    int code = errno;
    pthread_mutex_unlock(&order);
    errno = code;
    return result;
}

/* The same for a call that is given a descriptor: takes the turn as well. */
static bool begin_with(int descriptor, const char *operation) {
    char path[PATH_MAX];
    pthread_mutex_lock(&order);
    if (!path_of(descriptor, path)) path[0] = 0;
    return begin(operation, path);
}

/* MARK: What */

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...) {
    if (log_file < 0) return;
    int code = errno;
    char line[4 * PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    CALL(SYS_write, log_file, line, length, 0, 0);
    errno = code;
}

static void note_bytes(ino_t inode, off_t offset, const void *bytes, size_t count) {
    if (log_file < 0) return;
    static char digits[2 * PIECE_BYTES + 1];
    for (size_t done = 0; done < count;) {
        size_t piece = count - done < PIECE_BYTES ? count - done : PIECE_BYTES;
        write_hexadecimal((const uint8_t *)bytes + done, piece, digits);
        note("write %lu %ld ", (unsigned long)inode, (long)offset + (long)done);
        CALL(SYS_write, log_file, digits, 2 * piece, 0, 0);
        note("\n");
        done += piece;
    }
}

/* MARK: Opening */

static long open_file(int directory, const char *path, struct open_how *how, bool is_extended) {
    if (boot && path && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0) path = boot;
    bool is_unnamed = (how->flags & O_TMPFILE) == O_TMPFILE;
    if (is_plain && is_unnamed) {
        errno = EOPNOTSUPP;
        return -1;
    }
    bool may_change = (how->flags & (O_CREAT | O_TRUNC)) || is_unnamed;
    struct place place;
    bool is_ours = may_change && locate(directory, path, &place);
    if (is_ours && !is_unnamed && place.inode != 0 && !(how->flags & O_TRUNC)) {
        pthread_mutex_unlock(&order);
        is_ours = false;
    }
    if (is_ours && !begin("create", place.path)) return -1;
    long opened = is_extended ? CALL(SYS_openat2, directory, path, how, sizeof *how, 0)
                              : CALL(SYS_openat, directory, path, how->flags, how->mode, 0);
    if (!is_ours) return opened;
    if (opened >= 0) {
        struct stat status;
        fstat((int)opened, &status);
        unsigned long inode = status.st_ino;
        if (is_unnamed) {
            note("unnamed %lu %o\n", inode, status.st_mode & 07777);
        } else if (place.inode == 0) {
            note("create %lu %s %lu %o\n", (unsigned long)place.directory, place.name, inode, status.st_mode & 07777);
        } else if (how->flags & O_TRUNC) {
            note("truncate %lu 0\n", inode);
        }
    }
    return end(opened);
}

static int open_plainly(int directory, const char *path, int flags, va_list arguments) {
    struct open_how how = {.flags = (unsigned int)flags};
    if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) how.mode = va_arg(arguments, unsigned int);
    return (int)open_file(directory, path, &how, false);
}

#define OPEN(name, directory, ...)                                    \
    int name(__VA_ARGS__, int flags, ...) {                           \
        va_list arguments;                                            \
        va_start(arguments, flags);                                   \
        int opened = open_plainly(directory, path, flags, arguments); \
        va_end(arguments);                                            \
        return opened;                                                \
    }
OPEN(open, AT_FDCWD, const char *path)
OPEN(open64, AT_FDCWD, const char *path)
OPEN(openat, directory, int directory, const char *path)
OPEN(openat64, directory, int directory, const char *path)

/* MARK: Content */

static bool is_watched(int descriptor) {
    char path[PATH_MAX];
    return root && path_of(descriptor, path) && is_beneath_root(path);
}

static bool is_watched_file(int descriptor) {
    struct stat status;
    return root && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && is_watched(descriptor);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    if (!is_watched_file(descriptor)) return CALL(SYS_write, descriptor, bytes, count, 0, 0);
    if (!begin_with(descriptor, "write")) return -1;
    bool appends = CALL(SYS_fcntl, descriptor, F_GETFL, 0, 0, 0) & O_APPEND;
    off_t offset = lseek(descriptor, 0, appends ? SEEK_END : SEEK_CUR);
    long written = CALL(SYS_write, descriptor, bytes, count, 0, 0);
    if (written > 0) note_bytes(inode_of(descriptor), offset, bytes, (size_t)written);
    return end(written);
}

static ssize_t write_at(int descriptor, const void *bytes, size_t count, off_t offset) {
    if (!is_watched_file(descriptor)) return CALL(SYS_pwrite64, descriptor, bytes, count, offset, 0);
    if (!begin_with(descriptor, "write")) return -1;
    long written = CALL(SYS_pwrite64, descriptor, bytes, count, offset, 0);
    if (written > 0) note_bytes(inode_of(descriptor), offset, bytes, (size_t)written);
    return end(written);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    return write_at(descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset) {
    return write_at(descriptor, bytes, count, offset);
}

static ssize_t copy_file(int target, int source, off_t *offset, size_t count) {
    if (!offset || !is_watched_file(target)) return CALL(SYS_sendfile, target, source, offset, count, 0);
    if (!begin_with(target, "write")) return -1;
    off_t from = *offset, to = lseek(target, 0, SEEK_CUR);
    long copied = CALL(SYS_sendfile, target, source, offset, count, 0);
    static uint8_t piece[PIECE_BYTES];
    for (long done = 0; done < copied;) {
        long read = CALL(SYS_pread64, source, piece, copied - done < PIECE_BYTES ? copied - done : PIECE_BYTES, from + done, 0);
        if (read <= 0) break;
        note_bytes(inode_of(target), to + done, piece, (size_t)read);
        done += read;
    }
    return end(copied);
}

ssize_t sendfile(int target, int source, off_t *offset, size_t count) { return copy_file(target, source, offset, count); }
ssize_t sendfile64(int target, int source, off_t *offset, size_t count) { return copy_file(target, source, offset, count); }

static int cut(int descriptor, off_t length) {
    if (!is_watched_file(descriptor)) return (int)CALL(SYS_ftruncate, descriptor, length, 0, 0, 0);
    if (!begin_with(descriptor, "truncate")) return -1;
    long result = CALL(SYS_ftruncate, descriptor, length, 0, 0, 0);
    if (result == 0) note("truncate %lu %ld\n", (unsigned long)inode_of(descriptor), (long)length);
    return (int)end(result);
}

int ftruncate(int descriptor, off_t length) { return cut(descriptor, length); }
int ftruncate64(int descriptor, off_t length) { return cut(descriptor, length); }

/* No extents are shared while it is watched: these would be bytes that nobody wrote. */
int ioctl(int descriptor, unsigned long request, ...) {
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (request == FICLONE && root) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return (int)CALL(SYS_ioctl, descriptor, request, argument, 0, 0);
}

/* MARK: Flushes */

static int flush(long number, int descriptor) {
    bool is_ours = is_watched(descriptor);
    if (is_ours && !begin_with(descriptor, "flush")) return -1;
    long result = CALL(number, descriptor, 0, 0, 0, 0);
    if (!is_ours) return (int)result;
    if (result == 0) note("flush %lu\n", number == SYS_syncfs ? 0 : (unsigned long)inode_of(descriptor));
    return (int)end(result);
}

int fsync(int descriptor) { return flush(SYS_fsync, descriptor); }
int fdatasync(int descriptor) { return flush(SYS_fdatasync, descriptor); }
int syncfs(int descriptor) { return flush(SYS_syncfs, descriptor); }

/* MARK: Names */

int mkdirat(int directory, const char *path, mode_t mode) {
    struct place place;
    if (!locate(directory, path, &place)) return (int)CALL(SYS_mkdirat, directory, path, mode, 0, 0);
    if (!begin("mkdir", place.path)) return -1;
    long result = CALL(SYS_mkdirat, directory, path, mode, 0, 0);
    struct stat status;
    if (result == 0 && lstat(place.path, &status) == 0) {
        note("mkdir %lu %s %lu %o\n", (unsigned long)place.directory, place.name, (unsigned long)status.st_ino,
            status.st_mode & 07777);
    }
    return (int)end(result);
}

int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

int symlinkat(const char *target, int directory, const char *path) {
    struct place place;
    if (!locate(directory, path, &place)) return (int)CALL(SYS_symlinkat, target, directory, path, 0, 0);
    if (!begin("symlink", place.path)) return -1;
    long result = CALL(SYS_symlinkat, target, directory, path, 0, 0);
    struct stat status;
    static char digits[2 * PATH_MAX + 1];
    if (result == 0 && strlen(target) < PATH_MAX && lstat(place.path, &status) == 0) {
        write_hexadecimal(target, strlen(target), digits);
        note("symlink %lu %s %lu %s\n", (unsigned long)place.directory, place.name, (unsigned long)status.st_ino, digits);
    }
    return (int)end(result);
}

int linkat(int from, const char *source, int to, const char *target, int flags) {
    struct place place;
    if (!locate(to, target, &place)) return (int)CALL(SYS_linkat, from, source, to, target, flags);
    if (!begin("link", place.path)) return -1;
    long result = CALL(SYS_linkat, from, source, to, target, flags);
    struct stat status;
    if (result == 0 && lstat(place.path, &status) == 0) {
        note("link %lu %s %lu\n", (unsigned long)place.directory, place.name, (unsigned long)status.st_ino);
    }
    return (int)end(result);
}

static long rename_file(int from, const char *source, int to, const char *target, unsigned int flags) {
    if (is_plain && flags != 0) {
        errno = EINVAL;
        return -1;
    }
    struct place old, new;
    bool is_ours = locate(from, source, &old);
    if (is_ours && !find(to, target, &new)) {
        pthread_mutex_unlock(&order);
        is_ours = false;
    }
    if (is_ours && !begin("rename", new.path)) return -1;
    long result = CALL(SYS_renameat2, from, source, to, target, flags);
    if (!is_ours) return result;
    if (result == 0) {
        note("%s %lu %s %lu %s\n", flags & RENAME_EXCHANGE ? "exchange" : "rename", (unsigned long)old.directory, old.name,
            (unsigned long)new.directory, new.name);
    }
    return end(result);
}

int renameat2(int from, const char *source, int to, const char *target, unsigned int flags) {
    return (int)rename_file(from, source, to, target, flags);
}
int renameat(int from, const char *source, int to, const char *target) { return (int)rename_file(from, source, to, target, 0); }
int rename(const char *source, const char *target) { return (int)rename_file(AT_FDCWD, source, AT_FDCWD, target, 0); }

int unlinkat(int directory, const char *path, int flags) {
    struct place place;
    if (!locate(directory, path, &place)) return (int)CALL(SYS_unlinkat, directory, path, flags, 0, 0);
    if (!begin("unlink", place.path)) return -1;
    long result = CALL(SYS_unlinkat, directory, path, flags, 0, 0);
    if (result == 0) note("unlink %lu %s\n", (unsigned long)place.directory, place.name);
    return (int)end(result);
}

int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

/* MARK: Modes and times */

int fchmod(int descriptor, mode_t mode) {
    bool is_ours = is_watched(descriptor);
    if (is_ours && !begin_with(descriptor, "mode")) return -1;
    long result = CALL(SYS_fchmod, descriptor, mode, 0, 0, 0);
    if (!is_ours) return (int)result;
    if (result == 0) note("mode %lu %o\n", (unsigned long)inode_of(descriptor), mode & 07777);
    return (int)end(result);
}

int futimens(int descriptor, const struct timespec times[2]) {
    bool is_ours = is_watched(descriptor);
    if (is_ours && !begin_with(descriptor, "time")) return -1;
    long result = CALL(SYS_utimensat, descriptor, NULL, times, 0, 0);
    if (!is_ours) return (int)result;
    struct stat status;
    if (result == 0 && fstat(descriptor, &status) == 0) {
        note("time %lu %ld %ld\n", (unsigned long)status.st_ino, (long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
    }
    return (int)end(result);
}

/* MARK: By number */

/* The program makes some of its calls by number, where the C library has no name for them. */
long syscall(long number, ...) {
    va_list arguments;
    va_start(arguments, number);
    long a = va_arg(arguments, long), b = va_arg(arguments, long), c = va_arg(arguments, long);
    long d = va_arg(arguments, long), e = va_arg(arguments, long), f = va_arg(arguments, long);
    va_end(arguments);
    switch (number) {
        case SYS_openat2: return open_file((int)a, (const char *)b, (struct open_how *)c, true);
        case SYS_renameat2: return rename_file((int)a, (const char *)b, (int)c, (const char *)d, (unsigned int)e);
        default: return call(number, a, b, c, d, e, f);
    }
}
