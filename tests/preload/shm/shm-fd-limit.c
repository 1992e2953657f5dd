/* A program keeps the descriptors of shared memory until it may have no more. */
// expect: shm-fd-limit error
// may: shm-fd-limit warning
// frames: keep_many
// says: of its 64
#include "lib.h"

#include <fcntl.h>
#include <sys/resource.h>

static NOINLINE int keep_many(void)
{
	char name[64];
	int fd;

	for (int i = 0;; i++) {
		snprintf(name, sizeof(name), "/mpsan-test-fd-%d-%d", i, (int)getpid());
		fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
		if (fd < 0)
			return i;
		must(shm_unlink(name) == 0);
	}
}

int main(void)
{
	struct rlimit limit = {64, 64};

	must(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	must(keep_many() > 48);
	must(errno == EMFILE);
	return 0;
}
