/*
 * Does with device memory and the registry what it is told, a line at a time, and answers each with one line:
 * result first. For test_registry.py, which plays several of these against each other.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../shim/abi/cuda.h"
#include "mpsan.h"

/* Looked up as a program does that is not linked with CUDA. */
// clang-format off
#define FUNCTIONS(_) \
	_(cuInit) \
	_(cuDevicePrimaryCtxRetain) \
	_(cuMemAlloc_v2) \
	_(cuMemFree_v2) \
	_(cuMemCreate) \
	_(cuMemRelease) \
	_(cuMemMap) \
	_(cuMemUnmap) \
	_(cuMemPoolCreate) \
	_(cuMemAllocFromPoolAsync) \
	_(cuMemAllocManaged) \
	_(cuIpcGetMemHandle) \
	_(cuIpcOpenMemHandle_v2) \
	_(cuIpcCloseMemHandle)
// clang-format on

#define DECLARE(name) static __typeof__(&name) p_##name;
FUNCTIONS(DECLARE)
static CUresult (*p_set_current)(CUcontext);
static CUresult (*p_reserve)(CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long);
static CUresult (*p_set_access)(CUdeviceptr, size_t, const CUmemAccessDesc *, size_t);
static CUresult (*p_set)(CUdeviceptr, unsigned char, size_t);
static CUresult (*p_get)(void *, CUdeviceptr, size_t);

#define FIND(name) *(void **)&p_##name = dlsym(driver, #name);

static CUcontext context;

static int start(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);

	if (!driver)
		return fprintf(stderr, "%s\n", dlerror());
	FUNCTIONS(FIND)
	*(void **)&p_set_current = dlsym(driver, "cuCtxSetCurrent");
	*(void **)&p_reserve = dlsym(driver, "cuMemAddressReserve");
	*(void **)&p_set_access = dlsym(driver, "cuMemSetAccess");
	*(void **)&p_set = dlsym(driver, "cuMemsetD8_v2");
	*(void **)&p_get = dlsym(driver, "cuMemcpyDtoH_v2");
	return p_cuInit(0) || p_cuDevicePrimaryCtxRetain(&context, 0) || p_set_current(context);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- memory ---- */

static void alloc(uint64_t bytes, uint64_t byte)
{
	CUdeviceptr address = 0;
	CUresult result = p_cuMemAlloc_v2(&address, bytes);

	if (!result)
		result = p_set(address, (unsigned char)byte, bytes);
	printf("%d %llu\n", result, address);
}

static void alloc_vmm(uint64_t bytes, uint64_t byte)
{
	CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
					  .location.type = CU_MEM_LOCATION_TYPE_DEVICE};
	CUmemAccessDesc access = {.location.type = CU_MEM_LOCATION_TYPE_DEVICE,
				  .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	CUmemGenericAllocationHandle handle;
	CUdeviceptr address = 0;
	int result = p_cuMemCreate(&handle, bytes, &properties, 0);

	if (!result)
		result = p_reserve(&address, bytes, 0, 0, 0);
	if (!result)
		result = p_cuMemMap(address, bytes, 0, handle, 0);
	if (!result)
		result = p_set_access(address, bytes, &access, 1);
	if (!result)
		result = p_cuMemRelease(handle);
	if (!result)
		result = p_set(address, (unsigned char)byte, bytes);
	printf("%d %llu\n", result, address);
}

static void alloc_pool(uint64_t bytes, uint64_t byte)
{
	CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				     .location.type = CU_MEM_LOCATION_TYPE_DEVICE};
	static CUmemoryPool pool;
	CUdeviceptr address = 0;
	int result = pool ? 0 : p_cuMemPoolCreate(&pool, &properties);

	if (!result)
		result = p_cuMemAllocFromPoolAsync(&address, bytes, pool, NULL);
	if (!result)
		result = p_set(address, (unsigned char)byte, bytes);
	printf("%d %llu\n", result, address);
}

static void alloc_managed(uint64_t bytes, uint64_t unused)
{
	CUdeviceptr address = 0;
	CUresult result = p_cuMemAllocManaged(&address, bytes, CU_MEM_ATTACH_GLOBAL);

	(void)unused;
	printf("%d %llu\n", result, address);
}

static void free_memory(uint64_t address, uint64_t unused)
{
	(void)unused;
	printf("%d\n", p_cuMemFree_v2(address));
}

static void unmap(uint64_t address, uint64_t bytes)
{
	printf("%d\n", p_cuMemUnmap(address, bytes));
}

static struct {
	CUipcMemHandle handle;
	CUdeviceptr address;
} own;

/* Handles as a program passes them round by itself: through a file. */
static void export_to(const char *file)
{
	FILE *out = fopen(file, "w");
	int result = p_cuIpcGetMemHandle(&own.handle, own.address);

	printf("%d\n", result || !out || !fwrite(&own.handle, sizeof(own.handle), 1, out));
	if (out)
		fclose(out);
}

