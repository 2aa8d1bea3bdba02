package ilgen

import (
	"bytes"
	"fmt"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/verify/gen/choice"
)

// Options say what a kernel is to be like. The zero Options are a small pixel kernel
// with everything in it.
type Options struct {
	Stage il.Stage
	Size  int // statements wanted; 0 is 30

	Straight bool // no control flow
	// Typed keeps integer instructions from the bits of floats and doubles, of which
	// NaNs have some that machines do not agree on.
	Typed bool
	// Exact leaves out the functions that hardware approximates, such as sin and rcp.
	Exact bool

	NoDouble, NoInteger bool
	NoFetch             bool // no resources
	NoMemory            bool // no global buffer, views, local memory; a compute kernel still stores its results
	NoCalls             bool
}

// Kernel makes a kernel.
func Kernel(seed uint64, o Options) *il.Kernel {
	k, err := il.Parse("random", Text(seed, o))
	if err != nil {
		panic(fmt.Sprintf("ilgen: no kernel for seed %d, %+v: %v", seed, o, err))
	}
	return k
}

// Text makes the text of a kernel, in any of the spellings that the language allows.
func Text(seed uint64, o Options) []byte { return TextFrom(choice.Seeded(seed, 0x11), o) }

// TextFrom makes the text of a kernel as src decides.
func TextFrom(src choice.Source, o Options) []byte {
	if o.Size <= 0 {
		o.Size = 30
	}
	g := &gen{r: src, o: o, left: o.Size}
	return g.kernel()
}

// gen is the state of one kernel in the making.
type gen struct {
	r choice.Source // where all decisions come from
	o Options

	decls, code bytes.Buffer // declarations, and the code of the body in the making
	depth       int          // blocks open, for the indentation
	funcs       []*function

	rows      []row           // instructions to choose from
	weight    int             // the sum of theirs
	regs      [numClasses]int // how many registers there are of a class
	literals  [numClasses]int // how many there are of a class
	lits      int             // literals declared, of all classes
	consts    int             // elements of cb0
	outputs   int
	early     bool     // results stand from the start, so that threads can leave and outputs be read
	inputs    []string // registers that can be read as floats
	resources []resource
	memory    memory
	counters  int // lanes in use to count loops

	left int     // statements wanted
	now  context // of the place where the next statement goes
}

func (g *gen) chance(percent int) bool { return g.r.Chance(percent) }

// pick chooses one of several.
func pick[T any](g *gen, of ...T) T { return of[g.r.IntN(len(of))] }

// line adds a statement, indented, with a comment or an empty line behind it now and then.
func (g *gen) line(format string, args ...any) {
	for range g.depth {
		g.code.WriteString("    ")
	}
	fmt.Fprintf(&g.code, format, args...)
	if g.chance(4) {
		g.code.WriteString(pick(g, " ; note", "\t; a, b", ";", "  "))
	}
	g.code.WriteByte('\n')
	if g.chance(3) {
		g.code.WriteByte('\n')
	}
}

func (g *gen) declare(format string, args ...any) {
	fmt.Fprintf(&g.decls, format+"\n", args...)
}

// kernel makes all of it, and puts the parts together: version, declarations, main program, functions, end.
func (g *gen) kernel() []byte {
	g.choices()
	g.header()
	g.start()
	g.block(g.left)
	g.finish()

	var text bytes.Buffer
	if g.chance(10) {
		text.WriteString(map[il.Stage]string{il.Pixel: "dx11_ps\n", il.Compute: "dx11_cs\n"}[g.o.Stage])
	}
	fmt.Fprintf(&text, "il_%s_2_0\n", g.o.Stage)
	text.Write(g.decls.Bytes())
	text.Write(g.code.Bytes())
	if len(g.funcs) > 0 {
		text.WriteString(pick(g, "ret\n", "endmain\n"))
	}
	for _, f := range g.funcs {
		fmt.Fprintf(&text, "func %d\n%sret\n", f.label, f.code)
		if g.chance(70) {
			text.WriteString("endfunc\n")
		}
	}
	text.WriteString("end\n")
	return text.Bytes()
}
