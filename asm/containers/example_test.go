package containers_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/containers"
)

func ExampleCheckForeign() {
	fmt.Println(containers.CheckForeign("a.frag", []byte("#version 330 core\nvoid main() {}\n")))
	fmt.Println(containers.CheckForeign("a.cso", []byte("DXBC....")))
	fmt.Println(containers.CheckForeign("a.psh", []byte("ps_2_0\nmov oC0, c0\n")))
	// Output:
	// a.frag:1:1: this is GLSL source: only Direct3D 9 programs and AMD IL kernels are supported [foreign-format]
	// a.cso:1:1: this is a shader of Direct3D 10 or later (DXBC): compile its source for Direct3D 9 (fxc /T vs_3_0, ps_3_0 or fx_2_0) [foreign-format]
	// <nil>
}
