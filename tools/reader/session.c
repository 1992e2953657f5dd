/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a session and checks whether its processes live. */
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../base/filtered.h"
#include "../base/guard.h"
#include "../base/plainfile.h"
#include "../base/util.h"
#include "../proc/proc.h"
#include "../proc/procfs.h"
#include "../proc/roots.h"
#include "host.h"

/* the wall clock may have been adjusted slightly since the recording */
#define SAME_BOOT_NS 60000000000ull
#define SLOTS_MOST UINT16_MAX /* larger numbers are garbage; see fact_event.slot */

static char *open_directory(struct session *session, const char *dir)
{
	struct stat st;

	session->dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (session->dirfd < 0)
		return text_format(
			"%s: %s; expected a session directory (mpsan run --dir DIR creates one)",
			dir, strerror(errno));
	if (!fstat(session->dirfd, &st) && st.st_uid != geteuid() && geteuid())
		return text_format(
			"%s: belongs to another user (uid %u); read it as that user or as root",
			dir, st.st_uid);
	return NULL;
}

static char *check_head(struct session *session, const struct mpsan_session *head, size_t bytes)
{
	const char *dir = session->dir;
	bool grows = head->format > 1;

	if (head->magic != MPSAN_SESSION_MAGIC)
		return text_format(
			"%s/session: not a session file, or incomplete; record the session again",
			dir);
	if (!head->format || head->format > MPSAN_SESSION_FORMAT)
		return text_format(
			"%s/session: has format %u, but this mpsan reads format %u; use the mpsan that recorded it",
			dir, head->format, MPSAN_SESSION_FORMAT);
	if (head->slots > (bytes - MPSAN_PAGE) / sizeof(struct mpsan_process))
		return text_format(
			"%s/session: truncated (%zu bytes for %u processes); record the session again",
			dir, bytes, head->slots);
	session->slots = grows ? head->slots_max : head->slots;
	if (session->slots < head->slots || session->slots > SLOTS_MOST)
		return text_format(
			"%s/session: damaged (%u processes, limit %u); record the session again",
			dir, head->slots, session->slots);
	return NULL;
}

static int open_table(const struct session *session)
{
	return plainfile_open(session->dirfd, "session",
			      (session->writable ? O_RDWR : O_RDONLY) | O_NOFOLLOW);
}

