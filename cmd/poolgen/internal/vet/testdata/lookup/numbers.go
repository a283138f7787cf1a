package lookup

import (
	"errors"
	"fmt"
	"strconv"

	"example.com/vet/pools"
)

// All is well in this file: the program follows its blocks by their indexes, handles and addresses, which the walk does not.

var errMissing = errors.New("missing")

// next has the successors in lists by index.
var next [1024]uint32

func freedIfIndexed() error {
	v, err := pools.AllocLink()
	if err != nil {
		return err
	}
	i := pools.IndexLink(v)
	if i != 0 {
		return pools.FreeLink(pools.LinkAtIndex(i))
	}
	return nil
}

func freedIfIndexIsNotNull() error {
	v, err := pools.AllocLink()
	if err != nil {
		return err
	}
	if pools.IndexLink(v) != 0 {
		return pools.FreeLink(v)
	}
	return nil
}

func freedInSwitch() error {
	v, err := pools.AllocLink()
	if err != nil {
		return err
	}
	switch i := pools.IndexLink(v); i {
	case 0:
		return nil
	default:
		return pools.FreeLink(pools.LinkAtIndex(i))
	}
}

func localList(n int) error {
	var head uint32
	for range n {
		v, err := pools.AllocLink()
		if err != nil {
			return err
		}
		i := pools.IndexLink(v)
		next[i] = head
		head = i
	}
	for head != 0 {
		v := pools.LinkAtIndex(head)
		head = next[head]
		if err := pools.FreeLink(v); err != nil {
			return err
		}
	}
	return nil
}

func listWithoutFields() error {
	v, err := pools.AllocLink()
	if err != nil {
		return err
	}
	head := pools.IndexLink(v)
	for head != 0 {
		v := pools.LinkAtIndex(head)
		head = 0
		if err := pools.FreeLink(v); err != nil {
			return err
		}
	}
	return nil
}

func countedList(n int) error {
	var head uint32
	k := 0
	for range n {
		v, err := pools.AllocLink()
		if err != nil {
			break
		}
		v.X = float32(k)
		next[k] = head
		head = pools.IndexLink(v)
		k++
	}
	for ; k > 0; k-- {
		v := pools.LinkAtIndex(head)
		head = next[k-1]
		if err := pools.FreeLink(v); err != nil {
			return err
		}
	}
	return nil
}

func firstAndLast(n int) error {
	var first, last uint32
	for range n {
		v, err := pools.AllocLink()
		if err != nil {
			return err
		}
		i := pools.IndexLink(v)
		if last != 0 {
			next[last] = i
		} else {
			first = i
		}
		last = i
	}
	for i := first; i != 0; {
		v := pools.LinkAtIndex(i)
		i = next[i]
		if err := pools.FreeLink(v); err != nil {
			return err
		}
	}
	return nil
}

func oneHandleAtATime() error {
	var cur pools.LinkHandle
	for range 3 {
		h, _, err := pools.AllocLinkHandle()
		if err != nil {
			return err
		}
		if cur != 0 {
			if err := pools.FreeLinkHandle(cur); err != nil {
				return err
			}
		}
		cur = h
	}
	if cur != 0 {
		return pools.FreeLinkHandle(cur)
	}
	return nil
}

func queueOfHandles(before map[pools.LinkHandle]pools.LinkHandle) error {
	var last pools.LinkHandle
	for range 3 {
		h, v, err := pools.AllocLinkHandle()
		if err != nil {
			return err
		}
		v.X = 1
		before[0] = last
		last = h
	}
	for last != 0 {
		if _, ok := pools.GetLink(last); !ok {
			return errMissing
		}
		h := before[last]
		if err := pools.FreeLinkHandle(last); err != nil {
			return err
		}
		last = h
	}
	return nil
}

func freedOnDemand(commands <-chan bool) error {
	h, v, err := pools.AllocLinkHandle()
	if err != nil {
		return err
	}
	v.X = 1
	for range commands {
		return pools.FreeLinkHandle(h)
	}
	return nil
}

func addressInLoop(n int) error {
	b, err := pools.AllocRow(n)
	if err != nil {
		return err
	}
	at := address(b)
	for at != 0 {
		same, err := pools.FindRow(at)
		if err != nil {
			return err
		}
		at = 0
		if err := pools.FreeRow(same); err != nil {
			return err
		}
	}
	return nil
}

func lowerIndex(v *pools.Vertex) error {
	w, err := pools.AllocLink()
	if err != nil {
		return err
	}
	i, j := pools.IndexLink(v), pools.IndexLink(w)
	low, high := min(i, j), max(i, j)
	return errors.Join(pools.FreeLink(pools.LinkAtIndex(low)), pools.FreeLink(pools.LinkAtIndex(high)))
}

func packed(e *entry) error {
	v, err := pools.AllocLink()
	if err != nil {
		return err
	}
	number := uint64(1) << 32
	number |= uint64(pools.IndexLink(v))
	e.number = number
	return nil
}

func inverted(e *entry) error {
	h, _, err := pools.AllocLinkHandle()
	if err != nil {
		return err
	}
	x := ^uint64(h)
	e.number = x
	return nil
}

func asText() (string, error) {
	h, v, err := pools.AllocLinkHandle()
	if err != nil {
		return "", err
	}
	v.X = 1
	return strconv.FormatUint(uint64(h), 16), nil
}

func asFormattedText() (string, error) {
	v, err := pools.AllocLink()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("link-%d", pools.IndexLink(v)), nil
}

func oneSeatAtATime() error {
	var cur pools.SeatID
	for range 3 {
		id, err := pools.AllocSeat()
		if err != nil {
			return err
		}
		if cur != 0 {
			if err := pools.FreeSeat(cur); err != nil {
				return err
			}
		}
		cur = id
	}
	if cur != 0 {
		return pools.FreeSeat(cur)
	}
	return nil
}
