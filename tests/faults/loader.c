/*
 * What the loader's functions answer: argv[1] names the question, argv[2] is a library that the test script built.
 * Prints one line for each answer, the same with and without the library.
 */
#include "../preload/lib.h"

#include <dlfcn.h>
#include <iconv.h>
#include <sched.h>

/* The library that has the locks. */
#if __GLIBC_PREREQ(2, 34)
#define LOCKS "libc.so.6"
#else
#define LOCKS "libpthread.so.0"
#endif

/* The next getppid: asked twice, from this program. */
static void next_twice(const char *path)
{
	void *first = dlsym(RTLD_NEXT, "getppid"), *second = dlsym(RTLD_NEXT, "getppid");

	(void)path;
	printf("found %d, the same %d, works %d\n", first != NULL, first == second,
	       first && ((pid_t(*)(void))first)() == getppid());
}

/* A library whose DT_RUNPATH alone leads to the one that it opens. */
static void runpath(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	int (*open_it)(void) = library ? (int (*)(void))dlsym(library, "open_neighbour") : NULL;

	printf("neighbour says %d\n", open_it ? open_it() : -1);
}

static void libc_handle(const char *path)
{
	void *libc = dlopen(LOCKS, RTLD_NOW);
	int (*lock)(pthread_mutex_t *) =
		(int (*)(pthread_mutex_t *))dlsym(libc, "pthread_mutex_lock");
	int (*unlock)(pthread_mutex_t *) =
		(int (*)(pthread_mutex_t *))dlvsym(libc, "pthread_mutex_unlock", "GLIBC_2.2.5");
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	(void)path;
	must(lock && unlock);
	printf("lock %d", lock(&mutex));
	printf(", then %d", pthread_mutex_trylock(&mutex));
	printf(", unlock %d", unlock(&mutex));
	printf(", then %d\n", pthread_mutex_trylock(&mutex));
	printf("wrong version %d\n", dlvsym(libc, "pthread_mutex_lock", "GLIBC_9") != NULL);
	printf("another name %d\n", dlsym(libc, "getpid") == (void *)getpid);
}

/* Whether the handle of libc leads to the hook: the script expects 1 under the library, else 0. */
static void answered(const char *path)
{
	void *libc = dlopen(LOCKS, RTLD_NOW);
	Dl_info info;

	(void)path;
	must(dladdr(dlsym(libc, "pthread_mutex_lock"), &info));
	fprintf(stderr, "hooked %d\n", strstr(info.dli_fname, "libmpsan") != NULL);
}

static void namespace(const char *path)
{
	void *library = dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
	int (*use_lock)(void) = library ? (int (*)(void))dlsym(library, "use_lock") : NULL;

	printf("in another namespace: %d\n", use_lock ? use_lock() : -1);
}

static void unknown(const char *path)
{
	const char *said;

	(void)path;
	dlerror();
	printf("unknown %d", dlsym(RTLD_DEFAULT, "mpsan_no_such_name") != NULL);
	said = dlerror();
	printf(" %s\n", said ? said : "no error");
	printf("next unknown %d", dlsym(RTLD_NEXT, "mpsan_no_such_name") != NULL);
	said = dlerror();
	printf(" %s\n", said ? said : "no error");
	printf("after success %d",
	       dlsym(dlopen("libc.so.6", RTLD_NOW), "pthread_mutex_lock") != NULL);
	said = dlerror();
	printf(" %s\n", said ? said : "no error");
}

/* Handles that are none, and a closed one, must be refused, not followed. */
static void odd_handles(const char *path)
{
	printf("in a library that lacks it %d\n",
	       dlsym(dlopen(path, RTLD_NOW), "pthread_mutex_lock") != NULL);
	printf("program %d\n", dlsym(dlopen(NULL, RTLD_NOW), "pthread_mutex_lock") != NULL);
}

/* What programs ask to learn whether a library is loaded, or libc new enough: every function that has a hook. */
static void say_rows(void)
{
	static const char *const rows[] = {
#define HOOK(library, name, kind) #name,
#include "../../shim/hooks.def"
#undef HOOK
	};
	void *program = dlopen(NULL, RTLD_NOW);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		printf("%s %d %d %d\n", rows[i], dlsym(RTLD_DEFAULT, rows[i]) != NULL,
		       dlsym(RTLD_NEXT, rows[i]) != NULL, dlsym(program, rows[i]) != NULL);
}

static void present(const char *path)
{
	say_rows();
	must(dlopen(path, RTLD_NOW | RTLD_GLOBAL));
	say_rows();
}

#define LOADS 1000

static bool loads_done;

static void *load_again_and_again(void *path)
{
	for (int i = 0; i < LOADS; i++) {
		void *library = dlopen(path, RTLD_NOW);
		iconv_t converter = iconv_open("EUC-JP", "UTF-8");

		if (converter != (iconv_t)-1)
			iconv_close(converter);
		must(library && dlclose(library) == 0);
		sched_yield();
	}
	__atomic_store_n(&loads_done, true, __ATOMIC_RELEASE);
	return NULL;
}

static void *nothing(void *unused)
{
	return unused;
}

/* Threads are made, and names looked up, while libraries come and go; libc loads some for iconv by itself. */
static void beside_loads(const char *path)
{
	pthread_t loader, other;

	must(pthread_create(&loader, NULL, load_again_and_again, (void *)path) == 0);
	while (!__atomic_load_n(&loads_done, __ATOMIC_ACQUIRE)) {
		must(pthread_create(&other, NULL, nothing, NULL) == 0);
		must(pthread_join(other, NULL) == 0);
		must(dlsym(RTLD_DEFAULT, "pthread_mutex_lock"));
	}
	must(pthread_join(loader, NULL) == 0);
	puts("done");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*ask)(const char *path);
	} question[] = {
		{"next_twice", next_twice},	{"runpath", runpath},
		{"libc_handle", libc_handle},	{"answered", answered},
		{"namespace", namespace},	{"unknown", unknown},
		{"odd_handles", odd_handles},	{"present", present},
		{"beside_loads", beside_loads},
	};

	must(argc == 3);
	for (size_t i = 0; i < sizeof(question) / sizeof(*question); i++)
		if (!strcmp(question[i].name, argv[1]))
			question[i].ask(argv[2]);
	return 0;
}
