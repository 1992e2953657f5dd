/* A child that was told to stay has a range of a file locked; its parent tries to lock it each 50 ms, and never tells it to go. */
// expect: hang warning
// options: --hang-after 5
// within: 12
// says: waits for a file lock that it tries to take again and again
// outside: nothing: that it lasts for longer than --hang-after
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	FILE *file = tmpfile();
	int fd = fileno(file), go[2], ready[2];
	char byte;

	if (pipe(go) || pipe(ready))
		return 1;
	if (fork() == 0) {
		close(go[1]);
		fcntl(fd, F_SETLK, &range);
		byte = 0;
		if (write(ready[1], &byte, 1) != 1)
			return 1;
		return read(go[0], &byte, 1) != 1;
	}
	if (read(ready[0], &byte, 1) != 1)
		return 1;
	while (fcntl(fd, F_SETLK, &range))
		usleep(50000);
	return write(go[1], &byte, 1) != 1 || wait(NULL) < 0;
}
