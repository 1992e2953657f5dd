// A reader of a std::shared_mutex wants to write and takes it exclusively, without giving up its own share.
// expect: self-deadlock error
// or: deadlock-cycle error
// within: 6
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>

class Cache
{
	std::shared_mutex mutex;
	std::map<std::string, int> entries;

      public:
	int get(const std::string &key)
	{
		std::shared_lock reading(mutex);
		auto found = entries.find(key);

		if (found != entries.end())
			return found->second;
		std::unique_lock writing(mutex);
		return entries[key] = static_cast<int>(key.size());
	}
};

int main()
{
	return Cache().get("key");
}
