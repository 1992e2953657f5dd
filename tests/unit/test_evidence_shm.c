/*
 * Findings about shared memory as people read them: who, when, how many, where; every name is filled in, and what is
 * worse replaces what was said before. Neighbours: log_writer.h, tools/evidence/story_shm.h.
 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../../tools/findings/judge.h"
#include "log_writer.h"

#define SECOND 1000000000ull
#define MIB (1ull << 20)
#define PARENT 5
#define WORKER 2
#define OTHER 9
#define DEVICE 0x17ull
#define INODE 77ull
#define LISTENER "/tmp/pymp-1/listener-2"

static struct log_writer writer;
static struct reader reader;
static struct judge judge;
static struct grades grades;
static uint64_t now;

static uint32_t pid(uint32_t slot)
{
	return writer.table[slot].pid;
}

static int begin(void **state)
{
	(void)state;
	writer_create(&writer);
	now = 10 * SECOND;
	writer_process(&writer, PARENT, UINT32_MAX, SECOND);
	writer_process(&writer, WORKER, PARENT, SECOND)->how = MPSAN_HOW_FORK;
	writer_process(&writer, OTHER, PARENT, SECOND)->how = MPSAN_HOW_POSIX_SPAWN;
	return 0;
}

static int end(void **state)
{
	(void)state;
	judge_finish(&judge);
	reader_close(&reader);
	writer_destroy(&writer);
	return 0;
}

static uint64_t text(uint32_t slot, const char *words)
{
	now += SECOND / 10;
	return writer_text(&writer, slot, now, words);
}

static void put_name(uint32_t slot, const char *given)
{
	uint64_t name = text(slot, given);

	WRITE(&writer, slot, process_name, now, pid(slot), .name = name);
}

/* Its position. */
static uint64_t put_made(uint32_t slot, const char *given, uint64_t inode)
{
	uint64_t name = text(slot, given),
		 python = text(slot, "reduce_storage\treductions.py\t366");

	return WRITE(&writer, slot, shm, now, pid(slot), .name = name, .way = MPSAN_SHM_OPEN,
		     .flags = MPSAN_SHM_MADE, .device = DEVICE, .inode = inode, .bytes = MIB,
		     .python = python);
}

static void put_mapped(uint32_t slot, uint64_t inode)
{
	now += SECOND / 10;
	WRITE(&writer, slot, shm_map, now, pid(slot), .device = DEVICE, .inode = inode,
	      .address = 0x1000, .bytes = MIB);
}

static void put_kept(uint32_t slot, uint64_t count)
{
	uint64_t listener = text(slot, LISTENER);

	WRITE(&writer, slot, shm_kept, now, pid(slot), .listener = listener, .count = count,
	      .bytes = count * MIB, .device = DEVICE, .inode = INODE);
}

static void put_asked(uint32_t slot, uint64_t result)
{
	uint64_t path = text(slot, LISTENER),
		 python = text(slot, "rebuild_storage_fd\t/usr/lib/python3/reductions.py\t3\n"
				     "collect\t/home/train.py\t31");

	WRITE(&writer, slot, sock_refused, now, pid(slot), .path = path, .result = result,
	      .python = python);
}

static void leave(uint32_t slot, enum mpsan_end how, int32_t value)
{
	now += SECOND / 10;
	writer.table[slot].end = how;
	writer.table[slot].end_value = value;
	writer.table[slot].end_ns = now;
}

static const char *message_of(const struct judged *judged)
{
	return json_string_value(json_object_get(judged->json, "message"));
}

/* No text may have a name that nobody filled in. */
static void check_texts(void)
{
	for (uint32_t i = 0; i < judge.found.count; i++) {
		char *all = json_dumps(judge.found.item[i].json, 0);

		for (const char *c = all; (c = strchr(c, '{')); c++)
			assert_true(c[1] == '"'); /* only those of JSON */
		assert_null(strchr(message_of(&judge.found.item[i]), '?'));
		free(all);
	}
}

static void judge_all(void)
{
	char *wrong = reader_open(&reader, writer.dir, true);

	assert_null(wrong);
	grades_init(&grades);
	judge_init(&judge, &reader, &grades, NULL);
	reader_finish(&reader, now + 10 * SECOND);
	judge_triggers(&judge);
	check_texts();
}

/* The only finding of a rule that stands. */
static const struct judged *only(enum rule_id rule, enum grade grade)
{
	const struct judged *found = NULL;

	for (uint32_t i = 0; i < judge.found.count; i++) {
		if (judge.found.item[i].rule != rule || !judge.found.item[i].count)
			continue;
		assert_null(found);
		found = &judge.found.item[i];
	}
	assert_non_null(found);
	assert_int_equal(found->grade, grade);
	return found;
}

static void assert_says(const struct judged *judged, const char *words)
{
	if (!strstr(message_of(judged), words))
		fail_msg("'%s' is not in: %s", words, message_of(judged));
}

static void a_lost_tensor_has_its_whole_story(void **state)
{
	const struct judged *found;
	char *who;

	(void)state;
	put_name(WORKER, "Process-2");
	put_made(WORKER, "/torch_1_2_3", INODE);
	put_kept(WORKER, 3);
	leave(WORKER, MPSAN_END_EXIT, 0);
	put_asked(PARENT, ECONNREFUSED);
	judge_all();
	found = only(RULE_shm_sender_exited, GRADE_ERROR); /* of its end nothing more is said */
	who = text_format("Process-2 (pid %u) exited", pid(WORKER));
	assert_says(found, who);
	assert_says(found, "s into the session) with 3 tensors (3 MiB) not yet fetched");
	assert_says(found, "collect (train.py:31)");
	assert_says(found, "nothing was listening (connection refused)");
	assert_int_equal(json_array_size(json_object_get(found->json, "evidence")), 4);
	free(who);
}

