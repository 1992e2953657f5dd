/*
 * A filter as a child process: the parent writes all of its text into one pipe before it reads the answer from
 * another one, the filter answers line by line. Both pipes fill up, and each side waits for the other to read. A
 * thread of the parent watches progress under a mutex that the writer keeps.
 */
// expect: deadlock-cycle error
// ends: never
// frames: send_all filter
#include "threads.h"

enum { LINE = 1024, LINES = 1024 };

static struct {
	pthread_mutex_t lock;
	struct gate begun;
	int sent;
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER};

static char line[LINE];

static bool read_line(int fd)
{
	size_t have = 0;

	while (have < LINE) {
		ssize_t got = read(fd, line + have, LINE - have);

		must(got >= 0);
		if (got == 0)
			return false;
		have += got;
	}
	return true;
}

static void write_line(int fd)
{
	size_t done = 0;

	while (done < LINE) {
		ssize_t put = write(fd, line + done, LINE - done);

		must(put > 0);
		done += put;
	}
}

static NOINLINE void filter(int in, int out)
{
	while (read_line(in)) {
		for (int i = 0; i < LINE; i++)
			line[i] ^= ' ';
		write_line(out);
	}
}

static NOINLINE void send_all(int out)
{
	mutex_take(&progress.lock);
	gate_open(&progress.begun);
	for (; progress.sent < LINES; progress.sent++)
		write_line(out);
	mutex_give(&progress.lock);
	must(close(out) == 0);
}

static void *watch_main(void *unused)
{
	gate_wait(&progress.begun);
	mutex_take(&progress.lock);
	printf("%d lines sent\n", progress.sent);
	mutex_give(&progress.lock);
	return unused;
}

int main(void)
{
	int text[2], answer[2], lines = 0;
	pthread_t watcher;
	pid_t child;

	must(pipe(text) == 0 && pipe(answer) == 0);
	child = fork();
	if (child == 0) {
		must(close(text[1]) == 0 && close(answer[0]) == 0);
		filter(text[0], answer[1]);
		_exit(0);
	}
	must(close(text[0]) == 0 && close(answer[1]) == 0);
	gate_init(&progress.begun);
	watcher = thread_start(watch_main);
	send_all(text[1]);
	while (read_line(answer[0]))
		lines++;
	thread_join(watcher);
	printf("%d lines came back\n", lines);
	return child_wait(child);
}
