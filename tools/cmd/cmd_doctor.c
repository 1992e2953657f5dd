/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpsan doctor: checks whether mpsan works here and can watch a program, and prints cures.
 * Neighbours: doctor.h, launch.h.
 */
#include <gnu/libc-version.h>
#include <stdlib.h>
#include <string.h>

#include "../doctor/doctor.h"
#include "../supervise/launch.h"
#include "command.h"

#define STATUS_NO 1
#define GLIBC_MINOR 31

/* Splits the cure off an error line and returns it. */
static char *cure_in(char *wrong)
{
	char *last = NULL;

	for (char *at = wrong; (at = strstr(at, "; ")); at++)
		last = at;
	if (!last)
		return text_copy("set TMPDIR to a writable directory, or use --dir");
	*last = '\0';
	return text_copy(last + 2);
}

static void look_at_library(struct doctor *doctor)
{
	struct launch launch;
	AUTO_FREE char *wrong = launch_prepare(&launch, NULL, NULL);

	if (launch.library)
		doctor_say(doctor, DOCTOR_OK, "library", NULL, "%s", launch.library);
	else
		doctor_say(doctor, DOCTOR_BAD, "library",
			   text_copy("reinstall mpsan: make install, or the package"),
			   "libmpsan.so not found in its place relative to this program");
	if (launch.library && !wrong)
		doctor_say(doctor, DOCTOR_OK, "session directory", NULL, "%s", launch.dir);
	else if (launch.library)
		doctor_say(doctor, DOCTOR_BAD, "session directory", cure_in(wrong), "%s", wrong);
	launch_finish(&launch);
}

static void look_at_glibc(struct doctor *doctor)
{
	int minor = 0;

	sscanf(gnu_get_libc_version(), "2.%d", &minor);
	if (minor < GLIBC_MINOR)
		doctor_say(doctor, DOCTOR_WARN, "C library",
			   text_copy("use a distribution with glibc 2.31 or later"),
			   "glibc %s: not tested; the layout of its locks may differ",
			   gnu_get_libc_version());
	else
		doctor_say(doctor, DOCTOR_OK, "C library", NULL, "glibc %s",
			   gnu_get_libc_version());
}

static void look_at_machine(struct doctor *doctor)
{
	look_at_library(doctor);
	look_at_glibc(doctor);
	doctor_kernel(doctor);
	doctor_container(doctor);
	doctor_room(doctor);
	doctor_preload(doctor, getenv("LD_PRELOAD"));
}

int cmd_doctor(int argc, char **argv)
{
	struct doctor doctor = {.root = ""};
	bool as_json = false;
	int at = 1, status;
	json_t *document;

	for (; at < argc && argv[at][0] == '-' && strcmp(argv[at], "--"); at++) {
		if (!strcmp(argv[at], "--help") || !strcmp(argv[at], "-h"))
			return usage_print(usage_doctor);
		if (strcmp(argv[at], "--json"))
			return complain("unknown option %s; usage: mpsan %s", argv[at],
					usage_doctor);
		as_json = true;
	}
	at += at < argc && !strcmp(argv[at], "--");
	look_at_machine(&doctor);
	if (at < argc)
		doctor_program(&doctor, argv + at);
	status = doctor_is_bad(&doctor) ? STATUS_NO : 0;
	if (as_json) {
		document = doctor_json(&doctor, at < argc ? argv + at : NULL);
		json_dumpf(document, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
		putchar('\n');
		json_decref(document);
	} else {
		doctor_print(&doctor, stdout);
	}
	doctor_finish(&doctor);
	return status;
}
