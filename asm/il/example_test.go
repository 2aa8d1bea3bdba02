package il_test

import (
	"fmt"
	"log"

	"github.com/shaderlift/shaderlift/asm/il"
)

const scale = `il_ps_2_0
dcl_input_position_interp(linear_noperspective) vWinCoord0.xy__
dcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
dcl_output_generic o0
dcl_literal l0, 2.0f, 0.5f, 0, 0
sample_resource(0)_sampler(0)	r0, vWinCoord0.xy ; one texel
mul  r0.zw, r0.xy, l0.x    ; doubled
mov o0, r0
end
`

// Example changes one statement; the others keep their spelling.
func Example() {
	k, err := il.Parse("scale.il", []byte(scale))
	if err != nil {
		log.Fatal(err)
	}
	for i := range k.Insts {
		in := &k.Insts[i]
		if in.Op == il.OpMul {
			in.Ctl.IEEE, in.Dst.Sat, in.Text = true, true, ""
		}
	}
	fmt.Printf("%s", il.Print(k))

	// Output:
	// il_ps_2_0
	// dcl_input_position_interp(linear_noperspective) vWinCoord0.xy__
	// dcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
	// dcl_output_generic o0
	// dcl_literal l0, 2.0f, 0.5f, 0, 0
	// sample_resource(0)_sampler(0)	r0, vWinCoord0.xy ; one texel
	// mul_ieee_sat r0.__zw, r0.xy, l0.x    ; doubled
	// mov o0, r0
	// end
}

// A short swizzle applies to the written lanes, not to the lanes of its letters.
func ExampleInst_Reads() {
	k, err := il.Parse("scale.il", []byte(scale))
	if err != nil {
		log.Fatal(err)
	}
	for i := range k.Insts {
		in := &k.Insts[i]
		if in.Op != il.OpMul {
			continue
		}
		reads := in.Reads(0)
		for lane := range 4 {
			if in.Dst.Mask.WriteAt(lane) == il.Result {
				fmt.Printf("r0.%c is made from r0.%c\n", "xyzw"[lane], "xyzw01"[reads[lane]])
			}
		}
	}

	// Output:
	// r0.z is made from r0.x
	// r0.w is made from r0.y
}

func ExampleParse_error() {
	_, err := il.Parse("glued.il", []byte("il_cs_2_0\nftoi r8.y, r8.yitof r8.y, r8.y\nmov r0.yx, r1\nend\n"))
	fmt.Println(err)

	// Output:
	// glued.il:2:16: a second statement on one line: "itof r8.y, r8.y" [glued-statement]
	// glued.il:3:8: "yx" is not a write mask [write-mask]
}
