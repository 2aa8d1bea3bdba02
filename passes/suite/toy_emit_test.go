package suite_test

import (
	"fmt"
	"math"
	"strings"

	"github.com/shaderlift/shaderlift/ir"
)

// toyWriter writes the language. Every instruction gets a new register. Lanes that an operand cannot read in
// place are moved together first.
type toyWriter struct {
	strings.Builder
	place map[*ir.Value]ir.Reg
	next  uint16
	slots int // weighted by executions
	times int
}

// emitToy writes f, and returns its slots, with loops weighted by their trips.
func emitToy(f *ir.Func) (text string, slots int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v in\n%v", r, f)
		}
	}()
	w := &toyWriter{place: map[*ir.Value]ir.Reg{}, times: 1}
	w.block(f.Body)
	for _, o := range f.Outs {
		w.move(o.Reg, ir.Lane{V: o.V})
	}
	return w.String(), w.slots, nil
}

func (w *toyWriter) fresh() ir.Reg {
	w.next++
	return ir.Reg{File: toyTemp, Index: w.next - 1}
}

func (w *toyWriter) line(slots int, words ...string) {
	fmt.Fprintln(w, strings.Join(words, " "))
	w.slots += slots * w.times
}

func (w *toyWriter) move(to ir.Reg, l ir.Lane) {
	w.line(toyOps[ir.OpMov], "mov", toy{}.RegName(to), w.lane(l))
}

// lane spells a single lane.
func (w *toyWriter) lane(l ir.Lane) string { return w.spell([]ir.Lane{l}) }

// spell spells lanes of one register, or one literal.
func (w *toyWriter) spell(lanes []ir.Lane) (s string) {
	if lanes[0].Mod&ir.Neg != 0 {
		s = "-"
	}
	if v := lanes[0].V; v.Kind == ir.Literal {
		return fmt.Sprintf("%s#%g", s, math.Float32frombits(v.Bits))
	}
	for i, l := range lanes {
		if name := (toy{}).RegName(w.at(l.V)); i == 0 {
			s += name
		} else {
			s += name[len(name)-1:]
		}
	}
	return s
}

// at returns the register of v.
func (w *toyWriter) at(v *ir.Value) ir.Reg {
	if v.IsLeaf() {
		return v.Home
	}
	r, ok := w.place[v]
	if !ok {
		panic(v.String() + " has no place")
	}
	return r
}

func (w *toyWriter) block(r *ir.Region) {
	for _, in := range r.Code {
		switch in.Op {
		case ir.OpIf:
			w.line(1, append([]string{"if_" + toyConds[in.Cond]}, w.operands(in)...)...)
			to := make([]ir.Reg, len(in.Results))
			for k, v := range in.Results {
				to[k] = w.fresh()
				w.place[v] = to[k]
			}
			for side, sub := range in.Sub {
				if side == 1 {
					w.line(0, "else")
				}
				w.block(sub)
				w.pass(sub.Results, to)
			}
			w.line(0, "endif")
		case ir.OpLoop:
			body := in.Sub[0]
			if count := in.Src[0][0].V; body.Index != nil || count.Kind != ir.Literal {
				panic("a loop that is not spelt")
			}
			to, via := make([]ir.Reg, len(body.Params)), make([]ir.Reg, len(body.Params))
			for k, p := range body.Params {
				to[k], via[k] = w.fresh(), w.fresh()
				w.place[p], w.place[in.Results[k]] = to[k], to[k]
			}
			w.pass(in.Args, to)
			trips, times := ir.LoopCount(in.Src[0][0].V.Bits), w.times
			w.line(1, "loop", fmt.Sprint(trips))
			w.times *= trips
			w.block(body)
			w.pass(body.Results, via) // a source may be another parameter
			for k := range to {
				w.line(toyOps[ir.OpMov], "mov", toy{}.RegName(to[k]), toy{}.RegName(via[k]))
			}
			w.line(1, "endloop")
			w.times = times
		default:
			w.instr(in)
		}
	}
}

// pass moves values to the registers of their receivers.
func (w *toyWriter) pass(from []*ir.Value, to []ir.Reg) {
	for k, v := range from {
		if v.Kind != ir.Undef {
			w.move(to[k], ir.Lane{V: v})
		}
	}
}

func (w *toyWriter) instr(in *ir.Instr) {
	if !(toy{}).Supports(in.Op) || in.Mods&ir.Sat != 0 || in.IsPredicated() {
		panic("this is not spelt: " + in.String())
	}
	words := w.operands(in)
	if in.Op.Has(ir.IsFetch) {
		words = append([]string{fmt.Sprintf("s%d", in.Res.Unit)}, words...)
	}
	if in.Mask() != 0 {
		reg := w.fresh()
		to := ""
		for i, v := range in.Out {
			if v != nil {
				reg.Comp = uint8(i)
				w.place[v] = reg
				to += "xyzw"[i : i+1]
			}
		}
		words = append([]string{fmt.Sprintf("r%d.%s", reg.Index, to)}, words...)
	}
	w.line(toyOps[in.Op], append([]string{toyName(in.Op)}, words...)...)
}

// operands spells the operands of in, after moves of lanes that are not in one register.
func (w *toyWriter) operands(in *ir.Instr) (words []string) {
	var leaf *ir.Value // leaf that the statement reads
	for s := range in.Src {
		var lanes []ir.Lane
		fits := true
		for _, l := range in.Src[s] {
			if l.V == nil {
				continue
			}
			lanes = append(lanes, l)
			first := lanes[0]
			same := l.Mod == first.Mod && l.V.IsLeaf() == first.V.IsLeaf()
			if same && l.V.IsLeaf() {
				same = toyPlace(l.V) == toyPlace(first.V)
			} else if same {
				same = w.at(l.V).Index == w.at(first.V).Index
			}
			fits = fits && same
		}
		if v := lanes[0].V; fits && v.IsLeaf() && v.Kind != ir.Literal {
			fits = leaf == nil || toyPlace(leaf) == toyPlace(v)
			leaf = v
		}
		if !fits {
			reg := w.fresh()
			for i, l := range lanes {
				reg.Comp = uint8(i)
				w.move(reg, l)
			}
			words = append(words, fmt.Sprintf("r%d.%s", reg.Index, "xyzw"[:len(lanes)]))
			continue
		}
		words = append(words, w.spell(lanes))
	}
	return words
}
