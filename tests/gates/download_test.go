package gates

import (
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	version "golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/tempmod"
)

// downloadLimit bounds what "go get" downloads, in bytes. Code and its tests are 3.7 MB; data that tests read belongs into modules below.
const downloadLimit = 3_900_000

// tracked is a file of the working tree.
type tracked struct{ root, name string }

func (f tracked) Path() string                 { return f.name }
func (f tracked) Lstat() (os.FileInfo, error)  { return os.Lstat(filepath.Join(f.root, f.name)) }
func (f tracked) Open() (io.ReadCloser, error) { return os.Open(filepath.Join(f.root, f.name)) }

// counter counts written bytes.
type counter struct{ bytes int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.bytes += int64(len(p))
	return len(p), nil
}

// download returns the size of the module's zip as proxies serve it, made of the given files, in bytes. Files of nested modules are left out.
func download(t *testing.T, root string, names []string) int64 {
	t.Helper()
	var files []zip.File
	for _, name := range names {
		files = append(files, tracked{root, name})
	}
	var size counter
	fatal.If(t, zip.Create(&size, version.Version{Path: tempmod.Path, Version: "v0.0.0"}, files))
	return size.bytes
}

// TestDownloadIsSmall bounds the zip of the module.
func TestDownloadIsSmall(t *testing.T) {
	root := tempmod.Root(t)
	list := exec.Command("git", "ls-files")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Skipf("git does not list the files of the module: %v", err)
	}
	var names []string
	for name := range strings.Lines(string(out)) {
		name = strings.TrimSpace(name)
		if _, err := os.Lstat(filepath.Join(root, name)); err == nil { // or the file was removed, but is still in git's index
			names = append(names, name)
		}
	}
	if size := download(t, root, names); size >= downloadLimit {
		t.Errorf("go get downloads %d bytes, and less than %d are promised: large data belongs into a module below, as generated_examples/traces/testdata is", size, downloadLimit)
	}
}

// TestLargeDownloadIsFound plants a large file, in the module and in a nested module.
func TestLargeDownloadIsFound(t *testing.T) {
	root := t.TempDir()
	random := make([]byte, downloadLimit)
	rand.NewChaCha8([32]byte{}).Read(random)
	tempmod.Write(t, root, map[string]string{"go.mod": "module m\n", "data/go.mod": "module m/data\n", "data/random": string(random)})
	if size := download(t, root, []string{"go.mod", "data/random"}); size < downloadLimit {
		t.Errorf("of a large file: %d bytes", size)
	}
	if size := download(t, root, []string{"go.mod", "data/go.mod", "data/random"}); size > 1000 {
		t.Errorf("of one in a module below: %d bytes", size)
	}
}
