/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classifies a used descriptor, compares its open file description with the parent's, and records
 * the first uses: under the same locks, and without any.
 */
#include "shared_ofd.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "../record/log.h"
#include "../record/stack.h"
#include "../record/state.h"
#include "descriptor.h"
#include "use_gates.h"

/* Records per process: one that forks all day would repeat the same. */
#define STATED_MAX 256u
/* descriptors: processes write to files that a shell opened for output together on purpose */
#define STANDARD 3

STATE static uint32_t stated;
STATE static bool has_copies; /* this process has forked, and may share with its children */

/* An open file description that this process shares, and how it has used it since the fork. */
struct use {
	uint64_t device, inode; /* inode 0: not filled in yet */
	enum mpsan_offset_kind kind;
	int fd; /* of a file: others may be open files of their own */
	uint64_t with;
	uint8_t told, last; /* enum mpsan_offset_what: recorded under these gates; the latest use */
	uint64_t asked; /* the time of the latest write to a connection */
	struct use_gates gates; /* locks that were held over all uses */
};

#define USES 32u /* of further ones, the first read, write and seek are recorded */
static struct use uses[USES] LARGE;
STATE static uint32_t uses_known;

void shared_ofd_forked(bool child)
{
	has_copies = !child;
	for (; uses_known; uses_known--)
		uses[uses_known - 1].inode = 0;
	if (child)
		stated = 0;
}

void shared_ofd_apart(int fd)
{
	if (life_may_change())
		descriptor_mark(fd, DESCRIPTOR_APART);
}

static int socket_option(int fd, int option)
{
	int value = -1;
	socklen_t length = sizeof(value);

	return SYS6(SYS_getsockopt, fd, SOL_SOCKET, option, &value, &length, 0) < 0 ? -1 : value;
}

/* Whether it is a connection to another endpoint; local socket pairs are meant to be shared. */
static bool is_connection(int fd)
{
	int domain = socket_option(fd, SO_DOMAIN);

	return (domain == AF_INET || domain == AF_INET6) &&
	       socket_option(fd, SO_TYPE) == SOCK_STREAM && socket_option(fd, SO_ACCEPTCONN) == 0;
}

/* The kind of an open file; 0: its offset does not matter. */
static enum mpsan_offset_kind kind_of(int fd, const struct stat *st)
{
	if (S_ISREG(st->st_mode))
		return fd < STANDARD ? 0 : MPSAN_OFFSET_FILE;
	return S_ISSOCK(st->st_mode) && is_connection(fd) ? MPSAN_OFFSET_STREAM : 0;
}

/* The PID of the parent if it has the same open file description under this number; 0: unknown. */
static uint64_t shared_with_parent(int fd, bool *apart)
{
	long parent = SYS1(SYS_getppid, 0), order;

	*apart = false;
	if (!life.forked)
		return 0;
	order = SYS6(SYS_kcmp, parent, life.pid, KCMP_FILE, fd, fd, 0);
	*apart = order > 0 && !has_copies;
	return order == 0 ? (uint64_t)parent : 0;
}

static NOINLINE uint64_t name_of_file(int fd)
{
	char path[40], to[512], *end = path + sizeof(path),
				*at = text_put(path, end, "/proc/self/fd/");
	long bytes;

	text_put_number(at, end, (uint64_t)fd, 10);
	bytes = SYS4(SYS_readlinkat, AT_FDCWD, path, to, sizeof(to) - 1);
	if (bytes <= 0)
		return 0;
	to[bytes] = '\0';
	return log_text(to);
}

/* "connection to 127.0.0.1:5432"; of IPv6 the port is enough. */
static NOINLINE uint64_t name_of_connection(int fd)
{
	struct sockaddr_in6 six;
	struct sockaddr_in *four = (struct sockaddr_in *)(void *)&six;
	socklen_t length = sizeof(six);
	char text[64], *end = text + sizeof(text), *at = text_put(text, end, "connection to ");
	const uint8_t *byte = (const uint8_t *)&four->sin_addr;

	if (SYS3(SYS_getpeername, fd, &six, &length) < 0)
		return 0;
	for (unsigned i = 0; six.sin6_family == AF_INET && i < 4; i++) {
		at = text_put_number(at, end, byte[i], 10);
		at = text_put(at, end, i < 3 ? "." : ":");
	}
	if (six.sin6_family != AF_INET)
		at = text_put(at, end, "port ");
	text_put_number(at, end, (uint64_t)(uint16_t)(four->sin_port << 8 | four->sin_port >> 8),
			10);
	return log_text(text);
}

static struct use *use_of(int fd, const struct stat *st)
{
	for (uint32_t i = 0; i < uses_known; i++)
		if (__atomic_load_n(&uses[i].inode, __ATOMIC_ACQUIRE) == st->st_ino &&
		    uses[i].device == st->st_dev &&
		    (uses[i].kind == MPSAN_OFFSET_STREAM || uses[i].fd == fd))
			return &uses[i];
	return NULL;
}

