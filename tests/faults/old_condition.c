/* Waits on a condition by the versions of glibc before 2.3.2, whose structure is another one, as old binaries do. */
#include "../preload/lib.h"

#if defined(__x86_64__)
int old_wait(pthread_cond_t *c, pthread_mutex_t *m);
int old_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until);
int old_signal(pthread_cond_t *c);

__asm__(".symver old_wait, pthread_cond_wait@GLIBC_2.2.5");
__asm__(".symver old_timedwait, pthread_cond_timedwait@GLIBC_2.2.5");
__asm__(".symver old_signal, pthread_cond_signal@GLIBC_2.2.5");

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
	pthread_cond_t *condition; /* allocated at first use */
	char beyond[64];
} old;
static int said;

static void *speaker(void *argument)
{
	pthread_mutex_lock(&mutex);
	said = 1;
	old_signal((pthread_cond_t *)(void *)&old);
	pthread_mutex_unlock(&mutex);
	return argument;
}

int main(void)
{
	struct timespec past = {1, 0};
	pthread_t thread;
	int result = 0, late;

	memset(old.beyond, 0x5a, sizeof(old.beyond));
	pthread_mutex_lock(&mutex);
	late = old_timedwait((pthread_cond_t *)(void *)&old, &mutex, &past);
	must(pthread_create(&thread, NULL, speaker, NULL) == 0);
	while (!said && !result)
		result = old_wait((pthread_cond_t *)(void *)&old, &mutex);
	pthread_mutex_unlock(&mutex);
	must(pthread_join(thread, NULL) == 0);
	for (size_t i = 0; i < sizeof(old.beyond); i++)
		must(old.beyond[i] == 0x5a);
	printf("late %d, signalled %d, allocated %d\n", late == ETIMEDOUT, result,
	       old.condition != NULL);
	return 0;
}
#else
int main(void)
{
	return 77;
}
#endif
