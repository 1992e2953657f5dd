/*
 * Waits in shared memory that one process alone maps. Somebody else has, or is about to get, a descriptor of it,
 * maps it after LATE_MS and ends the wait: inherited over exec and posix_spawn, by a daemon, only to be opened anew
 * (O_PATH), in a message that nobody has received yet, on a connection that nobody has accepted yet, kept by a thread
 * that outlives its main thread or that has descriptors of its own. The last one waits at a pipe, whose other end is in such
 * a message. That the helper comes late is the case itself: longer than a hang needs to be proven.
 */
// expect: none
#include "reach.h"

#include <sched.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/un.h>

extern char **environ;

static int memory_file(void)
{
	int fd = memfd_create("reach", 0);

	must(fd >= 0);
	return fd;
}

static void wait_and_see(struct box *box, char kind, pid_t late)
{
	box_wait(box, kind);
	if (late)
		must(child_wait(late) == 0);
}

static void inherited(void)
{
	int fd = memory_file();
	struct box *box = box_make(fd);
	pid_t late = late_start("number", 's', number_text(fd));

	close(fd);
	wait_and_see(box, 's', late);
}

static int removed_file(const char *what)
{
	int fd = shm_open(own_name(what), O_CREAT | O_EXCL | O_RDWR, 0600);

	must(fd >= 0 && shm_unlink(own_name(what)) == 0);
	must(fcntl(fd, F_SETFD, 0) == 0);
	return fd;
}

/* Watched: it sleeps like any other process of the job. */
static void spawned(void)
{
	int fd = removed_file("spawned");
	struct box *box = box_make(fd);
	char *arguments[] = {"late", "number", "c", "77", NULL};
	posix_spawn_file_actions_t actions;
	pid_t late;

	must(posix_spawn_file_actions_init(&actions) == 0);
	must(posix_spawn_file_actions_adddup2(&actions, fd, 77) == 0);
	must(posix_spawn(&late, "/proc/self/exe", &actions, NULL, arguments, environ) == 0);
	must(posix_spawn_file_actions_destroy(&actions) == 0);
	close(fd);
	wait_and_see(box, 'c', late);
}

static void path_only(void)
{
	int fd = memory_file(), path;
	struct box *box = box_make(fd);
	char text[32];
	pid_t late;

	snprintf(text, sizeof(text), "/proc/self/fd/%d", fd);
	path = open(text, O_PATH);
	must(path >= 0);
	close(fd);
	snprintf(text, sizeof(text), "/proc/self/fd/%d", path);
	late = late_start("open", 'b', text);
	close(path);
	wait_and_see(box, 'b', late);
}

static void daemon_has_it(void)
{
	int fd = removed_file("daemon");
	struct box *box = box_make(fd);
	pid_t child = fork();

	if (child == 0) {
		setsid();
		late_start("number", 'w', number_text(fd));
		_exit(0);
	}
	must(child_wait(child) == 0);
	close(fd);
	wait_and_see(box, 'w', 0);
}

static void in_flight(void)
{
	int fd = memory_file(), pair[2];
	struct box *box = box_make(fd);
	pid_t late;

	must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	send_descriptor(pair[0], fd);
	close(fd);
	close(pair[0]);
	late = late_start("receive", 's', number_text(pair[1]));
	close(pair[1]);
	wait_and_see(box, 's', late);
}

static void datagram(void)
{
	int fd = memory_file(), pair[2];
	struct box *box = box_make(fd);
	pid_t late;

	must(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0);
	send_descriptor(pair[0], fd);
	close(fd);
	late = late_start("receive", 'c', number_text(pair[1]));
	close(pair[1]);
	wait_and_see(box, 'c', late);
}

static void not_accepted(void)
{
	int fd = memory_file(), listener = socket(AF_UNIX, SOCK_STREAM, 0),
	    client = socket(AF_UNIX, SOCK_STREAM, 0);
	struct box *box = box_make(fd);
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	socklen_t length = sizeof(address);
	pid_t late;

	must(bind(listener, (void *)&address, offsetof(struct sockaddr_un, sun_path)) == 0);
	must(listen(listener, 1) == 0);
	must(getsockname(listener, (void *)&address, &length) == 0);
	late = late_start("accept", 's', number_text(listener));
	must(connect(client, (void *)&address, length) == 0);
	send_descriptor(client, fd);
	close(fd);
	close(client);
	close(listener);
	wait_and_see(box, 's', late);
}

