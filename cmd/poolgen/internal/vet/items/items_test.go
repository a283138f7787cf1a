package items_test

import (
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/items"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/vettest"
)

func TestRule(t *testing.T) { vettest.Run(t, items.Analyzer) }
