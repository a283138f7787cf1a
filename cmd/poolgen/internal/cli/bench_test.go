package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
)

// BenchmarkGenerate100 measures `poolgen generate` for a file of a hundred pools whose output exists already. The target is less than
// 300 ms for the whole command on two cores:
//
//	go test -run '^$' -bench Generate100 -count 6 ./cmd/poolgen/internal/cli
//
// Command is the command inside this process, which has parsed and analysed the templates, with the default garbage collection; Process is the real program, from start to exit.
// In alike, pools have few sets of parameters; in mixed, no two pools have the same. In amid, the pools are those of alike, at the
// root of a module of a thousand packages, which are searched for orphans.
func BenchmarkGenerate100(b *testing.B) {
	program := filepath.Join(b.TempDir(), "poolgen")
	if out, err := exec.Command("go", "build", "-o", program, "github.com/poolgen/poolgen/cmd/poolgen").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for name, text := range map[string]string{"alike": alike(), "mixed": mixed(), "amid": alike()} {
		dir := b.TempDir()
		for file, content := range map[string]string{"poolgen.yaml": text, "go.mod": "module pools\n", "pools.go": "package pools\n"} {
			fatal.If(b, os.WriteFile(filepath.Join(dir, file), []byte(content), 0o644))
		}
		if name == "amid" {
			surround(b, dir)
		}
		command := func(b *testing.B) {
			var stderr bytes.Buffer
			p := Process{Args: []string{"generate"}, Dir: dir, Stdout: io.Discard, Stderr: &stderr}
			if code := Main(b.Context(), p); code != ExitDone {
				b.Fatalf("exit code %d\n%s", code, &stderr)
			}
		}
		command(b)
		b.Run(name+"/command", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				command(b)
			}
		})
		b.Run(name+"/process", func(b *testing.B) {
			user := 0.0
			for b.Loop() {
				cmd := exec.Command(program, "generate")
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
				user += cmd.ProcessState.UserTime().Seconds()
			}
			b.ReportMetric(user/float64(b.N)*1e3, "user-ms/op")
		})
	}
}

// surround makes a thousand packages of four files below dir.
func surround(b *testing.B, dir string) {
	for i := range 1000 {
		pkg := filepath.Join(dir, fmt.Sprintf("area%d", i/50), fmt.Sprintf("package%d", i))
		fatal.If(b, os.MkdirAll(pkg, 0o755))
		for _, name := range []string{"a.go", "b.go", "a_test.go", "conn_pool.go"} {
			fatal.If(b, os.WriteFile(filepath.Join(pkg, name), []byte("package p\n"), 0o644))
		}
	}
}

var suballocators = []string{"fixed", "fixed", "heap", "heap\n    fit: best", "binned", "classes", "ring", "bump"}

// alike writes a file of a hundred pools of all kinds.
func alike() string {
	return hundred("", func(i int) (name, keys string) {
		keys = "concurrency: " + []string{"mutex", "none"}[i%2]
		if i%8 < 2 {
			keys = fmt.Sprintf("item: '[%d]uint64'\n    ", i%7+1) + keys
		}
		return fmt.Sprintf("Pool%c%cx", 'A'+i/26, 'a'+i%26), keys
	})
}

// mixed writes a file of a hundred pools of all kinds with names, types and features that vary.
func mixed() string {
	return hundred("imports: {mesh: example.com/mesh}\n", func(i int) (name, keys string) {
		list := []string{"concurrency: " + []string{"mutex", "none"}[i/3%2], fmt.Sprintf("item: mesh.%s", strings.Repeat("Type", i%5+1))}
		for k, key := range []string{"stats: off", "zero: always", "trim: {keep: 1MiB}", "limit: 1GiB", "alignment: 64"} {
			if (i/8*5+i)>>k&1 == 1 {
				list = append(list, key)
			}
		}
		return fmt.Sprintf("%c%s%d", 'A'+i%26, strings.Repeat("word", i%7), i), strings.Join(list, "\n    ")
	})
}

// hundred writes the pool file; pool returns the name and the keys of each pool, except its suballocator.
func hundred(top string, pool func(i int) (name, keys string)) string {
	var b strings.Builder
	b.WriteString("version: 1\n" + top + "pools:\n")
	for i := range 100 {
		name, keys := pool(i)
		fmt.Fprintf(&b, "  - name: %s\n    suballocator: %s\n    %s\n", name, suballocators[i%len(suballocators)], keys)
	}
	return b.String()
}
