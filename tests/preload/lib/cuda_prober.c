/* A library that only wants to know whether there is a GPU, and initialises the driver for that, as many do at import. */
#include <dlfcn.h>

int library_probe(void);

__attribute__((noinline)) int library_probe(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int (*init)(unsigned) = driver ? (int (*)(unsigned))dlsym(driver, "cuInit") : 0;
	int result = init ? init(0) : -1;

	return result;
}
