package lower

import (
	"math"
	"strconv"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// sampling is poolimpl.Sampling, with weights that are whole numbers: a request counts whole numbers on the way to the next sample.
type sampling struct {
	perBlock, perByte int64
	mean              float64
}

// newSampling returns how blocks are sampled of which one in oneIn is guarded, and of which one in poolimpl.ProfileRate bytes is profiled. oneIn is 0 if none is
// guarded.
func newSampling(oneIn int64, profiles bool) (s sampling) {
	const surely = 64 // times the mean: the probability that an interval is longer is that of guessing 92 bits
	among := -1 / math.Log1p(-1/float64(oneIn))
	switch {
	case oneIn == 0 && !profiles:
		return s
	case oneIn == 0:
		return sampling{perByte: 1, mean: poolimpl.ProfileRate}
	case !profiles:
		return sampling{perBlock: 1, mean: among}
	case oneIn == 1:
		return sampling{perBlock: surely * poolimpl.ProfileRate, perByte: 1, mean: poolimpl.ProfileRate}
	}
	s = sampling{perByte: oneIn, mean: float64(oneIn) * poolimpl.ProfileRate}
	s.perBlock = int64(math.Round(s.mean / among))
	return s
}

// sampling returns how the blocks of the pool are sampled.
func (p *Pool) sampling() sampling { return newSampling(p.Spec.Guard, p.Spec.Profile) }

// samples reports whether blocks of the pool are sampled.
func (p *Pool) samples() bool { return p.sampling() != sampling{} }

// samplingLiteral is the sampling in the configuration of the engine. Guarded blocks are aligned as others are, apart from what their length implies.
func (p *Pool) samplingLiteral() string {
	s, align := p.sampling(), p.Spec.Alignment
	if !p.Spec.ItemForm() {
		align = max(align, 16)
	}
	var l Literal
	l.set(true, "Weights", p.weights())
	l.set(true, "Mean", strconv.FormatFloat(s.mean, 'f', -1, 64))
	l.set(s.perBlock > 0 && align > 0, "Align", decimal(align))
	return l.inline("&poolimpl.Sampling")
}

// weights are what requests count on the way to the next sample.
func (p *Pool) weights() string {
	var l Literal
	s := p.sampling()
	l.set(s.perBlock > 0, "PerBlock", decimal(s.perBlock))
	l.set(s.perByte > 0, "PerByte", decimal(s.perByte))
	return l.inline("poolimpl.Weights")
}
