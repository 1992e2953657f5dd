// A task of std::async waits for the promise that its caller keeps only after it has the task's result.
// expect: deadlock-cycle error
// within: 6
#include <future>
#include <iostream>

static int add(std::shared_future<int> offset)
{
	return 40 + offset.get();
}

int main()
{
	std::promise<int> offset;
	auto sum = std::async(std::launch::async, add, offset.get_future().share());

	std::cout << sum.get() << '\n';
	offset.set_value(2);
}
