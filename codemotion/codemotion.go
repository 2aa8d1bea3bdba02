package codemotion

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Pass moves affine and invariant work from the pixel to the vertex program.
var Pass = &passes.Pass{
	Name: "codemotion",
	Doc: `move affine and invariant work from the pixel to the vertex program

It computes operands of pixel instructions per vertex if they are affine in interpolated inputs or constant, the
vertex model can compute them, and interpolator components are free. The operands that save the most slots per
component go first. Constants that the host sets move only if it mirrors them, and the report lists each upload. It
declines for lone programs, colour registers, centroid inputs, operands that feed the position, and errors that the
pixel program amplifies more than four times.`,
	Class: passes.Real,
	Options: []passes.Option{
		{Name: "gather", Default: "false", Doc: "hand over what three or more operands of one kind read in a register of its own, for one instruction to follow"},
		{Name: "parts", Default: "false", Doc: "also move components of operands whose other components stay, if one is worth a move"},
	},
	Run: run,
}

// maxCandidates bounds the operands considered: a pair has at most 40 components to fill, so the best few
// dozen decide.
const maxCandidates = 96

// maxTrials bounds how many selections are emitted and priced, and maxDense how many dense ones. A trial
// costs an emission of both programs.
const (
	maxTrials = 24
	maxDense  = 4
)

// mover is one run of the pass on a pair, with host constants or without.
type mover struct {
	// link maps outputs of vertex to inputs of pixel.
	ctx           *passes.Ctx
	unit          *passes.Unit
	vertex, pixel *ir.Func
	link          *ir.Linkage
	mirrored      bool            // host constants may move
	movable       []bool          // by pixel value ID
	class         []ir.Linearity  // by pixel value ID too
	reads         map[ir.Reg]bool // pixel input components read
	// savings counts readers, without those of selected candidates.
	savings *savings
	gather  bool // operands of instructions of one kind share a register
	parts   bool // operands may move in part
	// dense: the search minimizes registers instead of cost.
	dense bool
	// spread: moved values are placed in the components where they are read, in as many registers as needed.
	spread bool
	// separate: moved values share no register with inputs, so that coordinates stay alone in theirs.
	separate bool
	// tried are the placements that were priced, by their numbers of candidates, registers and components.
	tried map[string]bool
	// split: some operand could move in part only.
	split bool
	// bounded is the last bound, with the savings for which it was computed.
	bounded *passes.Placement
	// every: all selections of few candidates that may move were tried (exhaust).
	every bool
	// stay are candidates with which errors would grow too much.
	stay []*candidate
	// worse are the candidates that alone make errors grow too much.
	worse []*candidate
	// best is the cheapest selection found.
	best *selection
	// growth compares errors with those of the unit, from the first use (grown) on.
	growth ir.Growth
}

// run prices a pair twice at most: with host constants among the candidates, then without them.
func run(c *passes.Ctx, u *passes.Unit) error {
	// If moving host constants does not pay, moving other values still may: the frontier then has other
	// candidates.
	among := []bool{true, false}
	if !c.HostMirrored {
		among = among[1:]
	}
	_, err := move(c, u, among...)
	return err
}

// MoveMirrored runs code motion with host constants as candidates, and reports whether it found a selection that pays.
// If not, [Pass] would move the same as without host constants.
func MoveMirrored(c *passes.Ctx, u *passes.Unit) (found bool, err error) { return move(c, u, true) }

// move makes the first motion that pays: for each of among, host constants are candidates or not.
func move(c *passes.Ctx, u *passes.Unit, among ...bool) (done bool, err error) {
	if u.Vertex == nil || u.Pixel == nil || c.Measure == nil { // without a price, no motion is known to pay
		return false, nil
	}
	most := 0
	for _, mirrored := range among {
		m := &mover{ctx: c, unit: u, mirrored: mirrored, gather: c.Bool("gather"), parts: c.Bool("parts")}
		if err := m.prepare(u); err != nil {
			return false, err
		}
		all := m.offered()
		found, err := m.search(all)
		if err != nil {
			return false, err
		}
		if !m.parts { // parts move from finished code
			if x, more, better := m.regrouped(found); x != nil {
				m, all, found = x, more, better
			}
		}
		var made *selection
		if found != nil {
			made = m.moveGranted(found)
		}
		done = found != nil
		if c.Static {
			place := m.placement(all, made)
			most = max(most, place.Most)
			c.Placed(passes.Placement{Saved: place.Saved, Most: most})
		}
		if done || len(all) == 0 && !m.split {
			return done, nil
		}
		if !mirrored && !m.parts && len(all) > 0 {
			c.Remarkf(position(all), "no-gain", "%d operands could be computed per vertex, but no selection that fits saves pixel slots", len(all))
		}
	}
	return false, nil
}

