/*
 * mpsan doctor: whether mpsan works here, and whether a program can be watched. Neighbours:
 * binary.h, launch.h.
 */
#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binary.h"
#include "command.h"
#include "launch.h"
#include "report.h"

#define STATUS_NO 1

static int say(bool good, const char *subject, const char *text)
{
	printf("%-4s %s: %s\n", good ? "ok" : "BAD", subject, text);
	return good ? 0 : STATUS_NO;
}

static int check_mpsan(void)
{
	struct launch launch;
	char *wrong = launch_prepare(&launch, NULL, NULL);
	int status = say(launch.library, "library", launch.library ? launch.library : "not found");

	if (launch.library)
		status |= say(!wrong, "session directory", wrong ? wrong : launch.dir);
	printf("ok   C library: glibc %s\n", gnu_get_libc_version());
	free(wrong);
	launch_finish(&launch);
	return status;
}

static int check_program(const char *command)
{
	struct binary binary;
	const char *obstacle;
	int status;

	binary_inspect(&binary, command);
	obstacle = binary_obstacle(&binary);
	status = say(!obstacle, binary.path ? binary.path : command,
		     obstacle ? obstacle : "can be watched");
	if (binary.interpreter)
		printf("ok   %s is a script; %s runs it\n", command, binary.interpreter);
	if (binary.has_asan)
		puts("ok   linked with ASan: mpsan run adds verify_asan_link_order=0 to ASAN_OPTIONS");
	if (binary.python)
		printf("ok   Python %s\n", binary.python);
	binary_finish(&binary);
	return status;
}

int cmd_doctor(int argc, char **argv)
{
	int at = argc > 1 && !strcmp(argv[1], "--") ? 2 : 1, status;

	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		return !printf("usage: mpsan %s\n", usage_doctor);
	if (at < argc && argv[at][0] == '-')
		return complain("unknown option %s; usage: mpsan %s", argv[at], usage_doctor);
	status = check_mpsan();
	if (at < argc)
		status |= check_program(argv[at]);
	return status;
}
