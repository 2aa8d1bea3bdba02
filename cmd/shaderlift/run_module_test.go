package main

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Run interprets a pair of SPIR-V modules and a single one, and reports what it cannot run.
func TestRunModules(t *testing.T) {
	const folder = "../../verify/interp/spirv/testdata/"
	vertex, fragment := folder+"spec-vert.spv", folder+"quads-frag.spv"
	picture := filepath.Join(t.TempDir(), "picture.png")
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{vertex + "," + fragment, "-o", picture}, 0, `^64 by 64 pixels, [1-9][0-9]* drawn`},
		{[]string{vertex}, 0, `^4 invocations\n0 Position -8\.09999`},
		{[]string{fragment}, 0, `\n3 location0 `},
		{[]string{fragment + "," + vertex}, 1, `needs-pair`},
		{[]string{vertex, "--case", "../../README.md"}, 1, `leave --case out`},
	} {
		var out, message bytes.Buffer
		if got := run(t.Context(), append([]string{"run"}, c.args...), strings.NewReader(""), &out, &message); got != c.status {
			t.Errorf("%q: status %d: %s", c.args, got, &message)
		}
		if !regexp.MustCompile(c.want).MatchString(out.String() + message.String()) {
			t.Errorf("%q: no %q in %s%s", c.args, c.want, &out, &message)
		}
	}
	if !isFile(picture) {
		t.Error("no picture")
	}
}
