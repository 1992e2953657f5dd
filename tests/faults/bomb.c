/*
 * A fork bomb: the first process and each one made forks until a fork is refused anywhere (RLIMIT_NPROC, argv[1]); then
 * each notes argv[2] names of locks, its number and the note's, and ends. Prints how many processes there were, how many
 * forks were refused, and how many children ended well.
 */
#include "../preload/lib.h"

#include "mpsan.h"

#include <stdint.h>
#include <sys/resource.h>

static struct {
	long made, refused, well;
} * shared;

static void note(uint64_t number, uint64_t notes)
{
	for (uint64_t n = 1; n <= notes; n++)
		mpsan_lock_name((const void *)(number << 32 | n), "x");
}

/* Returns the number of this process; `children` are those that it made itself. */
static uint64_t fork_until_refused(long *children)
{
	uint64_t number = 1;

	while (!__atomic_load_n(&shared->refused, __ATOMIC_SEQ_CST)) {
		pid_t child = fork();

		if (child == 0) {
			number = 1 +
				 (uint64_t)__atomic_add_fetch(&shared->made, 1, __ATOMIC_SEQ_CST);
			*children = 0;
		} else if (child > 0) {
			++*children;
		} else {
			must(errno == EAGAIN);
			__atomic_add_fetch(&shared->refused, 1, __ATOMIC_SEQ_CST);
		}
	}
	return number;
}

int main(int argc, char **argv)
{
	pid_t first = getpid();
	long children = 0;
	uint64_t number;

	must(argc == 3);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	must(shared != MAP_FAILED);
	must(setrlimit(RLIMIT_NPROC, &(struct rlimit){strtoul(argv[1], NULL, 10),
						      strtoul(argv[1], NULL, 10)}) == 0);
	number = fork_until_refused(&children);
	note(number, strtoul(argv[2], NULL, 10));
	while (children-- > 0) {
		int status;

		must(wait(&status) > 0);
		__atomic_add_fetch(&shared->well, status == 0, __ATOMIC_SEQ_CST);
	}
	if (getpid() != first)
		_exit(0);
	printf("%ld processes, %ld refused, %ld well\n", shared->made + 1, shared->refused,
	       shared->well);
	return 0;
}
