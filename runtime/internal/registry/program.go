package registry

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
)

// Program returns the import path of the main package or, without build information, the name of the executable file. The build information is parsed once, as each
// snapshot has the name.
var Program = sync.OnceValue(func() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Path != "" {
		return info.Path
	}
	return filepath.Base(os.Args[0])
})
