package guards

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// crash is the variable that makes the test binary a program that uses a block after its free.
const crash = "POOLGEN_GUARDS_CRASH"

func TestMain(m *testing.M) {
	switch os.Getenv(crash) {
	case "":
		os.Exit(m.Run())
	case "caught":
		poolrt.OnEvent(func(e poolrt.Event) {
			if e.Kind == poolrt.EventCorrupt && errors.Is(e.Err, poolrt.ErrFault) {
				fmt.Fprintln(os.Stderr, "logged: "+e.Err.Error())
			}
		})
		defer poolrt.CatchFaults()()
	}
	p := new(ItemPool)
	b, err := p.Alloc()
	if err != nil {
		panic(err)
	}
	giveUp(p, b)
	b[0]++ //poolgen:ignore PG102 this has to fail
}

func giveUp(p *ItemPool, b *[size]byte) {
	if err := p.Free(b); err != nil {
		panic(err)
	}
}

// What a program prints that ends with a fault says who has allocated and freed the block, if the goroutine has called CatchFaults. Without it, the Go runtime
// prints the address and where it was used.
func TestCrash(t *testing.T) {
	each(t, nil, nil)
	for how, want := range map[string]string{
		"caught": "logged: poolgen: guards.Item: use: memory was used that is not in use: address 0x",
		"bare":   "unexpected fault address 0x",
	} {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), crash+"="+how)
		out, err := c.CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) || !strings.Contains(string(out), "guards.TestMain") {
			t.Fatalf("%s: %v\n%s", how, err, out)
		}
		_, printed, found := strings.Cut(string(out), "panic: poolgen: guards.Item: use:")
		if how == "bare" {
			continue
		}
		for _, words := range []string{"handed out", "guards.TestMain", "freed", "guards.giveUp"} {
			if !found || !strings.Contains(printed, words) {
				t.Errorf("%q is missing in:\n%s", words, out)
			}
		}
	}
}
