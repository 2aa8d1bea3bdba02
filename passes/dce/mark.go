package dce

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// marks says what an output or an effect depends on.
type marks struct {
	live    []bool             // by value ID
	reached map[*ir.Instr]bool // effects, and the constructs that anything live depends on

	owner map[*ir.Instr]*ir.Instr   // the construct around; top-level code has none
	leave map[*ir.Instr][]*ir.Instr // the breaks of each loop
	slots []slot                    // by value ID: the construct that carries or hands over a value
	work  []*ir.Value
}

// slot is position k of what construct in carries or hands over.
type slot struct {
	in *ir.Instr
	k  int32
}

func mark(f *ir.Func) *marks {
	m := &marks{
		live:    make([]bool, f.NumValues()),
		reached: map[*ir.Instr]bool{},
		owner:   map[*ir.Instr]*ir.Instr{},
		leave:   map[*ir.Instr][]*ir.Instr{},
		slots:   make([]slot, f.NumValues()),
	}
	var effects []*ir.Instr
	f.Walk(func(in *ir.Instr) {
		for k, v := range in.Results {
			m.slots[v.ID] = slot{in, int32(k)}
		}
		for _, sub := range in.Sub {
			for k, p := range sub.Params {
				m.slots[p.ID] = slot{in, int32(k)}
			}
			if sub.Index != nil {
				m.slots[sub.Index.ID] = slot{in, -1}
			}
			for _, inner := range sub.Code {
				m.owner[inner] = in
			}
		}
		if in.Op == ir.OpBreak {
			loop := m.owner[in]
			for loop.Op != ir.OpLoop {
				loop = m.owner[loop]
			}
			m.leave[loop] = append(m.leave[loop], in)
		}
		// A break matters only to a loop that does.
		if in.Op.Has(ir.Effect) && in.Op != ir.OpBreak {
			effects = append(effects, in)
		}
	})
	for _, in := range effects {
		m.reach(in)
	}
	for _, o := range f.Outs {
		m.use(o.V)
	}
	for len(m.work) > 0 {
		v := m.work[len(m.work)-1]
		m.work = m.work[:len(m.work)-1]
		m.value(v)
	}
	return m
}

// dead reports whether nothing reads what loop in carries at position k.
func (m *marks) dead(in *ir.Instr, k int) bool {
	return !m.live[in.Sub[0].Params[k].ID] && !m.live[in.Results[k].ID]
}

func (m *marks) use(v *ir.Value) {
	if v != nil && !m.live[v.ID] {
		m.live[v.ID] = true
		m.work = append(m.work, v)
	}
}

// reach marks an effect or a construct: what decides whether and how often it
// runs. What a construct hands over is marked value by value.
func (m *marks) reach(in *ir.Instr) {
	for ; in != nil && !m.reached[in]; in = m.owner[in] {
		m.reached[in] = true
		for k := range in.Src {
			in.Src[k].Each(func(_ int, l *ir.Lane) { m.use(l.V) })
		}
		for _, l := range in.Pred {
			m.use(l.V)
		}
		m.states(in)
		for _, b := range m.leave[in] {
			m.reach(b)
		}
	}
}

// states marks the states of memory that in reads.
func (m *marks) states(in *ir.Instr) {
	if in.Op.Has(ir.Memory) {
		for _, v := range in.Args {
			m.use(v)
		}
	}
}

// value marks what v depends on.
func (m *marks) value(v *ir.Value) {
	if s := m.slots[v.ID]; s.in != nil {
		m.reach(s.in)
		if s.k < 0 {
			return
		}
		for _, sub := range s.in.Sub {
			m.use(sub.Results[s.k])
		}
		if s.in.Op == ir.OpLoop {
			m.use(s.in.Args[s.k])
			for _, b := range m.leave[s.in] {
				m.use(b.Args[s.k])
			}
		}
		return
	}
	in := v.Def
	if in == nil {
		return
	}
	m.reach(m.owner[in])
	lane := slices.Index(in.Out[:], v)
	for k := range in.Src {
		reads := in.ReadsFor(k, 1<<lane)
		in.Src[k].Each(func(i int, l *ir.Lane) {
			if reads>>i&1 != 0 {
				m.use(l.V)
			}
		})
	}
	m.use(in.Pred[lane].V)
	m.use(in.Keep[lane])
	m.states(in)
}
