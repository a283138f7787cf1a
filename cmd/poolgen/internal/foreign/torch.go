package foreign

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/pickle"
)

// torchMemory bounds the bytes of memory that a snapshot takes: about five million events.
const torchMemory = 2 << 30

// maxDevices is more than the number of devices that PyTorch supports.
const maxDevices = 128

// errNoHistory says how to record a history.
var errNoHistory = errors.New("this snapshot of PyTorch has no history of allocations: call torch.cuda.memory._record_memory_history() " +
	"before what is to be traced, and torch.cuda.memory._dump_snapshot(file) after it")

// readTorch reads a file of torch.cuda.memory._dump_snapshot: the history of each device that has one, and the blocks that were live at the end.
func readTorch(name string, in *bufio.Reader, most int) ([]Log, error) {
	v, err := pickle.Read(in, torchMemory)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	snapshot, _ := v.(*pickle.Dict)
	if snapshot == nil {
		snapshot = pickle.NewDict()
	}
	traces, _ := snapshot.Get("device_traces").(*pickle.List)
	segments, _ := snapshot.Get("segments").(*pickle.List)
	if traces == nil || segments == nil {
		return nil, fmt.Errorf("%s: the pickle is no snapshot of PyTorch, as torch.cuda.memory._dump_snapshot(file) writes it: it has no segments and device_traces", name)
	}
	if len(traces.Items) > maxDevices {
		return nil, fmt.Errorf("%s: more than %d devices", name, maxDevices)
	}
	t := torch{segments: segments, looks: looksPerEvent * most}
	histories := map[int]*ledger{}
	for device, trace := range traces.Items {
		l, err := t.history(trace, device, most)
		if err != nil {
			return nil, fmt.Errorf("%s: device %d, %w", name, device, err)
		}
		if l != nil {
			histories[device] = l
			most -= l.size()
		}
	}
	if len(histories) == 0 {
		return nil, fmt.Errorf("%s: %w", name, errNoHistory)
	}
	var logs []Log
	for device := range traces.Items {
		title := name
		if len(histories) > 1 {
			title = fmt.Sprintf("%s, device %d", name, device)
		}
		if l := histories[device]; l != nil {
			logs = append(logs, l.log(title))
		}
	}
	return logs, nil
}

// torch is the state of reading a snapshot.
type torch struct {
	segments *pickle.List
	looks    int // that may still be read
}

// looksPerEvent bounds how many events, segments and blocks are read for each event that the result may have. A pickle can refer to one list from
// many places at no cost in memory.
const looksPerEvent = 4

func (t *torch) look() error {
	if t.looks--; t.looks < 0 {
		return errors.New("too many events, segments and blocks")
	}
	return nil
}

// history reads the history of a device. It is nil if there is none; PyTorch keeps the newest event even if no history is recorded.
func (t *torch) history(trace any, device, most int) (*ledger, error) {
	list, _ := trace.(*pickle.List)
	if list == nil || len(list.Items) == 0 {
		return nil, nil
	}
	l := newLedger(most)
	freed := freeAction(list)
	for i, v := range list.Items {
		if err := cmp.Or(t.look(), l.entry(v, freed, i+1)); err != nil {
			return nil, fmt.Errorf("event %d: %w", i+1, err)
		}
	}
	if len(l.events) < 2 {
		return nil, nil
	}
	return l, t.remaining(l, device)
}

// freeAction is the action that ends the life of a block. PyTorch records the request for a free, and its completion, after which no stream uses the
// block and it can be handed out again. The completion counts, unless it was not recorded.
func freeAction(trace *pickle.List) string {
	for _, v := range trace.Items {
		if e, ok := v.(*pickle.Dict); ok && e.Get("action") == "free_completed" {
			return "free_completed"
		}
	}
	return "free_requested"
}

// entry reads one event. Those of segments, snapshots and failures do not matter.
func (l *ledger) entry(v any, freed string, number int) error {
	e, ok := v.(*pickle.Dict)
	if !ok {
		return errors.New("no dict")
	}
	action, _ := e.Get("action").(string)
	if action == "oom" {
		l.failed++
	}
	if action != "alloc" && action != freed {
		return nil
	}
	addr, okAddr := unsigned(e.Get("addr"))
	size, okSize := unsigned(e.Get("size"))
	if !okAddr || !okSize || size > math.MaxInt64 {
		return fmt.Errorf("%s without an address and a size", action)
	}
	m := moment{line: number, micros: l.last}
	if at, ok := unsigned(e.Get("time_us")); ok && at <= math.MaxInt64 { // older versions of PyTorch did not record it
		m.micros = at
	}
	l.last = m.micros
	if stream, ok := unsigned(e.Get("stream")); ok {
		m.stream = stream & math.MaxInt64
	}
	if action == "alloc" {
		return l.alloc(addr, size, m)
	}
	return l.free(addr, size, m)
}

// remaining adds blocks that are live at the end and were live before the first event: the history does not mention them.
func (t *torch) remaining(l *ledger, device int) error {
	for i, v := range t.segments.Items {
		segment, _ := v.(*pickle.Dict)
		if segment == nil {
			return fmt.Errorf("segment %d: no dict", i+1)
		}
		if err := t.look(); err != nil {
			return fmt.Errorf("segment %d: %w", i+1, err)
		}
		if at, ok := unsigned(segment.Get("device")); !ok || at != uint64(device) {
			continue
		}
		addr, ok := unsigned(segment.Get("address"))
		blocks, _ := segment.Get("blocks").(*pickle.List)
		if !ok || blocks == nil {
			return fmt.Errorf("segment %d: no address, or no blocks", i+1)
		}
		stream, _ := unsigned(segment.Get("stream"))
		for _, v := range blocks.Items {
			if err := t.block(l, v, &addr, stream); err != nil {
				return fmt.Errorf("segment %d: %w", i+1, err)
			}
		}
	}
	return nil
}

// block adds a block if the history does not mention it. Blocks lie side by side.
func (t *torch) block(l *ledger, v any, addr *uint64, stream uint64) error {
	block, _ := v.(*pickle.Dict)
	if block == nil {
		return errors.New("a block is no dict")
	}
	if err := t.look(); err != nil {
		return err
	}
	size, asked := sizes(block)
	if !l.live(*addr) && asked > 0 && block.Get("state") == "active_allocated" {
		if l.size() >= l.most {
			return l.full()
		}
		l.before(*addr, asked, moment{stream: stream & math.MaxInt64, line: 1})
	}
	*addr += size
	return nil
}

// sizes returns the bytes that a block takes, and the bytes that were requested.
func sizes(block *pickle.Dict) (size, asked uint64) {
	size, _ = unsigned(block.Get("size"))
	asked, ok := unsigned(block.Get("requested_size"))
	if !ok || asked > math.MaxInt64 {
		asked = size & math.MaxInt64
	}
	return size, asked
}

// unsigned reads a number that is unsigned in PyTorch, but may be written as signed.
func unsigned(v any) (uint64, bool) {
	switch n := v.(type) {
	case int64:
		return uint64(n), true
	case uint64:
		return n, true
	}
	return 0, false
}
