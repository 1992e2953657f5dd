/*
 * Unwinding and naming (tools/symbolizer/unwind/unwind.c, tools/symbols/symbols.c, tools/symbolizer/modules.c), tried on this very
 * process: it takes snapshots of its own stacks as the library would, and reads them back from its
 * own files. Build with -g; every level of optimisation must pass.
 */
#define _GNU_SOURCE 1
#include "self_modules.h"
#include "self_snapshot.h"
#include "symbolizer/modules.h"
#include "symbolizer/unwind/unwind.h"
#include "symbols/symbols.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define FRAMES 64

static struct modules modules;
static struct symbols *symbols;
static struct {
	int innermost, inner, middle, outer;
} line;
static uint64_t table[8] = {1}; /* for the naming of data */

NOINLINE static void innermost(void)
{
	line.innermost = __LINE__ + 1;
	take();
	AFTER_CALL;
}

NOINLINE static void inner(int depth)
{
	line.inner = __LINE__ + 1;
	innermost();
	AFTER_CALL;
	line.inner += !depth;
}

/* An array of unknown size makes the compiler use a frame pointer here, and only here. */
NOINLINE static void middle(int depth)
{
	char array[depth];

	__asm__ volatile("" : : "r"(array) : "memory");
	line.middle = __LINE__ + 1;
	inner(depth);
	AFTER_CALL;
}

NOINLINE static void outer(int depth)
{
	line.outer = __LINE__ + 1;
	middle(depth * 3);
	AFTER_CALL;
}

NOINLINE static int compare(const void *one, const void *other)
{
	inner(1);
	AFTER_CALL;
	return *(const int *)one - *(const int *)other;
}

NOINLINE static void sorter(void)
{
	int values[] = {3, 1, 2};

	qsort(values, 3, sizeof(values[0]), compare);
	AFTER_CALL;
}

static void *thread_main(void *arg)
{
	outer(*(int *)arg);
	AFTER_CALL;
	return NULL;
}

static int setup(void **state)
{
	(void)state;
	self_modules_init(&modules);
	symbols = symbols_create();
	return !symbols;
}

static int teardown(void **state)
{
	(void)state;
	symbols_destroy(symbols);
	unwind_finish();
	self_modules_finish(&modules);
	return 0;
}

static struct module *own_module(void)
{
	const struct module *module = modules_find(&modules, (uint64_t)table);

	assert_non_null(module);
	return &modules.item[module - modules.item];
}

/* --- stories --- */

struct named {
	size_t count;
	struct symbol frame[FRAMES];
};

static struct named unwind_names(void)
{
	uint64_t pcs[FRAMES];
	struct named names = {0};

	names.count = unwind_stack(&modules, &snapshot.head, snapshot.bytes, pcs, NULL, FRAMES);
	for (size_t i = 0; i < names.count; i++)
		if (!symbols_name(symbols, &modules, pcs[i], i > 0, &names.frame[i]))
			print_message("frame %zu: %#lx is in no module\n", i, pcs[i]);
	return names;
}

static void expect_function(const struct named *names, size_t i, const char *function)
{
	assert_true(i < names->count);
	assert_non_null(names->frame[i].function);
	assert_string_equal(names->frame[i].function, function);
}

static void expect_line(const struct named *names, size_t i, int number)
{
	const char *file = names->frame[i].file;

	assert_non_null(file);
	assert_non_null(strstr(file, "test_unwind.c"));
	assert_int_equal(names->frame[i].line, number);
}

static size_t find_function(const struct named *names, const char *function)
{
	size_t i = 0;

	while (i < names->count &&
	       (!names->frame[i].function || strcmp(names->frame[i].function, function)))
		i++;
	return i;
}

static void expect_chain(const struct named *names)
{
	static const char *const chain[] = {"take", "innermost", "inner", "middle", "outer"};

	for (size_t i = 0; i < 5; i++)
		expect_function(names, i, chain[i]);
}

static void nested_calls_are_named_in_order_with_lines(void **state)
{
	struct named names;

	(void)state;
	outer(7);
	names = unwind_names();
	expect_chain(&names);
	expect_line(&names, 1, line.innermost);
	expect_line(&names, 2, line.inner);
	expect_line(&names, 3, line.middle);
	expect_line(&names, 4, line.outer);
	expect_function(&names, 5, __func__);
	expect_function(&names, names.count - 1, "_start");
	assert_true(find_function(&names, "main") < names.count);
}

static void a_callback_from_libc_is_followed_through_libc(void **state)
{
	struct named names;
	size_t qsort_frame;

	(void)state;
	sorter();
	names = unwind_names();
	expect_function(&names, 3, "compare");
	assert_non_null(strstr(names.frame[4].module, "libc.so"));
	qsort_frame = find_function(&names, "sorter");
	assert_true(qsort_frame > 4 && qsort_frame < names.count);
	expect_function(&names, names.count - 1, "_start");
}

