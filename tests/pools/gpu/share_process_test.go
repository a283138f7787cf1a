//go:build !cudasim

package gpu

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// other is the other process.
type other struct {
	*exec.Cmd
	to   *os.File
	from *bufio.Reader
	out  strings.Builder
}

func start(l *lab, name string, pool *os.File) *other {
	in, to, err := os.Pipe()
	l.ok("pipe", err)
	from, out, err := os.Pipe()
	l.ok("pipe", err)
	o := &other{Cmd: exec.Command(os.Args[0], "-test.run=^TestShare$", "-test.v"), to: to, from: bufio.NewReader(from)}
	o.Env = append(os.Environ(), importerOf+"="+name)
	o.ExtraFiles = []*os.File{pool, in, out}
	o.Stdout, o.Stderr = &o.out, &o.out
	l.ok("start", o.Start())
	for _, f := range o.ExtraFiles { // the other process has its own copies
		l.ok("close", f.Close())
	}
	l.Cleanup(func() {
		_ = to.Close()
		_ = from.Close()
		_ = o.Process.Kill()
		if l.Failed() {
			time.Sleep(100 * time.Millisecond)
			l.Logf("the other process:\n%s", o.out.String())
		}
	})
	return o
}

// say sends a line, and waits for the answer.
func (o *other) say(l *lab, line string) {
	_, err := fmt.Fprintln(o.to, line)
	l.ok("send", err)
	if answer, err := o.from.ReadString('\n'); answer != "done\n" {
		l.Fatalf("%s: the other process answers %q, %v", line, answer, err)
	}
}

// end tells the other process to verify its blocks and exit.
func (o *other) end(l *lab) {
	o.say(l, "end")
	l.ok("close", o.to.Close())
	if err := o.Wait(); err != nil {
		l.Errorf("the other process: %v", err)
	}
}
