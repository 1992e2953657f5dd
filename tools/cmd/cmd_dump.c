/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpsan dump: prints every event of a session in time order, one line each (--json: one object per
 * line; --job: only the pictures of the job, see ../job/picture.h). Fields are formatted as mpsan_events.def says.
 * Neighbour: dump.h makes the objects.
 */
#include <stdio.h>
#include <string.h>

#include "../base/util.h"
#include "../formats/dump.h"
#include "command.h"

/* Prints an object as `TIME PID/TID event key=value ...`. */
static void print_line(const json_t *object)
{
	const char *key;
	json_t *value;

	printf("%12.6f %lld/%lld %s",
	       (double)json_integer_value(json_object_get(object, "time_ns")) / 1e9,
	       json_integer_value(json_object_get(object, "pid")),
	       json_integer_value(json_object_get(object, "tid")),
	       json_string_value(json_object_get(object, "event")));
	json_object_foreach((json_t *)object, key, value) {
		AUTO_FREE char *text = NULL;

		if (!strcmp(key, "time_ns") || !strcmp(key, "pid") || !strcmp(key, "tid") ||
		    !strcmp(key, "event"))
			continue;
		text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
		printf(" %s=%s", key, text ? text : "?");
	}
	putchar('\n');
}

static void print_json(const json_t *object)
{
	json_dumpf(object, stdout, JSON_COMPACT);
	putchar('\n');
}

static bool has_picture;

/* Of a deadlock: a text of its own for each. */
static void print_job(const json_t *object)
{
	const char *picture = json_string_value(json_object_get(object, "picture"));

	has_picture |= picture != NULL;
	if (picture)
		printf("# %.6f s\npicture %lld\n%s",
		       (double)json_integer_value(json_object_get(object, "time_ns")) / 1e9,
		       json_integer_value(json_object_get(object, "pid")), picture);
}

int cmd_dump(int argc, char **argv)
{
	const char *dir = NULL;
	void (*print)(const json_t *object) = print_line;
	AUTO_FREE char *wrong = NULL;

	if (usage_asked(argc, argv, usage_dump))
		return 0;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--json"))
			print = print_json;
		else if (!strcmp(argv[i], "--job"))
			print = print_job;
		else if (argv[i][0] == '-')
			return complain("unknown option %s; usage: mpsan %s", argv[i], usage_dump);
		else if (dir)
			return complain("dump: one session at a time; usage: mpsan %s", usage_dump);
		else
			dir = argv[i];
	}
	if (!dir)
		return complain("dump: missing session directory; mpsan run --dir DIR creates one");
	wrong = dump_session(dir, print);
	if (wrong)
		return complain("%s", wrong);
	if (print == print_job && !has_picture)
		complain(
			"dump: no picture of a job was recorded in %s; 'mpsan report %s' shows its findings",
			dir, dir);
	return 0;
}
