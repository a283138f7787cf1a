package runtime

import "golang.org/x/sys/unix"

// mapFlags: a mapping counts for nothing until it is touched, so GPU-sized chunks can be reserved on a small machine.
const mapFlags = unix.MAP_PRIVATE | unix.MAP_ANON | unix.MAP_NORESERVE
