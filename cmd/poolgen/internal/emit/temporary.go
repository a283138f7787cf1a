package emit

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"time"
)

// Temporary files lie where they will be renamed to. Generated files are not named so, and Compare passes over them.
const (
	tempPrefix = ".poolgen-" // the go command ignores files whose names start with a dot
	tempSuffix = ".tmp"
	// A temporary file this old was left by a poolgen that was killed: Apply takes well under a second.
	abandoned = time.Hour
)

// newRun returns a word that tells the temporary files of one run from those of others at work in the same directory. The number of the process would not do: in
// containers that share a directory, two may have the same.
func newRun() string { return fmt.Sprintf("%016x", rand.Uint64()) }

// tempName names a temporary file of a run.
func tempName(run, role, name string) string {
	return tempPrefix + run + "-" + role + "-" + name + tempSuffix
}

func isTemp(name string) bool {
	return strings.HasPrefix(name, tempPrefix) && strings.HasSuffix(name, tempSuffix)
}

// sweep removes temporary files that a killed poolgen left behind. It is a courtesy: failures are ignored.
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
