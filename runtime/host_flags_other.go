//go:build darwin || freebsd || netbsd || openbsd || dragonfly || solaris

package runtime

import "golang.org/x/sys/unix"

// mapFlags: these systems do not count untouched anonymous memory against a program.
const mapFlags = unix.MAP_PRIVATE | unix.MAP_ANON
