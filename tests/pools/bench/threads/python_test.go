package threads

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/poolgen/poolgen/tests/fatal"
)

// fakes stand in for the libraries: they refuse to free a block twice, or one that was not allocated.
var fakes = map[string]string{
	"torch/__init__.py": `
import itertools

__version__ = "9.8"
next_one, live = itertools.count(512, 512), set()

class _C:
    @staticmethod
    def _cuda_cudaCachingAllocator_raw_alloc(n, stream):
        assert n > 0 and stream == 77
        p = next(next_one)
        live.add(p)
        return p

    @staticmethod
    def _cuda_cudaCachingAllocator_raw_delete(p):
        live.remove(p)

class cuda:
    @staticmethod
    def init(): pass
    @staticmethod
    def current_stream():
        class stream: cuda_stream = 77
        return stream
`,
	"cupy/__init__.py": `
__version__ = "1.2"

class cuda:
    class MemoryPool:
        def malloc(self, n): return bytearray(n)
`,
}

// The script returns times for the requested number of threads, and reports a library that is not installed.
func TestPython(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	for name, text := range fakes {
		file := filepath.Join(dir, name)
		fatal.If(t, os.MkdirAll(filepath.Dir(file), 0o755))
		fatal.If(t, os.WriteFile(file, []byte(text), 0o644))
	}
	t.Setenv("PYTHONPATH", dir)
	for module, want := range map[string]string{"torch": "9.8", "cupy": "1.2", "alone": "3."} {
		p, version, err := startPython(module)
		if err != nil || !strings.HasPrefix(version, want) {
			t.Errorf("%s: %q, %v", module, version, err)
			continue
		}
		for _, kind := range []string{"blocks", "bytes"} {
			for _, n := range []int{1, 3} {
				if ns, err := p.measure(kind, n, time.Millisecond); err != nil || ns < 1 || ns > 1e8 {
					t.Errorf("%s, %s, %d threads: %v ns, %v", module, kind, n, ns, err)
				}
			}
		}
		if err := p.in.Close(); err != nil {
			t.Error(err)
		}
	}
	fatal.If(t, os.WriteFile(filepath.Join(dir, "torch", "__init__.py"), []byte("raise ImportError('no\\nCUDA')"), 0o644))
	if _, _, err := startPython("torch"); err == nil || err.Error() != "no CUDA" {
		t.Errorf("a library that cannot be imported: %v", err)
	}
}
