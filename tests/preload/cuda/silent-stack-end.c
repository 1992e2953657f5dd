/* A coroutine ends with a jump to a function of CUDA: nothing is mapped behind its return address. */
// expect: none
// fake: cuda
// link: -O2 -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

#include <sys/mman.h>
#include <ucontext.h>

#define STACK 65536

static ucontext_t caller, coroutine;

static void body(void)
{
	cudaDeviceSynchronize();
}

int main(void)
{
	char *memory = mmap(NULL, 2 * STACK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			    -1, 0);

	must(memory != MAP_FAILED && mprotect(memory, STACK, PROT_READ | PROT_WRITE) == 0);
	must(getcontext(&coroutine) == 0);
	coroutine.uc_stack.ss_sp = memory;
	coroutine.uc_stack.ss_size = STACK;
	coroutine.uc_link = &caller;
	makecontext(&coroutine, body, 0);
	must(swapcontext(&caller, &coroutine) == 0);
	puts("back");
	return 0;
}
