// A layer between a process and its data folder that remembers what was synced, so that a power failure can be simulated.
//
// It is loaded with LD_PRELOAD. POWER_FOLDER is the data folder, and POWER_SHADOW a folder on the same file system:
//
//   data/INODE     the content of a file at its last sync
//   names/INODE    the entries of a directory at its last sync: a line "d INODE NAME" or "f INODE NAME" for each
//   removed/N      links to removed, replaced and synced files, so that their inode numbers are not used again; not all
//                  renames can be seen here, because some programs do not call the C library
//
// If the file `fail-sync` is in the shadow folder, the next sync of a journal removes it and fails as Linux lets a sync
// fail: what was written is not on disk, its pages count as clean, and the process still reads what it wrote. While the
// file `hold-syncs` is there, syncs of journals wait. If the file `fail-names` is there when a journal is created, the
// sync of its directory removes that file, waits for the next sync of a journal, which the power survives for a moment,
// and fails.
//
// Nothing else survives a power failure: neither a file's content without fsync or fdatasync of the file, nor its name
// without fsync of its directory. The layer records this state instead of syncing.
//
// The file `point` in the shadow folder may name the point at which the process is killed, also while it runs: "!CALL PART WHEN N" is
// the N-th call of a kind (write, sync, sync-names, rename, unlink, mkdir, create, truncate) on a path that contains PART, before the
// call (WHEN is b), after it (a), or, for write, after half of its bytes (h).
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define SLOTS 65536

// The range of a file that was written since its last sync.
struct dirty {
  ino_t ino;
  off_t from, to;
};

static char folder[PATH_MAX], shadow[PATH_MAX];
static char kill_call[32], kill_part[256], kill_when;
static long kill_at, reached;
// The mapped file `point`.
static volatile char *point_text;
static struct dirty slots[SLOTS];
static long removed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void begin(void) {
  const char *text = getenv("POWER_FOLDER");
  if (!text || !realpath(text, folder)) _exit(99);
  snprintf(shadow, sizeof shadow, "%s", getenv("POWER_SHADOW"));
  char path[PATH_MAX + 64];
  snprintf(path, sizeof path, "%s/point", shadow);
  int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || syscall(SYS_ftruncate, fd, 4096)) _exit(99);
  point_text = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
  if (point_text == MAP_FAILED) _exit(99);
  close(fd);
  removed = (long)getpid() * 1000000;
  // Processes that this one starts must not be affected.
  unsetenv("LD_PRELOAD");
}

static void power_failure(void) {
  syscall(SYS_kill, getpid(), SIGKILL);
  for (;;) pause();
}

// Counts a call. Returns whether it is the one at which the process is killed.
static int is_point(const char *call, const char *path) {
  if (!kill_at && point_text[0]) {
    // The first byte is written last.
    pthread_mutex_lock(&lock);
    if (!kill_at) sscanf((const char *)point_text + 1, "%31s %255s %c %ld", kill_call, kill_part, &kill_when, &kill_at);
    pthread_mutex_unlock(&lock);
  }
  if (!kill_at || strcmp(call, kill_call) || (strcmp(kill_part, "*") && !strstr(path, kill_part))) return 0;
  return __atomic_add_fetch(&reached, 1, __ATOMIC_SEQ_CST) == kill_at;
}

static void before(int point) {
  if (point && kill_when == 'b') power_failure();
}

static void after(int point) {
  if (point && kill_when == 'a') power_failure();
}

static int is_inside(const char *path) {
  size_t n = strlen(folder);
  return !strncmp(path, folder, n) && (path[n] == '/' || !path[n]);
}

// The path of an open file, if that is inside of the data folder.
static int path_of(int fd, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, path, PATH_MAX - 1);
  if (n < 0) return 0;
  path[n] = 0;
  return is_inside(path);
}

