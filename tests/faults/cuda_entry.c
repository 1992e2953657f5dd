/*
 * How functions of CUDA are found: argv[1] names the question, the rest are libraries. Prints one line for each answer, the
 * same with and without the library; standard error says whether an answer is a hook.
 */
#include "../preload/lib.h"

#include <dlfcn.h>

#include "../../shim/abi/cuda.h"

extern CUresult cuInit(unsigned) __attribute__((weak));
extern cudaError_t cudaMalloc(void **, size_t) __attribute__((weak));

typedef CUresult get_address(const char *, void **, int, cuuint64_t,
			     CUdriverProcAddressQueryResult *);
typedef int count_devices(int *);

/* Which object an address is in, by its file's name up to the first dot. */
static const char *place(void *f)
{
	static char name[64];
	const char *file;
	Dl_info info;

	if (!f || !dladdr(f, &info))
		return "nowhere";
	file = strrchr(info.dli_fname, '/');
	snprintf(name, sizeof(name), "%s", file ? file + 1 : info.dli_fname);
	*strchrnul(name, '.') = '\0';
	return name;
}

static void said(const char *what, void *f)
{
	const char *error = dlerror();

	printf("%s %d, error %d\n", what, f != NULL, error != NULL);
	fprintf(stderr, "%s %s\n", what, place(f));
}

/* In a program without CUDA the names must not exist. */
static void absent(char **library)
{
	static const char *const names[] = {"cuInit", "cudaMalloc", "cuLaunchKernel"};

	(void)library;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		dlerror();
		said("default", dlsym(RTLD_DEFAULT, names[i]));
		said("next", dlsym(RTLD_NEXT, names[i]));
		said("program", dlsym(dlopen(NULL, RTLD_NOW), names[i]));
		said("libc", dlsym(dlopen("libc.so.6", RTLD_NOW), names[i]));
		said("version", dlvsym(RTLD_DEFAULT, names[i], "libcudart.so.13"));
	}
}

/* They exist once a library has brought them for all. */
static void global(char **library)
{
	must(dlopen(library[0], RTLD_NOW | RTLD_GLOBAL));
	dlerror();
	said("default", dlsym(RTLD_DEFAULT, "cuInit"));
	said("program", dlsym(dlopen(NULL, RTLD_NOW), "cuInit"));
	said("runtime", dlsym(RTLD_DEFAULT, "cudaMalloc"));
}

/* A weak reference of a program without CUDA leads to us; what it calls then fails as without a driver. */
static void weak(char **library)
{
	void *p = NULL;

	(void)library;
	fprintf(stderr, "driver %d, runtime %d\n", cuInit ? (int)cuInit(0) : -1,
		cudaMalloc ? (int)cudaMalloc(&p, 1) : -1);
}

/* Through the driver's own handle, twice, and through that of a library that needs it. */
static void handle(char **library)
{
	void *driver = dlopen(library[0], RTLD_NOW | RTLD_LOCAL),
	     *user = dlopen(library[1], RTLD_NOW | RTLD_LOCAL);
	CUresult (*init)(unsigned);
	count_devices *count;
	int n = -1;

	must(driver && user);
	dlerror();
	init = dlsym(driver, "cuInit");
	said("init", (void *)init);
	printf("the same %d\n", dlsym(driver, "cuInit") == (void *)init);
	said("behind a user", dlsym(user, "cuInit"));
	said("no such", dlsym(driver, "cuNoSuchFunction"));
	said("not hooked", dlsym(driver, "cuGetErrorName"));
	said("wrong version", dlvsym(driver, "cuInit", "NO_1"));
	count = (count_devices *)dlsym(driver, "cuDeviceGetCount");
	errno = 77;
	printf("before %d", count(&n));
	printf(", init %d", init(0));
	printf(", after %d", count(&n));
	printf(", %d devices, errno %d\n", n, errno);
}

/* Names that begin alike, and one that is ours, in a library that is none of CUDA's. */
static void names(char **library)
{
	static const char *const name[] = {"cudnnCreate", "cublasCreate_v2", "cudaqMake",
					   "cuInitialise", "cuMemAlloc_v9"};
	void *other = dlopen(library[0], RTLD_NOW | RTLD_LOCAL);

	must(other);
	for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++) {
		int (*f)(void) = dlsym(other, name[i]);

		printf("%s in %s says %d\n", name[i], place((void *)f), f ? f() : -1);
	}
}

/* By the driver's own answer. */
static void proc(char **library)
{
	static const struct {
		const char *name;
		int version;
	} ask[] = {{"cuInit", 2000},
		   {"cuMemAlloc", 3020},
		   {"cuMemAlloc", 2000},
		   {"cuGetProcAddress", 12000},
		   {"cuGetErrorName", 6000},
		   {"cudnnCreate", 12000},
		   {"", 0},
		   {"cuStreamGetCaptureInfo", 12030}};
	void *driver = dlopen(library[0], RTLD_NOW | RTLD_LOCAL), *f;
	get_address *get = dlsym(driver, "cuGetProcAddress_v2");
	CUdriverProcAddressQueryResult status;

	must(get);
	for (size_t i = 0; i < sizeof(ask) / sizeof(*ask); i++) {
		status = CU_GET_PROC_ADDRESS_SUCCESS;
		f = NULL;
		errno = 77;
		printf("%s %d: %d", ask[i].name, ask[i].version,
		       get(ask[i].name, &f, ask[i].version, 0, &status));
		printf(" %d, found %d, errno %d\n", status, f != NULL, errno);
		fprintf(stderr, "%s %d %s\n", ask[i].name, ask[i].version, place(f));
	}
	printf("nothing to fill %d\n", get("cuInit", NULL, 2000, 0, NULL) != CUDA_SUCCESS);
}

/* Two runtimes: what one handle gives must be that one's. */
static void two(char **library)
{
	void *first = dlopen(library[0], RTLD_NOW | RTLD_LOCAL),
	     *second = dlopen(library[1], RTLD_NOW | RTLD_LOCAL);
	int (*version)(void);

	must(first && second);
	version = dlsym(first, "cudaDeviceSynchronize");
	printf("first %d\n", version());
	version = dlsym(second, "cudaDeviceSynchronize");
	printf("second %d\n", version());
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*ask)(char **library);
	} question[] = {
		{"absent", absent}, {"global", global}, {"weak", weak}, {"handle", handle},
		{"names", names},   {"proc", proc},	{"two", two},
	};

	must(argc >= 2);
	for (size_t i = 0; i < sizeof(question) / sizeof(*question); i++)
		if (!strcmp(question[i].name, argv[1]))
			question[i].ask(argv + 2);
	return 0;
}
