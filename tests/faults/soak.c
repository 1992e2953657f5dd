/*
 * Threads, locks, forks, vforks, spawned programs, descriptors and mappings, over and over, for argv[1] seconds. Prints by
 * how many KiB its anonymous memory and by how many its descriptors have grown since an eighth of that time, and how
 * often it went round.
 */
#include "../preload/lib.h"

#include <dirent.h>
#include <spawn.h>

#define THREADS 8
#define MAPPED 65536
#define REST_US 50000 /* two hours are about 140,000 rounds and three times as many processes */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *lock_often(void *argument)
{
	for (int i = 0; i < 100; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
	return argument;
}

static void have_children(void)
{
	char *const argv[] = {"true", NULL};
	extern char **environ;
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	must(child_wait(child) == 0);
	child = vfork();
	if (child == 0)
		_exit(0);
	must(child_wait(child) == 0);
	must(posix_spawn(&child, "/bin/true", NULL, NULL, argv, environ) == 0);
	must(child_wait(child) == 0);
}

static void go_round(void)
{
	pthread_t thread[THREADS];
	pthread_rwlock_t lock;
	void *memory;
	int ends[2];

	for (int i = 0; i < THREADS; i++)
		must(pthread_create(&thread[i], NULL, lock_often, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		must(pthread_join(thread[i], NULL) == 0);
	must(pthread_rwlock_init(&lock, NULL) == 0 && pthread_rwlock_rdlock(&lock) == 0);
	have_children();
	must(pthread_rwlock_unlock(&lock) == 0 && pthread_rwlock_destroy(&lock) == 0);
	must(pipe(ends) == 0 && close(ends[0]) == 0 && close(ends[1]) == 0);
	memory = mmap(NULL, MAPPED, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must(memory != MAP_FAILED && munmap(memory, MAPPED) == 0);
	usleep(REST_US);
}

static long anonymous_kib(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[256];
	long kib = -1;

	must(file);
	while (kib < 0 && fgets(line, sizeof(line), file))
		if (sscanf(line, "RssAnon: %ld", &kib) != 1)
			kib = -1;
	fclose(file);
	return kib;
}

static long descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	long count = 0;

	must(directory);
	while (readdir(directory))
		count++;
	closedir(directory);
	return count;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double start = now(), seconds = argc > 1 ? atof(argv[1]) : 1;
	long rounds = 0, kib, open;

	do {
		go_round();
		rounds++;
	} while (now() < start + seconds / 8);
	kib = anonymous_kib();
	open = descriptors();
	while (now() < start + seconds) {
		go_round();
		rounds++;
	}
	printf("%ld KiB, %ld descriptors, %ld rounds\n", anonymous_kib() - kib,
	       descriptors() - open, rounds);
	return 0;
}
