// Compiles the CUDA C++ of a file with NVRTC, which needs no GPU:
//
//	nvrtc LIBRARY FILE [OPTION...]
//
// Headers are found with -IDIR. It prints the output of NVRTC, and exits with 0 if the code compiles, 1 if not, 2 if NVRTC could not run.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct program *program;

static void *library;

// function returns a function of the library.
static void *function(const char *name)
{
	void *f = dlsym(library, name);
	if (!f) {
		printf("%s\n", dlerror());
		exit(2);
	}
	return f;
}

static char *content(const char *name)
{
	char *text = calloc(1, 1 << 22);
	FILE *f = fopen(name, "r");
	if (!f || !text || fread(text, 1, (1 << 22) - 1, f) == 0) {
		perror(name);
		exit(2);
	}
	fclose(f);
	return text;
}

int main(int argc, char **argv)
{
	if (argc < 3 || !(library = dlopen(argv[1], RTLD_NOW))) {
		printf("%s\n", argc < 3 ? "usage: nvrtc LIBRARY FILE [OPTION...]" : dlerror());
		return 2;
	}
	int (*create)(program *, const char *, const char *, int, const char *const *, const char *const *) = function("nvrtcCreateProgram");
	int (*compile)(program, int, const char *const *) = function("nvrtcCompileProgram");
	int (*size)(program, size_t *) = function("nvrtcGetProgramLogSize");
	int (*log)(program, char *) = function("nvrtcGetProgramLog");
	program p;
	size_t n;
	if (create(&p, content(argv[2]), argv[2], 0, NULL, NULL))
		return 2;
	int failed = compile(p, argc - 3, (const char *const *)argv + 3);
	if (size(p, &n))
		return 2;
	char *text = malloc(n + 1);
	if (!text || log(p, text))
		return 2;
	printf("%s\n", text);
	return failed ? 1 : 0;
}
