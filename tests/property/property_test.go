package property

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/large"
	"github.com/poolgen/poolgen/tests/tempmod"
)

var (
	count = flag.Int("property.n", large.Or(fewPools, 0), "how many pools to generate and try")
	seed  = flag.Uint64("property.seed", 1, "what pools are drawn from")
	keep  = flag.String("property.keep", "", "new directory to leave the packages in")
)

// fewPools is the number of pools that a large run without flags draws.
const fewPools = 40

// TestPools generates packages of random pools and tests them.
func TestPools(t *testing.T) {
	if testing.Short() || *count == 0 {
		t.Skip("builds and runs many packages")
	}
	packs, files := newPacks(t, *count, anyPool)
	for _, p := range packs {
		files[p.name+"/pools_test.go"] = p.test()
	}
	dir := newModule(t, packs, files)
	report(t, packs, tryOut(t, dir))
}

// report fails the test for each package with the output of its failure.
func report(t *testing.T, packs map[string]*pack, failed map[string]string) {
	t.Helper()
	for name, out := range failed {
		if p := packs[name]; p != nil {
			t.Errorf("%s, drawn from -property.seed=%d:\n%s\n%s", name, p.seed, out, p.text)
		} else {
			t.Errorf("%s:\n%s", name, out)
		}
	}
}

// newModule makes a module of the packages, generates their pools, and copies them to where -property.keep says.
func newModule(t *testing.T, packs map[string]*pack, files map[string]string) (dir string) {
	t.Helper()
	dir = tempmod.New(t, module, files)
	var poolFiles []string
	for name := range packs {
		poolFiles = append(poolFiles, name+"/poolgen.yaml")
	}
	generate(t, dir, poolFiles)
	if *keep != "" {
		fatal.If(t, os.CopyFS(filepath.Join(*keep, t.Name()), os.DirFS(dir)))
	}
	return dir
}

// generate runs poolgen on pool files, which must not be refused.
func generate(t *testing.T, dir string, files []string) {
	t.Helper()
	out, diag, err := tempmod.Command{Dir: dir, Temporary: true}.Run(tempmod.Poolgen(t), append([]string{"generate"}, files...)...)
	if err == nil {
		return
	}
	for _, name := range files {
		if strings.Contains(diag, name) {
			text, _ := os.ReadFile(filepath.Join(dir, name))
			t.Errorf("%s:\n%s", name, text)
		}
	}
	t.Fatalf("poolgen generate: %v\n%s%s", err, out, diag)
}

// tryOut vets the packages, for 32 bits as well, and runs their tests. It returns the output of those that fail.
func tryOut(t *testing.T, dir string) map[string]string {
	t.Helper()
	failed := runTests(t, dir)
	command := tempmod.Command{Dir: dir, Temporary: true, Env: []string{"GOARCH=386", "CGO_ENABLED=0"}}
	args := []string{"vet", "./..."}
	if *count > fewPools && runtime.GOOS == "linux" && runtime.GOARCH == "amd64" { // can also run 32-bit programs
		args = []string{"test", "./..."}
	}
	if stdout, stderr, err := command.Go(args...); err != nil {
		failed["386"] = stdout + stderr
	}
	return failed
}

// runTests vets the packages and runs their tests, with flags of go test. It returns the output of those that fail.
func runTests(t *testing.T, dir string, flags ...string) map[string]string {
	t.Helper()
	failed := map[string]string{}
	args := append([]string{"test", "-json", "-vet=all"}, flags...)
	stdout, stderr, err := tempmod.Command{Dir: dir, Temporary: true}.Go(append(args, "./...")...)
	read(t, stdout, failed)
	if err != nil && len(failed) == 0 {
		t.Fatalf("go test: %v\n%s", err, stderr)
	}
	return failed
}

// read collects the failures from the events of go test.
func read(t *testing.T, events string, failed map[string]string) {
	output, bad := map[string]*strings.Builder{}, map[string]bool{}
	for line := range strings.Lines(events) {
		var e struct{ Action, ImportPath, Package, Output string }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(e.Package+e.ImportPath, module+"/"), " ")
		if output[name] == nil {
			output[name] = &strings.Builder{}
		}
		switch e.Action {
		case "output", "build-output":
			if !strings.HasPrefix(strings.TrimSpace(e.Output), "=== RUN") && !strings.Contains(e.Output, "--- PASS") {
				output[name].WriteString(e.Output)
			}
		case "fail", "build-fail":
			bad[name] = true
		}
	}
	for name := range bad {
		failed[name] = fmt.Sprint(output[name])
	}
}
