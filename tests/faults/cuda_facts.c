/*
 * Calls of CUDA from which facts must follow, one scene for each name in argv[1], on the stand-in for the driver. The script
 * looks at the events; what is printed is the same with and without the library.
 */
// link: -Lbuild/fake -l:libcudart.so.13 -l:libcuda.so.1
#include "../preload/lib.h"

#include <dlfcn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../../shim/abi/cuda.h"

#define SIZE (2u << 20)

CUresult cuCtxSetCurrent(CUcontext);
CUresult cuCtxSynchronize(void);
CUresult cuMemsetD8Async(CUdeviceptr, unsigned char, size_t, CUstream);
CUresult cuMemAddressReserve(CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long);
cudaError_t cudaGetDeviceCount(int *);
cudaError_t cudaSetDevice(int);
cudaError_t cudaMemcpy(void *, const void *, size_t, int);
cudaError_t cudaEventDestroy(cudaEvent_t);

static CUipcMemHandle handle;

static void begin(void)
{
	CUcontext context;

	must(!cuInit(0) && !cuDevicePrimaryCtxRetain(&context, 0) && !cuCtxSetCurrent(context));
}

/* Both levels see it; the handle is asked for three times, inside the memory as well. */
static void runtime(void)
{
	cudaIpcMemHandle_t h;
	char *p;

	must(!cudaMalloc((void **)&p, SIZE));
	must(!cudaIpcGetMemHandle(&h, p + 4096) && !cudaIpcGetMemHandle(&h, p) &&
	     !cudaIpcGetMemHandle(&h, p));
	must(!cudaFree(p));
}

/* A mere question is what initialises it; another one chooses the second device. */
static void question(void)
{
	void *p;
	int n;

	must(!cudaGetDeviceCount(&n) && n == 2 && !cudaMalloc(&p, SIZE) && !cudaSetDevice(1) &&
	     !cudaMalloc(&p, SIZE));
}

static void driver(void)
{
	CUdeviceptr p;

	begin();
	must(!cuMemAlloc_v2(&p, SIZE) && !cuIpcGetMemHandle(&handle, p + 1) && !cuMemFree_v2(p));
}

/* Memory that nobody else knows is nobody's business. */
static void private(void)
{
	CUdeviceptr p;

	begin();
	must(!cuMemAlloc_v2(&p, SIZE) && !cuMemFree_v2(p));
	printf("twice %d\n", cuMemFree_v2(p));
}

static CUmemGenericAllocationHandle physical(CUdeviceptr *at)
{
	CUmemAllocationProp property = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
					.requestedHandleTypes =
						CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
					.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
	CUmemGenericAllocationHandle h;

	begin();
	must(!cuMemCreate(&h, SIZE, &property, 0) && !cuMemAddressReserve(at, SIZE, 0, 0, 0));
	must(!cuMemMap(*at, SIZE, 0, h, 0));
	return h;
}