// The absolute path of NAME relative to a directory, if that is inside of the data folder.
static int path_at(int dir, const char *name, char *path) {
  if (name[0] == '/') {
    snprintf(path, PATH_MAX, "%s", name);
  } else if (dir == AT_FDCWD) {
    char cwd[PATH_MAX];
    if (!getcwd(cwd, sizeof cwd)) return 0;
    if ((size_t)snprintf(path, PATH_MAX, "%s/%s", cwd, name) >= PATH_MAX) return 0;
  } else {
    char base[PATH_MAX];
    if (!path_of(dir, base)) return 0;
    if ((size_t)snprintf(path, PATH_MAX, "%s/%s", base, name) >= PATH_MAX) return 0;
  }
  return is_inside(path);
}

static struct dirty *slot_of(ino_t ino) {
  for (size_t i = ino % SLOTS, n = 0; n < SLOTS; i = (i + 1) % SLOTS, n++) {
    if (!slots[i].ino) slots[i] = (struct dirty){ino, 0, 0};
    if (slots[i].ino == ino) return &slots[i];
  }
  abort();
}

// Notes what was written to a file. The lock must be held, since before the write: a sync in between would make the
// file as long as it is then, without the content.
static void mark(int fd, off_t from, off_t to) {
  struct stat s;
  if (to <= from || fstat(fd, &s)) return;
  from &= ~(off_t)4095;  // Whole pages are written back.
  struct dirty *d = slot_of(s.st_ino);
  if (d->from == d->to) *d = (struct dirty){s.st_ino, from, to};
  if (from < d->from) d->from = from;
  if (to > d->to) d->to = to;
}

static void wrote(int fd, off_t from, off_t to) {
  pthread_mutex_lock(&lock);
  mark(fd, from, to);
  pthread_mutex_unlock(&lock);
}

// Copies what was written since the last sync of a file. A process that is killed meanwhile leaves a part of it, as a real
// power failure during a sync does.
static int sync_data(int fd, ino_t ino) {
  char path[PATH_MAX + 64], self[64];
  snprintf(path, sizeof path, "%s/data/%lu", shadow, (unsigned long)ino);
  snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
  pthread_mutex_lock(&lock);
  int from = REAL(open64)(self, O_RDONLY | O_CLOEXEC), to = REAL(open64)(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  int done = -1;
  struct stat s;
  if (from >= 0 && to >= 0 && !fstat(to, &s)) {
    struct dirty *d = slot_of(ino);
    int is_new = !s.st_size;
    if (fstat(from, &s)) abort();
    if (is_new) {
      *d = (struct dirty){ino, 0, s.st_size};
      snprintf(path, sizeof path, "%s/removed/i%lu", shadow, (unsigned long)ino);
      if (linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) && errno != EEXIST && errno != ENOENT) abort();
    }
    static char buffer[1 << 16];
    done = 0;
    for (off_t at = d->from; at < d->to;) {
      size_t want = d->to - at < (off_t)sizeof buffer ? (size_t)(d->to - at) : sizeof buffer;
      ssize_t n = pread(from, buffer, want, at);
      if (n <= 0) break;
      if (REAL(pwrite64)(to, buffer, n, at) != n) abort();
      at += n;
    }
    d->from = d->to = 0;
    if (REAL(ftruncate64)(to, s.st_size)) abort();
  }
  if (from >= 0) close(from);
  if (to >= 0) close(to);
  pthread_mutex_unlock(&lock);
  return done;
}

// Whether this sync has to fail. If so, what was written since the last one is forgotten.
static int has_failed(const char *path, ino_t ino) {
  char order[PATH_MAX + 64];
  snprintf(order, sizeof order, "%s/fail-sync", shadow);
  if (!strstr(path, ".jnl") || syscall(SYS_unlinkat, AT_FDCWD, order, 0)) return 0;
  pthread_mutex_lock(&lock);
  struct dirty *d = slot_of(ino);
  d->from = d->to = 0;
  pthread_mutex_unlock(&lock);
  errno = EIO;
  return 1;
}

static void hold(const char *path) {
  char order[PATH_MAX + 64];
  snprintf(order, sizeof order, "%s/hold-syncs", shadow);
  while (strstr(path, ".jnl") && !access(order, F_OK)) usleep(1000);
}