static void one_tensor_is_one(void **state)
{
	(void)state;
	put_made(WORKER, "/torch_1_2_3", INODE);
	put_kept(WORKER, 1);
	leave(WORKER, MPSAN_END_SIGNAL, SIGTERM);
	judge_all();
	assert_says(only(RULE_shm_sender_exited, GRADE_WARNING), "1 tensor (1 MiB)");
}

static void a_removed_name_has_maker_and_users(void **state)
{
	uint64_t name;

	(void)state;
	strcpy(writer.table[OTHER].argv, "from multiprocessing.resource_tracker import main");
	writer.table[OTHER].argv_bytes = 50;
	writer.table[OTHER].parent = 0;
	writer_process(&writer, 30, UINT32_MAX, SECOND);
	writer.table[OTHER].parent = 30 + 1;
	put_made(PARENT, "/psm_1", INODE);
	put_mapped(PARENT, INODE);
	name = text(OTHER, "/dev/shm/psm_1");
	WRITE(&writer, OTHER, shm_unlinked, now, pid(OTHER), .name = name, .device = DEVICE,
	      .inode = INODE, .bytes = MIB);
	name = text(WORKER, "/psm_1");
	WRITE(&writer, WORKER, shm_refused, now, pid(WORKER), .reason = MPSAN_SHM_NO_NAME,
	      .name = name, .result = ENOENT);
	judge_all();
	assert_says(only(RULE_shm_foreign_unlink, GRADE_ERROR), "the resource tracker (pid ");
}

static void sizes_are_told_in_words(void **state)
{
	(void)state;
	put_made(WORKER, "/torch_1_2_3", INODE);
	now += SECOND / 10;
	WRITE(&writer, WORKER, shm_size, now, pid(WORKER), .device = DEVICE, .inode = INODE,
	      .bytes = 8 * MIB, .free = 2 * MIB);
	now += SECOND;
	WRITE(&writer, WORKER, fault, now, pid(WORKER), .signal = SIGBUS, .device = DEVICE,
	      .inode = INODE, .bytes = 8 * MIB);
	judge_all();
	assert_says(only(RULE_shm_no_space, GRADE_ERROR), "nothing was free");
}

static void what_is_left_has_its_maker(void **state)
{
	uint64_t name;

	(void)state;
	put_made(WORKER, "/torch_1_2_3", INODE);
	leave(WORKER, MPSAN_END_SIGNAL, SIGKILL);
	name = text(WORKER, "torch_1_2_3");
	WRITE(&writer, WORKER, shm_left, now, pid(WORKER), .name = name, .device = DEVICE,
	      .inode = INODE, .bytes = MIB, .maker_slot = WORKER + 1);
	name = text(PARENT, "torch_other");
	WRITE(&writer, PARENT, shm_left, now, pid(PARENT), .name = name, .device = DEVICE,
	      .inode = INODE + 1, .bytes = MIB, .maker_slot = PARENT + 1);
	leave(PARENT, MPSAN_END_SIGNAL, SIGKILL);
	judge_all();
	assert_int_equal(judge.found.count, 2);
	assert_says(&judge.found.item[0], "killed by signal 9");
}

static void limits_and_copies_are_counted(void **state)
{
	uint64_t function;

	(void)state;
	for (uint32_t i = 0; i < 120; i++) {
		struct mpsan_record *record;
		uint64_t pos;
		char name[32];

		snprintf(name, sizeof(name), "/torch_%u", i);
		pos = put_made(WORKER, name, 1000 + i);
		record = (struct mpsan_record *)(writer.log[WORKER] + pos);
		record->later = MPSAN_LATER_SENT | MIB;
	}
	function = text(PARENT, "recvmsg");
	WRITE(&writer, PARENT, shm_refused, now, pid(PARENT), .reason = MPSAN_SHM_TRUNCATED,
	      .function = function, .count = 54, .limit = 64);
	function = text(PARENT, "mmap");
	WRITE(&writer, PARENT, shm_refused, now, pid(PARENT), .reason = MPSAN_SHM_NO_MAP,
	      .function = function, .count = 65530, .limit = 65530);
	WRITE(&writer, PARENT, shm_refused, now, pid(PARENT), .reason = MPSAN_SHM_NO_SPACE,
	      .function = function, .bytes = 8 * MIB, .count = 8 * MIB, .limit = MIB);
	judge_all();
	assert_says(only(RULE_shm_buffer_churn, GRADE_NOTE),
		    "120 shared tensors of 1 MiB each, 5 per second");
	assert_says(only(RULE_shm_fd_limit, GRADE_ERROR), "54 of its 64");
	assert_says(only(RULE_shm_map_limit, GRADE_ERROR), "65530 of the 65530");
	assert_says(only(RULE_shm_no_space, GRADE_WARNING),
		    "8 MiB of shared memory, and 1 MiB were free");
}

static void a_name_needs_room(void **state)
{
	uint64_t function = text(OTHER, "shm_open"), name = text(OTHER, "/dev/shm/torch_1");

	(void)state;
	WRITE(&writer, OTHER, shm_refused, now, pid(OTHER), .reason = MPSAN_SHM_NO_SPACE,
	      .function = function, .name = name);
	judge_all();
	assert_says(only(RULE_shm_no_space, GRADE_WARNING), "no space for /dev/shm/torch_1");
}

#define STORY(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(a_lost_tensor_has_its_whole_story),
		STORY(one_tensor_is_one),
		STORY(a_removed_name_has_maker_and_users),
		STORY(sizes_are_told_in_words),
		STORY(what_is_left_has_its_maker),
		STORY(limits_and_copies_are_counted),
		STORY(a_name_needs_room),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
