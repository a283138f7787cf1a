package threads

import (
	"github.com/poolgen/poolgen/tests/pools/bench/peers"
	"github.com/poolgen/poolgen/tests/pools/bench/trace"
)

// others are the C allocators of the machine: for blocks of one size, for the churn, for any of many blocks, and for blocks freed in order.
func others() (all []subject) {
	for _, a := range peers.Open() {
		all = append(all, subject{name: a.Name, kind: "blocks",
			start: func(n int) session { return outside(a.Pairs(n), nil) },
			moved: func(n int) session { return outside(a.MovedPairs(n)) },
		}, subject{name: a.Name, kind: "bytes",
			start: func(n int) session { return outside(a.Churn(steps(n, live), live)) },
			moved: func(n int) session { return outside(a.MovedChurn(steps(n, live))) },
		}, subject{name: a.Name, kind: "bytesMany", alone: true,
			start: func(n int) session { return outside(a.Churn(steps(n, manyLive), manyLive)) },
		}, subject{name: a.Name + ": any replaced", kind: "blocksMany",
			start: func(n int) session { return outside(a.Churn(anySlot(n, blocksLive/n), blocksLive/n)) },
		}, subject{name: a.Name, kind: "ring",
			start: func(n int) session { return outside(a.Churn(inOrder(n), flight)) },
			moved: func(n int) session { return outside(a.MovedChurn(inOrder(n))) },
		})
	}
	return all
}

// steps returns the steps of each worker's load with so many live blocks.
func steps(n, live int) [][]peers.Step {
	return each(n, func(i int) (list []peers.Step) {
		for _, s := range newLoad[struct{}](i, live).steps {
			list = append(list, peers.Step(s))
		}
		return list
	})
}

// anySlot returns steps that replace any of so many blocks of each worker.
func anySlot(n, live int) [][]peers.Step {
	return each(n, func(i int) (list []peers.Step) {
		r := trace.Seeded(i)
		for range 4 * live {
			list = append(list, peers.Step{Slot: uint32(r.Next() >> 32 * uint64(live) >> 32), Size: peers.Size})
		}
		return list
	})
}

// inOrder returns steps that replace the oldest block of each worker.
func inOrder(n int) [][]peers.Step {
	return each(n, func(int) (list []peers.Step) {
		for slot := range flight {
			list = append(list, peers.Step{Slot: uint32(slot), Size: 4096})
		}
		return list
	})
}

func outside(workers []peers.Worker, end func()) session {
	s := session{end: end}
	for _, w := range workers {
		s.workers = append(s.workers, work(w))
	}
	return s
}
