package budget

import (
	"context"
	"errors"
	"slices"

	"github.com/poolgen/poolgen/runtime/internal/ledger"
)

// Tidy gives back what is idle, and has the pools give back what others wait for. The caller holds no lock. It does nothing for a budget of this process alone.
func (b *Budget) Tidy() {
	if b.Host() {
		b.host.give(NoLimit)
		_ = b.answer() // Failure returns it
	}
}

// answer has the pools give back what other processes wait for, by the rules of Reclaim.
func (b *Budget) answer() error {
	h := b.host
	l := h.ledger()
	if l == nil {
		return b.Connect()
	}
	w, err := l.Asked()
	if err != nil || w.Bytes == 0 {
		h.note(err)
		return err
	}
	w.Bytes -= h.give(w.Bytes)
	if w.Bytes > 0 {
		b.Reclaim(nil, Need{For: w.Who, Priority: w.Priority, Ways: Trim | Hook | Sleep, Lacking: func() int64 { return w.Bytes - b.idle() }})
		h.give(w.Bytes)
	}
	return nil
}

// Serve answers other processes until ctx ends, and wakes those who wait for room here when another process gives some.
func (b *Budget) Serve(ctx context.Context) error {
	if err := b.Connect(); err != nil {
		return err
	}
	for ctx.Err() == nil {
		if err := b.answer(); err != nil && !errors.Is(err, ledger.ErrBusy) {
			return err
		}
		if b.host.waiting() {
			b.Wake()
		}
		if err := b.host.ledger().Wait(ctx); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return ctx.Err()
}

func (h *host) waiting() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.wants) > 0
}

// Want says to other processes that a pool of a priority waits for so many bytes beyond what is idle, until done is called. It does nothing for a budget of this
// process alone.
func (b *Budget) Want(bytes int64, priority int) (done func()) {
	if !b.Host() || b.host.file.Load() == nil {
		return func() {}
	}
	h, w := b.host, &want{max(bytes-b.idle(), 1), priority}
	h.changeWants(func() { h.wants = append(h.wants, w) })
	return func() {
		h.changeWants(func() { h.wants = slices.DeleteFunc(h.wants, func(x *want) bool { return x == w }) })
	}
}

// changeWants changes the list of waits, and writes into the ledger what they add up to.
func (h *host) changeWants(change func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change()
	sum, highest := int64(0), 0
	for _, w := range h.wants {
		sum, highest = min(sum+w.bytes, h.options.Limit), max(highest, w.priority)
	}
	h.note(h.ledger().Want(sum, highest))
}
