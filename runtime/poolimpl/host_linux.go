package poolimpl

import "golang.org/x/sys/unix"

// With MAP_NORESERVE, the system counts a mapping only once it is touched. So a small machine can reserve chunks as large as the memory of a GPU.
func init() { mapFlags |= unix.MAP_NORESERVE }
