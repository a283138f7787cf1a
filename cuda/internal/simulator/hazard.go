package simulator

import "github.com/poolgen/poolgen/cuda/internal/simulator/hazard"

// check tells the checker what an operation uses.
func (d *Driver) check(uses []use, point hazard.Point, clock hazard.Clock) {
	for _, u := range uses {
		for _, p := range u.pieces {
			d.checker.Use(hazard.Place{Memory: p.span.store.id, Offset: p.off, Bytes: p.n}, u.write, point, clock, d.host)
		}
	}
}
