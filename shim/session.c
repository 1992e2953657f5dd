/*
 * Sessions. Under `mpsan run` the directory comes in MPSAN_DIR. Plain preloading may not touch the
 * environment, so the first process makes a directory named after itself (pid and kernel start
 * time) and its descendants find it by looking for the names of their ancestors: exact, and without
 * anything that is handed down.
 */
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include "host.h"
#include "sys.h"

#define OWN_SLOTS 4096u /* of a session that the library itself makes */
#define KEEP_SESSIONS 32u
#define ANCESTORS 64

bool session_elsewhere;

struct path {
	char text[240];
};

static struct path join(const char *a, const char *b)
{
	struct path p;
	char *end = p.text + sizeof(p.text), *at = text_put(p.text, end, a);

	at = text_put(at, end, "/");
	text_put(at, end, b);
	return p;
}

/* A directory of ours: not a link, this user's, and nobody else may write to it. */
static bool is_ours(const char *path)
{
	struct stat st;

	return SYS4(SYS_newfstatat, AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISDIR(st.st_mode) && st.st_uid == (uint32_t)SYS1(SYS_geteuid, 0) &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

static bool make_ours(const char *path)
{
	long made = SYS3(SYS_mkdirat, AT_FDCWD, path, 0700);

	return (made == 0 || made == -EEXIST) && is_ours(path);
}

struct mpsan_process *session_table(struct mpsan_session *session)
{
	return (void *)((char *)session + MPSAN_PAGE);
}

/* Maps an existing session whole; NULL when it is not one of this format. */
static struct mpsan_session *map_session(const char *directory)
{
	struct path p = join(directory, "session");
	struct mpsan_session *s = NULL;
	struct stat st;
	long fd, map;

	if (!is_ours(directory))
		return NULL;
	fd = SYS4(SYS_openat, AT_FDCWD, p.text, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
	if (fd < 0)
		return NULL;
	if (SYS4(SYS_newfstatat, fd, "", &st, AT_EMPTY_PATH) == 0 &&
	    st.st_size > (long)MPSAN_PAGE) {
		map = SYS6(SYS_mmap, 0, st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		s = map < 0 && map > -4096 ? NULL : (void *)map;
	}
	SYS1(SYS_close, fd);
	if (s && (__atomic_load_n(&s->magic, __ATOMIC_ACQUIRE) != MPSAN_SESSION_MAGIC ||
		  s->format != MPSAN_FORMAT ||
		  MPSAN_PAGE + (uint64_t)s->slots * 256 > (uint64_t)st.st_size)) {
		SYS2(SYS_munmap, s, st.st_size);
		s = NULL;
	}
	if (s && host_is_other(&s->host)) {
		session_elsewhere = true;
		SYS2(SYS_munmap, s, st.st_size);
		s = NULL;
	}
	return s;
}

/*
 * Makes the file under another name and links it, so that whoever finds `session` finds it whole.
 */
static struct mpsan_session *make_session(const char *directory)
{
	struct path name = join(directory, "session"), part = join(directory, "session.");
	char *end = part.text + sizeof(part.text);
	struct mpsan_session *s;

	text_put_number(part.text + strlen(part.text), end, sys_tid(), 10);
	s = sys_map_file(part.text, 0, MPSAN_PAGE + OWN_SLOTS * sizeof(struct mpsan_process), true);
	if (!s)
		return NULL;
	s->format = MPSAN_FORMAT;
	s->slots = OWN_SLOTS;
	s->start_ns = sys_now();
	s->start_real_ns = sys_now_real();
	s->uid = (uint32_t)SYS1(SYS_geteuid, 0);
	host_describe(&s->host, part.text);
	s->magic = MPSAN_SESSION_MAGIC;
	SYS6(SYS_linkat, AT_FDCWD, part.text, AT_FDCWD, name.text, 0, 0);
	SYS3(SYS_unlinkat, AT_FDCWD, part.text, 0);
	SYS2(SYS_munmap, s, MPSAN_PAGE + OWN_SLOTS * sizeof(struct mpsan_process));
	return map_session(directory);
}

/*
 * Fields 3 (state), 4 (parent) and 22 (start time) of /proc/PID/stat; the name in field 2 may hold
 * anything.
 */
static bool read_stat_of(uint32_t pid, char *state, uint32_t *parent, uint64_t *start)
{
	char path[32], text[512], *end = path + sizeof(path), *at = text_put(path, end, "/proc/");
	const char *p = NULL;

	at = text_put_number(at, end, pid, 10);
	text_put(at, end, "/stat");
	if (sys_read_file(path, text, sizeof(text)) <= 0)
		return false;
	for (const char *c = text; *c; c++)
		if (*c == ')')
			p = c;
	if (!p || !p[1] || !p[2] || !p[3])
		return false;
	*state = p[2];
	*parent = (uint32_t)text_number(p + 4, &p);
	for (int field = 4; field < 22 && *p; field++) {
		p++;
		while (field < 21 && *p && *p != ' ')
			p++;
	}
	*start = text_number(p, NULL);
	return *start != 0;
}

static bool read_stat(uint32_t pid, uint32_t *parent, uint64_t *start)
{
	char state;

	return read_stat_of(pid, &state, parent, start);
}

bool session_name(char name[SESSION_NAME_BYTES], uint32_t pid, uint32_t *parent)
{
	char *end = name + SESSION_NAME_BYTES, *at;
	uint64_t start;

	if (!read_stat(pid, parent, &start))
		return false;
	at = text_put_number(name, end, pid, 10);
	at = text_put(at, end, ".");
	text_put_number(at, end, start, 10);
	return true;
}

static bool join_ancestor(const char *base, struct path *found)
{
	uint32_t pid = sys_pid(), parent;
	char name[SESSION_NAME_BYTES];

	for (int i = 0; i < ANCESTORS && pid && session_name(name, pid, &parent);
	     i++, pid = parent) {
		*found = join(base, name);
		if (is_ours(found->text))
			return true;
	}
	return false;
}

static void remove_session(const char *directory)
{
	char entry[1024];
	long fd = SYS4(SYS_openat, AT_FDCWD, directory,
		       O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW, 0),
	     n;

	if (fd < 0)
		return;
	while ((n = SYS3(SYS_getdents64, fd, entry, sizeof(entry))) > 0)
		for (long at = 0; at < n; at += *(unsigned short *)(void *)(entry + at + 16))
			if (entry[at + 19] != '.')
				SYS3(SYS_unlinkat, fd, entry + at + 19, 0);
	SYS1(SYS_close, fd);
	SYS3(SYS_unlinkat, AT_FDCWD, directory, AT_REMOVEDIR);
}

bool session_root_lives(const char *name)
{
	const char *rest;
	uint32_t parent;
	uint64_t start, pid = text_number(name, &rest);

	return *rest != '.' ||
	       (read_stat((uint32_t)pid, &parent, &start) && start == text_number(rest + 1, NULL));
}

/* Keeps the number of finished sessions bounded: lets go of one that nobody lives in. */
static void forget_old(const char *base)
{
	char entry[1024];
	struct path oldest = {""};
	uint64_t oldest_ns = UINT64_MAX;
	long fd = SYS4(SYS_openat, AT_FDCWD, base, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW,
		       0),
	     n;
	unsigned count = 0;

	if (fd < 0)
		return;
	while ((n = SYS3(SYS_getdents64, fd, entry, sizeof(entry))) > 0) {
		for (long at = 0; at < n; at += *(unsigned short *)(void *)(entry + at + 16)) {
			const char *name = entry + at + 19;
			struct stat st;

			if (*name == '.' ||
			    SYS4(SYS_newfstatat, fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
				continue;
			count++;
			if ((uint64_t)st.st_mtim.tv_sec < oldest_ns && !session_root_lives(name)) {
				oldest_ns = (uint64_t)st.st_mtim.tv_sec;
				oldest = join(base, name);
			}
		}
	}
	SYS1(SYS_close, fd);
	if (count > KEEP_SESSIONS && oldest.text[0])
		remove_session(oldest.text);
}

static struct path base_directory(void)
{
	const char *tmp = sys_getenv("TMPDIR");
	struct path p = join(tmp && *tmp ? tmp : "/tmp", "mpsan-");

	text_put_number(p.text + strlen(p.text), p.text + sizeof(p.text),
			(uint64_t)SYS1(SYS_geteuid, 0), 10);
	return p;
}

static struct mpsan_session *join_or_make(const char *directory)
{
	struct mpsan_session *s = make_ours(directory) ? map_session(directory) : NULL;

	if (!s && !session_elsewhere && is_ours(directory))
		s = make_session(directory);
	return s;
}

/* One directory above may be missing as well: who starts first on a host finds nothing. */
static void make_above(const char *directory)
{
	struct path above = join(directory, "");
	size_t last = 0;

	for (size_t i = 1; directory[i] && above.text[i]; i++)
		if (directory[i] == '/')
			last = i;
	above.text[last] = '\0';
	if (last)
		SYS3(SYS_mkdirat, AT_FDCWD, above.text, 0700);
}

/* What MPSAN_DIR means here. */
static bool place_given(char *directory, uint32_t bytes, const char *given)
{
	struct path base, notes;
	bool noted, fits = true, pattern = rank_is_pattern(given);

	if (pattern) {
		base = base_directory();
		notes = join(base.text, ".dirs");
		noted = make_ours(base.text) && make_ours(notes.text);
		fits = host_directory(directory, bytes, given, noted ? notes.text : NULL);
	} else {
		text_put(directory, directory + bytes, given);
	}
	if (!fits || strlen(directory) + sizeof("/session") > sizeof(struct path))
		return false; /* nothing is made under a name cut short */
	if (pattern)
		make_above(directory);
	return true;
}

struct mpsan_session *session_join(char *directory, uint32_t bytes, bool make)
{
	const char *given = sys_getenv("MPSAN_DIR");
	char name[SESSION_NAME_BYTES];
	struct path base, own;
	uint32_t parent;

	if (given && *given) {
		if (!place_given(directory, bytes, given))
			return NULL;
		return make ? join_or_make(directory) : map_session(directory);
	}
	base = base_directory();
	if (!make_ours(base.text) || !session_name(name, sys_pid(), &parent))
		return NULL;
	if (!join_ancestor(base.text, &own)) {
		forget_old(base.text);
		own = join(base.text, name);
	}
	text_put(directory, directory + bytes, own.text);
	return join_or_make(directory);
}

/*
 * Probing starts at a place that follows from the pid, so that a look-up stops at the first free
 * slot.
 */
static uint32_t probe_start(const struct mpsan_session *s, uint32_t pid)
{
	return (uint32_t)((uint64_t)(pid * 2654435761u) * s->slots >> 32);
}

/* A birth time of 0 means that the other side is just filling it in. */
static bool is_same(const struct mpsan_process *p, uint32_t pid, uint64_t since_ns, uint16_t unless)
{
	bool recent = !p->birth_ns || (since_ns && p->birth_ns >= since_ns);

	return p->pid == pid && !(p->flags & unless) && (recent || (!since_ns && !p->end_ns));
}

uint32_t session_claim(struct mpsan_session *s, uint32_t pid, uint64_t since_ns, uint16_t unless)
{
	struct mpsan_process *table = session_table(s);
	uint32_t at = probe_start(s, pid);

	for (uint32_t i = 0; i < s->slots; i++, at = at + 1 < s->slots ? at + 1 : 0) {
		uint32_t expected = 0;

		if (!table[at].pid &&
		    __atomic_compare_exchange_n(&table[at].pid, &expected, pid, false,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
			__atomic_fetch_add(&s->claimed, 1, __ATOMIC_RELEASE);
			return at;
		}
		if (is_same(&table[at], pid, since_ns, unless))
			return at;
	}
	__atomic_fetch_add(&s->unrecorded, 1, __ATOMIC_RELAXED);
	return SESSION_NO_SLOT;
}

/* The newest slot with this pid, of those that have not ended or of all. */
static uint32_t find_newest(struct mpsan_session *s, uint32_t pid, bool ended_too)
{
	struct mpsan_process *table = session_table(s);
	uint32_t at = probe_start(s, pid), found = SESSION_NO_SLOT;

	for (uint32_t i = 0; i < s->slots && table[at].pid;
	     i++, at = at + 1 < s->slots ? at + 1 : 0)
		if (table[at].pid == pid && (ended_too || !table[at].end_ns) &&
		    (found == SESSION_NO_SLOT || table[at].birth_ns >= table[found].birth_ns))
			found = at;
	return found;
}

uint32_t session_find(struct mpsan_session *s, uint32_t pid)
{
	return find_newest(s, pid, false);
}

uint32_t session_find_last(struct mpsan_session *s, uint32_t pid)
{
	return find_newest(s, pid, true);
}

#define TICK_NS 10000000ull /* of the start times that /proc tells */

/* CLOCK_BOOTTIME, which start times are told in, less CLOCK_MONOTONIC. */
static uint64_t slept_ns(void)
{
	struct timespec boot = {0, 0};
	uint64_t now = sys_now(); /* first: between the two readings time passes */

	SYS2(SYS_clock_gettime, CLOCK_BOOTTIME, &boot);
	return (uint64_t)boot.tv_sec * 1000000000u + (uint64_t)boot.tv_nsec - now;
}

bool session_has_ended(const struct mpsan_process *p, uint64_t own_pid_ns)
{
	return !p->pid || __atomic_load_n(&p->end_ns, __ATOMIC_ACQUIRE) ||
	       p->flags & MPSAN_PROCESS_REPLACED ||
	       (p->pid_ns == own_pid_ns && SYS2(SYS_kill, p->pid, 0) == -ESRCH);
}

bool session_lives(const struct mpsan_process *p, uint64_t own_pid_ns)
{
	uint32_t parent;
	uint64_t start;
	char state;

	if (session_has_ended(p, own_pid_ns))
		return false;
	if (p->pid_ns != own_pid_ns || !read_stat_of(p->pid, &state, &parent, &start))
		return true; /* no descriptor is left, or there is no /proc: no reason to think so */
	if (state == 'Z' || state == 'X')
		return false;
	return start * TICK_NS <= p->birth_ns + slept_ns() + 2 * TICK_NS;
}
