// What PyTorch does and sees: it loads the library while it runs, calls torch.cc, and gets an exception instead of a null pointer.
#include "../poolgen.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <exception>

int main(int, char **argv) {
	void *library = dlopen(argv[1], RTLD_LAZY);
	if (library == nullptr) {
		std::puts(dlerror());
		return 1;
	}
	auto machine = reinterpret_cast<void (*)()>(dlsym(library, "simMachine"));
	auto alloc = reinterpret_cast<decltype(&tensor_alloc)>(dlsym(library, "torch_alloc"));
	auto free = reinterpret_cast<void (*)(void *, ssize_t, int, void *)>(dlsym(library, "torch_free"));
	machine();
	void *block = alloc(1000, 0, nullptr);
	free(block, 1000, 0, nullptr);
	if (block == nullptr || alloc(0, 0, nullptr) != nullptr) {
		return 1;
	}
	try {
		alloc(1000, 9, nullptr);
	} catch (std::exception &e) {
		if (std::strstr(e.what(), "device 9") != nullptr) {
			std::puts("ok");
			return 0;
		}
	}
	return 1;
}
