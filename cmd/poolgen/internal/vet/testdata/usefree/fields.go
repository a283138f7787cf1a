package usefree

import (
	"sync/atomic"

	"example.com/vet/pools"
)

// Blocks in fields that are freed and then read for an argument of a function of one's own, which may change the field only after that.

type entry struct {
	value []byte
	v     *pools.Vertex
}

type counter struct{ n atomic.Int64 }

func (c *counter) add(n int64) { c.n.Add(n) }

func takeByte(b byte) { total.add(int64(b)) }

func takeEntry(e *entry, b byte) { e.value[0] = b }

var total counter

func fieldReadForArgument(e *entry) error {
	err := pools.FreeText(e.value)
	takeByte(e.value[0]) // want `PG102: the block is used after it was freed`
	return err
}

func fieldReadForConversion(e *entry) error {
	err := pools.FreeText(e.value)
	total.add(int64(e.value[0])) // want `PG102`
	return err
}

func fieldReadForAtomic(e *entry, n *atomic.Int64) error {
	err := pools.FreeText(e.value)
	n.Add(int64(e.value[0])) // want `PG102`
	return err
}

func fieldReadWithLaterArgument(e *entry, next func() int) error {
	err := pools.FreeVertex(e.v)
	report(e.v.X, next()) // want `PG102`
	return err
}

func report(x float32, n int) { total.add(int64(x) + int64(n)) }

// From here on, all is well.

func fieldReadBefore(e *entry) error {
	takeByte(e.value[0])
	return pools.FreeText(e.value)
}

func fieldRefilledBetween(e *entry, fill func(*entry)) error {
	err := pools.FreeText(e.value)
	fill(e)
	takeByte(e.value[0])
	return err
}

func refilled(e *entry) byte {
	e.value = []byte{1}
	return 1
}

func fieldRefilledByArgument(e *entry) error {
	err := pools.FreeText(e.value)
	report(float32(refilled(e)), int(e.value[0]))
	return err
}

func fieldAssignedBetween(e *entry, b []byte) error {
	err := pools.FreeText(e.value)
	e.value = b
	takeByte(e.value[0])
	takeEntry(e, 3)
	return err
}

func entryPassedAfterFree(e *entry) error {
	err := pools.FreeText(e.value)
	forget(e, len(e.value))
	return err
}

func forget(e *entry, n int) {
	total.add(int64(n))
	e.value = nil
}
