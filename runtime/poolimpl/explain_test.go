package poolimpl

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// story checks the explanation of a failed allocation, and returns its error.
func story(t *testing.T, err error, want string) *poolrt.PoolError {
	t.Helper()
	var p *poolrt.PoolError
	if !errors.As(err, &p) {
		t.Fatalf("got %v", err)
	}
	if got := p.Explain(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	return p
}

func TestExplainFragmentation(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Limit, c.Suballocator = 200, "heap" })
	a, _, b, _ := p.mustAlloc(40), p.mustAlloc(60), p.mustAlloc(40), p.mustAlloc(60)
	p.mustFree(a, b)
	_, err := p.alloc(50)
	e := story(t, err, "Pool test.Pool could not allocate 50 bytes: limit reached. It holds 200 bytes of a limit of 200 in 2 chunks: "+
		"120 live in 2 blocks, 80 free, the largest range 0. It would have fitted with a limit of 250, which leaves room for another chunk of 50; "+
		"or with the rung wait, if other goroutines free blocks soon.")
	if len(e.Attempts) != 0 || e.Account.Chunks != 2 || e.Account.Blocks != 2 {
		t.Errorf("%+v, %+v", e.Attempts, e.Account)
	}
	q := newRig(t, func(c *Config) { c.Limit = 250 }) // the remedy works
	a, _, b, _ = q.mustAlloc(40), q.mustAlloc(60), q.mustAlloc(40), q.mustAlloc(60)
	q.mustFree(a, b)
	q.mustAlloc(50)
}

func TestExplainTooLarge(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Limit = 200 })
	_, err := p.alloc(150)
	story(t, err, "Pool test.Pool could not allocate 150 bytes: request too large for the pool. It holds 0 bytes of a limit of 200 in 0 chunks: "+
		"0 live in 0 blocks, 0 free, the largest range 0. It would have fitted with a chunk_size of at least 150.")
	_, err = p.alloc(250)
	if e := story(t, err, poolrt.Explain(err)); !reflect.DeepEqual(e.Remedies, []string{"a limit of at least 250 and a chunk_size of at least 250"}) {
		t.Errorf("%q", e.Remedies)
	}
}

// The explanation lists each rung of the ladder with its result.
func TestExplainLadder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		other := newRig(t, func(c *Config) { c.Name, c.Limit = "test.Other", 100 })
		other.mustAlloc(90)
		p := newRig(t, func(c *Config) {
			c.Limit = 100
			c.Ladder = []Rung{PollRung{}, TrimRung{}, PoolRung{Pool: lenderOf(other)}, WaitRung{}, ErrorRung{}}
		})
		p.mustAlloc(80)
		_, err := p.alloc(30)
		e := story(t, err, "Pool test.Pool could not allocate 30 bytes: limit reached (nothing was freed within 1s). It holds 100 bytes of a limit of 100 in 1 chunk: "+
			"80 live in 1 block, 20 free, the largest range 0. Rung poll, after 0s: no free was waiting for a stream. "+
			"Rung trim, after 0s: nothing was empty that could go back and make room. "+
			"Rung pool, after 0s: poolgen: test.Other: alloc of 30 bytes: limit reached (live 90, reserved 100, limit 100, largest free range 0). "+
			"Rung wait, after 1s: nothing was freed within 1s. It would have fitted with a limit of 130, which leaves room for another chunk of 30.")
		if e.Attempts[3].Took != p.config.WaitTimeout {
			t.Errorf("waited %v", e.Attempts[3].Took)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err = p.ready().AllocContext(ctx, 30, 1)
		if e := story(t, err, poolrt.Explain(err)); len(e.Attempts) != 0 || !errors.Is(err, context.Canceled) {
			t.Errorf("with a context that has ended, %+v, %v", e.Attempts, err)
		}
	})
}

