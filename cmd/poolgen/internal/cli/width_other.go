//go:build !unix && !windows

package cli

import "os"

// columns is not known.
func columns(*os.File) int { return 0 }
