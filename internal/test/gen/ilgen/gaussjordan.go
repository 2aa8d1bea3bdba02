package ilgen

import (
	"fmt"
	mathbits "math/bits"
	"strings"
)

// GaussJordan returns the Gauss-Jordan elimination of Volkov ("Unrolling parallel loops", 2011) for matrices of n
// by n, a power of two. A work group has a matrix in local memory, and an invocation has one element. The loop
// over the pivots is unrolled:
//
//	for p := range n {
//		if y == p { a[y][x] /= a[p][p] }
//		barrier()
//		if y != p { a[y][x] -= a[y][p] * a[p][x] }
//		barrier()
//	}
func GaussJordan(n int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `il_cs_2_0
; Gauss-Jordan elimination of matrices of %d by %d, one element an invocation
dcl_num_thread_per_group %d
dcl_lds_id(1) %d
dcl_raw_uav_id(0)
dcl_raw_uav_id(1)
dcl_literal l0, %d, %d, 4, %d
`, n, n, n*n, 4*n*n, n-1, mathbits.Len(uint(n))-1, 4*n)
	for p := range n {
		fmt.Fprintf(&b, "dcl_literal l%d, %d, %d, %d, %d\n", p+1, p, 4*p, 4*n*p, 4*(n+1)*p)
	}
	b.WriteString(`iand r0.x___, vTidInGrpFlat.x, l0.x
ushr r0._y__, vTidInGrpFlat.x, l0.y
imul r1.x___, vTidInGrpFlat.x, l0.z
imul r1._y__, vaTidFlat.x, l0.z
imul r2.x___, r0.y, l0.w
imul r2._y__, r0.x, l0.z
uav_raw_load_id(0) r3.x___, r1.y
lds_store_id(1) r1.x, r3.x
fence_threads_lds
`)
	for p := range n {
		b.WriteString(strings.ReplaceAll(`ieq r4.x___, r0.y, lP.x
if_logicalnz r4.x
  lds_load_id(1) r5.x___, lP.w
  lds_load_id(1) r6.x___, r1.x
  div r6.x___, r6.x, r5.x
  lds_store_id(1) r1.x, r6.x
endif
fence_threads_lds
if_logicalz r4.x
  iadd r7.x___, r2.x, lP.y
  iadd r7._y__, r2.y, lP.z
  lds_load_id(1) r8.x___, r7.x
  lds_load_id(1) r9.x___, r7.y
  lds_load_id(1) r10.x___, r1.x
  mul r8.x___, r8.x, r9.x
  sub r10.x___, r10.x, r8.x
  lds_store_id(1) r1.x, r10.x
endif
fence_threads_lds
`, "lP", fmt.Sprintf("l%d", p+1)))
	}
	b.WriteString("lds_load_id(1) r3.x___, r1.x\nuav_raw_store_id(1) mem0.x___, r1.y, r3.x\nend\n")
	return []byte(b.String())
}
