package harness

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strconv"
	"time"
)

// Result is what the bench command reads back about a pool.
type Result struct {
	Rows    []Row
	Least   int64    // bytes of the smallest block, and of the largest; numbers, for pools of those
	Most    int64    //
	Notes   []string // which figures are missing, and why
	Skipped string   // why nothing was measured; "" if something was
	Driver  string   // library of the driver; "simulator" for the simulated one, "" if no pool needs a driver
}

// Main is the main function of the program: its arguments are the name of a pool, the number of turns, the length of one, the program malloc or
// nothing, and the file to write the [Result] to. driver names the driver's library. It returns the exit status.
func Main(pools map[string]func() Pool, driver func() string, args []string, stderr io.Writer) int {
	if err := serve(pools, driver, args); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

func serve(pools map[string]func() Pool, driver func() string, args []string) error {
	if len(args) != 5 || pools[args[0]] == nil {
		return fmt.Errorf("bench: unexpected arguments %q", args)
	}
	turns, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	span, err := time.ParseDuration(args[2])
	if err != nil {
		return err
	}
	pool := pools[args[0]]()
	r := bench(&pool, args[3], Options{turns, span})
	r.Driver = driver()
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return os.WriteFile(args[4], data, 0o644)
}

// NoDriver is for programs that call none.
func NoDriver() string { return "" }

// NoLimit is the limit of a pool without one.
const NoLimit = math.MaxInt64

// bench measures all cases of a pool.
func bench(p *Pool, malloc string, o Options) (r Result) {
	note := func(text string) {
		if text != "" {
			r.Notes = append(r.Notes, text)
		}
	}
	inForce, err := p.try()
	if err != nil {
		r.Skipped = cause(err).Error()
		return r
	}
	note(inForce)
	var peers []Peer
	for _, find := range p.Peers {
		some, err := find()
		if err != nil {
			note(err.Error())
		}
		peers = append(peers, some...)
	}
	if p.Malloc && malloc != "" {
		some, other, err := Remote(malloc)
		if err != nil {
			note("malloc is left out: " + err.Error())
		} else {
			defer other.Close()
			peers = append(peers, some...)
		}
	}
	cases, sizes := p.cases(runtime.GOMAXPROCS(0))
	r.Least, r.Most = int64(sizes.Least)*p.Item, int64(sizes.Most)*p.Item
	for _, c := range cases {
		rows, notes := measure(p, peers, Work{c, sizes, p.Order, p.Item, p.Chunk}, o)
		r.Rows, r.Notes = append(r.Rows, rows...), append(r.Notes, notes...)
	}
	return r
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

// try allocates one block, and reports an error if it does not come from the allocator that the pool file names.
func (p *Pool) try() (note string, err error) {
	pool, err := p.New()
	if err != nil {
		return "", err
	}
	err = pool.First()
	switch allocator, reason := pool.Effective(); {
	case allocator == "":
		err = errors.New(reason)
	case reason != "":
		note = fmt.Sprintf("the allocator in force is %s: %s", allocator, reason)
	}
	return note, errors.Join(err, pool.Close())
}
