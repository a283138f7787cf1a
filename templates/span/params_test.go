package span

import "github.com/poolgen/poolgen/templates/feature"

// zeroes is what the tests need to know of the shared parameters.
const zeroes = feature.ZeroAlways
