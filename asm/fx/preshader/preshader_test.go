package preshader_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
)

func at(t preshader.Table, offset uint32) preshader.Operand {
	return preshader.Operand{Table: t, Offset: offset}
}

// in returns an instruction of n components.
func in(op preshader.Op, n int, out preshader.Operand, inputs ...preshader.Operand) preshader.Inst {
	return preshader.Inst{Op: op, Components: n, Inputs: inputs, Output: out}
}

func scalar(i preshader.Inst) preshader.Inst {
	i.Scalar = true
	return i
}

// program returns a preshader of instructions, with all its sections.
func program(literals []float64, insts ...preshader.Inst) *preshader.Program {
	p := &preshader.Program{Version: preshader.Constants, Literals: literals, Insts: insts, Rest: []uint32{0xffff}}
	p.Outputs = preshader.Outputs{First: [3]uint32{2, 0, 0}, Count: [3]uint32{1, 0, 0},
		Ranges: [3][]preshader.Range{{{First: 2, Count: 1}}, {}, {}}}
	p.Table = []uint32{28, 0, 0x46580201, 0, 28, 0, 24, 't' | 'x'<<8}
	for _, name := range []preshader.SectionName{preshader.SectionTable, preshader.SectionOutputs,
		preshader.SectionLiterals, preshader.SectionInstructions} {
		s := preshader.Section{Name: name}
		if name == preshader.SectionInstructions {
			s.Words = []uint32{0xf0f0f0f0, 0x0f0f0f0f}
		}
		p.Sections = append(p.Sections, s)
	}
	return p
}

func sample() *preshader.Program {
	relative := at(preshader.Input, 0)
	relative.Relative, relative.Index.Table, relative.Index.Offset = true, preshader.Input, 72
	return program([]float64{0.5, math.Inf(1), 0, 0},
		scalar(in(preshader.Mul, 3, at(preshader.Temp, 0), at(preshader.Literal, 0), at(preshader.Input, 4))),
		in(preshader.Mov, 1, at(preshader.Temp, 3), relative),
		in(preshader.Cmp, 4, at(preshader.Output, 8), at(preshader.Temp, 0), at(preshader.Input, 2), at(preshader.Temp, 0)))
}

func encode(t testing.TB, p *preshader.Program) []uint32 {
	t.Helper()
	words, err := preshader.Encode(p)
	if err != nil {
		t.Fatal(err)
	}
	return words
}

func TestRoundTrip(t *testing.T) {
	p := sample()
	words := encode(t, p)
	got, err := preshader.Decode("test", words)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p.Insts, got.Insts); diff != "" || !slices.Equal(got.Literals, p.Literals) ||
		!slices.Equal(encode(t, got), words) {
		t.Errorf("it reads as another program:\n%s", diff)
	}
	if diff := cmp.Diff(p.Outputs, got.Outputs); diff != "" {
		t.Errorf("it has other outputs:\n%s", diff)
	}
}

func Example() {
	words, err := preshader.Encode(sample())
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := preshader.Decode("glow.fxb", words)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s", preshader.Print(p))

	// Output:
	// preshader
	// mul r0.xyz, (0.5), in1.xyz
	// mov r0.w, in[in18.x + 0].x
	// cmp c2.xyzw, r0.xyzw, in0.zw..in1.xy, r0.xyzw
}

// programs returns the preshaders and selectors in the effects of the corpus.
func programs(t testing.TB) (all [][]uint32) {
	t.Helper()
	for _, path := range testcorpus.Glob(t, "corpus/d3d9/effects/*.efb") {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		e, err := fx.Decode(path, data)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range e.Shaders() {
			p, err := d3d9.Decode(path, *s.Data)
			if err != nil {
				t.Fatal(err)
			}
			for i := range p.Insts {
				if in := &p.Insts[i]; in.IsPreshader() {
					all = append(all, in.Comment[1:])
				}
			}
		}
	}
	return all
}

