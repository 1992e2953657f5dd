/* Two copies of the runtime, asked by name: what came from one is not answered by the other, loaded for all later. */
// expect: none
// link: -ldl
#include "lib.h"

#include <dlfcn.h>

#define LIBRARY(name) "build/tests/preload/lib/cuda_runtime_" name ".so"

typedef int device_of(int *);
typedef int synchronize(void);

static int ask(void *library)
{
	device_of *ask_device = (device_of *)dlsym(library, "cudaGetDevice");
	int device = 0;

	must(ask_device && ask_device(&device) == 0);
	return device;
}

int main(void)
{
	void *first = dlopen(LIBRARY("first"), RTLD_NOW), *second;
	device_of *early;
	synchronize *late;
	int device = 0;

	must(first);
	early = (device_of *)dlsym(first, "cudaGetDevice");
	second = dlopen(LIBRARY("second"), RTLD_NOW | RTLD_GLOBAL);
	must(second && early && early(&device) == 0);
	late = (synchronize *)dlsym(first, "cudaDeviceSynchronize");
	must(late && late() == 1);
	printf("%d %d %d %d\n", device, ask(first), ask(second), ask(RTLD_DEFAULT));
	must(dlclose(first) == 0);
	printf("%d %d\n", ask(second), ask(RTLD_DEFAULT));
	return 0;
}
