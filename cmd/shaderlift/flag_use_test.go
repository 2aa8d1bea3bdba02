package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
	"github.com/spf13/pflag"
	"golang.org/x/tools/txtar"
)

// flagUses has for each flag of some commands the arguments of a command line on which it matters, and the words that are
// added. After "! " the command may fail because of them. A semicolon ends a command that runs before.
var flagUses = []struct{ commands, flag, line, words string }{
	// Pipelines.
	{"opt", "passes", "-n q.psh", "-p dce"},
	{"explain", "passes", "q.psh", "-p combine-alu"},
	{"bisect reduce", "passes", "--require proved q.psh", "! -p dce"},
	{"split", "passes", "-o out k.il", "-p dce"},
	{"opt", "level", "-n q.psh", "-O0"},
	{"explain", "level", "q.psh", "-O0"},
	{"bisect reduce", "level", "--require proved q.psh", "! -O0"},
	{"split", "level", "-o out k.il", "-O0"},
	{"opt", "keep", "-n -p coarsen{x=2} k.il", "--keep"},
	{"explain", "keep", "-p coarsen{x=2} k.il", "--keep"},
	{"bisect", "keep", "--require proved jang_unroll4.il", "--keep"},
	{"split", "keep", "-o out -p coarsen{x=2} k.il", "--keep"},
	{"opt", "host-constants", "-n v.vsh,p.psh", "--host-constants mirrored"},
	{"explain", "host-constants", "v.vsh,p.psh", "--host-constants mirrored"},
	{"bisect reduce", "host-constants", "--require proved v.vsh,p.psh", "--host-constants mirrored"},
	{"opt", "fit", "-n sm3.psh", "--fit ps_2_0"},
	{"explain", "fit", "sm3.psh", "--fit ps_2_0"},
	{"bisect reduce", "fit", "--require proved sm3.psh", "--fit ps_2_0"},
	{"opt", "fuel", "-n q.psh", "--fuel 0"},
	{"explain", "fuel", "q.psh", "--fuel 0"},
	{"bisect reduce", "fuel", "--require proved q.psh", "! --fuel 0"},
	{"split", "fuel", "-o out k.il", "--fuel 0"},
	{"opt", "time-limit", "-n k.il", "--time-limit 1ns"},
	{"explain", "time-limit", "k.il", "--time-limit 1ns"},
	{"split", "time-limit", "-o out k.il", "! --time-limit 1ns"},
	{"tune", "time-limit", "-n --budget 1000 k.il", "--time-limit 1ns"},

	// Verification.
	{"opt", "numerics", "-n q.psh", "--numerics terms"},
	{"explain", "numerics", "q.psh", "--numerics terms"},
	{"bisect reduce", "numerics", "--require proved q.psh", "! --numerics terms"},
	{"split", "numerics", "-o out k.il", "--numerics terms"},
	{"tune", "numerics", "-n --budget 1000 k2.il", "--numerics terms"},
	{"verify", "numerics", "q.psh q2.psh", "--numerics terms"},
	{"passes", "numerics", "", "--numerics terms"},
	{"opt", "verify", "-n --report - k2.il", "--verify full"},
	{"explain", "verify", "--format json k2.il", "--verify full"},
	{"bisect", "verify", "--require bounded hard.psh", "! --verify full"},
	{"split", "verify", "-o out hard.il", "--verify full"},
	{"tune", "verify", "-n --budget 1000 --report - k2.il", "--verify full"},
	{"verify", "verify", "--require tested hard.psh hard2.psh", "--verify full"},
	{"opt", "require", "-n q.psh", "--require proved"},
	{"explain", "require", "q.psh", "--require proved"},
	{"bisect reduce", "require", "q.psh", "--require proved"},
	{"split", "require", "-o out hard.il", "--require tested"},
	{"tune", "require", "-n --budget 1000 k2.il", "--require proved"},
	{"verify", "require", "q.psh q2.psh", "--require proved"},
	{"opt", "box", "-n --report - q.psh", "--box all=0..1000"},
	{"explain", "box", "--format json q.psh", "--box all=0..1000"},
	{"verify", "box", "--format json q.psh q2.psh", "--box all=0..1000"},
	{"opt", "arithmetic", "-n --report - q.psh", "--arithmetic fp24"},
	{"explain", "arithmetic", "--format json q.psh", "--arithmetic fp24"},
	{"verify", "arithmetic", "--format json q.psh q2.psh", "--arithmetic fp24"},
	{"opt", "seed", "-n --report - k2.il", "--seed 1"},
	{"explain", "seed", "--format json k2.il", "--seed 1"},
	{"split", "seed", "-o out --report - k.il", "--seed 1"},
	{"tune", "seed", "-n --budget 1000 --report - k2.il", "--seed 1"},
	{"verify", "seed", "p.psh wrong.psh", "--seed 1"},
	{"run", "seed", "v.vsh,p.psh", "--seed 1"},
	{"verify", "counterexample", "p.psh wrong.psh", "--counterexample a.case"},
	{"verify", "ignore-names", "named.pso p.psh", "--ignore-names"},

	// Promises.
	{"opt", "constant", "-n p.psh", "--constant ps:c1=0,0,0,0"},
	{"explain", "constant", "p.psh", "--constant ps:c1=0,0,0,0"},
	{"bisect reduce", "constant", "--require proved q.psh", "--constant ps:c1=0,0,0,0"},
	{"split", "constant", "-o out k.il", "--constant cb0[0].x=1"},
	{"tune", "constant", "-n --budget 1000 k.il", "--constant cb0[0].x=1"},
	{"verify", "constant", "p.psh c1.psh", "--constant ps:c1=0,0,0,0"},
	{"opt", "coarsen", "-n k.il", "--coarsen x=2"},
	{"explain", "coarsen", "k2.il", "--coarsen x=2"},
	{"bisect reduce", "coarsen", "--require proved k2.il", "--coarsen x=2"},
	{"split", "coarsen", "-o out k.il", "--coarsen x=2"},
	{"tune", "coarsen", "-n --budget 1000 k.il", "--coarsen x=2"},
	{"verify", "coarsen", "k.il k.il", "--coarsen x=2"},
	{"opt", "assume", "-n lod.psh", "--assume one-level"},
	{"explain", "assume", "lod.psh", "--assume one-level"},
	{"bisect reduce", "assume", "--require proved lod.psh", "--assume one-level"},
	{"verify", "assume", "lod.psh nolod.psh", "--assume one-level"},
	{"opt", "partner", "-n p.psh", "--partner spritebatch"},
	{"explain", "partner", "p.psh", "--partner spritebatch"},
	{"verify", "partner", "q.psh q2.psh", "--partner v.vsh"},
	{"verify", "upload", "a.vsh,a.psh m.vsh,m.psh", "--upload c0=c0"},
	{"verify", "promises", "opt -q -n --report r.json --constant ps:c1=0,0,0,0 p.psh; p.psh c1.psh", "--promises r.json"},
	{"tune", "host", "-n --budget 1000 k.il", "--host may-change=domain,outputs"},

	// Targets.
	{"opt", "target", "-n p.psh", "--target d3d9"},
	{"explain", "target", "p.psh", "--target gcn"},
	{"bisect reduce", "target", "--require proved q.psh", "--target d3d9"},
	{"split", "target", "-o out k.il", "--target cypress"},
	{"tune", "target", "-n --budget 1000 k.il", "--target cypress"},
	{"stats", "target", "p.psh", "--target gcn"},
	{"stats", "target", "--listing p.psh", "--target gcn"},
	{"opt", "pixels-per-vertex", "-n --report - v.vsh,p.psh", "--pixels-per-vertex 1"},
	{"explain", "pixels-per-vertex", "v.vsh,p.psh", "--pixels-per-vertex 1"},
	{"bisect reduce", "pixels-per-vertex", "--require proved --host-constants mirrored v.vsh,p.psh", "! --pixels-per-vertex 0.01"},
	{"stats", "pixels-per-vertex", "--target nvidia v.vsh,p.psh", "--pixels-per-vertex 1"},
	{"opt", "domain", "-n k.il", "--domain 16x16"},
	{"bisect reduce", "domain", "--require proved k2.il", "--domain 16x16"},
	{"split", "domain", "-o out k.il", "--domain 16x16"},
	{"tune", "domain", "-n --budget 1000 k.il", "--domain 16x16"},
	{"stats", "domain", "k.il", "--domain 16x16"},
	{"lint", "client", "p.psh", "--client d3dx"},
	{"asm", "strict", "-o a.pso unwritten.psh", "! --strict"},

	// Inputs.
	{"opt", "case", "-n k.il", "--case k.case"},
	{"bisect reduce", "case", "--require proved k2.il", "--case k.case"},
	{"split", "case", "-o out k.il", "--case k.case"},
	{"tune", "case", "-n --budget 1000 k.il", "--case k.case"},
	{"stats", "case", "k.il", "--case k.case"},
	{"run", "case", "k.il", "--case k.case"},
	{"verify", "case", "--format json k.il k.il", "--case k.case"},
	{"stats", "against", "k.il", "--against loop.il"},
	{"opt", "include", "-n inc.psh", "-I lib"},
	{"explain bisect reduce asm dis run stats", "include", "inc.psh", "-I lib"},
	{"lint", "include", "--client d3dx inc.psh", "-I lib"},
	{"verify", "include", "inc.psh inc.psh", "-I lib"},
	{"opt", "compile", "-n a.hlsl", "--compile"},
	{"explain asm dis run stats", "compile", "a.hlsl", "--compile"},
	{"verify", "compile", "a.hlsl a.hlsl", "--compile"},
	{"explain dis run stats", "pass", "e.fxo", "--pass Main/P1"},
	{"verify", "pass", "e.fxo e2.fxo", "--pass Main/P0"},
	{"opt", "jobs", "-n p.psh", "! --jobs 0"},
	{"stats", "jobs", "p.psh", "! --jobs 0"},
	{"verify", "jobs", "p.psh p.psh", "! --jobs 0"},
	{"tune", "jobs", "-n --budget 1000 k.il", "! --jobs 0"},

	// Outputs.
	{"opt", "output", "p.psh", "-o out.psh"},
	{"tune", "output", "--budget 1000 k.il", "-o out.il"},
	{"split", "output", "k.il", "-o out"},
	{"asm dis", "output", "p.psh", "-o out.pso"},
	{"run", "output", "k.il", "-o out.png"},
	{"reduce", "output", "--require proved q.psh", "-o out.txtar"},
	{"run", "color", "v.vsh,two.psh", "--color 1"},
	{"opt", "write", "q.psh", "-w"},
	{"opt", "backup", "-w q.psh", "--backup"},
	{"opt", "check", "-w q.psh", "--check"},
	{"opt", "dry-run", "-o out.psh p.psh", "-n"},
	{"tune", "dry-run", "-o out.il --budget 1000 k.il", "-n"},
	{"opt", "html", "-n p.psh", "--html a.html"},
	{"tune", "html", "-n --budget 1000 k.il", "--html a.html"},
	{"opt", "report", "-n p.psh", "--report -"},
	{"tune", "report", "-n --budget 1000 k.il", "--report -"},
	{"split", "report", "-o out k.il", "--report -"},
	{"opt", "quiet", "-n p.psh", "-q"},
	{"tune", "quiet", "-n --budget 1000 k.il", "-q"},
	{"split", "quiet", "-o out k.il", "-q"},
	{"lint", "quiet", "--client d3dx p.psh", "-q"},
	{"opt", "verbose", "-n p.psh", "-v"},
	{"tune", "verbose", "-n --budget 1000 k2.il", "-v"},
	{"opt", "remarks", "-n p.psh", "--remarks passed"},
	{"opt", "print-after-change", "-n p.psh", "--print-after-change"},
	{"opt", "print-after-all", "-n p.psh", "--print-after-all"},
	{"opt", "cache", "-n q.psh", "--cache c"},
	{"opt", "cache-size", "-n --cache c q.psh", "! --cache-size 0"},
	{"opt", "write-case", "-n k.il", "--write-case cases"},
	{"tune", "state", "-n --budget 1000 k.il", "--state s"},
	{"stats explain", "format", "p.psh", "--format json"},
	{"explain", "format", "q.psh", "--format svg"},
	{"verify", "format", "p.psh p.psh", "--format json"},
	{"diff", "format", "opt -q -n --report r.json q.psh; r.json r.json", "--format json"},
	{"stats", "listing", "p.psh", "--listing"},

	// Searches.
	{"tune", "budget", "-n k.il", "--budget 1000"},
	{"split", "most", "-o out two.il", "--most 2"},
	{"reduce", "trials", "--require proved q.psh", "--trials 1"},
}

