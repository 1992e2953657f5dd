/*
 * Which object a lock is in each process, and who has claims on it: from sessions that were written
 * record by record, and from the mappings of this process. Neighbours: log_writer.h,
 * tools/waits/pshared_locks.h.
 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../tools/waits/pshared_locks.h"
#include "log_writer.h"

#define SECOND 1000000000ull
#define PARENT 7
#define CHILD 3
#define SPAWNED 9
#define LOCK 0x7f0000001000ull
#define DEVICE 27
#define INODE 5

static struct log_writer writer;
static struct reader reader;
static struct shared *shared;

static struct {
	unsigned count;
	struct pshared_taker last;
} seen;

static void see(const struct pshared_taker *taker, void *context)
{
	(void)context;
	seen.count++;
	seen.last = *taker;
}

static int begin(void **state)
{
	(void)state;
	writer_create(&writer);
	return 0;
}

static int end(void **state)
{
	(void)state;
	pshared_destroy(shared);
	reader_close(&reader);
	writer_destroy(&writer);
	return 0;
}

/* Reads what was written so far. Processes with unused pids are seen to be gone. */
static void open_session(void)
{
	assert_null(reader_open(&reader, writer.dir, true));
	reader_poll(&reader, clock_ns(CLOCK_MONOTONIC));
	shared = pshared_create(&reader);
	pshared_begin(shared);
}

static void opens(uint32_t slot, uint64_t time_ns, uint64_t lock, uint64_t inode, uint64_t value)
{
	WRITE(&writer, slot, shared_lock, time_ns, 100, .lock = lock, .kind = MPSAN_LOCK_SEMAPHORE,
	      .device = inode ? DEVICE : 0, .inode = inode, .value = value);
}

/* A thread's record with one claim, where the index has it. */
static void claims(uint32_t slot, uint32_t tid, uint64_t tag, uint64_t caller)
{
	struct mpsan_thread thread = {.tid = tid, .holds_used = 1, .hold = {{tag, caller}}};
	uint64_t pos =
		writer_put(&writer, slot, EV_thread, 2 * SECOND, tid, &thread, sizeof(thread));
	uint32_t *index = (uint32_t *)(writer.log[slot] + MPSAN_THREAD_INDEX);

	index[mpsan_thread_place(tid)] = pos / MPSAN_UNIT;
}

static bool finds(uint32_t slot, uint64_t address, uint64_t inode)
{
	struct pshared_key key;

	return pshared_find(shared, slot, address, &key) && key.device == DEVICE &&
	       key.inode == inode && !key.offset;
}

static const struct pshared_key the_lock = {DEVICE, INODE, 0};

static void a_forked_child_inherits_and_a_spawned_one_opens_anew(void **state)
{
	(void)state;
	writer_process(&writer, PARENT, UINT32_MAX, SECOND);
	writer_process(&writer, CHILD, PARENT, 3 * SECOND);
	writer_process(&writer, SPAWNED, PARENT, 3 * SECOND)->how = MPSAN_HOW_VFORK;
	opens(PARENT, 2 * SECOND, LOCK, INODE, 1);
	opens(PARENT, 4 * SECOND, LOCK + 4096, INODE + 1, 1);
	opens(SPAWNED, 5 * SECOND, LOCK + 8192, INODE, UINT64_MAX);
	open_session();
	assert_true(finds(PARENT, LOCK, INODE));
	assert_true(finds(CHILD, LOCK, INODE));
	assert_true(finds(SPAWNED, LOCK + 8192, INODE));
	assert_false(finds(SPAWNED, LOCK, INODE));
	assert_true(finds(PARENT, LOCK + 4096, INODE + 1));
	assert_false(finds(CHILD, LOCK + 4096, INODE + 1)); /* opened after its birth */
	assert_int_equal(pshared_made(shared, &the_lock)->ev.value, 1);
	assert_int_equal(pshared_made(shared, &the_lock)->at.by, PARENT);
}

static void an_address_that_was_given_up_is_another_lock(void **state)
{
	(void)state;
	writer_process(&writer, PARENT, UINT32_MAX, SECOND);
	writer_process(&writer, CHILD, PARENT, 4 * SECOND);
	opens(PARENT, 2 * SECOND, LOCK, INODE, 1);
	WRITE(&writer, PARENT, lock_gone, 3 * SECOND, 100, .lock = LOCK);
	opens(PARENT, 5 * SECOND, LOCK, INODE + 1, 1);
	open_session();
	assert_true(finds(PARENT, LOCK, INODE + 1));
	assert_false(finds(CHILD, LOCK, INODE));
}

static void a_log_that_ran_full_names_no_lock(void **state)
{
	(void)state;
	writer_process(&writer, PARENT, UINT32_MAX, SECOND);
	opens(PARENT, 2 * SECOND, LOCK, INODE, 1);
	open_session();
	assert_true(finds(PARENT, LOCK, INODE));
	((struct mpsan_log *)(void *)writer.log[PARENT])->dropped = 1;
	assert_false(finds(PARENT, LOCK, INODE));
}

