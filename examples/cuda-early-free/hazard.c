/*
 * A producer sends a handle of its device memory and frees the memory while the consumer still has it mapped.
 * Device memory has no reference count across processes: the consumer reads what comes to lie there next.
 *
 * Build: cc -g hazard.c -ldl
 */
// expect: ipc-freed-while-open error
// fake: cuda
// frames: produce consume

#include <dlfcn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES (1 << 20)
#define LAZY_PEER_ACCESS 1

struct handle {
	char bytes[64];
};

static int (*cuda_malloc)(void **, size_t);
static int (*cuda_free)(void *);
static int (*ipc_get)(struct handle *, void *);
static int (*ipc_open)(void **, struct handle, unsigned);
static int (*ipc_close)(void *);

static void load_cuda(void)
{
	static const char *const names[] = {"libcudart.so.13", "libcudart.so.12",
					    "libcudart.so.11.0"};
	void *runtime = NULL;

	for (int i = 0; i < 3 && !runtime; i++)
		runtime = dlopen(names[i], RTLD_NOW);
	if (!runtime) {
		fprintf(stderr, "no CUDA runtime: %s\n", dlerror());
		_exit(1);
	}
	*(void **)&cuda_malloc = dlsym(runtime, "cudaMalloc");
	*(void **)&cuda_free = dlsym(runtime, "cudaFree");
	*(void **)&ipc_get = dlsym(runtime, "cudaIpcGetMemHandle");
	*(void **)&ipc_open = dlsym(runtime, "cudaIpcOpenMemHandle");
	*(void **)&ipc_close = dlsym(runtime, "cudaIpcCloseMemHandle");
}

static void tell(int to, const void *what, size_t bytes)
{
	if (write(to, what, bytes) != (ssize_t)bytes)
		_exit(1);
}

static void hear(int from)
{
	char byte;

	if (read(from, &byte, 1) != 1)
		_exit(1);
}

static void produce(int to, int from)
{
	struct handle handle;
	void *memory;

	if (cuda_malloc(&memory, BYTES) || ipc_get(&handle, memory))
		_exit(1);
	tell(to, &handle, sizeof(handle));
	hear(from); /* it is open there */
	cuda_free(memory);
	tell(to, "r", 1);
	hear(from);
}

static void consume(int to, int from)
{
	struct handle handle;
	void *memory;

	if (read(from, &handle, sizeof(handle)) != sizeof(handle) ||
	    ipc_open(&memory, handle, LAZY_PEER_ACCESS))
		_exit(1);
	tell(to, "o", 1);
	hear(from); /* here it would compute with that memory */
	ipc_close(memory);
	tell(to, "d", 1);
}

int main(void)
{
	int there[2], back[2], status;
	pid_t consumer;

	if (pipe(there) || pipe(back))
		return 1;
	consumer = fork(); /* before CUDA is initialised */
	load_cuda();
	if (consumer == 0) {
		consume(back[1], there[0]);
		_exit(0);
	}
	produce(there[1], back[0]);
	waitpid(consumer, &status, 0);
	printf("both are done\n");
	return status != 0;
}
