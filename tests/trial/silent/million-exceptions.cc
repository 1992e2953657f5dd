/* A million exceptions that are thrown and caught, some of them under a lock, which its guard releases. */
// expect: none
#include <cstdio>
#include <mutex>
#include <stdexcept>

static std::mutex lock;

static int half(int number)
{
	std::lock_guard<std::mutex> guard(lock);

	if (number % 2)
		throw std::invalid_argument("odd");
	return number / 2;
}

int main()
{
	long sum = 0;

	for (int number = 0; number < 2000000; number++)
		try {
			sum += half(number);
		} catch (const std::exception &error) {
			sum += error.what()[0];
		}
	std::printf("%ld\n", sum);
	return 0;
}
