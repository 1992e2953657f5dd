/* SPDX-License-Identifier: Apache-2.0 */
/* Where something stands in for /proc, locks on files and connections are read there, and not this machine's. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "proc/file_locks.h"
#include "proc/procfs.h"
#include "proc/tcp_peers.h"
#include "proc/timers.h"

static const char *locks, *connections;
static int without_timer; /* readings of the list that leave a timer out */

#define NO_TIMER "Timer List Version: v0.9\n"
#define TIMER                                                      \
	NO_TIMER " #0: <0000000000000000>, posix_timer_fn, S:01\n" \
		 " # expires at 100-100 nsecs [in 50 to 50 nsecs]\n"

static int open_text(const char *name)
{
	const char *text = !strcmp(name, "locks")	 ? locks :
			   !strcmp(name, "self/net/tcp") ? connections :
			   !strcmp(name, "timer_list") ? (without_timer-- > 0 ? NO_TIMER : TIMER) :
							 NULL;
	int fd = text ? memfd_create("text", MFD_CLOEXEC) : -1;

	if (fd >= 0 && (write(fd, text, strlen(text)) < 0 || lseek(fd, 0, SEEK_SET)))
		abort();
	return fd;
}

static int begin(void **state)
{
	static const struct procfs_source source = {.open = open_text};

	(void)state;
	locks = connections = NULL;
	procfs_use(&source);
	return 0;
}

static int end(void **state)
{
	(void)state;
	procfs_use(NULL);
	return 0;
}

static void a_lock_is_looked_for_there(void **state)
{
	const struct proc_call call = {.number = SYS_fcntl, .arg = {3, F_SETLKW}},
			       of_file = {.number = SYS_fcntl, .arg = {3, F_OFD_SETLKW}};
	struct file_lock lock;

	(void)state;
	assert_false(file_lock_awaited(17, &call, 5, &lock));
	locks = "1: POSIX  ADVISORY  WRITE 16 08:02:5 0 EOF\n"
		"1: -> POSIX  ADVISORY  WRITE 17 08:02:5 0 EOF\n";
	assert_true(file_lock_awaited(17, &call, 5, &lock));
	assert_int_equal(lock.pid, 16);
	assert_true(lock.of_process);
	assert_false(file_lock_awaited(16, &call, 5, &lock));
	assert_false(file_lock_awaited(17, &of_file, 5, &lock));
	locks = "1: OFDLCK ADVISORY  WRITE -1 08:02:5 0 3\n"
		"1: -> OFDLCK ADVISORY  WRITE -1 08:02:5 0 3\n";
	assert_true(file_lock_awaited(17, &of_file, 5, &lock));
	assert_false(lock.of_process || lock.pid);
	assert_false(file_lock_awaited(17, &call, 5, &lock));
}

static void a_lock_that_is_held_is_found(void **state)
{
	struct file_lock lock;

	(void)state;
	locks = "1: FLOCK  ADVISORY  WRITE 16 08:02:5 0 EOF\n"
		"1: -> FLOCK  ADVISORY  WRITE 17 08:02:5 0 EOF\n"
		"2: POSIX  ADVISORY  READ 18 08:02:6 0 EOF\n"
		"3: POSIX  ADVISORY  READ 19 08:02:6 1 EOF\n";
	assert_true(file_lock_held(5, &lock));
	assert_true(lock.pid == 16 && !lock.of_process);
	assert_true(file_lock_held(5 | 1ull << 48, &lock));
	assert_false(file_lock_held(6, &lock)); /* two have parts of it */
	assert_false(file_lock_held(7, &lock));
}

static void so_is_a_connection(void **state)
{
	uint64_t peer = 0;

	(void)state;
	tcp_peers_forget();
	assert_int_equal(tcp_reach(71, 0, &peer), TCP_NONE);
	connections =
		"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt\n"
		" 0: 0100007F:1F90 0100007F:1F91 01 00000000:00000000 00:00000000 00000000 0 0 71\n"
		" 1: 0100007F:1F91 0100007F:1F90 01 00000000:00000000 00:00000000 00000000 0 0 72\n";
	tcp_peers_forget();
	assert_int_equal(tcp_reach(71, 0, &peer), TCP_HERE);
	assert_int_equal(peer, 72);
}

/* An end that nobody has accepted is its listener's, if there is only one of that port. */
static void a_listener_has_a_queue(void **state)
{
	uint64_t peer;

	(void)state;
	connections =
		"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt\n"
		" 0: 00000000:1F90 00000000:0000 0A 00000000:00000001 00:00000000 00000000 0 0 70\n"
		" 1: 0100007F:1F91 0100007F:1F90 01 00000000:00000000 00:00000000 00000000 0 0 71\n"
		" 2: 0100007F:1F90 0100007F:1F91 01 00000000:00000005 00:00000000 00000000 0 0 0\n"
		" 3: 0100007F:1F92 00000000:0000 0A 00000000:00000001 00:00000000 00000000 0 0 73\n"
		" 4: 0100007F:1F92 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 74\n"
		" 5: 0100007F:1F93 0100007F:1F92 01 00000000:00000000 00:00000000 00000000 0 0 75\n"
		" 6: 0100007F:1F92 0100007F:1F93 01 00000000:00000005 00:00000000 00000000 0 0 0\n";
	tcp_peers_forget();
	assert_int_equal(tcp_peer(71, 0), 70);
	assert_true(tcp_listens(70));
	assert_false(tcp_listens(71));
	assert_int_equal(tcp_reach(73, 0, &peer), TCP_NONE); /* although of one address */
	assert_int_equal(tcp_peer(75, 0), 0);
}

/* A writer waits for the reader of what the other end has received. */
static void a_writer_waits_for_a_reader(void **state)
{
	(void)state;
	connections =
		"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt\n"
		" 0: 0100007F:1F90 0100007F:1F91 01 00000100:00000000 00:00000000 00000000 0 0 71\n"
		" 1: 0100007F:1F91 0100007F:1F90 01 00000000:00000100 00:00000000 00000000 0 0 72\n"
		" 2: 0100007F:1F92 0100007F:1F93 01 00000100:00000000 00:00000000 00000000 0 0 73\n"
		" 3: 0100007F:1F93 0100007F:1F92 01 00000000:00000000 00:00000000 00000000 0 0 74\n";
	tcp_peers_forget();
	assert_int_equal(tcp_reader(71, 0), 72);
	assert_int_equal(tcp_reader(72, 0), 0);
	assert_int_equal(tcp_reader(73, 0), 0);
	assert_int_equal(tcp_peer(71, 0), 0);
}

/* The kernel leaves one out of its list when another one rings meanwhile. */
static void a_timer_is_looked_for_again(void **state)
{
	(void)state;
	without_timer = 0;
	assert_false(posix_timers_rest());
	without_timer = 2;
	assert_false(posix_timers_rest());
	without_timer = 1000;
	assert_true(posix_timers_rest());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_lock_is_looked_for_there, begin, end),
		cmocka_unit_test_setup_teardown(a_lock_that_is_held_is_found, begin, end),
		cmocka_unit_test_setup_teardown(so_is_a_connection, begin, end),
		cmocka_unit_test_setup_teardown(a_listener_has_a_queue, begin, end),
		cmocka_unit_test_setup_teardown(a_writer_waits_for_a_reader, begin, end),
		cmocka_unit_test_setup_teardown(a_timer_is_looked_for_again, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
