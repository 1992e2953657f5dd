/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds, creates and maps the session. Under `mpsan run` its directory is in MPSAN_DIR. With plain
 * preloading the environment must not change, so the first process creates a directory named after
 * its identity (identity.h), and its descendants look for the names of their ancestors: that is
 * exact, and needs nothing to be passed on.
 */
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "../common/rank.h"
#include "../intercept/sys.h"
#include "identity.h"
#include "session_dir.h"
#include "setting.h"
#include "stale_sessions.h"
#include "table.h"

#define ANCESTORS 64
#define NOBODY 65534u /* unmapped users of a user namespace appear as this one */

const char *session_refused;
long session_error;

struct path {
	char text[MPSAN_DIRECTORY_MAX + sizeof("/session")];
};

static struct path join(const char *a, const char *b)
{
	struct path p;
	char *end = p.text + sizeof(p.text), *at = text_put(p.text, end, a);

	at = text_put(at, end, "/");
	text_put(at, end, b);
	return p;
}

uint32_t session_user(void)
{
	static uint32_t known;
	static bool asked;

	if (!asked)
		known = (uint32_t)SYS1(SYS_geteuid, 0);
	asked = true;
	return known;
}

/*
 * Whether a directory is private to this user. If many users appear as one, a directory that only
 * its owner may enter, and that we can enter, is ours.
 */
bool session_is_ours(const char *path)
{
	struct stat st;

	return SYS4(SYS_newfstatat, AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISDIR(st.st_mode) && st.st_uid == session_user() &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH)) &&
	       (session_user() != NOBODY || !(st.st_mode & (S_IRWXG | S_IRWXO)) ||
		identity_is_mapped(NOBODY));
}

/*
 * Whether another user owns a directory above, and so could replace ours. Checked at creation only:
 * existing directories passed the same check.
 */
