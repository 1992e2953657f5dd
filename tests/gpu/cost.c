/*
 * What one call costs: `cost ROW COUNT` makes it COUNT times and prints the nanoseconds that one took. test_cost.py
 * builds it, and runs it bare and watched by turns. The kernel does nothing; its text is compiled by the driver.
 */
#define _GNU_SOURCE 1

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PIECES 64 /* allocated together, then freed together, as a program warms up */
#define BATCH 512 /* launches between two waits: below what a stream's queue takes */

enum { MAJOR = 75, MINOR = 76 }; /* device attributes: the compute capability */

static void *driver, *runtime;

static void must(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "cost: not so: %s\n", what);
	exit(3);
}

static void *symbol(void *library, const char *name)
{
	void *found = dlsym(library, name);

	must(found != NULL, name);
	return found;
}

/* Calls a function of CUDA by its name, once: for what is not measured. */
#define CALL(library, name, types, ...) \
	must(((int(*) types)symbol(library, name))(__VA_ARGS__) == 0, name)

static void allocate_and_free(long count)
{
	int (*allocate)(void **, size_t) = (int (*)(void **, size_t))symbol(runtime, "cudaMalloc");
	int (*release)(void *) = (int (*)(void *))symbol(runtime, "cudaFree");
	void *piece[PIECES];

	for (long i = 0; i < count; i += PIECES) {
		for (int j = 0; j < PIECES; j++)
			must(allocate(&piece[j], 1 << 20) == 0, "cudaMalloc");
		for (int j = 0; j < PIECES; j++)
			must(release(piece[j]) == 0, "cudaFree");
	}
}

/* PTX for what the device is, or the newest that all later ones take. */
static void *load_kernel(void)
{
	char text[256];
	void *module, *function;
	int major, minor, device;

	CALL(driver, "cuCtxGetDevice", (int *), &device);
	CALL(driver, "cuDeviceGetAttribute", (int *, int, int), &major, MAJOR, device);
	CALL(driver, "cuDeviceGetAttribute", (int *, int, int), &minor, MINOR, device);
	if (major * 10 + minor > 75)
		major = 7, minor = 5;
	snprintf(
		text, sizeof(text),
		".version 6.3\n.target sm_%d%d\n.address_size 64\n.visible .entry nothing() { ret; }\n",
		major, minor);
	CALL(driver, "cuModuleLoadData", (void **, const void *), &module, text);
	CALL(driver, "cuModuleGetFunction", (void **, void *, const char *), &function, module,
	     "nothing");
	return function;
}

typedef int launch_fn(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
		      void *, void **, void **);

static void launch(long count)
{
	launch_fn *go = (launch_fn *)symbol(driver, "cuLaunchKernel");
	int (*wait)(void) = (int (*)(void))symbol(driver, "cuCtxSynchronize");
	void *function = load_kernel();

	for (long i = 0; i < count; i++) {
		must(go(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL) == 0, "cuLaunchKernel");
		if (i % BATCH == BATCH - 1)
			must(wait() == 0, "cuCtxSynchronize");
	}
}

static void copy(long count)
{
	int (*go)(void *, const void *, size_t, int) =
		(int (*)(void *, const void *, size_t, int))symbol(runtime, "cudaMemcpy");
	void *piece;
	char bytes[64] = {0};

	CALL(runtime, "cudaMalloc", (void **, size_t), &piece, sizeof(bytes));
	for (long i = 0; i < count; i++)
		must(go(piece, bytes, sizeof(bytes), 1) == 0, "cudaMemcpy");
}

static const struct row {
	const char *name;
	void (*run)(long);
} rows[] = {{"allocate", allocate_and_free}, {"launch", launch}, {"copy", copy}};

static void *open_runtime(void)
{
	static const char *const names[] = {"libcudart.so.13", "libcudart.so.12",
					    "libcudart.so.11.0"};
	void *found = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !found; i++)
		found = dlopen(names[i], RTLD_NOW | RTLD_GLOBAL);
	must(found != NULL, "a libcudart");
	return found;
}

static double now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return at.tv_sec * 1e9 + at.tv_nsec;
}

int main(int count, char **words)
{
	long calls = count == 3 ? atol(words[2]) : 0;
	double begin;

	must(calls > 0, "usage: cost ROW COUNT");
	driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
	must(driver != NULL, "libcuda.so.1");
	runtime = open_runtime();
	CALL(runtime, "cudaFree", (void *), NULL); /* the context */
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].name, words[1]) != 0)
			continue;
		rows[i].run(calls / 10 + 1); /* warm */
		begin = now();
		rows[i].run(calls);
		printf("%.1f\n", (now() - begin) / calls);
		return 0;
	}
	must(0, "a row of that name");
}
