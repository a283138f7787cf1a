// What PyTorch sees of torch.cc: blocks, and an exception instead of a null pointer.
#include "../poolgen.h"

#include <cstdio>
#include <cstring>
#include <exception>

extern "C" void *torch_alloc(ssize_t size, int device, void *stream);
extern "C" void torch_free(void *address, ssize_t size, int device, void *stream);
extern "C" void simMachine();

int main() {
	simMachine();
	void *block = torch_alloc(1000, 0, nullptr);
	torch_free(block, 1000, 0, nullptr);
	if (block == nullptr || torch_alloc(0, 0, nullptr) != nullptr) {
		return 1;
	}
	try {
		torch_alloc(1000, 9, nullptr);
	} catch (std::exception &e) {
		if (std::strstr(e.what(), "device 9") != nullptr) {
			std::puts("ok");
			return 0;
		}
	}
	return 1;
}
