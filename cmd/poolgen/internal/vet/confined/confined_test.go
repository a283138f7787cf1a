package confined_test

import (
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/confined"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/vettest"
)

func TestRule(t *testing.T) { vettest.Run(t, confined.Analyzer) }
