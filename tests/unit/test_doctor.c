/*
 * What mpsan doctor makes of machines that this one is not: files of /proc, /sys and /etc under a root of the test's
 * own. Neighbours: tools/doctor/doctor.h; ../install/test_doctor.py has what can be had for real.
 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../tools/doctor/doctor.h"

static char root[] = "/tmp/mpsan-doctor-XXXXXX";
static struct doctor doctor;

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

static int set_up(void **state)
{
	(void)state;
	strcpy(root + strlen(root) - 6, "XXXXXX");
	doctor = (struct doctor){.root = mkdtemp(root)};
	return doctor.root ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	doctor_finish(&doctor);
	return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void has(const char *path, const char *text)
{
	char *name = text_format("%s%s", root, path);
	FILE *file;

	for (char *slash = name + strlen(root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		mkdir(name, 0700);
	}
	file = fopen(name, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	free(name);
}

/* The one line about a subject that was said since the test began. */
static const struct doctor_line *line_of(const char *subject)
{
	const struct doctor_line *found = NULL;

	for (uint32_t i = 0; i < doctor.lines.count; i++)
		if (!strcmp(doctor.lines.item[i].subject, subject)) {
			assert_null(found);
			found = &doctor.lines.item[i];
		}
	return found;
}

static void says(const char *subject, enum doctor_grade grade, const char *text, const char *fix)
{
	const struct doctor_line *line = line_of(subject);

	assert_non_null(line);
	assert_int_equal(line->grade, grade);
	if (!strstr(line->text, text))
		fail_msg("%s: %s", subject, line->text);
	if (fix && (!line->fix || !strstr(line->fix, fix)))
		fail_msg("%s: fix: %s", subject, line->fix ? line->fix : "none");
	if (!fix)
		assert_null(line->fix);
}

#define YAMA "/proc/sys/kernel/yama/ptrace_scope"

static void memory_of_others(void **state)
{
	(void)state;
	doctor_peek(&doctor, 0);
	says("other processes", DOCTOR_OK, "can be read", NULL);
	doctor_finish(&doctor);
	doctor.root = root;
	has(YAMA, "1\n");
	doctor_peek(&doctor, 0);
	says("other processes", DOCTOR_OK, "by ancestors", "ptrace_scope=0");
	doctor_finish(&doctor);
	doctor.root = root;
	has(YAMA, "2\n");
	doctor_peek(&doctor, EPERM);
	says("other processes", DOCTOR_WARN, "cannot be proven", "ptrace_scope=1");
	doctor_finish(&doctor);
	doctor.root = root;
	has(YAMA, "3\n");
	doctor_peek(&doctor, EPERM);
	says("other processes", DOCTOR_WARN, "cannot be proven", "reboot");
}

static void memory_in_a_container(void **state)
{
	(void)state;
	doctor_peek(&doctor, EPERM);
	says("other processes", DOCTOR_WARN, "Operation not permitted", "SYS_PTRACE");
	assert_false(doctor_is_bad(&doctor));
}

#define MOUNT_INFO "/proc/self/mountinfo"

static void hidden_processes(void **state)
{
	(void)state;
	has("/proc/self/status", "Name:\tmpsan\n");
	has(MOUNT_INFO, "23 29 0:21 / /proc rw - proc proc rw,hidepid=invisible\n");
	doctor_hidepid(&doctor, false);
	says("/proc", DOCTOR_WARN, "hidepid", "remount");
	doctor_finish(&doctor);
	doctor.root = root;
	doctor_hidepid(&doctor, true);
	assert_null(line_of("/proc"));
	has(MOUNT_INFO, "23 29 0:21 / /proc rw - proc proc rw,hidepid=0\n");
	doctor_hidepid(&doctor, false);
	assert_null(line_of("/proc"));
}

static void no_proc(void **state)
{
	(void)state;
	doctor_hidepid(&doctor, false);
	says("/proc", DOCTOR_BAD, "not mounted", "mount -t proc");
	assert_true(doctor_is_bad(&doctor));
}

static void slow_clock_and_sandbox(void **state)
{
	(void)state;
	has("/proc/self/status", "Name:\tmpsan\nSeccomp:\t1\n");
	has("/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n");
	doctor_kernel(&doctor);
	says("clock", DOCTOR_WARN, "hpet", "tsc");
	says("seccomp", DOCTOR_BAD, "strict", "outside");
}

