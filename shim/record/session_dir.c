/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expands a '%' pattern once per tree of processes, keeps the result as a note for descendants, and
 * measures clocks.
 */
#include "session_dir.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/timex.h>
#include <sys/utsname.h>

#include "../common/hash.h"
#include "../intercept/sys.h"
#include "identity.h"

#define ANCESTORS 64
#define CLOCK_READINGS 5

struct note {
	char path[320];
};

/*
 * The name of a process's note about a pattern: NOTES/PID.START.NAMESPACE.HASH, a link to the
 * directory.
 */
static struct note note_of(const char *notes, const char *process, const char *pattern)
{
	struct note note;
	char *end = note.path + sizeof(note.path), *at = text_put(note.path, end, notes);

	at = text_put(at, end, "/");
	at = text_put(at, end, process);
	at = text_put(at, end, ".");
	text_put_number(at, end, hash_text(HASH_EMPTY, pattern), 16);
	return note;
}

/*
 * Finds the note of the nearest ancestor that has one. This process itself counts: it may have been
 * another image.
 */
static bool find_note(char *to, size_t bytes, const char *notes, const char *pattern)
{
	char process[IDENTITY_BYTES];
	struct identity who;
	bool seen = identity_self(&who, 0);

	for (int i = 0; i < ANCESTORS && seen; i++, seen = identity_up(&who)) {
		struct note note;
		long n;

		identity_name(process, &who);
		note = note_of(notes, process, pattern);
		n = SYS4(SYS_readlinkat, AT_FDCWD, note.path, to, bytes - 1);
		if (n > 0 && (size_t)n < bytes - 1) {
			to[n] = '\0';
			return true;
		}
	}
	return false;
}

/* Removes the notes of dead processes when a new one is created. */
static void host_sweep(const char *notes, const struct identity *self)
{
	char entry[1024];
	long fd = SYS4(SYS_openat, AT_FDCWD, notes, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW,
		       0),
	     n;

	if (fd < 0)
		return;
	while ((n = SYS3(SYS_getdents64, fd, entry, sizeof(entry))) > 0)
		for (long at = 0; at < n; at += *(unsigned short *)(void *)(entry + at + 16)) {
			const char *name = entry + at + 19;

			if (*name != '.' && identity_state(name, self) == IDENTITY_GONE)
				SYS3(SYS_unlinkat, fd, name, 0);
		}
	SYS1(SYS_close, fd);
}

static void leave_note(const char *directory, const char *notes, const char *pattern)
{
	char process[IDENTITY_BYTES];
	struct identity self;
	struct note note;

	if (!identity_self(&self, 0))
		return;
	identity_name(process, &self);
	host_sweep(notes, &self);
	note = note_of(notes, process, pattern);
	SYS3(SYS_symlinkat, directory, AT_FDCWD, note.path);
}

bool host_directory(char *to, size_t bytes, const char *pattern, const char *notes)
{
	struct utsname name = {0};
	struct rank_names names = {name.nodename, sys_pid(), sys_getenv};

	if (notes && find_note(to, bytes, notes, pattern))
		return true;
	SYS1(SYS_uname, &name);
	if (!rank_expand(to, bytes, pattern, &names))
		return false;
	if (notes)
		leave_note(to, notes, pattern);
	return true;
}

static void read_boot(struct mpsan_host *host)
{
	char text[64];
	long n = sys_read_line("/proc/sys/kernel/random/boot_id", text, sizeof(text));

	if (n <= 0)
		return;
	for (long i = 0; i < n; i++)
		if (text[i] == '\n')
			text[i] = '\0';
	text_put(host->boot, host->boot + sizeof(host->boot), text);
}

enum host_origin host_origin(const struct mpsan_host *host)
{
	struct mpsan_host own = {0};
	struct utsname name = {0};

	if (!*host->boot)
		return HOST_HERE;
	read_boot(&own);
	if (!*own.boot || text_equal(own.boot, host->boot))
		return HOST_HERE;
	SYS1(SYS_uname, &name);
	text_put(own.name, own.name + sizeof(own.name), name.nodename);
	return text_equal(own.name, host->name) ? HOST_EARLIER : HOST_OTHER;
}

/*
 * Compares clocks: setting a file's times to "now" lets its file system, perhaps a server, supply
 * the time.
 */
static void compare_clocks(struct mpsan_host *host, const char *file)
{
	struct statfs fs = {0};

	SYS2(SYS_statfs, file, &fs);
	host->filesystem = (uint64_t)fs.f_type & UINT32_MAX;
	for (int i = 0; i < CLOCK_READINGS; i++) {
		uint64_t before = sys_now_real(), after;
		struct stat st;
		long set = SYS4(SYS_utimensat, AT_FDCWD, file, NULL, 0);

		after = sys_now_real();
		if (set < 0 || SYS4(SYS_newfstatat, AT_FDCWD, file, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return;
		rank_clock(host, before, after,
			   (uint64_t)st.st_mtim.tv_sec * 1000000000u +
				   (uint64_t)st.st_mtim.tv_nsec);
	}
}

static void ask_kernel(struct mpsan_host *host)
{
	struct timex timex = {0};

	if (SYS1(SYS_adjtimex, &timex) < 0)
		return;
	host->clock |= timex.status & STA_UNSYNC ? MPSAN_CLOCK_LOOSE : MPSAN_CLOCK_SYNCED;
	host->max_error_ns = (uint64_t)timex.maxerror * 1000;
}

void host_describe(struct mpsan_host *host, const char *file)
{
	struct utsname name = {0};

	SYS1(SYS_uname, &name);
	text_put(host->name, host->name + sizeof(host->name), name.nodename);
	read_boot(host);
	rank_describe(host, sys_getenv);
	compare_clocks(host, file);
	ask_kernel(host);
}
