package cli

import (
	"math"

	"golang.org/x/sys/unix"
)

// addressSpace returns how many bytes of addresses the process may have (RLIMIT_AS), 0 if there is no limit.
func addressSpace() int64 {
	var l unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &l) != nil || uint64(l.Cur) >= math.MaxInt64 {
		return 0
	}
	return int64(l.Cur)
}
