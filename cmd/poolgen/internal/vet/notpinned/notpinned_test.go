package notpinned_test

import (
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/notpinned"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/vettest"
)

func TestRule(t *testing.T) { vettest.Run(t, notpinned.Analyzer) }
