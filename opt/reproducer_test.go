package opt

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/kernel"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/verify/interp"
	interpreter "github.com/shaderlift/shaderlift/verify/interp/kernel"
	"github.com/shaderlift/shaderlift/verify/rounding"
	"golang.org/x/tools/txtar"
)

// left are options that reproducers omit, because they cannot be written or depend on the machine.
var left = []string{"Limits.Time", "Hooks.Passes", "Hooks.Observe", "Hooks.AfterStage", "Hooks.Versions"}

// given returns nonzero values for all options.
func given(t *testing.T) Options {
	t.Helper()
	c, err := input.ParseConstant("ps:c5=0.5,0,0x7fc00001,1")
	if err != nil {
		t.Fatal(err)
	}
	draw, err := interp.ParseCase("a.case",
		[]byte("size 4 4\nattr position 0 2 -1 1 1 1 -1 -1\nvc 1 0.1 1e-40 3 4\ntex 0 2 2 linear wrap rand 7\n"))
	if err != nil {
		t.Fatal(err)
	}
	launch, err := interpreter.ParseCase("b.case",
		[]byte("domain 4 2\ncb 0 1 1 2 3 0x7fc00001\nin 0 2 2 float4 rand 5\nglobal 2 zero\nout g\n"))
	if err != nil {
		t.Fatal(err)
	}
	box, err := rounding.ParseRange("ps:c5.xy=-1e-7..0.1")
	if err != nil {
		t.Fatal(err)
	}
	fuel := 3
	o := Options{
		Numerics: ir.Terms,
		Require:  verify.ProvedReal,
		Limits:   Limits{Fuel: &fuel, Effort: verify.Full},
		Host: HostOptions{Constants: []input.Constant{c}, PixelConstants: input.Mirrored,
			Assume: []input.Assumption{input.OneLevel},
			Shared: []d3d9.Stage{d3d9.Pixel},
			Uploads: []input.Upload{{From: input.HostRegister{Stage: d3d9.Pixel, Index: 1},
				To: input.HostRegister{Stage: d3d9.Vertex, Index: 2}}}},
		Draw: DrawOptions{Case: draw},
		Kernel: KernelOptions{Case: launch, Coarsen: ir.Tile{X: 2, Y: 1, Held: true},
			Launches: []kernel.Launch{{Name: "typical", Before: "domain 4 2\n", CyclesBefore: 7}}},
		Report: ReportOptions{Remarks: []RemarkKind{Passed, Analysis}, Box: rounding.Box{box, box}},
	}
	for _, x := range leaves(&o) {
		switch f := x.value; {
		case slices.Contains(left, x.name) || !f.IsZero():
		case f.Kind() == reflect.String:
			f.SetString("gvn{mixed=true},\"dce\"\n-- x --\n")
		case f.Kind() == reflect.Bool:
			f.SetBool(true)
		case f.CanInt():
			f.SetInt(41)
		case f.CanUint():
			f.SetUint(1<<63 + 41)
		case f.CanFloat():
			f.SetFloat(0.1)
		case f.Kind() == reflect.Array:
			f.Index(1).SetInt(7)
		default:
			t.Fatalf("option %s: say here what it may be", x.name)
		}
	}
	return o
}

// option is a field of Options or of one of its groups.
type option struct {
	name  string // such as Limits.Fuel
	value reflect.Value
}

// leaves returns the fields of o and of its groups.
func leaves(o *Options) (list []option) {
	var add func(prefix string, v reflect.Value)
	add = func(prefix string, v reflect.Value) {
		for i := range v.NumField() {
			name := prefix + v.Type().Field(i).Name
			if f := v.Field(i); f.Kind() == reflect.Struct && f.Type() != reflect.TypeFor[ir.Tile]() {
				add(name+".", v.Field(i))
			} else {
				list = append(list, option{name, v.Field(i)})
			}
		}
	}
	add("", reflect.ValueOf(o).Elem())
	return list
}

// TestReproducerHoldsOptions checks that every option survives a reproducer, one by one and all
// together. It fails for a new option that is forgotten.
func TestReproducerHoldsOptions(t *testing.T) {
	all := given(t)
	check := func(what string, o Options) {
		t.Helper()
		in := Input{Name: "a", Files: []File{{Name: "a.psh", Data: []byte(doubled)}}}
		f := &Fault{Task: TaskOptimize, Input: in, Options: o,
			Err: errors.New("it broke")}
		back, err := ParseReproducer("r.txtar", f.Reproducer())
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if d := cmp.Diff(o, back.Options, cmpopts.IgnoreUnexported(Options{}, interp.Texture{}),
			cmp.AllowUnexported(input.Constant{}, rounding.Range{})); d != "" {
			t.Errorf("%s:\n%s", what, d)
		}
		if !reflect.DeepEqual(f.Input, back.Input) || SymptomOf(back) != SymptomOf(f) || back.Err.Error() != "it broke" {
			t.Errorf("%s: %+v", what, back)
		}
	}
	check("all", all)
	check("none", Options{})
	from := leaves(&all)
	for i := range from {
		if !slices.Contains(left, from[i].name) {
			var o Options
			leaves(&o)[i].value.Set(from[i].value)
			check(from[i].name, o)
		}
	}
}

