/*
 * Findings about CUDA as people read them: every name is filled in, every step has its process, and
 * one cause is one finding. Neighbours: log_writer.h, tools/evidence/story_cuda.h.
 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../../tools/findings/judge.h"
#include "log_writer.h"

#define SECOND 1000000000ull
#define PRODUCER 5
#define CONSUMER 2
#define OTHER 9
#define A 0xa1ull /* handles */
#define B 0xb1ull

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
	writer_process(&writer, PRODUCER, UINT32_MAX, SECOND);
	writer_process(&writer, CONSUMER, PRODUCER, SECOND)->how = MPSAN_HOW_POSIX_SPAWN;
	writer_process(&writer, OTHER, PRODUCER, SECOND)->how = MPSAN_HOW_POSIX_SPAWN;
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

static void put_export(uint64_t handle, uint64_t memory, uint64_t flags)
{
	uint64_t function = text(PRODUCER, "cuIpcGetMemHandle"),
		 python = text(PRODUCER, "send\ttrain.py\t7");

	WRITE(&writer, PRODUCER, ipc_export, now, pid(PRODUCER), .handle = handle, .memory = memory,
	      .base = handle << 24, .bytes = 3u << 19, .device = 1, .function = function,
	      .flags = flags, .python = python);
}

static void put_open(uint32_t by, uint64_t handle, uint64_t result, uint64_t flags)
{
	uint64_t function = text(by, "cuIpcOpenMemHandle_v2"),
		 python = text(by, "receive\ttrain.py\t11");

	WRITE(&writer, by, ipc_open, now, pid(by), .handle = handle, .result = result,
	      .memory = MPSAN_MEMORY_DEVICE, .address = result ? 0 : handle << 24,
	      .bytes = 3u << 19, .device = 1, .flags = flags, .function = function,
	      .python = python);
}

