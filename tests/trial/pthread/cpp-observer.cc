// A subject notifies its observers under its mutex; an observer removes itself: the same std::mutex, in the same thread.
// expect: self-deadlock error
// within: 6
#include <algorithm>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

class Subject
{
	std::mutex mutex;
	std::vector<std::pair<int, std::function<void()>>> observers;

      public:
	void add(int id, std::function<void()> call)
	{
		std::lock_guard<std::mutex> guard(mutex);
		observers.emplace_back(id, std::move(call));
	}

	void remove(int id)
	{
		std::lock_guard<std::mutex> guard(mutex);
		observers.erase(
			std::remove_if(observers.begin(), observers.end(),
				       [id](auto &observer) { return observer.first == id; }),
			observers.end());
	}

	void notify()
	{
		std::lock_guard<std::mutex> guard(mutex);
		for (auto &observer : observers)
			observer.second();
	}
};

int main()
{
	Subject subject;

	subject.add(1, [&subject] { subject.remove(1); });
	subject.notify();
}
