/*
 * The same as errnos.c for functions on descriptors and shared memory: with segments, with plain files, and with
 * arguments that the kernel refuses to read.
 */
#include "../preload/lib.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "calls.h"

#define NOWHERE ((void *)8)
#define HERE "/dev/shm/mpsan-errnos-%d"

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int at, const char *path, int flags);
int __openat64_2(int at, const char *path, int flags);

static char path[64], plain[] = "/tmp/mpsan-errnos-XXXXXX";
static int fds[2];

/* A new descriptor is worth no line of its own: it is closed, and 0 stands for it. */
static long shut(int fd)
{
	int error = errno;

	if (fd > 2)
		syscall(SYS_close, fd);
	errno = error;
	return fd < 0 ? fd : 0;
}

static long shut_file(FILE *file)
{
	int error = errno;

	if (file)
		fclose(file);
	errno = error;
	return file ? 0 : -1;
}

static long gone(void *memory)
{
	return memory == MAP_FAILED ? -1 : 0;
}

static void call_open(const char *file, int flags)
{
	CALL(open, shut(open(file, flags, 0600)));
	CALL(open64, shut(open64(file, flags, 0600)));
	CALL(openat, shut(openat(AT_FDCWD, file, flags, 0600)));
	CALL(openat64, shut(openat64(AT_FDCWD, file, flags, 0600)));
}

static void call_opens(const char *file)
{
	call_open(file, O_RDWR | O_CREAT | O_EXCL);
	call_open(file, O_RDWR | O_CREAT);
	call_open(file, O_RDONLY);
	CALL(__open_2, shut(__open_2(file, O_RDONLY)));
	CALL(__open64_2, shut(__open64_2(file, O_RDONLY)));
	CALL(__openat_2, shut(__openat_2(AT_FDCWD, file, O_RDONLY)));
	CALL(__openat64_2, shut(__openat64_2(AT_FDCWD, file, O_RDONLY)));
	CALL(creat, shut(creat(file, 0600)));
	CALL(unlink, unlink(file));
	CALL(unlink, unlink(file));
	CALL(fopen, file == NOWHERE ? 0 : shut_file(fopen(file, "w")));
	CALL(fopen64, file == NOWHERE ? 0 : shut_file(fopen64(file, "r")));
	CALL(unlinkat, unlinkat(AT_FDCWD, file, 0));
	CALL(unlinkat, unlinkat(AT_FDCWD, file, 0));
	CALL(remove, remove(file));
}

static void call_temporary(const char *template)
{
	char name[64];

#define TEMPORARY(call)                    \
	do {                               \
		strcpy(name, template);    \
		CALL(mkstemp, shut(call)); \
		unlink(name);              \
	} while (0)
	TEMPORARY(mkstemp(name));
	TEMPORARY(mkstemp64(name));
	TEMPORARY(mkostemp(name, O_CLOEXEC));
	TEMPORARY(mkostemp64(name, O_CLOEXEC));
	CALL(mkstemp64, 0);
	CALL(mkostemp, 0);
	CALL(mkostemp64, 0);
}

static void call_shared(void)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "/mpsan-errnos-%d", (int)getpid());
	CALL(shm_open, shut(shm_open(name, O_RDWR, 0)));
	CALL(shm_open, shut(shm_open("/with/slashes", O_RDWR | O_CREAT, 0600)));
	CALL(shm_open, shut(shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600)));
	CALL(shm_open, shut(shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600)));
	CALL(shm_open, fd = shm_open(name, O_RDWR, 0));
	CALL(shm_unlink, shm_unlink(name));
	CALL(shm_unlink, shm_unlink(name));
	close(fd);
	CALL(memfd_create, shut(memfd_create("errnos", 0)));
	CALL(memfd_create, shut(memfd_create("errnos", ~0u)));
}

static void call_memory(int fd)
{
	void *memory;

	CALL(ftruncate, ftruncate(fd, 8192));
	CALL(ftruncate, ftruncate(fd, -1));
	CALL(ftruncate64, ftruncate64(fd, 8192));
	CALL(fallocate, fallocate(fd, 0, 0, 8192));
	CALL(fallocate, fallocate(fd, 0, 0, 0));
	CALL(fallocate64, fallocate64(fd, 0, 0, 8192));
	CALL(posix_fallocate, posix_fallocate(fd, 0, 8192));
	CALL(posix_fallocate, posix_fallocate(fd, 0, 0));
	CALL(posix_fallocate64, posix_fallocate64(fd, 0, 8192));
	CALL(mmap, gone(memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)));
	CALL(mremap, gone(memory = mremap(memory, 8192, 4096, MREMAP_MAYMOVE)));
	CALL(mremap, gone(mremap(memory, 4096, 8192, ~0)));
	CALL(munmap, munmap(memory, 4096));
	CALL(munmap, munmap((char *)memory + 1, 4096));
	CALL(mmap64, gone(memory = mmap64(NULL, 8192, PROT_READ, MAP_SHARED, fd, 0)));
	CALL(munmap, munmap((char *)memory + 4096, 4096));
	CALL(munmap, munmap(memory, 4096));
	CALL(mmap, gone(mmap(NULL, 0, PROT_READ, MAP_SHARED, fd, 0)));
	CALL(mmap64, gone(mmap64(NULL, 4096, PROT_READ, MAP_SHARED, -1, 0)));
	CALL(munmap, munmap(NOWHERE, 0));
}

