/* SPDX-License-Identifier: Apache-2.0 */
/* Creates the session directory and starts the program in it. */
#include "launch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../include/mpsan_log.h"
#include "../../include/mpsan_version.h"
#include "../../shim/common/no_log.h"
#include "../base/filtered.h"
#include "../base/util.h"
#include "../proc/proc.h"
#include "../reader/host.h"
#include "foreign_owner.h"
#include "mon_private.h"
#include "program_state.h"

/* A wheel of another version, for another Python, may be beside it. */
#define WHEEL_LIBRARY "mpsan-" MPSAN_VERSION ".dist-info/../mpsan/libmpsan.so"
#define ASAN_SETTING "verify_asan_link_order=0" /* ASan requires to be loaded first */

/* Whether the machine is at fault: a full disk or a resource limit, not an argument. */
static bool is_of_machine(int error)
{
	static const int errors[] = {ENOSPC, EDQUOT, EFBIG,  EMFILE, ENFILE,
				     ENOMEM, EIO,    EAGAIN, ENODEV};

	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (error == errors[i])
			return true;
	return false;
}

/*
 * Creates the directory under the name of this process, or if /proc is missing under a random name.
 */
static bool take_private(struct launch *launch, const char *tmp)
{
	char *dir = mon_private_make(tmp);

	if (dir) {
		free(launch->dir);
		launch->dir = dir;
	}
	return dir;
}

static char *make_private(struct launch *launch)
{
	const char *tmp = getenv("TMPDIR");
	AUTO_FREE char *foreign = NULL;
	char *wrong;

	tmp = tmp && *tmp == '/' ? tmp : "/tmp";
	launch->dir = text_format("%s/mpsan-XXXXXX", tmp);
	launch->is_private = true;
	foreign = foreign_above(launch->dir);
	if (!foreign && (take_private(launch, tmp) || mkdtemp(launch->dir)))
		return NULL;
	wrong = text_format("cannot create a directory in %s: %s; set TMPDIR to one %s", tmp,
			    foreign ? foreign : strerror(errno),
			    !foreign && is_of_machine(errno) ?
				    "on another file system, or make room there" :
				    "that you may write to");
	free(launch->dir);
	launch->dir = NULL;
	return wrong;
}

/*
 * If the name is generated, one missing parent directory is created, too: the ranks of a job may
 * all start at the same moment.
 */
static int make_with_above(const char *dir, bool made_up)
{
	char *above = text_copy(dir), *slash;
	int error = mkdir(dir, 0700) ? errno : 0;

	slash = strrchr(above, '/');
	if (error == ENOENT && made_up && slash && slash != above) {
		*slash = '\0';
		error = mkdir(above, 0700) && errno != EEXIST ? errno :
			mkdir(dir, 0700)		      ? errno :
								0;
	}
	free(above);
	return error == EEXIST ? 0 : error;
}

static char *check_given(struct launch *launch, const char *dir, bool made_up)
{
	AUTO_FREE char *foreign = foreign_above(dir);
	struct stat st;
	int error;

	if (foreign) {
		errno = 0;
		return text_format("--dir %s: %s; choose another", dir, foreign);
	}
	error = make_with_above(dir, made_up);
	errno = error;
	if (error)
		return text_format("--dir %s: %m; choose another", dir);
	if (lstat(dir, &st) || !S_ISDIR(st.st_mode))
		return text_format(
			"--dir %s: not a directory (symbolic links are refused); choose another",
			dir);
	if (st.st_uid != geteuid())
		return text_format("--dir %s: belongs to another user (uid %u); choose another",
				   dir, st.st_uid);
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return text_format(
			"--dir %s: others may write to it; chmod 700 it or choose another", dir);
	launch->dir = realpath(dir, NULL);
	return launch->dir ? NULL : text_format("--dir %s: %s", dir, strerror(errno));
}

static char *make_given(struct launch *launch, const char *pattern)
{
	AUTO_FREE char *dir = host_directory(pattern);

	if (!dir)
		return text_format("--dir %s: too long; choose a shorter name", pattern);
	return check_given(launch, dir, strcmp(dir, pattern) != 0);
}

