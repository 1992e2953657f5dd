/* SPDX-License-Identifier: Apache-2.0 */
/* Executes the file of this process again. */
#include "own_command.h"

#include <fcntl.h>
#include <sys/auxv.h>
#include <unistd.h>

static void drop(int fd)
{
	int nowhere = open("/dev/null", O_RDWR);

	if (nowhere >= 0 && nowhere != fd) {
		dup2(nowhere, fd);
		close(nowhere);
	}
}

pid_t own_command_start(char **argv, bool is_loud)
{
	pid_t pid = vfork();

	if (pid)
		return pid > 0 ? pid : 0;
	drop(STDIN_FILENO);
	drop(STDOUT_FILENO);
	if (!is_loud)
		drop(STDERR_FILENO);
	execv("/proc/self/exe", argv);
	execv((const char *)getauxval(AT_EXECFN), argv); /* no /proc */
	_exit(1);
}
