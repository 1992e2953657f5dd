/*
 * What `make bench` measures inside a process: `bench NAME COUNT` does one thing COUNT times and prints the
 * nanoseconds that one took (for `rss`: the kibibytes in use). bench.py runs it bare and under mpsan.
 */
#define _GNU_SOURCE 1

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS 64
#define CROWD 512
#define LOCKS 40

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(3);
}

/* Locks */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;

static void mutex_pair(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}

static void read_pair(void)
{
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
}

static void write_pair(void)
{
	pthread_rwlock_wrlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
}

static void semaphore_pair(void)
{
	sem_wait(&semaphore);
	sem_post(&semaphore);
}

static void semaphore_init(void)
{
	must(sem_init(&semaphore, 0, 1) == 0, "sem_init");
}

static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;

static void nested_pairs(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_lock(&inner);
	pthread_mutex_unlock(&inner);
	pthread_mutex_unlock(&mutex);
}

/* CUDA's runtime, on the stand-in for the driver */

typedef int cuda_allocate(void **, size_t);
typedef int cuda_free(void *);
typedef int cuda_copy(void *, const void *, size_t, int, void *);
typedef int cuda_launch(const void *, unsigned long, unsigned, unsigned long, unsigned, void **,
			size_t, void *);
static cuda_allocate *cuda_malloc;
static cuda_free *cuda_release;
static cuda_copy *cuda_queue_copy;
static cuda_launch *cuda_queue_launch;
static void *cuda_memory;

static void cuda_init(void)
{
	void *runtime = dlopen("libcudart.so.13", RTLD_NOW);

	must(runtime != NULL, "libcudart.so.13");
	cuda_malloc = (cuda_allocate *)dlsym(runtime, "cudaMalloc");
	cuda_release = (cuda_free *)dlsym(runtime, "cudaFree");
	cuda_queue_copy = (cuda_copy *)dlsym(runtime, "cudaMemcpyAsync");
	cuda_queue_launch = (cuda_launch *)dlsym(runtime, "cudaLaunchKernel");
	must(cuda_malloc(&cuda_memory, 1 << 20) == 0, "cudaMalloc");
}

static void cuda_pair(void)
{
	void *p;

	cuda_malloc(&p, 4096);
	cuda_release(p);
}

static void cuda_copies(void)
{
	cuda_queue_copy(cuda_memory, cuda_memory, 0, 3, NULL);
}

static void cuda_launches(void)
{
	cuda_queue_launch(NULL, 1, 1, 1, 1, NULL, 0, NULL);
}

/* fork, with threads that keep locks */

static pthread_mutex_t locks[LOCKS];
static int ready[2];
static int never[2];

/* Takes the locks from the first up to and without the last, says so, and stays. */
struct share {
	int first, last;
};

static void *keep_share(void *argument)
{
	const struct share *share = argument;
	char byte = 0;

	for (int i = share->first; i < share->last; i++)
		pthread_mutex_lock(&locks[i]);
	must(write(ready[1], &byte, 1) == 1, "write");
	return (void *)read(never[0], &byte, 1);
}

static void start_threads(int threads, struct share (*share_of)(int thread))
{
	static struct share shares[CROWD];
	pthread_t thread;
	char byte;

	must(pipe(ready) == 0 && pipe(never) == 0, "pipe");
	for (int i = 0; i < LOCKS; i++)
		must(pthread_mutex_init(&locks[i], NULL) == 0, "pthread_mutex_init");
	for (int i = 0; i < threads - 1; i++) {
		shares[i] = share_of(i);
		must(pthread_create(&thread, NULL, keep_share, &shares[i]) == 0, "pthread_create");
		must(read(ready[0], &byte, 1) == 1, "read");
	}
}

static struct share no_locks(int thread)
{
	(void)thread;
	return (struct share){0, 0};
}

static struct share all_by_first(int thread)
{
	return (struct share){0, thread == 0 ? LOCKS : 0};
}

static struct share one_each(int thread)
{
	return thread < LOCKS ? (struct share){thread, thread + 1} : (struct share){0, 0};
}

static void fork_init(void)
{
	start_threads(THREADS, no_locks);
}

static void fork_crowd_init(void)
{
	start_threads(CROWD, no_locks);
}

static void fork_one_init(void)
{
	start_threads(THREADS, all_by_first);
}

static void fork_spread_init(void)
{
	start_threads(THREADS, one_each);
}

static void fork_and_wait(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	must(waitpid(child, NULL, 0) == child, "waitpid");
}

/* Functions of libc with locks of their own */

static void *idle(void *argument)
{
	pause();
	return argument;
}

static void second_init(void)
{
	pthread_t thread;

	must(pthread_create(&thread, NULL, idle, NULL) == 0, "pthread_create");
}

static void call_random(void)
{
	random();
}

static void call_localtime(void)
{
	static time_t now = 1000000000;
	static struct tm tm;

	localtime_r(&now, &tm);
}

static void call_setenv(void)
{
	setenv("MPSAN_BENCH", "1", 1);
}

/* Memory and programs */

static void map_pair(void)
{
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(memory, 4096);
}

#define SHARED_BYTES (1 << 20)
static int shared_fd;

