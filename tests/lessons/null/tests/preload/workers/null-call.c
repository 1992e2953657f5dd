/* Asks for its process group, which the null hook notes. */
// expect: none
// note: null-call
#include <unistd.h>

#include "lib.h"

int main(void)
{
	must(getpgrp() > 0);
	return 0;
}
