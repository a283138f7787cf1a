//go:build darwin || freebsd || netbsd || openbsd || dragonfly || solaris

package poolimpl

import "golang.org/x/sys/unix"

// mapFlags needs nothing more: these systems do not count anonymous memory that is not touched.
const mapFlags = unix.MAP_PRIVATE | unix.MAP_ANON
