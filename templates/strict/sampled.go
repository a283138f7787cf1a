package strict

import "github.com/poolgen/poolgen/templates/feature"

// weight is what each block counts on the way to the next sample.
//
//poolgen:if feature.Sampled
const weight = itemBytes*feature.SampleByte + feature.SampleBlock
