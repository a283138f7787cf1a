package peers

import (
	"os"
	"slices"
	"strings"
	"syscall"
)

// MakeRoom starts the program anew, once, with what jemalloc needs to be loaded while it runs: room that the system's loader sets aside for each
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
