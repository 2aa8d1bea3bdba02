package mutate

import (
	"math/rand/v2"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
)

// Dialect is the language of a kind.
type Dialect uint8

// The languages.
const (
	D3D9 Dialect = iota
	IL
)

func (d Dialect) String() string { return [...]string{"d3d9", "il"}[d] }

// Kind is a way to change a program in one place: a mutation operator in the sense of King and Offutt
// (1991). The flags describe the use of its mutants.
type Kind struct {
	Name    string
	Dialect Dialect
	Doc     string // description of the change
	// Declared reports that a mutant differs in declarations that a single execution does not show: names,
	// types, precision, or the form of the launch.
	Declared bool
	// Subtle reports that a mutant differs for few inputs, or by little.
	Subtle bool
	// Files restricts the kind to programs from files, if there are any: the change has no effect in
	// generated programs, whose loops are short.
	Files bool

	d3d9 func(m *d3d9Site) bool
	il   func(m *ilSite) bool
}

// d3d9Site is a statement of a program of a pair that a kind may change. The kind reports whether it did,
// and changes nothing if it does not apply. The program is a copy.
type d3d9Site struct {
	r    *rand.Rand    // makes all choices of a kind
	pair Pair          // the other stage can be read, and changed by kinds for both
	p    *d3d9.Program // the program to change
	i    int           // number of the statement
}

// statement returns the statement.
func (m *d3d9Site) statement() *d3d9.Inst { return &m.p.Insts[m.i] }

// ilSite is a statement of a kernel that a kind may change.
type ilSite struct {
	r *rand.Rand
	k *il.Kernel
	i int
}

// statement returns the statement.
func (m *ilSite) statement() *il.Inst { return &m.k.Insts[m.i] }

// Kinds is the table of all kinds, by dialect. Its order determines the numbers of mutants, so a change of
// it changes every run.
var Kinds = slices.Concat(
	d3d9OperandKinds, d3d9ConstantKinds, d3d9TableKinds, d3d9InterfaceKinds, d3d9FlowKinds, d3d9StatementKinds,
	ilOperandKinds, ilLiteralKinds, ilFlowKinds, ilMemoryKinds, ilStatementKinds, ilInterfaceKinds,
)

// lookup returns the kind with a dialect and name, written d3d9/swizzle.
func lookup(name string) *Kind {
	for i := range Kinds {
		if k := &Kinds[i]; k.String() == name {
			return k
		}
	}
	return nil
}

func (k *Kind) String() string { return k.Dialect.String() + "/" + k.Name }

// choose returns one of several.
func choose[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }
