package codemotion_test

import (
	"math"
	"testing"

	"github.com/shaderlift/shaderlift/codemotion"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// The register files of looseStages.
const (
	looseInput ir.File = 2 + iota
	looseOutput
	looseBlock
)

// looseStages is a pair whose outputs 0 to 3 have any number of components, and which reads its constants in both
// programs.
type looseStages struct{ ir.Stages }

func (looseStages) Link(...ir.Varying) (*ir.Linkage, error) {
	l := &ir.Linkage{Loose: true}
	for i := range uint16(4) {
		out := ir.Reg{File: looseOutput, Index: i}
		l.Outputs = append(l.Outputs, out)
		l.Links = append(l.Links, ir.Link{Out: out, In: ir.Reg{File: looseInput, Index: i}, Linear: true})
	}
	return l, nil
}

func (looseStages) Common(r ir.Reg) bool { return r.File == looseBlock }

func (looseStages) FreePixelConstants(*ir.Func) []uint16 { return nil }

func (looseStages) Growth(*ir.Draw) ir.Growth { return noGrowth{} }

type noGrowth struct{}

func (noGrowth) WorstGrowth(*ir.Draw, float64) (ir.Op, float64) { return ir.OpInvalid, 0 }

func (noGrowth) Close() {}

func register(f ir.File, index uint16, comp uint8) ir.Reg {
	return ir.Reg{File: f, Index: index, Comp: comp}
}

// looseUnit returns a pair whose vertex program hands on the components of attributes in order, two registers, and
// whose pixel program sums up those in reads.
func looseUnit(reads ...ir.Reg) *passes.Unit {
	v, p := ir.NewFunc("vertex", ir.Abstract{}), ir.NewFunc("pixel", ir.Abstract{})
	for i := range uint16(2) {
		for c := range uint8(4) {
			v.Outs = append(v.Outs, ir.Output{Reg: register(looseOutput, i, c), V: v.Leaf(ir.Input, register(looseInput, i, c))})
		}
	}
	sum := p.Const(0)
	for _, r := range reads {
		add := &ir.Instr{Op: ir.OpAdd, Orig: -1, Src: []ir.Operand{ir.Splat(ir.Lane{V: sum}), ir.Splat(ir.Lane{V: p.Leaf(ir.Input, r)})}}
		sum = p.Define(add, 0, ir.Reg{})
		p.Body.Code = append(p.Body.Code, add)
	}
	p.Outs = []ir.Output{{Reg: register(looseOutput, 0, 0), V: sum}}
	return &passes.Unit{Vertex: v, Pixel: p, Stages: looseStages{}}
}

// TestTighten checks that unread components go, and that the others of an output take the first places on both sides.
func TestTighten(t *testing.T) {
	u := looseUnit(register(looseInput, 0, 1), register(looseInput, 0, 3), register(looseInput, 0, 2))
	if _, err := passes.Run(u, passes.Pipeline{{Pass: codemotion.Varyings}}, passes.Config{}); err != nil {
		t.Fatal(err)
	}
	if len(u.Vertex.Outs) != 3 {
		t.Fatalf("%d outputs remain, want 3:\n%v", len(u.Vertex.Outs), u.Vertex)
	}
	for k, o := range u.Vertex.Outs {
		if want := register(looseOutput, 0, uint8(k)); o.Reg != want || o.V.Home != register(looseInput, 0, uint8(k+1)) {
			t.Errorf("output %d is %v of attribute %v, want %v of component %d", k, o.Reg, o.V.Home, want, k+1)
		}
	}
	for k, want := range []uint8{0, 2, 1} {
		if at := u.Pixel.Body.Code[k].Src[1][0].V.Home; at != register(looseInput, 0, want) {
			t.Errorf("read %d is of %v, want component %d", k, at, want)
		}
	}
}

// TestTightenUnwritten checks that an input stays where it is if the vertex program does not write all that is read.
func TestTightenUnwritten(t *testing.T) {
	u := looseUnit(register(looseInput, 0, 1), register(looseInput, 0, 3))
	u.Vertex.Outs = u.Vertex.Outs[:3]
	if _, err := passes.Run(u, passes.Pipeline{{Pass: codemotion.Varyings}}, passes.Config{}); err != nil {
		t.Fatal(err)
	}
	if len(u.Vertex.Outs) != 1 || u.Vertex.Outs[0].Reg != register(looseOutput, 0, 1) {
		t.Errorf("the outputs are %v, want component 1 where it was", u.Vertex.Outs)
	}
}

// TestRecomputeCommon checks that the pixel program computes a component from a constant of both programs, without an
// upload.
func TestRecomputeCommon(t *testing.T) {
	u := looseUnit(register(looseInput, 0, 0), register(looseInput, 0, 1))
	v := u.Vertex
	shift := v.Leaf(ir.Uniform, register(looseBlock, 7, 2))
	add := &ir.Instr{Op: ir.OpAdd, Orig: -1, Src: []ir.Operand{ir.Splat(ir.Lane{V: v.Outs[0].V}), ir.Splat(ir.Lane{V: shift})}}
	v.Outs[1].V = v.Define(add, 0, ir.Reg{})
	v.Body.Code = append(v.Body.Code, add)
	cfg := passes.Config{Measure: func(u *passes.Unit) (passes.Cost, error) {
		return passes.Cost{1000 + 8*len(codemotion.Reads(u.Pixel)) + u.Pixel.Len()}, nil // saves less than 1 %
	}}
	if _, err := passes.Run(u, passes.Pipeline{{Pass: codemotion.Recompute}}, cfg); err != nil {
		t.Fatal(err)
	}
	found := u.Pixel.HasLeaf(func(v *ir.Value) bool { return v.Kind == ir.Uniform && v.Home == shift.Home })
	if n := len(codemotion.Reads(u.Pixel)); n != 1 || !found || len(u.Uploads) > 0 {
		t.Errorf("the pixel program reads %d components, the constant: %v, uploads: %v\n%v", n, found, u.Uploads, u.Pixel)
	}
}

// TestRecomputeEqual checks that components that are equal over the reals are interpolated once, even if operations cost
// more than components.
func TestRecomputeEqual(t *testing.T) {
	u := looseUnit(register(looseInput, 0, 0), register(looseInput, 0, 1))
	v := u.Vertex
	x := ir.Splat(ir.Lane{V: v.Outs[0].V})
	for k, in := range []*ir.Instr{
		{Op: ir.OpAdd, Orig: -1, Src: []ir.Operand{x, x}},
		{Op: ir.OpMul, Orig: -1, Src: []ir.Operand{ir.Splat(ir.Lane{V: v.Const(math.Float32bits(2))}), x}},
	} {
		v.Outs[k].V = v.Define(in, 0, ir.Reg{})
		v.Body.Code = append(v.Body.Code, in)
	}
	cfg := passes.Config{Measure: func(u *passes.Unit) (passes.Cost, error) {
		return passes.Cost{len(codemotion.Reads(u.Pixel)) + 8*u.Pixel.Len()}, nil
	}}
	if _, err := passes.Run(u, passes.Pipeline{{Pass: codemotion.Recompute}}, cfg); err != nil {
		t.Fatal(err)
	}
	if n := len(codemotion.Reads(u.Pixel)); n != 1 || u.Vertex.Len() != 1 {
		t.Errorf("the pixel program reads %d components:\n%v\n%v", n, u.Vertex, u.Pixel)
	}
}