/* Both at the same moment: the library recognises its host's clocks by the difference. */
static void start_clocks(struct mpsan_session *head)
{
	for (int i = 0; i < 4; i++) {
		head->start_ns = clock_ns(CLOCK_MONOTONIC);
		head->start_real_ns = clock_ns(CLOCK_REALTIME);
		if (clock_ns(CLOCK_MONOTONIC) - head->start_ns < 20000)
			break;
	}
}

/* Writes the magic number last: a library that finds an incomplete file does not use it. */
static void fill_session(struct mpsan_session *head, const char *file,
			 const struct mpsan_session *like)
{
	*head = *like;
	head->format = MPSAN_SESSION_FORMAT;
	head->slots_max = MPSAN_SLOTS_MAX;
	start_clocks(head);
	head->uid = geteuid();
	head->supervisor = getpid();
	head->pid_ns = host_pid_namespace();
	head->proc_mount = host_proc_mount();
	host_describe(&head->host, file);
	__atomic_store_n(&head->magic, MPSAN_SESSION_MAGIC, __ATOMIC_RELEASE);
}

static int allocate(int fd, size_t bytes)
{
	static const char zeros[4096];

	if (filtered_may(SYS_fallocate))
		return posix_fallocate(fd, 0, (off_t)bytes);
	for (size_t done = 0; done < bytes; done += sizeof(zeros))
		if (write(fd, zeros, sizeof(zeros)) != sizeof(zeros))
			return errno ? errno : ENOSPC;
	return 0;
}

static char *wrong_file(const char *file, int error)
{
	enum mpsan_off why = no_log_reason(error);

	if (why != MPSAN_OFF_NO_LOG)
		return text_format("%s: %s", file, no_log_text(why));
	return text_format("%s: %s; choose another directory (TMPDIR, --dir)", file,
			   strerror(error));
}

/*
 * Checks that the program will be able to write a log, so that a failure is reported before it
 * starts.
 */
static char *try_log(const char *dir)
{
	char *file = text_format("%s/%d.part", dir, getpid()), *wrong = NULL;
	int fd = -1, error = EFBIG;

	if (program_state_limit(RLIMIT_FSIZE) >= MPSAN_CHUNK) {
		fd = open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		error = fd < 0 ? errno : 0;
	}
	if (!error)
		error = allocate(fd, MPSAN_CHUNK);
	if (fd >= 0) {
		unlink(file);
		close(fd);
	}
	if (error)
		wrong = wrong_file(dir, error);
	free(file);
	errno = error;
	return wrong;
}

static char *make_session(const char *dir, const struct mpsan_session *like)
{
	char *file = text_format("%s/session", dir), *wrong = NULL;
	int fd = open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600),
	    error = fd < 0 ? errno : 0;
	size_t bytes = MPSAN_PAGE + like->slots * sizeof(struct mpsan_process);
	struct rlimit limit;
	void *map = MAP_FAILED;

	if (!error && !getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur < bytes)
		error = EFBIG; /* writing would raise SIGXFSZ */
	if (!error)
		error = allocate(fd, bytes);
	if (!error)
		map = mmap(NULL, MPSAN_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (!error && map == MAP_FAILED)
		error = errno;
	if (error == EEXIST)
		wrong = text_format("%s: already contains a session; choose another directory",
				    dir);
	else if (map == MAP_FAILED)
		wrong = wrong_file(file, error);
	if (fd >= 0)
		close(fd);
	if (fd >= 0 && map == MAP_FAILED)
		unlink(file);
	if (map != MAP_FAILED) {
		fill_session(map, file, like);
		munmap(map, MPSAN_PAGE);
	}
	free(file);
	errno = error;
	return wrong;
}

/* As `ld.so mpsan`, the kernel takes the loader for the program: what is mapped here is ours. */
bool launch_own_file(char self[PATH_MAX])
{
	struct proc_mapping mapping;

	memset(self, 0, PATH_MAX);
	if (readlink("/proc/self/exe", self, PATH_MAX - 1) < 0 &&
	    !realpath((const char *)getauxval(AT_EXECFN), self)) /* no /proc */
		return false;
	if (!strncmp(path_base(self), "ld", 2) &&
	    proc_mapping((uint32_t)getpid(), (uint64_t)(uintptr_t)launch_own_file, &mapping))
		snprintf(self, PATH_MAX, "%s", mapping.path);
	return true;
}

