package cli

import (
	"os"

	"golang.org/x/sys/windows"
)

// columns returns the width of a terminal, or 0.
func columns(file *os.File) int {
	var info windows.ConsoleScreenBufferInfo
	if err := windows.GetConsoleScreenBufferInfo(windows.Handle(file.Fd()), &info); err != nil {
		return 0
	}
	return int(info.Window.Right) - int(info.Window.Left)
}
