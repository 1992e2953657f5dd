/*
 * Waits at sockets with a mutex taken that another thread wants: somebody else ends them, after LATE_MS. A limit of the socket's own; a stranger that has the other end; a sibling that
 * has this end and shuts it down; an end on its way in a message; a datagram from a name, or to one; a connection that
 * nobody has accepted yet; one over loopback. That it comes late is the case itself: longer than a hang needs to be proven.
 */
// expect: none
// prints: all were woken
// prints: all were woken
#include "reach.h"

#undef LATE_MS
#define LATE_MS 3000

#include <netinet/in.h>
#include <stddef.h>
#include <sys/time.h>
#include <sys/un.h>

static pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER;

static void pair_make(int type, int pair[2])
{
	must(socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, pair) == 0);
}

static void pass_on(int fd)
{
	must(fcntl(fd, F_SETFD, 0) == 0);
}

static NOINLINE void *want_main(void *unused)
{
	must(pthread_mutex_lock(&busy) == 0);
	must(pthread_mutex_unlock(&busy) == 0);
	return unused;
}

/* Returns what recv() does, with its errno. */
static NOINLINE ssize_t wait_data(int socket)
{
	pthread_t thread;
	ssize_t got;
	char byte;
	int error;

	must(pthread_mutex_lock(&busy) == 0);
	must(pthread_create(&thread, NULL, want_main, NULL) == 0);
	got = recv(socket, &byte, 1, 0);
	error = errno;
	must(pthread_mutex_unlock(&busy) == 0);
	must(pthread_join(thread, NULL) == 0);
	errno = error;
	return got;
}

/* Keeps the program's main thread, which waits for it first, out of all dead ends. */
static void sleeper(void)
{
	sleep_ms(LATE_MS + 1000);
}

/* ---- limits ---- */

static void receive_limit(void)
{
	int pair[2];

	struct timeval limit = {LATE_MS / 1000, 0};

	pair_make(SOCK_STREAM, pair);
	must(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) == 0);
	must(wait_data(pair[0]) == -1 && errno == EAGAIN);
}

/* ---- others that have an end ---- */

static void stranger(void)
{
	int pair[2];
	pid_t late;

	pair_make(SOCK_STREAM, pair);
	pass_on(pair[1]);
	late = late_start("write", 's', number_text(pair[1]));
	close(pair[1]);
	must(wait_data(pair[0]) == 1);
	must(child_wait(late) == 0);
}

static void sibling_shuts(void)
{
	int pair[2];
	pid_t child;

	pair_make(SOCK_STREAM, pair);
	child = fork();
	if (child == 0) {
		must(close(pair[1]) == 0);
		sleep_ms(LATE_MS);
		must(shutdown(pair[0], SHUT_RDWR) == 0);
		_exit(0);
	}
	must(wait_data(pair[0]) == 0);
	must(child_wait(child) == 0);
}

static void end_in_flight(void)
{
	int pair[2], way[2];
	pid_t late;

	pair_make(SOCK_STREAM, pair);
	pair_make(SOCK_STREAM, way);
	send_descriptor(way[0], pair[1]);
	pass_on(way[1]);
	late = late_start("receive", 's', number_text(way[1]));
	close(way[1]);
	must(wait_data(pair[0]) == 1);
	must(child_wait(late) == 0);
}

/* ---- names ---- */

static int named(int type, struct sockaddr_un *address, socklen_t *length)
{
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	*length = sizeof(*address);
	must(bind(fd, (void *)address, offsetof(struct sockaddr_un, sun_path)) == 0);
	must(getsockname(fd, (void *)address, length) == 0);
	return fd;
}

static void from_a_name(void)
{
	struct sockaddr_un address;
	socklen_t length;
	int fd = named(SOCK_DGRAM, &address, &length),
	    to = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	pid_t late;

	must(connect(to, (void *)&address, length) == 0);
	pass_on(to);
	late = late_start("write", 's', number_text(to));
	close(to);
	must(wait_data(fd) == 1);
	must(child_wait(late) == 0);
}

/* A stranger receives what is sent to a name, past the peer. */
static void to_a_name(void)
{
	struct sockaddr_un address;
	socklen_t length;
	int fd = named(SOCK_DGRAM, &address, &length), pair[2];
	pid_t late;

	pair_make(SOCK_DGRAM, pair);
	while (sendto(pair[0], "", 1, MSG_DONTWAIT, (void *)&address, length) == 1)
		;
	must(errno == EAGAIN);
	pass_on(fd);
	late = late_start("read", 's', number_text(fd));
	close(fd);
	/* the late one may have read and ended by now */
	must(sendto(pair[0], "", 1, 0, (void *)&address, length) == 1 || errno == ECONNREFUSED);
	must(child_wait(late) == 0);
}

static void not_accepted(void)
{
	struct sockaddr_un address;
	socklen_t length;
	int fd = named(SOCK_STREAM, &address, &length),
	    client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	pid_t late;

	must(listen(fd, 1) == 0 && connect(client, (void *)&address, length) == 0);
	pass_on(fd);
	late = late_start("accept", 's', number_text(fd));
	close(fd);
	must(wait_data(client) == 1);
	must(child_wait(late) == 0);
}

static void loopback(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0),
	    client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	pid_t late;

	must(bind(fd, (void *)&address, length) == 0 && listen(fd, 1) == 0);
	must(getsockname(fd, (void *)&address, &length) == 0);
	must(connect(client, (void *)&address, length) == 0);
	pass_on(fd);
	late = late_start("accept", 's', number_text(fd));
	close(fd);
	must(wait_data(client) == 1);
	must(child_wait(late) == 0);
}

/* ---- the late one ---- */

static int late_main(const char *way, int fd)
{
	char byte;

	sleep_ms(LATE_MS);
	if (!strcmp(way, "receive"))
		fd = receive_descriptor(fd);
	if (!strcmp(way, "accept"))
		fd = accept(fd, NULL, NULL);
	if (!strcmp(way, "read"))
		must(read(fd, &byte, 1) == 1);
	else
		must(write(fd, "", 1) == 1);
	sleep_ms(10);
	return 0;
}

int main(int count, char **arguments)
{
	static const struct situation all[] = {
		{"sleeper", sleeper},		{"receive_limit", receive_limit},
		{"stranger", stranger},		{"sibling_shuts", sibling_shuts},
		{"from_a_name", from_a_name},	{"to_a_name", to_a_name},
		{"not_accepted", not_accepted}, {"loopback", loopback},
	};

	/* While a message is on its way, it could be anything: by itself. */
	static const struct situation then[] = {{"end_in_flight", end_in_flight}};

	if (count == 4)
		return late_main(arguments[1], atoi(arguments[3]));
	return situations_run(all, sizeof(all) / sizeof(*all), arguments[1]) ||
	       situations_run(then, 1, arguments[1]);
}
