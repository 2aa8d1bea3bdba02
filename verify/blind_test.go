package verify

import "testing"

// Fences that are missing, loads that may come from a cache and other samplers are shown by
// no execution.
func TestUnshown(t *testing.T) {
	const fences = "fence_lds; uav_raw_load_id(0) r4, r10.x; fence_threads_lds; mov g[r10.x], r4"
	const samples = "sample_resource(1)_sampler(0) r2, v0.xy; sample_l_resource(1)_sampler(1) r3, v0.xy, v0.z; add o0, r2, r3"
	for _, c := range []struct{ name, before, after, want string }{
		{"nothing", csKernel(fences), csKernel(fences), ""},
		{"a fence lost", csKernel(fences), csKernel("uav_raw_load_id(0) r4, r10.x; fence_threads_lds; mov g[r10.x], r4"), "no execution shows that a fence of kind 2 is missing"},
		{"a fence weakened", csKernel(fences), csKernel("fence_lds; uav_raw_load_id(0) r4, r10.x; fence_lds; mov g[r10.x], r4"), "no execution shows that a fence of kind 3 is missing"},
		{"a fence more", csKernel(fences), csKernel("fence_lds;" + fences), ""},
		{"a cached load", csKernel(fences), csKernel("fence_lds; uav_raw_load_id(0)_cached r4, r10.x; fence_threads_lds; mov g[r10.x], r4"), "no execution shows a cached load of view 0"},
		{"a load no longer cached", csKernel("uav_raw_load_id(0)_cached r4, r10.x; mov g[r10.x], r4"), csKernel("uav_raw_load_id(0) r4, r10.x; mov g[r10.x], r4"), ""},
		{"a sample less", psKernel(samples), psKernel("sample_resource(1)_sampler(0) r2, v0.xy; add o0, r2, r2"), ""},
		{"another sampler", psKernel(samples), psKernel("sample_resource(1)_sampler(1) r2, v0.xy; mov o0, r2"), "no execution shows sample of resource 1 by sampler 1"},
	} {
		if got := unshown(parseKernel(t, c.before), parseKernel(t, c.after)); got != c.want {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
	}
}
