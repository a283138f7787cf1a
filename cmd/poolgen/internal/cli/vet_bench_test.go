package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/gomod"
	"github.com/poolgen/poolgen/tests/fatal"
)

// vettedHead begins a package of the module that is vetted. %[1]d is the number of the package, %[2]d changes with each run.
const vettedHead = `// Package p%[1]d, run %[2]d.
package p%[1]d

import (
	"errors"
	"fmt"

	"example.com/app/pools"
)

var errEmpty = errors.New("empty")
`

// vettedFunction is one of its thirty functions, of the usual kind.
const vettedFunction = `
func load%[1]d(n int, read func([]byte) error) (sum float32, err error) {
	v, err := pools.AllocVertex()
	if err != nil {
		return 0, fmt.Errorf("load: %%w", err)
	}
	defer func() { err = errors.Join(err, pools.FreeVertex(v)) }()
	for i := range n {
		b, err := pools.AllocText(64 + i)
		if err != nil {
			return 0, err
		}
		if err := read(b); err != nil {
			return 0, errors.Join(err, pools.FreeText(b))
		}
		switch {
		case b[0] == 0 && i > 3:
			if err := pools.FreeText(b); err != nil {
				return 0, err
			}
			return sum, errEmpty
		case b[0] > 3 || n > 4:
			v.X++
		}
		sum += v.X
		if err := pools.FreeText(b); err != nil {
			return 0, err
		}
	}
	return sum, nil
}
`

// BenchmarkVet100 measures poolgen vet on a module of a hundred packages that all use pools, with three thousand functions. The target is less than 10 s on two cores
// with the standard library in the build cache:
//
//	go test -run '^$' -bench Vet100 -benchtime 3x ./cmd/poolgen/internal/cli
//
// In changed, every package has changed since the last run, and the go command builds and vets all of them; in again, none has changed.
func BenchmarkVet100(b *testing.B) {
	dir := b.TempDir()
	program := filepath.Join(b.TempDir(), "poolgen")
	if out, err := exec.Command("go", "build", "-o", program, "github.com/poolgen/poolgen/cmd/poolgen").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	source, err := gomod.Go{Environ: os.Environ()}.Locate(context.Background())
	fatal.If(b, err)
	write := func(run int) {
		files := map[string][]byte{
			"pools/poolgen.yaml": []byte("version: 1\npackage: pools\npools:\n  - {name: Vertex, item: Vertex}\n  - {name: Text}\n"),
			"pools/vertex.go":    []byte("package pools\n\ntype Vertex struct{ X, Y, Z float32 }\n"),
		}
		for i := range 100 {
			text := fmt.Sprintf(vettedHead, i, run)
			for k := range 30 {
				text += fmt.Sprintf(vettedFunction, k)
			}
			files[fmt.Sprintf("p%d/p.go", i)] = []byte(text)
		}
		fatal.If(b, gomod.Write(dir, "example.com/app", source, files))
	}
	poolgen := func(args ...string) {
		cmd := exec.Command(program, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
	}
	run := int(os.Getpid()) * 1000
	write(run)
	poolgen("generate", "pools/poolgen.yaml")
	poolgen("vet", "./...")
	b.Run("changed", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			run++
			write(run)
			b.StartTimer()
			poolgen("vet", "./...")
		}
	})
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			poolgen("vet", "./...")
		}
	})
}
