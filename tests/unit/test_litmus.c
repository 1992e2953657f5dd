/*
 * Records are whole and in order for a reader that follows their writers: threads of a watched process write as fast as they can,
 * this one reads their log meanwhile. What a writer has acknowledged is there, what is there is what was written, and the texts
 * that it points to are the right ones, though threads replace each other's in the memory of texts. On a processor that makes
 * stores visible out of order this fails where a release or an acquire is missing. Neighbour: shim/record/log.h.
 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpsan.h"
#include "reader/logfile.h"
#include "reader/session.h"

#define WRITERS 3u
#define ROUNDS 150000u
#define NAMES 700u /* more than are remembered */
#define NAME_BYTES 16u

static uint64_t *acknowledged; /* by each writer: its last round */
static char folder[] = "/tmp/mpsan-litmus-XXXXXX";

static void name_of(char name[NAME_BYTES], uint64_t writer, uint64_t round)
{
	snprintf(name, NAME_BYTES, "name %lu", (unsigned long)((round * 7 + writer) % NAMES));
}

static void map_acknowledged(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, 4096))
		_exit(3);
	acknowledged = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (acknowledged == MAP_FAILED)
		_exit(3);
}

/* ---- the watched process ---- */

static void *write_rounds(void *number)
{
	uint64_t writer = (uint64_t)(uintptr_t)number;
	char name[NAME_BYTES];

	for (uint64_t round = 1; round <= ROUNDS; round++) {
		name_of(name, writer, round);
		mpsan_lock_name((const void *)(uintptr_t)((writer + 1) << 32 | round), name);
		__atomic_store_n(&acknowledged[writer], round, __ATOMIC_RELEASE);
	}
	return NULL;
}

static int be_watched(const char *path)
{
	pthread_t thread[WRITERS];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	map_acknowledged(path);
	for (uintptr_t i = 0; i < WRITERS; i++)
		if (pthread_create(&thread[i], NULL, write_rounds, (void *)i))
			return 4;
	for (unsigned i = 0; i < WRITERS; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

/* ---- the reader ---- */

static pid_t start_writers(const char *path)
{
	const char *build = getenv("BUILD");
	char library[4096];
	pid_t child;

	snprintf(library, sizeof(library), "%s/libmpsan.so", build ? build : "build");
	child = fork();
	if (!child) {
		setenv("LD_PRELOAD", library, 1);
		setenv("MPSAN_DIR", folder, 1);
		setenv("MPSAN_OPTIONS", "log-max=256M", 1);
		execl("/proc/self/exe", "test_litmus", path, (char *)NULL);
		_exit(127);
	}
	return child;
}

/* Waits for a child's end, or looks whether it has come; -1: it has not. */
static int status_of(pid_t child, int how)
{
	int status;

	return waitpid(child, &status, how) == child ? status : -1;
}

static bool open_session(struct session *session)
{
	char *wrong = session_open(session, folder, false);
	bool open = !wrong;

	free(wrong);
	return open;
}

static bool open_log_of(struct session *session, struct logfile *log, pid_t child)
{
	for (uint32_t slot = 0; slot < session_there(session); slot++)
		if (__atomic_load_n(&session->table[slot].pid, __ATOMIC_ACQUIRE) ==
			    (uint32_t)child &&
		    logfile_open(log, session->dirfd, slot))
			return true;
	return false;
}

/* Each writer's rounds come one after the other, with the names that it gave. */
static void check_record(const struct logfile *log, const struct record *record,
			 uint64_t last[WRITERS])
{
	const struct ev_lock_name *ev = record->payload;
	uint64_t writer = (ev->lock >> 32) - 1, round = ev->lock & UINT32_MAX;
	struct record text;
	char name[NAME_BYTES];

	assert_true(writer < WRITERS);
	assert_int_equal(round, last[writer] + 1);
	last[writer] = round;
	name_of(name, writer, round);
	assert_true(logfile_at(log, ev->name, &text));
	assert_int_equal(text.type, EV_text);
	assert_string_equal((const char *)text.payload, name);
}

/* Reads all that is there; a record that is not finished yet ends it. */
static void read_on(const struct session *session, struct logfile *log, uint64_t last[WRITERS])
{
	uint64_t before[WRITERS];
	struct record record;

	for (unsigned i = 0; i < WRITERS; i++)
		before[i] = __atomic_load_n(&acknowledged[i], __ATOMIC_ACQUIRE);
	logfile_refresh(log, session->dirfd);
	while (logfile_next(log, 1, UINT64_MAX, &record))
		if (record.type == EV_lock_name)
			check_record(log, &record, last);
	assert_int_equal(log->bad, 0);
	for (unsigned i = 0; !log->gap_since && i < WRITERS; i++)
		assert_true(last[i] >= before[i]);
}

static void records_are_whole_while_they_are_written(void **state)
{
	uint64_t last[WRITERS] = {0}, rounds = 0;
	struct session session;
	struct logfile log;
	char path[64];
	pid_t child;
	int status = -1;

	(void)state;
#ifdef MPSAN_SANITIZED
	skip(); /* the library does not go before a sanitizer's own */
#endif
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/acknowledged", folder);
	map_acknowledged(path);
	child = start_writers(path);
	while (!open_session(&session))
		assert_int_equal(status = status_of(child, WNOHANG), -1);
	while (!open_log_of(&session, &log, child))
		assert_int_equal(status = status_of(child, WNOHANG), -1);
	for (; status < 0; rounds++) {
		status = status_of(child, WNOHANG);
		read_on(&session, &log, last);
	}
	assert_int_equal(status, 0);
	for (unsigned i = 0; i < WRITERS; i++)
		assert_int_equal(last[i], ROUNDS);
	print_message("%u records of %u threads, read %lu times meanwhile\n", WRITERS * ROUNDS,
		      WRITERS, (unsigned long)rounds);
	logfile_close(&log);
	session_close(&session);
}

static int remove_folder(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(records_are_whole_while_they_are_written, remove_folder),
	};

	return argc > 1 ? be_watched(argv[1]) : cmocka_run_group_tests(tests, NULL, NULL);
}
