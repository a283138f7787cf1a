//go:build cudasim

package budgets

import (
	"errors"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// Weights that a kernel is using do not go to sleep for others, and nobody waits for the kernel.
func TestRunningWork(t *testing.T) {
	sim.Reset(sim.Config{}) // work runs when it is waited for
	defer func() {
		promptDefault, weightDefault, answerDefault = PromptPool{}, WeightPool{}, AnswerPool{} // open for the next run
	}()
	weights, err := AllocWeight(100 * mib)
	if err != nil {
		t.Fatal(err)
	}
	s, err := cuda.Device(0).NewStream()
	if err != nil {
		t.Fatal(err)
	}
	done, err := cuda.Device(0).NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(cuda.MemsetAsync(weights.Addr(), 0, weights.Bytes(), s), done.Record(s)); err != nil {
		t.Fatal(err)
	}
	if _, err := AllocAnswer(64 * mib); !errors.Is(err, poolrt.ErrLimit) {
		t.Errorf("alloc: %v", err)
	}
	if passed, err := done.Query(); passed || err != nil || DefaultWeightPool().Stats().Asleep != 0 {
		t.Errorf("the kernel has ended: %t, %v; asleep: %d", passed, err, DefaultWeightPool().Stats().Asleep)
	}
	if err := errors.Join(s.Synchronize(), FreeWeight(weights), Pools.CloseAll(), s.Close(), done.Close()); err != nil {
		t.Error(err)
	}
	for _, f := range sim.Findings() {
		t.Error(f)
	}
}
