//go:build race

package tests

// race says whether these tests were built with -race.
const race = true
