//go:build cudasim && linux

package sharing

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// The exporter is a second process of this test, with a socket as its file 3, through which it sends the file of the pool. For each line that it
// receives it takes one more step.
const exporterOf = "POOLGEN_TEST_EXPORTER"

// exports is the exporter: it exports a pool, then shares one block after the other.
func exports(name string) {
	p := poolOf(subjects[name].fresh())
	lines := bufio.NewScanner(os.Stdin)
	var f *os.File
	for i := 0; lines.Scan(); i++ {
		if i == 0 {
			f = rig.Must(p.export())
			failed(syscall.Sendmsg(3, []byte{1}, syscall.UnixRights(int(f.Fd())), nil, 0))
			fmt.Println("exported")
			continue
		}
		b := rig.Must(p.alloc(1000))
		failed(fill(b, byte(i)))
		failed(cuda.Device(0).Synchronize())
		s := rig.Must(p.share(b))
		fmt.Println(hex.EncodeToString(s[:]))
	}
}

// victim is the exporter, and the pool that the test imports from it.
type victim struct {
	child
	socket int
	pool   pool
	file   *os.File
	tokens []cuda.Shared
	blocks []any
}

// more lets the exporter take one step, and returns its answer.
func (v *victim) more(t *testing.T) string {
	t.Helper()
	fmt.Fprintln(v.to)
	line, err := v.from.ReadString('\n')
	fatal.If(t, err)
	return strings.TrimSpace(line)
}

// startExporter starts the exporter and imports its pool.
func startExporter(t *testing.T, name string) *victim {
	t.Helper()
	ends := rig.Must(syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0))
	theirs := os.NewFile(uintptr(ends[1]), "socket")
	v := &victim{socket: ends[0], child: child{Cmd: exec.Command(os.Args[0], "-test.run=^TestExporterKilled$")}}
	v.Env = append(os.Environ(), exporterOf+"="+name)
	v.ExtraFiles, v.Stderr = []*os.File{theirs}, os.Stderr
	v.to, v.from = rig.Must(v.StdinPipe()), bufio.NewReader(rig.Must(v.StdoutPipe()))
	rig.Check(t, "start", v.Start())
	rig.Check(t, "close", theirs.Close())
	v.more(t)
	b, rights := make([]byte, 1), make([]byte, 64)
	_, n, _, _, err := syscall.Recvmsg(v.socket, b, rights, syscall.MSG_CMSG_CLOEXEC)
	rig.Check(t, "receive", err)
	fds := rig.Must(syscall.ParseUnixRights(&rig.Must(syscall.ParseSocketControlMessage(rights[:n]))[0]))
	v.file = os.NewFile(uintptr(fds[0]), "pool")
	return v
}

// kill kills the process, which cannot clean up.
func (v *victim) kill(t *testing.T) {
	rig.Check(t, "kill", v.Process.Kill())
	_ = v.Wait()
}

// share makes the exporter share a block.
func (v *victim) share(t *testing.T) {
	var s cuda.Shared
	rig.Must(hex.Decode(s[:], []byte(v.more(t))))
	v.tokens = append(v.tokens, s)
}

// open opens the block that was shared last.
func (v *victim) open(t *testing.T) {
	v.blocks = append(v.blocks, rig.Must(v.pool.call("Open", v.tokens[len(v.tokens)-1])))
}

// steps are the steps before the exporter is killed.
var steps = []struct {
	what string
	do   func(v *victim, t *testing.T, name string)
}{
	{"export", func(*victim, *testing.T, string) {}},
	{"share", func(v *victim, t *testing.T, _ string) { v.share(t) }},
	{"import", func(v *victim, t *testing.T, name string) { v.pool = poolOf(rig.Must(subjects[name].open(v.file))) }},
	{"open", func(v *victim, t *testing.T, _ string) { v.open(t) }},
	{"share again", func(v *victim, t *testing.T, _ string) { v.share(t) }},
	{"open again", func(v *victim, t *testing.T, _ string) { v.open(t) }},
	{"share more", func(v *victim, t *testing.T, _ string) { v.share(t); v.share(t) }},
}

// TestExporterKilled kills the exporter after each step. The importer keeps its open blocks, its further calls succeed or return an error, and it
// closes without a leak.
func TestExporterKilled(t *testing.T) {
	if name := os.Getenv(exporterOf); name != "" {
		exports(name)
		os.Exit(0)
	}
	for _, name := range []string{"Cell", "Row", "Direct", "VirtualCell", "VirtualRow", "VirtualDirect"} {
		for last, s := range steps {
			t.Run(name+" after "+s.what, func(t *testing.T) {
				machine(t, sim.Config{})
				v := startExporter(t, name)
				for _, s := range steps[:last+1] {
					s.do(v, t, name)
				}
				v.kill(t)
				v.afterwards(t, name)
			})
		}
	}
}

// afterwards uses the imported pool without the exporter.
func (v *victim) afterwards(t *testing.T, name string) {
	if !v.pool.IsValid() {
		p, err := subjects[name].open(v.file)
		if err != nil {
			t.Logf("import: %v", err)
		} else {
			v.pool = poolOf(p)
		}
	}
	if v.pool.IsValid() {
		for i, b := range v.blocks {
			if !holds(b, byte(i+1)) {
				t.Errorf("block %d has lost its contents", i)
			}
			rig.Check(t, "write", fill(b, 9))
		}
		for i := len(v.blocks); i < len(v.tokens); i++ {
			b, err := v.pool.call("Open", v.tokens[i])
			switch {
			case err != nil && strings.HasPrefix(name, "Virtual"): // its memory was received before the exporter was killed
				t.Errorf("open: %v", err)
			case err != nil: // depends on the driver
				t.Logf("open: %v", err)
			case !holds(b, byte(i+1)):
				t.Errorf("block %d is opened with other contents", i)
			default:
				v.blocks = append(v.blocks, b)
			}
		}
		if _, err := v.pool.call("Open", cuda.Shared{1, 2, 3}); err == nil {
			t.Error("a block that was not shared is opened")
		}
		for _, b := range v.blocks {
			rig.Check(t, "free", v.pool.do("Free", b))
		}
		rig.Check(t, "close", v.pool.do("Close"))
	}
	rig.Check(t, "close file", v.file.Close())
	rig.Check(t, "close socket", syscall.Close(v.socket))
}