// The explanation lists pending frees by stream, the most bytes first.
func TestExplainStreams(t *testing.T) {
	p := newStreamRig(t, func(c *Config) { c.Limit, c.Ladder = 100, []Rung{PollRung{}, ErrorRung{}} })
	a, b, c := must2(p.allocOn(s1, 10)), must2(p.allocOn(s2, 50)), must2(p.allocOn(s1, 20))
	p.line.use(s1)
	p.line.use(s2)
	for i, x := range []block{a, b, c} {
		fatal.If(t, p.freeOn(x, []Stream{s1, s2, s1}[i]))
	}
	_, err := p.alloc(50)
	e := story(t, err, poolrt.Explain(err))
	want := []poolrt.PendingFrees{{Stream: s2.ID, Device: s2.Device, Blocks: 1, Bytes: 50}, {Stream: s1.ID, Device: s1.Device, Blocks: 2, Bytes: 30}}
	if !reflect.DeepEqual(e.Account.Pending, want) {
		t.Errorf("pending %+v, want %+v", e.Account.Pending, want)
	}
	if e.Account.Free != 20 {
		t.Errorf("%d bytes are free, want 20: pending bytes are not free", e.Account.Free)
	}
	if e.Attempts[0].Outcome != "of 3 frees that wait for streams none had completed" {
		t.Errorf("%+v", e.Attempts)
	}
	if got := strings.Join(e.Remedies, "|"); !strings.Contains(got, "an end of the work of stream 2, behind which 50 bytes are pending") || strings.Contains(got, "stream 1") {
		t.Errorf("%q", e.Remedies)
	}
}

// What was freed on a stream and allocated again before the stream has passed the free is pending no longer, however often that happens.
func TestExplainReuse(t *testing.T) {
	for _, shared := range []bool{false, true} {
		p := newStreamRig(t, func(c *Config) { c.Limit, c.Ladder = 100, []Rung{PollRung{}, ErrorRung{}} })
		if shared {
			p.shared = &sharedStreamCore{core: &p.core}
		}
		pending := func(want ...poolrt.PendingFrees) {
			t.Helper()
			_, err := p.alloc(70)
			e := story(t, err, poolrt.Explain(err))
			if !reflect.DeepEqual(e.Account.Pending, want) {
				t.Errorf("shared %t: pending %+v, want %+v", shared, e.Account.Pending, want)
			}
			all := e.Live + e.Account.Free
			for _, p := range want {
				all += p.Bytes
			}
			if all != e.Reserved {
				t.Errorf("shared %t: %d live, %d free, pending %+v: not %d in all", shared, e.Live, e.Account.Free, want, e.Reserved)
			}
		}
		for range 3 {
			b := must2(p.allocOn(s1, 70))
			p.line.use(s2)
			wantErr(t, "free", p.freeOn(b, s2), nil)
		}
		behind := func(blocks, bytes int64) poolrt.PendingFrees {
			return poolrt.PendingFrees{Stream: s2.ID, Device: s2.Device, Blocks: blocks, Bytes: bytes}
		}
		pending(behind(1, 70))
		err := p.ready().SetLimit(50)
		wantErr(t, "limit", err, poolrt.ErrLive)
		if want := "in use: 50: chunks in use hold 100: 70 in 1 block behind stream 2: wait for the work there, then try again (live 0"; !strings.Contains(err.Error(), want) {
			t.Errorf("shared %t: got %v, want %s", shared, err, want)
		}
		b := must2(p.allocOn(s1, 50)) // of what is in flight
		pending(behind(1, 20))
		must2(p.allocOn(s1, 20))
		pending()
		wantErr(t, "free", p.freeOn(b, s2), nil)
		pending(behind(1, 50))
		p.line.completeAll()
		wantErr(t, "close", p.closeForce(), nil)
	}
}

// The explanation has a JSON form, for programs.
func TestExplainJSON(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Limit, c.Budget = 200, NewBudget("All", 150) })
	p.mustAlloc(70)
	_, err := p.alloc(90)
	var e *poolrt.PoolError
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	text, err := json.Marshal(e)
	fatal.If(t, err)
	var got struct {
		Pool, Op, Error, Unit, Text string
		Request, Live, Limit        int64
		Account                     poolrt.Account
		Remedies                    []string
	}
	fatal.If(t, json.Unmarshal(text, &got))
	if got.Pool != "test.Pool" || got.Op != "alloc" || got.Error != "limit reached" || got.Unit != "bytes" || got.Request != 90 || got.Live != 70 || got.Limit != 200 ||
		got.Text != e.Explain() || got.Account.Budget != (poolrt.BudgetInfo{Name: "All", Limit: 150, Reserved: 100}) ||
		!reflect.DeepEqual(got.Remedies[:1], []string{`a budget "All" of 190`}) {
		t.Errorf("%s", text)
	}
}

// The explanation of any other error is its text.
func TestExplainOthers(t *testing.T) {
	p := newRig(t, nil)
	p.mustAlloc(1)
	for _, err := range []error{p.Refuse(badCount, -1), p.free(block{1, 2}), errors.New("other")} {
		if got := poolrt.Explain(err); got != err.Error() {
			t.Errorf("got %q, want %q", got, err)
		}
	}
}
