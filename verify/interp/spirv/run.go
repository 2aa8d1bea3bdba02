package spirv

import (
	"cmp"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
)

// DefaultSteps bounds the words that a batch computes before the invocations that run end as unfinished. The others go on
// with half of the steps, then a quarter, and so on.
const DefaultSteps = 1 << 21

// Env holds all that a program reads besides its inputs. Functions must depend on their arguments alone. A nil function
// gives zeros, or images of one black texel.
type Env struct {
	Word    func(r Resource, offset uint32) uint32 // of a buffer or the push constants, by byte offset
	Image   func(r Resource) *Image
	Sampler func(r Resource) Sampler
	// Fill selects the words of undefined values: zeros, or pseudo-random words if it is not 0. A result that differs
	// between fillings is undefined. The lower two bits select the kind of words.
	Fill  uint64
	Steps int // 0 means DefaultSteps
}

// The kinds of fillings besides random bits, in the lower two bits of [Env].Fill.
const (
	FillFloats = 2 // ordinary floats
	FillSmall  = 3 // integers below 16
)

// Batch is up to 64 invocations. Four consecutive fragments are a quad: left to right, then down.
type Batch struct {
	N    int
	In   []Vec        // by component, in the order of Program.Inputs
	X, Y [Lanes]int32 // pixels of fragments, for subpass inputs
	// Helpers holds fragments that only help with derivatives.
	Helpers uint64
}

// Store is a word that an invocation stored in a buffer or, with Image set, a component of a texel. Each invocation
// runs as if it were alone: it does not see the stores of others.
type Store struct {
	Lane    int
	To      Resource
	Image   bool
	Texel   [4]int32 // coordinates and sample
	Address uint32   // in bytes, or the component of the texel
	Word    uint32
}

// Result is the result of a batch.
type Result struct {
	Out    []Vec  // by component, in the order of Program.Outputs
	Killed uint64 // discarded fragments
	// Undefined holds invocations that reached a point that they must not reach. Their outputs are undefined.
	Undefined uint64
	// Unfinished holds invocations that did not end within the limit of steps. They have no results.
	Unfinished uint64
	Stores     []Store // the last words, in order
}

// Run executes a batch.
func (p *Program) Run(env *Env, b *Batch) (*Result, error) {
	if b.N < 1 || b.N > Lanes || len(b.In) != len(p.inputs) || p.Stage == Fragment && b.N%4 != 0 {
		return nil, asm.Errorf(asm.Pos{}, "bad-run", "%d inputs of %d invocations do not fit the program", len(b.In), b.N)
	}
	m := p.newMachine(env)
	m.reset(b.N)
	for i, c := range p.inputs {
		m.s[c.slot] = b.In[i]
	}
	m.helpers = b.Helpers
	m.x, m.y = b.X, b.Y
	m.execute(p.main, m.running)
	r := &Result{Killed: m.killed, Unfinished: m.unfinished, Undefined: m.lost, Stores: m.allStores(), Out: make([]Vec, len(p.outputs))}
	m.mask = m.lost
	for i, c := range p.outputs {
		m.fill(c.slot, 1)
		r.Out[i] = m.s[c.slot]
	}
	m.env = nil
	p.machines.Put(m)
	return r, nil
}

// newMachine returns a machine with the constants. Words of values are zeros.
func (p *Program) newMachine(env *Env) *machine {
	m, _ := p.machines.Get().(*machine)
	if m == nil {
		m = &machine{p: p, s: make([]Vec, p.slots), pending: make([][]uint64, len(p.functions))}
		for i, f := range p.functions {
			m.pending[i] = make([]uint64, len(f.blocks))
		}
		for i, w := range p.initial {
			for l := range Lanes {
				m.s[i][l] = w
			}
		}
	} else {
		clear(m.s[len(p.initial):])
	}
	m.env, m.steps = env, env.Steps
	if m.steps == 0 {
		m.steps = DefaultSteps
	}
	m.limit = m.steps
	return m
}

// allStores lists the stores of a batch in order.
func (m *machine) allStores() (list []Store) {
	byIndex := make([]Resource, len(m.p.resources))
	for r, i := range m.p.resources {
		byIndex[i] = r
	}
	for k, w := range m.stores {
		r := byIndex[k.resource]
		r.Element = k.address >> elementShift
		list = append(list, Store{Lane: int(k.lane), To: r, Address: k.address & (1<<elementShift - 1), Word: w})
	}
	for k, t := range m.texels {
		r := m.p.descriptor(k.handle)
		for c, w := range t {
			list = append(list, Store{Lane: int(k.lane), To: r, Image: true, Texel: [4]int32{k.x, k.y, k.z, k.sample},
				Address: uint32(c), Word: w})
		}
	}
	slices.SortFunc(list, func(a, b Store) int {
		return cmp.Or(cmp.Compare(a.Lane, b.Lane), a.To.compare(b.To), slices.Compare(a.Texel[:], b.Texel[:]),
			cmp.Compare(a.Address, b.Address))
	})
	return list
}

// compare orders resources.
func (r Resource) compare(o Resource) int {
	return cmp.Or(cmp.Compare(r.Set, o.Set), cmp.Compare(r.Binding, o.Binding), cmp.Compare(r.Element, o.Element))
}
