//go:build cgo && torch

// What PyTorch calls. It does not look whether it gets a null pointer, so an allocation that fails has to throw.
#include "poolgen.h"

#include <cstdio>
#include <stdexcept>
#include <string>

extern "C" void *torch_alloc(ssize_t size, int device, void *stream) {
	void *block = tensor_alloc(size, device, stream);
	if (block == nullptr && size != 0) {
		throw std::runtime_error(std::string("out of memory of CUDA: ") + tensor_error(nullptr));
	}
	return block;
}

extern "C" void torch_free(void *address, ssize_t size, int device, void *stream) {
	if (tensor_free(address, size, device, stream) != POOLGEN_OK) {
		std::fprintf(stderr, "torch_free: %s\n", tensor_error(nullptr));
	}
}
