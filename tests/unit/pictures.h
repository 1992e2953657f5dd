/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a picture of a job (tools/job/picture.h) for the tests. Names need no storage of their own: they are rows. */
#ifndef MPSAN_TEST_PICTURES_H
#define MPSAN_TEST_PICTURES_H

#include "job/picture.h"

#define PICTURE_NAME 24u
#define PICTURE_ROWS 64u

/* A thread as it was drawn: its process, its name, and the words after that. */
struct picture_row {
	char process[PICTURE_NAME], thread[PICTURE_NAME];
	char words[400];
};

struct picture {
	const char *path; /* for what is wrong in it */
	unsigned line;
	uint32_t rows;
	struct picture_row row[PICTURE_ROWS];
	char process[PICTURE_NAME]; /* the last one that was named */
	struct job job; /* of these rows */
	struct job_solution solution; /* the last one that was asked for */
};

/*
 * Takes the next line. NULL; or what is wrong with it, or with its verdict, as a static text. A verdict is checked
 * against the solver.
 */
const char *picture_take(struct picture *picture, char *line);
void picture_finish(struct picture *picture);

#endif