static void a_thread_ends_where_it_was_started(void **state)
{
	struct named names;
	pthread_t thread;
	int depth = 5;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, thread_main, &depth), 0);
	pthread_join(thread, NULL);
	names = unwind_names();
	expect_chain(&names);
	expect_function(&names, 5, "thread_main");
	assert_in_range(names.count, 7, 9);
	assert_non_null(strstr(names.frame[names.count - 1].module, "libc.so"));
}

static void three_known_registers_are_enough(void **state)
{
	struct named names;

	(void)state;
	outer(7);
	snapshot.head.valid = 1ull << RIP | 1ull << RSP | 1ull << RBP;
	names = unwind_names();
	expect_chain(&names);
	expect_function(&names, names.count - 1, "_start");
}

static void an_unknown_frame_pointer_is_found_on_the_stack(void **state)
{
	struct named names;

	(void)state;
	outer(7);
	snapshot.head.valid = 1ull << RIP | 1ull << RSP;
	names = unwind_names();
	expect_chain(&names);
	expect_function(&names, names.count - 1, "_start");
}

static void a_cut_copy_gives_the_frames_within_it(void **state)
{
	struct named whole, cut;

	(void)state;
	outer(7);
	whole = unwind_names();
	snapshot.head.bytes = snapshot.head.bytes / 16 * 8;
	cut = unwind_names();
	assert_in_range(cut.count, 2, whole.count - 1);
	for (size_t i = 0; i < cut.count; i++)
		assert_ptr_equal(cut.frame[i].function, whole.frame[i].function);
	snapshot.head.bytes = 0;
	assert_int_equal(unwind_names().count, 1);
}

static void a_frame_without_a_table_is_left_by_its_frame_pointer(void **state)
{
	struct named names;

	(void)state;
	call_bare(innermost);
	names = unwind_names();
	expect_function(&names, 1, "innermost");
	expect_function(&names, 2, "call_bare");
	expect_function(&names, 3, __func__);
	expect_function(&names, names.count - 1, "_start");
}

static void nothing_known_gives_nothing(void **state)
{
	(void)state;
	outer(7);
	snapshot.head.valid = 0;
	assert_int_equal(unwind_names().count, 0);
	snapshot.head.valid = 1ull << RIP;
	assert_int_equal(unwind_names().count, 1);
}

/* --- a blocked thread, seen from outside --- */

static struct {
	int pipe[2];
	pid_t tid;
	uint64_t top;
} blocked;

NOINLINE static void wait_for_byte(void)
{
	char byte;

	if (read(blocked.pipe[0], &byte, 1) < 0)
		abort();
	AFTER_CALL;
}

static void *blocked_main(void *arg)
{
	blocked.top = stack_top();
	__atomic_store_n(&blocked.tid, gettid(), __ATOMIC_RELEASE);
	wait_for_byte();
	AFTER_CALL;
	return arg;
}

static void a_blocked_thread_is_read_from_outside(void **state)
{
	struct named names;
	pthread_t thread;
	bool taken;

	(void)state;
	assert_int_equal(pipe(blocked.pipe), 0);
	assert_int_equal(pthread_create(&thread, NULL, blocked_main, NULL), 0);
	while (!__atomic_load_n(&blocked.tid, __ATOMIC_ACQUIRE))
		usleep(100);
	taken = take_other(blocked.tid, blocked.top);
	assert_int_equal(write(blocked.pipe[1], "x", 1), 1);
	pthread_join(thread, NULL);
	close(blocked.pipe[0]);
	close(blocked.pipe[1]);
	if (!taken)
		skip();
	names = unwind_names();
	assert_true(strstr(names.frame[0].module, "libc.so") ||
		    strstr(names.frame[0].module, "libpthread"));
	assert_true(find_function(&names, "wait_for_byte") < names.count);
	assert_true(find_function(&names, "blocked_main") < names.count);
}

/* --- names, data, and files that are not what they were --- */

void _ZSt9terminatev(void); /* std::terminate() */

static void a_cxx_name_is_demangled(void **state)
{
	struct symbol symbol;

	(void)state;
	assert_true(symbols_name(symbols, &modules, (uint64_t)_ZSt9terminatev, false, &symbol));
	assert_string_equal(symbol.function, "std::terminate()");
}

static void static_data_is_named_with_its_offset(void **state)
{
	struct symbol symbol;

	(void)state;
	assert_true(symbols_name_data(symbols, &modules, (uint64_t)&table[1], &symbol));
	assert_string_equal(symbol.function, "table");
	assert_int_equal(symbol.offset, 8);
	assert_false(symbols_name_data(symbols, &modules, (uint64_t)&symbol, &symbol));
}

