package program

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/poolgen/poolgen/tests/fatal"
)

// BenchmarkStep measures a step of the program: it frees one of 10,000 blocks, allocates another of 16 to 255
// bytes, and writes to it.
func BenchmarkStep(b *testing.B) {
	p := new(SmallPool)
	var live [10_000][]byte
	random := rand.New(rand.NewPCG(1, 1))
	step := func(i int) {
		if live[i] != nil {
			fatal.If(b, p.Free(live[i]))
		}
		var err error
		if live[i], err = p.Alloc(16 + random.IntN(240)); err != nil {
			b.Fatal(err)
		}
		for j := range live[i] {
			live[i][j] = byte(i)
		}
	}
	for i := range live {
		step(i)
	}
	for b.Loop() {
		step(random.IntN(len(live)))
	}
	b.StopTimer()
	fatal.If(b, p.CloseForce())
}

// BenchmarkTag compares the processor time of the program with the tag and without, in turns on one machine.
func BenchmarkTag(b *testing.B) {
	const steps = 1_000_000
	dir := b.TempDir()
	builds := []string{"none", "pooldebug"} // tags
	for _, tag := range builds {
		c := exec.Command("go", "test", "-c", "-tags", tag, "-o", filepath.Join(dir, tag), ".")
		if out, err := c.CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
	}
	least := map[string]time.Duration{}
	for b.Loop() {
		for _, tag := range builds {
			c := exec.Command(filepath.Join(dir, tag), "-test.run", "^$", "-test.bench", "Step", "-test.benchtime", fmt.Sprint(steps, "x"))
			if out, err := c.CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
			spent := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
			if before, ok := least[tag]; !ok || spent < before {
				least[tag] = spent
			}
		}
	}
	for _, tag := range builds {
		b.ReportMetric(float64(least[tag])/steps, "ns/"+tag)
	}
	b.ReportMetric(float64(least["pooldebug"])/float64(least["none"]), "times")
	b.ReportMetric(0, "ns/op")
}
