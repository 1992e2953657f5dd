// A thread is inside setlocale, where it allocates with the locale lock in hand; the child makes a locale.
// expect: fork-libc-lock error
// frames: in_thread in_child
// says: locale lock, in setlocale
#define PARKS_IN_MALLOC
#include "park.h"

#include <locale.h>

static NOINLINE void in_thread(void)
{
	setlocale(LC_ALL, "C.UTF-8");
}

static NOINLINE void in_child(void)
{
	must(newlocale(LC_ALL_MASK, "C.UTF-8", NULL) != NULL);
}

int main(void)
{
	park_in(in_thread);
	return child_hangs(in_child);
}
