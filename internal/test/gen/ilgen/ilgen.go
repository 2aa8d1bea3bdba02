package ilgen

import (
	"bytes"
	"fmt"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/gen"
)

// Options configure the kernel. The zero Options give a small pixel kernel with all features.
type Options struct {
	Stage il.Stage
	Size  int // statements wanted; 0 is 30

	Straight bool // no control flow
	// Typed keeps integer instructions from reading the bits of floats and doubles. Machines disagree on
	// bits of NaNs.
	Typed bool
	// Exact leaves out the functions that hardware approximates, such as sin and rcp.
	Exact bool

	NoDouble, NoInteger bool
	NoFetch             bool // no resources
	NoMemory            bool // no global buffer, views, local memory; a compute kernel still stores its results
	NoCalls             bool
}

// Kernel generates a kernel.
func Kernel(seed uint64, o Options) *il.Kernel {
	return KernelFrom(gen.Seeded(seed, stream), o)
}

// KernelFrom generates a kernel with decisions of src.
func KernelFrom(src gen.Source, o Options) *il.Kernel {
	text := textFrom(src, o)
	k, err := il.Parse("random", text)
	if err != nil {
		panic(fmt.Sprintf("ilgen: a kernel that does not parse: %v\n%s", err, text))
	}
	return k
}

// stream separates the decisions of a seed from those of other generators.
const stream = 0x11

// Text generates the text of a kernel, with any spelling of the language.
func Text(seed uint64, o Options) []byte { return textFrom(gen.Seeded(seed, stream), o) }

// textFrom generates the text of a kernel with decisions of src.
func textFrom(src gen.Source, o Options) []byte {
	if o.Size <= 0 {
		o.Size = 30
	}
	g := &generator{r: src, o: o, left: o.Size}
	return g.kernel()
}

// generator is the state of a kernel under construction.
type generator struct {
	r gen.Source // makes all decisions
	o Options

	decls, code bytes.Buffer // declarations, and the code of the current body
	depth       int          // open blocks, for the indentation
	funcs       []*function

	rows      []row           // instructions to choose from
	weight    int             // the sum of theirs
	regs      [numClasses]int // number of registers of a class
	literals  [numClasses]int // number of literals of a class
	lits      int             // literals declared, of all classes
	consts    int             // elements of cb0
	outputs   int
	early     bool     // results are stored from the start, so that threads can leave and outputs be read
	inputs    []string // registers that can be read as floats
	resources []resource
	memory    memory
	counters  int // lanes in use to count loops

	left int     // statements wanted
	now  context // of the place where the next statement goes
}

func (g *generator) chance(percent int) bool { return g.r.Chance(percent) }

// pickOne returns one of several.
func pickOne[T any](g *generator, of ...T) T { return of[g.r.IntN(len(of))] }

// addLine adds a statement, indented, and sometimes a comment or an empty line after it.
func (g *generator) addLine(format string, args ...any) {
	for range g.depth {
		g.code.WriteString("    ")
	}
	fmt.Fprintf(&g.code, format, args...)
	if g.chance(4) {
		g.code.WriteString(pickOne(g, " ; note", "\t; a, b", ";", "  "))
	}
	g.code.WriteByte('\n')
	if g.chance(3) {
		g.code.WriteByte('\n')
	}
}

func (g *generator) declare(format string, args ...any) {
	fmt.Fprintf(&g.decls, format+"\n", args...)
}

// kernel generates the kernel, and joins its parts: version, declarations, main program, functions, end.
func (g *generator) kernel() []byte {
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
		text.WriteString(pickOne(g, "ret\n", "endmain\n"))
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