static void claims_of_the_dead_are_found(void **state)
{
	(void)state;
	writer_process(&writer, PARENT, UINT32_MAX, SECOND);
	writer_process(&writer, CHILD, PARENT, 3 * SECOND)->end = MPSAN_END_SIGNAL;
	opens(PARENT, 2 * SECOND, LOCK, INODE, 1);
	claims(CHILD, 201, MPSAN_TAG(LOCK, MPSAN_LOCK_SEMAPHORE), 0x1234);
	claims(CHILD, 202, MPSAN_TAG(LOCK + 64, MPSAN_LOCK_SEMAPHORE), 0x5678);
	claims(PARENT, 100, MPSAN_TAG(LOCK, MPSAN_WAIT_JOIN), 0x5678);
	open_session();
	seen.count = 0;
	pshared_takers(shared, &the_lock, see, NULL);
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.last.slot, CHILD);
	assert_int_equal(seen.last.tid, 201);
	assert_int_equal(seen.last.caller, 0x1234);
	assert_true(seen.last.gone);
	assert_false(seen.last.tag & MPSAN_TAG_WANTED);
}

static void semaphores_made_one_after_the_other_are_siblings(void **state)
{
	const struct seen_share *made;
	struct pshared_key key;

	(void)state;
	writer_process(&writer, PARENT, UINT32_MAX, SECOND);
	opens(PARENT, 2 * SECOND, LOCK, INODE - 1, 0);
	opens(PARENT, 2 * SECOND + 1, LOCK + 4096, INODE, 0);
	WRITE(&writer, PARENT, lock_gone, 2 * SECOND + 2, 100, .lock = LOCK + 8192);
	opens(PARENT, 2 * SECOND + 3, LOCK + 8192, INODE + 1, 0);
	open_session();
	made = pshared_made(shared, &the_lock);
	assert_int_equal(pshared_sibling(shared, made, 1, &key)->ev.lock, LOCK + 8192);
	assert_int_equal(key.inode, INODE + 1);
	assert_int_equal(pshared_sibling(shared, made, -1, &key)->ev.lock, LOCK);
	assert_null(pshared_sibling(shared, made, 2, &key));
	assert_null(pshared_sibling(shared, made, -2, &key));
}

/* This process, watched, as PARENT, and a child of it that is gone. */
static void write_own_process(void)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	writer_process(&writer, PARENT, UINT32_MAX, now)->pid = (uint32_t)getpid();
	writer_process(&writer, CHILD, PARENT, now + 1);
}

static void memory_without_a_name_is_known_by_its_mapping(void **state)
{
	char *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t address = (uint64_t)(uintptr_t)memory + 64;
	struct pshared_key mine, childs, silent;

	(void)state;
	write_own_process();
	opens(PARENT, 2 * SECOND, address, 0, 1);
	open_session();
	assert_true(pshared_find(shared, PARENT, address, &mine));
	assert_true(pshared_find(shared, CHILD, address, &childs));
	assert_true(pshared_same(&mine, &childs));
	assert_int_not_equal(mine.device, SHARED_UNNAMED);
	assert_int_equal(mine.offset, 64);
	assert_true(pshared_find(shared, PARENT, address + 64, &silent)); /* no event */
	assert_int_equal(silent.inode, mine.inode);
	assert_int_equal(silent.offset, 128);
	assert_false(pshared_find(shared, CHILD, address + 64, &silent));
	munmap(memory, 4096);
}

static void private_memory_is_not_shared(void **state)
{
	static int here;
	struct pshared_key key;

	(void)state;
	write_own_process();
	open_session();
	assert_false(pshared_find(shared, PARENT, (uint64_t)(uintptr_t)&here, &key));
	assert_false(pshared_find(shared, PARENT, (uint64_t)(uintptr_t)&key, &key));
}

static void a_process_that_is_not_watched_is_a_stranger(void **state)
{
	char *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct pshared_key key;
	pid_t child;

	(void)state;
	write_own_process();
	opens(PARENT, 2 * SECOND, (uint64_t)(uintptr_t)memory, 0, 1);
	open_session();
	assert_true(pshared_find(shared, PARENT, (uint64_t)(uintptr_t)memory, &key));
	assert_false(pshared_has_strangers(shared, &key));
	child = fork();
	if (child == 0) {
		pause();
		_exit(0);
	}
	assert_true(pshared_has_strangers(shared, &key));
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_false(pshared_has_strangers(shared, &key));
	writer.table[PARENT].flags |= MPSAN_PROCESS_OFF;
	assert_true(pshared_has_strangers(shared, &key));
	key.device = SHARED_UNNAMED;
	assert_true(pshared_has_strangers(shared, &key));
	munmap(memory, 4096);
}

#define STORY(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(a_forked_child_inherits_and_a_spawned_one_opens_anew),
		STORY(an_address_that_was_given_up_is_another_lock),
		STORY(a_log_that_ran_full_names_no_lock),
		STORY(claims_of_the_dead_are_found),
		STORY(semaphores_made_one_after_the_other_are_siblings),
		STORY(memory_without_a_name_is_known_by_its_mapping),
		STORY(private_memory_is_not_shared),
		STORY(a_process_that_is_not_watched_is_a_stranger),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