/* Keeps it in mind as a use that is described by `new`, which is also used if there is no room. */
static struct use *use_keep(struct use *new, const struct stat *st)
{
	uint32_t at = uses_known;

	new->device = st->st_dev;
	while (at < USES && !__atomic_compare_exchange_n(&uses_known, &at, at + 1, false,
							 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	if (at >= USES)
		return new;
	uses[at] = *new;
	__atomic_store_n(&uses[at].inode, st->st_ino, __ATOMIC_RELEASE);
	return &uses[at];
}

static uint8_t told_by(unsigned what)
{
	return (what & MPSAN_OFFSET_READ ? DESCRIPTOR_READ_TOLD : 0) |
	       (what & MPSAN_OFFSET_WRITE ? DESCRIPTOR_WRITE_TOLD : 0) |
	       (what & MPSAN_OFFSET_MOVE ? DESCRIPTOR_MOVE_TOLD : 0);
}

/* A read after a request, or a use after a seek, belongs to it: no other process may come between them. */
static bool continues(const struct use *use, enum mpsan_offset_what what)
{
	return use->kind == MPSAN_OFFSET_FILE ?
		       use->last == MPSAN_OFFSET_MOVE && what != MPSAN_OFFSET_MOVE :
		       use->last == MPSAN_OFFSET_WRITE && what == MPSAN_OFFSET_READ;
}

/* What was recorded under a lock is recorded again where that was not held. */
static void look_at_gates(struct use *use, enum mpsan_offset_what what)
{
	bool guarded = use_gates_any(&use->gates);

	if (!use->last)
		use_gates_take(&use->gates);
	else if (guarded)
		use_gates_keep(&use->gates, continues(use, what));
	if (guarded && !use_gates_any(&use->gates))
		use->told = 0;
}

/*
 * Ends the watch for what was recorded, unless locks guard it, which may be missing later. The writes to a connection
 * count until it is read: which was the last?
 */
static void watch_less(int fd, const struct use *use)
{
	if (!use_gates_any(&use->gates) &&
	    (use->kind == MPSAN_OFFSET_FILE || use->told & MPSAN_OFFSET_READ))
		descriptor_mark(fd, told_by(use->told));
}

static void use_tell(int fd, const struct use *use, uint64_t inode, enum mpsan_offset_what what,
		     uint64_t caller)
{
	stated++;
	EMIT(offset_used, .fd = (uint64_t)fd, .device = use->device, .inode = inode,
	     .kind = use->kind, .what = what, .with = use->with,
	     .name = use->kind == MPSAN_OFFSET_FILE ? name_of_file(fd) : name_of_connection(fd),
	     .caller = caller, .stack = stack_own(), .python = stack_python(0),
	     .asked = what == MPSAN_OFFSET_READ ? use->asked : 0,
	     .gate = use->gates.gate[0].lock ? use->gates.gate[0].object : 0,
	     .gate2 = use->gates.gate[1].lock ? use->gates.gate[1].object : 0);
}

/* Fills in what it is; false: its offset does not matter. */
static bool use_begin(int fd, struct use *use, const struct stat *st)
{
	bool apart = false;

	use->fd = fd;
	use->kind = kind_of(fd, st);
	use->with = use->kind ? shared_with_parent(fd, &apart) : 0;
	return use->kind && !apart && stated < STATED_MAX;
}

/* O_APPEND writes to the end, whatever the offset. */
static bool appends(int fd, const struct use *use, enum mpsan_offset_what what)
{
	return use->kind == MPSAN_OFFSET_FILE && what == MPSAN_OFFSET_WRITE &&
	       SYS2(SYS_fcntl, fd, F_GETFL) & O_APPEND;
}

static void use_see(int fd, struct use *use, uint64_t inode, enum mpsan_offset_what what,
		    uint64_t caller)
{
	look_at_gates(use, what);
	use->last = what;
	if (what == MPSAN_OFFSET_WRITE)
		use->asked = sys_now();
	if (use->told & what)
		return;
	use->told |= what;
	use_tell(fd, use, inode, what, caller);
}

static void shared_ofd_state(int fd, enum mpsan_offset_what what, uint64_t caller)
{
	struct use *use, fresh = {0};
	struct stat st;

	if (SYS2(SYS_fstat, fd, &st) < 0)
		return;
	use = use_of(fd, &st);
	if (!use && !use_begin(fd, &fresh, &st)) {
		descriptor_mark(fd, DESCRIPTOR_APART);
		return;
	}
	if (appends(fd, use ? use : &fresh, what)) {
		descriptor_mark(fd, DESCRIPTOR_WRITE_TOLD);
		return;
	}
	use = use ? use : use_keep(&fresh, &st);
	use_see(fd, use, st.st_ino, what, caller);
	if (use == &fresh)
		descriptor_mark(fd, told_by(what));
	else
		watch_less(fd, use);
}

void shared_ofd_used(int fd, enum mpsan_offset_what what, uint64_t caller)
{
	if (!life_may_change())
		return;
	GUARDED {
		shared_ofd_state(fd, what, caller);
	}
}
