package vet

import (
	"golang.org/x/tools/go/analysis"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/afterreset"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/badfree"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/confined"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/copies"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/hostptr"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/ignore"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/items"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/leak"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/streams"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/usefree"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/wrongpool"
)

// Analyzers are all rules.
func Analyzers() []*analysis.Analyzer { return analyzers }

var analyzers = func() []*analysis.Analyzer {
	rules := []*analysis.Analyzer{
		leak.Analyzer, usefree.Analyzer, wrongpool.Analyzer, badfree.Part, badfree.Dropped, afterreset.Analyzer,
		streams.Busy, streams.NotPinned, items.Analyzer, copies.Analyzer, hostptr.Analyzer, confined.Analyzer,
	}
	return append(rules, ignore.Unused(rules))
}()
