package gen_test

import (
	"bytes"
	"cmp"
	"flag"
	"os"
	"testing"

	"pgregory.net/rapid"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/gen"
	"github.com/shaderlift/shaderlift/verify/draws"
)

func TestMain(m *testing.M) {
	flag.Set("rapid.checks", "25")
	flag.Set("rapid.nofailfile", "true")
	os.Exit(m.Run())
}

// TestDrawnProgramsAreValid checks that programs drawn by rapid obey their models, like those of a seed.
func TestDrawnProgramsAreValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := gen.Pairs(20).Draw(t, "pair")
		for _, q := range []gen.Program{p.Vertex, p.Pixel} {
			if err := d3d9.Validate(q.Program).Err(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestSeededPairs checks that tables describe every constant that is read, and that a seed gives one pair.
func TestSeededPairs(t *testing.T) {
	tables := 0
	for seed := range uint64(120) {
		p := gen.NewPair(seed, 15)
		if q := gen.NewPair(seed, 15); !bytes.Equal(p.Pixel.Bytes(), q.Pixel.Bytes()) ||
			!bytes.Equal(p.Vertex.Bytes(), q.Vertex.Bytes()) {
			t.Fatalf("seed %d gives two pairs", seed)
		}
		for _, program := range []gen.Program{p.Vertex, p.Pixel} {
			table, err := program.ConstantTable()
			if err != nil {
				t.Fatal(err)
			}
			if table == nil {
				continue
			}
			tables++
			for _, c := range table.Constants {
				if table.Lookup(d3d9.Reg{File: c.Set.File(), Index: uint16(c.Index)}) == nil || c.Name == "" || c.Count != 1 {
					t.Fatalf("seed %d: %+v", seed, c)
				}
			}
		}
	}
	if tables < 20 {
		t.Errorf("%d of 240 programs have a constant table", tables)
	}
}

// quiet is a failing test whose messages are dropped.
type quiet struct{ failed bool }

func (q *quiet) Helper()               {}
func (q *quiet) Name() string          { return "quiet" }
func (q *quiet) Logf(string, ...any)   {}
func (q *quiet) Log(...any)            {}
func (q *quiet) Skipf(string, ...any)  {}
func (q *quiet) Skip(...any)           {}
func (q *quiet) SkipNow()              {}
func (q *quiet) Errorf(string, ...any) { q.failed = true }
func (q *quiet) Error(...any)          { q.failed = true }
func (q *quiet) Fatalf(string, ...any) { q.failed = true }
func (q *quiet) Fatal(...any)          { q.failed = true }
func (q *quiet) FailNow()              { q.failed = true }
func (q *quiet) Fail()                 { q.failed = true }
func (q *quiet) Failed() bool          { return q.failed }

// TestShrinks checks that rapid shrinks a counterexample by at least a quarter, which ends the test. Rapid
// would otherwise use all of its time, which is more than it needs.
func TestShrinks(t *testing.T) {
	found, size := 0, 0
	flag.Set("rapid.seed", "1")
	flag.Set("rapid.shrinktime", "5m")
	defer flag.Set("rapid.seed", "0")
	var test quiet
	rapid.Check(&test, func(t *rapid.T) {
		p := gen.Programs(d3d9.PS30, 30).Draw(t, "program")
		if found > 0 && size <= found*3/4 {
			return
		}
		for i := range p.Insts {
			if p.Insts[i].Op == d3d9.OpRcp {
				size = len(p.Insts)
				found = cmp.Or(found, size)
				t.Fatalf("a reciprocal")
			}
		}
	})
	if !test.failed {
		t.Fatal("no program had a reciprocal")
	}
	t.Logf("of %d statements %d are left, declarations counted", found, size)
	if size > found*3/4 {
		t.Errorf("rapid left %d of %d statements", size, found)
	}
}

// TestPairsShow checks that most pairs draw something in more than one colour, so that results of the pixel
// program from interpolated values are visible.
func TestPairsShow(t *testing.T) {
	drawn, colourful := 0, 0
	const n = 60
	for seed := range uint64(n) {
		p := gen.NewPair(seed, 8)
		if _, picture, err := draws.Random(p.Vertex.Program, p.Pixel.Program, 1); err == nil {
			drawn++
			if picture.Meaningful() {
				colourful++
			}
		}
	}
	if drawn < n*2/3 || colourful < n/3 {
		t.Errorf("of %d pairs %d are drawn, %d in more than one colour", n, drawn, colourful)
	}
}
