/*
 * Waits in shared memory that one process alone maps, and of which nobody has a descriptor. Somebody else is told a
 * name of it, opens that after LATE_MS and ends the wait: a hard link of a removed file, also in another mount namespace and
 * another directory; a name given late to a file that was made without one; a file that is called as if it were removed;
 * a System V segment by its key, and by its id. That the helper comes late is the case itself: longer than a hang needs
 * to be proven.
 */
// expect: none
#include "reach.h"

#include <sched.h>
#include <sys/ipc.h>
#include <sys/mount.h>
#include <sys/shm.h>
#include <sys/stat.h>

static char place[4][128];

/* A path of this run. */
static const char *path_in(const char *dir, int which, const char *what)
{
	snprintf(place[which], sizeof(place[which]), "%s/%s-%d", dir, what, (int)getpid());
	return place[which];
}

static const char *own_dir(void)
{
	return getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
}

static const char *path_of(int which, const char *what)
{
	return path_in(own_dir(), which, what);
}

static struct box *make_file(const char *path)
{
	int fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	struct box *box = box_make(fd);

	close(fd);
	return box;
}

static void wait_and_remove(struct box *box, char kind, pid_t late, const char *path)
{
	box_wait(box, kind);
	must(child_wait(late) == 0);
	must(unlink(path) == 0);
}

static void linked(void)
{
	const char *first = path_of(0, "first"), *second = path_of(1, "second");
	struct box *box = make_file(first);

	must(link(first, second) == 0 && unlink(first) == 0);
	wait_and_remove(box, 'c', late_start("open", 'c', second), second);
}

static void looks_removed(void)
{
	char path[160];
	struct box *box;

	snprintf(path, sizeof(path), "%s (deleted)", path_of(0, "here"));
	box = make_file(path);
	wait_and_remove(box, 'b', late_start("open", 'b', path), path);
}

static void named_late(void)
{
	int fd = open(own_dir(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	const char *path = path_of(0, "late");
	struct box *box;
	char own[32];

	if (fd < 0 && errno == EOPNOTSUPP)
		return;
	box = box_make(fd);
	snprintf(own, sizeof(own), "/proc/self/fd/%d", fd);
	must(linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0);
	close(fd);
	wait_and_remove(box, 'w', late_start("open", 'w', path), path);
}

/* The file lies where only the two processes see it. Without the right to that there is nothing to see. */
static void elsewhere(void)
{
	const char *dir = path_of(0, "mount"), *first, *second;
	struct box *box;

	must(mkdir(dir, 0700) == 0);
	if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("none", dir, "tmpfs", 0, NULL) != 0) {
		must(rmdir(dir) == 0);
		return;
	}
	first = path_in(dir, 1, "first");
	box = make_file(first);
	must(mkdir(path_in(dir, 2, "inner"), 0700) == 0);
	second = path_in(place[2], 3, "second");
	must(link(first, second) == 0 && unlink(first) == 0);
	wait_and_remove(box, 's', late_start("open", 's', second), second);
	must(umount2(dir, MNT_DETACH) == 0 && rmdir(dir) == 0);
}

/* ---- System V ---- */

static struct box *attach(int id)
{
	struct box *box = shmat(id, NULL, 0);

	must(box != (void *)-1);
	return box;
}

static void wait_in_segment(key_t key, const char *way)
{
	int id = shmget(key, sizeof(struct box), IPC_CREAT | IPC_EXCL | 0600);
	struct box *box;
	pid_t late;

	must(id >= 0);
	box = box_init(attach(id));
	late = late_start(way, 's', number_text(key == IPC_PRIVATE ? id : key));
	box_wait(box, 's');
	must(child_wait(late) == 0);
	must(shmctl(id, IPC_RMID, NULL) == 0);
}

static void by_key(void)
{
	wait_in_segment((key_t)(0x6d700000 + getpid() % 0xffff), "key");
}

static void by_id(void)
{
	wait_in_segment(IPC_PRIVATE, "id");
}

/* ---- the late one ---- */

static int late_main(const char *way, char kind, const char *what)
{
	struct box *box;

	sleep_ms(LATE_MS);
	if (!strcmp(way, "id"))
		box = attach(atoi(what));
	else if (!strcmp(way, "key"))
		box = attach(shmget((key_t)atoi(what), 0, 0));
	else
		box = box_map(open(what, O_RDWR));
	box_wake(box, kind);
	return 0;
}

int main(int count, char **arguments)
{
	static const struct situation all[] = {
		{"linked", linked},	    {"looks_removed", looks_removed},
		{"named_late", named_late}, {"elsewhere", elsewhere},
		{"by_key", by_key},	    {"by_id", by_id},
	};

	if (count == 4)
		return late_main(arguments[1], *arguments[2], arguments[3]);
	return situations_run(all, sizeof(all) / sizeof(*all), arguments[1]);
}
