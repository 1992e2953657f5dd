/*
 * A program that is not watched has a descriptor of the memory and could post; instead it ends, later than a hang
 * needs to be proven. From then on nobody can, and that is told.
 */
// expect: deadlock-cycle error
// ends: never
// frames: main_waits
// outside: deadlock-cycle error or nothing: that a process which has ended had the memory open
#include "reach.h"

static NOINLINE void main_waits(struct box *box)
{
	wait_semaphore(box);
}

int main(int count, char **unused)
{
	int fd;
	struct box *box;

	(void)unused;
	if (count == 4) {
		sleep_ms(LATE_MS);
		return 0;
	}
	fd = memfd_create("reach", 0);
	box = box_make(fd);
	late_start("number", 's', number_text(fd));
	close(fd);
	main_waits(box);
	return 0;
}
