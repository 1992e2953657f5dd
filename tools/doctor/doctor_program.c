/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the program that a command names. See doctor.h. */
#include <string.h>

#include "doctor.h"

/* Commands whose work is done by processes that are not their descendants. */
static const struct {
	const char *name, *text, *fix;
} elsewhere[] = {
	{"docker", "a daemon starts the container",
	 "docker run … mpsan run -- COMMAND, with mpsan in the image"},
	{"podman", "the container has files of its own",
	 "podman run … mpsan run -- COMMAND, with mpsan in the image"},
	{"nerdctl", "a daemon starts the container",
	 "nerdctl run … mpsan run -- COMMAND, with mpsan in the image"},
	{"kubectl", "a node starts the pod", "mpsan run -- COMMAND as the container's command"},
	{"ssh", "the command runs on another machine", "ssh HOST mpsan run -- COMMAND"},
	{"srun", "Slurm's daemons start the tasks", "srun … mpsan run -- COMMAND, or `mpsan env`"},
	{"sbatch", "Slurm starts the script later", "mpsan run -- COMMAND in the script"},
	{"systemd-run", "systemd starts the command",
	 "systemd-run … mpsan run -- COMMAND, or `mpsan env`"},
	{"sudo", "it is set-user-ID", "sudo mpsan run -- COMMAND"},
	{"su", "it is set-user-ID", "su -c 'mpsan run -- COMMAND' USER"},
};

static void look_elsewhere(struct doctor *doctor, const char *command)
{
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(*elsewhere); i++)
		if (!strcmp(path_base(command), elsewhere[i].name))
			doctor_say(doctor, DOCTOR_WARN, "work elsewhere",
				   text_copy(elsewhere[i].fix),
				   "%s: processes that %s starts are not watched",
				   elsewhere[i].text, elsewhere[i].name);
}

/* For a script whose interpreter does not exist. */
static void look_at_first_line(struct doctor *doctor, const struct binary *binary,
			       const char *command)
{
	doctor_say(
		doctor, DOCTOR_BAD, "program",
		text_copy(
			"install it, or change the script's first line (which must not end in a carriage "
			"return)"),
		"%s: interpreter '%.*s' in its first line not found", command,
		(int)strcspn(binary->interpreter, "\r"), binary->interpreter);
}

/* An obstacle is "PROBLEM; CURE", or a problem alone. */
static void look_at_obstacle(struct doctor *doctor, const struct binary *binary,
			     const char *command)
{
	const char *obstacle = binary_obstacle(binary);
	const char *cure = obstacle ? strstr(obstacle, "; ") : NULL;
	const char *path = binary->path ? binary->path : command;

	if (!obstacle)
		doctor_say(doctor, DOCTOR_OK, "program", NULL, "%s can be watched", path);
	else if (!binary->path)
		doctor_say(doctor, DOCTOR_BAD, "program",
			   text_copy("use its full path, or add its directory to PATH"), "%s: %s",
			   path, obstacle);
	else
		doctor_say(doctor, DOCTOR_BAD, "program",
			   text_copy(cure ? cure + 2 : "use a program built for this machine"),
			   "%s: %.*s", path, cure ? (int)(cure - obstacle) : (int)strlen(obstacle),
			   obstacle);
}

/* pyenv and similar tools start Python through a script. */
static void look_at_script(struct doctor *doctor, const struct binary *binary, const char *command)
{
	bool is_shim = !binary->python && !strncmp(path_base(command), "python", 6);

	doctor_say(
		doctor, DOCTOR_OK, "script",
		is_shim ?
			text_format(
				"to check that Python itself: mpsan doctor -- \"$(%s -c 'import sys; "
				"print(sys.executable)')\"",
				command) :
			NULL,
		"%s, run by %s%s", command, binary->interpreter,
		binary->python ? "" : "; programs that it starts are watched, too");
}

static void look_at_sanitizers(struct doctor *doctor, const struct binary *binary)
{
	if (binary->has_asan)
		doctor_say(
			doctor, DOCTOR_OK, "AddressSanitizer",
			text_copy(
				"without `mpsan run`, set ASAN_OPTIONS=verify_asan_link_order=0 yourself"),
			"its shared library has to be loaded first; `mpsan run` turns off that check");
	if (binary->has_tsan)
		doctor_say(doctor, DOCTOR_OK, "ThreadSanitizer", NULL,
			   "works under mpsan; slow programs become slower");
}

void doctor_program(struct doctor *doctor, char **command)
{
	struct binary binary;

	binary_inspect(&binary, command[0]);
	if (binary.interpreter && !binary.path)
		look_at_first_line(doctor, &binary, command[0]);
	else
		look_at_obstacle(doctor, &binary, command[0]);
	if (binary.interpreter && binary.path)
		look_at_script(doctor, &binary, command[0]);
	look_elsewhere(doctor, command[0]);
	look_at_sanitizers(doctor, &binary);
	if (binary.loads_more)
		doctor_say(
			doctor, DOCTOR_OK, "RTLD_DEEPBIND", NULL,
			"it calls dlopen; libraries loaded with RTLD_DEEPBIND would bypass mpsan, which "
			"cannot be known in advance");
	if (binary.python && !binary_obstacle(&binary))
		doctor_python(doctor, &binary);
	binary_finish(&binary);
}
