/* A library initialised the driver before the fork, unseen by the program; the child's cuInit is refused. */
// expect: cuda-in-forked-child error
// fake: cuda
// frames: library_probe child_run child_inits
// says: cuda_prober.so
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

#include <dlfcn.h>

/* It lies in a directory beside that of this program. */
static void *open_prober(void)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 32);

	must(length > 0);
	path[length] = '\0';
	strcpy(strrchr(path, '/'), "/../lib/cuda_prober.so");
	return dlopen(path, RTLD_NOW);
}

static NOINLINE void child_inits(void)
{
	must(cuInit(0) == CUDA_ERROR_NOT_INITIALIZED);
}

int main(void)
{
	void *prober = open_prober();
	int (*probe)(void);

	must(prober != NULL);
	probe = (int (*)(void))dlsym(prober, "library_probe");
	must(probe != NULL && probe() == 0);
	return child_run(child_inits);
}
