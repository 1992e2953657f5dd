/* Two workers, one of which throws before it has sent its result: the parent waits for the second one, as it can write into the pipe itself. */
// expect: deadlock-cycle error
// may: worker-failed warning
// says: SIGABRT: std::terminate after data::BadRow\('no id in row 1'\) at read_row \(terminate-before-result.cc:
// within: 20
#include <cstdio>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace data
{
struct BadRow : std::runtime_error {
	using std::runtime_error::runtime_error;
};
}

static int read_row(int number)
{
	if (number == 1)
		throw data::BadRow("no id in row " + std::to_string(number));
	return number;
}

int main()
{
	int ends[2], result;

	if (pipe(ends) != 0)
		return 1;
	for (int number = 0; number < 2; number++)
		if (fork() == 0) {
			result = read_row(number);
			_exit(write(ends[1], &result, sizeof(result)) < 0);
		}
	for (int number = 0; number < 2; number++)
		if (read(ends[0], &result, sizeof(result)) > 0)
			std::printf("%d\n", result);
	return 0;
}
