/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classifies a used descriptor, compares its open file description with the parent's, and records
 * the first uses.
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

/* Records per process: one that forks all day would repeat the same. */
#define STATED_MOST 256u
/* descriptors: processes write to files that a shell opened for output together on purpose */
#define STANDARD 3

STATE static uint32_t stated;
STATE static bool has_copies; /* this process has forked, and may share with its children */

void shared_ofd_forked(bool child)
{
	has_copies = !child;
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

static uint8_t told_by(enum mpsan_offset_what what)
{
	return what == MPSAN_OFFSET_READ  ? DESCRIPTOR_READ_TOLD :
	       what == MPSAN_OFFSET_WRITE ? DESCRIPTOR_WRITE_TOLD :
					    DESCRIPTOR_MOVE_TOLD;
}

static void shared_ofd_state(int fd, enum mpsan_offset_what what, uint64_t caller)
{
	enum mpsan_offset_kind kind;
	struct stat st;
	uint64_t with;
	bool apart;

	if (SYS2(SYS_fstat, fd, &st) < 0)
		return;
	kind = kind_of(fd, &st);
	with = kind ? shared_with_parent(fd, &apart) : 0;
	if (!kind || apart || stated >= STATED_MOST) {
		descriptor_mark(fd, DESCRIPTOR_APART);
		return;
	}
	descriptor_mark(fd, told_by(what));
	/* O_APPEND writes to the end, whatever the offset. */
	if (kind == MPSAN_OFFSET_FILE && what == MPSAN_OFFSET_WRITE &&
	    SYS2(SYS_fcntl, fd, F_GETFL) & O_APPEND)
		return;
	stated++;
	EMIT(offset_used, .fd = (uint64_t)fd, .device = st.st_dev, .inode = st.st_ino, .kind = kind,
	     .what = what, .with = with,
	     .name = kind == MPSAN_OFFSET_FILE ? name_of_file(fd) : name_of_connection(fd),
	     .caller = caller, .stack = stack_own(), .python = stack_python(0));
}

void shared_ofd_used(int fd, enum mpsan_offset_what what, uint64_t caller)
{
	if (!life_may_change())
		return;
	GUARDED {
		shared_ofd_state(fd, what, caller);
	}
}
