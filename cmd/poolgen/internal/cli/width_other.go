//go:build !unix && !windows

package cli

import "os"

// columns returns 0: the width of a terminal is not known.
func columns(*os.File) int { return 0 }
