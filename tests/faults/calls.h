/*
 * CALL(name, call) calls with errno set to a value that nobody sets, and prints what became of result and errno: the
 * programs that use it are run bare and watched, and must print the same.
 */
#ifndef MPSAN_TESTS_FAULTS_CALLS_H
#define MPSAN_TESTS_FAULTS_CALLS_H

#define UNTOUCHED 4242
#define CALL(name, call)                                                 \
	do {                                                             \
		long result__;                                           \
		int error__;                                             \
                                                                         \
		errno = UNTOUCHED;                                       \
		result__ = (long)(call);                                 \
		error__ = errno;                                         \
		printf("%s %s %d\n", #name, sign_of(result__), error__); \
		fflush(stdout);                                          \
	} while (0)
#define VOID_CALL(name, call) CALL(name, (call, 0))

/* Small results tell themselves (they are error numbers), addresses and process ids do not. */
static inline const char *sign_of(long result)
{
	static char text[16];

	if (result < -1 || result > 200)
		return "positive";
	snprintf(text, sizeof(text), "%ld", result);
	return text;
}

#endif
