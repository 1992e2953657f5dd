// A thread is inside dl_iterate_phdr, with the list of loaded objects in hand; the child walks it, as an unwinder would.
// expect: fork-libc-lock error
// frames: in_thread in_child
// ends: never
// says: list of loaded objects, in dl_iterate_phdr
#include "park.h"

#include <link.h>

static int see(struct dl_phdr_info *info, size_t size, void *parks)
{
	(void)info;
	(void)size;
	if (parks)
		park();
	return 1;
}

static NOINLINE void in_thread(void)
{
	dl_iterate_phdr(see, &parked);
}

static NOINLINE void in_child(void)
{
	must(dl_iterate_phdr(see, NULL) == 1);
}

int main(void)
{
	park_in(in_thread);
	return child_run(in_child);
}
