/*
 * Waits in shared memory to which any process of the job may come that is told how, although nothing is to be seen of it
 * beforehand: another's descriptor through /proc/PID/fd and by pidfd_getfd, and a System V segment that is removed but
 * not gone, by its id. Each helper comes after LATE_MS, without a library that watches it. In the last situation it keeps a
 * mutex in a pid namespace of its own, where its TID is one that nobody has outside. That the helper comes late is the case
 * itself: longer than a hang needs to be proven.
 */
// expect: none
#include "reach.h"

#include <sched.h>
#include <spawn.h>
#include <sys/ipc.h>
#include <sys/prctl.h>
#include <sys/shm.h>

static char *text_of(const char *format, long one, long other)
{
	static char text[64];

	snprintf(text, sizeof(text), format, one, other);
	return text;
}

/* Who maps it keeps its descriptor. */
static void by_descriptor(const char *way, const char *format, char kind)
{
	int fd = memfd_create("reach", MFD_CLOEXEC);
	struct box *box = box_make(fd);
	pid_t late;

	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY); /* for pidfd_getfd, where Yama restricts that */
	late = late_start(way, kind, text_of(format, getpid(), fd));
	box_wait(box, kind);
	must(child_wait(late) == 0);
}

static void by_path(void)
{
	by_descriptor("open", "/proc/%ld/fd/%ld", 's');
}

static void by_pidfd(void)
{
	by_descriptor("fetch", "%ld:%ld", 'c');
}

static void by_id(void)
{
	int id = shmget(IPC_PRIVATE, sizeof(struct box), 0600);
	struct box *box = shmat(id, NULL, 0);
	pid_t late;

	must(box != (void *)-1 && shmctl(id, IPC_RMID, NULL) == 0);
	late = late_start("id", 'b', number_text(id));
	box_wait(box_init(box), 'b');
	must(child_wait(late) == 0);
}

/* ---- a pid namespace ---- */

/* Without the right to it there is nothing to see. */
static void elsewhere(void)
{
	int fd = memfd_create("reach", 0);
	struct box *box = box_make(fd);
	struct gate taken;
	char *empty[] = {NULL}, *arguments[] = {"late", "keep", "m", NULL, NULL};
	pid_t child;

	gate_init(&taken);
	arguments[3] = text_of("%ld:%ld", fd, taken.fd[1]);
	if (unshare(CLONE_NEWPID) != 0)
		return;
	must(posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, empty) == 0);
	gate_wait(&taken);
	must(pthread_mutex_lock(&box->mutex) == 0);
	must(child_wait(child) == 0);
}

static void keep(int fd, int taken)
{
	struct box *box = box_map(fd);

	must(pthread_mutex_lock(&box->mutex) == 0);
	must(write(taken, "", 1) == 1);
	sleep_ms(LATE_MS);
	must(pthread_mutex_unlock(&box->mutex) == 0);
	_exit(0);
}

/* As a process with a number that nobody outside has: the files of /proc are those of the outside still. */
static void keep_as_nobody(int fd, int taken)
{
	FILE *last = fopen("/proc/sys/kernel/ns_last_pid", "w");
	char path[32];
	int number = 1;
	pid_t child;

	do
		snprintf(path, sizeof(path), "/proc/%d", ++number);
	while (access(path, F_OK) == 0);
	must(last && fprintf(last, "%d", number - 1) > 0 && fclose(last) == 0);
	child = fork();
	if (child == 0)
		keep(fd, taken);
	must(child == number);
	must(child_wait(child) == 0);
}

/* ---- the late one ---- */

static int fetch(pid_t pid, int fd)
{
	return (int)syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, pid, 0), fd, 0);
}

static int late_main(const char *way, char kind, const char *what)
{
	int one = 0, other = 0;

	sscanf(what, "%d:%d", &one, &other);
	if (!strcmp(way, "keep")) {
		keep_as_nobody(one, other);
		return 0;
	}
	sleep_ms(LATE_MS);
	if (!strcmp(way, "id"))
		box_wake(shmat(one, NULL, 0), kind);
	else
		box_wake(box_map(!strcmp(way, "open") ? open(what, O_RDWR) : fetch(one, other)),
			 kind);
	return 0;
}

int main(int count, char **arguments)
{
	static const struct situation all[] = {
		{"by_path", by_path},
		{"by_pidfd", by_pidfd},
		{"by_id", by_id},
		{"elsewhere", elsewhere},
	};

	if (count == 4)
		return late_main(arguments[1], *arguments[2], arguments[3]);
	return situations_run(all, sizeof(all) / sizeof(*all), arguments[1]);
}
