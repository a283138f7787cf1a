package registry

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
)

// Program returns the import path of the program's main package or, without build information, the name of its file. The build information is parsed once: that takes
// longer than a snapshot of a small pool.
var Program = sync.OnceValue(func() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Path != "" {
		return info.Path
	}
	return filepath.Base(os.Args[0])
})
