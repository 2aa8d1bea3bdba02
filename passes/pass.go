package passes

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/shaderlift/shaderlift/ir"
)

// Class is the kind of equality that a pass preserves. A stronger one has a smaller number, so classes
// compare by <.
type Class = ir.Numerics

// The classes, under the names that passes use.
const (
	Terms  = ir.Terms
	Bits   = ir.Bits
	Real   = ir.Real
	Approx = ir.Approx
)

// Option is a setting of a pass, written name{option=value} in a pipeline. The type of its default (a whole
// number, true or false, or a word) is its type.
type Option struct {
	Name, Default, Doc string
	// Words are the allowed words if the default is a word. Number reports whether whole numbers from Least
	// on are allowed too.
	Words  []string
	Number bool
	Least  int
}

// Check returns an error if value is not a valid setting of o.
func (o *Option) Check(value string) error {
	if _, err := strconv.Atoi(o.Default); err == nil {
		if n, err := strconv.Atoi(value); err != nil || n < 0 {
			return fmt.Errorf("%s wants a whole number from 0 on, not %q", o.Name, value)
		}
	} else if _, err := strconv.ParseBool(o.Default); err == nil && value != "true" && value != "false" {
		return fmt.Errorf("%s wants true or false, not %q", o.Name, value)
	} else if n, err := strconv.Atoi(value); o.Words != nil && !slices.Contains(o.Words, value) &&
		(!o.Number || err != nil || n < o.Least) {
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
	Doc  string // first line is a summary; then the effect, and when it declines
	// Class is the class that its weakest unconditional rewrites preserve: the pass does not run if the user
	// admits only stronger classes. Weaker rewrites ask Ctx.Allows one by one.
	Class   Class
	Options []Option
	// Places marks a pass that assigns registers, so that it is priced by the emitted code.
	Places bool
	// Removes marks a pass that only removes or shares work. If a result is slower or cannot be proved, the
	// other passes are blamed first.
	Removes bool
	Run     func(*Ctx, *Unit) error
}

func (p *Pass) option(name string) *Option {
	for i := range p.Options {
		if p.Options[i].Name == name {
			return &p.Options[i]
		}
	}
	return nil
}

// Unit is the input of a pass: a pair (Vertex and Pixel), a lone program of either stage, or a kernel, which
// no other program feeds. A pass that changes one program of a pair must keep the varyings between the two
// programs consistent.
type Unit struct {
	Name                  string
	Vertex, Pixel, Kernel *ir.Func
	// Stages describes the interface between Vertex and Pixel, nil unless both exist.
	Stages ir.Stages
	// Uploads collects the constants that the host must also set in the other stage.
	Uploads []Upload
	// Varyings are the registers that were added between Vertex and Pixel.
	Varyings []ir.Varying
	// Tile is the set of invocations of the original kernel whose work one invocation of Kernel does.
	Tile ir.Tile

	memory *Cloner // memory that holds the programs, or nil
	known  prints  // fingerprints from before the current pass, none once a rewrite was granted
}

// prints are fingerprints, with the programs they belong to, in the order of Funcs. A program may be nil: its
// fingerprint is not known.
type prints struct {
	of  [3]*ir.Func
	are [3][2]uint64
}

// Fingerprints returns the fingerprints of the programs of u, in the order of Funcs.
func (u *Unit) Fingerprints() (p [3][2]uint64) {
	for i, f := range u.Funcs() {
		if p[i] = u.known.are[i]; u.known.of[i] != f {
			p[i] = f.Fingerprint(u.Varyings...)
		}
	}
	return p
}

// Launched returns the kernel of u if it is launched, and nil otherwise.
func (u *Unit) Launched() *ir.Func {
	if u.Kernel == nil || u.Kernel.Dialect.Launch() == nil {
		return nil
	}
	return u.Kernel
}

// ChangeTile returns the tile of u for a change. A kernel without one gets a tile of one invocation.
func (u *Unit) ChangeTile() *ir.Tile {
	if u.Tile == (ir.Tile{}) {
		u.Tile = ir.Tile{X: 1, Y: 1}
	}
	return &u.Tile
}

// Upload is a constant that the host must also set in the other stage: vertex constant To gets the value of
// pixel constant From. If it is Lowered, pixel constant To gets the value of vertex constant From.
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

// Release returns the memory of u, an unused copy, to the pool.
func (u *Unit) Release() {
	if u != nil && u.memory != nil {
		cloners.Put(u.memory)
		u.memory = nil
	}
}

// cloners holds unused memory.
var cloners = sync.Pool{New: func() any { return new(Cloner) }}

// Cloner copies units into memory that it reuses: each copy is valid until the next one.
type Cloner struct{ funcs [3]*ir.Cloner }

// clone copies f into the memory for program i: vertex, pixel, kernel.
func (c *Cloner) clone(i int, f *ir.Func) *ir.Func {
	if c.funcs[i] == nil {
		c.funcs[i] = new(ir.Cloner)
	}
	return c.funcs[i].Clone(f)
}

// Clone copies u as [Unit.Clone] does, into the memory of c.
func (c *Cloner) Clone(u *Unit) *Unit {
	v := *u
	v.memory, v.known = c, prints{}
	v.Uploads = append([]Upload(nil), u.Uploads...)
	v.Varyings = append([]ir.Varying(nil), u.Varyings...)
	for i, f := range [3]**ir.Func{&v.Vertex, &v.Pixel, &v.Kernel} {
		if *f != nil {
			*f = c.clone(i, *f)
		}
	}
	return &v
}

// renew copies u as Clone does, but keeps the programs of the last copy, v, that have not changed. kept is
// indexed in the order of Funcs.
func (c *Cloner) renew(v, u *Unit, kept [3]bool) *Unit {
	w := *u
	w.memory, w.known = c, prints{}
	w.Uploads, w.Varyings = append([]Upload(nil), u.Uploads...), append([]ir.Varying(nil), u.Varyings...)
	k := 0
	for i, f := range [3][2]**ir.Func{{&w.Vertex, &v.Vertex}, {&w.Pixel, &v.Pixel}, {&w.Kernel, &v.Kernel}} {
		if *f[0] == nil {
			continue
		}
		if *f[0] = *f[1]; !kept[k] {
			*f[0] = c.clone(i, [3]*ir.Func{u.Vertex, u.Pixel, u.Kernel}[i])
		}
		k++
	}
	return &w
}

// Cost orders results lexicographically: smaller is better. For a pair it is pixel slots, vertex slots,
// phases of texture reads, temporaries, interpolators; for a kernel cycles, registers, operations, statements.
type Cost [5]int

// Registers returns the number of registers in c, a price of u.
func (u *Unit) Registers(c Cost) int {
	if u.Kernel != nil {
		return c[1]
	}
	return c[3]
}

// Unfit is the cost of a unit that cannot be written. It exceeds every other cost.
var Unfit = Cost{math.MaxInt, math.MaxInt, math.MaxInt, math.MaxInt, math.MaxInt}

// Less reports whether c is better than d, lexicographically. Equal costs are not better: a result must gain
// something.
func (c Cost) Less(d Cost) bool {
	for i := range c {
		if c[i] != d[i] {
			return c[i] < d[i]
		}
	}
	return false
}

// Ctx is the interface of a running pass to the manager. Each stage gets a new one.
type Ctx struct {
	Pass     *Pass
	Numerics Class // the weakest class the user admits
	// Measure prices a unit as its dialect would write it. An error means that it cannot be written within
	// the profile. Measure is nil if nothing is priced.
	Measure func(*Unit) (Cost, error)
	// Dearer reports quickly, for some units, that they cost more than the given cost. It takes less time
	// than Measure.
	Dearer func(*Unit, Cost) bool
	// Static means that prices count emitted code, not executions.
	Static bool
	// HostMirrored means that the application sets the pixel constants in the vertex stage too.
	HostMirrored bool
	// Mirrors reports the registers for which HostMirrored holds, nil for all.
	Mirrors func(register uint16) bool

	// options are the settings of the stage.
	options   map[string]string
	placement *Placement
	stage     int // index in the pipeline
	leave     leave
	steps     int  // granted
	stopped   bool // no further rewrite is granted
	dry       bool // because the fuel is used up
	remarks   []Remark
	unit      *Unit   // the unit that the pass runs on
	trial     *Cloner // the memory of the last trial
	part      int     // the program that it has copied, if that is one
	refused   bool    // a rewrite was refused
	settled   [3]bool // by program of the unit
}

// Settled reports whether the pass already ran on the current version of program i and did not change it.
// Passes that treat programs independently use it.
func (c *Ctx) Settled(i int) bool { return c.settled[i] }

// Placed records the placement that the pass has chosen in the statistics of the run.
func (c *Ctx) Placed(p Placement) { c.placement = &p }

// Trial copies u, to try a change on. The copy is valid until the next Trial, unless it is adopted.
func (c *Ctx) Trial(u *Unit) *Unit {
	if c.trial == nil {
		c.trial = cloners.Get().(*Cloner)
	}
	return c.trial.Clone(u)
}

// TrialOf copies program k of u, to try a change on. The other programs are those of u, and must not be changed.
// The copy is valid until the next trial, unless it is adopted.
func (c *Ctx) TrialOf(u *Unit, k int) *Unit {
	if c.trial == nil {
		c.trial = cloners.Get().(*Cloner)
	}
	v := *u
	v.memory = nil
	f := u.Funcs()[k]
	for i, g := range [3]**ir.Func{&v.Vertex, &v.Pixel, &v.Kernel} {
		if *g == f {
			*g, c.part = c.trial.clone(i, f), i
		}
	}
	v.known.of[k] = nil
	return &v
}

// Adopt replaces u by the last trial. The next trial reuses the memory of the old u, or of its program that the
// trial has changed.
func (c *Ctx) Adopt(u, trial *Unit) {
	memory := u.memory
	if trial.memory != nil {
		*u, c.trial = *trial, memory
		return
	}
	if memory == nil {
		memory = new(Cloner)
	}
	memory.funcs[c.part], c.trial.funcs[c.part] = c.trial.funcs[c.part], memory.funcs[c.part]
	*u = *trial
	u.memory = memory
}

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

// Allows reports whether in may be rewritten preserving only class. Code that feeds a position keeps its
// terms, and code that an exact decision depends on keeps its bits, regardless of the numerics that the user
// admits.
func (c *Ctx) Allows(class Class, in *ir.Instr) bool {
	return class <= c.Numerics && (class == Terms || !in.Precise) && (class < Real || !in.Decides)
}
