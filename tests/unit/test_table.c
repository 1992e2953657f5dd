/*
 * The session's table of processes: slots in order, each process once, found by its PID, also while others claim
 * theirs. Neighbour: shim/record/table.c.
 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../shim/record/table.c"

#define NS 4026531836u
#define THREADS 8u
#define PIDS 4000u

static struct mpsan_session *session;
static char path[] = "/tmp/table.XXXXXX";

long sys_call(long number, long a, long b, long c, long d, long e, long f)
{
	long result = syscall(number, a, b, c, d, e, f);

	return result < 0 ? -errno : result;
}

bool sys_size_allowed(uint64_t bytes)
{
	return bytes <= table_file_bytes(MPSAN_SLOTS_MAX);
}

int sys_growing(void)
{
	return 0;
}

long sys_allocate(long fd, uint64_t offset, uint64_t bytes)
{
	return posix_fallocate((int)fd, (off_t)offset, (off_t)bytes);
}

char *text_put(char *at, char *end, const char *text)
{
	while (*text && at + 1 < end)
		*at++ = *text++;
	*at = '\0';
	return at;
}

static int set_up(void **state)
{
	uint64_t whole = table_file_bytes(MPSAN_SLOTS_MAX);
	struct stat st;
	int fd;

	(void)state;
	strcpy(path + strlen(path) - 6, "XXXXXX");
	fd = mkstemp(path);
	if (fd < 0 || posix_fallocate(fd, 0, (off_t)table_file_bytes(MPSAN_SLOTS_FIRST)) ||
	    fstat(fd, &st))
		return -1;
	session = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (session == MAP_FAILED)
		return -1;
	session->slots = MPSAN_SLOTS_FIRST;
	session->slots_max = MPSAN_SLOTS_MAX;
	table_mapped(session, path, st.st_dev, st.st_ino, MPSAN_SLOTS_MAX);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	return munmap(session, table_file_bytes(MPSAN_SLOTS_MAX));
}

static uint32_t claim(uint32_t pid, uint64_t pid_ns)
{
	return table_claim(session, pid, pid_ns, 0, MPSAN_PROCESS_ATTACHED);
}

static void the_table_grows_and_finds_everybody(void **state)
{
	(void)state;
	for (uint32_t pid = 1; pid <= PIDS; pid++)
		assert_int_equal(claim(pid, NS), pid - 1);
	assert_int_equal(session->slots, 8192); /* ahead of need */
	for (uint32_t pid = 1; pid <= PIDS; pid++)
		assert_int_equal(table_find(session, pid, NS), pid - 1);
	assert_int_equal(table_find(session, PIDS + 1, NS), TABLE_NO_SLOT);
	assert_int_equal(table_find(session, 1, NS + 1), TABLE_NO_SLOT);
}

static void a_process_has_one_slot_until_it_ends(void **state)
{
	struct mpsan_process *table = table_of(session);
	uint32_t first = claim(7, NS), second;

	(void)state;
	assert_int_equal(claim(7, NS), first);
	assert_int_not_equal(claim(7, NS + 1), first);
	assert_int_not_equal(claim(7 + MPSAN_LISTS, NS), first);
	table[first].birth_ns = 1;
	table[first].end_ns = 2;
	assert_int_equal(table_find(session, 7, NS), TABLE_NO_SLOT);
	assert_int_equal(table_find_last(session, 7, NS), first);
	second = claim(7, NS);
	assert_int_not_equal(second, first);
	assert_int_equal(table_find_last(session, 7, NS), second);
	table[second].flags = MPSAN_PROCESS_ATTACHED;
	assert_int_not_equal(claim(7, NS), second);
}

static void a_reserved_slot_is_found_once_it_is_entered(void **state)
{
	uint32_t slot = table_reserve(session);

	(void)state;
	table_of(session)[slot].pid_ns = NS;
	table_of(session)[slot].pid = 9;
	assert_int_equal(table_find(session, 9, NS), TABLE_NO_SLOT);
	table_enter(session, slot);
	assert_int_equal(table_find(session, 9, NS), slot);
	assert_int_equal(claim(10, NS), slot + 1);
}

static void a_list_in_a_circle_has_an_end(void **state)
{
	uint32_t one = claim(5, NS), other = claim(5 + MPSAN_LISTS, NS);

	(void)state;
	table_of(session)[one].earlier = other + 1;
	assert_int_equal(table_find(session, 5 + 2 * MPSAN_LISTS, NS), TABLE_NO_SLOT);
	table_of(session)[one].earlier = UINT32_MAX;
	assert_int_equal(table_find(session, 5 + 2 * MPSAN_LISTS, NS), TABLE_NO_SLOT);
}

static void a_full_table_is_counted(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < MPSAN_SLOTS_MAX; i++)
		assert_int_equal(table_reserve(session), i);
	assert_int_equal(table_reserve(session), TABLE_NO_SLOT);
	assert_int_equal(claim(1, NS), TABLE_NO_SLOT);
	assert_true(table_is_full);
	assert_int_equal(claim(2, NS), TABLE_NO_SLOT);
	assert_false(table_is_full);
	assert_int_equal(session->unrecorded, 2);
}

static pthread_barrier_t together;
static uint32_t slot_of[THREADS][PIDS];

/* As parents and children do, each PID at the same time; some enter processes of the same list meanwhile. */
static void *claims(void *number)
{
	uintptr_t me = (uintptr_t)number;

	for (uint32_t i = 0; i < PIDS; i++) {
		pthread_barrier_wait(&together);
		slot_of[me][i] = claim(1 + i % 3 * MPSAN_LISTS + i / 3, NS + i);
	}
	return NULL;
}

static void all_who_claim_for_a_process_agree(void **state)
{
	pthread_t thread[THREADS];
	uint32_t used = 0;

	(void)state;
	pthread_barrier_init(&together, NULL, THREADS);
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, claims, (void *)i), 0);
	for (uint32_t i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (uint32_t i = 0; i < PIDS; i++)
		for (uint32_t k = 1; k < THREADS; k++)
			assert_int_equal(slot_of[k][i], slot_of[0][i]);
	for (uint32_t i = 0; i < session->claimed; i++)
		used += table_of(session)[i].pid != 0;
	assert_int_equal(used, PIDS);
}

#define IN_A_TABLE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_A_TABLE(the_table_grows_and_finds_everybody),
		IN_A_TABLE(a_process_has_one_slot_until_it_ends),
		IN_A_TABLE(a_reserved_slot_is_found_once_it_is_entered),
		IN_A_TABLE(a_list_in_a_circle_has_an_end),
		IN_A_TABLE(a_full_table_is_counted),
		IN_A_TABLE(all_who_claim_for_a_process_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
