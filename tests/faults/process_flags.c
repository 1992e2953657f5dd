/*
 * What the slots of a session say of its processes: a line "PID HOW FORK FLAGS…" for each. With "make" as its first
 * argument: children that ask to live on, or to end with their parent, each in another way; the same
 * lines then tell which did.
 */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpsan_log.h"

extern char **environ;

static int show(const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	struct mpsan_session *session;
	const struct mpsan_process *table;

	if (fd < 0 || fstat(fd, &st))
		return 1;
	session = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (session == MAP_FAILED)
		return 1;
	table = (const void *)((const char *)session + MPSAN_PAGE);
	for (uint32_t i = 0; i < session->slots; i++)
		if (table[i].pid)
			printf("%u %u %llu%s%s%s%s\n", table[i].pid, table[i].how,
			       (unsigned long long)table[i].fork_pos,
			       table[i].flags & MPSAN_PROCESS_SESSION ? " session" : "",
			       table[i].flags & MPSAN_PROCESS_DEATHSIG ? " deathsig" : "",
			       table[i].flags & MPSAN_PROCESS_REAPED ? " reaped" : "",
			       table[i].flags & MPSAN_PROCESS_REPLACED ? " replaced" : "");
	return 0;
}

static void wait_for(const char *what, pid_t child)
{
	printf("%s %d\n", what, child);
	waitpid(child, NULL, 0);
}

static char *const arguments[] = {(char *)"true", NULL};

static void by_fork(void)
{
	pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		_exit(0);
	}
	wait_for("deathsig", child);
	child = fork();
	if (child == 0) {
		setsid();
		execv("/bin/true", arguments);
	}
	wait_for("session", child);
	child = fork();
	if (child == 0)
		_exit(daemon(1, 1));
	wait_for("plain", child); /* it is its child that goes on */
}

static void by_vfork(void)
{
	pid_t child = vfork();

	if (child == 0) {
		setsid();
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		execv("/bin/true", arguments);
		_exit(1);
	}
	wait_for("session deathsig", child);
	child = vfork();
	if (child == 0) {
		execv("/bin/true", arguments);
		_exit(1);
	}
	wait_for("plain", child);
}

static void by_spawn(void)
{
	posix_spawnattr_t attributes;
	siginfo_t info;
	pid_t child;

	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
	if (posix_spawn(&child, "/bin/true", NULL, &attributes, arguments, environ))
		exit(1);
	posix_spawnattr_destroy(&attributes);
	waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
	printf("session-unreaped %d\n", child);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	if (strcmp(argv[1], "make"))
		return show(argv[1]);
	setvbuf(stdout, NULL, _IONBF, 0);
	by_fork();
	by_vfork();
	by_spawn();
	return 0;
}
