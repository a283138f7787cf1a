package emit

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"time"
)

// Temporary files lie in the directory of their final names. Generated files have other names, and Compare skips temporary files.
const (
	tempPrefix = ".poolgen-" // the go command ignores files whose names start with a dot
	tempSuffix = ".tmp"
	// A temporary file this old was left by a poolgen that was killed: Apply takes well under a second.
	abandoned = time.Hour
)

// newRun returns a word that distinguishes the temporary files of one run from those of other runs in the same directory. A process ID does not
// suffice: two containers that share a directory may have the same IDs.
func newRun() string { return fmt.Sprintf("%016x", rand.Uint64()) }

// tempName names a temporary file of a run.
func tempName(run, role, name string) string {
	return tempPrefix + run + "-" + role + "-" + name + tempSuffix
}

func isTemp(name string) bool {
	return strings.HasPrefix(name, tempPrefix) && strings.HasSuffix(name, tempSuffix)
}

// sweep removes temporary files that a killed poolgen left behind. It ignores failures.
func (f Dir) sweep() {
	root, err := f.open()
	if err != nil {
		return
	}
	defer root.Close()
	entries, _ := fs.ReadDir(root.FS(), ".")
	for _, entry := range entries {
		if !isTemp(entry.Name()) || !entry.Type().IsRegular() {
			continue
		}
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > abandoned {
			root.Remove(entry.Name())
		}
	}
}