static void call_copies(int fd)
{
	CALL(dup, shut(dup(fd)));
	CALL(dup, shut(dup(-1)));
	CALL(dup2, shut(dup2(fd, 200)));
	CALL(dup2, shut(dup2(-1, 200)));
	CALL(dup3, shut(dup3(fd, 200, O_CLOEXEC)));
	CALL(dup3, shut(dup3(fd, fd, 0)));
	CALL(fcntl, shut(fcntl(fd, F_DUPFD, 100)));
	CALL(fcntl, fcntl(fd, F_GETFD) == -1);
	CALL(fcntl, fcntl(fd, -1));
	CALL(fcntl64, shut(fcntl64(fd, F_DUPFD_CLOEXEC, 100)));
	CALL(fcntl64, shut(fcntl64(-1, F_DUPFD_CLOEXEC, 100)));
	CALL(fcntl, fcntl(-1, F_SETLK, NULL));
	CALL(flock, flock(-1, LOCK_EX | LOCK_NB));
	CALL(flock, flock(fd, LOCK_EX | LOCK_NB));
	CALL(lockf, lockf(-1, F_TLOCK, 0));
	CALL(lockf64, lockf64(fd, F_TLOCK, 0));
	CALL(close, close(dup(fd)));
	CALL(close, close(-1));
	CALL(close_range, close_range(300, 400, 0));
	CALL(close_range, close_range(400, 300, 0));
	VOID_CALL(closefrom, closefrom(300));
}

/* One byte, and a descriptor with it. */
static struct msghdr message_of(int fd)
{
	static char byte, control[CMSG_SPACE(sizeof(int))];
	static struct iovec piece = {&byte, 1};
	struct msghdr message = {.msg_iov = &piece,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof(control)};
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);

	*head = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(fd)),
				 .cmsg_level = SOL_SOCKET,
				 .cmsg_type = SCM_RIGHTS};
	memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	return message;
}

static void call_messages(int fd)
{
	struct msghdr message = message_of(fd);
	struct mmsghdr several[2] = {{message, 0}, {message, 0}};

	CALL(sendmsg, sendmsg(fds[0], &message, 0));
	CALL(recvmsg, recvmsg(fds[1], &message, 0));
	CALL(recvmsg, recvmsg(fds[1], &message, MSG_DONTWAIT));
	several[0].msg_hdr = several[1].msg_hdr = message_of(fd);
	CALL(sendmmsg, sendmmsg(fds[0], several, 2, 0));
	CALL(recvmmsg, recvmmsg(fds[1], several, 1, MSG_DONTWAIT, NULL));
	several[0].msg_hdr = message_of(fd);
	CALL(recvmmsg, recvmmsg(fds[1], several, 2, MSG_DONTWAIT, NULL));
	CALL(recvmmsg, recvmmsg(fds[1], several, 2, MSG_DONTWAIT, NULL));
	message = message_of(-1);
	CALL(sendmsg, sendmsg(fds[0], &message, 0));
	memset(message.msg_control, 0xff, message.msg_controllen);
	CALL(sendmsg, sendmsg(fds[0], &message, 0));
	message.msg_controllen = SIZE_MAX;
	CALL(sendmsg, sendmsg(fds[0], &message, 0));
	CALL(sendmsg, sendmsg(-1, &message, 0));
	CALL(sendmmsg, sendmmsg(-1, several, 1, 0));
	CALL(sendmsg, sendmsg(fds[0], NOWHERE, 0));
	CALL(recvmsg, recvmsg(fds[0], NOWHERE, 0));
}

static void call_sockets(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int listener;

	snprintf(address.sun_path, sizeof(address.sun_path), "/tmp/listener-mpsan-%d",
		 (int)getpid());
	CALL(socket, shut(socket(AF_UNIX, SOCK_STREAM, 0)));
	CALL(socket, shut(socket(-1, SOCK_STREAM, 0)));
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	CALL(connect, connect(listener, (struct sockaddr *)&address, sizeof(address)));
	CALL(connect, connect(listener, NOWHERE, sizeof(address)));
	CALL(bind, bind(listener, (struct sockaddr *)&address, sizeof(address)));
	CALL(bind, bind(listener, NOWHERE, sizeof(address)));
	must(listen(listener, 4) == 0);
	CALL(accept, shut(accept(listener, NULL, NULL)));
	CALL(accept4, shut(accept4(listener, NULL, NULL, 0)));
	for (int i = 0; i < 2; i++) {
		int caller = socket(AF_UNIX, SOCK_STREAM, 0);

		CALL(connect, connect(caller, (struct sockaddr *)&address, sizeof(address)));
		CALL(accept,
		     shut(i ? accept(listener, NULL, NULL) : accept4(listener, NULL, NULL, 0)));
		close(caller);
	}
	unlink(address.sun_path);
}

int main(void)
{
	int shared = memfd_create("errnos", 0), file = mkstemp(plain);

	must(shared >= 0 && file >= 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
	unlink(plain);
	snprintf(path, sizeof(path), HERE, (int)getpid());
	call_opens(path);
	call_opens("/tmp/no such place/file");
	call_opens(NOWHERE);
	call_open(NULL, O_RDONLY);
	call_temporary("/dev/shm/mpsan-errnos-XXXXXX");
	call_temporary("/tmp/no such place/XXXXXX");
	call_shared();
	for (int turn = 0; turn < 3; turn++) {
		int fd = turn == 0 ? shared : turn == 1 ? file : -1;

		call_memory(fd);
		call_copies(fd);
		if (fd >= 0)
			call_messages(fd);
	}
	call_sockets();
	return 0;
}
