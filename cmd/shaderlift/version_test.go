package main

import (
	"runtime/debug"
	"testing"
)

// TestRevision checks the commit that --version prints for builds of the go command.
func TestRevision(t *testing.T) {
	set := func(pairs ...string) *debug.BuildInfo {
		info := &debug.BuildInfo{}
		for i := 0; i < len(pairs); i += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: pairs[i], Value: pairs[i+1]})
		}
		return info
	}
	const id = "0123456789abcdef0123456789abcdef01234567"
	for _, c := range []struct {
		info *debug.BuildInfo
		want string
	}{
		{nil, ""},
		{set("GOOS", "linux"), ""},
		{set("vcs.revision", id, "vcs.modified", "false"), " (commit 0123456789ab)"},
		{set("vcs.revision", id, "vcs.modified", "true"), " (commit 0123456789ab, modified)"},
		{set("vcs.revision", "r12"), " (commit r12)"},
	} {
		if got := revision(c.info); got != c.want {
			t.Errorf("revision is %q, want %q", got, c.want)
		}
	}
}
