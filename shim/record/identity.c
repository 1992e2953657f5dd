/* SPDX-License-Identifier: Apache-2.0 */
/* Reads /proc/PID/stat and compares PIDs, start times and namespaces of processes. */
#include "identity.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "../../include/mpsan_log.h"
#include "../intercept/sys.h"

#define TICK_NS 10000000ull /* resolution of start times in /proc, rounded down */
#define PF_EXITING 0x4u /* of the kernel: a thread that is being taken down */
#define READINGS_NS 1000000ull /* between two clocks that are compared */

struct stat_line {
	uint32_t pid, parent;
	uint64_t threads; /* the main thread ended before the others */
	uint64_t start;
	uint64_t flags;
	char state;
};

/*
 * Parses fields 1 (PID), 3 (state), 4 (parent), 9 (flags), 20 (threads) and 22 (start time) of a
 * stat file; the name in field 2 may contain anything.
 */
static bool parse(const char *text, struct stat_line *to)
{
	const char *p = NULL;

	for (const char *c = text; *c; c++)
		if (*c == ')')
			p = c;
	if (!p || !p[1] || !p[2] || !p[3])
		return false;
	to->pid = (uint32_t)text_number(text, NULL);
	to->state = p[2];
	to->parent = (uint32_t)text_number(p + 4, &p);
	for (int field = 4; field < 22 && *p; field++) {
		p++;
		if (field == 8)
			to->flags = text_number(p, NULL);
		if (field == 19)
			to->threads = text_number(p, NULL);
		while (field < 21 && *p && *p != ' ')
			p++;
	}
	to->start = text_number(p, NULL);
	return to->start != 0;
}

/* Reads the stat file of a process; `pid` 0: this one. */
static bool read_stat(uint32_t pid, struct stat_line *to)
{
	char path[32], text[512], *end = path + sizeof(path), *at = text_put(path, end, "/proc/");

	at = pid ? text_put_number(at, end, pid, 10) : text_put(at, end, "self");
	text_put(at, end, "/stat");
	return sys_read_line(path, text, sizeof(text)) > 0 && parse(text, to);
}

static uint64_t pid_ns_of(uint32_t pid)
{
	char path[32], *end = path + sizeof(path), *at = text_put(path, end, "/proc/");
	struct stat ns;

	at = pid ? text_put_number(at, end, pid, 10) : text_put(at, end, "self");
	text_put(at, end, "/ns/pid");
	return SYS4(SYS_newfstatat, AT_FDCWD, path, &ns, 0) == 0 ? ns.st_ino : 0;
}

uint64_t identity_pid_ns(void)
{
	return pid_ns_of(0);
}

uint64_t identity_proc_mount(void)
{
	char self[16] = "";
	struct stat st;

	if (SYS4(SYS_readlinkat, AT_FDCWD, "/proc/self", self, sizeof(self) - 1) <= 0 ||
	    SYS4(SYS_newfstatat, AT_FDCWD, "/proc", &st, 0))
		return 0;
	return mpsan_proc_mount(text_number(self, NULL), sys_pid(), st.st_dev,
				(uint64_t)st.st_ctim.tv_sec * 1000000000u +
					(uint64_t)st.st_ctim.tv_nsec);
}

static void identity_take(struct identity *to, const struct stat_line *from)
{
	to->pid = from->pid;
	to->parent = from->parent;
	to->start = from->start - (uint64_t)(sys_image.boot_ahead_ns / (int64_t)TICK_NS);
}

bool identity_self(struct identity *self, uint64_t pid_ns)
{
	struct stat_line line;

	if (!read_stat(0, &line))
		return false;
	identity_take(self, &line);
	self->foreign = line.pid != sys_pid();
	self->pid_ns = pid_ns ? pid_ns : identity_pid_ns();
	return self->pid_ns != 0;
}

/* Moves on to the parent: if /proc is that of the own namespace, so is the parent's PID. */
bool identity_up(struct identity *identity)
{
	struct stat_line line;

	if (!identity->parent || !read_stat(identity->parent, &line))
		return false;
	identity_take(identity, &line);
	if (identity->foreign)
		identity->pid_ns = pid_ns_of(identity->pid);
	return true;
}

bool identity_parent(struct identity *parent, uint64_t pid_ns)
{
	*parent = (struct identity){.parent = (uint32_t)SYS1(SYS_getppid, 0), .pid_ns = pid_ns};
	return identity_up(parent);
}

void identity_name(char name[IDENTITY_BYTES], const struct identity *identity)
{
	char *end = name + IDENTITY_BYTES, *at = text_put_number(name, end, identity->pid, 10);

	at = text_put_number(text_put(at, end, "."), end, identity->start, 10);
	text_put_number(text_put(at, end, "."), end, identity->pid_ns, 10);
}

enum identity_state identity_state(const char *name, const struct identity *self)
{
	const char *rest;
	struct stat_line line;
	struct identity now = {0};
	uint64_t start, pid = text_number(name, &rest);

	if (!pid || *rest != '.' || self->foreign)
		return IDENTITY_UNSURE;
	start = text_number(rest + 1, &rest);
	if (*rest == '.' && text_number(rest + 1, NULL) != self->pid_ns)
		return IDENTITY_UNSURE;
	if (!read_stat((uint32_t)pid, &line))
		return SYS2(SYS_kill, pid, 0) == -ESRCH ? IDENTITY_GONE : IDENTITY_UNSURE;
	identity_take(&now, &line);
	return now.start == start ? IDENTITY_LIVES : IDENTITY_GONE;
}

