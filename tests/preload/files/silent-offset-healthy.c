/*
 * Open files that processes have in common after a fork, and nothing is wrong with it: a log opened for appending, reads
 * at a place of their own, work handed out by a pipe, a file that the child opens again, parent and child one after the
 * other, standard output.
 */
// expect: none
// silent: shared-file-offset
#include "lib.h"

#include <fcntl.h>
#include <sys/socket.h>

static int data, appended, work[2], pair[2];
static char name[] = "/tmp/mpsan-offset-XXXXXX";
static struct gate parent_is_through;

static void uses_what_it_may(void)
{
	char byte;
	int own = open(name, O_RDONLY);

	must(own >= 0 && lseek(own, 3, SEEK_SET) == 3 && read(own, &byte, 1) == 1 && byte == 'd');
	must(dup2(own, data) == data && lseek(data, 1, SEEK_SET) == 1 && read(data, &byte, 1) == 1);
	must(write(appended, "child\n", 6) == 6 && lseek(appended, 0, SEEK_CUR) > 0);
	must(read(work[0], &byte, 1) == 1);
	must(write(pair[1], "x", 1) == 1 && read(pair[1], &byte, 1) == 1);
	must(pread(own, &byte, 1, 2) == 1 && byte == 'c');
	must(lseek(1, 0, SEEK_CUR) != 5);
	gate_wait(&parent_is_through);
}

/* The parent waits for its end before it goes on in the same file. */
static void reads_in_turn(void)
{
	char byte;

	must(lseek(data, 4, SEEK_SET) == 4 && read(data, &byte, 1) == 1 && byte == 'e');
}

int main(void)
{
	pid_t child;
	char byte;

	data = mkstemp(name);
	appended = open(name, O_WRONLY | O_APPEND);
	must(data >= 0 && appended >= 0 && write(data, "abcdef", 6) == 6);
	must(pipe(work) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	gate_init(&parent_is_through);
	child = fork();
	if (child == 0) {
		uses_what_it_may();
		_exit(0);
	}
	must(write(work[1], "ab", 2) == 2 && read(work[0], &byte, 1) == 1);
	must(write(appended, "parent\n", 7) == 7);
	must(write(pair[0], "y", 1) == 1 && read(pair[0], &byte, 1) == 1);
	must(lseek(data, 0, SEEK_SET) == 0 && read(data, &byte, 1) == 1 && byte == 'a');
	gate_open(&parent_is_through);
	must(child_wait(child) == 0);
	must(child_run(reads_in_turn) == 0);
	must(lseek(data, 1, SEEK_SET) == 1 && read(data, &byte, 1) == 1 && byte == 'b');
	must(unlink(name) == 0);
	puts("done");
	return 0;
}
