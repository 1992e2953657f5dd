/*
 * Names of shared memory, by files of this process: with the right to ask the kernel for the number of links, where
 * the test has it, and without. Neighbour: tools/waits/memory/memory_names.h.
 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../tools/waits/memory/memory_names.h"

#define BYTES 4096u

static char dir[64];

/* In memory and on a disk; each story once with all rights and once without those that matter. */
static const char *const bases[] = {"/dev/shm", "/tmp"};

static void set_rights(bool all)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct rights[2];

	assert_int_equal(syscall(SYS_capget, &head, rights), 0);
	rights[0].effective = all ? rights[0].permitted : 0;
	rights[1].effective = all ? rights[1].permitted : 0;
	assert_int_equal(syscall(SYS_capset, &head, rights), 0);
}

static void each(void (*story)(void))
{
	for (unsigned i = 0; i < 4; i++) {
		set_rights(i & 1);
		snprintf(dir, sizeof(dir), "%s/mpsan-links-XXXXXX", bases[i / 2]);
		assert_non_null(mkdtemp(dir));
		story();
		assert_int_equal(rmdir(dir), 0);
	}
	set_rights(true);
}

static const char *in_dir(const char *name)
{
	static char path[4][128];
	static unsigned turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", dir, name);
	return path[turn];
}

static void *map(int fd)
{
	void *memory;

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, BYTES), 0);
	memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	close(fd);
	return memory;
}

static void *map_file(const char *name)
{
	return map(open(in_dir(name), O_CREAT | O_EXCL | O_RDWR, 0600));
}

static enum links links_at(const void *memory)
{
	struct proc_mapping mapping;

	assert_true(proc_mapping((uint32_t)getpid(), (uintptr_t)memory, &mapping));
	return memory_names_of((uint32_t)getpid(), &mapping, 1);
}

static void assert_links(void *memory, enum links links)
{
	assert_int_equal(links_at(memory), links);
	munmap(memory, BYTES);
}

static void named(void)
{
	void *memory = map_file("file");

	assert_int_equal(links_at(memory), LINKS_OF_ALL);
	assert_int_equal(rename(in_dir("file"), in_dir("other (deleted)")), 0);
	assert_int_equal(links_at(memory), LINKS_OF_ALL);
	assert_int_equal(unlink(in_dir("other (deleted)")), 0);
	close(open(in_dir("other (deleted)"), O_CREAT | O_RDWR, 0600));
	assert_links(memory, LINKS_NONE);
	assert_int_equal(unlink(in_dir("other (deleted)")), 0);
}

static void linked(void)
{
	void *memory = map_file("file");

	assert_int_equal(link(in_dir("file"), in_dir("link")), 0);
	assert_int_equal(unlink(in_dir("file")), 0);
	assert_int_equal(links_at(memory), LINKS_OF_ALL);
	assert_int_equal(unlink(in_dir("link")), 0);
	assert_links(memory, LINKS_NONE);
}

static void made_by_multiprocessing(void)
{
	void *memory = map_file("sem.abc");

	assert_int_equal(link(in_dir("sem.abc"), in_dir("sem.mp-abc")), 0);
	assert_int_equal(unlink(in_dir("sem.abc")), 0);
	assert_int_equal(links_at(memory), LINKS_OF_JOB);
	assert_int_equal(unlink(in_dir("sem.mp-abc")), 0);
	assert_links(memory, LINKS_NONE);
}

static void never_named(void)
{
	int fd = open(dir, O_TMPFILE | O_RDWR, 0600);
	char path[32];
	void *memory;

	if (fd < 0 && errno == EOPNOTSUPP)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(linkat(AT_FDCWD, path, AT_FDCWD, in_dir("file"), AT_SYMLINK_FOLLOW), 0);
	memory = map(fd);
	assert_links(memory, LINKS_OF_ALL);
	assert_int_equal(unlink(in_dir("file")), 0);
}

static void a_file_has_a_name_until_it_is_removed(void **state)
{
	(void)state;
	each(named);
}

static void a_second_link_is_a_name(void **state)
{
	(void)state;
	each(linked);
}

static void semaphores_of_multiprocessing_are_the_jobs(void **state)
{
	(void)state;
	each(made_by_multiprocessing);
}

static void what_was_made_without_a_name_may_have_one(void **state)
{
	(void)state;
	each(never_named);
}

static void memory_without_a_file_has_no_name(void **state)
{
	(void)state;
	assert_links(map(memfd_create("links", MFD_CLOEXEC)), LINKS_NONE);
	assert_links(mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0),
		     LINKS_NONE);
}

static void a_removed_segment_is_the_jobs_that_sees_all_who_have_it(void **state)
{
	int id = shmget(IPC_PRIVATE, BYTES, 0600);
	void *memory = shmat(id, NULL, 0), *again;

	(void)state;
	assert_ptr_not_equal(memory, (void *)-1);
	assert_int_equal(links_at(memory), LINKS_OF_ALL);
	assert_int_equal(shmctl(id, IPC_RMID, NULL), 0);
	assert_int_equal(links_at(memory), LINKS_OF_JOB);
	again = shmat(id, NULL, 0);
	assert_int_equal(links_at(memory), LINKS_OF_ALL);
	shmdt(again);
	shmdt(memory);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		cmocka_unit_test(a_file_has_a_name_until_it_is_removed),
		cmocka_unit_test(a_second_link_is_a_name),
		cmocka_unit_test(semaphores_of_multiprocessing_are_the_jobs),
		cmocka_unit_test(what_was_made_without_a_name_may_have_one),
		cmocka_unit_test(memory_without_a_file_has_no_name),
		cmocka_unit_test(a_removed_segment_is_the_jobs_that_sees_all_who_have_it),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
