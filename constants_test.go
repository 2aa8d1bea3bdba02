package shaderlift_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/opt"
	"github.com/shaderlift/shaderlift/verify"
)

// The application bounds the loop of a vertex program. With two promised trips, the loop can be
// unrolled.
func ExampleParseConstant() {
	const name = "testdata/constants/octaves.vsh"
	data, err := os.ReadFile(name)
	if err != nil {
		log.Fatal(err)
	}
	trips, err := shaderlift.ParseConstant("vs:i0=2,0,0,0")
	if err != nil {
		log.Fatal(err)
	}
	res, err := shaderlift.Optimize(context.Background(),
		shaderlift.Input{Files: []shaderlift.File{{Name: name, Data: data}}}, shaderlift.Options{
			Pipeline: "unroll{factor=full},fold,copyprop,dce",
			Target:   shaderlift.SlotTarget,
			Host:     shaderlift.HostOptions{Constants: []shaderlift.Constant{trips}},
		})
	if err != nil {
		log.Fatal(err)
	}
	s := res.Stages[0]
	fmt.Printf("%d -> %d slots, %s, as long as %s\n", s.Before.Slots, s.After.Slots, res.Verdict(), res.Assumes)
	// Output:
	// 17 -> 11 slots, proved-real, as long as [vs:i0=2,0,0,0]
}

