package passes

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/numerics"
	"github.com/shaderlift/shaderlift/tile"
)

// Class says how strong a sameness a pass keeps. A stronger one has a smaller number,
// so classes compare by <.
type Class = numerics.Class

// The classes, for passes to name.
const (
	Terms  = numerics.Terms
	Bits   = numerics.Bits
	Real   = numerics.Real
	Approx = numerics.Approx
)

// Option is a setting of a pass, written name{option=value} in a pipeline. Its
// default tells its kind: a whole number, true or false, or a word.
type Option struct {
	Name, Default, Doc string
	// Words are those that it takes if its default is a word, and Number says whether it
	// takes whole numbers too: from Least on.
	Words  []string
	Number bool
	Least  int
}

// Check says what is wrong with value as a setting of o.
func (o *Option) Check(value string) error {
	if _, err := strconv.Atoi(o.Default); err == nil {
		if n, err := strconv.Atoi(value); err != nil || n < 0 {
			return fmt.Errorf("%s wants a whole number from 0 on, not %q", o.Name, value)
		}
	} else if _, err := strconv.ParseBool(o.Default); err == nil && value != "true" && value != "false" {
		return fmt.Errorf("%s wants true or false, not %q", o.Name, value)
	} else if n, err := strconv.Atoi(value); o.Words != nil && !slices.Contains(o.Words, value) && (!o.Number || err != nil || n < o.Least) {
		number := ""
		if o.Number {
			number = fmt.Sprintf("a number from %d on, ", o.Least)
		}
		return fmt.Errorf("%s wants %s%s, not %q", o.Name, number, strings.Join(o.Words, " or "), value)
	}
	return nil
}

// Pass is one rewrite of a unit.
type Pass struct {
	Name string // as written in pipelines
	Doc  string // first line is a summary; then what it does, and when it declines
	// Class is what its mildest rewrites keep: where the user admits less, the pass
	// does not run. Rewrites that keep less ask Ctx.Allows one by one.
	Class   Class
	Options []Option
	// Places tells that it decides where values live, so that it is judged by what is written.
	Places bool
	Run    func(*Ctx, *Unit) error
}

func (p *Pass) option(name string) *Option {
	for i := range p.Options {
		if p.Options[i].Name == name {
			return &p.Options[i]
		}
	}
	return nil
}

// Unit is what passes work on: a pair (Vertex and Pixel), a lone program of either
// stage, or a kernel: any program that no other one feeds. A pass that changes one
// program of a pair must leave the other in step: the varyings between them are both
// programs' business.
type Unit struct {
	Name                  string
	Vertex, Pixel, Kernel *ir.Func
	// Stages is what Vertex and Pixel have between them, nil where not both are there.
	Stages ir.Stages
	// Uploads collects the constants that the host must also set in the other stage.
	Uploads []Upload
	// Varyings are the registers that were added between Vertex and Pixel.
	Varyings []ir.Varying
	// Tile is which invocations of the kernel as it came one of Kernel does the work of.
	Tile tile.Tile

	memory *Cloner // that the programs are in, nil if that is nobody's
	known  *prints // what the programs were before the pass that is run, nil once it has been granted anything
}

// prints are the fingerprints of programs, and of which programs they are.
type prints struct {
	of  [3]*ir.Func
	are [3][2]uint64
}

// Fingerprints are those of the programs of u, in the order of Funcs.
func (u *Unit) Fingerprints() (p [3][2]uint64) {
	if u.known != nil && u.known.of == [3]*ir.Func{u.Vertex, u.Pixel, u.Kernel} {
		return u.known.are
	}
	for i, f := range u.Funcs() {
		p[i] = f.Fingerprint(u.Varyings...)
	}
	return p
}

// Upload says that the host must set vertex constant To to the value it gives
// pixel constant From, or where it is Lowered, pixel constant To to that of vertex constant From.
type Upload struct {
	From, To uint16
	Lowered  bool
}

// Funcs lists the programs of u, vertex first.
func (u *Unit) Funcs() []*ir.Func {
	var fs []*ir.Func
	for _, f := range []*ir.Func{u.Vertex, u.Pixel, u.Kernel} {
		if f != nil {
			fs = append(fs, f)
		}
	}
	return fs
}

// Clone copies u and its programs.
func (u *Unit) Clone() *Unit { return cloners.Get().(*Cloner).Clone(u) }

// Release gives the memory of u, a copy, to other copies: it is not used any more.
func (u *Unit) Release() {
	if u.memory != nil {
		cloners.Put(u.memory)
		u.memory = nil
	}
}

// cloners have memory that nothing lives in.
var cloners = sync.Pool{New: func() any { return new(Cloner) }}

// Cloner makes copies of units in memory of its own: each is good until the next one.
type Cloner struct{ funcs [3]ir.Cloner }

