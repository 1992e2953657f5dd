/*
 * What `mpsan doctor` looks at: whether mpsan works on this machine, and whether it can watch a program. Each look
 * adds lines: a subject, what was found, and the cure when something is to be done. Neighbours: cmd_doctor.c asks
 * them all, binary.h reads programs.
 */
#ifndef MPSAN_DOCTOR_H
#define MPSAN_DOCTOR_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "../base/util.h"
#include "binary.h"

enum doctor_grade {
	DOCTOR_OK,
	/* works, but something will not be seen, or the program itself will meet a limit */
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
	const char *root; /* where /proc, /sys, /etc are: "" */
	ARRAY(struct doctor_line) lines;
};

/* Takes `fix`, which may be NULL. */
void doctor_say(struct doctor *doctor, enum doctor_grade grade, const char *subject, char *fix,
		const char *format, ...) __attribute__((format(printf, 5, 6)));
bool doctor_is_bad(const struct doctor *doctor);
void doctor_finish(struct doctor *doctor);

/* "ok   SUBJECT: TEXT", and "     fix: FIX" below it. */
void doctor_print(const struct doctor *doctor, FILE *out);
/* Schema mpsan.doctor/1; `command` is NULL or a NULL-terminated list. Owned by the caller. */
json_t *doctor_json(const struct doctor *doctor, char **command);

/* The start of a file under the root, NULL when it cannot be read; owned by the caller. */
char *doctor_read(const struct doctor *doctor, const char *path);
bool doctor_has(const struct doctor *doctor, const char *path);
/* The number that such a file starts with, `otherwise` when there is none. */
long long doctor_number(const struct doctor *doctor, const char *path, long long otherwise);

/* doctor_kernel.c: what may be seen of other processes, how time is read, CUDA's driver */
void doctor_kernel(struct doctor *doctor);
/* Says what it means that a look into a child failed with `error`, or did not (0). */
void doctor_peek(struct doctor *doctor, int error);
void doctor_hidepid(struct doctor *doctor, bool privileged);

/* doctor_container.c: the walls around this process */
void doctor_container(struct doctor *doctor);

/* doctor_room.c: files, memory, descriptors, mappings */
void doctor_room(struct doctor *doctor);

/* doctor_preload.c: other libraries that come into every program; `list` is LD_PRELOAD or NULL */
void doctor_preload(struct doctor *doctor, const char *list);

/* doctor_program.c: the program itself; `command` as in argv, up to NULL */
void doctor_program(struct doctor *doctor, char **command);
/* doctor_python.c */
void doctor_python(struct doctor *doctor, const struct binary *binary);

#endif