/* CLOCK_BOOTTIME, the clock of start times, minus CLOCK_MONOTONIC. */
static uint64_t slept_ns(void)
{
	struct timespec boot = {0, 0};
	uint64_t now = sys_now(); /* read first: time passes between the two readings */

	SYS2(SYS_clock_gettime, CLOCK_BOOTTIME, &boot);
	return (uint64_t)boot.tv_sec * 1000000000u + (uint64_t)boot.tv_nsec - now;
}

static bool began_by(const struct stat_line *line, uint64_t birth_ns)
{
	return line->start * TICK_NS <= birth_ns + slept_ns() + READINGS_NS;
}

bool identity_has_ended(const struct mpsan_process *p, uint64_t own_pid_ns)
{
	return !p->pid || __atomic_load_n(&p->end_ns, __ATOMIC_ACQUIRE) ||
	       p->flags & MPSAN_PROCESS_REPLACED ||
	       (p->pid_ns == own_pid_ns && SYS2(SYS_kill, p->pid, 0) == -ESRCH);
}

bool identity_lives(const struct mpsan_process *p, uint64_t own_pid_ns)
{
	struct stat_line self, line;

	if (identity_has_ended(p, own_pid_ns))
		return false;
	if (p->pid_ns != own_pid_ns || !read_stat(0, &self) || self.pid != sys_pid() ||
	    !read_stat(p->pid, &line))
		/*
		 * no descriptor is free, or /proc is of another namespace: no reason to assume an
		 * end
		 */
		return true;
	if ((line.state == 'Z' || line.state == 'X') && line.threads <= 1)
		return false;
	return began_by(&line, p->birth_ns);
}

bool identity_stays(const struct mpsan_process *p, uint64_t own_pid_ns)
{
	struct stat_line line;

	return !identity_has_ended(p, own_pid_ns) && p->pid_ns == own_pid_ns &&
	       read_stat(p->pid, &line) && !(line.flags & PF_EXITING) &&
	       began_by(&line, p->birth_ns);
}

bool identity_began_by(uint64_t birth_ns)
{
	struct stat_line line;

	return !read_stat(0, &line) || began_by(&line, birth_ns);
}

bool identity_is_mapped(uint32_t uid)
{
	char text[512];
	const char *at = text;

	if (sys_read_file("/proc/self/uid_map", text, sizeof(text)) < 0)
		return true;
	while (*at) {
		uint64_t number[3];

		for (int i = 0; i < 3; i++) {
			while (*at == ' ' || *at == '\n')
				at++;
			number[i] = text_number(at, &at);
		}
		if (uid >= number[0] && uid - number[0] < number[2])
			return true;
		while (*at && *at++ != '\n')
			;
	}
	return false;
}

/* ---- the note ---- */

/* A symbolic link, BASE/.namespaces -> MOUNT.PIDNS.CLOCKS: one system call reads it. */
#define NOTE_BYTES 64
#define APART_NS 1000000u /* between two pairs of readings */

struct note_path {
	char text[256];
};

static struct note_path note_path(const char *base)
{
	struct note_path path;
	char *end = path.text + sizeof(path.text);

	text_put(text_put(path.text, end, base), end, "/.namespaces");
	return path;
}

static uint64_t clocks_apart(void)
{
	struct sys_clocks now = sys_clocks();

	return now.real_ns - now.ns;
}

bool identity_has_clocks(uint64_t apart_ns)
{
	return clocks_apart() - apart_ns + APART_NS <= 2 * APART_NS;
}

uint64_t identity_noted_pid_ns(const char *base)
{
	struct note_path path = note_path(base);
	char note[NOTE_BYTES], mount[NOTE_BYTES], *end = mount + sizeof(mount);
	uint64_t seen = identity_proc_mount(), pid_ns;
	const char *rest;
	long n = SYS4(SYS_readlinkat, AT_FDCWD, path.text, note, sizeof(note) - 1);

	if (n <= 0 || !seen || sys_image.no_clock)
		return 0;
	note[n] = '\0';
	text_put(text_put_number(mount, end, seen, 16), end, ".");
	if (!text_starts(note, mount))
		return 0;
	pid_ns = text_number(note + strlen(mount), &rest);
	return *rest == '.' && identity_has_clocks(text_number(rest + 1, NULL)) ? pid_ns : 0;
}

void identity_note(const char *base, uint64_t pid_ns)
{
	struct note_path path = note_path(base);
	char note[NOTE_BYTES], *end = note + sizeof(note), *at;
	uint64_t mount = identity_proc_mount();

	if (!mount || sys_image.no_clock || sys_image.monotonic_ahead_ns || sys_image.boot_ahead_ns)
		return;
	at = text_put(text_put_number(note, end, mount, 16), end, ".");
	at = text_put(text_put_number(at, end, pid_ns, 10), end, ".");
	text_put_number(at, end, clocks_apart(), 10);
	SYS3(SYS_unlinkat, AT_FDCWD, path.text, 0);
	SYS3(SYS_symlinkat, note, AT_FDCWD, path.text);
}