/* To a process that nobody knows, from one that has closed its end. */
static void daemon_gets_it(void)
{
	int fd = memory_file(), pair[2];
	struct box *box = box_make(fd);
	pid_t child;

	must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	child = fork();
	if (child == 0) {
		setsid();
		close(fd);
		close(pair[0]);
		late_start("receive", 's', number_text(pair[1]));
		_exit(0);
	}
	must(child_wait(child) == 0);
	send_descriptor(pair[0], fd);
	close(fd);
	close(pair[0]);
	close(pair[1]);
	wait_and_see(box, 's', 0);
}

static void pipe_in_flight(void)
{
	int fd[2], pair[2];
	pid_t late;
	char byte;

	must(pipe(fd) == 0 && socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0);
	send_descriptor(pair[0],
			fd[1]); /* it keeps its own: nobody else holds that end meanwhile */
	must(fcntl(fd[1], F_SETFD, FD_CLOEXEC) == 0);
	late = late_start("pipe", 's', number_text(pair[1]));
	close(pair[1]);
	must(read(fd[0], &byte, 1) == 1);
	must(child_wait(late) == 0);
}

/* ---- threads ---- */

static char *thread_kind;
static int thread_fd;
static struct box *thread_box;

static void *outlives_main(void *unused)
{
	(void)unused;
	sleep_ms(LATE_MS);
	box_wake(thread_box ? thread_box : box_map(thread_fd), *thread_kind);
	_exit(0);
}

/* Goes on without its main thread, with the memory mapped, or a descriptor of it. */
static pid_t leaderless(bool maps, char *kind)
{
	int fd = memory_file();
	struct box *box = box_make(fd);
	pid_t child = fork();
	pthread_t thread;

	if (child) {
		close(fd);
		wait_and_see(box, *kind, child);
		return child;
	}
	thread_kind = kind;
	thread_fd = fd;
	if (maps)
		thread_box = box;
	else
		must(munmap(box, sizeof(*box)) == 0);
	must(pthread_create(&thread, NULL, outlives_main, NULL) == 0);
	pthread_exit(NULL);
}

static void leaderless_maps(void)
{
	leaderless(true, "w");
}

static void leaderless_has_it(void)
{
	leaderless(false, "s");
}

static struct gate has_own;

static void *has_own_files(void *argument)
{
	must(unshare(CLONE_FILES) == 0);
	thread_fd = *(int *)argument;
	gate_open(&has_own);
	sleep_ms(LATE_MS);
	box_wake(box_map(thread_fd), 's');
	_exit(0);
}

static void own_files(void)
{
	int fd = memory_file();
	struct box *box = box_make(fd);
	pthread_t thread;
	pid_t child = fork();

	if (child == 0) {
		must(munmap(box, sizeof(*box)) == 0);
		gate_init(&has_own);
		must(pthread_create(&thread, NULL, has_own_files, &fd) == 0);
		gate_wait(&has_own);
		close(fd);
		must(pthread_join(thread, NULL) == 0);
	}
	close(fd);
	wait_and_see(box, 's', child);
}

/* ---- the late one ---- */

static int late_main(const char *way, char kind, const char *what)
{
	int fd = atoi(what);

	sleep_ms(LATE_MS);
	if (!strcmp(way, "open"))
		fd = open(what, O_RDWR);
	if (!strcmp(way, "accept"))
		fd = accept(fd, NULL, NULL);
	if (strcmp(way, "number") && strcmp(way, "open"))
		fd = receive_descriptor(fd);
	if (!strcmp(way, "pipe"))
		must(write(fd, "", 1) == 1);
	else
		box_wake(box_map(fd), kind);
	return 0;
}

int main(int count, char **arguments)
{
	static const struct situation all[] = {
		{"inherited", inherited},
		{"spawned", spawned},
		{"path_only", path_only},
		{"daemon", daemon_has_it},
		{"in_flight", in_flight},
		{"datagram", datagram},
		{"not_accepted", not_accepted},
		{"daemon_gets_it", daemon_gets_it},
		{"pipe_in_flight", pipe_in_flight},
		{"leaderless_maps", leaderless_maps},
		{"leaderless_has_it", leaderless_has_it},
		{"own_files", own_files},
	};

	if (count == 4)
		return late_main(arguments[1], *arguments[2], arguments[3]);
	return situations_run(all, sizeof(all) / sizeof(*all), arguments[1]);
}
