/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checks of `mpsan doctor`: whether mpsan works on this machine, and whether it can watch a
 * program. Each check adds lines: a subject, what was found, and a cure if something should be
 * done. Neighbours: cmd_doctor.c runs them all, binary.h inspects programs.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "../base/util.h"
#include "binary.h"

enum doctor_grade {
	DOCTOR_OK,
	/* works, but mpsan will not see something, or the program may hit a limit */
	DOCTOR_WARN,
	DOCTOR_BAD, /* cannot be watched */
};

struct doctor_line {
	enum doctor_grade grade;
	const char *subject; /* constant */
	char *text;
	char *fix; /* NULL: nothing to do */
};

struct doctor {
	const char *root; /* prefix of /proc, /sys and /etc; "" but in tests */
	ARRAY(struct doctor_line) lines;
};

/* Adds a line. Takes ownership of `fix`, which may be NULL. */
void doctor_say(struct doctor *doctor, enum doctor_grade grade, const char *subject, char *fix,
		const char *format, ...) __attribute__((format(printf, 5, 6)));
bool doctor_is_bad(const struct doctor *doctor);
void doctor_finish(struct doctor *doctor);

/* Prints "ok   SUBJECT: TEXT", and "     fix: FIX" below it. */
void doctor_print(const struct doctor *doctor, FILE *out);
/* The document mpsan.doctor/1, which the caller frees. `command` is NULL or NULL-terminated. */
json_t *doctor_json(const struct doctor *doctor, char **command);

/* The beginning of a file under the root, which the caller frees; NULL if it cannot be read. */
char *doctor_read(const struct doctor *doctor, const char *path);
bool doctor_has(const struct doctor *doctor, const char *path);
/* The number at the beginning of such a file; `otherwise` if there is none. */
long long doctor_number(const struct doctor *doctor, const char *path, long long otherwise);

/* doctor_kernel.c: access to other processes, clock source, seccomp, GPU driver */
void doctor_kernel(struct doctor *doctor);
/* Reports whether the memory of a child can be read: `error` is 0 or the errno. */
void doctor_peek(struct doctor *doctor, int error);
void doctor_hidepid(struct doctor *doctor, bool privileged);

/* doctor_container.c: containers, namespaces and memory limits */
void doctor_container(struct doctor *doctor);

/* doctor_limits.c: disk space, descriptors, mappings */
void doctor_room(struct doctor *doctor);

/* doctor_preload.c: other preloaded libraries; `list` is LD_PRELOAD or NULL */
void doctor_preload(struct doctor *doctor, const char *list);

/* doctor_program.c: the program; `command` is its argv, NULL-terminated */
void doctor_program(struct doctor *doctor, char **command);
/* doctor_python.c */
void doctor_python(struct doctor *doctor, const struct binary *binary);
