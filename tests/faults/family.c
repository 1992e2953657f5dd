/*
 * Runs one process of a family whose life is written in argv[1], `NAME:` and one character for each thing to do:
 *
 *   f NAME{...}  fork(), the child does what is in braces; F: _Fork(); c: clone() by syscall()
 *   v NAME{...}  vfork() and exec of this program, with another life; s: posix_spawn()
 *   x NAME{...}  exec of this program
 *   R NAME{...}  fork() a group, which is killed at some time
 *   k NAME       a signal, whose handler forks a child that ends
 *   t{...}       a thread does it
 *   h{...}       with a mutex locked that will not know its owner in a child; H: which another thread has locked
 *   l            lock and unlock for a while
 *   u            unshare mounts, IPC and host name; P: the processes of children
 *   e N  exit(N), _ N: _exit(N), q N: quick_exit(N), K N: the signal N
 *
 * It waits for every child at once, and for its threads at the end. Each process writes its name to standard output once
 * the library has recorded it. test_family.py makes families and knows what becomes of them.
 */
#include "../preload/lib.h"

#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>

#include "../../include/mpsan.h"

#define THREADS 8
#define LIFE 16384

struct hold {
	pthread_mutex_t mutex;
	struct gate taken, over;
};

static void gate_close(struct gate *gate)
{
	close(gate->fd[0]);
	close(gate->fd[1]);
}

static char myself[] = "/proc/self/exe";
static pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER;
/* A child must not wait for what a thread of its parent has. */
static __thread pthread_mutex_t own[THREADS];
static pthread_t thread[THREADS];
static int threads;
static __thread const char *of_handler;

static const char *live(const char *life);
static void end(char how, int number);

static void begin(const char *name, size_t size)
{
	char line[64];

	snprintf(line, sizeof(line), "%.*s\n", (int)size, name);
	mpsan_lock_name(&mine, strtok(line, "\n"));
	line[size] = '\n';
	must(write(1, line, size + 1) > 0);
}

/* To the brace that closes the one before `at`. */
static const char *skip(const char *at)
{
	for (int depth = 1; depth; at++)
		depth += (*at == '{') - (*at == '}');
	return at;
}

static size_t name_size(const char *at)
{
	return strspn(at, "0123456789");
}

static const char *body(const char *at)
{
	return at + name_size(at) + 1;
}

static void child_lives(const char *at)
{
	threads = 0;
	begin(at, name_size(at));
	live(body(at));
	end('_', 0);
}

/* The arguments of a new image, in memory that a vforked child may use. */
static void image(const char *at, char *text, char *argv[3])
{
	size_t size = name_size(at);

	snprintf(text, LIFE, "%.*s:%.*s", (int)size, at, (int)(skip(body(at)) - body(at) - 1),
		 body(at));
	argv[0] = myself;
	argv[1] = text;
	argv[2] = NULL;
}

static const char *make_image(char how, const char *at)
{
	char text[LIFE], *argv[3];
	pid_t child = 0;

	image(at, text, argv);
	if (how == 'x')
		execv(myself, argv);
	if (how == 's')
		must(posix_spawn(&child, myself, NULL, NULL, argv, environ) == 0);
	if (how == 'v') {
		child = vfork();
		if (child == 0) {
			execv(myself, argv);
			_exit(127);
		}
	}
	child_wait(child);
	return skip(body(at));
}

static const char *make_child(char how, const char *at)
{
	pid_t child = how == 'F' ? _Fork() :
		      how == 'c' ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) :
				   fork();

	if (child == 0) {
		if (how == 'R')
			setpgid(0, 0);
		child_lives(at);
	}
	must(child > 0);
	if (how == 'R') {
		setpgid(child, child);
		usleep((useconds_t)strlen(at) % 16 * 400);
		kill(-child, SIGKILL);
	}
	child_wait(child);
	return skip(body(at));
}

static void fork_in_handler(int signal)
{
	(void)signal;
	make_child('f', of_handler);
}

static const char *by_signal(const char *at)
{
	of_handler = at;
	signal(SIGUSR1, fork_in_handler);
	raise(SIGUSR1);
	return skip(body(at));
}

static void *thread_lives(void *at)
{
	live(at);
	return NULL;
}

static const char *in_thread(const char *at)
{
	must(threads < THREADS &&
	     pthread_create(&thread[threads++], NULL, thread_lives, (void *)at) == 0);
	return skip(at);
}

static void join_all(void)
{
	while (threads)
		pthread_join(thread[--threads], NULL);
}

static const char *holding(const char *at)
{
	pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

	pthread_mutex_lock(&mutex);
	at = live(at);
	pthread_mutex_unlock(&mutex);
	return at;
}

static void *hold(void *argument)
{
	struct hold *hold = argument;

	pthread_mutex_lock(&hold->mutex);
	gate_open(&hold->taken);
	gate_wait(&hold->over);
	pthread_mutex_unlock(&hold->mutex);
	return NULL;
}

static const char *other_holding(const char *at)
{
	struct hold *other = calloc(1, sizeof(*other));
	pthread_t holder;

	pthread_mutex_init(&other->mutex, NULL);
	gate_init(&other->taken);
	gate_init(&other->over);
	must(pthread_create(&holder, NULL, hold, other) == 0);
	gate_wait(&other->taken);
	at = live(at);
	gate_open(&other->over);
	pthread_join(holder, NULL);
	gate_close(&other->taken);
	gate_close(&other->over);
	free(other);
	return at;
}

static void lock_for_a_while(void)
{
	for (int i = 0; i < 100; i++) {
		pthread_mutex_lock(&own[i % THREADS]);
		pthread_mutex_unlock(&own[i % THREADS]);
	}
}

static void end(char how, int number)
{
	join_all();
	if (how == 'e')
		exit(number);
	if (how == 'q')
		quick_exit(number);
	if (how == '_')
		_exit(number);
	signal(number, SIG_DFL);
	raise(number);
}

static const char *do_one(char what, const char *at)
{
	switch (what) {
	case 'f':
	case 'F':
	case 'c':
	case 'R':
		return make_child(what, at);
	case 'x':
		join_all();
		/* fall through */
	case 'v':
	case 's':
		return make_image(what, at);
	case 'k':
		return by_signal(at);
	case 't':
		return in_thread(at + 1);
	case 'h':
		return holding(at + 1);
	case 'H':
		return other_holding(at + 1);
	case 'l':
		lock_for_a_while();
		return at;
	case 'u':
		must(unshare(CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS) == 0);
		return at;
	case 'P':
		must(unshare(CLONE_NEWPID) == 0);
		return at;
	default:
		end(what, atoi(at));
		return at;
	}
}

/* Does what there is up to the brace that closes it; returns what is behind. */
static const char *live(const char *at)
{
	while (*at && *at != '}') {
		char what = *at++;

		at = do_one(what, at);
	}
	return *at ? at + 1 : at;
}

int main(int argc, char **argv)
{
	size_t size = argc == 2 ? name_size(argv[1]) : 0;

	if (!size)
		return 2;
	begin(argv[1], size);
	live(argv[1] + size + 1);
	return 0;
}
