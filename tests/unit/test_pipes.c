/* Who holds the ends of real pipes, in this process and its children. Neighbour: tools/proc/pipes.h. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../tools/proc/pipes.h"

static struct pipes pipes;

static bool is_nobody(uint32_t pid, void *context)
{
	(void)context;
	return pid == 0;
}

/* Whatever is on its way on this machine, meanwhile. */
static const struct flight_job nobody = {.is_ours = is_nobody};

static int end(void **state)
{
	(void)state;
	pipes_free(&pipes);
	return 0;
}

/* The ends that a process holds; 0: none. */
static unsigned ends_held(const struct pipe_id *id, pid_t pid)
{
	const struct pipe_holder *holder;
	uint32_t at = 0;

	while ((holder = pipes_next(&pipes, id, PIPE_END_READ | PIPE_END_WRITE, &at)))
		if (holder->pid == (uint32_t)pid)
			return holder->ends;
	return 0;
}

static unsigned holders(const struct pipe_id *id, unsigned ends)
{
	uint32_t at = 0;
	unsigned count = 0;

	while (pipes_next(&pipes, id, ends, &at))
		count++;
	return count;
}

/* A child that keeps one end of the pipe until it is killed; returns once it has closed the other. */
static pid_t child_keeps(const int fd[2], int kept)
{
	int ready[2];
	pid_t child;
	char byte;

	assert_int_equal(pipe(ready), 0);
	child = fork();
	if (child == 0) {
		close(fd[!kept]);
		close(ready[0]);
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(0);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return child;
}

static void child_ends(pid_t child)
{
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static void both_ends_are_one_pipe(void **state)
{
	struct pipe_id read_end, write_end, other;
	int fd[2], more[2];

	(void)state;
	assert_int_equal(pipe(fd) | pipe(more), 0);
	read_end = pipe_of(getpid(), fd[0]);
	write_end = pipe_of(getpid(), fd[1]);
	other = pipe_of(getpid(), more[0]);
	assert_int_equal(read_end.kind, PIPE_ANONYMOUS);
	assert_true(pipe_same(&read_end, &write_end));
	assert_false(pipe_same(&read_end, &other));
	close(fd[0]), close(fd[1]), close(more[0]), close(more[1]);
}

static void each_process_is_named_with_its_ends(void **state)
{
	struct pipe_id id;
	pid_t reader, writer;
	int fd[2];

	(void)state;
	assert_int_equal(pipe(fd), 0);
	id = pipe_of(getpid(), fd[0]);
	reader = child_keeps(fd, 0);
	writer = child_keeps(fd, 1);
	pipes_scan(&pipes, &nobody);
	assert_int_equal(ends_held(&id, getpid()), PIPE_END_READ | PIPE_END_WRITE);
	assert_int_equal(ends_held(&id, reader), PIPE_END_READ);
	assert_int_equal(ends_held(&id, writer), PIPE_END_WRITE);
	assert_int_equal(holders(&id, PIPE_END_READ), 2);
	assert_int_equal(holders(&id, PIPE_END_WRITE), 2);
	close(fd[0]);
	child_ends(writer);
	pipes_scan(&pipes, &nobody);
	assert_int_equal(ends_held(&id, getpid()), PIPE_END_WRITE);
	assert_int_equal(holders(&id, PIPE_END_READ), 1);
	assert_int_equal(holders(&id, PIPE_END_WRITE), 1);
	child_ends(reader);
	close(fd[1]);
}

static void a_fifo_is_known_by_its_file(void **state)
{
	char dir[] = "/tmp/mpsan-test-XXXXXX", path[64];
	struct pipe_id one, other;
	int first, second;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/fifo", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	first = open(path, O_RDWR);
	second = open(path, O_WRONLY);
	one = pipe_of(getpid(), first);
	other = pipe_of(getpid(), second);
	assert_int_equal(one.kind, PIPE_NAMED);
	assert_true(pipe_same(&one, &other));
	close(second);
	pipes_scan(&pipes, &nobody);
	assert_int_equal(ends_held(&one, getpid()), PIPE_END_READ | PIPE_END_WRITE);
	close(first);
	unlink(path);
	rmdir(dir);
}

static void sockets_and_eventfds_are_told_apart(void **state)
{
	struct pipe_id event, socket, other;
	int first = eventfd(0, 0), second = eventfd(0, 0), sockets[2];
	pid_t child;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
	event = pipe_of(getpid(), first);
	other = pipe_of(getpid(), second);
	assert_int_equal(event.kind, PIPE_EVENT);
	assert_false(pipe_same(&event, &other));
	socket = pipe_of(getpid(), sockets[0]);
	other = pipe_of(getpid(), sockets[1]);
	assert_int_equal(socket.kind, PIPE_SOCKET);
	assert_false(pipe_same(&socket, &other));
	child = child_keeps(sockets, 1);
	close(first), close(sockets[1]);
	pipes_scan(&pipes, &nobody);
	assert_int_equal(ends_held(&socket, child), 0);
	assert_int_equal(ends_held(&socket, getpid()), PIPE_END_READ | PIPE_END_WRITE);
	assert_int_equal(ends_held(&other, child), PIPE_END_READ | PIPE_END_WRITE);
	assert_int_equal(holders(&event, PIPE_END_WRITE), 1);
	child_ends(child);
	close(second), close(sockets[0]);
}

static void what_is_no_pipe_is_unknown(void **state)
{
	struct pipe_id id;
	int file = open("/dev/null", O_RDWR);

	(void)state;
	assert_int_equal(pipe_of(getpid(), file).kind, PIPE_NOT);
	assert_int_equal(pipe_of(getpid(), 12345).kind, PIPE_NOT);
	id = pipe_of(getpid(), file);
	pipes_scan(&pipes, &nobody);
	assert_int_equal(holders(&id, PIPE_END_READ | PIPE_END_WRITE), 0);
	close(file);
}

static bool is_one(uint32_t pid, void *context)
{
	return pid == *(const uint32_t *)context;
}

static void an_unread_process_counts_when_it_descends_from_ours(void **state)
{
	uint32_t own = (uint32_t)getpid(), stranger = 1;
	int fd[2];
	pid_t child;

	(void)state;
	assert_int_equal(pipe(fd), 0);
	child = child_keeps(fd, 0);
	*ARRAY_ADD(&pipes.unread) = (uint32_t)child;
	assert_true(pipes_are_blind(&pipes, is_one, &own));
	child_ends(child);
	assert_false(pipes_are_blind(&pipes, is_one, &own));
	pipes.unread.item[0] = stranger;
	assert_false(pipes_are_blind(&pipes, is_one, &own));
	close(fd[0]), close(fd[1]);
}

/* A child that has a socket with an unread descriptor, and nothing else of it; the other end is left to us. */
static pid_t child_with_message(int *other)
{
	char control[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec byte = {"", 1};
	struct msghdr message = {.msg_iov = &byte,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof(control)};
	int sockets[2], sent = eventfd(0, 0);
	pid_t child;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
	*CMSG_FIRSTHDR(&message) = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
	memcpy(CMSG_DATA(CMSG_FIRSTHDR(&message)), &sent, sizeof(int));
	assert_int_equal(sendmsg(sockets[0], &message, 0), 1);
	child = child_keeps(sockets, 1);
	close(sockets[1]);
	close(sent);
	*other = sockets[0];
	return child;
}

/* Whether any pipe's end may be with the child. */
static bool may_have_any(pid_t child, const struct flight_job *job)
{
	const struct pipe_id any = {PIPE_ANONYMOUS, 0, 0};

	pipes_scan(&pipes, job);
	return ends_held(&any, child) != 0;
}

static void what_we_sent_a_stranger_counts(void **state)
{
	uint32_t own = (uint32_t)getpid(), stranger = UINT32_MAX;
	int other;
	pid_t child = child_with_message(&other);

	(void)state;
	assert_true(may_have_any(child, &(struct flight_job){.is_ours = is_one, .context = &own}));
	assert_false(may_have_any(
		child,
		&(struct flight_job){.is_ours = is_one, .context = &stranger, .sends = true}));
	close(other);
	assert_true(may_have_any(
		child,
		&(struct flight_job){.is_ours = is_one, .context = &stranger, .sends = true}));
	assert_false(
		may_have_any(child, &(struct flight_job){.is_ours = is_one, .context = &stranger}));
	child_ends(child);
}

#define STORY(name) cmocka_unit_test_teardown(name, end)

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(both_ends_are_one_pipe),
		STORY(each_process_is_named_with_its_ends),
		STORY(a_fifo_is_known_by_its_file),
		STORY(sockets_and_eventfds_are_told_apart),
		STORY(what_is_no_pipe_is_unknown),
		STORY(what_we_sent_a_stranger_counts),
		STORY(an_unread_process_counts_when_it_descends_from_ours),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
