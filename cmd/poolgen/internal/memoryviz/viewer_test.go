package memoryviz

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/pickle"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// viewed is what a viewer finds in a pickle. It is strict: any inconsistency is an error.
type viewed struct {
	segments []segment
	traces   [][]action // by device
}

type segment struct {
	device, addr, size uint64
	pool               uint64
	expandable         bool
	frames             []string
	blocks             []block
}

type block struct {
	addr, size, asked uint64
	state             string
	frames            []string
}

type action struct {
	name               string
	addr, size, stream uint64
	micros             uint64
	frames             []string
}

// reader collects the errors in a pickle.
type reader struct{ faults []error }

func (r *reader) fault(text string, args ...any) {
	r.faults = append(r.faults, fmt.Errorf(text, args...))
}

func (r *reader) number(d *pickle.Dict, key string) uint64 {
	switch n := d.Get(key).(type) {
	case int64:
		return uint64(n)
	case uint64:
		return n
	}
	r.fault("%s is a %T", key, d.Get(key))
	return 0
}

func (r *reader) text(d *pickle.Dict, key string) string {
	s, ok := d.Get(key).(string)
	if !ok {
		r.fault("%s is a %T", key, d.Get(key))
	}
	return s
}

// dicts are the items of a list.
func (r *reader) dicts(d *pickle.Dict, key string) (list []*pickle.Dict) {
	l, ok := d.Get(key).(*pickle.List)
	if !ok {
		r.fault("%s is a %T", key, d.Get(key))
		return nil
	}
	for _, v := range l.Items {
		item, ok := v.(*pickle.Dict)
		if !ok {
			r.fault("%s has a %T", key, v)
			return nil
		}
		list = append(list, item)
	}
	return list
}

func (r *reader) frames(d *pickle.Dict) (list []string) {
	for _, f := range r.dicts(d, "frames") {
		list = append(list, fmt.Sprintf("%s:%d:%s", r.text(f, "filename"), r.number(f, "line"), r.text(f, "name")))
	}
	return list
}

// view writes a snapshot and looks at the result.
func view(s *poolrt.Snapshot) (v viewed, err error) {
	var b bytes.Buffer
	if err := Write(&b, s, func(string) {}); err != nil {
		return v, err
	}
	value, err := pickle.Read(&b, math.MaxInt64)
	d, ok := value.(*pickle.Dict)
	if !ok {
		return v, fmt.Errorf("%T, %w", value, err)
	}
	r := new(reader)
	for _, x := range r.dicts(d, "segments") {
		v.segments = append(v.segments, r.segment(x))
	}
	traces, ok := d.Get("device_traces").(*pickle.List)
	if !ok {
		return v, fmt.Errorf("device_traces is a %T", d.Get("device_traces"))
	}
	for _, trace := range traces.Items {
		var list []action
		for _, x := range r.dicts(pickle.NewDict("trace", trace), "trace") {
			list = append(list, action{r.text(x, "action"), r.number(x, "addr"), r.number(x, "size"), r.number(x, "stream"), r.number(x, "time_us"), r.frames(x)})
		}
		v.traces = append(v.traces, list)
	}
	settings, ok := d.Get("allocator_settings").(*pickle.Dict)
	if !ok || r.text(settings, "program") != s.Program || len(r.dicts(settings, "pools")) > len(s.Pools) {
		r.fault("settings %v", settings)
	}
	for device := range v.traces {
		v.undo(r, device)
	}
	return v, errors.Join(r.faults...)
}

// segment reads a segment. Its blocks must cover it, and add up to its totals.
func (r *reader) segment(d *pickle.Dict) segment {
	s := segment{device: r.number(d, "device"), addr: r.number(d, "address"), size: r.number(d, "total_size"), frames: r.frames(d)}
	s.expandable, _ = d.Get("is_expandable").(bool)
	if id, ok := d.Get("segment_pool_id").(pickle.Tuple); ok && len(id) == 2 && id[0] == int64(0) {
		n, _ := id[1].(int64)
		s.pool = uint64(n)
	}
	if s.pool == 0 || r.number(d, "stream") != 0 || r.text(d, "segment_type") != "large" {
		r.fault("segment at %#x: pool %v", s.addr, d.Get("segment_pool_id"))
	}
	at, sums := s.addr, map[string]uint64{}
	for _, x := range r.dicts(d, "blocks") {
		b := block{r.number(x, "address"), r.number(x, "size"), r.number(x, "requested_size"), r.text(x, "state"), r.frames(x)}
		if b.addr != at || b.size == 0 || b.asked > b.size || !slices.Contains([]string{"active_allocated", "active_pending_free", "inactive"}, b.state) || len(b.frames) == 0 {
			r.fault("segment at %#x: %+v at %#x", s.addr, b, at)
		}
		at += b.size
		sums[b.state] += b.size
		if b.state != inactive {
			sums["asked"] += b.asked
		}
		s.blocks = append(s.blocks, b)
	}
	live, active := sums["active_allocated"], sums["active_allocated"]+sums["active_pending_free"]
	if at != s.addr+s.size || live != r.number(d, "allocated_size") || active != r.number(d, "active_size") || sums["asked"] != r.number(d, "requested_size") {
		r.fault("segment at %#x: %v", s.addr, sums)
	}
	return s
}

// undo undoes events from the state at the end, as the viewer does when one clicks on an event. If that is inconsistent, the viewer stops with an
// error.
func (v viewed) undo(r *reader, device int) {
	live := map[uint64]string{}
	var segments []segment
	for _, s := range v.segments {
		if s.device != uint64(device) {
			continue
		}
		if n := len(segments); n > 0 && s.addr-segments[n-1].addr < segments[n-1].size {
			r.fault("segments overlap at %#x", s.addr)
		}
		segments = append(segments, s)
		for _, b := range s.blocks {
			if b.state != inactive {
				live[b.addr] = b.state
			}
		}
	}
	trace := v.traces[device]
	for i, e := range slices.Backward(trace) {
		before, there := live[e.addr]
		at := slices.IndexFunc(segments, func(s segment) bool { return e.addr-s.addr < s.size && e.size <= s.size-(e.addr-s.addr) })
		ok := at >= 0 && len(e.frames) > 0
		switch e.name {
		case "alloc":
			ok = ok && before == "active_allocated"
			delete(live, e.addr)
		case "free_completed": // its other half comes immediately before it
			ok = ok && !there && i > 0 && trace[i-1].name == "free_requested" && trace[i-1].addr == e.addr
			live[e.addr] = "active_pending_free"
		case "free_requested":
			ok = ok && before == "active_pending_free"
			live[e.addr] = "active_allocated"
		default:
			ok = false
		}
		if !ok {
			r.fault("device %d, event %d of %d: %+v, where %q is", device, i, len(trace), e, before)
		}
	}
}
