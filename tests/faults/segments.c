/*
 * What becomes of shared memory, one scene for each word: `segments WORD [COUNT]`. test_segments.py says which events
 * each must leave.
 */
#include "../preload/lib.h"

#include <fcntl.h>
#include <semaphore.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#define BYTES 12288

static char name[64], path[80];
static int many;

static int made(void)
{
	int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);

	must(fd >= 0 && ftruncate(fd, BYTES) == 0);
	return fd;
}

static char *mapped(int fd)
{
	char *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	must(memory != MAP_FAILED);
	memory[0] = 1;
	return memory;
}

static void join(pid_t child)
{
	int status;

	must(waitpid(child, &status, 0) == child && status == 0);
}

static void scene_life(void)
{
	int fd = made(), copy = dup(fd);
	char *memory = mapped(copy);

	close(fd);
	must(munmap(memory, BYTES) == 0 && shm_unlink(name) == 0);
	close(copy);
}

static void scene_parts(void)
{
	char *memory = mapped(made());

	must(munmap(memory + 4096, 4096) == 0);
	must(munmap(memory, 4096) == 0 && munmap(memory + 8192, 4096) == 0);
	shm_unlink(name);
}

static void scene_moved(void)
{
	int fd = made();
	char *memory = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

	memory = mremap(memory, 4096, BYTES, MREMAP_MAYMOVE);
	must(memory != MAP_FAILED);
	shm_unlink(name);
}

/* What a forked child does to what it inherited is nothing that its parent did. */
static void scene_fork(void)
{
	int fd = made();
	char *memory = mapped(fd), *other = mapped(fd);
	pid_t child = fork();

	if (child == 0) {
		must(munmap(memory, BYTES) == 0 && munmap(other, BYTES) == 0);
		close(fd);
		must(shm_unlink(name) == 0);
		_exit(0);
	}
	join(child);
	must(memory[0] == 1 && other[0] == 1);
}

/* Its child shares the memory of this process, and the tables in it, but not its descriptors. */
static void scene_vfork(void)
{
	int fd = made();
	pid_t child = vfork();

	if (child == 0) {
		close(fd);
		dup2(2, fd);
		open("/dev/null", O_RDONLY);
		_exit(0);
	}
	join(child);
	munmap(mapped(fd), BYTES);
	shm_unlink(name);
}

static void send_fd(int over, int fd)
{
	char byte = 0, control[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec piece = {&byte, 1};
	struct msghdr message = {.msg_iov = &piece,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof(control)};
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);

	*head = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(fd)),
				 .cmsg_level = SOL_SOCKET,
				 .cmsg_type = SCM_RIGHTS};
	memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	must(sendmsg(over, &message, 0) == 1);
}

/* -1: nothing came, or it found no room. */
static int receive_fd(int over, size_t room)
{
	char byte, control[CMSG_SPACE(sizeof(int))];
	struct iovec piece = {&byte, 1};
	struct msghdr message = {
		.msg_iov = &piece, .msg_iovlen = 1, .msg_control = control, .msg_controllen = room};
	struct cmsghdr *head;
	int fd = -1;

	if (recvmsg(over, &message, 0) == 1 && (head = CMSG_FIRSTHDR(&message)) &&
	    !(message.msg_flags & MSG_CTRUNC))
		memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	return fd;
}

static void scene_sent(void)
{
	int over[2], fd;
	pid_t child;

	must(socketpair(AF_UNIX, SOCK_STREAM, 0, over) == 0);
	child = fork();
	if (child == 0) {
		fd = receive_fd(over[1], CMSG_SPACE(sizeof(int)));
		must(mapped(fd)[1] == 2);
		_exit(0);
	}
	fd = made();
	mapped(fd)[1] = 2;
	shm_unlink(name);
	send_fd(over[0], fd);
	join(child);
}

static void scene_exec(void)
{
	char number[16];
	int fd = made();
	pid_t child;

	fcntl(fd, F_SETFD, 0);
	snprintf(number, sizeof(number), "%d", fd);
	child = fork();
	if (child == 0) {
		execl("/proc/self/exe", "segments", "mapped", number, NULL);
		_exit(3);
	}
	join(child);
	shm_unlink(name);
}

/* Nothing of this is a segment. */
static void scene_others(void)
{
	char file[] = "/tmp/mpsan-segments-XXXXXX";
	int fd = mkstemp(file);
	sem_t *semaphore = sem_open(name, O_CREAT | O_EXCL, 0600, 1);

	must(fd >= 0 && ftruncate(fd, BYTES) == 0 && semaphore != SEM_FAILED);
	munmap(mapped(fd), BYTES);
	must(mmap(NULL, BYTES, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
	must(mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE, fd, 0) != MAP_FAILED);
	unlink(file);
	sem_unlink(name);
}

static void scene_files(void)
{
	char template[] = "/dev/shm/mpsan-segments-XXXXXX";
	FILE *stream = fopen(path, "w");
	int fd = mkstemp(template);

	must(stream && fd >= 0);
	fclose(stream);
	unlink(template);
	close(fd);
	must(open(path, O_RDONLY) >= 0);
	unlink(path);
}

static void scene_limit(void)
{
	struct rlimit few = {40, 40};
	int fd = made();

	must(setrlimit(RLIMIT_NOFILE, &few) == 0);
	while (dup(fd) >= 0)
		must(memfd_create("segments", 0) >= 0 || errno == EMFILE);
	must(errno == EMFILE);
	shm_unlink(name);
}

static void scene_cut(void)
{
	int over[2], fd = made();

	must(socketpair(AF_UNIX, SOCK_STREAM, 0, over) == 0);
	send_fd(over[0], fd);
	must(receive_fd(over[1], CMSG_LEN(0)) == -1);
	shm_unlink(name);
}

static void scene_missing(void)
{
	for (int i = 0; i < 40; i++)
		must(shm_open(name, O_RDWR, 0) < 0 && open(path, O_RDWR) < 0);
}

/* As multiprocessing's resource sharer does: an address, and copies that wait to be fetched. */
static struct sockaddr_un address = {.sun_family = AF_UNIX};

static int listener(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	must(bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(fd, 4) == 0);
	return fd;
}

static int caller(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	return connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 ? fd : -1;
}

static void scene_kept(void)
{
	int fd = made(), over = listener(), other = memfd_create("kept", 0), peer, copy;

	must(ftruncate(other, BYTES) == 0);
	must(fcntl(fd, F_DUPFD_CLOEXEC, 0) >= 0 && fcntl(fd, F_DUPFD_CLOEXEC, 0) >= 0);
	close(fd);
	/* Python's mmap module makes such a copy, and maps */
	must(fcntl(other, F_DUPFD_CLOEXEC, 0) >= 0);
	mapped(other);
	copy = fcntl(other, F_DUPFD_CLOEXEC, 0);
	peer = caller();
	send_fd(accept(over, NULL, NULL), copy);
	close(copy);
	must(receive_fd(peer, CMSG_SPACE(sizeof(int))) >= 0);
	if (fork() == 0)
		_exit(0); /* what its parent keeps is not its own */
	wait(NULL);
	unlink(address.sun_path);
	shm_unlink(name);
}

static void scene_refused(void)
{
	int over, peer;

	must(caller() < 0);
	over = listener();
	peer = dup(caller());
	close(accept(over, NULL, NULL));
	must(receive_fd(peer, CMSG_SPACE(sizeof(int))) == -1);
	close(over);
	must(caller() < 0);
	unlink(address.sun_path);
}

static void scene_space(void)
{
	int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);

	must(ftruncate(fd, 64 << 20) == 0);
	must(fallocate(fd, 0, 0, 64 << 20) == -1 && errno == ENOSPC);
	shm_unlink(name);
}

#define THREADS 4
#define EACH 100

static void *make_many(void *argument)
{
	char mine[80];

	for (int i = 0; i < EACH; i++) {
		int fd;

		snprintf(mine, sizeof(mine), "%s-%d-%d", name, (int)(intptr_t)argument, i);
		fd = shm_open(mine, O_RDWR | O_CREAT | O_EXCL, 0600);
		must(fd >= 0 && ftruncate(fd, BYTES) == 0);
		munmap(mapped(fd), BYTES);
		shm_unlink(mine);
		close(fd);
	}
	return argument;
}

/* Threads that make and unmake at the same time, while this one copies the process. */
static void scene_storm(void)
{
	pthread_t thread[THREADS];

	for (intptr_t i = 0; i < THREADS; i++)
		must(pthread_create(&thread[i], NULL, make_many, (void *)i) == 0);
	for (int i = 0; i < 20; i++) {
		pid_t child = fork();

		if (child == 0)
			_exit(0);
		join(child);
	}
	for (int i = 0; i < THREADS; i++)
		must(pthread_join(thread[i], NULL) == 0);
}

/* More than its table holds, all of them removed by another process. */
static void scene_many(void)
{
	int over[2], number = 0;
	char mine[80];
	pid_t child;

	must(socketpair(AF_UNIX, SOCK_STREAM, 0, over) == 0);
	child = fork();
	while (child == 0 && read(over[1], mine, sizeof(mine)) == sizeof(mine))
		must(shm_unlink(mine) == 0 && write(over[1], "", 1) == 1);
	if (child == 0)
		_exit(0);
	for (; number < many; number++) {
		memset(mine, 0, sizeof(mine));
		snprintf(mine, sizeof(mine), "%s-%d", name, number);
		close(shm_open(mine, O_RDWR | O_CREAT | O_EXCL, 0600));
		if (number == many - 1)
			break;
		must(write(over[0], mine, sizeof(mine)) == sizeof(mine) &&
		     read(over[0], mine, 1) == 1);
	}
	shm_unlink(mine);
	shutdown(over[0], SHUT_RDWR);
	join(child);
}

/* As torch's queues: each is made, mapped, sent, unlinked; and mapped by who gets it. */
static void scene_flow(void)
{
	int over[2];
	char mine[80];
	pid_t child;

	must(socketpair(AF_UNIX, SOCK_STREAM, 0, over) == 0);
	child = fork();
	for (int i = 0; i < many; i++) {
		int fd = -1;

		snprintf(mine, sizeof(mine), "/torch_%d_%d_%d", (int)getpid(), 1000000000 + i, i);
		if (child)
			fd = shm_open(mine, O_RDWR | O_CREAT | O_EXCL, 0600);
		else
			fd = receive_fd(over[1], CMSG_SPACE(sizeof(int)));
		must(fd >= 0 && (!child || ftruncate(fd, BYTES) == 0));
		munmap(mapped(fd), BYTES);
		if (child) {
			shm_unlink(mine);
			send_fd(over[0], fd);
		}
		close(fd);
	}
	if (child == 0)
		_exit(0);
	join(child);
}

static const struct {
	const char *word;
	void (*play)(void);
} scenes[] = {
	{"life", scene_life},	{"parts", scene_parts},	    {"moved", scene_moved},
	{"fork", scene_fork},	{"vfork", scene_vfork},	    {"sent", scene_sent},
	{"exec", scene_exec},	{"others", scene_others},   {"files", scene_files},
	{"limit", scene_limit}, {"cut", scene_cut},	    {"missing", scene_missing},
	{"kept", scene_kept},	{"refused", scene_refused}, {"space", scene_space},
	{"storm", scene_storm}, {"many", scene_many},	    {"flow", scene_flow},
};

int main(int argc, char **argv)
{
	must(argc > 1);
	if (strcmp(argv[1], "mapped") == 0)
		return mapped(atoi(argv[2])) == NULL;
	many = argc > 2 ? atoi(argv[2]) : 0;
	snprintf(name, sizeof(name), "/mpsan-segments-%d", (int)getpid());
	snprintf(path, sizeof(path), "/dev/shm/mpsan-segments-file-%d", (int)getpid());
	snprintf(address.sun_path, sizeof(address.sun_path), "/tmp/listener-segments-%d",
		 (int)getpid());
	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++)
		if (strcmp(argv[1], scenes[i].word) == 0)
			return scenes[i].play(), 0;
	return 2;
}