// Clone is [Unit.Clone].
func (c *Cloner) Clone(u *Unit) *Unit {
	v := *u
	v.memory, v.known = c, nil
	v.Uploads = append([]Upload(nil), u.Uploads...)
	v.Varyings = append([]ir.Varying(nil), u.Varyings...)
	for i, f := range [3]**ir.Func{&v.Vertex, &v.Pixel, &v.Kernel} {
		if *f != nil {
			*f = c.funcs[i].Clone(*f)
		}
	}
	return &v
}

// renew is Clone where the last copy, v, has programs that are as they were: those are
// kept. kept goes by the order of Funcs.
func (c *Cloner) renew(v, u *Unit, kept [3]bool) *Unit {
	w := *u
	w.memory, w.known = c, nil
	w.Uploads, w.Varyings = append([]Upload(nil), u.Uploads...), append([]ir.Varying(nil), u.Varyings...)
	k := 0
	for i, f := range [3][2]**ir.Func{{&w.Vertex, &v.Vertex}, {&w.Pixel, &v.Pixel}, {&w.Kernel, &v.Kernel}} {
		if *f[0] == nil {
			continue
		}
		if *f[0] = *f[1]; !kept[k] {
			*f[0] = c.funcs[i].Clone([3]*ir.Func{u.Vertex, u.Pixel, u.Kernel}[i])
		}
		k++
	}
	return &w
}

// Cost orders results: smaller is better, the first difference decides. For a
// pair it is pixel slots, vertex slots, runs of texture reads, temporaries; for a kernel
// cycles, registers, operations, statements.
type Cost [4]int

// Registers is how many of them c, a price of u, counts.
func (u *Unit) Registers(c Cost) int {
	if u.Kernel != nil {
		return c[1]
	}
	return c[3]
}

// Unfit is the cost of a unit that cannot be written: more than that of any other.
var Unfit = Cost{math.MaxInt, math.MaxInt, math.MaxInt, math.MaxInt}

// Less reports whether c is better than d, lexicographically. Equal costs are not
// better: a result must gain something.
func (c Cost) Less(d Cost) bool {
	for i := range c {
		if c[i] != d[i] {
			return c[i] < d[i]
		}
	}
	return false
}

// Ctx is what a running pass may ask. It is made anew for each stage.
type Ctx struct {
	Pass     *Pass
	Numerics Class // the weakest class the user admits
	// Measure prices a unit as its dialect would write it; an error means that it
	// cannot be written within the profile. It is nil where nothing is priced.
	Measure func(*Unit) (Cost, error)
	// Dearer tells of some units, in less time than Measure, that they cost more than that.
	Dearer func(*Unit, Cost) bool
	// Static tells that prices count what is written, and not how often it runs.
	Static bool
	// HostMirrored says that the application sets the pixel constants in the vertex stage too.
	HostMirrored bool
	// Mirrors says of which registers that holds, nil for all.
	Mirrors func(register uint16) bool

	// options are the settings of the stage.
	options   map[string]string
	placement *Placement
	stage     int // index in the pipeline
	leave     leave
	steps     int  // granted
	stopped   bool // nothing is granted any more
	dry       bool // because there is no fuel left
	remarks   []Remark
	unit      *Unit   // that the pass is run on
	trial     *Cloner // the memory of the last trial
	refused   bool    // some rewrite
	settled   [3]bool // by program of the unit
}

// Settled reports whether the pass has been run on program i of the unit before, as that is
// now, and has left it alone. It is for passes to which each program is by itself.
func (c *Ctx) Settled(i int) bool { return c.settled[i] }

// Placed tells how good the choice is that the pass has made, for the report.
func (c *Ctx) Placed(p Placement) { c.placement = &p }

// Trial copies u, for a change to be tried on. The copy is good until the next one, but for
// one that is adopted.
func (c *Ctx) Trial(u *Unit) *Unit {
	if c.trial == nil {
		c.trial = cloners.Get().(*Cloner)
	}
	return c.trial.Clone(u)
}

// Adopt makes u what the last trial is now. What u was is gone: the next trial takes its place.
func (c *Ctx) Adopt(u, trial *Unit) { *u, c.trial = *trial, u.memory }

// Option returns the value of an option of the pass.
func (c *Ctx) Option(name string) string {
	if v, ok := c.options[name]; ok {
		return v
	}
	if o := c.Pass.option(name); o != nil {
		return o.Default
	}
	panic("passes: " + c.Pass.Name + " has no option " + name)
}

// Int returns the value of an option whose default is a number.
func (c *Ctx) Int(name string) int {
	n, err := strconv.Atoi(c.Option(name))
	if err != nil {
		panic("passes: " + c.Pass.Name + ": " + err.Error())
	}
	return n
}

// Bool returns the value of an option whose default is true or false.
func (c *Ctx) Bool(name string) bool { return c.Option(name) == "true" }

// Allows reports whether in may be rewritten keeping only class: what feeds a position
// keeps its terms, whatever the user admits.
func (c *Ctx) Allows(class Class, in *ir.Instr) bool {
	return class <= c.Numerics && (class == Terms || !in.Precise)
}
