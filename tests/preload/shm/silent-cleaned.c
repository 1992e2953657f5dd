/*
 * Names in /dev/shm that are no leaks: one that its maker removes, one whose maker is killed and that the parent
 * removes, one that has another name in the end, and a file that is the program's result.
 */
// expect: none
// silent: shm-leaked shm-foreign-unlink
#include "lib.h"

#include <fcntl.h>
#include <signal.h>

#define OWN own_name("own")
#define CHILDS own_name("childs")
#define FILE_NAME own_path("result")
#define FIRST_NAME own_path("first")
#define SECOND_NAME own_path("second")

static struct gate made;

static int make(const char *name)
{
	int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);

	must(fd >= 0);
	must(ftruncate(fd, 1 << 20) == 0);
	must(mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED);
	return fd;
}

int main(void)
{
	pid_t child;
	int fd;

	shm_unlink(OWN);
	shm_unlink(CHILDS);
	gate_init(&made);
	make(OWN);
	child = fork();
	if (child == 0) {
		make(CHILDS);
		gate_open(&made);
		pause();
	}
	gate_wait(&made);
	must(kill(child, SIGKILL) == 0);
	child_wait(child);
	must(shm_unlink(CHILDS) == 0);
	must(shm_unlink(OWN) == 0);
	fd = open(FILE_NAME, O_RDWR | O_CREAT, 0600);
	must(fd >= 0 && write(fd, "result\n", 7) == 7);
	fd = open(FIRST_NAME, O_RDWR | O_CREAT, 0600);
	must(fd >= 0 && rename(FIRST_NAME, SECOND_NAME) == 0 && unlink(SECOND_NAME) == 0);
	return 0;
}