// TestReproducerOfAnything checks that a program's bytes survive for any name and content, and that no
// content becomes another part of the reproducer.
func TestReproducerOfAnything(t *testing.T) {
	code, err := input.Assemble(File{Name: "doubled.psh", Data: []byte(doubled)})
	if err != nil {
		t.Fatal(err)
	}
	datas := []string{doubled, string(code), string(code[:len(code)-2]), "ps_2_0\n-- settings.json --\n{}\n", "-- a --",
		"", "\n", "no end of line",
		strings.ReplaceAll(doubled, "\n", "\r\n"), "\x00\xff\n", "-- \n", "a\n-- b --\r\nc\n", "\x1b[2J\n", strings.Repeat("-- x --\n", 99)}
	names := []string{"a.psh", "../../etc/passwd", "settings.json", "x -- y", "a\n-- b --\n", "", "/", "..",
		"\x1b[2J.psh", "ü.psh"}
	for _, data := range datas {
		for _, name := range names {
			files := []File{{Name: name, Data: []byte(data)}, {Name: name, Data: []byte(doubled)}}
			f := &Fault{Input: Input{Name: name, Files: files},
				Err: errors.New("it\n-- c --\r\nbroke"), Stack: []byte("-- d --\n-- e --\n")}
			text := f.Reproducer()
			back, err := ParseReproducer("r.txtar", text)
			if err != nil {
				t.Fatalf("%q %q: %v", name, data, err)
			}
			if len(back.Input.Files) != 2 || string(back.Input.Files[0].Data) != data ||
				string(back.Input.Files[1].Data) != doubled || back.Input.Name != name {
				t.Errorf("%q %q: %q", name, data, back.Input.Files)
			}
			if n := len(txtar.Parse(text).Files); n != 3 {
				t.Errorf("%q %q: %d entries", name, data, n)
			}
			for _, file := range back.Input.Files {
				if strings.ContainsAny(file.Name, "/\\\n\x1b") {
					t.Errorf("a file is called %q", file.Name)
				}
			}
			if !bytes.Equal(back.Reproducer(), text) && len(f.Stack) == 0 {
				t.Errorf("%q %q: written again it is another one", name, data)
			}
		}
	}
}

// TestBadReproducer checks that other data is rejected with a diagnostic.
func TestBadReproducer(t *testing.T) {
	f := &Fault{Input: Input{Files: []File{{Name: "a.psh", Data: []byte(doubled)}}}, Err: errors.New("it broke")}
	good := string(f.Reproducer())
	edit := func(from, to string) string {
		if !strings.Contains(good, from) {
			t.Fatalf("no %q in\n%s", from, good)
		}
		return strings.Replace(good, from, to, 1)
	}
	for _, bad := range []string{"", "-- a --\n", doubled, "-- settings.json --\n", "-- settings.json --\n{}\n",
		"-- settings.json --\nnull\n",
		edit(`"Task": "opt"`, `"Task": "rm"`), edit(`"Task": "opt"`, `"Task": "verify"`), edit(`"Task"`,
			`"Tusk"`), edit(`"Form": "text"`, `"Form": "exe"`),
		edit(`"Form": "text"`, `"Form": "base64"`), edit(`"Form": "text"`,
			`"Form": "assembled", "After": true`), edit("-- a.psh --", "-- b.psh --"),
		edit(`"Effort": "quick"`, `"Effort": "none"`), edit(`"Constants": null`, `"Constants": ["x"]`), edit(`"Case": ""`,
			`"Case": "a.psh"`),
		edit(`"KernelCase": ""`, `"KernelCase": "k"`) + "-- k --\ndomain 1 1\nglobal 1 file /etc/hostname\n",
		good + "-- a.psh --\n", edit("\n}\n", "\n}\n{}\n"), edit(`"Seed": 0`, `"Seed": -1`), edit(`"Fuel": null`,
			`"Fuel": 1e99`),
	} {
		if f, err := ParseReproducer("r.txtar", []byte(bad)); err == nil {
			t.Errorf("%+v was read from\n%s", f, bad)
		}
	}
}
