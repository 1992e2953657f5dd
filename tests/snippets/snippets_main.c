/* The constructor of the snippets' library has run already; the other two contexts follow. */
#include "snippets.h"

int main(void)
{
	snippets_run("a forked child");
	snippets_run("a signal handler");
	return snippets_report();
}
