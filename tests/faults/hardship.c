/*
 * Notes an event, then does to itself what argv[1] says (a hardship that would cut off whoever logs by a descriptor, a
 * path or a privilege), notes another, forks and notes a third in the child. Each step must have its bare effect.
 */
#include "../preload/lib.h"

#include "mpsan.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool may_fork = true;

static void note(long number)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	mpsan_lock_name((const void *)number, "noted");
}

static int do_close_range(void)
{
	return (int)syscall(SYS_close_range, 3, ~0u, 0);
}

static int do_closefrom(void)
{
	closefrom(3);
	return 0;
}

static int do_dup2(void)
{
	for (int fd = 3; fd < 1024; fd++)
		dup2(1, fd);
	return 0;
}

static int do_chroot(void)
{
	const char *tmp = getenv("TMPDIR");
	char place[256];

	snprintf(place, sizeof(place), "%s/root-XXXXXX", tmp ? tmp : "/tmp");
	must(mkdtemp(place) != NULL);
	return chroot(place) || chdir("/");
}

static int do_chdir(void)
{
	return chdir("/proc");
}

static int do_setresuid(void)
{
	return setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534);
}

static int limit(int what)
{
	struct rlimit none = {0, 0};

	return setrlimit((enum __rlimit_resource)what, &none);
}

static int do_fsize(void)
{
	return limit(RLIMIT_FSIZE);
}

static int do_nofile(void)
{
	return limit(RLIMIT_NOFILE);
}

static int do_as(void)
{
	return limit(RLIMIT_AS);
}

static int do_stack(void)
{
	return limit(RLIMIT_STACK);
}

static int do_data(void)
{
	return limit(RLIMIT_DATA);
}

static int do_memlock(void)
{
	return limit(RLIMIT_MEMLOCK);
}

static int do_strict(void)
{
	may_fork = false;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
}

#define ALLOW(number)                                      \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* What a sandbox might allow at the least; everything else kills the process. */
static int do_filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(SYS_read),
		ALLOW(SYS_write),
		ALLOW(SYS_exit),
		ALLOW(SYS_exit_group),
		ALLOW(SYS_futex),
		ALLOW(SYS_rt_sigreturn),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog filter = {sizeof(code) / sizeof(*code), code};

	may_fork = false;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

static int do_unlink(void)
{
	char command[512];

	snprintf(command, sizeof(command), "rm -rf '%s'",
		 getenv("REMOVE") ? getenv("REMOVE") : "/nothing/there");
	return system(command);
}

static int do_mount_namespace(void)
{
	return unshare(CLONE_NEWNS);
}

static int do_pid_namespace(void)
{
	return unshare(CLONE_NEWPID);
}

static int do_user_namespace(void)
{
	return unshare(CLONE_NEWUSER);
}

static int do_nothing(void)
{
	return 0;
}

static const struct {
	const char *name;
	int (*endure)(void);
} hardship[] = {
	{"nothing", do_nothing},
	{"close_range", do_close_range},
	{"closefrom", do_closefrom},
	{"dup2", do_dup2},
	{"chroot", do_chroot},
	{"chdir", do_chdir},
	{"setresuid", do_setresuid},
	{"fsize", do_fsize},
	{"nofile", do_nofile},
	{"as", do_as},
	{"stack", do_stack},
	{"data", do_data},
	{"memlock", do_memlock},
	{"strict", do_strict},
	{"filter", do_filter},
	{"unlink", do_unlink},
	{"mount_namespace", do_mount_namespace},
	{"pid_namespace", do_pid_namespace},
	{"user_namespace", do_user_namespace},
};

static void say(const char *text)
{
	if (write(1, text, strlen(text)) < 0)
		syscall(SYS_exit, 4);
}

static void fork_and_note(void)
{
	pid_t child = fork();

	if (child == 0) {
		note(3);
		_exit(5);
	}
	say(child < 0		   ? "no child\n" :
	    child_wait(child) == 5 ? "child well\n" :
				     "child not well\n");
}

static int find(const char *name)
{
	for (size_t i = 0; i < sizeof(hardship) / sizeof(*hardship); i++)
		if (!strcmp(hardship[i].name, name))
			return (int)i;
	return -1;
}

int main(int argc, char **argv)
{
	int number = find(argc > 1 ? argv[1] : "");

	if (number < 0) {
		for (size_t i = 0; i < sizeof(hardship) / sizeof(*hardship); i++)
			printf("%s\n", hardship[i].name);
		return 0;
	}
	note(1);
	if (hardship[number].endure())
		return 77;
	note(2);
	say("through\n");
	if (may_fork)
		fork_and_note();
	if (strcmp(argv[1], "strict") != 0)
		_exit(6);
	syscall(SYS_exit, 6); /* all that seccomp's strict mode allows */
}
