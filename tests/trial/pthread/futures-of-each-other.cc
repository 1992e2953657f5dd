// Two threads wait for the value that the other one would set after it has its own.
// expect: deadlock-cycle error
// within: 6
#include <future>
#include <thread>

static void exchange(std::future<int> wanted, std::promise<int> &offered)
{
	offered.set_value(wanted.get() + 1);
}

int main()
{
	std::promise<int> first, second;
	std::thread one(exchange, first.get_future(), std::ref(second)), other(exchange, second.get_future(), std::ref(first));

	one.join();
	other.join();
}