// TestCorpus checks that preshaders of the corpus are encoded word for word from their fields. It
// also checks that both clients run those without bools, with the same results if they agree on the
// operations.
func TestCorpus(t *testing.T) {
	all := programs(t)
	insts, same := 0, 0
	for _, words := range all {
		p, err := preshader.Decode("corpus", words)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(encode(t, p), words) {
			t.Errorf("a preshader changes in a round trip:\n%s", preshader.Print(p))
		}
		insts += len(p.Insts)
		if text := string(preshader.Print(p)); !strings.Contains(text, "// in") || strings.Contains(text, "\nop") {
			t.Errorf("it is printed as\n%s", text)
		}
		table, ok := d3d9.ReadConstantTable(p.Table)
		if !ok {
			t.Fatal("the constant table of a preshader cannot be read")
		}
		var inputs []float32
		for i := range table.Constants {
			for n := 4 * (table.Constants[i].Index + table.Constants[i].Count); len(inputs) < n; {
				inputs = append(inputs, 0.25+float32(len(inputs)))
			}
		}
		d3dx, err := preshader.Run(p, inputs, preshader.D3DX)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, list := range p.Outputs.Ranges[0] { // each declared register is at least partly written
			for r := list.First; r < list.First+list.Count; r++ {
				written := false
				for lane := range uint32(4) {
					_, ok := d3dx.Float[4*r+lane]
					written = written || ok
				}
				if !written {
					t.Errorf("c%d is not written", r)
				}
			}
		}
		mojo, err := preshader.Run(p, inputs, preshader.MojoShader)
		if err != nil {
			if len(p.Outputs.Ranges[1]) == 0 {
				t.Error(err)
			}
			continue
		}
		differs := slices.ContainsFunc(p.Insts, func(in preshader.Inst) bool {
			return slices.Contains([]preshader.Op{preshader.Exp, preshader.Log, preshader.Div, preshader.Dot, preshader.Rsq},
				in.Op)
		})
		for k, x := range d3dx.Float {
			if y := mojo.Float[k]; !differs && math.Abs(float64(x-y)) > 1e-4*(1+math.Abs(float64(x))) {
				t.Errorf("the clients compute %g and %g\n%s", x, y, preshader.Print(p))
			}
			same++
		}
	}
	if len(all) != 414 || insts != 3685 {
		t.Errorf("%d preshaders with %d instructions", len(all), insts)
	}
	t.Logf("%d preshaders, %d instructions, %d outputs", len(all), insts, same)
}

// TestRun checks the results of operations on the inputs 4, -3 and 2 in both clients.
func TestRun(t *testing.T) {
	inputs := []float32{4, -3, 2, 0.5, 1, 2, 3, 4}
	a, b, c := at(preshader.Input, 0), at(preshader.Input, 1), at(preshader.Input, 2)
	out := at(preshader.Output, 8)
	for _, test := range []struct {
		in    preshader.Inst
		wants [2][]float64 // a single list applies to both
	}{
		{in(preshader.Mov, 2, out, b), [2][]float64{{-3, 2}}},
		{in(preshader.Neg, 1, out, b), [2][]float64{{3}}},
		{in(preshader.Rcp, 1, out, a), [2][]float64{{0.25}}},
		{in(preshader.Frc, 1, out, at(preshader.Literal, 0)), [2][]float64{{0.75}}},
		{in(preshader.Exp, 1, out, c), [2][]float64{{4}, {math.E * math.E}}},
		{in(preshader.Log, 1, out, a), [2][]float64{{2}, {math.Log(4)}}},
		{in(preshader.Log, 1, out, b), [2][]float64{{math.Log2(3)}, {math.NaN()}}},
		{in(preshader.Rsq, 1, out, a), [2][]float64{{0.5}}},
		{in(preshader.Rsq, 1, out, b), [2][]float64{{1 / math.Sqrt(3)}, {math.NaN()}}},
		{in(preshader.Min, 1, out, a, b), [2][]float64{{-3}}},
		{in(preshader.Max, 1, out, a, b), [2][]float64{{4}}},
		{in(preshader.Lt, 2, out, a, b), [2][]float64{{0, 1}}},
		{in(preshader.Ge, 1, out, a, a), [2][]float64{{1}}},
		{in(preshader.Add, 2, out, a, b), [2][]float64{{1, -1}}},
		{scalar(in(preshader.Add, 2, out, a, b)), [2][]float64{{1, 6}}},
		{in(preshader.Mul, 1, out, a, b), [2][]float64{{-12}}},
		{in(preshader.Atan2, 1, out, a, b), [2][]float64{{math.Atan2(4, -3)}}},
		{in(preshader.Div, 1, out, a, c), [2][]float64{{0}, {2}}},
		{in(preshader.Cmp, 2, out, a, b, c), [2][]float64{{-3, 0.5}}},
		{in(preshader.Dot, 3, out, a, at(preshader.Input, 4)), [2][]float64{{4, 0, 0}, {4, 4, 4}}},
		{in(preshader.Movc, 1, out, a, b, c), [2][]float64{nil, nil}},
		{in(preshader.Noise, 1, out, a), [2][]float64{nil, nil}},
		{in(preshader.DotSwiz, 1, out, a, b, c, a, b, c), [2][]float64{{29}, nil}},
		{in(preshader.Mov, 1, at(preshader.OutputBool, 4), a), [2][]float64{{1}, nil}},
		{in(preshader.Mov, 1, at(preshader.Input, 4), a), [2][]float64{nil, nil}},
	} {
		if test.wants[1] == nil && test.wants[0] != nil && test.in.Op != preshader.DotSwiz &&
			test.in.Output.Table == preshader.Output {
			test.wants[1] = test.wants[0]
		}
		p := program([]float64{-3.25}, test.in)
		for client, want := range test.wants {
			got, err := preshader.Run(p, inputs, preshader.Client(client))
			if (err != nil) != (want == nil) {
				t.Errorf("%s of %s: %v", test.in.Op, preshader.Client(client), err)
				continue
			}
			for i, w := range want {
				registers := got.Float
				if test.in.Output.Table == preshader.OutputBool {
					registers = got.Bool
				}
				g, ok := registers[test.in.Output.Offset+uint32(i)]
				if w := float32(w); !ok || g != w && !(math.IsNaN(float64(g)) && math.IsNaN(float64(w))) {
					t.Errorf("%s of %s is %g in component %d, not %g", test.in.Op, preshader.Client(client), g, i, w)
				}
			}
		}
	}
}