static void open_from(const char *file)
{
	FILE *in = fopen(file, "r");
	CUdeviceptr address = 0;
	int result = !in || !fread(&own.handle, sizeof(own.handle), 1, in);

	if (!result)
		result = p_cuIpcOpenMemHandle_v2(&address, own.handle, 1);
	printf("%d %llu\n", result, address);
	if (in)
		fclose(in);
}

static void close_own(uint64_t address, uint64_t unused)
{
	(void)unused;
	printf("%d\n", p_cuIpcCloseMemHandle(address));
}

/* Another program in its place, which waits for the end of its input, and is watched or not. */
static void exec_in_place(uint64_t watched, uint64_t unused)
{
	(void)unused;
	printf("0\n");
	fflush(stdout);
	if (!watched)
		unsetenv("LD_PRELOAD");
	execl("/bin/cat", "cat", NULL);
}

/* Other processes of this user may not look into it any more. */
static void hide(uint64_t unused, uint64_t more)
{
	(void)unused, (void)more;
	printf("%d\n", prctl(PR_SET_DUMPABLE, 0));
}

static void export_it(uint64_t address, uint64_t unused)
{
	(void)unused;
	own.address = address;
	printf("%d\n", p_cuIpcGetMemHandle(&own.handle, address));
}

/* Whether that many bytes all have one value, and which. */
static void read_memory(uint64_t address, uint64_t bytes)
{
	unsigned char *copy = malloc(bytes);
	int result = p_get(copy, address, bytes), same = 1;

	for (uint64_t i = 1; i < bytes; i++)
		same &= copy[i] == copy[0];
	printf("%d %d\n", result, same ? copy[0] : -1);
	free(copy);
}

/* ---- the registry ---- */

static struct mpsan_export found;

static void say_found(int result)
{
	printf("%d %d %llu %llu %llu %u %s\n", result, found.pid, (unsigned long long)found.base,
	       (unsigned long long)found.bytes, (unsigned long long)found.offset, found.kind,
	       *found.name ? found.name : "-");
}

/* No descriptor is free while it looks. */
static void find_without_descriptors(uint64_t pid, uint64_t address)
{
	struct rlimit before, none;
	int result = getrlimit(RLIMIT_NOFILE, &before);

	none = before;
	none.rlim_cur = 0;
	result |= setrlimit(RLIMIT_NOFILE, &none);
	if (!result)
		result = mpsan_ipc_find((int)pid, (void *)(uintptr_t)address, &found);
	setrlimit(RLIMIT_NOFILE, &before);
	say_found(result);
}

static void find(uint64_t pid, uint64_t address)
{
	say_found(mpsan_ipc_find((int)pid, (void *)(uintptr_t)address, &found));
}

static void open_found(uint64_t unused, uint64_t more)
{
	void *pointer = NULL;
	int result = mpsan_ipc_open(&found, &pointer);

	(void)unused, (void)more;
	printf("%d %llu\n", result, (unsigned long long)(uintptr_t)pointer);
}

static void close_it(uint64_t pointer, uint64_t unused)
{
	(void)unused;
	printf("%d\n", mpsan_ipc_close((void *)(uintptr_t)pointer));
}

static CUdeviceptr *many;

static void alloc_many(uint64_t count, uint64_t unused)
{
	double begin = now();
	int result = 0;

	(void)unused;
	many = calloc(count, sizeof(*many));
	for (uint64_t i = 0; i < count && !result; i++)
		result = p_cuMemAlloc_v2(&many[i], 512);
	printf("%d %llu %llu %.0f\n", result, many[0], many[count - 1],
	       (now() - begin) / (double)count * 1e9);
}

/* Each of those, by an address in its middle. */
static void find_many(uint64_t count, uint64_t unused)
{
	uint64_t right = 0;
	double begin = now();

	(void)unused;
	for (uint64_t i = 0; i < count; i++)
		right += !mpsan_ipc_find(getpid(), (void *)(uintptr_t)(many[i] + 256), &found) &&
			 found.base == many[i] && found.offset == 256;
	printf("%d %.0f\n", right == count ? 0 : -1, (now() - begin) / (double)count * 1e9);
}

#define CHURNERS 3
#define CHURN_LIVE 64

struct churner {
	pthread_t thread;
	uint64_t rounds, low, high;
	int result;
};

/* Allocates and frees as fast as it goes; the lowest and the highest address that it had. */
static void *churn_alone(void *argument)
{
	struct churner *churner = argument;
	CUdeviceptr live[CHURN_LIVE] = {0};
	uint64_t random = (uintptr_t)churner;

	churner->low = UINT64_MAX;
	churner->result = p_set_current(context);
	for (uint64_t i = 0; i < churner->rounds && !churner->result; i++) {
		CUdeviceptr *one = &live[(random = random * 6364136223846793005ull + 1) >> 58];

		if (*one) {
			churner->result = p_cuMemFree_v2(*one);
			*one = 0;
			continue;
		}
		churner->result = p_cuMemAlloc_v2(one, 512 << (random >> 40 & 3));
		churner->low = *one < churner->low ? *one : churner->low;
		churner->high = *one > churner->high ? *one : churner->high;
	}
	for (int i = 0; i < CHURN_LIVE; i++)
		if (live[i])
			churner->result |= p_cuMemFree_v2(live[i]);
	return NULL;
}

