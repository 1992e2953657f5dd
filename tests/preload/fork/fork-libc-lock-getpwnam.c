// A thread is inside getpwnam, where it allocates with a lock in hand; the child asks for another user.
// expect: fork-libc-lock error
// frames: in_thread in_child
// says: getpwnam lock, in getpwnam
#define PARKS_IN_MALLOC
#include "park.h"

#include <pwd.h>

static NOINLINE void in_thread(void)
{
	getpwnam("root");
}

static NOINLINE void in_child(void)
{
	must(getpwnam("nobody") != NULL);
}

int main(void)
{
	park_in(in_thread);
	return child_hangs(in_child);
}
