package harness

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
)

// Loop runs a tape through a fresh pool.
type Loop func(*Tape) (Result, error)

// runs is how often a trace is run, each time through a fresh pool: the median of three drops one outlier.
const runs = 3

// Main is the main function of the program: its arguments are the name of a loop, the file of the tape and the
// file to write the [Result] to. It returns the exit status.
func Main(loops map[string]Loop, args []string, stderr io.Writer) int {
	if err := serve(loops, args); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

func serve(loops map[string]Loop, args []string) error {
	if len(args) != 3 || loops[args[0]] == nil {
		return fmt.Errorf("replay: unexpected arguments %q", args)
	}
	tape, err := Load(args[1])
	if err != nil {
		return err
	}
	res, err := measure(loops[args[0]], tape)
	if err != nil {
		return err
	}
	data, err := json.Marshal(res)
	if err != nil {
		return err
	}
	return os.WriteFile(args[2], data, 0o644)
}

// measure runs the tape several times and returns the result with the median time and the largest peak of
// reserved bytes. All else that is counted is the same in all runs, or no figure of the pool means anything.
func measure(loop Loop, tape *Tape) (Result, error) {
	// One thread, and no collection of garbage while the clock runs: pools with caches for each core use one.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var first Result
	var times []float64
	for range runs {
		res, err := loop(tape)
		if err != nil {
			return Result{}, err
		}
		times = append(times, res.NSPerOp)
		res.NSPerOp = 0
		if len(times) == 1 {
			first = res
		}
		first.Varied = first.Varied || res.PeakReserved != first.PeakReserved
		first.PeakReserved = max(first.PeakReserved, res.PeakReserved)
		res.PeakReserved, res.Varied = first.PeakReserved, first.Varied
		if res != first {
			return Result{}, fmt.Errorf("two runs of one trace differ: %+v and %+v", first, res)
		}
	}
	slices.Sort(times)
	first.NSPerOp = times[len(times)/2]
	return first, nil
}
