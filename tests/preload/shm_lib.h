/* Shared memory as PyTorch makes it, for programs in C: a random name that is gone at once. Include lib.h first. */
#ifndef MPSAN_TESTS_PRELOAD_SHM_LIB_H
#define MPSAN_TESTS_PRELOAD_SHM_LIB_H

#include <fcntl.h>
#include <sys/socket.h>

/* Makes and maps it; `fd` may be NULL. `keep`: the name stays. */
static inline void *tensor_make(char name[64], size_t bytes, int *fd, bool keep)
{
	static int count;
	void *memory;
	int made;

	snprintf(name, 64, "/torch_%d_mpsan_%d", (int)getpid(), count++);
	shm_unlink(name);
	made = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
	must(made >= 0);
	must(ftruncate(made, (off_t)bytes) == 0);
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, made, 0);
	must(memory != MAP_FAILED);
	if (!keep)
		must(shm_unlink(name) == 0);
	if (fd)
		*fd = made;
	else
		must(close(made) == 0);
	return memory;
}

static inline void descriptor_send(int over, int fd)
{
	char room[CMSG_SPACE(sizeof(int))] = {0}, byte = 1;
	struct iovec data = {&byte, 1};
	struct msghdr message = {.msg_iov = &data,
				 .msg_iovlen = 1,
				 .msg_control = room,
				 .msg_controllen = sizeof(room)};
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);

	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	must(sendmsg(over, &message, 0) == 1);
}

static inline int descriptor_receive(int over)
{
	char room[CMSG_SPACE(sizeof(int))] = {0}, byte;
	struct iovec data = {&byte, 1};
	struct msghdr message = {.msg_iov = &data,
				 .msg_iovlen = 1,
				 .msg_control = room,
				 .msg_controllen = sizeof(room)};
	int fd = -1;

	must(recvmsg(over, &message, MSG_CMSG_CLOEXEC) == 1);
	must(CMSG_FIRSTHDR(&message) != NULL);
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
	return fd;
}

#endif