// The sync of the names of a new journal that has to fail.
static volatile enum { NONE, CREATED, FAILING, SYNCED } new_journal;

static int has_order(const char *name) {
  char order[PATH_MAX + 64];
  snprintf(order, sizeof order, "%s/%s", shadow, name);
  return !access(order, F_OK);
}

static int names_fail(void) {
  if (new_journal != CREATED) return 0;
  char order[PATH_MAX + 64];
  snprintf(order, sizeof order, "%s/fail-names", shadow);
  new_journal = FAILING;
  unlink(order);
  // Commits that fjall accepts meanwhile may be synced. If there are none, the power does not fail.
  for (int waited = 0; new_journal == FAILING && waited < 1000; waited++) usleep(1000);
  errno = EIO;
  return 1;
}

static void *fail_soon(void *unused) {
  usleep(20000);
  kill(getpid(), SIGKILL);
  return unused;
}

static void journal_synced(void) {
  if (!__sync_bool_compare_and_swap(&new_journal, FAILING, SYNCED)) return;
  pthread_t thread;
  if (pthread_create(&thread, NULL, fail_soon, NULL)) abort();
}

// Records the entries of a directory.
static int sync_names(const char *dir, ino_t ino) {
  char path[PATH_MAX + 64], draft[PATH_MAX + 64];
  snprintf(path, sizeof path, "%s/names/%lu", shadow, (unsigned long)ino);
  pthread_mutex_lock(&lock);
  snprintf(draft, sizeof draft, "%s/draft", shadow);
  FILE *out = fopen(draft, "we");
  DIR *entries = opendir(dir);
  if (!out || !entries) abort();
  for (struct dirent *e; (e = readdir(entries));) {
    // Not sockets, which are created at each start.
    if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || (e->d_type != DT_DIR && e->d_type != DT_REG)) continue;
    fprintf(out, "%c %lu %s\n", e->d_type == DT_DIR ? 'd' : 'f', (unsigned long)e->d_ino, e->d_name);
  }
  closedir(entries);
  fclose(out);
  if (REAL(rename)(draft, path)) abort();
  pthread_mutex_unlock(&lock);
  return 0;
}

static int sync_any(int fd) {
  char path[PATH_MAX];
  struct stat s;
  if (!path_of(fd, path) || fstat(fd, &s)) return 1;
  int names = S_ISDIR(s.st_mode), point = is_point(names ? "sync-names" : "sync", path);
  before(point);
  if (!names) hold(path);
  if (!names && has_failed(path, s.st_ino)) return -1;
  if (names && names_fail()) return -1;
  int done = names ? sync_names(path, s.st_ino) : sync_data(fd, s.st_ino);
  if (!names && strstr(path, ".jnl")) journal_synced();
  after(point);
  return done;
}

int fsync(int fd) {
  int done = sync_any(fd);
  return done == 1 ? REAL(fsync)(fd) : done;
}

int fdatasync(int fd) {
  int done = sync_any(fd);
  return done == 1 ? REAL(fdatasync)(fd) : done;
}