static void shared_init(void)
{
	shared_fd = memfd_create("bench", MFD_CLOEXEC);
	must(shared_fd >= 0 && ftruncate(shared_fd, SHARED_BYTES) == 0, "memfd_create");
}

static void shared_pair(void)
{
	void *memory = mmap(NULL, SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, shared_fd, 0);

	munmap(memory, SHARED_BYTES);
}

/* The same with one page that is written to, as everybody who maps something does. */
static void shared_touch(void)
{
	char *memory = mmap(NULL, SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, shared_fd, 0);

	memory[0] = 1;
	munmap(memory, SHARED_BYTES);
}

/* Descriptors of which nothing is known */

static int pair[2];

static void pair_init(void)
{
	must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0, "socketpair");
}

static void dup_pair(void)
{
	close(dup(pair[0]));
}

static void message_pair(void)
{
	char byte = 0;
	struct iovec piece = {&byte, 1};
	struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};

	must(sendmsg(pair[0], &message, 0) == 1 && recvmsg(pair[1], &message, 0) == 1, "sendmsg");
}

/* A segment from its birth to its end, as torch's queues make them. */
static void segment(void)
{
	static int number;
	char name[64];
	void *memory;
	int fd;

	snprintf(name, sizeof(name), "/torch_%d_%d", (int)getpid(), number++);
	fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
	must(fd >= 0 && ftruncate(fd, 4096) == 0, "shm_open");
	memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	shm_unlink(name);
	munmap(memory, 4096);
	close(fd);
}

static void start_true(void)
{
	char *arguments[] = {"true", NULL};
	pid_t child;

	must(posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ) == 0, "posix_spawn");
	must(waitpid(child, NULL, 0) == child, "waitpid");
}

/* Memory in use by a process with threads that has forked: by then the library has its log. */
static int print_rss(void)
{
	FILE *status;
	char line[256];
	long kib = 0;

	start_threads(THREADS, one_each);
	fork_and_wait();
	status = fopen("/proc/self/status", "r");
	must(status != NULL, "/proc/self/status");
	while (fgets(line, sizeof(line), status))
		sscanf(line, "VmRSS: %ld", &kib);
	printf("%ld\n", kib);
	return 0;
}

/* What takes microseconds is timed one by one and gives its median; the rest is timed as a whole. */
static const struct bench {
	const char *name;
	void (*init)(void);
	void (*once)(void);
	bool one_by_one;
} benches[] = {
	{"mutex", NULL, mutex_pair, false},
	{"rdlock", NULL, read_pair, false},
	{"wrlock", NULL, write_pair, false},
	{"semaphore", semaphore_init, semaphore_pair, false},
	{"nested", NULL, nested_pairs, false},
	{"random", NULL, call_random, false},
	{"localtime", NULL, call_localtime, false},
	{"setenv", NULL, call_setenv, false},
	{"random-thread", second_init, call_random, false},
	{"localtime-thread", second_init, call_localtime, false},
	{"setenv-thread", second_init, call_setenv, false},
	{"cuda-malloc", cuda_init, cuda_pair, false},
	{"cuda-copy", cuda_init, cuda_copies, false},
	{"cuda-launch", cuda_init, cuda_launches, false},
	{"fork", fork_init, fork_and_wait, true},
	{"fork-alone", NULL, fork_and_wait, true},
	{"fork-crowd", fork_crowd_init, fork_and_wait, true},
	{"fork-one", fork_one_init, fork_and_wait, true},
	{"fork-spread", fork_spread_init, fork_and_wait, true},
	{"mmap", NULL, map_pair, false},
	{"mmap-shared", shared_init, shared_pair, false},
	{"mmap-touched", shared_init, shared_touch, false},
	{"dup", pair_init, dup_pair, false},
	{"message", pair_init, message_pair, false},
	{"segment", NULL, segment, false},
	{"true", NULL, start_true, true},
};

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

static double time_of(void (*once)(void), long count)
{
	double start = now_ns();

	for (long i = 0; i < count; i++)
		once();
	return (now_ns() - start) / count;
}

static int compare(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static double median_of(void (*once)(void), long count)
{
	double *times = calloc(count, sizeof(*times));
	double median;

	must(times != NULL, "calloc");
	for (long i = 0; i < count; i++)
		times[i] = time_of(once, 1);
	qsort(times, count, sizeof(*times), compare);
	median = times[count / 2];
	free(times);
	return median;
}

static int run(const struct bench *bench, long count)
{
	if (bench->init)
		bench->init();
	bench->once(); /* the first time resolves symbols and makes the log */
	printf("%.2f\n", (bench->one_by_one ? median_of : time_of)(bench->once, count));
	return 0;
}

int main(int argc, char **argv)
{
	long count = argc > 2 ? strtol(argv[2], NULL, 10) : 0;

	if (argc > 1 && strcmp(argv[1], "rss") == 0)
		return print_rss();
	for (size_t i = 0; count > 0 && i < sizeof(benches) / sizeof(benches[0]); i++)
		if (strcmp(argv[1], benches[i].name) == 0)
			return run(&benches[i], count);
	fprintf(stderr, "usage: bench NAME COUNT\n");
	return 2;
}