func constant(t *testing.T, text string) shaderlift.Constant {
	t.Helper()
	c, err := shaderlift.ParseConstant(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestParseConstant(t *testing.T) {
	for _, text := range []string{"cb0[3]=1,2,3,4", "cb15[4095].w=-1e3", "cb0[0].zx=256i,-1i", "cb1[2]=0xffffffff",
		"ps:c5=0.5, 0", "c0.y=.5",
		"vs:i0=255,255,-128,7", "i15.z=-1", "ps:b15=true", "b0=0"} {
		c, err := shaderlift.ParseConstant(text)
		if err != nil || c.String() != strings.ReplaceAll(text, " ", "") {
			t.Errorf("%s: %v, %v", text, c, err)
		}
	}
	for _, text := range []string{"", "=1", "cb0[3]", "cb0[3]=", "cb0[3]=1,2,3,4,5", "cb0[3].xy=1", "cb0[3].xx=1,2",
		"cb0[3].r=1", "cb16[0]=1", "cb0[4096]=1",
		"cb0=1", "ps:cb0[0]=1", "gs:c0=1", "c9999=1", "c0=nan", "c0=inf", "c0=1e39", "c0=0x123456789", "c0=1i", "c0=one", "cb0[0]=4294967296i", "r0=1",
		"i16=1", "i0=256", "i0=1.5", "i0=-1", "i0=0,0,128", "b0=2", "b0.x=true", "b0=true,false"} {
		if c, err := shaderlift.ParseConstant(text); err == nil || !strings.HasPrefix(err.Error(), "<options>: ") ||
			!strings.Contains(err.Error(), "[bad-constant]") {
			t.Errorf("%s: %v, %v", text, c, err)
		}
	}
}

// TestConstantsRefused checks that constants that an input cannot have are rejected.
func TestConstantsRefused(t *testing.T) {
	vertex := program("v.vsh", "vs_2_0\ndef c9, 1, 2, 3, 4\ndcl_position v0\nmul r0, v0, c0\nmul oPos, r0, c9\n")
	pixel := program("p.psh", "ps_2_0\ndcl t0\nmul r0, t0, c0\nmov oC0, r0\n")
	pair := shaderlift.Input{Files: append(vertex.Files[:1:1], pixel.Files...)}
	kernel := program("k.il", "il_ps_2_0\ndcl_cb cb0[1]\ndcl_output_generic o0\nmov o0, cb0[0]\nend\n")
	for _, c := range []struct {
		in   shaderlift.Input
		list []string
		code string
	}{
		{vertex, []string{"c9=1"}, "constant-defined"},
		{vertex, []string{"ps:c0=1"}, "wrong-constant"},
		{vertex, []string{"cb0[0]=1"}, "wrong-constant"},
		{kernel, []string{"c0=1"}, "wrong-constant"},
		{pair, []string{"c0=1"}, "constant-stage"},
		{pair, []string{"vs:c0=1", "vs:c0.x=2"}, "constant-conflict"},
		{vertex, []string{"vs:c0=1", "c0=2"}, "constant-conflict"},
		{pair, []string{"vs:c0=1", "ps:c0=2"}, ""},
		{vertex, []string{"c0=1,2", "c0.x=1"}, ""},
	} {
		var o shaderlift.Options
		for _, text := range c.list {
			o.Host.Constants = append(o.Host.Constants, constant(t, text))
		}
		_, err := shaderlift.Optimize(t.Context(), c.in, o)
		if c.code == "" && err != nil || c.code != "" && (err == nil || !strings.Contains(err.Error(), "["+c.code+"]")) {
			t.Errorf("%v: %v, want %q", c.list, err, c.code)
		}
		if _, again := shaderlift.Verify(t.Context(), c.in, c.in, o); (again == nil) != (err == nil) {
			t.Errorf("%v: %v, but of a verification %v", c.list, err, again)
		}
	}
	if _, err := shaderlift.Optimize(t.Context(), vertex,
		shaderlift.Options{Host: shaderlift.HostOptions{Constants: make([]shaderlift.Constant, 1)}}); err == nil {
		t.Error("a constant without a name is taken")
	}
}

// TestConstantsOfKernel checks that a kernel with a literal trip count equals the original only for
// that count.
func TestConstantsOfKernel(t *testing.T) {
	const name = "testdata/il/pldi_v1.il"
	source := readFile(t, name)
	with := func(count string) shaderlift.Input {
		text := strings.Replace(string(source.Data), "dcl_cb cb0[1]\n", "dcl_literal l9, "+count+", 0, 0, 0\n", 1)
		return program("after.il", strings.Replace(text, "cb0[0].x", "l9.x", 1))
	}
	before := shaderlift.Input{Files: []shaderlift.File{source}}
	o := shaderlift.Options{Host: shaderlift.HostOptions{Constants: []shaderlift.Constant{constant(t, "cb0[0].x=256")}},
		Kernel: shaderlift.KernelOptions{Domain: smallDomain}}
	for _, c := range []struct {
		count   string
		o       shaderlift.Options
		verdict verify.Verdict
	}{
		{"256.0", o, verify.Proved},
		{"255.0", o, verify.Refuted},
		{"256.0", shaderlift.Options{Kernel: shaderlift.KernelOptions{Domain: smallDomain}}, verify.Refuted},
	} {
		res, err := shaderlift.Verify(t.Context(), before, with(c.count), c.o)
		if res.Verdict() != c.verdict || errors.Is(err, shaderlift.ErrRefused) != (c.verdict == verify.Refuted) {
			t.Errorf("%s with %v: %s, %v", c.count, c.o.Host.Constants, res.Verdict(), err)
		}
		if len(res.Assumes) != len(c.o.Host.Constants) {
			t.Errorf("it assumes %v", res.Assumes)
		}
	}
	o.Pipeline, o.Kernel.Domain = "unroll{factor=4}", [2]int{}
	res, err := shaderlift.Optimize(t.Context(), before, o)
	if err != nil || res.Status != shaderlift.Improved || res.Verdict() != verify.Proved {
		t.Fatalf("%s, %s, %v", res.Status, res.Verdict(), err)
	}
	if strings.Contains(string(res.Files[0].Data), "cb0[0].x") {
		t.Error("it reads the count still")
	}
	plain, err := shaderlift.Optimize(t.Context(), before, shaderlift.Options{Pipeline: "O0"})
	if err != nil || plain.Assumes != nil || plain.Kernel.Before.Cycles >= res.Kernel.Before.Cycles {
		t.Errorf("a launch of 256 trips takes %.0f cycles, one that is made up %.0f; %v", res.Kernel.Before.Cycles,
			plain.Kernel.Before.Cycles, err)
	}
}

// TestConstantsReproduced checks that a reproducer repeats the promise.
func TestConstantsReproduced(t *testing.T) {
	f := &shaderlift.Fault{Input: program("v.vsh", "vs_2_0\nmov oPos, c0\n"), Err: errors.New("test"),
		Options: shaderlift.Options{
			Host: shaderlift.HostOptions{Constants: []shaderlift.Constant{constant(t, "c0=1,2")}}}}
	back, err := opt.ParseReproducer("r.txtar", f.Reproducer())
	if err != nil || len(back.Options.Host.Constants) != 1 || back.Options.Host.Constants[0].String() != "c0=1,2" {
		t.Errorf("%v in\n%s", err, f.Reproducer())
	}
}