// Keeps the inode number of a file or directory that is about to lose its name.
static void keep(int dir, const char *name) {
  struct stat s;
  if (fstatat(dir, name, &s, AT_SYMLINK_NOFOLLOW)) return;
  if (S_ISDIR(s.st_mode)) {
    syscall(SYS_openat, dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return;
  }
  char path[PATH_MAX + 64];
  snprintf(path, sizeof path, "%s/removed/%ld", shadow, __atomic_add_fetch(&removed, 1, __ATOMIC_SEQ_CST));
  if (linkat(dir, name, AT_FDCWD, path, 0)) abort();
}

int renameat(int from_dir, const char *from, int to_dir, const char *to) {
  char path[PATH_MAX];
  int inside = path_at(to_dir, to, path), point = inside && is_point("rename", path);
  before(point);
  if (inside) keep(to_dir, to);
  int done = REAL(renameat)(from_dir, from, to_dir, to);
  after(point);
  return done;
}

int rename(const char *from, const char *to) { return renameat(AT_FDCWD, from, AT_FDCWD, to); }

int unlinkat(int dir, const char *name, int flags) {
  char path[PATH_MAX];
  int inside = path_at(dir, name, path), point = inside && is_point("unlink", path);
  before(point);
  if (inside) keep(dir, name);
  int done = REAL(unlinkat)(dir, name, flags);
  after(point);
  return done;
}

int unlink(const char *name) { return unlinkat(AT_FDCWD, name, 0); }

int rmdir(const char *name) { return unlinkat(AT_FDCWD, name, AT_REMOVEDIR); }

int mkdir(const char *name, mode_t mode) {
  char path[PATH_MAX];
  int point = path_at(AT_FDCWD, name, path) && is_point("mkdir", path);
  before(point);
  int done = REAL(mkdir)(name, mode);
  after(point);
  return done;
}

int openat64(int dir, const char *name, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  char path[PATH_MAX];
  int writes = flags & (O_CREAT | O_TRUNC), inside = writes && path_at(dir, name, path);
  int point = inside && (flags & O_CREAT) && faccessat(dir, name, F_OK, 0) && is_point("create", path);
  before(point);
  int fd = (int)syscall(SYS_openat, dir, name, flags | O_LARGEFILE, mode);
  if (inside && strstr(path, ".jnl") && has_order("fail-names")) new_journal = CREATED;
  after(point);
  return fd;
}

int open64(const char *name, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return openat64(AT_FDCWD, name, flags, mode);
}

int open(const char *name, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return openat64(AT_FDCWD, name, flags, mode);
}

int openat(int dir, const char *name, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return openat64(dir, name, flags, mode);
}

int ftruncate64(int fd, off64_t length) {
  char path[PATH_MAX];
  struct stat s;
  int inside = path_of(fd, path), point = inside && is_point("truncate", path);
  before(point);
  // If the file grows again, what was removed reads as zeros.
  if (inside && !fstat(fd, &s)) wrote(fd, length, s.st_size);
  int done = REAL(ftruncate64)(fd, length);
  after(point);
  return done;
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

// Where a write without an offset begins.
static off_t position(int fd) {
  struct stat s;
  int flags = fcntl(fd, F_GETFL);
  if (flags & O_APPEND) return fstat(fd, &s) ? 0 : s.st_size;
  return lseek(fd, 0, SEEK_CUR);
}

// Most calls are on sockets, which have no position: only for the others is the path looked up.
static int is_file(int fd, char *path) {
  struct stat s;
  return !fstat(fd, &s) && S_ISREG(s.st_mode) && path_of(fd, path);
}

ssize_t write(int fd, const void *bytes, size_t count) {
  char path[PATH_MAX];
  if (!is_file(fd, path)) return syscall(SYS_write, fd, bytes, count);
  int point = is_point("write", path);
  before(point);
  pthread_mutex_lock(&lock);
  off_t from = position(fd);
  ssize_t n = syscall(SYS_write, fd, bytes, point && kill_when == 'h' ? count / 2 : count);
  mark(fd, from, from + n);
  pthread_mutex_unlock(&lock);
  if (point && kill_when == 'h') power_failure();
  after(point);
  return n;
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  char path[PATH_MAX];
  if (!is_file(fd, path)) return syscall(SYS_writev, fd, parts, count);
  int point = is_point("write", path);
  before(point);
  pthread_mutex_lock(&lock);
  off_t from = position(fd);
  ssize_t n = syscall(SYS_writev, fd, parts, count);
  mark(fd, from, from + n);
  pthread_mutex_unlock(&lock);
  after(point);
  return n;
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t from) {
  char path[PATH_MAX];
  if (!is_file(fd, path)) return syscall(SYS_pwrite64, fd, bytes, count, from);
  int point = is_point("write", path);
  before(point);
  pthread_mutex_lock(&lock);
  ssize_t n = syscall(SYS_pwrite64, fd, bytes, count, from);
  mark(fd, from, from + n);
  pthread_mutex_unlock(&lock);
  after(point);
  return n;
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t from) { return pwrite64(fd, bytes, count, from); }