static bool is_below_foreign(const char *path)
{
	struct path real = join(path, "");
	char link[48], *end = link + sizeof(link);
	long n, fd = SYS4(SYS_openat, AT_FDCWD, path, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	bool foreign = false;

	if (fd < 0)
		return false;
	text_put_number(text_put(link, end, "/proc/self/fd/"), end, (uint64_t)fd, 10);
	n = SYS4(SYS_readlinkat, AT_FDCWD, link, real.text, sizeof(real.text) - 1);
	SYS1(SYS_close, fd);
	real.text[n > 0 ? n : (long)strlen(real.text)] = '\0';
	for (size_t at = strlen(real.text); at && !foreign; at--) {
		struct stat st;

		if (real.text[at] && real.text[at] != '/')
			continue;
		real.text[at] = '\0';
		foreign = SYS4(SYS_newfstatat, AT_FDCWD, real.text, &st, 0) == 0 && st.st_uid &&
			  st.st_uid != session_user() &&
			  (st.st_uid != NOBODY || identity_is_mapped(NOBODY));
	}
	if (foreign)
		session_refused =
			"the session's directory would be inside a directory of another user; set "
			"TMPDIR or MPSAN_DIR";
	return foreign;
}

static struct path above(const char *path)
{
	struct path p = join(path, "");
	size_t last = 0;

	for (size_t i = 0; path[i] && p.text[i]; i++)
		if (path[i] == '/')
			last = i;
	if (*path != '/' && !last)
		return (struct path){"."};
	p.text[last ? last : 1] = '\0';
	return p;
}

/* Somebody else made it: that user is named, as only he, or root, can remove it. */
static void refuse_foreign(const char *path)
{
	static char text[400];
	char *end = text + sizeof(text), *at = text_put(text, end, path);
	struct stat st;

	if (SYS4(SYS_newfstatat, AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) ||
	    st.st_uid == session_user())
		return;
	at = text_put(at, end, " belongs to another user (uid ");
	at = text_put_number(at, end, st.st_uid, 10);
	text_put(at, end, "); have it removed, or set TMPDIR or MPSAN_DIR");
	session_refused = text;
}

static bool make_ours(const char *path)
{
	long made = session_is_ours(path) ? 0 : SYS3(SYS_mkdirat, AT_FDCWD, path, 0700);

	if (made < 0)
		session_error = made;
	if (made == 0 || (made == -EEXIST && session_is_ours(path)))
		return true;
	if (made == -EEXIST)
		refuse_foreign(path);
	return false;
}

/* Creates the directory, where nothing above it is known to be ours. */
static bool make_first(const char *path)
{
	return session_is_ours(path) || (!is_below_foreign(above(path).text) && make_ours(path));
}

/* Times are those of the initial time namespace: this process is asked for its own, once. */
static bool times_are_initial;

static void leave_time_namespace(void)
{
	if (!times_are_initial)
		sys_leave_time_namespace();
	times_are_initial = true;
}

/*
 * Whether the clocks stand to each other as they did when the session was made, on a host of the same
 * name: then it is of this boot, and of the time namespace of this process. To ask /proc for both takes longer
 * than the rest of a start.
 */
static bool has_its_clocks(const struct mpsan_session *s)
{
	struct utsname name;

	return s->start_real_ns && identity_has_clocks(s->start_real_ns - s->start_ns) &&
	       !SYS1(SYS_uname, &name) && text_equal(s->host.name, name.nodename);
}

static bool is_of_here(const struct mpsan_session *s)
{
	if (has_its_clocks(s))
		return true;
	leave_time_namespace();
	switch (host_origin(&s->host)) {
	case HOST_OTHER:
		session_refused =
			"the session is of another host; start mpsan on each host (mpsan env "
			"--help, --launcher)";
		return false;
	case HOST_EARLIER:
		session_refused =
			"the session is from before the last boot; set MPSAN_DIR to a new "
			"directory";
		return false;
	default:
		return true;
	}
}

/*
 * Whether a mapped session is consistent with its file; the table may have grown since the file was
 * examined.
 */
static bool is_sound(const struct mpsan_session *s, long fd, struct stat *st)
{
	if (__atomic_load_n(&s->magic, __ATOMIC_ACQUIRE) != MPSAN_SESSION_MAGIC)
		return false;
	if (s->format != MPSAN_SESSION_FORMAT) {
		session_refused =
			"the session is of another version of mpsan; set MPSAN_DIR to a new "
			"directory";
		return false;
	}
	return table_is_sound(s, (uint64_t)st->st_size) ||
	       (SYS2(SYS_fstat, fd, st) == 0 && table_is_sound(s, (uint64_t)st->st_size));
}

/*
 * Maps the table at its maximum size, so that it never moves; what lies beyond the end of the file
 * is not touched before it exists. If that is not possible, maps the current size.
 */
static struct mpsan_session *map_whole(long fd, const struct stat *st, size_t *bytes)
{
	uint64_t most = table_file_bytes(MPSAN_SLOTS_MAX);
	struct mpsan_session *s;

	*bytes = most > (uint64_t)st->st_size ? most : (uint64_t)st->st_size;
	s = sys_map(*bytes, MAP_SHARED, fd, 0);
	if (!s) {
		*bytes = (size_t)st->st_size;
		s = sys_map(*bytes, MAP_SHARED, fd, 0);
	}
	return s;
}

/*
 * Without O_NOATIME each mapping would be noted in the file's inode, at a price of some microseconds; with it, the
 * kernel refuses where many users appear as one.
 */
static long open_session(const char *path)
{
	int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
	long fd = SYS4(SYS_openat, AT_FDCWD, path, flags | O_NOATIME, 0);

	return fd == -EPERM ? SYS4(SYS_openat, AT_FDCWD, path, flags, 0) : fd;
}

/* Maps an existing session of a directory that is ours; NULL if it has another format or is of another host. */
static struct mpsan_session *map_ours(const char *directory)
{
	struct path p = join(directory, "session");
	struct mpsan_session *s = NULL;
	struct stat st;
	bool joined = false;
	size_t bytes;
	long fd;

	fd = open_session(p.text);
	if (fd < 0)
		return NULL;
	if (SYS2(SYS_fstat, fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > (long)MPSAN_PAGE)
		s = map_whole(fd, &st, &bytes);
	if (s) {
		table_touch(s);
		joined = is_sound(s, fd, &st);
	}
	SYS1(SYS_close, fd);
	if (joined && is_of_here(s)) {
		table_mapped(s, p.text, st.st_dev, st.st_ino,
			     (uint32_t)((bytes - MPSAN_PAGE) / sizeof(struct mpsan_process)));
		return s;
	}
	if (s)
		SYS2(SYS_munmap, s, bytes);
	return NULL;
}

static struct mpsan_session *map_session(const char *directory)
{
	return session_is_ours(directory) ? map_ours(directory) : NULL;
}

static void session_describe(struct mpsan_session *s, const char *file)
{
	const char *options = sys_getenv("MPSAN_OPTIONS");
	struct sys_clocks now = sys_clocks();

	if (options)
		text_put(s->options, s->options + sizeof(s->options), options);
	s->format = MPSAN_SESSION_FORMAT;
	s->slots = MPSAN_SLOTS_FIRST;
	s->slots_max = MPSAN_SLOTS_MAX;
	s->logs_max = setting_bytes("log-total", MPSAN_LOGS_MAX);
	s->start_ns = now.ns;
	s->start_real_ns = now.real_ns;
	s->uid = session_user();
	s->pid_ns = identity_pid_ns();
	s->proc_mount = identity_proc_mount();
	host_describe(&s->host, file);
	s->magic = MPSAN_SESSION_MAGIC;
}

/* Creates the file under a temporary name and links it, so that `session` is always complete. */
static struct mpsan_session *make_session(const char *directory)
{
	struct path name = join(directory, "session"), part = join(directory, "session.");
	char *end = part.text + sizeof(part.text);
	size_t bytes = table_file_bytes(MPSAN_SLOTS_FIRST);
	struct mpsan_session *s;

	leave_time_namespace();
	text_put_number(part.text + strlen(part.text), end, sys_tid(), 10);
	text_put(part.text + strlen(part.text), end, ".");
	text_put_number(part.text + strlen(part.text), end, identity_pid_ns(), 10);
	s = sys_map_file(part.text, 0, bytes, true, &session_error);
	if (!s)
		return NULL;
	session_describe(s, part.text);
	SYS6(SYS_linkat, AT_FDCWD, part.text, AT_FDCWD, name.text, 0, 0);
	SYS3(SYS_unlinkat, AT_FDCWD, part.text, 0);
	SYS2(SYS_munmap, s, bytes);
	return map_session(directory);
}

static struct path base_directory(void)
{
	const char *tmp = sys_getenv("TMPDIR");
	struct path p = join(tmp && *tmp == '/' ? tmp : "/tmp", "mpsan-");

	text_put_number(p.text + strlen(p.text), p.text + sizeof(p.text), session_user(), 10);
	return p;
}

static struct mpsan_session *join_or_make(const char *directory)
{
	struct mpsan_session *s = map_session(directory);

	if (!s && !session_refused && make_ours(directory))
		s = make_session(directory);
	return s;
}

static struct mpsan_session *join_or_make_first(const char *directory)
{
	struct mpsan_session *s = map_session(directory);

	return !s && !session_refused && make_first(directory) ? join_or_make(directory) : s;
}

/* Joins a session, or replaces one from before the last boot. */
static struct mpsan_session *join_or_renew(const char *directory, const struct identity *self)
{
	struct mpsan_session *s = join_or_make(directory);

	if (!s && session_refused && stale_is_over(directory, self)) {
		stale_remove(directory);
		session_refused = NULL;
		s = join_or_make(directory);
	}
	return s;
}

/* Expands MPSAN_DIR for this process. */
static bool place_given(char *directory, uint32_t bytes, const char *given)
{
	struct path base, notes, upper;
	bool noted, fits = true, pattern = rank_is_pattern(given);

	if (pattern) {
		base = base_directory();
		notes = join(base.text, ".dirs");
		noted = make_first(base.text) && make_ours(notes.text);
		session_refused = NULL; /* the notes only */
		fits = host_directory(directory, bytes, given, noted ? notes.text : NULL);
	} else {
		text_put(directory, directory + bytes, given);
	}
	if (!fits || strlen(directory) > MPSAN_DIRECTORY_MAX) {
		session_refused = "the path in MPSAN_DIR is too long: set it to a shorter one";
		return false; /* nothing is created under a truncated name */
	}
	/* one parent directory may be missing: that of the first process on a host */
	if (pattern) {
		upper = above(directory);
		SYS3(SYS_mkdirat, AT_FDCWD, upper.text, 0700);
	}
	return true;
}

/* Finds the directory of this process or the nearest ancestor that has one, at most `left` of them. */
static bool find_nearest(const char *base, struct identity who, int left, struct path *found)
{
	char name[IDENTITY_BYTES];

	do {
		if (!who.pid_ns)
			continue;
		identity_name(name, &who);
		*found = join(base, name);
		if (session_is_ours(found->text))
			return true;
	} while (--left && identity_up(&who));
	return false;
}

static bool find_above(const char *base, uint64_t pid_ns, struct path *found)
{
	struct identity parent;

	return identity_parent(&parent, pid_ns) && find_nearest(base, parent, ANCESTORS - 1, found);
}

/*
 * Joins the session of the nearest ancestor that has one, or makes one. This process itself counts, as it may have
 * been another image, but comes last if `noted` tells its namespace: it is the one that is dear to ask.
 */
static struct mpsan_session *join_or_begin(const char *base, uint64_t noted, struct path *place,
					   uint64_t *pid_ns)
{
	bool is_above = noted && find_above(base, noted, place);
	struct mpsan_session *s = is_above ? map_ours(place->text) : NULL;
	char name[IDENTITY_BYTES];
	struct identity self;

	*pid_ns = noted;
	if (s)
		return s;
	if (!identity_self(&self, noted)) {
		session_refused =
			"/proc is missing, or of another PID namespace: this process cannot be "
			"identified (mount -t proc proc /proc, unshare --mount-proc)";
		return NULL;
	}
	if (!noted)
		identity_note(base, self.pid_ns);
	*pid_ns = self.pid_ns;
	if (!is_above && find_nearest(base, self, noted ? 1 : ANCESTORS, place)) {
		s = map_ours(place->text);
	} else if (!is_above) {
		stale_forget(base, &self);
		identity_name(name, &self);
		*place = join(base, name);
	}
	return s ? s : join_or_renew(place->text, &self);
}

#define TOLD 1024u /* PIDs that are remembered */

bool session_told_parent(void)
{
	struct path base = base_directory(), notes = join(base.text, ".unwatched");
	uint32_t parent = (uint32_t)SYS1(SYS_getppid, 0), self = sys_pid(), known[2] = {0};
	long fd = session_is_ours(base.text) ?
			  SYS4(SYS_openat, AT_FDCWD, notes.text,
			       O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600) :
			  -1;

	if (fd < 0)
		return false;
	SYS4(SYS_pread64, fd, &known[0], sizeof(*known), parent % TOLD * sizeof(*known));
	SYS4(SYS_pread64, fd, &known[1], sizeof(*known), self % TOLD * sizeof(*known));
	SYS3(SYS_lseek, fd, self % TOLD * sizeof(self), SEEK_SET);
	SYS3(SYS_write, fd, &self, sizeof(self));
	SYS1(SYS_close, fd);
	return known[0] == parent || known[1] == self;
}

struct mpsan_session *session_join(char *directory, uint32_t bytes, bool make, uint64_t *pid_ns)
{
	const char *given = sys_getenv("MPSAN_DIR");
	struct mpsan_session *s;
	struct path base, place;
	uint64_t noted;

	if (given && *given) {
		if (rank_is_pattern(given))
			leave_time_namespace(); /* names of notes have times */
		if (!place_given(directory, bytes, given))
			return NULL;
		return make ? join_or_make_first(directory) : map_session(directory);
	}
	base = base_directory();
	if (!make_first(base.text))
		return NULL;
	noted = identity_noted_pid_ns(base.text);
	if (noted)
		times_are_initial = true;
	leave_time_namespace(); /* names of directories have times */
	s = join_or_begin(base.text, noted, &place, pid_ns);
	if (s)
		text_put(directory, directory + bytes, place.text);
	return s;
}
