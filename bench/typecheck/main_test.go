package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheck checks that faults of one system are found: an overflow of int, an undefined name, and a function
// without a body.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":            "module m\n\ngo 1.24\n",
		"all.go":            "package m\n\ntype file struct{}\n\nvar _ *file = open(large)\n",
		"m_linux.go":        "package m\n\nconst large = 1\n\nfunc open(int) *file { return nil }\n",
		"m_windows.go":      "package m\n\nconst large = 1 << 40\n\nfunc open(int) *file { return nil }\n",
		"sub/sub_darwin.go": "package sub\n\nimport \"m\"\n",
		"m_darwin.go":       "package m\n\nconst large = 1\n",
		"m_freebsd.go":      "package m\n\nconst large = 1\n\nfunc open(int) *file\n",
		"sub/sub_linux.go":  "package sub\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		system, pattern, want string
	}{
		{"linux/386", "./...", ""},
		{"windows/amd64", ".", ""},
		{"windows/386", ".", "(overflows)"},
		{"darwin/arm64", "./sub", "undefined: open"},
		{"freebsd/amd64", ".", "open has no body"},
		{"windows/amd64", "./sub", "build constraints exclude all Go files"},
		{"linux", ".", "want GOOS/GOARCH"},
	} {
		_, err := check(dir, c.system, []string{c.pattern})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.system, err, c.want)
		}
	}
}
