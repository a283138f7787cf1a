package freedropped_test

import (
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/freedropped"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/vettest"
)

func TestRule(t *testing.T) { vettest.Run(t, freedropped.Analyzer) }
