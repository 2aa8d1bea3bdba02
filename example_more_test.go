package shaderlift_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"

	"github.com/shaderlift/shaderlift"
)

// A search for the best pipeline of a kernel, with promised constants: a small search, for a small
// launch.
func ExampleTune() {
	data, err := os.ReadFile("testdata/il/jang_naive.il")
	if err != nil {
		log.Fatal(err)
	}
	trips, err := shaderlift.ParseConstant("cb0[0].x=64")
	if err != nil {
		log.Fatal(err)
	}
	in := shaderlift.Input{Files: []shaderlift.File{{Name: "jang_naive.il", Data: data}}}
	o := shaderlift.TuneOptions{Budget: 20_000}
	o.Target, o.Host.Constants, o.Kernel.Domain = "rv770", []shaderlift.Constant{trips}, [2]int{64, 64}
	res, err := shaderlift.Tune(context.Background(), in, o)
	if err != nil {
		log.Fatal(err)
	}
	o.Pipeline = res.Pipeline
	same, err := shaderlift.Optimize(context.Background(), in, o.Options)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Status, bytes.Equal(res.Files[0].Data, same.Files[0].Data))
	fmt.Println(res.Kernel.CurrentCost().Cycles < res.Kernel.Before.Cycles, len(res.Tuning.Front) > 0)
	// Output:
	// improved true
	// true true
}

// A search among versions for which the application launches a smaller domain and binds other outputs.
func ExampleTune_mayChange() {
	data, err := os.ReadFile("testdata/il/jang_naive.il")
	if err != nil {
		log.Fatal(err)
	}
	in := shaderlift.Input{Files: []shaderlift.File{{Name: "jang_naive.il", Data: data}}}
	o := shaderlift.TuneOptions{Budget: 200_000, MayChange: shaderlift.ChangeDomain | shaderlift.ChangeOutputs}
	o.Kernel.Domain = [2]int{64, 64}
	res, err := shaderlift.Tune(context.Background(), in, o)
	if err != nil {
		log.Fatal(err)
	}
	fastest := res.Tuning.Front[0]
	fmt.Println(fastest.Verdict.OK(), fastest.Coarsened.Tile, fastest.Coarsened.Divide)
	// Output:
	// true x=4,y=2,outputs=2 [4 2]
}

// The changes of a launch that would make a kernel faster.
func ExampleExplain_advice() {
	data, err := os.ReadFile("testdata/il/jang_naive.il")
	if err != nil {
		log.Fatal(err)
	}
	in := shaderlift.Input{Files: []shaderlift.File{{Name: "jang_naive.il", Data: data}}}
	res, err := shaderlift.Explain(context.Background(), in,
		shaderlift.Options{Kernel: shaderlift.KernelOptions{Domain: [2]int{64, 64}}})
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range res.Advice {
		host, err := a.Host.MarshalText()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %.1f times fewer cycles\n", host, res.Kernel.Before.Cycles/a.Cycles)
	}
	// Output:
	// domain,outputs: 1.5 times fewer cycles
	// domain,bindings,outputs: 2.3 times fewer cycles
}

// The price of every instruction.
func ExampleInstructions() {
	in := shaderlift.Input{Files: []shaderlift.File{{Name: "a.psh",
		Data: []byte("ps_2_0\ndcl t0\ndcl_2d s0\ntexld r0, t0, s0\nnrm r1.xyz, r0\nmov oC0, r1.x\n")}}}
	res, err := shaderlift.Instructions(context.Background(), in, shaderlift.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, i := range res.Programs[0].Instructions {
		fmt.Printf("%2d: %-16s %d of %d\n", i.Line, i.Text, i.Slots, res.Stages[0].Before.Slots)
	}
	// Output:
	//  4: texld r0, t0, s0 1 of 5
	//  5: nrm r1.xyz, r0   3 of 5
	//  6: mov oC0, r1.x    1 of 5
}

// A source is compiled by another program. If that is not there, the error names the way without it.
func ExampleCompile() {
	source := shaderlift.File{Name: "glow.hlsl", Data: []byte("float4 glow(float2 uv : TEXCOORD0) : COLOR0 { return uv.xyxy; }\n")}
	program, _, err := shaderlift.Compile(context.Background(), source, shaderlift.CompileOptions{Compiler: "missing-compiler"})
	fmt.Println(shaderlift.Recognize(program.Data), err)
	// Output:
	// unrecognized data glow.hlsl:1:1: missing-compiler is not found; build it with fxc /T ps_3_0 /E glow /Fo glow.pso glow.hlsl, then run shaderlift opt --fit ps_2_0 VERTEX,glow.pso [compiler]
}

// MojoShader, the library of FNA, takes a cmp apart, so it must not read what it writes.
func ExampleLint() {
	program := shaderlift.File{Name: "a.psh", Data: []byte("ps_3_0\ndcl_texcoord v0\nmov r0, v0\ncmp r0.xy, v0, r0.yxzw, c0\nmov oC0, r0\n")}
	list, err := shaderlift.Lint(shaderlift.Input{Files: []shaderlift.File{program}}, "mojoshader")
	for _, f := range list {
		fmt.Printf("%s: %s [%s]\n", f.Pos, f.Repair, f.Code)
	}
	fmt.Println(err)
	// Output:
	// a.psh:4:1: write to another register and mov from it [split-selector]
	// <nil>
}
