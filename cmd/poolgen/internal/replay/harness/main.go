package harness

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
)

// Options say how a trace is run.
type Options struct {
	Runs       int // each through a new pool
	Goroutines int // that share the events
	Busy       int // events of the trace that work on a stream takes which is queued before each free there; 0: there is no such work
	Columns    int // of the chart of reserved bytes over the trace; 0: no chart
}

// Result is what the replay command reads back. Sizes are in bytes.
type Result struct {
	Counts
	PeakReserved  int64   // by the pool's own count
	Varied        bool    // the runs differed: PeakReserved is the largest, and the Counts are those of one run
	NSPerOp       float64 // time of all calls over their number, of the median run
	DriverNSPerOp float64 // the part of it that the pool's source and the driver took
	DriverCalls   int64   // of those
	Reserved      []int64 // by column
	Skipped       string  // why nothing could be run; "" if something was
	Note          string  // that another allocator is in force than the pool file asks for; "" if not
	Driver        string  // library of the driver; "simulator" for the simulated one, "" if the pool needs none
}

// Main is the main function of the program: its arguments are the name of a pool, the file of the tape, the [Options] as JSON and the file to
// write the [Result] to. driver names the driver's library. It returns the exit status.
func Main(pools map[string]func() Pool, driver func() string, args []string, stderr io.Writer) int {
	if err := serve(pools, driver, args); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

func serve(pools map[string]func() Pool, driver func() string, args []string) error {
	if len(args) != 4 || pools[args[0]] == nil {
		return fmt.Errorf("replay: unexpected arguments %q", args)
	}
	tape, err := Load(args[1])
	if err != nil {
		return err
	}
	var o Options
	if err := json.Unmarshal([]byte(args[2]), &o); err != nil {
		return err
	}
	pool := pools[args[0]]()
	res, err := o.replay(&pool, tape)
	if err != nil {
		return err
	}
	res.Driver = driver()
	data, err := json.Marshal(res)
	if err != nil {
		return err
	}
	return os.WriteFile(args[3], data, 0o644)
}

// NoDriver is for programs that call none.
func NoDriver() string { return "" }

// replay measures a pool that works on this machine.
func (o Options) replay(pool *Pool, tape *Tape) (res Result, err error) {
	note, skipped := pool.try(tape)
	if skipped != nil {
		return Result{Skipped: cause(skipped).Error()}, nil
	}
	if res, err = o.measure(pool, tape); err != nil {
		return res, err
	}
	res.Note = note
	if o.Columns > 0 {
		res.Reserved, err = o.curve(pool, tape)
	}
	return res, err
}

// try opens the pool, and reports whether its memory comes from the allocator that the pool file names.
func (p *Pool) try(tape *Tape) (note string, err error) {
	pool, err := p.Open(Setup{Streams: tape.streams()})
	if err != nil {
		return "", err
	}
	if allocator, reason := pool.Effective(); reason != "" {
		note = fmt.Sprintf("the allocator in force is %s: %s", allocator, reason)
	}
	return note, pool.Close()
}

// cause returns the error that the error of a pool wraps: the outer one also reports the pool's figures.
func cause(err error) error {
	for {
		several, ok := err.(interface{ Unwrap() []error })
		if !ok || len(several.Unwrap()) == 0 {
			return err
		}
		err = several.Unwrap()[len(several.Unwrap())-1]
	}
}

// measure runs the tape several times and returns the result with the time of the median run and the largest peak of reserved bytes. All other counts
// must be the same in all runs, or no figure of the pool means anything. Goroutines and streams are an exception, because their order varies.
func (o Options) measure(pool *Pool, tape *Tape) (res Result, err error) {
	// No more threads than goroutines, because pools with a cache for each processor would use several, and no garbage collection while the clock
	// runs.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(min(o.Goroutines, runtime.NumCPU())))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var all []run
	for range o.Runs {
		r, err := o.once(pool, tape)
		if err != nil {
			return res, err
		}
		all = append(all, r)
		res.PeakReserved = max(res.PeakReserved, r.peakReserved)
		res.Varied = res.Varied || r.peakReserved != all[0].peakReserved || r.Counts != all[0].Counts
		if r.Counts != all[0].Counts && o.Goroutines == 1 && tape.streams() == 0 {
			return res, fmt.Errorf("two runs of one trace differ: %+v and %+v", all[0].Counts, r.Counts)
		}
	}
	res.Counts = all[0].Counts
	slices.SortStableFunc(all, func(a, b run) int { return cmp.Compare(a.nsPerOp(), b.nsPerOp()) })
	median := all[len(all)/2]
	res.NSPerOp, res.DriverNSPerOp, res.DriverCalls = median.nsPerOp(), median.driverNSPerOp(o.Goroutines), median.driverCalls
	return res, nil
}