/* Maps the part of the file that exists now. */
static bool map_file(struct session *session, int fd, size_t bytes)
{
	size_t pages = (bytes + MPSAN_PAGE - 1) & ~(size_t)(MPSAN_PAGE - 1);
	int rights = PROT_READ | (session->writable ? PROT_WRITE : 0);

	if (pages > session->bytes)
		pages = session->bytes;
	return mmap(session->head, pages, rights, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED;
}

/* Reserves addresses for the table's largest size: the missing part reads as free slots. */
static char *map_table(struct session *session, int fd, size_t bytes)
{
	void *map;

	session->bytes = MPSAN_PAGE + session->slots * sizeof(struct mpsan_process);
	session->bytes = (session->bytes + MPSAN_PAGE - 1) & ~(size_t)(MPSAN_PAGE - 1);
	map = mmap(NULL, session->bytes, PROT_READ | (session->writable ? PROT_WRITE : 0),
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED)
		return text_format("%s/session: no memory to map it; " MEMORY_CURE, session->dir);
	session->head = map;
	session->table = (struct mpsan_process *)((char *)map + MPSAN_PAGE);
	guard_add(map, session->bytes, true);
	return map_file(session, fd, bytes) ?
		       NULL :
		       text_format("%s/session: %s", session->dir, strerror(errno));
}

static char *take_table(struct session *session)
{
	int fd = open_table(session);
	struct mpsan_session head = {0};
	struct stat st;
	char *wrong;

	if (fd < 0 && errno == PLAINFILE_OTHER)
		return text_format(
			"%s/session: truncated or not a regular file; record the session again",
			session->dir);
	if (fd < 0)
		return text_format(
			"%s: no session here (file 'session': %s); expected a session directory; "
			"plain preloading creates one per program in $TMPDIR/mpsan-UID",
			session->dir, strerror(errno));
	if (fstat(fd, &st) || st.st_size < (off_t)MPSAN_PAGE ||
	    pread(fd, &head, sizeof(head), 0) != sizeof(head))
		wrong = text_format(
			"%s/session: truncated or not a regular file; record the session again",
			session->dir);
	else
		wrong = fstat(fd, &st) ? NULL : check_head(session, &head, st.st_size);
	if (!wrong)
		wrong = map_table(session, fd, st.st_size);
	session->there = head.slots;
	session->device = st.st_dev;
	session->inode = st.st_ino;
	close(fd);
	return wrong;
}

/* The file that is mapped, as it is now; -1: another one is in its place. */
static int reopen_table(const struct session *session, struct stat *st)
{
	int fd = open_table(session);

	if (fd >= 0 &&
	    (fstat(fd, st) || st->st_dev != session->device || st->st_ino != session->inode)) {
		close(fd);
		return -1;
	}
	return fd;
}

uint32_t session_there(struct session *session)
{
	uint32_t slots = __atomic_load_n(&session->head->slots, __ATOMIC_ACQUIRE);
	struct stat st;
	int fd;

	if (slots <= session->there || slots > session->slots)
		return session->there;
	fd = reopen_table(session, &st);
	if (fd >= 0 && map_file(session, fd, st.st_size))
		session->there = slots;
	if (fd >= 0)
		close(fd);
	return session->there;
}

void session_make_room(struct session *session)
{
	struct mpsan_session *head = session->head;
	uint32_t slots = __atomic_load_n(&head->slots, __ATOMIC_ACQUIRE);
	uint64_t used = __atomic_load_n(&head->claimed, __ATOMIC_ACQUIRE);
	off_t bytes = (off_t)(slots * sizeof(struct mpsan_process));
	struct stat st;
	int fd;

	if (!session->writable || session->tight || head->format != MPSAN_SESSION_FORMAT ||
	    used <= slots / 4 || slots * 2 > head->slots_max || !filtered_may(SYS_fallocate))
		return;
	fd = reopen_table(session, &st);
	session->tight = fd < 0 || posix_fallocate(fd, (off_t)MPSAN_PAGE + bytes, bytes);
	if (!session->tight)
		__atomic_compare_exchange_n(&head->slots, &slots, slots * 2, false,
					    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
	if (fd >= 0)
		close(fd);
}

static bool is_from_here(const struct mpsan_session *head)
{
	uint64_t then = head->start_real_ns - head->start_ns;
	uint64_t now = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
	uint64_t apart = then > now ? then - now : now - then;
	bool known, here = host_is_here(&head->host, &known);

	return known ? here : apart < SAME_BOOT_NS;
}

char *session_open(struct session *session, const char *dir, bool writable)
{
	char *wrong;

	*session = (struct session){.dirfd = -1, .writable = writable};
	session->dir = text_copy(dir);
	wrong = open_directory(session, dir);
	if (!wrong)
		wrong = take_table(session);
	if (wrong) {
		session_close(session);
		return wrong;
	}
	session->here = is_from_here(session->head);
	session->elsewhere = elsewhere_create(session->table, session->slots);
	session->roots = roots_create(session->slots, session->here && host_proc_is_own());
	return NULL;
}

void session_close(struct session *session)
{
	if (session->head) {
		guard_remove(session->head);
		munmap(session->head, session->bytes);
	}
	if (session->dirfd >= 0)
		close(session->dirfd);
	free(session->dir);
	elsewhere_destroy(session->elsewhere);
	roots_destroy(session->roots);
	*session = (struct session){.dirfd = -1};
}

bool session_is_removed(const struct session *session)
{
	return faccessat(session->dirfd, "session", F_OK, 0) && errno == ENOENT;
}

uint32_t session_born_as(const struct session *session, uint32_t slot)
{
	for (uint32_t images = 0; images < session->slots; images++) {
		uint32_t parent = session->table[slot].parent;

		if (!parent || parent > session->slots ||
		    session->table[parent - 1].pid != session->table[slot].pid)
			break;
		slot = parent - 1;
	}
	return slot;
}

uint32_t session_pid(const struct session *session, uint32_t slot)
{
	const struct mpsan_process *process = &session->table[slot];

	return elsewhere_is(process) ? elsewhere_pid(session->elsewhere, session->there, slot) :
				       process->pid;
}

uint64_t session_handlers(const struct session *session, uint32_t slot)
{
	uint32_t pid = session_pid(session, slot);
	uint64_t handlers = pid ? proc_handlers(pid) : UINT64_MAX;

	return session->table[slot].flags & MPSAN_PROCESS_READLINE ?
		       handlers & ~(1ull << (SIGWINCH - 1)) :
		       handlers;
}

enum liveness session_runs_as(uint32_t pid, uint64_t birth_ns)
{
	struct proc_stat stat;

	if (!host_proc_is_own())
		return kill((pid_t)pid, 0) && errno == ESRCH ? GONE : UNKNOWN;
	/* An unreadable process is not dead: descriptors may be exhausted, or /proc may hide it. */
	stat = proc_stat(pid, pid);
	if (!stat.state)
		return !proc_lives(pid) ? GONE : kill((pid_t)pid, 0) ? UNKNOWN : ALIVE;
	if (proc_stat_ended(&stat))
		return GONE;
	return host_started_later(stat.start, birth_ns) ? GONE : ALIVE;
}

enum liveness session_liveness(const struct session *session, uint32_t slot)
{
	uint32_t pid;

	if (!session->here)
		return GONE;
	pid = session_pid(session, slot);
	if (pid)
		return session_runs_as(pid, session->table[slot].birth_ns);
	return elsewhere_is_gone(session->elsewhere, session->there, slot) ? GONE : UNKNOWN;
}

const char *session_root(const struct session *session, uint32_t slot)
{
	bool lives = session_liveness(session, slot) == ALIVE;

	return roots_of(session->roots, slot, lives ? session_pid(session, slot) : 0);
}

void session_user(const struct session *session, uint32_t slot, struct proc_user *user)
{
	static const struct proc_user nobody = {.uid = PROC_NOBODY, .gid = PROC_NOBODY};
	uint32_t began_as;
	struct stat st;

	*user = nobody;
	user->uid = geteuid();
	if (user->uid || slot >= session->slots)
		return;
	began_as = session->table[slot].uid;
	if (!procfs_source() && session_liveness(session, slot) != ALIVE)
		user->uid = !fstat(session->dirfd, &st) && st.st_uid ? st.st_uid : began_as;
	else if (!proc_user(session_pid(session, slot), user) ||
		 (began_as && began_as != user->uid))
		*user = nobody;
}

bool session_lost_supervisor(const struct session *session)
{
	const struct mpsan_session *head = session->head;

	if (!head->supervisor || head->end_ns)
		return false;
	if (head->failed)
		return true;
	if (session->here && head->pid_ns && head->pid_ns != host_pid_namespace())
		return false;
	return !session->here || session_runs_as(head->supervisor, head->start_ns) == GONE;
}
