/*
 * What happened when: processes, threads, spans, flows and memory, from logs. Neighbours: log_writer.h,
 * tools/report/timeline.h.
 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <stdlib.h>
#include <string.h>

#include "../../tools/report/timeline.h"
#include "log_writer.h"

#define SECOND 1000000000ull
#define SKEW 250000
#define OVER (100 * SECOND) /* whoever did not end is found to be gone */

static struct log_writer writer;

static int begin(void **state)
{
	(void)state;
	writer_create(&writer);
	return 0;
}

static int end(void **state)
{
	(void)state;
	writer_destroy(&writer);
	return 0;
}

static struct timeline *draw(uint32_t source, int64_t skew, struct timeline *line)
{
	struct grades grades;
	struct reader reader;
	struct judge judge;

	grades_init(&grades);
	assert_null(reader_open(&reader, writer.dir, false));
	judge_init(&judge, &reader, &grades, NULL);
	reader_finish(&reader, OVER);
	judge_triggers(&judge);
	timeline_add(line, source, skew, &judge);
	judge_finish(&judge);
	reader_close(&reader);
	return line;
}

/* A time of the session as the line must have it. */
static uint64_t real(uint64_t time_ns)
{
	return time_ns - writer.session->start_ns + writer.session->start_real_ns;
}

static const struct line_span *span_of(const struct timeline *line, enum span_kind kind,
				       uint32_t pid, uint32_t tid)
{
	for (uint32_t i = 0; i < line->spans.count; i++) {
		const struct line_span *span = &line->spans.item[i];
		const struct line_thread *thread = &line->threads.item[span->thread];

		if (span->kind == kind && thread->tid == tid &&
		    line->processes.item[thread->process].pid == pid)
			return span;
	}
	return NULL;
}

/* Thread 101 of a process holds a lock; the child of a fork at second 10 waits for its copy. */
static void write_orphan(void)
{
	uint32_t pid = writer_process(&writer, 0, UINT32_MAX, SECOND)->pid;
	struct mpsan_process *child;
	uint64_t fork, held;

	WRITE(&writer, 0, thread_start, 2 * SECOND, 101, .creator = pid);
	fork = WRITE(&writer, 0, fork, 10 * SECOND, pid, .how = MPSAN_HOW_FORK, .threads = 2,
		     .held = 1);
	held = WRITE(&writer, 0, held, 10 * SECOND, pid, .fork = fork, .lock = 0x1000,
		     .kind = MPSAN_LOCK_MUTEX, .flags = MPSAN_LF_VERIFIED, .holder = 101);
	child = writer_process(&writer, 1, 0, 11 * SECOND);
	child->fork_pos = fork;
	WRITE(&writer, 1, wait, 12 * SECOND, child->pid, .lock = 0x1000, .kind = MPSAN_LOCK_MUTEX,
	      .held = held, .held_slot = 0);
	child->end = MPSAN_END_SIGNAL;
	child->end_value = 9;
	child->end_ns = 20 * SECOND;
}

static void a_fork_joins_two_processes(void **state)
{
	struct timeline *line = draw(0, SKEW, timeline_create());
	const struct line_process *one, *other;
	const struct line_flow *flow;

	(void)state;
	timeline_destroy(line);
	write_orphan();
	line = draw(0, SKEW, timeline_create());
	assert_int_equal(line->processes.count, 2);
	one = &line->processes.item[0], other = &line->processes.item[1];
	assert_int_equal(one->parent, LINE_NONE);
	assert_int_equal(one->end_ns, real(OVER) - SKEW);
	assert_int_equal(one->begin_ns, real(SECOND) - SKEW);
	assert_int_equal(other->parent, 0);
	assert_int_equal(other->end_ns, real(20 * SECOND) - SKEW);
	assert_int_equal(line->threads.count, 3);
	assert_int_equal(line->flows.count, 1);
	flow = &line->flows.item[0];
	assert_int_equal(flow->kind, FLOW_FORK);
	assert_int_equal(line->threads.item[flow->from].tid, one->pid);
	assert_int_equal(line->threads.item[flow->to].tid, other->pid);
	assert_int_equal(flow->from_ns, real(10 * SECOND) - SKEW);
	assert_int_equal(flow->to_ns, real(11 * SECOND) - SKEW);
	timeline_destroy(line);
}