static void churn(uint64_t rounds, uint64_t unused)
{
	struct churner churner[CHURNERS] = {
		{.rounds = rounds}, {.rounds = rounds}, {.rounds = rounds}};
	uint64_t low = UINT64_MAX, high = 0;
	int result = 0;

	(void)unused;
	for (int i = 0; i < CHURNERS; i++)
		result |= pthread_create(&churner[i].thread, NULL, churn_alone, &churner[i]);
	for (int i = 0; i < CHURNERS; i++) {
		pthread_join(churner[i].thread, NULL);
		result |= churner[i].result;
		low = churner[i].low < low ? churner[i].low : low;
		high = churner[i].high > high ? churner[i].high : high;
	}
	printf("%d %llu %llu\n", result, (unsigned long long)low, (unsigned long long)high);
}

/*
 * Looks for memory of the process that `found` is of, between two addresses, while it comes and
 * goes: how often it was opened, had just gone, and what else came of it.
 */
static void poke(uint64_t low, uint64_t high)
{
	uint64_t random = 1, opened = 0, gone = 0;
	int pid = found.pid, other = 0;

	for (int i = 0; i < 20000; i++) {
		uint64_t at =
			low + ((random = random * 6364136223846793005ull + 1) >> 20) % (high - low);
		int result = mpsan_ipc_find(pid, (void *)(uintptr_t)at, &found);
		void *pointer;

		if (!result && (at < found.base || at >= found.base + found.bytes))
			other = 1;
		if (!result && !(result = mpsan_ipc_open(&found, &pointer))) {
			opened++;
			result = mpsan_ipc_close(pointer);
		}
		gone += result == -ENOENT || result == -ESTALE;
		if (result && result != -ENOENT && result != -ESTALE)
			other = result;
	}
	printf("%d %llu %llu\n", other, (unsigned long long)opened, (unsigned long long)gone);
}

/* The first address comes from another process; all were allocated one after the other there. */
static void find_others(uint64_t pid, uint64_t address)
{
	double begin = now();
	int result = 0;

	for (int i = 0; i < 10000 && !result; i++)
		result = mpsan_ipc_find((int)pid, (void *)(uintptr_t)address, &found);
	printf("%d %.0f\n", result, (now() - begin) / 10000 * 1e9);
}

/* What a forked child of this process sees: it may look, and cannot open. */
static void in_child(uint64_t pid, uint64_t address)
{
	int result = 0;
	pid_t child = fork();

	if (child == 0) {
		void *pointer;
		int looked = mpsan_ipc_find((int)pid, (void *)(uintptr_t)address, &found);

		_exit(looked ? -looked : -mpsan_ipc_open(&found, &pointer));
	}
	waitpid(child, &result, 0);
	printf("%d\n", -WEXITSTATUS(result));
}

static const struct {
	const char *name;
	void (*run)(uint64_t one, uint64_t other);
} commands[] = {
	{"alloc", alloc},
	{"vmm", alloc_vmm},
	{"pool", alloc_pool},
	{"managed", alloc_managed},
	{"free", free_memory},
	{"unmap", unmap},
	{"export", export_it},
	{"read", read_memory},
	{"find", find},
	{"open", open_found},
	{"close", close_it},
	{"many", alloc_many},
	{"find-many", find_many},
	{"find-others", find_others},
	{"child", in_child},
	{"close-own", close_own},
	{"find-full", find_without_descriptors},
	{"exec", exec_in_place},
	{"hide", hide},
	{"churn", churn},
	{"poke", poke},
};

static void obey(const char *line)
{
	unsigned long long one = 0, other = 0;
	char verb[16] = "", name[256] = "";

	if (sscanf(line, "name %llu %255s", &one, name) == 2) {
		printf("%d\n", mpsan_ipc_name((void *)(uintptr_t)one, name));
		return;
	}
	if (sscanf(line, "export-to %255s", name) == 1) {
		export_to(name);
		return;
	}
	if (sscanf(line, "open-from %255s", name) == 1) {
		open_from(name);
		return;
	}
	if (sscanf(line, "find-name %255s", name) == 1) {
		say_found(mpsan_ipc_find_name(name, &found));
		return;
	}
	sscanf(line, "%15s %llu %llu", verb, &one, &other);
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (!strcmp(commands[i].name, verb)) {
			commands[i].run(one, other);
			return;
		}
	printf("-1 no such command: %s", line);
}

int main(void)
{
	char line[300];
	int result = start();

	printf("%d %d\n", result, getpid());
	while (!fflush(stdout) && fgets(line, sizeof(line), stdin) && strcmp(line, "exit\n"))
		obey(line);
	return result != 0;
}
