package shaderlift_test

import (
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
)

// mutations change one thing in a preshader.
var mutations = map[string]func(*rand.Rand, *preshader.Program){
	"another literal": func(r *rand.Rand, q *preshader.Program) {
		if len(q.Literals) > 0 {
			q.Literals[r.IntN(len(q.Literals))] += 0.25
		}
	},
	"an instruction dropped": func(r *rand.Rand, q *preshader.Program) {
		at := r.IntN(len(q.Insts))
		q.Insts = slices.Delete(q.Insts, at, at+1)
	},
	"outputs exchanged": func(r *rand.Rand, q *preshader.Program) {
		a, b := &q.Insts[r.IntN(len(q.Insts))], &q.Insts[r.IntN(len(q.Insts))]
		a.Output, b.Output = b.Output, a.Output
	},
	"another operation": func(r *rand.Rand, q *preshader.Program) {
		in := &q.Insts[r.IntN(len(q.Insts))]
		same := map[int][]preshader.Op{1: {preshader.Mov, preshader.Neg, preshader.Rcp, preshader.Frc},
			2: {preshader.Add, preshader.Mul, preshader.Min, preshader.Max, preshader.Ge}}
		if list := same[len(in.Inputs)]; list != nil {
			in.Op = list[r.IntN(len(list))]
		}
	},
	"another input": func(r *rand.Rand, q *preshader.Program) {
		in := &q.Insts[r.IntN(len(q.Insts))]
		if o := &in.Inputs[r.IntN(len(in.Inputs))]; o.Table == preshader.Input {
			o.Offset ^= 1
		}
	},
	"instructions exchanged": func(r *rand.Rand, q *preshader.Program) {
		if at := r.IntN(len(q.Insts)); at > 0 {
			q.Insts[at-1], q.Insts[at] = q.Insts[at], q.Insts[at-1]
		}
	},
}

// readLanes returns the components of float constants that p reads, by offset.
func readLanes(p *d3d9.Program) map[uint32]bool {
	lanes := map[uint32]bool{}
	for i := range p.Insts {
		in := &p.Insts[i]
		for k, s := range in.Sources() {
			for row := range in.SourceRegisters(k) {
				for c := range uint32(4) {
					if s.File == d3d9.Const {
						lanes[4*uint32(int(s.Index)+row)+c] = true
					}
				}
			}
		}
	}
	return lanes
}

// outcome returns the output of a preshader for inputs drawn from a seed.
func outcome(q *preshader.Program, client preshader.Client, seed uint64) preshader.Registers {
	r := rand.New(rand.NewPCG(seed, 1))
	input := make([]float32, 1024)
	for i := range input {
		input[i] = float32(r.NormFloat64())
	}
	res, err := preshader.Run(q, input, client)
	if err != nil {
		return nil
	}
	return res.Float
}

// TestPreshaderMutants checks that effects with one mutation in a preshader are rejected, on effects
// made by compilers.
func TestPreshaderMutants(t *testing.T) {
	paths := testcorpus.Glob(t, "corpus/d3d9/effects/*.efb")
	r := rand.New(rand.NewPCG(7, 7))
	accepted, refused := 0, 0
	for _, path := range testcorpus.EveryNth(paths, 47) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range slices.Sorted(maps.Keys(mutations)) {
			e, err := fx.Decode(path, data)
			if err != nil {
				t.Fatal(err)
			}
			var with []fx.Shader
			for _, s := range e.Shaders() {
				if p, err := d3d9.Decode(path, *s.Data); err == nil {
					if q, err := preshader.FromProgram(p); q != nil && err == nil && len(q.Outputs.Ranges[1]) == 0 {
						with = append(with, s)
					}
				}
			}
			if len(with) == 0 {
				break
			}
			s := with[r.IntN(len(with))]
			p, _ := d3d9.Decode(path, *s.Data)
			old, _ := preshader.FromProgram(p)
			q, _ := preshader.FromProgram(p)
			mutations[name](r, q)
			q.Outputs = preshader.OutputsOf(q.Insts)
			if err := preshader.Attach(p, q); err != nil {
				t.Fatal(err)
			}
			if *s.Data, err = d3d9.Encode(p); err != nil {
				t.Fatal(err)
			}
			changed, err := fx.Encode(e)
			if err != nil {
				t.Fatal(err)
			}
			res, err := shaderlift.Verify(t.Context(), one(path, data), one(path, changed), shaderlift.Options{})
			switch {
			case errors.Is(err, shaderlift.ErrRefused):
				refused++
				continue
			case err != nil:
				t.Fatal(err)
			}
			accepted++
			reads := readLanes(p)
			for client := range preshader.MojoShader + 1 {
				for seed := range uint64(4) {
					before, after := outcome(old, client, seed), outcome(q, client, seed)
					for lane := range reads {
						if x, y := float64(before[lane]), float64(after[lane]); math.Abs(x-y) > 1e-3*math.Abs(x) {
							t.Errorf("%s: %s is %s, and component %d is %g and not %g by %s:\n%s\n%s", path, name, res.Verdict(), lane, y,
								x, client, preshader.Print(old), preshader.Print(q))
						}
					}
				}
			}
		}
	}
	t.Logf("%d accepted as equal, %d not", accepted, refused)
}

// one returns a file as an input.
func one(path string, data []byte) shaderlift.Input {
	return shaderlift.Input{Files: []shaderlift.File{{Name: path, Data: data}}}
}
