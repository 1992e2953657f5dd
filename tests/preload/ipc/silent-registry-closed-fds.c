/* A program closes whatever is open, as daemons do, and has files of its own where handles were kept. */
// expect: none
// fake: cuda
// options: --auto-export
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

#include <fcntl.h>
#include <sys/resource.h>

#define FILES 256

int main(void)
{
	struct rlimit few = {FILES, FILES};
	struct piece piece;
	int lost = 0;

	must(setrlimit(RLIMIT_NOFILE, &few) == 0);
	use_device(0);
	piece = vmm_make();
	closefrom(3);
	while (open("/dev/null", O_RDONLY) >= 0)
		;
	must(cuMemUnmap(piece.address, BYTES) == 0);
	must(cuMemRelease(piece.handle) == 0);
	for (int fd = 3; fd < FILES; fd++)
		lost += fcntl(fd, F_GETFD) < 0;
	printf("lost %d\n", lost);
	return 0;
}
