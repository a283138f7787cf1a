package poolimpl

import "golang.org/x/sys/unix"

// mapFlags has a mapping count for nothing until it is touched. So a small machine can reserve chunks as large as the memory of a GPU.
const mapFlags = unix.MAP_PRIVATE | unix.MAP_ANON | unix.MAP_NORESERVE
