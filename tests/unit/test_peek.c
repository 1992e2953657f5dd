/*
 * Memory that may not be mapped, read in every way that the library has: all tell the same. Neighbour:
 * shim/intercept/peek.c.
 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../shim/intercept/peek.c"

struct sys_image sys_image;
bool sys_threaded;
static long forbidden;
static unsigned calls;

long sys_call(long number, long a, long b, long c, long d, long e, long f)
{
	long result;

	calls++;
	if (!sys_may(number))
		return -ENOSYS;
	result = syscall(number, a, b, c, d, e, f);
	return result < 0 ? -errno : result;
}

bool sys_may(long number)
{
	return number != forbidden;
}

uint32_t sys_pid(void)
{
	return (uint32_t)getpid();
}

uint32_t sys_tid(void)
{
	return (uint32_t)gettid();
}

/* Two pages that can be read, and one that cannot: protected, unmapped, or behind the end of its file. */
static char *border[3];

static char *map(int protection, int flags, int fd)
{
	char *at = mmap(NULL, 3 * PAGE, protection, flags, fd, 0);

	assert_ptr_not_equal(at, MAP_FAILED);
	for (unsigned i = 0; i < 2 * PAGE; i++)
		at[i] = (char)(i * 7 + i / PAGE);
	return at;
}

static int begin(void **state)
{
	int fd = memfd_create("border", 0);

	(void)state;
	assert_int_equal(ftruncate(fd, 2 * PAGE), 0);
	border[0] = map(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	assert_int_equal(mprotect(border[0] + 2 * PAGE, PAGE, PROT_NONE), 0);
	border[1] = map(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	assert_int_equal(munmap(border[1] + 2 * PAGE, PAGE), 0);
	border[2] = map(PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	close(fd);
	return 0;
}

typedef long peek_function(void *to, const void *from, size_t bytes);

/* `first`: /proc/self/mem shows protected memory, too. */
static void read_all(peek_function *peek, unsigned first)
{
	static char to[3 * PAGE];

	for (unsigned i = first; i < 3; i++) {
		char *end = border[i] + 2 * PAGE;

		assert_int_equal(peek(to, border[i] + 1, 2 * PAGE - 1), 2 * PAGE - 1);
		assert_memory_equal(to, border[i] + 1, 2 * PAGE - 1);
		assert_int_equal(peek(to, end - 3, 3), 3);
		assert_memory_equal(to, end - 3, 3);
		assert_int_equal(peek(to, end - 3, 4), 3);
		assert_int_equal(peek(to, end, 1), -EFAULT);
		assert_int_equal(peek(to, end + PAGE - 8, 8), -EFAULT);
	}
	for (uint64_t at = 0; at < 24; at++)
		assert_int_equal(peek(to, (const void *)at, 8), -EFAULT);
	assert_true(peek(to, (const void *)-(uint64_t)PAGE, 8) < 0);
	assert_true(peek(to, (const void *)0x8000000000000000, 8) < 0);
}

/* Where the kernel does not say what can be read, as under a filter, it copies; a process finds that out once. */
static void test_without_probe(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (!pid) {
		forbidden = SYS_rt_sigprocmask;
		read_all(sys_peek_own, 0);
		read_all(sys_peek, 0);
		_exit(calls > 40 ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void test_threaded(void **state)
{
	(void)state;
	sys_threaded = true;
	calls = 0;
	read_all(sys_peek, 0);
	assert_true(calls > 40); /* the kernel copies */
	sys_snapshot_begin();
	read_all(sys_peek, 0);
	sys_snapshot_end();
	forbidden = SYS_process_vm_readv;
	read_all(sys_peek, 1);
	forbidden = 0;
}

static void test_own(void **state)
{
	(void)state;
	calls = 0;
	read_all(sys_peek_own, 0);
	sys_threaded = false;
	read_all(sys_peek, 0);
	assert_int_equal(calls, 0); /* it only says what can be read */
	sys_threaded = true;
}

/* Several pieces: up to the first byte that cannot be read. */
static void read_pieces(void)
{
	char to[12];
	char *end = border[0] + 2 * PAGE;
	struct iovec whole[] = {{to, 4}, {to + 4, 8}}, at[] = {{border[1], 4}, {border[2], 8}},
		     bad[] = {{border[1], 4}, {end - 2, 8}};

	assert_int_equal(sys_peek_many(whole, at, 2), 12);
	assert_memory_equal(to, border[1], 4);
	assert_memory_equal(to + 4, border[2], 8);
	assert_int_equal(sys_peek_many(whole, bad, 2), 6);
	bad[0].iov_base = end;
	assert_int_equal(sys_peek_many(whole, bad, 2), -EFAULT);
}

static void test_pieces(void **state)
{
	(void)state;
	read_pieces();
	sys_threaded = false;
	read_pieces();
	sys_threaded = true;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_probe),
		cmocka_unit_test(test_threaded),
		cmocka_unit_test(test_own),
		cmocka_unit_test(test_pieces),
	};

	(void)argc, (void)argv;
	return cmocka_run_group_tests(tests, begin, NULL);
}