/* The directory of this program, in which no character is special to glob(); NULL if unknown. */
static char *own_directory(void)
{
	char self[PATH_MAX], *slash, *escaped, *to;

	if (!launch_own_file(self))
		return NULL;
	slash = strrchr(self, '/');
	if (!slash)
		return NULL;
	*slash = '\0';
	to = escaped = memory_get(2 * strlen(self) + 1);
	for (const char *from = self; *from; from++) {
		if (strchr("*?[\\", *from))
			*to++ = '\\';
		*to++ = *from;
	}
	*to = '\0';
	return escaped;
}

/*
 * Searches beside the command, as in the build; in the Python package that was installed with it,
 * also by `pip install --target`; where `make install` puts it; in usual library directories.
 */
char *launch_find_library(void)
{
	static const char *const places[] = {"libmpsan.so",
					     "../lib*/python3*/*-packages/" WHEEL_LIBRARY,
					     "../" WHEEL_LIBRARY,
					     MPSAN_LIBDIR_FROM_BIN "/libmpsan.so",
					     "../lib/libmpsan.so",
					     "../lib64/libmpsan.so",
					     "../lib/x86_64-linux-gnu/libmpsan.so",
					     "../lib/aarch64-linux-gnu/libmpsan.so"};
	char *self = own_directory(), *real = NULL;

	for (size_t i = 0; self && !real && i < sizeof(places) / sizeof(*places); i++) {
		AUTO_FREE char *pattern = text_format("%s/%s", self, places[i]);
		glob_t found;

		if (!glob(pattern, 0, NULL, &found)) {
			real = realpath(found.gl_pathv[0], NULL);
			globfree(&found);
		}
	}
	free(self);
	return real;
}

/*
 * LD_PRELOAD is split at blanks and colons, and expands $ORIGIN: such a path needs a link with a
 * plain name.
 */
static char *make_plain_name(struct launch *launch)
{
	char *link;

	if (!strpbrk(launch->library, " :\t$"))
		return NULL;
	link = text_format("%s/libmpsan.so", launch->dir);
	if (strpbrk(link, " :\t$") || symlink(launch->library, link)) {
		free(link);
		return text_format(
			"%s: the path of a preloaded library must not contain blanks, colons or '$'; install mpsan "
			"elsewhere or choose another --dir",
			launch->library);
	}
	free(launch->library);
	launch->library = link;
	return NULL;
}

static char *prepare(struct launch *launch, const char *dir, const struct mpsan_session *like)
{
	char *wrong;

	errno = 0;
	wrong = dir ? make_given(launch, dir) : make_private(launch);
	if (!wrong && !like->outside && strlen(launch->dir) > MPSAN_DIRECTORY_MAX) {
		wrong = text_format(
			"the session's directory %s has %zu characters, at most %u: use a shorter %s",
			launch->dir, strlen(launch->dir), MPSAN_DIRECTORY_MAX,
			dir ? "--dir" : "TMPDIR, or --dir");
		errno = ENAMETOOLONG;
	}
	if (!wrong)
		wrong = try_log(launch->dir);
	if (!wrong)
		wrong = make_session(launch->dir, like);
	launch->is_tight = wrong && errno != ENAMETOOLONG && (!dir || is_of_machine(errno));
	return wrong;
}

char *launch_prepare(struct launch *launch, const char *dir, const char *options_for_library)
{
	struct mpsan_session like = {.slots = 4 * MPSAN_SLOTS_FIRST};
	char *wrong;

	*launch = (struct launch){.library = launch_find_library()};
	if (!launch->library)
		return text_copy(
			"libmpsan.so is not beside this program nor in ../lib; reinstall mpsan");
	if (options_for_library)
		snprintf(like.options, sizeof(like.options), "%s", options_for_library);
	wrong = prepare(launch, dir, &like);
	return wrong ? wrong : make_plain_name(launch);
}

