package cuda

import (
	"fmt"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// reached returns why one of the peers cannot access the device's memory. The driver functions that give access have different errors for that.
func (s site) reached(peers []int) error {
	for _, p := range peers {
		can, r := s.drv.DeviceCanAccessPeer(p, int(s.dev))
		switch {
		case r == abi.NoFunction: // an old driver, which reports that when access is given
		case r == abi.InvalidDevice:
			return fmt.Errorf("%w: there is no device %d to be given access", poolrt.ErrUnsupported, p)
		case r != abi.Success:
			return check(r, "DeviceCanAccessPeer", s.dev, 0)
		case !can:
			return fmt.Errorf("%w: device %d cannot access the memory of device %d", poolrt.ErrUnsupported, p, s.dev)
		}
	}
	return nil
}

// reachers returns the devices that can access the device's memory.
func (s site) reachers() (peers []int, err error) {
	n, r := s.drv.DeviceGetCount()
	if r != abi.Success {
		return nil, check(r, "DeviceGetCount", s.dev, 0)
	}
	for p := range n {
		can, r := s.drv.DeviceCanAccessPeer(p, int(s.dev))
		switch {
		case r == abi.NoFunction:
			return nil, nil
		case r != abi.Success && p != int(s.dev):
			return nil, check(r, "DeviceCanAccessPeer", s.dev, 0)
		case can:
			peers = append(peers, p)
		}
	}
	return peers, nil
}

// admit gives peers access to all plain memory of the device.
func (s site) admit(peers []int) error {
	for _, p := range peers {
		if err := Device(p).EnableAccess(s.dev); err != nil {
			return err
		}
	}
	return nil
}