// decidedRarely are flags that are part of every check, but for which no small input is known on which they decide: box and
// arithmetic decide on some verdicts of bounded, seed and verify on programs at the limits of proofs, keep on large kernels.
var decidedRarely = map[string]string{
	"bisect": "arithmetic box seed",
	"reduce": "arithmetic box seed verify keep",
}

var timing = regexp.MustCompile(`\b[0-9]+\.[0-9] s\b|"seconds": [0-9.e-]+`)

// useOf runs a command line in a new folder with the files of testdata/flags.txt. It returns its status, and its output
// with all files that it left.
func useOf(t *testing.T, a *txtar.Archive, line string) (int, string) {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	for _, f := range a.Files {
		if err := writeFile(f.Name, f.Data); err != nil {
			t.Fatal(err)
		}
	}
	var out, stderr bytes.Buffer
	status := 0
	for _, line := range strings.Split(line, "; ") {
		status = run(t.Context(), strings.Fields(line), strings.NewReader(""), &out, &stderr)
	}
	text := fmt.Sprintf("status %d\n%s\n%s", status, &out, &stderr)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		var data []byte
		if err == nil && !d.IsDir() {
			data, err = os.ReadFile(path)
		}
		text += fmt.Sprintf("-- %s --\n%s\n", path, data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return status, timing.ReplaceAllString(text, "")
}

// withNames returns a pixel program as bytecode with a constant table.
func withNames(t *testing.T, text string) []byte {
	t.Helper()
	p, err := d3d9.Parse("named.psh", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	words, err := d3d9.EncodeConstantTable(&d3d9.ConstantTable{Version: p.Model.Token(), Constants: []d3d9.Constant{
		{Name: "tint", Set: d3d9.SetFloat4, Count: 1, Class: 1, Type: 3, Rows: 1, Columns: 4, Elements: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	const mark = 'C' | 'T'<<8 | 'A'<<16 | 'B'<<24
	p.Insts = slices.Insert(p.Insts, 0, d3d9.Inst{Op: d3d9.OpComment, Comment: append([]uint32{mark}, words...)})
	data, err := d3d9.Encode(p)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestFlagUses checks that each flag of each command matters on its command line: the status, the output or a file
// differs. Hidden flags have no effect.
func TestFlagUses(t *testing.T) {
	a, err := txtar.ParseFile("testdata/flags.txt")
	if err != nil {
		t.Fatal(err)
	}
	jang, err := os.ReadFile("../../testdata/il/jang_unroll4.il")
	if err != nil {
		t.Fatal(err)
	}
	text := map[string]string{}
	for _, f := range a.Files {
		text[f.Name] = string(f.Data)
	}
	a.Files = append(a.Files, txtar.File{Name: "jang_unroll4.il", Data: jang},
		txtar.File{Name: "named.pso", Data: withNames(t, text["p.psh"])})
	for name, second := range map[string]string{"e.fxo": "p.psh", "e2.fxo": "wrong.psh"} {
		var b fxtest.Builder
		b.Technique("Main")
		for i, pixel := range []string{"p.psh", second} {
			b.AddPass(fmt.Sprintf("P%d", i), fxtest.Shader{Data: fxtest.Assemble(text["v.vsh"])},
				fxtest.Shader{Data: fxtest.Assemble(text[pixel])})
		}
		a.Files = append(a.Files, txtar.File{Name: name, Data: b.Build()})
	}
	root := (&app{ctx: t.Context(), out: &stream{}, err: &stream{}}).command()
	without := map[string]string{}
	for _, cmd := range root.Commands() {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" || cmd.Name() == "completion" ||
				slices.Contains(strings.Fields(decidedRarely[cmd.Name()]), f.Name) {
				return
			}
			t.Run(cmd.Name()+"/"+f.Name, func(t *testing.T) {
				found := false
				for _, u := range flagUses { // most flags are in one line
					if u.flag != f.Name || !slices.Contains(strings.Fields(u.commands), cmd.Name()) {
						continue
					}
					found = true
					name := cmd.Name()
					if name == "reduce" && f.Name != "trials" {
						name += " --trials 1"
					}
					line := name + " " + u.line
					if before, last, some := strings.Cut(u.line, "; "); some {
						line = before + "; " + name + " " + last
					}
					if without[line] == "" {
						_, without[line] = useOf(t, a, line)
					}
					words, fails := strings.CutPrefix(u.words, "! ")
					status, with := useOf(t, a, line+" "+words)
					if with == without[line] || strings.Contains(with, "has no effect") || strings.Contains(with, "unknown flag") {
						t.Errorf("%s makes no difference to %s:\n%.3000s", u.words, line, with)
					}
					if status == statusInput && !strings.HasPrefix(without[line], "status 1") && !fails {
						t.Errorf("%s %s: %.3000s", line, u.words, with)
					}
				}
				if !found {
					t.Errorf("flagUses has no line for shaderlift %s --%s", cmd.Name(), f.Name)
				}
			})
		})
	}
}