static void holds_and_waits_are_spans(void **state)
{
	const struct line_span *held, *copy, *wait;
	struct timeline *line;
	uint32_t pid, child;

	(void)state;
	write_orphan();
	pid = writer.table[0].pid, child = writer.table[1].pid;
	line = draw(0, 0, timeline_create());
	held = span_of(line, SPAN_HOLD, pid, 101);
	copy = span_of(line, SPAN_HOLD, child, child);
	wait = span_of(line, SPAN_WAIT, child, child);
	assert_non_null(held);
	assert_int_equal(held->begin_ns, real(10 * SECOND));
	assert_int_equal(held->end_ns, real(11 * SECOND));
	assert_string_equal(held->what, "mutex 0x1000, taken before this fork");
	assert_non_null(copy);
	assert_int_equal(copy->begin_ns, real(11 * SECOND));
	assert_int_equal(copy->end_ns, real(20 * SECOND));
	assert_non_null(strstr(copy->what, "thread 101, exists only in the parent"));
	assert_non_null(wait);
	assert_int_equal(wait->begin_ns, real(12 * SECOND));
	assert_int_equal(wait->end_ns, real(20 * SECOND));
	timeline_destroy(line);
}

/* What the supervisor saw of a wait that was stated is the same wait; of another it is a new one. */
static void a_wait_is_drawn_once(void **state)
{
	struct timeline *line;
	uint32_t pid, child;

	(void)state;
	write_orphan();
	pid = writer.table[0].pid, child = writer.table[1].pid;
	WRITE(&writer, 1, blocked, 14 * SECOND, child, .lock = 0x1000, .kind = MPSAN_LOCK_MUTEX,
	      .since = 12 * SECOND);
	WRITE(&writer, 0, blocked, 14 * SECOND, pid, .lock = 0x2000, .kind = MPSAN_LOCK_MUTEX,
	      .since = 13 * SECOND, .owner_slot = 1, .owner = 101);
	line = draw(0, 0, timeline_create());
	assert_int_equal(line->spans.count, 3 + 2);
	assert_int_equal(span_of(line, SPAN_WAIT, pid, pid)->begin_ns, real(13 * SECOND));
	assert_int_equal(span_of(line, SPAN_WAIT, pid, pid)->end_ns, real(OVER));
	assert_string_equal(span_of(line, SPAN_WAIT, pid, pid)->what, "mutex 0x2000");
	timeline_destroy(line);
}

static void write_segment(void)
{
	uint32_t pid = writer_process(&writer, 0, UINT32_MAX, SECOND)->pid, other;
	uint64_t name = writer_text(&writer, 0, 2 * SECOND, "/dev/shm/torch_1_2_3");

	other = writer_process(&writer, 1, 0, 2 * SECOND)->pid;
	writer.table[1].end = MPSAN_END_EXIT;
	writer.table[1].end_ns = 9 * SECOND;
	WRITE(&writer, 0, shm, 3 * SECOND, pid, .name = name, .way = MPSAN_SHM_OPEN,
	      .flags = MPSAN_SHM_MADE, .device = 7, .inode = 8, .bytes = 4096);
	WRITE(&writer, 0, shm_sent, 4 * SECOND, pid, .device = 7, .inode = 8, .to = other);
	WRITE(&writer, 1, shm, 5 * SECOND, other, .way = MPSAN_SHM_RECEIVED, .from = pid,
	      .device = 7, .inode = 8, .bytes = 4096);
	WRITE(&writer, 1, shm_map, 6 * SECOND, other, .device = 7, .inode = 8, .bytes = 4096);
}

static void a_segment_goes_from_hand_to_hand(void **state)
{
	const struct line_object *object;
	struct timeline *line;

	(void)state;
	write_segment();
	line = draw(0, 0, timeline_create());
	assert_int_equal(line->objects.count, 1);
	object = &line->objects.item[0];
	assert_string_equal(object->name, "torch_1_2_3");
	assert_int_equal(object->bytes, 4096);
	assert_int_equal(object->owner, 0);
	assert_int_equal(object->begin_ns, real(3 * SECOND));
	assert_int_equal(object->end_ns, real(9 * SECOND));
	assert_int_equal(line->uses.count, 1);
	assert_int_equal(line->uses.item[0].process, 1);
	assert_int_equal(line->uses.item[0].end_ns, real(9 * SECOND));
	assert_int_equal(line->flows.count, 1);
	assert_int_equal(line->flows.item[0].kind, FLOW_MESSAGE);
	assert_int_equal(line->flows.item[0].object, 0);
	assert_int_equal(line->flows.item[0].from_ns, real(4 * SECOND));
	assert_int_equal(line->flows.item[0].to_ns, real(5 * SECOND));
	assert_int_equal(line->levels.count, 2);
	assert_int_equal(line->levels.item[0].process, 1);
	assert_int_equal(line->levels.item[0].at_ns, real(6 * SECOND));
	assert_int_equal(line->levels.item[0].bytes, 4096);
	assert_int_equal(line->levels.item[1].bytes, 0);
	timeline_destroy(line);
}