char *launch_prepare_outside(struct launch *launch, const char *dir, uint32_t processes)
{
	struct mpsan_session like = {.slots = MPSAN_SLOTS_FIRST, .outside = 1};

	*launch = (struct launch){0};
	while (like.slots < processes && like.slots < MPSAN_SLOTS_MAX)
		like.slots *= 2;
	return prepare(launch, dir, &like);
}

void launch_remove(const char *dir)
{
	static char entries[4096] __attribute__((aligned(8)));
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long bytes;

	while (fd >= 0 && (bytes = syscall(SYS_getdents64, fd, entries, sizeof(entries))) > 0)
		for (long at = 0; at < bytes;) {
			const struct dirent64 *entry = (const void *)(entries + at);

			unlinkat(fd, entry->d_name, 0);
			at += entry->d_reclen;
		}
	if (fd >= 0)
		close(fd);
	rmdir(dir);
}

void launch_finish(struct launch *launch)
{
	if (launch->dir && launch->is_private)
		launch_remove(launch->dir);
	free(launch->dir);
	free(launch->library);
	*launch = (struct launch){0};
}

static char *launch_joined(const char *first, char separator, const char *second)
{
	return second && *second ? text_format("%s%c%s", first, separator, second) :
				   text_copy(first);
}

void launch_environment(const char *library, const char *dir, const char *options_for_library,
			bool with_asan, struct launch_variable variables[LAUNCH_VARIABLES])
{
	const char *asan = getenv("ASAN_OPTIONS");
	int count = 0;

	variables[count++] = (struct launch_variable){
		"LD_PRELOAD", launch_joined(library, ':', getenv("LD_PRELOAD"))};
	if (dir)
		variables[count++] = (struct launch_variable){"MPSAN_DIR", text_copy(dir)};
	if (options_for_library)
		variables[count++] = (struct launch_variable){
			"MPSAN_OPTIONS",
			launch_joined(options_for_library, ':', getenv("MPSAN_OPTIONS"))};
	if (with_asan)
		variables[count++] = (struct launch_variable){
			"ASAN_OPTIONS", asan && *asan ? launch_joined(asan, ':', ASAN_SETTING) :
							text_copy(ASAN_SETTING)};
	variables[count] = (struct launch_variable){NULL, NULL};
}

/* Our environment with these variables set; never freed. */
static char **environment(const struct launch_variable *variables)
{
	size_t count = 0, kept = 0;
	char **all;

	while (environ[count])
		count++;
	all = memory_get((count + LAUNCH_VARIABLES + 1) * sizeof(*all));
	for (size_t i = 0; i < count; i++) {
		const struct launch_variable *v = variables;
		size_t name = strcspn(environ[i], "=");

		while (v->name && (strlen(v->name) != name || strncmp(v->name, environ[i], name)))
			v++;
		if (!v->name)
			all[kept++] = environ[i];
	}
	for (; variables->name; variables++)
		all[kept++] = text_format("%s=%s", variables->name, variables->value);
	return all;
}

/*
 * As vfork: the child shares our memory until it executes the program, so it reports errors without
 * a pipe.
 */
static void launch_begin(char **argv, char **with, volatile pid_t *child)
{
	volatile int error = 0;
	pid_t pid = vfork();

	if (pid == 0) {
		*child = getpid();
		program_state_give();
		execvpe(argv[0], argv, with);
		error = errno;
		_exit(STATUS_NOT_EXECUTABLE);
	}
	if (pid > 0 && !error) {
		*child = pid; /* emulators may make vfork a fork, which shares nothing */
		return;
	}
	if (pid > 0) {
		waitpid(pid, NULL, 0);
		errno = error;
	}
	*child = 0;
}

void launch_start(const struct launch_variable *variables, char **argv, volatile pid_t *child)
{
	launch_begin(argv, variables ? environment(variables) : environ, child);
}

int launch_status(int error)
{
	bool tight = error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE;

	return tight ? STATUS_BROKEN : error == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE;
}
