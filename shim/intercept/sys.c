/* SPDX-License-Identifier: Apache-2.0 */
/* Raw system calls, and what is built on them without libc. Everything in shim/ calls down here. */
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "arch.h"
#include "hook.h"
#include "racy.h"

struct sys_image sys_image;
uint64_t sys_pthread_before;
STATE bool sys_threaded;

static const uint16_t numbers[] = {
#define CALL(name, unknown) SYS_##name,
#include "../../include/mpsan_calls.def"
#undef CALL
};

long sys_number(unsigned row)
{
	return numbers[row];
}

void sys_filter(uint64_t calls)
{
	sys_image.calls = calls;
	sys_image.filtered = true;
	sys_image.probes = 0;
}

bool sys_may(long number)
{
	if (__builtin_expect(!sys_image.filtered, 1))
		return true;
	for (unsigned i = 0; i < SYS_CALLS; i++)
		if (numbers[i] == number)
			return sys_image.calls >> i & 1;
	return false;
}

long sys_call(long number, long a, long b, long c, long d, long e, long f)
{
	return sys_may(number) ? arch_call(number, a, b, c, d, e, f) : -ENOSYS;
}

/* The offset after a word of timens_offsets, in nanoseconds. */
static int64_t offset_of(const char *text, const char *word)
{
	bool negative;
	int64_t ns;

	while (*text && !text_starts(text, word))
		text++;
	while (*text && *text != '-' && (*text < '0' || *text > '9'))
		text++;
	negative = *text == '-';
	ns = (int64_t)text_number(text + negative, &text) * 1000000000;
	ns = negative ? -ns : ns;
	while (*text == ' ')
		text++;
	return ns + (int64_t)text_number(text, NULL);
}

/*
 * Times are those of the initial time namespace, because a session may include processes of several
 * time namespaces.
 */
#define FIRST_TIME_NS 0xeffffffau /* inode of the initial time namespace */
void sys_leave_time_namespace(void)
{
	char text[256];
	struct stat ns;

	if (SYS4(SYS_newfstatat, AT_FDCWD, "/proc/self/ns/time", &ns, 0) < 0 ||
	    ns.st_ino == FIRST_TIME_NS ||
	    sys_read_file("/proc/self/timens_offsets", text, sizeof(text)) <= 0)
		return;
	sys_image.monotonic_ahead_ns = offset_of(text, "monotonic");
	sys_image.boot_ahead_ns = offset_of(text, "boottime");
}

const char *sys_getenv(const char *name)
{
	for (const char *const *e = sys_image.env; e && *e; e++) {
		size_t n = 0;

		while (name[n] && (*e)[n] == name[n])
			n++;
		if (!name[n] && (*e)[n] == '=')
			return *e + n + 1;
	}
	return NULL;
}

/* A counter in place of the clock, which keeps the order of events. */
static uint64_t clock_stands(void)
{
	return __atomic_add_fetch(&sys_image.stopped_ns, 1, __ATOMIC_RELAXED);
}

static uint64_t clock_read(int clock)
{
	struct timespec t = {0, 0};

	if (!sys_image.clock || sys_image.clock(clock, &t))
		SYS2(SYS_clock_gettime, clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t sys_now(void)
{
	return sys_image.no_clock ?
		       clock_stands() :
		       clock_read(CLOCK_MONOTONIC) - (uint64_t)sys_image.monotonic_ahead_ns;
}

uint64_t sys_now_real(void)
{
	return sys_image.no_clock ? 0 : clock_read(CLOCK_REALTIME);
}

#define TOGETHER_NS 20000u /* two readings of a clock with another one in between */

struct sys_clocks sys_clocks(void)
{
	struct sys_clocks now = {0};

	for (int i = 0; i < 4; i++) {
		now.ns = sys_now();
		now.real_ns = sys_now_real();
		if (sys_now() - now.ns < TOGETHER_NS)
			break;
	}
	return now;
}

uint32_t sys_pid(void)
{
	return sys_image.pid ? sys_image.pid : (uint32_t)SYS1(SYS_getpid, 0);
}

uint32_t sys_tid(void)
{
	if (sys_image.tid_at)
		return *(const uint32_t *)(sys_pthread() + sys_image.tid_at);
	return sys_image.pid ? 0 : (uint32_t)SYS1(SYS_gettid, 0);
}

bool sys_thread_alive(uint32_t pid, uint32_t tid)
{
	char path[48], *end = path + sizeof(path), *at;
	struct stat st;

	if (sys_may(SYS_tgkill))
		return SYS3(SYS_tgkill, pid, tid, 0) != -ESRCH;
	at = text_put_number(text_put(path, end, "/proc/"), end, pid, 10);
	text_put_number(text_put(at, end, "/task/"), end, tid, 10);
	return SYS4(SYS_newfstatat, AT_FDCWD, path, &st, 0) != -ENOENT;
}

uint32_t sys_thread_count(void)
{
	struct stat st;

	if (SYS4(SYS_newfstatat, AT_FDCWD, "/proc/self/task", &st, 0) < 0 || st.st_nlink < 3)
		return 0;
	return (uint32_t)st.st_nlink - 2;
}

long sys_read_line(const char *path, char *to, size_t bytes)
{
	long fd = SYS4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0), n;

	if (fd < 0)
		return fd;
	n = SYS3(SYS_read, fd, to, bytes - 1);
	SYS1(SYS_close, fd);
	to[n > 0 ? n : 0] = '\0';
	return n;
}

long sys_read_file(const char *path, char *to, size_t bytes)
{
	long fd = SYS4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0), n, done = 0;

	if (fd < 0)
		return fd;
	while ((n = SYS3(SYS_read, fd, to + done, bytes - 1 - (size_t)done)) > 0)
		done += n;
	SYS1(SYS_close, fd);
	to[done] = '\0';
	return n < 0 ? n : done;
}

