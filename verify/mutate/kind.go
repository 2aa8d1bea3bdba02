package mutate

import (
	"math/rand/v2"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
)

// Dialect is the language that a kind knows.
type Dialect uint8

// The languages.
const (
	D3D9 Dialect = iota
	IL
)

func (d Dialect) String() string { return [...]string{"d3d9", "il"}[d] }

// Kind is a way to change a program in one place: a mutation operator in the sense of King and Offutt
// (1991). The flags say what its mutants are good for.
type Kind struct {
	Name    string
	Dialect Dialect
	Doc     string // what it does
	// Equivalent says that a mutant can be the same program even where what was
	// changed is live: the others only are where nothing depends on it.
	Equivalent bool
	// Declared says that a mutant differs in what is declared, which no execution by
	// itself shows: names, types, precision, how a kernel is launched.
	Declared bool
	// Subtle says that a mutant differs for few inputs, or by little.
	Subtle bool
	// Files keeps to programs from files, where there are some: in generated ones what is
	// changed has no effect, since their loops are short.
	Files bool

	d3d9 func(m *d3d9Site) bool
	il   func(m *ilSite) bool
}

// d3d9Site is a statement of a program of a pair that a kind may change. The kind reports whether it
// did, and leaves everything as it is if it does not apply. The program is a copy of its own.
type d3d9Site struct {
	r    *rand.Rand    // where all choices of a kind come from
	pair Pair          // the other stage can be looked at, and changed where a kind is about both
	p    *d3d9.Program // the program that is changed
	i    int           // the number of the statement
}

// in is the statement.
func (m *d3d9Site) in() *d3d9.Inst { return &m.p.Insts[m.i] }

// ilSite is a statement of a kernel that a kind may change.
type ilSite struct {
	r *rand.Rand
	k *il.Kernel
	i int
}

// in is the statement.
func (m *ilSite) in() *il.Inst { return &m.k.Insts[m.i] }

// Kinds is the table of all kinds, by dialect. Mutants are numbered through it, so that its order is
// part of what makes a run repeatable.
var Kinds = slices.Concat(
	d3d9OperandKinds, d3d9ConstantKinds, d3d9TableKinds, d3d9InterfaceKinds, d3d9FlowKinds, d3d9StatementKinds,
	ilOperandKinds, ilLiteralKinds, ilFlowKinds, ilMemoryKinds, ilStatementKinds, ilInterfaceKinds,
)

// lookup finds a kind by its dialect and name, written d3d9/swizzle.
func lookup(name string) *Kind {
	for i := range Kinds {
		if k := &Kinds[i]; k.String() == name {
			return k
		}
	}
	return nil
}

func (k *Kind) String() string { return k.Dialect.String() + "/" + k.Name }

// choose is one of several.
func choose[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }
