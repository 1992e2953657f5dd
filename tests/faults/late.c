/*
 * Calls that come back late, and calls that fail: late CASE. What a call does is seen by others before it is back; whoever
 * acts on it at once must not make the library say what is not so. And what was said in advance of a call that failed
 * must not stand.
 */
// link: -Lbuild/tests/preload/lib -l:late.so -Wl,-rpath,$ORIGIN/../preload/lib
#include "late.h"

#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/un.h>

#include "../../shim/abi/glibc.h"
#include "../preload/shm_lib.h"

#define PIECE (1u << 20)

static struct gate heard, over;

static void tell_and_stay(void)
{
	gate_open(&done);
	for (;;)
		pause();
}

/* ---- a descriptor that is sent, and a sender that ends ---- */

static int pair[2], copy_of_tensor;

static int listen_at(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/listener-%d", getenv("TMPDIR"),
		 (int)getpid());
	must(fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	return fd;
}

union rights {
	char space[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

static struct msghdr message_of(union rights *rights, struct iovec *data, int fd)
{
	struct msghdr message = {.msg_iov = data,
				 .msg_iovlen = 1,
				 .msg_control = rights->space,
				 .msg_controllen = sizeof(rights->space)};
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);

	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	return message;
}

static int send_copy(int socket)
{
	union rights rights = {{0}};
	struct iovec data = {"x", 1};
	struct mmsghdr many = {.msg_hdr = message_of(&rights, &data, copy_of_tensor)};

	if (is("sendmsg"))
		return (int)sendmsg(socket, &many.msg_hdr, MSG_NOSIGNAL);
	return sendmmsg(socket, &many, 1, MSG_NOSIGNAL);
}

static void *send_late(void *unused)
{
	late_after(function, tell_and_stay);
	must(send_copy(pair[1]) == 1);
	return unused;
}

static void have_copy(void)
{
	char made[64];
	int fd;

	tensor_make(made, PIECE, &fd, false);
	must((copy_of_tensor = fcntl(fd, F_DUPFD_CLOEXEC, 0)) >= 0);
	must(listen_at() >= 0);
}

static void sends(void)
{
	pid_t child;

	must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	child = fork();
	if (child == 0) {
		have_copy();
		in_thread(send_late, NULL);
		gate_wait(&done);
		gate_wait(&heard);
		exit(0);
	}
	must(descriptor_receive(pair[0]) >= 0);
	gate_open(&heard);
	must(child_wait(child) == 0);
	nap();
}

/* The receiver is gone, and so is the message: the copy still waits. */
static void sends_to_nobody(void)
{
	pid_t child;

	must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	child = fork();
	if (child == 0) {
		char byte;

		have_copy();
		must(close(pair[0]) == 0 && recv(pair[1], &byte, 1, 0) == 0);
		for (int i = 0; i < 3; i++)
			must(send_copy(pair[1]) == -1 && errno == EPIPE);
		must(sendmsg(pair[1], (void *)8, 0) == -1 && errno == EFAULT);
		exit(0);
	}
	must(close(pair[0]) == 0 && close(pair[1]) == 0);
	must(child_wait(child) == 0);
	nap();
}

/* ---- a signal, and a parent that waits for another child ---- */

static pid_t first, second;

static int send_signal(int number)
{
	if (is("kill"))
		return kill(second, number);
	if (is("killpg"))
		return killpg(second, number);
	if (is("pidfd_send_signal"))
		return pidfd_send_signal((int)syscall(SYS_pidfd_open, second, 0), number, NULL, 0);
	if (is("syscall"))
		return (int)syscall(SYS_kill, second, number);
	return sigqueue(second, number, (union sigval){0});
}

static void *kill_late(void *unused)
{
	late_after(function, nap);
	must(send_signal(SIGKILL) == 0);
	return unused;
}

static void make_children(void)
{
	first = fork();
	if (first == 0) {
		sleep_ms(2500);
		_exit(0);
	}
	second = fork();
	if (second == 0) {
		must(setpgid(0, 0) == 0);
		gate_open(&done);
		gate_wait(&heard);
		_exit(7);
	}
	gate_wait(&done);
}

static void kills(void)
{
	pthread_t killer;

	make_children();
	killer = in_thread(kill_late, NULL);
	must(child_wait(first) == 0);
	must(child_wait(second) == 128 + SIGKILL);
	joined(killer);
}

/* Nobody ends it: it fails by itself. */
static void kills_in_vain(void)
{
	make_children();
	for (int i = 0; i < 3; i++)
		must(send_signal(999) == -1 && errno == EINVAL);
	gate_open(&heard);
	must(child_wait(first) == 0);
	must(child_wait(second) == 7);
}

/* ---- a name that is removed, and somebody who misses it ---- */

static char path[128], *name; /* of one file */

static int remove_name(void)
{
	if (is("shm_unlink"))
		return shm_unlink(name);
	if (is("unlinkat"))
		return unlinkat(AT_FDCWD, path, 0);
	return is("unlink") ? unlink(path) : remove(path);
}

static void choose_name(void)
{
	snprintf(path, sizeof(path), "%s", own_path("late"));
	name = path + strlen("/dev/shm");
}

static void make_name(void)
{
	int fd;

	choose_name();
	fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
	must(fd >= 0 && ftruncate(fd, PIECE) == 0);
	must(mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED);
}

static void miss_name(void)
{
	must(shm_open(name, O_RDWR, 0) == -1 && errno == ENOENT);
}

static void unlinks(void)
{
	pid_t child;

	make_name();
	child = fork();
	if (child == 0) {
		gate_wait(&done);
		miss_name();
		_exit(0);
	}
	late_after(function, tell_and_nap);
	must(remove_name() == 0);
	must(child_wait(child) == 0);
}

/* The same, and it is another process that removes it. */
static void unlinks_others(void)
{
	pid_t child;

	make_name();
	child = fork();
	if (child == 0) {
		late_after(function, tell_and_nap);
		must(remove_name() == 0);
		_exit(0);
	}
	gate_wait(&done);
	miss_name();
	must(child_wait(child) == 0);
}

/* A program that nobody watches. */
static void stranger(const char *command)
{
	char *argv[] = {"sh", "-c", (char *)command, NULL}, *envp[] = {NULL};
	pid_t pid;

	must(posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, envp) == 0);
	must(child_wait(pid) == 0);
}

/* Its maker fails to, and a stranger does. */
static void unlinks_in_vain(void)
{
	char command[256];
	pid_t child;

	make_name();
	late_fail(function, -1);
	must(remove_name() == -1 && errno == EACCES);
	child = fork();
	if (child == 0) {
		late_fail(function, -1);
		must(remove_name() == -1 && errno == EACCES);
		_exit(0);
	}
	must(child_wait(child) == 0);
	snprintf(command, sizeof(command), "rm %s", path);
	stranger(command);
	child = fork();
	if (child == 0) {
		miss_name();
		_exit(0);
	}
	must(child_wait(child) == 0);
	nap();
}

/* A name that was not made for want of a descriptor, and that a stranger makes and leaves. */
static void opens_in_vain(void)
{
	struct rlimit limit, none = {0};
	char command[256];

	choose_name();
	must(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	none.rlim_max = limit.rlim_max;
	must(setrlimit(RLIMIT_NOFILE, &none) == 0);
	must(shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600) == -1 && errno == EMFILE);
	must(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	snprintf(command, sizeof(command), "printf x >%s", path);
	stranger(command);
}

/* ---- a session of its own, and a parent that is killed ---- */

static void outlive_parent(bool leader)
{
	pid_t parent = fork();

	if (parent == 0) {
		if (fork() == 0) {
			must(!leader || setpgid(0, 0) == 0);
			late_after("setsid", tell_and_nap);
			must((setsid() == -1) == leader);
			if (leader)
				tell_and_nap();
			gate_open(&over);
			_exit(0);
		}
		gate_wait(&done);
		raise(SIGKILL);
	}
	must(child_wait(parent) == 128 + SIGKILL);
	gate_wait(&over);
}

static void leaves(void)
{
	outlive_parent(false);
}

static void leaves_in_vain(void)
{
	outlive_parent(true);
}

/* ---- memory that is unmapped, and another piece in its place ---- */

static char *place;
static int other;

static void map_other(void)
{
	must(mmap(place, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, other,
		  0) == place);
}

/* What is mapped there at the end is mapped, and what is not, is not. */
static void unmaps(void)
{
	char made[64];

	place = tensor_make(made, PIECE, NULL, false);
	must(munmap(tensor_make(made, PIECE, &other, false), PIECE) == 0);
	late_after(function, map_other);
	if (is("munmap"))
		must(munmap(place, PIECE) == 0);
	else
		must(mremap(place, PIECE, 2 * PIECE, MREMAP_MAYMOVE) != MAP_FAILED);
}

static void unmaps_in_vain(void)
{
	char made[64];

	place = tensor_make(made, PIECE, NULL, false);
	if (is("munmap"))
		must(munmap(place + 1, PIECE) == -1 && errno == EINVAL);
	else
		must(mremap(place, PIECE, 2 * PIECE, 0x80) == MAP_FAILED && errno == EINVAL);
}

/* ---- a child that is reaped before who made it knows its pid ---- */

static void *spawn_late(void *unused)
{
	char *argv[] = {"true", NULL}, *envp[] = {NULL};
	pid_t pid;

	late_after("posix_spawn", tell_and_nap);
	must(posix_spawn(&pid, "/bin/true", NULL, NULL, argv, envp) == 0);
	return unused;
}

static void spawns(void)
{
	pthread_t maker = in_thread(spawn_late, NULL);
	int status;

	gate_wait(&done);
	must(wait(&status) > 0 && status == 0);
	joined(maker);
}

/* ---- the table ---- */

static const struct late_case table[] = {
	{"sendmsg", sends, "sendmsg"},
	{"sendmmsg", sends, "sendmmsg"},
	{"sendmsg_fails", sends_to_nobody, "sendmsg"},
	{"sendmmsg_fails", sends_to_nobody, "sendmmsg"},
	{"kill", kills, "kill"},
	{"sigqueue", kills, "sigqueue"},
	{"pidfd_send_signal", kills, "pidfd_send_signal"},
	{"syscall_kill", kills, "syscall"},
	{"kill_fails", kills_in_vain, "kill"},
	{"pidfd_send_signal_fails", kills_in_vain, "pidfd_send_signal"},
	{"syscall_kill_fails", kills_in_vain, "syscall"},
	{"killpg_fails", kills_in_vain, "killpg"},
	{"sigqueue_fails", kills_in_vain, "sigqueue"},
	{"shm_unlink", unlinks, "shm_unlink"},
	{"unlink", unlinks, "unlink"},
	{"unlinkat", unlinks, "unlinkat"},
	{"remove", unlinks, "remove"},
	{"shm_unlink_other", unlinks_others, "shm_unlink"},
	{"unlink_other", unlinks_others, "unlink"},
	{"shm_unlink_fails", unlinks_in_vain, "shm_unlink"},
	{"unlink_fails", unlinks_in_vain, "unlink"},
	{"unlinkat_fails", unlinks_in_vain, "unlinkat"},
	{"shm_open_fails", opens_in_vain, "shm_open"},
	{"setsid", leaves, "setsid"},
	{"setsid_fails", leaves_in_vain, "setsid"},
	{"munmap", unmaps, "munmap"},
	{"mremap", unmaps, "mremap"},
	{"munmap_fails", unmaps_in_vain, "munmap"},
	{"mremap_fails", unmaps_in_vain, "mremap"},
	{"posix_spawn", spawns, "posix_spawn"},
};

int main(int argc, char **argv)
{
	gate_init(&heard);
	gate_init(&over);
	return LATE_RUN(table, argc, argv);
}
