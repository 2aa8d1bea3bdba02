package verify

import (
	"testing"

	"github.com/shaderlift/shaderlift/verify/internal/trial"
)

// TestUnshown checks changes that no execution shows: fences that are missing or moved, loads that may come
// from a cache, and other samplers.
func TestUnshown(t *testing.T) {
	const fences = "fence_lds; uav_raw_load_id(0) r4, r10.x; fence_threads_lds; mov g[r10.x], r4"
	const samples = "sample_resource(1)_sampler(0) r2, v0.xy; sample_l_resource(1)_sampler(1) r3, v0.xy, v0.z; add o0, r2, r3"
	for _, c := range []struct{ name, before, after, want string }{
		{"nothing", csKernel(fences), csKernel(fences), ""},
		{"a fence lost", csKernel(fences), csKernel("uav_raw_load_id(0) r4, r10.x; fence_threads_lds; mov g[r10.x], r4"),
			"no execution shows that a fence of kind 2 between nothing and uav_raw_load 0 is missing"},
		{"a fence weakened", csKernel(fences),
			csKernel("fence_lds; uav_raw_load_id(0) r4, r10.x; fence_lds; mov g[r10.x], r4"), "no execution shows that a fence of kind 3 between uav_raw_load 0 and a store to g is missing"},
		{"a fence more", csKernel(fences), csKernel("fence_lds;" + fences), ""},
		{"a fence moved before a load", csKernel(fences),
			csKernel("fence_lds; fence_threads_lds; uav_raw_load_id(0) r4, r10.x; mov g[r10.x], r4"), "no execution shows that a fence of kind 3 between uav_raw_load 0 and a store to g is missing"},
		{"a fence moved behind a store", csKernel(fences),
			csKernel("fence_lds; uav_raw_load_id(0) r4, r10.x; mov g[r10.x], r4; fence_threads_lds"), "no execution shows that a fence of kind 3 between uav_raw_load 0 and a store to g is missing"},
		{"a fence more between accesses", csKernel("uav_raw_load_id(0) r4, r10.x; fence_threads_lds; mov g[r10.x], r4"),
			csKernel("uav_raw_load_id(0) r4, r10.x; fence_threads_lds; mov g[r10.x], r4; fence_memory"), ""},
		{"a fence moved behind what is no access", csKernel(fences),
			csKernel("mov r5, r10; fence_lds; uav_raw_load_id(0) r4, r10.x; mov r6, r10; fence_threads_lds; mov g[r10.x], r4"), ""},
		{"a cached load", csKernel(fences), csKernel("fence_lds; uav_raw_load_id(0)_cached r4, r10.x; fence_threads_lds; mov g[r10.x], r4"), "no execution shows a cached load of view 0"},
		{"a load no longer cached", csKernel("uav_raw_load_id(0)_cached r4, r10.x; mov g[r10.x], r4"),
			csKernel("uav_raw_load_id(0) r4, r10.x; mov g[r10.x], r4"), ""},
		{"a sample less", psKernel(samples), psKernel("sample_resource(1)_sampler(0) r2, v0.xy; add o0, r2, r2"), ""},
		{"another sampler", psKernel(samples), psKernel("sample_resource(1)_sampler(1) r2, v0.xy; mov o0, r2"),
			"no execution shows sample of resource 1 by sampler 1"},
	} {
		if got := trial.Unshown(parseKernel(t, c.before), parseKernel(t, c.after)); got != c.want {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
	}
}

// TestIndexedOutput checks outputs written by an index. Draws show only the index values of their vertices,
// here never one of an output, so they are not tested.
func TestIndexedOutput(t *testing.T) {
	const head = "vs_3_0; dcl_position v0; dcl_texcoord v1; dcl_position o0; dcl_texcoord o1; dcl_texcoord1 o2; def c1, 400, 2000, 0, 0; mov o0, v0; mad r0, v1, c1.x, c1.y; mova a0.x, r0.x; "
	pixel := "ps_3_0; dcl_texcoord v0; dcl_texcoord1 v1; add r0, v0, v1; mov oC0, r0"
	for _, c := range []struct{ before, after string }{
		{"mov o[a0.x+1], v1", "mov o[a0.x+2], v1"},
		{"mov o[a0.x+1], v1", "mov o1, v1"},
		{"mov o2, v1", "mov o[a0.x+2], v1"},
	} {
		for _, ps := range []string{"", pixel} {
			r := Check(pairOf(t, head+c.before, ps), pairOf(t, head+c.after, ps), Options{})
			if r.Verdict.OK() {
				t.Errorf("%s and %s are %v", c.before, c.after, r.Verdict)
			}
		}
	}
}