static void another_build_is_not_believed(void **state)
{
	struct module *module = own_module();
	char *build_id = module->build_id;
	struct named names;

	(void)state;
	if (!build_id)
		skip();
	outer(7);
	module->build_id = (char *)(uintptr_t) "0123";
	names = unwind_names();
	module->build_id = build_id;
	assert_non_null(names.frame[0].module);
	assert_null(names.frame[0].function);
	assert_int_equal(names.frame[0].offset, snapshot.head.regs[RIP] - module->base);
}

static void a_vanished_file_leaves_module_and_offset(void **state)
{
	struct module *module = own_module();
	char *path = module->path;
	struct named names;

	(void)state;
	outer(7);
	symbols_destroy(symbols), symbols = symbols_create(); /* it knows this build */
	module->path = (char *)(uintptr_t) "/nonexistent (deleted)";
	names = unwind_names();
	module->path = path;
	assert_true(names.count >= 1);
	assert_string_equal(names.frame[0].module, "/nonexistent (deleted)");
	assert_null(names.frame[0].function);
}

static void a_truncated_file_is_survived(void **state)
{
	struct module *module = own_module();
	struct module saved = *module;
	char path[] = "/tmp/test_unwind.XXXXXX";
	struct stat status;

	(void)state;
	close(mkstemp(path));
	assert_int_equal(stat(saved.path, &status), 0);
	outer(7);
	module->path = path;
	module->build_id = NULL;
	for (size_t i = 1; i <= 100; i++) {
		copy_truncated(saved.path, path, (size_t)status.st_size * i / 100);
		images_finish();
		symbols_destroy(symbols);
		symbols = symbols_create();
		assert_true(unwind_names().count >= 1);
	}
	*module = saved;
	images_finish();
	unlink(path);
}

/* --- garbage --- */

static uint64_t noise(void)
{
	static uint64_t state = 88172645463325252ull;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* A plausible lie: an address of the stack or of code, or nonsense. */
static uint64_t lie(void)
{
	const struct module *module = &modules.item[noise() % modules.count];

	switch (noise() % 4) {
	case 0:
		return snapshot.head.regs[RSP] + noise() % (snapshot.head.bytes + 64);
	case 1:
		return module->base + noise() % (module->end - module->base + 64);
	case 2:
		return noise() % 64 - 32;
	default:
		return noise();
	}
}

static void mutate(void)
{
	uint64_t count = noise() % 64;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t at = noise() % (snapshot.head.bytes / 8) * 8;
		uint64_t word = lie();

		memcpy(snapshot.bytes + at, &word, sizeof(word));
	}
	if (noise() % 4 == 0)
		snapshot.head.regs[noise() % MPSAN_STACK_REGS] = lie();
	if (noise() % 8 == 0)
		snapshot.head.valid = noise();
	if (noise() % 8 == 0)
		snapshot.head.bytes = noise() % (snapshot.head.bytes + 1);
}

static void garbage_is_survived(void **state)
{
	static struct snapshot saved;
	uint64_t pcs[FRAMES];

	(void)state;
	sorter();
	saved = snapshot;
	for (int i = 0; i < 10000; i++) {
		size_t count;

		snapshot = saved;
		mutate();
		count = unwind_stack(&modules, &snapshot.head, snapshot.bytes, pcs, NULL, FRAMES);
		assert_in_range(count, 0, FRAMES);
		assert_true(!count || pcs[0] == snapshot.head.regs[RIP]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nested_calls_are_named_in_order_with_lines),
		cmocka_unit_test(a_callback_from_libc_is_followed_through_libc),
		cmocka_unit_test(a_thread_ends_where_it_was_started),
		cmocka_unit_test(three_known_registers_are_enough),
		cmocka_unit_test(an_unknown_frame_pointer_is_found_on_the_stack),
		cmocka_unit_test(a_cut_copy_gives_the_frames_within_it),
		cmocka_unit_test(a_frame_without_a_table_is_left_by_its_frame_pointer),
		cmocka_unit_test(nothing_known_gives_nothing),
		cmocka_unit_test(a_blocked_thread_is_read_from_outside),
		cmocka_unit_test(a_cxx_name_is_demangled),
		cmocka_unit_test(static_data_is_named_with_its_offset),
		cmocka_unit_test(another_build_is_not_believed),
		cmocka_unit_test(a_vanished_file_leaves_module_and_offset),
		cmocka_unit_test(a_truncated_file_is_survived),
		cmocka_unit_test(garbage_is_survived),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
