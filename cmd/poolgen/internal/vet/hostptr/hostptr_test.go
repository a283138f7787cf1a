package hostptr_test

import (
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/hostptr"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/vettest"
)

func TestRule(t *testing.T) { vettest.Run(t, hostptr.Analyzer) }
