/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the Python that a program runs: asks it for its version. See doctor.h. */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "doctor.h"

#define PATIENCE_MS 10000
#define QUESTION "import sys; print('%d.%d.%d' % sys.version_info[:3], sys.implementation.name)"

static void doctor_python_answer(const char *program, int fd)
{
	dup2(fd, STDOUT_FILENO);
	execl(program, program, "-I", "-S", "-c", QUESTION, (char *)NULL);
	_exit(127);
}

/* Runs it and reads its answer; false if there is none in time. */
static bool doctor_python_ask(const char *program, char *text, size_t room)
{
	struct pollfd wait = {.events = POLLIN};
	int ends[2];
	ssize_t bytes = 0;
	pid_t child;

	if (pipe(ends))
		return false;
	child = fork();
	if (child == 0)
		doctor_python_answer(program, ends[1]);
	close(ends[1]);
	wait.fd = ends[0];
	if (child > 0 && poll(&wait, 1, PATIENCE_MS) == 1)
		bytes = read(ends[0], text, room - 1);
	close(ends[0]);
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	text[bytes > 0 ? bytes : 0] = '\0';
	return bytes > 0;
}

static void look_at_version(struct doctor *doctor, const char *version, const char *kind)
{
	int minor = 0, micro = 0;

	sscanf(version, "3.%d.%d", &minor, &micro);
	if (strcmp(kind, "cpython"))
		doctor_say(doctor, DOCTOR_WARN, "Python", text_copy("run the program with CPython"),
			   "%s %s: its locks and lines are unknown; only its libc calls are seen",
			   kind, version);
	else if (minor < 8 || minor > 15)
		doctor_say(doctor, DOCTOR_WARN, "Python", text_copy("use Python 3.8 to 3.15"),
			   "%s: Python lines cannot be shown, and locks only by address", version);
	else if (minor > 13 || (minor == 13 && micro > 0))
		doctor_say(
			doctor, DOCTOR_OK, "Python", NULL,
			"%s: the owner of a threading.Lock is known while it is in a `with` block",
			version);
	else
		doctor_say(doctor, DOCTOR_OK, "Python", NULL, "%s", version);
}

/* A Python's home is DIR if it is DIR/bin/python3 beside DIR/pyvenv.cfg or DIR/conda-meta. */
static void look_at_home(struct doctor *doctor, const char *path)
{
	AUTO_FREE char *home = text_copy(path);
	char *slash = strrchr(home, '/');
	AUTO_FREE char *cfg = NULL, *conda = NULL;

	if (slash)
		*slash = '\0';
	slash = strrchr(home, '/');
	if (slash)
		*slash = '\0';
	cfg = text_format("%s/pyvenv.cfg", home);
	conda = text_format("%s/conda-meta", home);
	if (!access(cfg, R_OK))
		doctor_say(doctor, DOCTOR_OK, "environment", NULL, "virtual environment %s", home);
	else if (!access(conda, R_OK))
		doctor_say(
			doctor, DOCTOR_OK, "environment", NULL,
			"conda environment %s; its libraries do not affect mpsan, which needs only libc",
			home);
}

void doctor_python(struct doctor *doctor, const struct binary *binary)
{
	char text[128] = "", version[32], kind[32];

	if (doctor_python_ask(binary->path, text, sizeof(text)) &&
	    sscanf(text, "%31s %31s", version, kind) == 2)
		look_at_version(doctor, version, kind);
	else
		doctor_say(
			doctor, DOCTOR_WARN, "Python",
			text_format("check the output of `%s -I -S -c 'import sys'`", binary->path),
			"%s, judged by its name; it did not answer", binary->python);
	look_at_home(doctor, binary->path);
}
