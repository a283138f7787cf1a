//go:build cudasim

package budgets

import (
	"fmt"

	"github.com/poolgen/poolgen/cuda/sim"
)

// Two pools that take turns have nearly the whole budget, one after the other, and no pool gets what is guaranteed to another.
func Example() {
	sim.Reset(sim.Config{})
	defer func() { promptDefault, answerDefault = PromptPool{}, AnswerPool{} }() // open for the next run
	tell := func(what string, err error) {
		b := DefaultAnswerPool().Budget().Info()
		fmt.Printf("%-20s %3d MiB reserved, %d kept: %t\n", what, b.Reserved>>20, b.Kept>>20, err == nil)
	}
	prompt, err := AllocPrompt(120 << 20)
	tell("a prompt of 120 MiB:", err)
	fmt.Println(FreePrompt(prompt))
	answer, err := AllocAnswer(120 << 20)
	tell("an answer as large:", err)
	_, err = AllocAnswer(2 << 20)
	tell("2 MiB more:", err)
	prompt, err = AllocPrompt(8 << 20)
	tell("the guarantee:", err)
	fmt.Println(FreePrompt(prompt), FreeAnswer(answer), Pools.CloseAll())
	// Output:
	// a prompt of 120 MiB: 120 MiB reserved, 0 kept: true
	// <nil>
	// an answer as large:  128 MiB reserved, 0 kept: true
	// 2 MiB more:          128 MiB reserved, 0 kept: false
	// the guarantee:       128 MiB reserved, 0 kept: true
	// <nil> <nil> <nil>
}
