// A thread is inside initstate, with the random-number lock in hand; the child wants a random number.
// expect: fork-libc-lock error
// frames: in_thread in_child
// says: random-number lock, in initstate
#include "park.h"

static NOINLINE void in_thread(void)
{
	initstate(1, mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 128);
}

static NOINLINE void in_child(void)
{
	must(random() >= 0);
}

int main(void)
{
	park_in(in_thread);
	return child_hangs(in_child);
}
