package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/passes/suite"
)

//go:embed static
var static embed.FS

const module = "github.com/shaderlift/shaderlift"

// wasm is the package that the page runs.
const wasm = module + "/cmd/playground/wasm"

// libraries maps files with the library, one for each language, to the build tags that leave out
// the other languages (package asm). They are in gzip format, with names that servers do not
// decompress.
var libraries = map[string]string{"d3d9.bin": "nokernels,nospirv", "kernels.bin": "nod3d9,nospirv"}

// write builds the page in dir. It needs the go command, and a checkout in the current directory.
func write(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	files, err := fs.Sub(static, "static")
	if err != nil {
		return err
	}
	root, err := output("list", "-m", "-f", "{{.Dir}}", module)
	if err != nil {
		return err
	}
	list, err := presets(root)
	if err != nil {
		return err
	}
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	// all maps the names of the folder's files to their contents.
	all := map[string][]byte{"presets.json": text}
	err = fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all[path], err = fs.ReadFile(files, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	all["index.html"] = index(all["index.html"])
	goroot, err := output("env", "GOROOT")
	if err != nil {
		return err
	}
	// The WebAssembly runtime of the Go toolchain has to match the compiler.
	if all["wasm_exec.js"], err = os.ReadFile(filepath.Join(goroot, "lib", "wasm", "wasm_exec.js")); err != nil {
		return err
	}
	for name, tag := range libraries {
		if all[name], err = build(tag); err != nil {
			return err
		}
	}
	if all["sw.js"], err = worker(all); err != nil {
		return err
	}
	for name, data := range all {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// index fills in the levels and targets of the command. An empty value is the default.
func index(page []byte) []byte {
	var levels, targets strings.Builder
	for n := range suite.MaxLevel + 1 {
		value, selected := fmt.Sprint("O", n), ""
		if n == suite.DefaultLevel {
			value, selected = "", " selected"
		}
		fmt.Fprintf(&levels, `<option value="%s"%s>-O%d</option>`, value, selected, n)
	}
	for _, name := range shaderlift.Targets() {
		fmt.Fprintf(&targets, "<option>%s</option>", name)
	}
	fill := strings.NewReplacer("<!-- levels -->", levels.String(), "<!-- targets -->", targets.String())
	return []byte(fill.Replace(string(page)))
}

// worker returns the script that keeps the page for offline use. It contains the names of the
// folder's files, and a checksum of all of them.
func worker(all map[string][]byte) ([]byte, error) {
	h := sha256.New()
	names := []string{"./"}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(h, "%s %d\n%s", name, len(all[name]), all[name])
		if name != "sw.js" && name != "index.html" {
			names = append(names, name)
		}
	}
	list, err := json.Marshal(names)
	if err != nil {
		return nil, err
	}
	// The version changes with any file, so that browsers update their copies.
	fill := strings.NewReplacer(`"VERSION"`, fmt.Sprintf(`"%x"`, h.Sum(nil)), "FILES", string(list))
	return []byte(fill.Replace(string(all["sw.js"]))), nil
}

// build compiles the library for browsers and compresses it. Servers send the files unchanged.
// Chromium keeps a file of 27 MB for offline use on a disk with 5 GB free, but not with 4 GB. Only
// calls in the allocator and garbage collector are inlined, which makes the whole 18 % faster.
// Inlining the rest would save as much again, but increase the compressed size by a sixth.
func build(tag string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "playground")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-gcflags=all=-l", "-gcflags=runtime=",
		"-gcflags=internal/runtime/...=", "-tags", tag, "-o", path, wasm)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, err
	}
	code, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if code, err = shrink(code); err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(code); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

// output runs the go command and returns its output, trimmed.
func output(args ...string) (string, error) {
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// preset is an example on the page.
type preset struct {
	Name    string            `json:"name"`
	Files   []shaderlift.File `json:"files"`
	Options map[string]any    `json:"options"`
}

// presets returns the examples of a checkout.
func presets(root string) (list []preset, err error) {
	read := func(path string) shaderlift.File {
		data, e := fs.ReadFile(os.DirFS(root), path)
		if e != nil && err == nil {
			err = e
		}
		return shaderlift.File{Name: path[strings.LastIndexByte(path, '/')+1:], Data: data}
	}
	slots := map[string]any{"Target": shaderlift.SlotTarget}
	list = []preset{
		{"One-dimensional convolution (a pair, figure 3 of Ikeda, Ino and Hagihara)",
			[]shaderlift.File{read("testdata/conv1d/conv1d.vsh"), read("testdata/conv1d/conv1d.psh")}, slots},
		{"Blur of seven taps (a pair)",
			[]shaderlift.File{read("examples/programs/blur.vsh"), read("examples/programs/blur.psh")},
			map[string]any{"HostConstants": "mirrored", "Target": shaderlift.SlotTarget}},
		{"The blur as an effect (fx_2_0)", []shaderlift.File{read("examples/effects/playground/blur.fxb")}, slots},
		{"Programs in arrays, as in XNA's BasicEffect (fx_2_0)", []shaderlift.File{read("examples/effects/playground/basic.fxb")}, slots},
		{"Matrix product of AMD's tutorial (a kernel)", []shaderlift.File{read("testdata/il/pldi_v1.il")}, nil},
		{"N bodies (a kernel)", []shaderlift.File{read("examples/programs/nbody.il")}, nil},
	}
	return list, err
}
