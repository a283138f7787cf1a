package cuda

import (
	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/driver"
)

// CanAccess reports whether kernels on d could address the memory of peer directly. A device cannot be its own peer.
func (d Device) CanAccess(peer Device) (bool, error) {
	can, r := driver.Table().DeviceCanAccessPeer(int(d), int(peer))
	return can, check(r, "DeviceCanAccessPeer", d, 0)
}

// EnableAccess lets work on d access memory of peer that Alloc has returned or will return; memory of pools and mapped memory have
// access rights of their own. It applies to one direction and the whole process, until DisableAccess. Enabling it again is not an
// error.
func (d Device) EnableAccess(peer Device) error {
	t, from, to, err := pair(d, peer)
	if err != nil {
		return err
	}
	r := t.CtxEnablePeerAccess(from, to)
	if r == abi.PeerAccessAlreadyEnabled {
		return nil
	}
	return check(r, "CtxEnablePeerAccess", d, 0)
}

// DisableAccess ends the access. Work under way that uses the peer's memory fails. It is not an error if access was not enabled.
func (d Device) DisableAccess(peer Device) error {
	t, from, to, err := pair(d, peer)
	if err != nil {
		return err
	}
	r := t.CtxDisablePeerAccess(from, to)
	if r == abi.PeerAccessNotEnabled {
		return nil
	}
	return check(r, "CtxDisablePeerAccess", d, 0)
}

// pair returns the contexts of two devices.
func pair(a, b Device) (abi.Driver, abi.Context, abi.Context, error) {
	t, first, err := a.table()
	if err != nil {
		return nil, 0, 0, err
	}
	_, second, err := b.table()
	return t, first, second, err
}
