package cli

import (
	"math"
	"os"
	"regexp"
	"strconv"

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

var (
	clockForm  = regexp.MustCompile(`(?m)^cpu MHz\s*: (\S+)`)
	bypassForm = regexp.MustCompile(`(?m)^Speculation_Store_Bypass:\s*(.+)`)
)

// processor reads what the kernel tells: the clocks of the processors, which amd64 has, and what it does to this process.
func processor() (h processorHealth) {
	clocks, _ := os.ReadFile("/proc/cpuinfo")
	for _, found := range clockForm.FindAllSubmatch(clocks, -1) {
		mhz, _ := strconv.ParseFloat(string(found[1]), 64)
		h.MHz = max(h.MHz, mhz)
	}
	state, _ := os.ReadFile("/proc/self/status")
	if found := bypassForm.FindSubmatch(state); found != nil {
		h.StoreBypass = string(found[1])
	}
	return h
}