static void usual_kernel(void **state)
{
	(void)state;
	has("/proc/self/status", "Name:\tmpsan\nSeccomp:\t2\n");
	has("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
	has("/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64  550.54\nGCC\n");
	doctor_kernel(&doctor);
	says("GPU", DOCTOR_OK, "550.54", NULL);
	assert_null(line_of("clock"));
	assert_null(line_of("seccomp"));
	assert_non_null(line_of("other processes"));
}

static void no_container(void **state)
{
	(void)state;
	has("/proc/1/cgroup", "0::/init.scope\n");
	has("/proc/self/cgroup", "0::/user.slice\n");
	has("/sys/fs/cgroup/user.slice/memory.max", "max\n");
	has("/proc/self/status", "Name:\tx\nNSpid:\t77\n");
	doctor_container(&doctor);
	assert_int_equal(doctor.lines.count, 0);
}

static void kinds_of_containers(void **state)
{
	(void)state;
	has("/proc/1/cgroup", "0::/kubepods/burstable/pod1\n");
	doctor_container(&doctor);
	says("container", DOCTOR_OK, "kubernetes", NULL);
	doctor_finish(&doctor);
	doctor.root = root;
	has("/run/.containerenv", "");
	doctor_container(&doctor);
	says("container", DOCTOR_OK, "podman", NULL);
}

static void own_process_numbers(void **state)
{
	(void)state;
	has("/proc/self/status", "Name:\tx\nNSpid:\t77\t3\n");
	doctor_container(&doctor);
	says("container", DOCTOR_OK, "PID namespace", NULL);
}

static void memory_limits(void **state)
{
	(void)state;
	has("/proc/self/cgroup", "0::/job/step\n");
	has("/sys/fs/cgroup/job/step/memory.max", "max\n");
	has("/sys/fs/cgroup/job/memory.max", "268435456\n");
	doctor_container(&doctor);
	says("memory", DOCTOR_WARN, "256 MiB", "--memory");
	doctor_finish(&doctor);
	doctor.root = root;
	has("/sys/fs/cgroup/job/memory.max", "8589934592\n");
	doctor_container(&doctor);
	says("memory", DOCTOR_OK, "8192 MiB", NULL);
	doctor_finish(&doctor);
	doctor.root = root;
	has("/sys/fs/cgroup/memory/memory.limit_in_bytes", "104857600\n");
	doctor_container(&doctor);
	says("memory", DOCTOR_WARN, "100 MiB", "--memory");
}

static void few_mappings_and_no_shm(void **state)
{
	(void)state;
	has("/proc/sys/vm/max_map_count", "4096\n");
	doctor_room(&doctor);
	says("mappings", DOCTOR_WARN, "4096", "vm.max_map_count=262144");
	says("/dev/shm", DOCTOR_WARN, "cannot be used", "mount -t tmpfs");
}

static void preloaded_everywhere(void **state)
{
	(void)state;
	has("/lib/libjemalloc.so.2", "");
	has("/lib/torch_memory_saver.so", "");
	has("/etc/ld.so.preload", "/lib/libjemalloc.so.2 /lib/torch_memory_saver.so\n");
	doctor_preload(&doctor, NULL);
	assert_int_equal(doctor.lines.count, 2);
	assert_string_equal(doctor.lines.item[0].subject, "/etc/ld.so.preload");
	assert_int_equal(doctor.lines.item[0].grade, DOCTOR_OK);
	assert_non_null(strstr(doctor.lines.item[0].text, "allocator"));
	assert_int_equal(doctor.lines.item[1].grade, DOCTOR_WARN);
	assert_non_null(strstr(doctor.lines.item[1].text, "cudaMalloc"));
}

static void preloaded_list(void **state)
{
	(void)state;
	doctor_preload(&doctor, "libsomething.so:/gone/libasan.so.8 libasan.so.8");
	assert_int_equal(doctor.lines.count, 3);
	assert_int_equal(doctor.lines.item[0].grade, DOCTOR_OK);
	assert_non_null(strstr(doctor.lines.item[0].text, "unknown"));
	assert_int_equal(doctor.lines.item[1].grade, DOCTOR_WARN);
	assert_non_null(strstr(doctor.lines.item[1].text, "cannot be read"));
	assert_non_null(strstr(doctor.lines.item[2].fix, "verify_asan_link_order"));
}

/* Text that is not UTF-8 does not end the document. */
static void document(void **state)
{
	char *command[] = {"a\xff", NULL};
	json_t *report;

	(void)state;
	doctor_say(&doctor, DOCTOR_BAD, "program", text_copy("cure \xfe"), "\xff");
	report = doctor_json(&doctor, command);
	assert_non_null(report);
	assert_string_equal(json_string_value(json_object_get(report, "schema")), "mpsan.doctor/1");
	assert_true(json_is_false(json_object_get(report, "usable")));
	assert_int_equal(json_array_size(json_object_get(report, "checks")), 1);
	json_decref(report);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(memory_of_others),
		TEST(memory_in_a_container),
		TEST(hidden_processes),
		TEST(no_proc),
		TEST(slow_clock_and_sandbox),
		TEST(usual_kernel),
		TEST(no_container),
		TEST(kinds_of_containers),
		TEST(own_process_numbers),
		TEST(memory_limits),
		TEST(few_mappings_and_no_shm),
		TEST(preloaded_everywhere),
		TEST(preloaded_list),
		TEST(document),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
