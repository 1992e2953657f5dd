/*
 * Streams of files in /dev/shm, opened and closed far more often than the limit of descriptors allows at a
 * time; libc itself closes what is behind them. Then other descriptors use up the limit.
 */
// expect: none
// silent: shm-fd-limit
#include "lib.h"

#include <fcntl.h>
#include <sys/resource.h>

#define NAME own_path("streams")
#define TIMES 200

int main(void)
{
	struct rlimit limit = {64, 64};
	FILE *stream = NULL;
	int fd;

	must(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	for (int i = 0; i < TIMES; i++) {
		stream = i % 2 ? freopen(NAME, "w", stream) : fopen(NAME, "w");
		must(stream != NULL && fputs("text", stream) >= 0);
		must(i % 2 == 0 || fclose(stream) == 0);
	}
	for (int i = 0; i < TIMES; i++) {
		must((fd = open(NAME, O_RDWR)) >= 0);
		must((stream = fdopen(fd, "r+")) != NULL);
		must(fclose(stream) == 0);
	}
	must(unlink(NAME) == 0);
	while (dup(0) >= 0)
		;
	must(open("/dev/null", O_RDONLY) < 0 && errno == EMFILE);
	return 0;
}
