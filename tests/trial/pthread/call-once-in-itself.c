/* C11: an initialiser needs, in the end, what it initialises. */
// expect: self-deadlock error
// within: 6
#include "lib.h"
#include <threads.h>

static once_flag made = ONCE_FLAG_INIT;

static void use(void);

static NOINLINE void make(void)
{
	use();
	setenv("MADE", "1", 1); /* no tail call: its frame stays */
}

static NOINLINE void use(void)
{
	call_once(&made, make);
	setenv("USED", "1", 1);
}

int main(void)
{
	use();
	return 0;
}
