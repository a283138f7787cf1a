package poolimpl

import (
	"strings"
	"testing"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// newChoice returns a pool that may choose between two sources, of which the rig's is host.
func newChoice(t *testing.T, change func(*Config)) (p *rig, custom *fakeSource) {
	custom = &fakeSource{t: t}
	return newRig(t, func(c *Config) {
		c.Allocators, c.Binder, c.Source = []string{"host", "custom"}, Sources{"host": c.Source, "custom": custom}, nil
		if change != nil {
			change(c)
		}
	}), custom
}

// wantAllocator checks what a pool says of its allocator.
func wantAllocator(t *testing.T, p *rig, allocator string) {
	t.Helper()
	got, reason := p.ready().Effective()
	if i := p.Info(); got != allocator || reason != "" || p.Requested() != allocator || i.Allocator != allocator || i.Requested != allocator || i.Device != -1 {
		t.Errorf("%s: in force %q (%s), requested %q, listed %q for %q", allocator, got, reason, p.Requested(), i.Allocator, i.Requested)
	}
}

// TestWithAllocator: the pool has the source that was chosen, and the first without a choice. With a lock or without one.
func TestWithAllocator(t *testing.T) {
	for _, locked := range []bool{true, false} {
		for _, choice := range []string{"", "host", "custom"} {
			p, custom := newChoice(t, func(c *Config) { c.Locked = locked })
			if choice == "" {
				choice = "host"
			} else {
				wantErr(t, "open", p.ready().Open(poolrt.WithAllocator(choice)), nil)
			}
			b := p.mustAlloc(10)
			wantAllocator(t, p, choice)
			if from := map[string]*fakeSource{"host": p.source, "custom": custom}[choice]; from.calls() != 1 || p.source.calls()+custom.calls() != 1 {
				t.Errorf("%s: %d calls of host, %d of custom", choice, p.source.calls(), custom.calls())
			}
			p.mustFree(b)
			wantErr(t, "close", p.close(), nil)
			if p.source.held()+custom.held() > 0 {
				t.Errorf("%s: %d and %d bytes are left", choice, p.source.held(), custom.held())
			}
		}
	}
}

// TestWithAllocatorRefused: what the pool file does not list is refused, before the first use and after it, and changes nothing.
func TestWithAllocatorRefused(t *testing.T) {
	p, custom := newChoice(t, nil)
	for _, name := range []string{"pinned", "HOST", ""} {
		err := p.ready().Open(poolrt.WithAllocator(name))
		wantErr(t, name, err, poolrt.ErrUnsupported)
		if text := `WithAllocator: "` + name + `": the pool file has allocator host, custom`; !strings.Contains(err.Error(), text) {
			t.Errorf("%v lacks %s", err, text)
		}
	}
	wantErr(t, "on a device", p.Open(poolrt.WithAllocator("custom"), poolrt.OnDevice(0)), poolrt.ErrUnsupported)
	wantAllocator(t, p, "host")
	wantErr(t, "another choice", p.Open(poolrt.WithAllocator("custom")), nil)
	wantAllocator(t, p, "custom")
	wantErr(t, "late", p.Open(poolrt.WithAllocator("host")), poolrt.ErrLive)
	wantAllocator(t, p, "custom")
	if p.source.calls()+custom.calls() > 0 {
		t.Error("a source was called")
	}
}

// TestChoiceFails: a pool that could not be opened is as before. If a chunk was not taken back, the pool keeps the source that has it.
func TestChoiceFails(t *testing.T) {
	for _, refuses := range []bool{false, true} {
		p, custom := newChoice(t, nil)
		custom.onAlloc = func(call int) error {
			if call == 3 {
				return errNoMemory
			}
			return nil
		}
		custom.onFree = func(int) error {
			if refuses {
				return errNoMemory
			}
			return nil
		}
		wantErr(t, "open", p.ready().Open(poolrt.WithAllocator("custom"), poolrt.WithPrime(300)), errNoMemory)
		if !refuses {
			wantAllocator(t, p, "host")
			wantErr(t, "open", p.Open(), nil)
			p.mustFree(p.mustAlloc(10))
			if p.source.calls() != 1 || custom.held() > 0 {
				t.Errorf("%d calls of host, %d bytes of custom", p.source.calls(), custom.held())
			}
			continue
		}
		wantAllocator(t, p, "custom")
		wantErr(t, "another choice", p.Open(poolrt.WithAllocator("host")), poolrt.ErrLive)
		refuses = false
		p.mustFree(p.mustAlloc(10))
		wantErr(t, "close", p.close(), nil)
		if p.source.calls() > 0 || custom.held() > 0 {
			t.Errorf("%d calls of host, %d bytes of custom", p.source.calls(), custom.held())
		}
	}
}

// TestCleanChunks: memory of an allocator whose memory is zero is not touched, and that of others is cleared.
func TestCleanChunks(t *testing.T) {
	for allocator, cleared := range map[string]bool{"host": false, "custom": true} {
		memory := make([]byte, 100)
		memory[99] = 1
		source := CustomSource(
			func(int64, int64) (unsafe.Pointer, error) { return unsafe.Pointer(&memory[0]), nil },
			func(unsafe.Pointer, int64) error { return nil })
		p, _ := newChoice(t, func(c *Config) { c.ZeroChunks, c.Binder = true, Sources{"host": source, "custom": source} })
		wantErr(t, "open", p.ready().Open(poolrt.WithAllocator(allocator)), nil)
		if b, err := p.Alloc(1, 100, 1); err != nil || b.Ptr != unsafe.Pointer(&memory[0]) {
			t.Fatal(b, err)
		}
		if is := memory[99] == 0; is != cleared {
			t.Errorf("%s: cleared is %t", allocator, is)
		}
		p.source.bytes = 100 // the chunk came from another source
	}
}

// TestChoiceOfImporter: an imported pool has the allocator of the other process, so none is chosen.
func TestChoiceOfImporter(t *testing.T) {
	for _, name := range []string{"host", "custom"} {
		p, _ := newChoice(t, nil)
		err := p.ready().Import(func(b Binder) (Binder, error) { return b, nil }, poolrt.WithAllocator(name))
		wantErr(t, "import", err, poolrt.ErrUnsupported)
		if !strings.Contains(err.Error(), "the memory belongs to another process") {
			t.Error(err)
		}
		wantErr(t, "open", p.Open(), poolrt.ErrClosed)
	}
}
