// Package broken does not compile, but for what Sound needs.
package broken

// Sound needs nothing that is broken.
type Sound struct{ A [2]uint16 }

// Broken needs a type that nobody declares.
type Broken struct{ A undeclared }

func unsound() { return 1 }
