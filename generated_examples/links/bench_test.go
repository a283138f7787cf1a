package links

import (
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"testing"
)

const (
	nodes  = 10_000_000
	hashes = 1 << 24
)

// goNode and goTable are the same table with nodes of Go's new, linked by pointers.
type goNode struct {
	key, value uint64
	next       *goNode
}

type goTable []*goNode

func (t goTable) find(key uint64) **goNode {
	link := &t[hash(key)&uint64(len(t)-1)]
	for *link != nil && (*link).key != key {
		link = &(*link).next
	}
	return link
}

func (t goTable) Get(key uint64) (value uint64, ok bool) {
	if n := *t.find(key); n != nil {
		return n.value, true
	}
	return 0, false
}

func (t goTable) Put(key, value uint64) error {
	link := t.find(key)
	if *link == nil {
		*link = &goNode{key: key}
	}
	(*link).value = value
	return nil
}

func (t goTable) Delete(key uint64) bool {
	link := t.find(key)
	if *link == nil {
		return false
	}
	*link = (*link).next
	return true
}

type table interface {
	Get(uint64) (uint64, bool)
	Put(key, value uint64) error
	Delete(uint64) bool
}

// garbage is what the rest of a program allocates beside the table.
var garbage []byte

// work fills a table with 10 million entries, replaces each of them, and looks up each of them. For each entry that is replaced, 64 bytes of garbage are made.
func work(b *testing.B, t table) {
	b.Helper()
	for key := range uint64(nodes) {
		if err := t.Put(key, key); err != nil {
			b.Fatal(err)
		}
	}
	for key := range uint64(nodes) {
		garbage = make([]byte, 64)
		if !t.Delete(key) || t.Put(key+nodes, key) != nil {
			b.Fatal(key)
		}
	}
	for key := range uint64(nodes) {
		if value, ok := t.Get(key + nodes); !ok || value != key {
			b.Fatal(key)
		}
	}
}

// report reports the processor time of the garbage collector, and the most memory that the process had so far. So each benchmark runs in a process of its own.
func report(b *testing.B, before float64) {
	b.ReportMetric((collector()-before)/float64(b.N), "gc-cpu-s/op")
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return // Linux has it
	}
	_, most, _ := strings.Cut(string(status), "VmHWM:")
	if kib, err := strconv.ParseFloat(strings.Fields(most)[0], 64); err == nil {
		b.ReportMetric(kib/1024, "MiB-RSS")
	}
}

// collector returns the processor time of the garbage collector so far, in seconds.
func collector() float64 {
	s := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/gc/mark/idle:cpu-seconds"}}
	runtime.GC() // the metrics are as old as the last collection
	metrics.Read(s)
	return s[0].Value.Float64() - s[1].Value.Float64()
}

func BenchmarkPool(b *testing.B) {
	before := collector()
	for b.Loop() {
		t, err := NewTable(hashes)
		if err != nil {
			b.Fatal(err)
		}
		work(b, t)
		if err := t.Close(); err != nil {
			b.Fatal(err)
		}
	}
	report(b, before)
}

func BenchmarkNew(b *testing.B) {
	before := collector()
	for b.Loop() {
		t := make(goTable, hashes)
		work(b, t)
		runtime.KeepAlive(t)
	}
	report(b, before)
}
