package peers

import (
	"os"
	"slices"
	"strings"
	"syscall"
)

// MakeRoom restarts the program, once, with the setting that lets jemalloc be loaded at run time: space that the system's loader reserves for each
// thread. If that fails, jemalloc is not found.
func MakeRoom() {
	const name = "GLIBC_TUNABLES="
	if slices.ContainsFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, name) }) {
		return
	}
	if self, err := os.Executable(); err == nil {
		_ = syscall.Exec(self, os.Args, append(os.Environ(), name+"glibc.rtld.optional_static_tls=65536"))
	}
}
