/*
 * Weights on a GPU, used by two processes that send each other nothing: the producer gives its memory a name,
 * the consumer looks for that name in mpsan's registry, maps the memory and reads what the producer wrote. No
 * handle, no pipe, no agreement on who starts first. Without mpsan there is no registry, and both say so.
 *
 * Build: cc -g -I include weights.c -ldl
 */
// expect: none
// fake: cuda

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mpsan.h"

#define COUNT 4096
#define NAME "example weights"

static int (*cuda_malloc)(void **, size_t);
static int (*cuda_free)(void *);
static int (*cuda_memcpy)(void *, const void *, size_t, int);
enum { TO_DEVICE = 1, TO_HOST = 2 };

static int load_cuda(void)
{
	static const char *const names[] = {"libcudart.so.13", "libcudart.so.12",
					    "libcudart.so.11.0"};
	void *runtime = NULL;

	for (int i = 0; i < 3 && !runtime; i++)
		runtime = dlopen(names[i], RTLD_NOW);
	if (!runtime)
		return fprintf(stderr, "no CUDA runtime: %s\n", dlerror());
	cuda_malloc = (int (*)(void **, size_t))dlsym(runtime, "cudaMalloc");
	cuda_free = (int (*)(void *))dlsym(runtime, "cudaFree");
	cuda_memcpy = (int (*)(void *, const void *, size_t, int))dlsym(runtime, "cudaMemcpy");
	return 0;
}

/* Keeps the weights until `enough` is closed: whoever shares memory outlives those who use it. */
static int produce(int enough)
{
	float weights[COUNT];
	void *memory;
	char byte;
	int result;

	for (int i = 0; i < COUNT; i++)
		weights[i] = 0.5f * (float)i;
	if (cuda_malloc(&memory, sizeof(weights)) ||
	    cuda_memcpy(memory, weights, sizeof(weights), TO_DEVICE))
		return 1;
	result = mpsan_ipc_name(memory, NAME);
	if (result && result != -ENOSYS)
		return fprintf(stderr, "producer: %s\n", strerror(-result));
	result = (int)read(enough, &byte, 1);
	return result || cuda_free(memory);
}

/* The producer may not have come so far yet. */
static int find(struct mpsan_export *found)
{
	const struct timespec pause = {.tv_nsec = 5000000};
	int result;

	while ((result = mpsan_ipc_find_name(NAME, found)) == -ENOENT)
		nanosleep(&pause, NULL);
	return result;
}

static int check(const void *memory)
{
	float weights[COUNT];

	if (cuda_memcpy(weights, memory, sizeof(weights), TO_HOST))
		return 1;
	for (int i = 0; i < COUNT; i++)
		if (weights[i] != 0.5f * (float)i)
			return fprintf(stderr, "weight %d is %f\n", i, (double)weights[i]);
	return 0;
}

static int consume(void)
{
	struct mpsan_export found;
	void *memory;
	int result = find(&found);

	if (result == -ENOSYS)
		return fprintf(stderr, "consumer: there is no registry without mpsan\n") < 0;
	if (!result)
		result = mpsan_ipc_open(&found, &memory);
	if (result)
		return fprintf(stderr, "consumer: %s\n", strerror(-result));
	result = check(memory);
	fprintf(stderr, "consumer: %llu bytes of process %d are %s\n",
		(unsigned long long)found.bytes, found.pid, result ? "wrong" : "right");
	return mpsan_ipc_close(memory) || result;
}

int main(void)
{
	int enough[2], consumed, produced = 1;
	pid_t producer, consumer;

	if (pipe(enough))
		return 1;
	consumer = fork(); /* both before anybody has touched CUDA */
	if (consumer == 0)
		_exit(load_cuda() || consume());
	producer = fork();
	if (producer == 0) {
		close(enough[1]);
		_exit(load_cuda() || produce(enough[0]));
	}
	waitpid(consumer, &consumed, 0);
	close(enough[1]);
	waitpid(producer, &produced, 0);
	return consumed || produced;
}
