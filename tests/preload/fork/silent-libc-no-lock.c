// A thread is inside getaddrinfo at the fork, but holds no lock there; the child's own calls come back.
// expect: none
#define PARKS_IN_MALLOC
#include "park.h"

#include <netdb.h>

static void look_up(void)
{
	struct addrinfo *found, number = {.ai_flags = AI_NUMERICHOST};

	must(getaddrinfo("127.0.0.1", NULL, &number, &found) == 0);
	freeaddrinfo(found);
}

static void in_child(void)
{
	for (int i = 0; i < 200; i++)
		look_up();
	live_on();
}

int main(void)
{
	park_in(look_up);
	must(child_run(in_child) == 0);
	_exit(0);
}