bool sys_line_of(const char *path, const char *key, char *to, size_t bytes)
{
	long fd = SYS4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0), n;
	size_t matched = 0, length = strlen(key), done = 0;
	bool in_line = true, ended = false;
	char text[256];

	while (fd >= 0 && !ended && (n = SYS3(SYS_read, fd, text, sizeof(text))) > 0) {
		for (long i = 0; i < n && !ended; i++) {
			if (matched == length && (text[i] == '\n' || done + 1 == bytes)) {
				ended = true;
			} else if (matched == length) {
				to[done++] = text[i];
			} else {
				in_line = text[i] == '\n' || (in_line && text[i] == key[matched]);
				matched = in_line && text[i] != '\n' ? matched + 1 : 0;
			}
		}
	}
	if (fd >= 0)
		SYS1(SYS_close, fd);
	to[done] = '\0';
	return matched == length;
}

bool sys_size_allowed(uint64_t size)
{
	struct rlimit limit;

	return SYS4(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, &limit) < 0 || limit.rlim_cur >= size;
}

/*
 * A range excluded from a fork leaves a hole in the child that must stay one: a mapping of the
 * library in it would turn a fault into a valid access. So nothing is mapped there if there is
 * another place.
 */
#define HOLE_MARGIN (1ull << 30)
static uint64_t map_below;

void sys_map_below(uint64_t address)
{
	map_below = address > HOLE_MARGIN ? (address - HOLE_MARGIN) & ~(uint64_t)4095 : 0;
}

static long map_below_holes(size_t bytes, int flags, long fd, uint64_t offset)
{
	uint64_t at = map_below - ((bytes + 4095) & ~(uint64_t)4095);
	long map = -ENOMEM;

	for (int i = 0; i < 16 && at < map_below; i++, at -= HOLE_MARGIN) {
		map = SYS6(SYS_mmap, at, bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE,
			   fd, offset);
		if (map != -EEXIST)
			break;
	}
	if (map == (long)at)
		map_below = at;
	return map;
}

void *sys_map(size_t bytes, int flags, long fd, uint64_t offset)
{
	long map = map_below ? map_below_holes(bytes, flags, fd, offset) :
			       SYS6(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE, flags, fd, offset);

	if (map < 0 && map > -4096)
		return NULL;
	racy_memory((void *)map, bytes);
	return (void *)map;
}

/*
 * Appends zeros at the end only: existing data is not touched, even if another process does the
 * same.
 */
static long fill_up(long fd, uint64_t size)
{
	static const char zeros[4096];
	struct stat st;

	while (SYS2(SYS_fstat, fd, &st) == 0) {
		uint64_t left = size - (uint64_t)st.st_size;

		if ((uint64_t)st.st_size >= size)
			return 0;
		if (SYS3(SYS_write, fd, zeros, left < sizeof(zeros) ? left : sizeof(zeros)) <= 0)
			break;
	}
	return -ENOSPC;
}

int sys_growing(void)
{
	return sys_may(SYS_fallocate) ? 0 : O_APPEND;
}

/* Some file systems have no fallocate (ext2, NFS before 4.2): their blocks are taken by writing to them. */
long sys_allocate(long fd, uint64_t offset, uint64_t bytes)
{
	long result = sys_may(SYS_fallocate) ? SYS4(SYS_fallocate, fd, 0, offset, bytes) :
					       -EOPNOTSUPP;

	if (result != -EOPNOTSUPP)
		return result;
	SYS3(SYS_fcntl, fd, F_SETFL, O_APPEND);
	return fill_up(fd, offset + bytes);
}

void *sys_map_file(const char *path, uint64_t offset, size_t bytes, bool create, long *error)
{
	int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | (create ? O_CREAT | O_EXCL : 0) |
		    sys_growing();
	void *map = NULL;
	long fd = -EFBIG;

	if (sys_size_allowed(offset + bytes))
		fd = SYS4(SYS_openat, AT_FDCWD, path, flags, 0600);
	*error = fd;
	if (fd < 0)
		return NULL;
	*error = sys_allocate(fd, offset, bytes);
	if (!*error && !(map = sys_map(bytes, MAP_SHARED, fd, offset)))
		*error = -ENOMEM;
	if (map)
		SYS3(SYS_madvise, map, bytes, MADV_RANDOM);
	SYS1(SYS_close, fd);
	if (!map && create)
		SYS3(SYS_unlinkat, AT_FDCWD, path, 0);
	return map;
}

void sys_print(const char *const *piece)
{
	char line[512], *at = line;
	struct stat st;

	while (*piece)
		at = text_put(at, line + sizeof(line) - 1, *piece++);
	*at++ = '\n';
	if (SYS2(SYS_fstat, 2, &st) == 0 && S_ISREG(st.st_mode) &&
	    !sys_size_allowed((uint64_t)st.st_size + (uint64_t)(at - line)))
		return; /* it would mean SIGXFSZ */
	SYS3(SYS_write, 2, line, at - line);
}
