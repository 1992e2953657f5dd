/*
 * The same as errnos.c for what reads, writes and moves, for signal actions, and for memory that is left out of forks:
 * in a process that has forked, and in its child, where each of these calls may have something to state.
 */
// link: -Lbuild/tests/preload/lib -l:ibverbs.so -Wl,-rpath,$ORIGIN/../preload/lib
#include "../preload/tcp_pair.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "calls.h"

#if defined(__aarch64__) /* there for old binaries alone */
__asm__(".symver __send, __send@GLIBC_2.17");
#endif

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

int __sigaction(int number, const struct sigaction *new, struct sigaction *old);
void (*bsd_signal(int number, void (*handler)(int)))(int);
ssize_t __read(int fd, void *to, size_t bytes);
ssize_t __write(int fd, const void *data, size_t bytes);
ssize_t __send(int fd, const void *data, size_t bytes, int flags);
ssize_t __read_chk(int fd, void *to, size_t bytes, size_t room);
ssize_t __recv_chk(int fd, void *to, size_t bytes, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *to, size_t bytes, size_t room, int flags,
		       struct sockaddr *from, socklen_t *length);
void *ibv_reg_mr(void *domain, void *address, size_t bytes, int access);
int ibv_fork_init(void);

static int file, full, connection, server;
static char large[65536], *page;
static void *volatile nowhere = (void *)16;

static void call_with(int fd)
{
	struct iovec piece = {large, 4};

	CALL(lseek, lseek(fd, 1, SEEK_SET));
	CALL(lseek64, lseek64(fd, 2, SEEK_SET));
	CALL(lseek, lseek(fd, 0, SEEK_CUR));
	CALL(lseek, lseek(fd, 0, 77));
	CALL(write, write(fd, large, 8));
	CALL(__write, __write(fd, large, 8));
	CALL(writev, writev(fd, &piece, 1));
	CALL(lseek, lseek(fd, 0, SEEK_SET));
	CALL(read, read(fd, large, 2));
	CALL(__read, __read(fd, large, 2));
	CALL(__read_chk, __read_chk(fd, large, 2, sizeof(large)));
	CALL(readv, readv(fd, &piece, 1));
	CALL(read, read(fd, nowhere, 2));
	CALL(write, write(fd, nowhere, 40000));
	CALL(write, write(fd, large, 0));
}

static void call_with_socket(int fd)
{
	CALL(send, send(fd, large, 8, MSG_NOSIGNAL));
	CALL(__send, __send(fd, large, 8, MSG_NOSIGNAL));
	CALL(sendto, sendto(fd, large, 8, MSG_NOSIGNAL, NULL, 0));
	CALL(recv, recv(fd, large, 2, MSG_DONTWAIT | MSG_PEEK));
	CALL(recv, recv(fd, large, 2, MSG_DONTWAIT));
	CALL(__recv_chk, __recv_chk(fd, large, 2, sizeof(large), MSG_DONTWAIT));
	CALL(recvfrom, recvfrom(fd, large, 2, MSG_DONTWAIT, NULL, NULL));
	CALL(__recvfrom_chk, __recvfrom_chk(fd, large, 2, sizeof(large), MSG_DONTWAIT, NULL, NULL));
}

static void call_streams(void)
{
	static const int none = -1;

	call_with(file);
	call_with(none);
	call_with(70000);
	call_with(full);
	call_with_socket(connection);
	call_with_socket(none);
	call_with_socket(file);
	CALL(fflush, fflush(NULL));
	CALL(fflush_unlocked, fflush_unlocked(stdin));
	CALL(fclose, fclose(fopen("/dev/null", "w")));
}

static void on_signal(int number)
{
	(void)number;
}

static void call_signals(int number)
{
	struct sigaction mine = {.sa_handler = on_signal}, old;

	CALL(sigaction, sigaction(number, &mine, &old));
	CALL(__sigaction, __sigaction(number, NULL, &old));
	CALL(signal, signal(number, SIG_DFL) == on_signal);
	CALL(ssignal, ssignal(number, on_signal) == SIG_DFL);
	CALL(bsd_signal, bsd_signal(number, SIG_DFL) == on_signal);
	CALL(sysv_signal, sysv_signal(number, on_signal) == SIG_DFL);
	CALL(__sysv_signal, __sysv_signal(number, SIG_DFL) == on_signal);
	CALL(sigset, sigset(number, on_signal) == SIG_DFL);
	CALL(siginterrupt, siginterrupt(number, 1));
	CALL(signal, signal(number, SIG_DFL) == on_signal);
	CALL(signal, signal(-1, SIG_DFL));
	CALL(siginterrupt, siginterrupt(-1, 1));
}

static void call_memory(void)
{
	CALL(madvise, madvise(page, 4096, MADV_NORMAL));
	CALL(madvise, madvise(page, 4096, MADV_DONTFORK));
	CALL(madvise, madvise(page + 1, 4096, MADV_DONTFORK));
	CALL(madvise, madvise(page, 4096, MADV_DOFORK));
	CALL(ibv_fork_init, ibv_fork_init());
	CALL(ibv_reg_mr, ibv_reg_mr(NULL, page, 4096, 0) == page);
	must(madvise(page, 4096, MADV_DONTFORK) == 0);
}

static void call_all(void)
{
	call_streams();
	call_signals(SIGSEGV);
	call_signals(SIGBUS);
}

int main(void)
{
	char name[] = "/tmp/mpsan-errnos-XXXXXX";

	file = mkstemp(name);
	full = open("/dev/full", O_RDWR);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(file >= 0 && full >= 0 && unlink(name) == 0 && page != MAP_FAILED);
	must(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memfd_create("errnos", 0), 0) !=
	     MAP_FAILED);
	tcp_pair(&connection, &server);
	call_memory();
	call_all();
	must(child_run(call_all) == 0);
	call_all();
	return 0;
}
