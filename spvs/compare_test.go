package spvs

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/ir"
	interp "github.com/shaderlift/shaderlift/verify/interp/spirv"
)

// hash mixes words to a pseudo-random one.
func hash(words ...uint32) uint32 {
	h := uint32(2166136261)
	for _, w := range words {
		h = (h ^ w) * 0x7feb352d
		h ^= h >> 15
		h *= 0x846ca68b
		h ^= h >> 16
	}
	return h
}

// sample returns a pseudo-random word of a type: floats from -2 to 2, and small integers.
func sample(t Scalar, h uint32) uint32 {
	switch t {
	case Int, Uint:
		return h % 4
	case Bool:
		return -(h & 1)
	}
	return wordOf(float32(h>>8)/(1<<22) - 2)
}

// compareRuns executes a module and its lifted function on pseudo-random inputs. It returns errGiveUp if it cannot.
func compareRuns(data []byte, name string, seeds uint32) error {
	m, err := spirv.Decode(name, data)
	if err != nil {
		return err
	}
	names := NewNames()
	p, err := Lift(m, "", Options{Names: names})
	if err != nil {
		return fmt.Errorf("%w: %v", errGiveUp, err)
	}
	q, err := interp.Compile(data, "", nil)
	if err != nil {
		return fmt.Errorf("%w: %v", errGiveUp, err)
	}
	for seed := range seeds {
		if err := compareRun(p, names, q, seed); err != nil {
			return err
		}
	}
	return nil
}

func compareRun(p *Program, names *Names, q *interp.Program, seed uint32) error {
	types := map[string]Scalar{}
	for _, b := range p.Blocks {
		p.Func.HasLeaf(func(v *ir.Value) bool {
			if v.Home.File == b.File && int(v.ID) < len(p.Scalars) {
				types[fmt.Sprint(resource(b), uint32(v.Home.Index)*16+uint32(v.Home.Comp)*4)] = p.Scalars[v.ID]
			}
			return false
		})
	}
	word := func(r interp.Resource, offset uint32) uint32 {
		return sample(types[fmt.Sprint(r, offset)], hash(seed, r.Set, r.Binding, r.Element, offset))
	}
	texel := func(r interp.Resource, c int) uint32 {
		return sample(Float, hash(seed, 7, r.Set, r.Binding, r.Element, uint32(c)))
	}
	n := 1
	if q.Stage == interp.Fragment {
		n = 4
	}
	b := &interp.Batch{N: n, In: make([]interp.Vec, len(q.Inputs()))}
	inputs := map[ir.Reg]uint32{}
	for i, c := range q.Inputs() {
		w := sample([]Scalar{Float, Int, Uint, Bool}[c.Kind], hash(seed, uint32(i), 99))
		for _, r := range registersOf(p.Inputs, c) {
			inputs[r] = w
		}
		for l := range n {
			if b.In[i][l] = w; c.Kind == interp.Bool {
				b.In[i][l] = w & 1
			}
		}
	}
	env := &interp.Env{Word: word, Image: func(r interp.Resource) *interp.Image {
		return &interp.Image{Width: 1, Height: 1, Depth: 1, Texel: func(_, _, _, _, _ int) (t [4]uint32) {
			for c := range t {
				t[c] = texel(r, c)
			}
			return t
		}}
	}, Sampler: func(interp.Resource) interp.Sampler { return interp.Sampler{Nearest: true} }}
	var want [2]*interp.Result // with different undefined values
	for k := range want {
		env.Fill = uint64(k)
		r, err := q.Run(env, b)
		if err != nil {
			return fmt.Errorf("%w: %v", errGiveUp, err)
		}
		want[k] = r
	}
	e := &executor{p: p, names: names, word: word, texel: texel, input: func(r ir.Reg) uint32 { return inputs[r] }}
	if e.run(); e.err != nil {
		return e.err
	}
	return sameResults(p, q, e, want[0], want[1])
}