// prepare computes which values of the pixel program may move. The classes of leaves express C2 and C3;
// linear marks registers whose interpolation is the affine combination. A walk over instructions checks C1
// and C4.
func (m *mover) prepare(u *passes.Unit) error {
	m.vertex, m.pixel = u.Vertex, u.Pixel
	link, err := u.Stages.Link(u.Varyings...)
	if err != nil {
		return err
	}
	m.link = link
	m.reads = Reads(u.Pixel)
	same := ir.Linearities(m.vertex, func(v *ir.Value) ir.Linearity { // at all vertices of a draw
		if v.IsConst() {
			return ir.Invariant
		}
		return ir.Nonlinear
	})
	literals := map[*ir.Value]uint32{} // values computed from literals of either program
	class := ir.Linearities(m.pixel, func(v *ir.Value) ir.Linearity {
		switch {
		case v.Kind == ir.Literal:
			literals[v] = v.Bits
			return ir.Constant
		case v.Kind == ir.Uniform && u.Stages.Common(v.Home):
			return ir.Invariant
		case v.Kind == ir.Uniform && m.mirrored && u.Stages.CanMirror(v.Home) &&
			(m.ctx.Mirrors == nil || m.ctx.Mirrors(v.Home.Index)):
			return ir.Invariant
		case v.Kind == ir.Input:
			out, linear := linked(m.link, v.Home)
			switch w := m.vertex.OutputValue(out); {
			case !linear || w == nil:
			case same[w.ID] == ir.Invariant:
				if w = original(w); w.Kind == ir.Literal {
					literals[v] = w.Bits
				}
				return ir.Invariant
			default:
				return ir.Affine
			}
		}
		return ir.Nonlinear
	})
	m.class = class
	m.movable = make([]bool, len(class))
	for id, k := range class {
		m.movable[id] = k != ir.Nonlinear
	}

	// C1 and C4, in program order, so that operands are decided before their readers.
	m.pixel.Walk(func(in *ir.Instr) {
		ok := hoistable(m.vertex.Dialect, in)
		for i, v := range in.Out {
			if !ok || v == nil || class[v.ID] > ir.Invariant {
				continue
			}
			if bits, made, sound := literal(in, i, literals); made {
				literals[v], ok = bits, sound
			}
		}
		for s := range in.Src {
			in.Src[s].EachLane(func(_ int, l *ir.Lane) { ok = ok && m.movable[l.V.ID] })
		}
		if !ok {
			// A reader of a value that does not move cannot move.
			in.EachDef(func(v *ir.Value) { m.movable[v.ID] = false })
		}
	})
	return nil
}

// literal evaluates a lane of an instruction whose operands are all in known. It is unsound for infinities,
// which interpolation turns into NaN (inf*w0 + inf*w1 with a weight 0), and for hardware-specific values.
func literal(in *ir.Instr, lane int, known map[*ir.Value]uint32) (bits uint32, made, sound bool) {
	made = true
	w := ir.Words{Fold: true}
	bits = ir.Eval(&w, in.Op, lane, func(src, l int) uint32 {
		x := in.Src[src][l]
		bits, ok := known[x.V]
		made = made && ok
		return x.Mod.Apply(bits)
	})
	if in.Mods&ir.Sat != 0 {
		bits = w.Call(ir.PrimSat, []uint32{bits})
	}
	return bits, made, w.Fold
}

// Reads returns the components of inputs that a pixel program may read, also through an index.
func Reads(f *ir.Func) map[ir.Reg]bool {
	reads := map[ir.Reg]bool{}
	see := func(v *ir.Value) {
		if v.Kind == ir.Input {
			reads[v.Home] = true
		}
	}
	f.Walk(func(in *ir.Instr) {
		in.EachUse(func(l *ir.Lane) { see(l.V) })
		// Any register of the file may be read.
		if in.Op == ir.OpLoad {
			for i := range uint16(32) {
				for c := range uint8(4) {
					reads[ir.Reg{File: in.Base.File, Index: i, Comp: c}] = true
				}
			}
		}
	})
	for _, o := range f.Outs {
		see(o.V)
	}
	return reads
}

// offered returns the candidates, for GPUs without bare constants. It returns none if parts are wanted and none
// is worth it.
func (m *mover) offered() []*candidate {
	all := m.candidates()
	if !m.ctx.Static {
		all = slices.DeleteFunc(all, (*candidate).isFree)
	}
	if m.parts && len(m.promising(all)) == 0 {
		return nil
	}
	return all
}

