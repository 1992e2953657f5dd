/*
 * A thread waits for the lock of a stream, which another one keeps for a while. The lock names its owner by the address of the
 * thread's descriptor, not by a TID: with this stack the lower half of that address could be one.
 */
// expect: none
#include "../lib.h"

#define STACK ((void *)0x700010000000)
#define STACK_BYTES (1u << 20)

static struct gate taken;

static void *keep(void *unused)
{
	flockfile(stdout);
	gate_open(&taken);
	sleep(4);
	funlockfile(stdout);
	return unused;
}

int main(void)
{
	pthread_attr_t attributes;
	pthread_t keeper;
	void *stack = mmap(STACK, STACK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	must(stack == STACK);
	gate_init(&taken);
	pthread_attr_init(&attributes);
	must(!pthread_attr_setstack(&attributes, stack, STACK_BYTES));
	must(!pthread_create(&keeper, &attributes, keep, NULL));
	gate_wait(&taken);
	printf("printed\n");
	must(!pthread_join(keeper, NULL));
	return 0;
}
