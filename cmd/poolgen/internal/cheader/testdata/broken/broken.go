// Package broken does not compile, but for what Sound needs.
package broken

// Sound needs nothing that is broken.
type Sound struct{ A [2]uint16 }

// Broken needs a type that nobody declares.
type Broken struct{ A undeclared }

// Twice has two fields of one name.
type Twice struct {
	A uint8
	A uint16
}

// Holder has one.
type Holder struct{ Inner [2]Twice }

// Long has no length.
type Long struct{ A [length]uint8 }

// Grouped needs nothing that is broken, either.
type (
	Grouped struct{ A uint8 }
	Wrong   struct{ A undeclared }
)

// Again and Other are Twice by another name, as is Within's field.
type (
	Again Twice
	Other = struct {
		A uint8
		A uint16
	}
	Within struct{ A Other }
)

// Text is sound, but not for C.
type Text struct{ A string }

// Endless fits into no memory.
type Endless struct{ A [1 << 62]int64 }

func unsound() { return 1 }