/* It ends with the last of its references and mappings. */
static void mapping_last(void)
{
	CUdeviceptr at;
	CUmemGenericAllocationHandle h = physical(&at);
	int fd;

	must(!cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	must(!cuMemRelease(h) && !cuMemUnmap(at, SIZE));
}

static void reference_last(void)
{
	CUdeviceptr at;
	CUmemGenericAllocationHandle h = physical(&at), same;
	int fd;

	must(!cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	must(!cuMemRetainAllocationHandle(&same, (void *)(uintptr_t)at) && !cuMemRelease(h));
	must(!cuMemUnmap(at, SIZE) && !cuMemRelease(same));
}

static void reset(void)
{
	CUdeviceptr p, q;

	begin();
	must(!cuMemAlloc_v2(&p, SIZE) && !cuMemAlloc_v2(&q, SIZE) &&
	     !cuIpcGetMemHandle(&handle, p));
	must(!cudaDeviceReset());
}

/* What is not made for this: managed memory, a pool's, a mapping, none at all. */
static void refused(void)
{
	CUdeviceptr at, managed = 0, pooled = 0;

	physical(&at);
	must(!cuMemAllocManaged(&managed, SIZE, CU_MEM_ATTACH_GLOBAL) &&
	     !cuMemAllocAsync(&pooled, SIZE, NULL));
	printf("%d", cuIpcGetMemHandle(&handle, managed));
	printf(" %d", cuIpcGetMemHandle(&handle, pooled));
	printf(" %d\n", cuIpcGetMemHandle(&handle, at));
}

static void environment(void)
{
	must(!setenv("CUDA_VISIBLE_DEVICES", "0", 1));
	begin();
	must(!setenv("CUDA_VISIBLE_DEVICES", "0", 1) &&
	     !setenv("CUDA_VISIBLE_DEVICES_NOT", "1", 1));
	must(!setenv("CUDA_VISIBLE_DEVICES", "1", 0));
	must(!setenv("CUDA_VISIBLE_DEVICES", "1", 1));
	must(!unsetenv("CUDA_VISIBLE_DEVICES"));
	must(!putenv("CUDA_VISIBLE_DEVICES=0,1"));
	must(!clearenv());
}

static void many_changes(void)
{
	char text[16];

	begin();
	for (int i = 0; i < 50; i++) {
		snprintf(text, sizeof(text), "%d", i);
		must(!setenv("CUDA_VISIBLE_DEVICES", text, 1));
	}
}

/* A descriptor that is not there, and a process that has ended. */
static void fetch(void)
{
	int gone[2];
	pid_t child;
	long own = syscall(SYS_pidfd_open, getpid(), 0), other;

	begin();
	printf("%ld", syscall(SYS_pidfd_getfd, own, 999, 0));
	printf(" %d", errno);
	must(syscall(SYS_pidfd_getfd, own, 0, 0) > 0 && !pipe(gone));
	child = fork();
	must(child >= 0);
	if (!child)
		_exit(0);
	other = syscall(SYS_pidfd_open, child, 0);
	must(waitpid(child, NULL, 0) == child);
	printf(" %ld", syscall(SYS_pidfd_getfd, other, 0, 0));
	printf(" %d\n", errno);
}

static void unsynchronised(void)
{
	CUdeviceptr p, q;

	begin();
	must(!cuMemAlloc_v2(&p, SIZE) && !cuMemAlloc_v2(&q, SIZE) &&
	     !cuMemsetD8Async(p, 1, SIZE, NULL));
	must(!cuIpcGetMemHandle(&handle, p) && !cuCtxSynchronize() &&
	     !cuIpcGetMemHandle(&handle, q));
}

static void worker(void)
{
	must(!prctl(PR_SET_NAME, "pt_data_worker"));
	runtime();
}

static void events(void)
{
	cudaEvent_t event;
	cudaIpcEventHandle_t h;
	CUdeviceptr p;

	for (int i = 0; i < 9; i++)
		must(!cudaEventCreateWithFlags(&event,
					       CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
	must(!cudaEventCreateWithFlags(&event, CU_EVENT_DISABLE_TIMING));
	must(!cudaEventCreateWithFlags(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
	must(!cudaIpcGetEventHandle(&h, event)); /* for nothing that is known of */
	must(!cuMemAlloc_v2(&p, SIZE) && !cuMemsetD8Async(p, 1, SIZE, NULL) &&
	     !cuIpcGetMemHandle(&handle, p));
	must(!cudaIpcGetEventHandle(&h, event) && !cudaIpcGetEventHandle(&h, event));
}

static void in_child(void (*act)(void))
{
	pid_t child;

	fflush(stdout);
	child = fork();
	must(child >= 0);
	if (!child) {
		act();
		fflush(stdout);
		_exit(0);
	}
	must(waitpid(child, NULL, 0) == child);
}

static void use_all(void)
{
	int n = -1;
	void *p = NULL;

	for (int i = 0; i < 3; i++) {
		printf("%d", cudaGetDeviceCount(&n));
		printf(" %d", cudaSetDevice(0));
		printf(" %d", cudaMalloc(&p, 1));
		printf(" %d", cudaMemcpy(p, p, 0, 0));
		printf(" %d", cuInit(0));
		printf(" %d\n", cuCtxSynchronize());
	}
}

static void child_uses(void)
{
	begin();
	in_child(use_all);
}

static cudaEvent_t old_event;
static CUdeviceptr old_memory;

static void give_back(void)
{
	printf("%d", cudaFree((void *)(uintptr_t)old_memory));
	printf(" %d", cudaEventDestroy(old_event));
	printf(" %d\n", cuDevicePrimaryCtxRelease_v2(0));
}

/* What destructors do. */
static void child_ends(void)
{
	begin();
	must(!cuMemAlloc_v2(&old_memory, SIZE) && !cudaEventCreateWithFlags(&old_event, 0));
	in_child(give_back);
}

/* The same at the very end: main returns in both processes. */
static void use_at_exit(void)
{
	void *p;

	printf("at exit %d\n", cudaMalloc(&p, 1));
}

static void child_returns(void)
{
	pid_t child;

	must(!atexit(use_at_exit));
	begin();
	fflush(stdout);
	child = fork();
	must(child >= 0 && (!child || waitpid(child, NULL, 0) == child));
}

static void grandchild(void)
{
	in_child(use_all);
}

static void grandchild_uses(void)
{
	begin();
	in_child(grandchild);
}

/* Every row, called with nothing but zeros and somewhere to put an answer, leaves errno alone and ends as it does bare. */
typedef int words(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
		  uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

static void call_all(void)
{
	static const char *const row[][2] = {
#define HOOK(library, name, kind) {#library, #name},
#include "../../shim/hooks_cuda.def"
#undef HOOK
	};
	void *const driver = dlopen("libcuda.so.1", RTLD_NOW), *const runtime = dlopen(
								       "libcudart.so.13", RTLD_NOW);

	must(driver && runtime);
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		words *f =
			(words *)dlsym(strcmp(row[i][0], "libcuda") ? runtime : driver, row[i][1]);
		static uint64_t answer[2][512];
		uint64_t first = (uint64_t)(uintptr_t)answer[0],
			 second = (uint64_t)(uintptr_t)answer[1];
		int result;

		if (!strcmp(row[i][1],
			    "cuPointerGetAttributes")) /* its first argument is a count */
			continue;
		memset(answer, 0, sizeof(answer));
		errno = 77;
#ifdef __aarch64__ /* a large structure is passed as the address of a copy */
		if (!strstr(row[i][1], "IpcOpen") && !strstr(row[i][1], "Malloc3D"))
#endif
			second = strstr(row[i][1], "MemGetInfo") ? second : 0;
		result = f ? f(first, second, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) : -1;
		printf("%s %d %d\n", row[i][1], result, errno);
	}
}

static void zeros(void)
{
	call_all();
	begin();
	call_all();
	begin();
	in_child(call_all);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*act)(void);
	} scene[] = {
#define SCENE(name) {#name, name}
		SCENE(runtime),	     SCENE(question),	   SCENE(driver),
		SCENE(private),	     SCENE(mapping_last),  SCENE(reference_last),
		SCENE(reset),	     SCENE(refused),	   SCENE(environment),
		SCENE(many_changes), SCENE(fetch),	   SCENE(unsynchronised),
		SCENE(worker),	     SCENE(events),	   SCENE(child_uses),
		SCENE(child_ends),   SCENE(child_returns), SCENE(grandchild_uses),
		SCENE(zeros),
	};

	must(argc == 2);
	for (size_t i = 0; i < sizeof(scene) / sizeof(*scene); i++)
		if (!strcmp(scene[i].name, argv[1]))
			scene[i].act();
	return 0;
}
