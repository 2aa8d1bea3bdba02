package kernel_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// minPlain is the percentage of kernels of the corpus that the plain evaluator must be able to judge.
const minPlain = 65

// TestPlainEvaluator checks that two independent evaluators leave the same words, except for NaN.
func TestPlainEvaluator(t *testing.T) {
	own, _ := filepath.Glob("../../../testdata/il/*.il")
	shared := testcorpus.EveryNth(testcorpus.GlobOptional(t, "corpus/il/*.il"), 7)
	if len(own) == 0 {
		t.Fatal("no kernels")
	}
	judged := 0
	for _, path := range append(own, shared...) {
		if agrees(t, path) {
			judged++
		}
	}
	t.Logf("%d of %d kernels judged", judged, len(own)+len(shared))
	if len(shared) > 0 && 100*judged < minPlain*(len(own)+len(shared)) {
		t.Errorf("%d of %d kernels judged", judged, len(own)+len(shared))
	}
}

// agrees runs a kernel on its default launches. It returns false if the plain evaluator does not understand
// the kernel.
func agrees(t *testing.T, path string) bool {
	name := filepath.Base(path)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	k, err := il.Parse(name, text)
	if err != nil {
		return false // malformed in the corpus
	}
	p, err := kernel.Compile(k)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return false
	}
	plain := parsePlain(string(text))
	if plain.unknown != "" {
		t.Logf("%s: not understood: %s", name, plain.unknown)
		return false
	}
	for seed := range testcorpus.Count[uint64](1, 2) {
		c := kernel.DefaultCase(k, seed)
		if c.Width*c.Height > 256 {
			c.Height = max(1, 256/c.Width)
		}
		want, err := p.Run(c, kernel.Options{})
		if err != nil {
			t.Errorf("%s, seed %d: %v", name, seed, err)
			return false
		}
		l := launchOf(plain, string(c.Format()))
		outs, why := l.run(want.Names())
		if why != "" {
			t.Logf("%s: %s", name, why)
			return false
		}
		words, numbers, differ := 0, 0, ""
		for _, out := range want.Names() {
			for i, w := range want.Named(out) {
				got := outs[out]
				if words++; i >= len(got) {
					t.Errorf("%s, seed %d: %s has %d words, not %d", name, seed, out, len(got), len(want.Named(out)))
					return true
				}
				if f := math.Float32frombits(w); f != f {
					continue
				}
				if numbers++; w != got[i] && differ == "" {
					differ = fmt.Sprintf("%s[%d] is %08x (%v), plainly %08x (%v)", out, i, w, math.Float32frombits(w), got[i],
						math.Float32frombits(got[i]))
				}
			}
		}
		if differ != "" {
			t.Errorf("%s, seed %d: %s", name, seed, differ)
		}
		if 2*numbers < words {
			t.Logf("%s, seed %d: of %d words %d are numbers", name, seed, words, numbers)
		}
	}
	return true
}

// launchOf reads the text form of a case.
func launchOf(k *plainKernel, text string) *plainLaunch {
	l := &plainLaunch{k: k, width: 16, height: 16, consts: map[string]map[int][4]uint32{},
		inputs:    map[string]func(x, y, n int) [4]uint32{},
		resources: map[string]*plainResource{}, views: map[string][]uint32{}, owners: map[string]int{}}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		num := func(i int) int { n, _ := strconv.Atoi(f[i]); return n }
		switch f[0] {
		case "domain":
			l.width, l.height = num(1), num(2)
		case "cb", "cbi", "cbx":
			bank := "cb" + f[1]
			if l.consts[bank] == nil {
				l.consts[bank] = map[int][4]uint32{}
			}
			var v [4]uint32
			for c := range v {
				v[c] = caseWord(f[3+c], f[0])
			}
			l.consts[bank][num(2)] = v
		case "in":
			at := 2
			var size []int
			for ; f[at][0] >= '0' && f[at][0] <= '9'; at++ {
				size = append(size, num(at))
			}
			size = append(size, 1, 1)
			r := &plainResource{w: size[0], h: size[1], d: size[2],
				comps: map[string]int{"float1": 1, "float2": 2, "float4": 4, "uint4": 4}[f[at]]}
			r.words = caseData(f[at+1:], r.w*r.h*r.d*r.comps, f[at] == "uint4")
			l.resources[f[1]] = r
		case "global":
			l.global = caseData(f[2:], 4*num(1), false)
		case "uav":
			n, at := num(2), 3
			for ; f[at][0] >= '0' && f[at][0] <= '9'; at++ {
				n *= num(at)
			}
			l.views[f[1]] = caseData(f[at:], 4*n, false)
		case "v":
			if f[2] == "linear" {
				var corner, across, down [4]float64
				for c := range 4 {
					corner[c], across[c], down[c] = float64(caseFloat(f[3+c])), float64(caseFloat(f[7+c])), float64(caseFloat(f[11+c]))
				}
				l.inputs["v"+f[1]] = func(x, y, _ int) (v [4]uint32) {
					for c := range v {
						v[c] = plainBits(float32(corner[c] + (float64(x)+0.5)*across[c] + (float64(y)+0.5)*down[c]))
					}
					return v
				}
			} else {
				words := caseData(f[2:], 4*l.width*l.height, false)
				l.inputs["v"+f[1]] = func(_, _, n int) [4]uint32 { return plainElement(words, n) }
			}
		}
	}
	return l
}

func caseFloat(s string) float32 { f, _ := strconv.ParseFloat(s, 32); return float32(f) }

func caseWord(s, kind string) uint32 {
	if h, ok := strings.CutPrefix(s, "0x"); ok || kind == "cbx" {
		n, _ := strconv.ParseUint(h, 16, 32)
		return uint32(n)
	}
	if kind == "cbi" {
		n, _ := strconv.ParseInt(s, 10, 64)
		return uint32(n)
	}
	return plainBits(caseFloat(s))
}

// caseData returns n words as described in a case.
func caseData(f []string, n int, integer bool) []uint32 {
	words := make([]uint32, n)
	switch f[0] {
	case "rand":
		seed, _ := strconv.ParseUint(f[1], 10, 32)
		low, high := float32(0), float32(1)
		if len(f) > 2 {
			low, high = caseFloat(f[2]), caseFloat(f[3])
		}
		r := uint32(seed)*2654435761 + 1
		for i := range words {
			r = r*1664525 + 1013904223
			x := float32(r>>8) / (1 << 24)
			x = low + float32(x*(high-low))
			if words[i] = plainBits(x); integer {
				words[i] = uint32(int32(math.Floor(float64(x))))
			}
		}
	case "data":
		for i := range words {
			words[i] = caseWord(f[1+i], map[bool]string{true: "cbi"}[integer])
		}
	}
	return words
}

// run evaluates every invocation and returns the results by name. why is not empty if the kernel contains
// something that the evaluator does not understand.
func (l *plainLaunch) run(names []string) (outs map[string][]uint32, why string) {
	defer func() {
		if p := recover(); p != nil {
			why = fmt.Sprint(p)
		}
	}()
	outs = map[string][]uint32{}
	for n := range l.width * l.height {
		regs := l.invoke(n%l.width, n/l.width, n)
		for _, name := range names {
			if name[0] == 'o' {
				v := regs[name]
				if v == nil {
					v = new([4]uint32)
				}
				outs[name] = append(outs[name], v[:]...)
			}
		}
	}
	for _, name := range names {
		switch {
		case name == "g":
			outs[name] = l.global
		case name[0] == 'u':
			outs[name] = l.views[name[1:]]
		}
	}
	return outs, ""
}