static void put_free(uint64_t handle)
{
	uint64_t function = text(PRODUCER, "cudaFree"),
		 python = text(PRODUCER, "forget\ttrain.py\t9");

	WRITE(&writer, PRODUCER, ipc_free, now, pid(PRODUCER), .handle = handle,
	      .base = handle << 24, .function = function, .python = python);
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

static const struct judged *find(enum rule_id rule)
{
	for (uint32_t i = 0; i < judge.found.count; i++)
		if (judge.found.item[i].rule == rule && judge.found.item[i].count)
			return &judge.found.item[i];
	return NULL;
}

static void assert_found(enum rule_id rule, enum grade grade)
{
	assert_non_null(find(rule));
	assert_int_equal(find(rule)->grade, grade);
	assert_int_equal(find(rule)->count, 1);
}

static json_t *step(enum rule_id rule, size_t number)
{
	return json_array_get(json_object_get(find(rule)->json, "evidence"), number);
}

/* The first Python frame of a step, and whose step it is. */
static void assert_step(enum rule_id rule, size_t number, uint32_t slot, const char *function)
{
	json_t *frames = json_object_get(step(rule, number), "python");

	assert_int_equal(json_integer_value(json_object_get(step(rule, number), "pid")), pid(slot));
	if (function)
		assert_string_equal(
			json_string_value(json_object_get(json_array_get(frames, 0), "function")),
			function);
}

static void a_call_in_a_forked_child_has_three_stories(void **state)
{
	uint64_t function, python, fork;

	(void)state;
	function = text(PRODUCER, "cuInit");
	python = text(PRODUCER, "is_available\tdevices.py\t3");
	WRITE(&writer, PRODUCER, cuda_init, now, pid(PRODUCER), .function = function,
	      .python = python);
	python = text(PRODUCER, "start\ttrain.py\t20");
	fork = WRITE(&writer, PRODUCER, fork, now, pid(PRODUCER), .how = MPSAN_HOW_FORK,
		     .threads = 1, .python = python);
	writer_process(&writer, 30, PRODUCER, now)->fork_pos = fork;
	function = text(30, "cudaMalloc");
	python = text(30, "work\ttrain.py\t30");
	WRITE(&writer, 30, cuda_call, now, pid(30), .function = function, .kind = MPSAN_CUDA_USE,
	      .result = 3, .python = python);
	judge_all();
	assert_found(RULE_cuda_in_forked_child, GRADE_ERROR);
	assert_null(find(RULE_cuda_before_fork)); /* the proof replaces the note */
	assert_step(RULE_cuda_in_forked_child, 0, PRODUCER, "is_available");
	assert_step(RULE_cuda_in_forked_child, 1, PRODUCER, "start");
	assert_step(RULE_cuda_in_forked_child, 2, 30, "work");
	assert_non_null(strstr(message_of(find(RULE_cuda_in_forked_child)),
			       "cudaMalloc() failed with error 3 (not initialized)"));
}

static void a_free_names_everybody_and_all_stacks(void **state)
{
	const char *message;
	char words[64];

	(void)state;
	put_export(A, MPSAN_MEMORY_DEVICE, 0);
	put_open(CONSUMER, A, 0, 0);
	put_open(OTHER, A, 0, 0);
	put_free(A);
	now += SECOND;
	leave(CONSUMER, MPSAN_END_EXIT, 0);
	leave(OTHER, MPSAN_END_EXIT, 0);
	judge_all();
	assert_found(RULE_ipc_freed_while_open, GRADE_ERROR);
	assert_step(RULE_ipc_freed_while_open, 0, PRODUCER, "send");
	assert_step(RULE_ipc_freed_while_open, 1, OTHER, "receive");
	assert_step(RULE_ipc_freed_while_open, 2, CONSUMER, "receive");
	assert_step(RULE_ipc_freed_while_open, 3, PRODUCER, "forget");
	message = message_of(find(RULE_ipc_freed_while_open));
	snprintf(words, sizeof(words), "process %u and process %u", pid(OTHER), pid(CONSUMER));
	assert_non_null(strstr(message, words));
	assert_non_null(strstr(message, "1.5 MiB on device 1"));
	assert_null(find(RULE_ipc_not_closed)); /* there was nothing left to close */
}

/* Warned of when it was freed, proved when somebody came too late: one cause. */
static void a_late_open_replaces_the_warning_of_the_free(void **state)
{
	(void)state;
	put_export(A, MPSAN_MEMORY_DEVICE, 0);
	put_free(A);
	put_open(CONSUMER, A, 400, 0);
	judge_all();
	assert_found(RULE_ipc_freed_while_open, GRADE_ERROR);
	assert_step(RULE_ipc_freed_while_open, 0, PRODUCER, "send");
	assert_step(RULE_ipc_freed_while_open, 1, PRODUCER, "forget");
	assert_step(RULE_ipc_freed_while_open, 2, CONSUMER, "receive");
}

static void a_killed_consumer_is_one_finding_from_death_to_loss(void **state)
{
	(void)state;
	put_export(A, MPSAN_MEMORY_DEVICE, MPSAN_IPC_TORCH);
	put_open(CONSUMER, A, 0, 0);
	leave(CONSUMER, MPSAN_END_SIGNAL, SIGKILL);
	now += 2 * SECOND;
	leave(PRODUCER, MPSAN_END_EXIT, 0);
	judge_all();
	assert_found(RULE_ipc_consumer_killed, GRADE_ERROR);
	assert_step(RULE_ipc_consumer_killed, 1, CONSUMER, "receive");
	assert_non_null(strstr(message_of(find(RULE_ipc_consumer_killed)),
			       "was killed by signal 9 (SIGKILL: Killed)"));
}

static void an_early_end_tells_who_had_it_open(void **state)
{
	(void)state;
	put_export(A, MPSAN_MEMORY_DEVICE, 0);
	put_open(CONSUMER, A, 0, 0);
	leave(PRODUCER, MPSAN_END_EXIT, 1);
	now += 3 * SECOND;
	put_open(OTHER, A, 400, 0);
	leave(CONSUMER, MPSAN_END_EXIT, 0);
	judge_all();
	assert_non_null(find(RULE_ipc_producer_exited));
	assert_int_equal(find(RULE_ipc_producer_exited)->grade, GRADE_ERROR);
	assert_step(RULE_ipc_producer_exited, 1, CONSUMER, "receive");
	assert_non_null(strstr(message_of(find(RULE_ipc_producer_exited)), "exited with status 1"));
}

/* The owner's stack lies in the owner's log, and the consumer says where. */
static void what_the_library_exported_is_told_with_its_birth(void **state)
{
	uint64_t born = text(PRODUCER, "allocate\ttrain.py\t3");
	uint64_t function = text(CONSUMER, "mpsan_ipc_open"),
		 python = text(CONSUMER, "receive\ttrain.py\t11");

	(void)state;
	WRITE(&writer, CONSUMER, ipc_open, now, pid(CONSUMER), .handle = A,
	      .memory = MPSAN_MEMORY_DEVICE, .address = 0x5000, .bytes = 4096,
	      .flags = MPSAN_IPC_AUTO, .owner_slot = PRODUCER + 1, .owner_base = A << 24,
	      .owner_born = 2 * SECOND, .owner_python = born, .function = function,
	      .python = python);
	put_free(A);
	now += SECOND;
	leave(CONSUMER, MPSAN_END_EXIT, 0);
	judge_all();
	assert_found(RULE_ipc_freed_while_open, GRADE_ERROR);
	assert_step(RULE_ipc_freed_while_open, 0, PRODUCER, "allocate");
}

/* One session in which all else goes wrong. */
static void every_other_msg_is_filled_in(void **state)
{
	uint64_t function, python;

	(void)state;
	put_export(A, MPSAN_MEMORY_DEVICE, MPSAN_IPC_WORKER | MPSAN_IPC_UNSYNCED);
	put_open(CONSUMER, A, 0, MPSAN_IPC_NO_PEER);
	put_open(CONSUMER, A, 208, MPSAN_IPC_AGAIN);
	put_open(PRODUCER, A, 201, 0);
	put_export(B, MPSAN_MEMORY_DEVICE, 0);
	function = text(CONSUMER, "cuIpcGetMemHandle");
	python = text(CONSUMER, "forward\ttrain.py\t12");
	WRITE(&writer, CONSUMER, ipc_export, now, pid(CONSUMER), .handle = 0xc1,
	      .memory = MPSAN_MEMORY_DEVICE, .base = A << 24, .flags = MPSAN_IPC_IMPORTED,
	      .function = function, .python = python);
	function = text(OTHER, "pidfd_getfd");
	WRITE(&writer, OTHER, ipc_refused, now, pid(OTHER), .function = function, .result = 1,
	      .cause = MPSAN_CAUSE_YAMA, .memory = MPSAN_MEMORY_VMM, .other = pid(PRODUCER));
	function = text(PRODUCER, "cudaEventCreateWithFlags");
	WRITE(&writer, PRODUCER, ipc_event, now, pid(PRODUCER), .made = 1024, .function = function);
	now += 8 * SECOND;
	leave(CONSUMER, MPSAN_END_EXIT, 0);
	now += 2 * SECOND;
	leave(PRODUCER, MPSAN_END_EXIT, 0);
	judge_all();
	assert_found(RULE_cuda_from_worker, GRADE_WARNING);
	assert_found(RULE_ipc_unsynchronized, GRADE_NOTE);
	assert_found(RULE_ipc_no_peer_access, GRADE_WARNING);
	assert_found(RULE_ipc_double_open, GRADE_ERROR);
	assert_found(RULE_ipc_self_open, GRADE_ERROR);
	assert_found(RULE_ipc_reexported, GRADE_ERROR);
	assert_found(RULE_ipc_unsupported_memory, GRADE_ERROR);
	assert_found(RULE_ipc_limits, GRADE_NOTE);
	assert_found(RULE_ipc_not_closed, GRADE_WARNING);
	assert_found(RULE_ipc_never_opened, GRADE_WARNING);
	assert_found(RULE_ipc_held_long, GRADE_NOTE);
	assert_non_null(strstr(message_of(find(RULE_ipc_unsupported_memory)),
			       "error 1 (Operation not permitted)"));
}

#define STORY(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(a_call_in_a_forked_child_has_three_stories),
		STORY(a_free_names_everybody_and_all_stacks),
		STORY(a_late_open_replaces_the_warning_of_the_free),
		STORY(a_killed_consumer_is_one_finding_from_death_to_loss),
		STORY(an_early_end_tells_who_had_it_open),
		STORY(what_the_library_exported_is_told_with_its_birth),
		STORY(every_other_msg_is_filled_in),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