// TestRelative checks that an index selects a register, as in the selectors of arrays:
// Array[Indices[i]].
func TestRelative(t *testing.T) {
	o := at(preshader.Input, 0)
	o.Relative, o.Index.Table, o.Index.Offset = true, preshader.Input, 12
	p := program(nil, in(preshader.Mov, 1, at(preshader.Output, 8), o))
	for index, want := range map[float32]float32{0: 10, 1: 11, 2: 12, 3: 3, -1: 0, 1e9: 0} {
		inputs := []float32{10, 0, 0, 0, 11, 0, 0, 0, 12, 0, 0, 0, index, 0, 0, 0}
		if index == 3 {
			want = index // the index itself follows
		}
		got, err := preshader.Run(p, inputs, preshader.MojoShader)
		if err != nil || got.Float[8] != want {
			t.Errorf("index %g gives %g (%v), not %g", index, got.Float[8], err, want)
		}
	}
}

// TestRounding checks that only D3DX rounds temporaries.
func TestRounding(t *testing.T) {
	p := program([]float64{1, 1e-12},
		in(preshader.Add, 1, at(preshader.Temp, 0), at(preshader.Literal, 0), at(preshader.Literal, 1)),
		in(preshader.Neg, 1, at(preshader.Temp, 1), at(preshader.Literal, 0)),
		in(preshader.Add, 1, at(preshader.Output, 8), at(preshader.Temp, 0), at(preshader.Temp, 1)))
	d3dx, _ := preshader.Run(p, nil, preshader.D3DX)
	mojo, _ := preshader.Run(p, nil, preshader.MojoShader)
	if d3dx.Float[8] != 0 || mojo.Float[8] == 0 {
		t.Errorf("the difference is %g and %g", d3dx.Float[8], mojo.Float[8])
	}
}

func TestDiagnostics(t *testing.T) {
	inst := func(ws ...uint32) []uint32 {
		body := append([]uint32{uint32(preshader.SectionInstructions), 1}, ws...)
		return append([]uint32{0x46580201, uint32(len(body))<<16 | 0xfffe}, body...)
	}
	for name, c := range map[string]struct {
		code  string
		words []uint32
	}{
		"empty":         {"truncated", nil},
		"version":       {"unknown-version", []uint32{0x46580100}},
		"section":       {"truncated", []uint32{0x46580201, 0x7ffffffe}},
		"empty section": {"truncated", []uint32{0x46580201, 0xfffe}},
		"twice":         {"duplicate-section", []uint32{0x46580201, 0x1fffe, 1, 0x1fffe, 1}},
		"2^31 doubles":  {"truncated", []uint32{0x46580201, 0x2fffe, uint32(preshader.SectionLiterals), 1 << 31}},
		"2^31 ranges": {"truncated", []uint32{0x46580201, 0x8fffe, uint32(preshader.SectionOutputs), 0, 0, 0, 0, 0, 0,
			1 << 31}},
		"2^31 inputs": {"truncated", inst(0x10000001, 1<<31)},
		"reserved":    {"reserved-bits", inst(0x10000011, 0)},
		"components":  {"component-count", inst(0x10000005, 1, 0, 1, 0, 0, 7, 0)},
		"inputs":      {"operand-count", inst(0x20400001, 1, 0, 1, 0, 0, 7, 0)},
		"table":       {"unknown-table", inst(0x10000001, 1, 0, 8, 0, 0, 7, 0)},
		"relative":    {"reserved-bits", inst(0x10000001, 1, 2, 2, 0, 2, 0, 0, 7, 0)},
		"output":      {"relative-output", inst(0x10000001, 1, 0, 1, 0, 1, 2, 0, 4, 0)},
		"cut":         {"truncated", inst(0x10000001, 1, 0, 1, 0)},
	} {
		_, err := preshader.Decode("test", c.words)
		if d := (*asm.Diag)(nil); !errors.As(err, &d) || string(d.Code) != c.code {
			t.Errorf("%s: %v, not %s", name, err, c.code)
		}
	}
}

func FuzzDecode(f *testing.F) {
	bytesOf := func(words []uint32) (data []byte) {
		for _, w := range words {
			data = binary.LittleEndian.AppendUint32(data, w)
		}
		return data
	}
	f.Add(bytesOf(encode(f, sample())))
	f.Fuzz(func(t *testing.T, data []byte) {
		var words []uint32
		for ; len(data) >= 4; data = data[4:] {
			words = append(words, binary.LittleEndian.Uint32(data))
		}
		p, err := preshader.Decode("fuzz", words)
		if err != nil {
			return
		}
		if got := encode(t, p); !slices.Equal(got, words) {
			t.Fatalf("%x is written as %x", words, got)
		}
		preshader.Print(p)
		for _, client := range []preshader.Client{preshader.D3DX, preshader.MojoShader} {
			preshader.Run(p, []float32{1, 2, 3, 4}, client)
		}
	})
}
