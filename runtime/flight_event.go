package poolrt

import "time"

// FlightEvent is one of the last things that happened to a pool.
type FlightEvent struct {
	Number uint64     `json:"number"` // from 1, of the pool's events
	Time   time.Time  `json:"time"`   // of one of the 16 events before, at the most
	Kind   FlightKind `json:"kind"`
	Addr   uint64     `json:"addr,omitempty"`   // of an alloc or a free
	Bytes  uint64     `json:"bytes,omitempty"`  // asked for, obtained or given back
	Stream uint64     `json:"stream,omitempty"` // its number; 0: none
	Site   uint32     `json:"site,omitempty"`   // who called, from 1, of an alloc that was sampled: a number among the pool's sites
}

// FlightKind names what happened.
type FlightKind uint8

// The events that a pool's flight recorder keeps.
const (
	FlightAlloc FlightKind = iota
	FlightFree             // it was called for; an invalid free is followed by nothing
	FlightGrow
	FlightTrim
	FlightFail
	FlightReset
	FlightOther // another event that OnEvent tells in full
)

var flightNames = [...]string{"alloc", "free", "grow", "trim", "fail", "reset", "other"}

// String returns the name in lower case.
func (k FlightKind) String() string {
	if int(k) >= len(flightNames) {
		return "unknown"
	}
	return flightNames[k]
}

// MarshalText is String.
func (k FlightKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what MarshalText wrote. What it does not know is FlightOther.
func (k *FlightKind) UnmarshalText(text []byte) error {
	*k = FlightOther
	for i, name := range flightNames {
		if name == string(text) {
			*k = FlightKind(i)
		}
	}
	return nil
}