// registersOf returns the registers of a component of the interface in the interpreter.
func registersOf(list []Variable, c interp.Component) (found []ir.Reg) {
	for _, v := range list {
		for _, r := range v.Registers {
			b, element := BuiltinOf(r)
			switch {
			case c.IsBuiltIn && (r.File == BuiltinIn || r.File == BuiltinOut) && uint32(b) == c.BuiltIn &&
				uint32(element)+uint32(r.Comp) == c.Component,
				!c.IsBuiltIn && (r.File == Input || r.File == Output) &&
					uint32(r.Index) == c.Index<<indexShift|c.Location && uint32(r.Comp) == c.Component:
				found = append(found, r)
			}
		}
	}
	return found
}

// sameResults compares outputs within the error of single precision, and the stores.
func sameResults(p *Program, q *interp.Program, e *executor, want, other *interp.Result) error {
	if want.Undefined&1 != 0 {
		return nil
	}
	if want.Killed != other.Killed {
		return nil
	}
	if killed := want.Killed&1 != 0; killed != e.killed {
		return fmt.Errorf("killed is %v, not %v", e.killed, killed)
	} else if killed {
		return nil
	}
	for i, c := range q.Outputs() {
		for _, r := range registersOf(p.Outputs, c) {
			v := p.Func.OutputValue(r)
			if v == nil || want.Out[i][0] != other.Out[i][0] {
				continue
			}
			if got, w := e.value(v), want.Out[i][0]; !close32(got, w, c.Kind) {
				return fmt.Errorf("%v is %v (%#x), not %v (%#x)", c, math.Float32frombits(got), got,
					math.Float32frombits(w), w)
			}
		}
	}
	stored := 0
	for i, s := range want.Stores {
		if s.Lane != 0 || s.Image || i < len(other.Stores) && s != other.Stores[i] {
			continue
		}
		stored++
		got, ok := e.stored[fmt.Sprint(s.To, s.Address)]
		if !ok || !close32(got, s.Word, interp.Float) {
			return fmt.Errorf("%v at %d is %#x, not %#x", s.To, s.Address, got, s.Word)
		}
	}
	if stored > len(e.stored) {
		return fmt.Errorf("%d words are stored, not %d", len(e.stored), stored)
	}
	return nil
}

// close32 reports whether two words are equal, or floats that differ by rounding errors.
func close32(a, b uint32, kind interp.Kind) bool {
	if kind != interp.Float || a == b {
		return a == b
	}
	x, y := float64(math.Float32frombits(a)), float64(math.Float32frombits(b))
	return x != x || y != y || math.IsInf(x, 0) || math.IsInf(y, 0) ||
		math.Abs(x-y) <= 1e-2*(1e-2+math.Abs(x)+math.Abs(y))
}

// moduleAt reads a module, in binary or as text. It returns nil for other files.
func moduleAt(path string, err error) ([]byte, error) {
	if err != nil || !strings.HasSuffix(path, ".spv") && !strings.HasSuffix(path, ".spvasm") {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err == nil && strings.HasSuffix(path, ".spvasm") {
		var m *spirv.Module
		if m, err = spirv.Parse(path, data); err == nil {
			data = m.Encode()
		}
	}
	return data, err
}

// TestExecution compares the lifted functions of committed modules, and of the corpus, with the interpreter.
func TestExecution(t *testing.T) {
	same := 0
	folders := []string{"../testdata/spirv", "../verify/interp/spirv/testdata"}
	shared := testcorpus.GlobOptional(t, "corpus/spirv")
	for _, root := range append(folders, shared...) {
		err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			data, err := moduleAt(path, err)
			if data == nil {
				return err
			}
			if err := compareRuns(data, path, 4); err == nil {
				same++
			} else if !errors.Is(err, errGiveUp) {
				t.Errorf("%s: %v", path, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d modules agree", same)
	if least := 4 + 950*len(shared); same < least {
		t.Errorf("only %d of at least %d modules were executed", same, least)
	}
}
