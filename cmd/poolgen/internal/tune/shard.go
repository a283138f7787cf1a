package tune

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/poolgen/poolgen/internal/figure"
)

// Shard is one of several equal parts of each round of a search. The zero Shard is the whole search.
type Shard struct{ Index, Of int } // Index counts from 0

// mostShards is far more than a round has candidates.
const mostShards = 10_000

// ParseShard reads a shard such as 3/16.
func ParseShard(text string) (s Shard, err error) {
	index, of, ok := strings.Cut(text, "/")
	if ok {
		if s.Index, err = strconv.Atoi(index); err == nil {
			s.Of, err = strconv.Atoi(of)
		}
	}
	if !ok || err != nil || s.Index < 0 || s.Of < 1 || s.Of > mostShards || s.Index >= s.Of {
		return Shard{}, fmt.Errorf("%q is no shard: i/n is one, with n from 1 to %d and i from 0 to n-1", text, mostShards)
	}
	return s, nil
}

// has reports whether the candidate at a place of a round belongs to the shard.
func (s Shard) has(place int) bool { return s.Of == 0 || place%s.Of == s.Index }

// Shared is a search whose rounds are shared among processes, or one that goes on where a process was interrupted. Each process measures, of the first
// round that is not known whole, what belongs to its shard and is not known. As candidates follow from bytes, which are exact, all processes find the same rounds.
type Shared struct {
	Known *Known
	Shard Shard

	// Measure measures candidates. It calls done with each that has been measured, if done is not nil.
	Measure func(ctx context.Context, list []Candidate, turns int, done func(Trial) error) ([]Trial, error)
	// Record keeps a result for other processes; nil: nobody does.
	Record func(Trial) error

	round int
}

// Incomplete is the error that ends the search of a shard: it has done its part.
type Incomplete struct {
	Round    int // that was measured, counted from 1; 0: all rounds are known
	Measured int // candidates that this process has measured
	Missing  int // candidates of the round that others have to measure
}

func (e *Incomplete) Error() string {
	if e.Round == 0 {
		return "all rounds are known: the same command without --shard prints the result"
	}
	return fmt.Sprintf("round %d: %s measured, %d left to other shards", e.Round, figure.Count(int64(e.Measured), "pool"), e.Missing)
}

// Round is the method for [Search.Measure].
func (s *Shared) Round(ctx context.Context, list []Candidate, turns int) ([]Trial, error) {
	if turns != firstTurns { // times are compared, so all are taken by one process
		if s.Shard.Of > 0 {
			return nil, &Incomplete{}
		}
		return s.Measure(ctx, list, turns, nil)
	}
	s.round++
	trials := make([]Trial, len(list))
	var own []Candidate
	var places []int // of own
	others := 0
	for i, c := range list {
		var known bool
		switch trials[i], known = s.Known.trial(c); {
		case known:
		case s.Shard.has(i):
			own, places = append(own, c), append(places, i)
		default:
			others++
		}
	}
	if len(own) > 0 {
		found, err := s.Measure(ctx, own, turns, s.Record)
		if err != nil {
			return nil, err
		}
		for k, t := range found {
			trials[places[k]] = t
		}
	}
	if s.Shard.Of > 0 && len(own)+others > 0 {
		return nil, &Incomplete{Round: s.round, Measured: len(own), Missing: others}
	}
	return trials, nil
}
