package budgets

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
)

const mib = 1 << 20

// given records which pool gave how many MiB to whom.
func given(t *testing.T) *[]string {
	t.Helper()
	var list []string
	t.Cleanup(poolrt.OnEvent(func(e poolrt.Event) {
		if e.Kind == poolrt.EventReclaim {
			list = append(list, e.Pool+" to "+e.For)
		}
	}))
	return &list
}

// An answer that needs more than is left gets what is empty, then what the cache drops, and at last the memory of the weights, which come back.
func TestReclaim(t *testing.T) {
	machine(t)
	defer func() {
		if err := Pools.CloseAll(); err != nil {
			t.Error(err)
		}
		promptDefault, weightDefault, answerDefault = PromptPool{}, WeightPool{}, AnswerPool{} // open for the next run
	}()
	events := given(t)
	cache := NewCache()
	weights, err := AllocWeight(64 * mib)
	if err != nil {
		t.Fatal(err)
	}
	want := []float32{1, 2, 3}
	if err := cuda.CopyToDevice(weights.Addr(), want); err != nil {
		t.Fatal(err)
	}
	for range 8 {
		if err := cache.Keep(8 * mib); err != nil {
			t.Fatal(err)
		}
	}
	if err := cache.Shrink(16 * mib); err != nil { // is empty, and stays with the pool
		t.Fatal(err)
	}
	var answers []AnswerSpan
	for i, expect := range []string{"budgets.Prompt to budgets.Answer", "budgets.Prompt to budgets.Answer", "budgets.Weight to budgets.Answer"} {
		b, err := AllocAnswer([]int{16, 40, 32}[i] * mib)
		if err != nil {
			t.Fatal(i, err)
		}
		answers = append(answers, b)
		if len(*events) == 0 || (*events)[len(*events)-1] != expect {
			t.Errorf("%d: %v", i, *events)
		}
	}
	if s := DefaultPromptPool().Stats(); s.Reserved < 8*mib {
		t.Errorf("%d bytes are left of the cache, and 8 MiB are guaranteed", s.Reserved)
	}
	if s := DefaultWeightPool().Stats(); s.Asleep != 1 || s.Given != 64*mib {
		t.Errorf("%+v", s)
	}
	for _, b := range answers {
		if err := FreeAnswer(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := DefaultWeightPool().Wake(context.Background()); err != nil { // has the empty chunks of the others
		t.Fatal(err)
	}
	got := make([]float32, len(want))
	if err := cuda.CopyToHost(got, weights.Addr()); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v: %v", got, err)
	}
	if err := errors.Join(FreeWeight(weights), cache.Close()); err != nil {
		t.Error(err)
	}
}
