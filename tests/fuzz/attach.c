/*
 * Examines core files: libFuzzer's entry for all that `mpsan attach --core` does, from the processes in a core file to the
 * report: snapshots, stacks, libc's and Python's structures, the wait-for graph. An input is a core file. Neighbours: core.c
 * only reads them, and is faster; replay.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../../tools/attach/attach.h"
#include "../../tools/attach/cores.h"
#include "../../tools/cmd/offline.h"
#include "../../tools/ps/ps.h"
#include "../../tools/supervise/launch.h"
#include "../../tools/symbols/pyview.h"
#include "fuzz.h"

#define LOOKS_NS \
	3000000000ull /* of a clock that is put forward; an endless wait is proved before */

static void conclude(struct attach *attach, struct deadlocks *deadlocks)
{
	FILE *nowhere = fopen("/dev/null", "we");
	struct ps_picture *picture;
	struct ps ps;

	if (!nowhere)
		abort();
	ps_over(&ps, deadlocks, attach->judge);
	picture = ps_picture(&ps, NULL);
	ps_close(&ps);
	ps_print_tree(nowhere, picture);
	json_decref(ps_json(picture));
	ps_picture_free(picture);
	fclose(nowhere);
}

static void report(const struct settings *settings, const struct judge *judge)
{
	struct report_exit end = {.code = -1};
	json_t *command = json_array();
	struct report made = {.document = report_create(command, &end)};

	offline_add(settings, judge, &end, &made);
	offline_write(settings, &made);
	report_finish(&made);
	json_decref(command);
}

static void examine(const struct settings *settings, struct target *target, const char *dir)
{
	struct reader reader;
	struct judge judge;
	struct attach attach = {.target = target,
				.judge = &judge,
				.until_ns = clock_ns(CLOCK_MONOTONIC) + LOOKS_NS,
				.conclude = conclude};
	char *wrong = reader_open(&reader, dir, true);

	if (wrong)
		abort();
	judge_init(&judge, &reader, &settings->grades, &settings->suppressions);
	attach_run(&attach);
	report(settings, &judge);
	judge_finish(&judge);
	reader_close(&reader);
}

static void attach(struct target *target)
{
	static char *words[] = {"attach", "--no-conf", NULL};
	struct settings settings;
	struct launch launch;
	char *refused = attach_refusal(target);

	free(refused);
	if (refused || options_parse(&settings, OPT_ATTACH, "attach", 2, words))
		return;
	if (launch_prepare_outside(&launch, NULL, 2))
		abort();
	examine(&settings, target, launch.dir);
	launch_finish(&launch);
	options_finish(&settings);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
	return change_words_or_all(data, size, room, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("core", MFD_CLOEXEC);
	struct target target = {0};
	struct cores cores = {0};
	char path[32], *wrong;
	const char *paths[] = {path};

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	wrong = cores_open(&cores, &target, paths, 1, NULL);
	if (!wrong && target_look(&target))
		attach(&target);
	free(wrong);
	target_finish(&target);
	cores_close(&cores);
	pyview_finish();
	close(fd);
	return 0;
}
