package threads

import (
	"bufio"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

//go:embed python.py
var pythonScript string

// pythons are the pools of Python libraries, each in a process of its own that runs one turn per request. Those that this machine does not have are
// printed.
func pythons(w io.Writer) (all []subject) {
	for _, x := range []struct{ name, module, note string }{
		{"PyTorch", "torch", "its caching allocator, called from Python"},
		{"CuPy", "cupy", "its memory pool, called from Python"},
		{"Python", "alone", "two calls that do nothing"},
	} {
		p, version, err := startPython(x.module)
		if err != nil {
			fmt.Fprintf(w, "%s is left out: %v\n", x.name, err)
			continue
		}
		for _, kind := range []string{"blocks", "bytes"} {
			all = append(all, subject{name: x.name + " " + version, note: x.note, kind: "device " + kind,
				timed: func(n int, span time.Duration) (float64, error) { return p.measure(kind, n, span) }})
		}
	}
	return all
}

// python is a process that measures.
type python struct {
	in  io.WriteCloser
	out *bufio.Scanner
}

// startPython starts the script for a module.
func startPython(module string) (p *python, version string, err error) {
	cmd := exec.Command("python3", "-c", pythonScript, module)
	cmd.Stderr = os.Stderr
	p = new(python)
	if p.in, err = cmd.StdinPipe(); err != nil {
		return nil, "", err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	if err := cmd.Start(); err != nil {
		return nil, "", err
	}
	p.out = bufio.NewScanner(out)
	first, err := p.line()
	version, ready := strings.CutPrefix(first, "ready ")
	if err == nil && !ready {
		err = errors.New(first)
	}
	if err != nil {
		_ = p.in.Close()
		_ = cmd.Wait()
	}
	return p, version, err
}

func (p *python) line() (string, error) {
	if !p.out.Scan() {
		return "", errors.New("python3 has ended")
	}
	return p.out.Text(), nil
}

// measure returns the time of one operation over n threads, in ns.
func (p *python) measure(kind string, n int, span time.Duration) (float64, error) {
	if _, err := fmt.Fprintln(p.in, kind, n, span.Seconds()); err != nil {
		return 0, err
	}
	text, err := p.line()
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(text, 64)
}