// search finds a selection of candidates that pays, or nil. If registers were too few it also tries denser
// packing, and for GPUs it also tries to spread values over more registers.
func (m *mover) search(all []*candidate) (found *selection, err error) {
	pick := m.promising(all)
	if len(pick) == 0 {
		return nil, nil
	}
	defer m.settle()
	before, err := m.ctx.Measure(m.unit)
	if err != nil {
		return nil, err
	}
	found, short := m.selection(pick, before, maxTrials)
	// Below 3.0 a register is interpolated as a whole (Whole), so the number of registers decides.
	if short && m.link.Whole {
		m.dense = true
		if found != nil {
			before = found.cost
		}
		if denser, _ := m.selection(pick, before, maxDense); denser != nil {
			found = denser
		}
	}
	if !m.ctx.Static {
		if found != nil {
			before = found.cost
		}
		m.spread, m.dense = true, false
		rest := slices.DeleteFunc(slices.Clone(pick), func(c *candidate) bool { return slices.Contains(m.stay, c) })
		if spread, _ := m.selection(rest, before, maxDense); spread != nil {
			found, before = spread, spread.cost
		}
		if m.spread, m.separate = false, true; m.link.Loose {
			if separate, _ := m.selection(rest, before, maxTrials); separate != nil {
				found = separate
			}
		}
	}
	if m.ctx.Static {
		found = m.exhaust(all, pick, found, before)
		m.best = found
	}
	return found, nil
}

// promising returns a few dozen candidates at most, in greedy order. It returns none if only parts are wanted
// and no part saves a slot.
func (m *mover) promising(all []*candidate) []*candidate {
	if len(all) == 0 {
		return nil
	}
	m.savings = newSavings(m.pixel)
	pick := m.savings.worth(all)
	if m.parts && !slices.ContainsFunc(pick, (*candidate).isPart) {
		return nil
	}
	return pick[:min(len(pick), maxCandidates)]
}

// selection is a set of candidates, their registers, and the unit in which all have moved.
type selection struct {
	picks []*candidate
	fills []fill
	bins  []*bin
	unit  *passes.Unit
	cost  passes.Cost
}

// selection starts from all of pick and drops the least valuable until the rest fits and costs less than
// before, or returns nil. short reports whether registers were too few. Dropping one by one is the greedy
// heuristic for knapsacks, from the full side. Candidates share producers, so their value falls as others are
// dropped, and a greedy that adds would not see this.
//
// One trial per round: pack into registers, move in a copy, price. Every round drops candidates, so their
// number bounds the rounds, and maxTrials bounds the priced ones.
func (m *mover) selection(pick []*candidate, before passes.Cost, most int) (found *selection, short bool) {
	for trials := 0; len(pick) > 0 && trials < most; {
		fills, bins, ok := m.packCandidates(pick)
		short = short || !ok || slices.ContainsFunc(fills, func(f fill) bool { return f.moves > 0 })
		if ok && m.isNew(pick, fills) {
			trials++
			if trial, ok := m.apply(pick, fills, bins); ok {
				// Cheaper, but rounding errors may grow too much: continue without the candidates that make
				// them grow.
				cost, better := m.cheaper(trial, before)
				if better {
					rest := m.tolerable(pick, trial)
					if len(rest) == len(pick) {
						return &selection{pick, fills, bins, trial, cost}, short
					}
					pick = rest
					trial.Release()
					continue
				}
				trial.Release()
			}
		}
		pick = m.savings.without(pick)
	}
	return nil, short
}

// isNew reports whether a placement was not priced before, and records it.
func (m *mover) isNew(cs []*candidate, fills []fill) bool {
	var key []byte
	for i, c := range cs {
		key = append(key, byte(c.number), byte(c.number>>8), byte(fills[i].bin.In.Index))
		for k, l := range c.lanes {
			if l.V != nil {
				key = append(key, fills[i].comp[k])
			}
		}
	}
	if m.tried == nil {
		m.tried = map[string]bool{}
	}
	known := m.tried[string(key)]
	m.tried[string(key)] = true
	return !known
}

// cheaper prices a trial just far enough to decide whether it costs less.
func (m *mover) cheaper(trial *passes.Unit, before passes.Cost) (cost passes.Cost, ok bool) {
	if m.ctx.Dearer(trial, before) {
		return cost, false
	}
	cost, err := m.ctx.Measure(trial)
	return cost, err == nil && cost.Less(before)
}

func position(cs []*candidate) (pos asm.Pos) {
	if in := cs[0].uses[0].in; in != nil {
		pos = in.Pos
	}
	return pos
}
