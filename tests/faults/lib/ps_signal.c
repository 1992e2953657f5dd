/* All threads wait, but a handler of SIGUSR1 would post what one of them wants. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

static sem_t news;

static void on_signal(int number)
{
	(void)number;
	sem_post(&news);
}

static void *wants_news(void *unused)
{
	sem_wait(&news);
	return unused;
}

int main(void)
{
	pthread_t thread;

	sem_init(&news, 0, 0);
	signal(SIGUSR1, on_signal);
	pthread_create(&thread, NULL, wants_news, NULL);
	return pthread_join(thread, NULL);
}
