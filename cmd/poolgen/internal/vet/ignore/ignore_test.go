package ignore_test

import (
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/vettest"
)

// The rule runs together with those whose findings the directives of its program silence, or do not.
func TestRule(t *testing.T) { vettest.Run(t, vettest.Together("ignore", vet.Analyzers())) }
