//go:build unix

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// columns returns the width of a terminal, or 0.
func columns(file *os.File) int {
	size, err := unix.IoctlGetWinsize(int(file.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}
