/* Other descriptors have used up the limit; one segment of shared memory is there, too. */
// expect: none
// silent: shm-fd-limit
#include "lib.h"

#include <fcntl.h>
#include <sys/resource.h>

#define NAME own_name("sockets")

int main(void)
{
	struct rlimit limit = {64, 64};

	shm_unlink(NAME);
	must(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	must(shm_open(NAME, O_RDWR | O_CREAT | O_EXCL, 0600) >= 0);
	must(shm_unlink(NAME) == 0);
	while (dup(0) >= 0)
		;
	must(shm_open(NAME, O_RDWR | O_CREAT | O_EXCL, 0600) < 0 && errno == EMFILE);
	return 0;
}
