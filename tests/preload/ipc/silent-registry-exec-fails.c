/* --auto-export: a process that looks for a program in vain, place after place, keeps what it has exported. */
// expect: none
// fake: cuda
// options: --auto-export
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

#include "mpsan.h"

#include <errno.h>

static bool is_exported(CUdeviceptr address)
{
	struct mpsan_export found;
	int result = mpsan_ipc_find(getpid(), (void *)(uintptr_t)address, &found);

	return result == 0 || result == -ENOSYS; /* bare, there is no registry */
}

int main(void)
{
	struct piece piece;

	use_device(0);
	piece = legacy_make();
	must(is_exported(piece.address));
	execl("/usr/local/bin/there-is-no-such-program", "none", (char *)NULL);
	execl("/usr/bin/there-is-no-such-program", "none", (char *)NULL);
	must(is_exported(piece.address));
	legacy_free(&piece);
	return 0;
}
