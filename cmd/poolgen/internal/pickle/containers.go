package pickle

import (
	"errors"
	"fmt"
)

func emptyList(d *reader) error { return d.push(&List{}, listBytes) }
func emptyDict(d *reader) error { return d.push(&Dict{}, listBytes) }

// tuple makes a tuple of the last n values.
func tuple(n int) func(*reader) error {
	return func(d *reader) error {
		items, err := d.pop(n)
		return d.keep(items, err, func(items []any) any { return Tuple(items) })
	}
}

func (d *reader) tuple() error {
	items, err := d.popMark()
	return d.keep(items, err, func(items []any) any { return Tuple(items) })
}

func (d *reader) list() error {
	items, err := d.popMark()
	return d.keep(items, err, func(items []any) any { return &List{items} })
}

func (d *reader) dict() error {
	pairs, err := d.popMark()
	if err != nil {
		return err
	}
	dict := &Dict{}
	if err := d.fill(dict, pairs); err != nil {
		return err
	}
	return d.push(dict, listBytes)
}

// keep pushes a container of values that were just popped.
func (d *reader) keep(items []any, err error, hold func([]any) any) error {
	if err != nil {
		return err
	}
	return d.push(hold(append([]any(nil), items...)), listBytes+slotBytes*int64(len(items)))
}

func (d *reader) appendOne() error { items, err := d.pop(1); return d.extend(items, err) }
func (d *reader) appendAll() error { items, err := d.popMark(); return d.extend(items, err) }

// extend appends values that were just popped to the list on top of the stack.
func (d *reader) extend(items []any, err error) error {
	if err != nil {
		return err
	}
	v, err := d.top()
	if err != nil {
		return err
	}
	list, ok := v.(*List)
	if !ok {
		return errors.New("it is no list")
	}
	before := cap(list.Items)
	list.Items = append(list.Items, items...)
	return d.charge(slotBytes * int64(cap(list.Items)-before))
}

var errPairs = errors.New("a key without a value")

func (d *reader) setOne() error { pairs, err := d.pop(2); return d.set(pairs, err) }
func (d *reader) setAll() error { pairs, err := d.popMark(); return d.set(pairs, err) }

// set adds keys and values that were just popped to the dict on top of the stack.
func (d *reader) set(pairs []any, err error) error {
	if err != nil {
		return err
	}
	v, err := d.top()
	if err != nil {
		return err
	}
	dict, ok := v.(*Dict)
	if !ok {
		return errors.New("it is no dict")
	}
	return d.fill(dict, pairs)
}

// fill adds keys and values that were just popped to a dict.
func (d *reader) fill(dict *Dict, pairs []any) error {
	if len(pairs)%2 != 0 {
		return errPairs
	}
	before := dict.size()
	dict.pairs = append(dict.pairs, pairs...)
	return d.charge(dict.size() - before)
}

func (d *reader) memoize() error { return d.remember(uint64(len(d.memo))) }

func put(bytes int) func(*reader) error {
	return func(d *reader) error {
		number, err := d.number(bytes)
		if err != nil {
			return err
		}
		return d.remember(number)
	}
}

// remember stores the value on top of the stack in the memo under a number. Writers of pickles count from 0.
func (d *reader) remember(number uint64) error {
	v, err := d.top()
	if err != nil {
		return err
	}
	before := cap(d.memo)
	switch n := uint64(len(d.memo)); {
	case number > n:
		return fmt.Errorf("number %d comes before number %d", number, n)
	case number < n:
		d.memo[number] = v
	default:
		d.memo = append(d.memo, v)
	}
	return d.charge(slotBytes * int64(cap(d.memo)-before))
}

func get(bytes int) func(*reader) error {
	return func(d *reader) error {
		number, err := d.number(bytes)
		if err != nil {
			return err
		}
		if number >= uint64(len(d.memo)) {
			return fmt.Errorf("nothing has number %d", number)
		}
		return d.push(d.memo[number], 0)
	}
}
