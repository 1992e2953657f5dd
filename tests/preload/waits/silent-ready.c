/*
 * A thread keeps a mutex, which the main thread wants, while it waits for descriptors that nobody in the job makes ready:
 * a timer that is set, a FIFO, a terminal, an eventfd that a stranger has, the end of a stranger, a socket and a
 * TCP connection that a stranger's message comes to, an epoll set to which a child adds what is ready; and with a time limit a pipe, and a
 * child that ends. They end after LATE_MS: longer than a hang needs to be proven.
 */
// expect: none
#include "reach.h"

#undef LATE_MS
#define LATE_MS 3000

#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>

static pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER;
static struct gate taken;
static int awaited, timeout = -1;
static bool comes = true, by_ppoll;

static void *poll_main(void *unused)
{
	struct pollfd one = {awaited, POLLIN, 0};

	must(pthread_mutex_lock(&busy) == 0);
	gate_open(&taken);
	if (by_ppoll)
		must(ppoll(&one, 1, &(struct timespec){.tv_sec = timeout / 1000}, NULL) == comes);
	else
		must(poll(&one, 1, timeout) == comes);
	must(pthread_mutex_unlock(&busy) == 0);
	return unused;
}

static NOINLINE void wait_ready(int fd)
{
	pthread_t thread;

	awaited = fd;
	gate_init(&taken);
	must(pthread_create(&thread, NULL, poll_main, NULL) == 0);
	gate_wait(&taken);
	must(pthread_mutex_lock(&busy) == 0);
	must(pthread_join(thread, NULL) == 0);
}

/* Keeps the program's main thread, which waits for it first, out of all dead ends. */
static void sleeper(void)
{
	sleep_ms(LATE_MS + 1000);
}

static void timer(void)
{
	struct itimerspec late = {.it_value.tv_sec = LATE_MS / 1000};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);

	must(timerfd_settime(fd, 0, &late, NULL) == 0);
	wait_ready(fd);
}

static void fifo(void)
{
	char *path = strdup(own_path("ready-fifo"));
	pid_t late;
	int fd;

	must(mkfifo(path, 0600) == 0);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	late = late_start("open", 's', path);
	wait_ready(fd);
	must(unlink(path) == 0 && child_wait(late) == 0);
}

static void event(void)
{
	int fd = eventfd(0, 0);
	pid_t late = late_start("write", 's', number_text(fd));

	wait_ready(fd);
	must(child_wait(late) == 0);
}

static void stranger_ends(void)
{
	pid_t late = late_start("end", 's', "0");

	wait_ready((int)syscall(SYS_pidfd_open, late, 0));
	must(child_wait(late) == 0);
}

static void message(void)
{
	int pair[2];
	pid_t late;

	must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	late = late_start("write", 's', number_text(pair[1]));
	close(pair[1]);
	wait_ready(pair[0]);
	must(child_wait(late) == 0);
}

static void connection(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int near = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), far;
	socklen_t bytes = sizeof(address);
	pid_t late;

	must(bind(listener, (struct sockaddr *)&address, bytes) == 0 && listen(listener, 1) == 0);
	must(getsockname(listener, (struct sockaddr *)&address, &bytes) == 0);
	must(connect(near, (struct sockaddr *)&address, bytes) == 0);
	far = accept(listener, NULL, NULL);
	late = late_start("write", 's', number_text(far));
	must(far >= 0 && close(far) == 0 && close(listener) == 0);
	wait_ready(near);
	must(child_wait(late) == 0);
}

/* The child keeps nothing but the set. */
static void child_adds(void)
{
	int set = epoll_create1(EPOLL_CLOEXEC), pair[2];
	struct epoll_event event = {.events = EPOLLIN};
	pid_t child = fork();

	if (child == 0) {
		sleep_ms(LATE_MS);
		must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && write(pair[1], "", 1) == 1);
		must(epoll_ctl(set, EPOLL_CTL_ADD, pair[0], &event) == 0);
		sleep_ms(500);
		_exit(0);
	}
	must(pthread_mutex_lock(&busy) == 0);
	must(epoll_wait(set, &event, 1, -1) == 1);
	must(child_wait(child) == 0);
}

static void limit(void)
{
	int ends[2];

	must(pipe2(ends, O_CLOEXEC) == 0);
	timeout = LATE_MS;
	comes = false;
	wait_ready(ends[0]);
}

static void limit_of_ppoll(void)
{
	by_ppoll = true;
	limit();
}

static void child_ends(void)
{
	pid_t child = fork();

	if (child == 0) {
		sleep_ms(LATE_MS);
		_exit(0);
	}
	by_ppoll = true;
	timeout = LATE_MS * 4;
	wait_ready((int)syscall(SYS_pidfd_open, child, 0));
	must(child_wait(child) == 0);
}

static int late_main(const char *way, const char *what)
{
	sleep_ms(LATE_MS);
	if (!strcmp(way, "open"))
		must(write(open(what, O_WRONLY), "", 1) == 1);
	if (!strcmp(way, "write"))
		must(write(atoi(what), (uint64_t[]){1}, 8) == 8);
	return 0;
}

int main(int count, char **arguments)
{
	static const struct situation all[] = {
		{"sleeper", sleeper},
		{"timer", timer},
		{"fifo", fifo},
		{"event", event},
		{"stranger_ends", stranger_ends},
		{"message", message},
		{"connection", connection},
		{"child_adds", child_adds},
		{"limit", limit},
		{"limit_of_ppoll", limit_of_ppoll},
		{"child_ends", child_ends},
	};

	if (count == 4)
		return late_main(arguments[1], arguments[3]);
	return situations_run(all, sizeof(all) / sizeof(*all), arguments[1]);
}
