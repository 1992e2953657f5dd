/* The table of the processes that are examined from outside. Neighbour: tools/attach/target.h. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../tools/attach/target.h"
#include "../../tools/facts/facts.h"
#include "../../tools/reader/reader.h"
#include "../../tools/supervise/launch.h"

#define SLOTS 16u

/* A process and its child, which becomes `cat` once something is written to it. */
struct family {
	pid_t parent, child;
	int input, output; /* of the child */
};

static void be_child(void)
{
	pid_t own = getpid();
	char byte;

	if (write(1, &own, sizeof(own)) == sizeof(own) && read(0, &byte, 1) == 1)
		execlp("cat", "cat", NULL);
	_exit(1);
}

static void be_parent(void)
{
	pid_t child = fork();

	if (!child)
		be_child();
	_exit(waitpid(child, NULL, 0) != child);
}

static struct family begin_family(void)
{
	struct family family;
	int in[2], out[2];

	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	family.parent = fork();
	if (!family.parent) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[1]);
		be_parent();
	}
	assert_true(family.parent > 0);
	close(in[0]);
	close(out[1]);
	family.input = in[1];
	family.output = out[0];
	assert_int_equal(read(family.output, &family.child, sizeof(family.child)),
			 sizeof(family.child));
	return family;
}

/* `cat` has begun when it answers. */
static void let_execute(const struct family *family)
{
	char byte;

	assert_int_equal(write(family->input, "12", 2), 2);
	assert_int_equal(read(family->output, &byte, 1), 1);
	assert_int_equal(byte, '2');
}

static void finish_family(const struct family *family)
{
	int status;

	close(family->input);
	close(family->output);
	assert_int_equal(waitpid(family->parent, &status, 0), family->parent);
	assert_int_equal(status, 0);
}

/* The row that stands for the process; the others are programs that it was before. */
static const struct mpsan_process *row_of(const struct reader *reader, pid_t pid, uint32_t *former)
{
	const struct mpsan_process *found = NULL;

	*former = 0;
	for (uint32_t slot = 0; slot < reader->session.head->claimed; slot++) {
		const struct mpsan_process *row = &reader->session.table[slot];

		if (row->pid != (uint32_t)pid)
			continue;
		if (row->flags & MPSAN_PROCESS_REPLACED) {
			++*former;
			continue;
		}
		assert_null(found);
		found = row;
	}
	assert_non_null(found);
	return found;
}

static void look(struct target *target, struct reader *reader, struct watchlog *log)
{
	assert_int_equal(target_look(target), 2);
	assert_int_equal(target_enter(target, &reader->session, log), 0);
}

static void a_process_that_executes_a_program_gets_a_row_for_it(void **state)
{
	struct family family = begin_family();
	struct target target = {0};
	struct launch launch = {0};
	const struct mpsan_process *row;
	struct reader reader;
	struct watchlog log;
	uint32_t former;

	(void)state;
	assert_true(target_add(&target, (uint32_t)family.parent, false));
	assert_null(launch_prepare_outside(&launch, NULL, SLOTS));
	assert_null(reader_open(&reader, launch.dir, true));
	watchlog_open(&log, &reader);

	look(&target, &reader, &log);
	row = row_of(&reader, family.child, &former);
	assert_true(fact_how_copies(row->how) && !former);
	assert_false(fact_argv_has(row, "cat"));

	look(&target, &reader, &log); /* nothing has changed */
	assert_ptr_equal(row_of(&reader, family.child, &former), row);
	assert_int_equal(former, 0);

	let_execute(&family);
	look(&target, &reader, &log);
	row = row_of(&reader, family.child, &former);
	assert_int_equal(former, 1);
	assert_int_equal(row->how, MPSAN_HOW_EXEC);
	assert_true(fact_argv_has(row, "cat"));
	assert_false(row->fork_pos);

	watchlog_close(&log);
	reader_close(&reader);
	launch_finish(&launch);
	target_finish(&target);
	finish_family(&family);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_that_executes_a_program_gets_a_row_for_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
