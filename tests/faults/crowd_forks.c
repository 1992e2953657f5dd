/* Children of several processes at a time, made and awaited one after the other: "crowd_forks NUMBER PROCESSES". */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int make(int number)
{
	for (int i = 0; i < number; i++) {
		pid_t child = fork();

		if (child == 0)
			_exit(0);
		if (child < 0 || waitpid(child, NULL, 0) != child)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int number = argc > 1 ? atoi(argv[1]) : 1, processes = argc > 2 ? atoi(argv[2]) : 1;
	int failed = 0, status;

	for (int i = 0; i < processes; i++)
		if (fork() == 0)
			_exit(make(number / processes));
	while (wait(&status) > 0)
		failed |= status;
	return printf("%d children%s\n", number, failed ? ", some failed" : "") < 0 || failed;
}
