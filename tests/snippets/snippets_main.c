/* The constructor of the snippets' library has run already; the other two contexts follow. */
#include <stdlib.h>

#include "snippets.h"

int main(void)
{
	if (getenv("SNIPPETS_STACK")) {
		snippets_measure();
		return 0;
	}
	snippets_run("a forked child");
	snippets_run("a signal handler");
	return snippets_report();
}
