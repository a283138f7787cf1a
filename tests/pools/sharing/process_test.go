//go:build cudasim

package sharing

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// The other process is a second process of this test, with the file of the pool as its file 3. It reads descriptions, answers each with the contents of the
// block, and then writes another value to the block.
const importerOf = "POOLGEN_TEST_IMPORTER"

// child is the other process.
type child struct {
	*exec.Cmd
	to   io.WriteCloser
	from *bufio.Reader
}

// start starts the other process for a pool.
func start(t *testing.T, name string, f *os.File) child {
	t.Helper()
	c := child{Cmd: exec.Command(os.Args[0], "-test.run=^TestTwoProcesses$")}
	c.Env = append(os.Environ(), importerOf+"="+name)
	c.ExtraFiles, c.Stderr = []*os.File{f}, os.Stderr
	c.to = rig.Must(c.StdinPipe())
	c.from = bufio.NewReader(rig.Must(c.StdoutPipe()))
	rig.Check(t, "start", c.Start())
	return c
}

// tell waits for the work on a block, sends its description and checks the answer.
func (c child) tell(t *testing.T, s cuda.Shared, value byte) {
	t.Helper()
	rig.Check(t, "wait", cuda.Device(0).Synchronize())
	fmt.Fprintln(c.to, hex.EncodeToString(s[:]))
	if line, err := c.from.ReadString('\n'); strings.TrimSpace(line) != fmt.Sprint("opened ", value) {
		t.Fatalf("the other process says %q, %v", line, err)
	}
}

func TestTwoProcesses(t *testing.T) {
	if name := os.Getenv(importerOf); name != "" {
		imports(name)
		os.Exit(0)
	}
	for _, name := range []string{"Cell", "Row", "Direct", "VirtualCell", "VirtualRow", "VirtualDirect"} {
		for _, end := range []string{"importer first", "importer killed", "exporter first"} {
			t.Run(name+" "+end, func(t *testing.T) {
				if end == "exporter first" && !strings.HasPrefix(name, "Virtual") {
					t.Skip("pools of the driver need the importer before they share")
				}
				machine(t, sim.Config{})
				p := poolOf(subjects[name].fresh())
				b := rig.Must(p.alloc(100)) // shared before there is an importer
				rig.Check(t, "fill", fill(b, 1))
				s := rig.Must(p.share(b))
				f := rig.Must(p.export())
				c := start(t, name, f)
				rig.Check(t, "close file", f.Close())
				c.tell(t, s, 1)
				for i := byte(2); i < 8; i++ { // and while there is one
					b := rig.Must(p.alloc(1000))
					rig.Check(t, "fill", fill(b, i))
					c.tell(t, rig.Must(p.share(b)), i)
					if !holds(b, i+100) {
						t.Errorf("block %d does not have what the other process wrote", i)
					}
				}
				if end == "importer killed" {
					rig.Check(t, "kill", c.Process.Kill())
					_ = c.Wait()
					rig.Must(p.share(rig.Must(p.alloc(10))))
				}
				if end == "exporter first" {
					rig.Check(t, "close", p.do("CloseForce"))
				}
				if end != "importer killed" {
					rig.Check(t, "end", c.to.Close())
					if rest := string(rig.Must(io.ReadAll(c.from))); rest != "held\nclosed\n" {
						t.Errorf("at the end the other process answers %q", rest)
					}
					rig.Check(t, "wait", c.Wait())
				}
				rig.Check(t, "close", p.do("CloseForce"))
			})
		}
	}
}

// imports is the main function of the other process.
func imports(name string) {
	p := poolOf(rig.Must(subjects[name].open(os.NewFile(3, "pool"))))
	var blocks []any
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var s cuda.Shared
		rig.Must(hex.Decode(s[:], lines.Bytes()))
		b := rig.Must(p.call("Open", s))
		at, n := place(b)
		var got [1]byte
		failed(cuda.CopyToHost(got[:], at.Add(n-1)))
		if !holds(b, got[0]) {
			fmt.Println("mixed")
		}
		failed(fill(b, got[0]+100))
		failed(cuda.Device(0).Synchronize())
		blocks = append(blocks, b)
		fmt.Println("opened", got[0])
	}
	for i, b := range blocks { // even if the exporter has ended
		if !holds(b, byte(i+101)) {
			fmt.Println("lost")
		}
		failed(p.do("Free", b))
	}
	fmt.Println("held")
	failed(p.do("Close"))
	for _, l := range sim.Leaks() {
		fmt.Println(l)
	}
	fmt.Println("closed")
}

func failed(err error) {
	if err != nil {
		panic(err)
	}
}