static void device_memory_is_an_object_too(void **state)
{
	struct timeline *line;
	uint32_t pid, other;

	(void)state;
	pid = writer_process(&writer, 0, UINT32_MAX, SECOND)->pid;
	other = writer_process(&writer, 1, 0, 2 * SECOND)->pid;
	WRITE(&writer, 0, ipc_export, 3 * SECOND, pid, .handle = 99, .memory = MPSAN_MEMORY_DEVICE,
	      .base = 0x7000, .bytes = 1 << 20);
	WRITE(&writer, 1, ipc_open, 4 * SECOND, other, .handle = 99, .memory = MPSAN_MEMORY_DEVICE,
	      .address = 0x9000, .bytes = 1 << 20);
	WRITE(&writer, 1, ipc_close, 6 * SECOND, other, .handle = 99, .address = 0x9000);
	WRITE(&writer, 0, ipc_free, 7 * SECOND, pid, .handle = 99, .base = 0x7000);
	line = draw(0, 0, timeline_create());
	assert_int_equal(line->objects.count, 1);
	assert_int_equal(line->objects.item[0].kind, OBJECT_EXPORT);
	assert_int_equal(line->objects.item[0].end_ns, real(7 * SECOND));
	assert_string_equal(line->objects.item[0].name, "device memory 0x7000 of device 0");
	assert_int_equal(line->uses.count, 1);
	assert_int_equal(line->uses.item[0].end_ns, real(6 * SECOND));
	assert_int_equal(line->flows.count, 1);
	timeline_destroy(line);
}

/* Many steps are drawn as fewer; the highest one stays. */
static void levels_are_thinned_out(void **state)
{
	struct timeline *line;
	uint64_t most = 0;
	uint32_t pid;

	(void)state;
	pid = writer_process(&writer, 0, UINT32_MAX, SECOND)->pid;
	for (uint64_t i = 1; i <= 1200; i++) {
		WRITE(&writer, 0, ipc_export, (2 * i) * SECOND / 100, pid, .handle = i,
		      .memory = MPSAN_MEMORY_DEVICE, .base = i << 12,
		      .bytes = i == 777 ? 5000 : 10);
		WRITE(&writer, 0, ipc_free, (2 * i + 1) * SECOND / 100, pid, .handle = i,
		      .base = i << 12);
	}
	line = draw(0, 0, timeline_create());
	assert_int_equal(line->objects.count, 1200);
	assert_in_range(line->levels.count, 400, 1010);
	for (uint32_t i = 0; i < line->levels.count; i++)
		most = line->levels.item[i].bytes > most ? line->levels.item[i].bytes : most;
	assert_int_equal(most, 5000);
	assert_int_equal(line->levels.item[line->levels.count - 1].bytes, 0);
	timeline_destroy(line);
}

/* The same pids in two sessions are two processes each; indices of the second count on. */
static void sessions_are_kept_apart(void **state)
{
	struct timeline *line;

	(void)state;
	write_orphan();
	line = draw(0, 0, timeline_create());
	draw(1, -SKEW, line);
	assert_int_equal(line->processes.count, 4);
	assert_int_equal(line->processes.item[3].source, 1);
	assert_int_equal(line->processes.item[3].parent, 2);
	assert_int_equal(line->processes.item[2].begin_ns, real(SECOND) + SKEW);
	assert_int_equal(line->threads.item[line->flows.item[1].to].process, 3);
	assert_int_equal(line->left_out, 0);
	timeline_destroy(line);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		CASE(a_fork_joins_two_processes),     CASE(holds_and_waits_are_spans),
		CASE(a_wait_is_drawn_once),	      CASE(a_segment_goes_from_hand_to_hand),
		CASE(device_memory_is_an_object_too), CASE(levels_are_thinned_out),
		CASE(sessions_are_kept_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
