// Command release builds the archives of a release into a directory that does not exist yet or is empty:
//
//	go run -C bench ./release -o DIR [-systems GOOS/GOARCH,...]
//
// There is an archive for each of Linux, Windows and macOS on amd64 and arm64, or for the given systems. It holds the
// command, manual pages, completions, and all licences. SHA256SUMS has the checksums, and a file in SPDX form lists
// the modules of which the command consists. The same commit and Go toolchain give the same bytes. All times are that
// of the commit, or SOURCE_DATE_EPOCH.
package main

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/bench/internal/root"
)

const command = "./cmd/shaderlift"

// systems are the targets of a release.
var systems = []string{"linux/amd64", "linux/arm64", "windows/amd64", "windows/arm64", "darwin/amd64", "darwin/arm64"}

func main() {
	dir := flag.String("o", "", "write the release to this directory")
	list := flag.String("systems", strings.Join(systems, ","), "build for these systems")
	flag.Parse()
	out, err := filepath.Abs(*dir)
	if *dir == "" || flag.NArg() > 0 {
		err = errors.New("usage: release -o DIR [-systems GOOS/GOARCH,...]")
	}
	if err == nil {
		err = root.Enter()
	}
	var commit string
	var made time.Time
	if err == nil {
		commit, made, err = head()
	}
	if err == nil {
		err = release(out, strings.Split(*list, ","), commit, made)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release builds the archives, their checksums and the bill of materials from the current directory, a checkout of a
// commit that was made at some time.
func release(dir string, systems []string, commit string, made time.Time) error {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty", dir)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	common, err := pages(scratch, commit)
	if err != nil {
		return err
	}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		common = append(common, file{name: name, data: data, mode: 0o644})
	}
	all := bill{made: made, modules: map[string]module{}, within: map[string][]string{}}
	for _, system := range systems {
		goos, goarch, ok := strings.Cut(system, "/")
		if !ok {
			return fmt.Errorf("%s: want GOOS/GOARCH", system)
		}
		program := file{name: "shaderlift", mode: 0o755}
		if goos == "windows" {
			program.name += ".exe"
		}
		path := filepath.Join(scratch, program.name)
		if err := build(path, commit, goos, goarch); err != nil {
			return fmt.Errorf("%s: %w", system, err)
		}
		if program.data, err = os.ReadFile(path); err != nil {
			return err
		}
		list, err := modulesOf(path)
		if err != nil {
			return fmt.Errorf("%s: %w", system, err)
		}
		licences, err := licencesOf(list)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("shaderlift-%s-%s-%s", shaderlift.Version, goos, goarch)
		data, err := pack(name, append([]file{program, licences}, common...), made, goos == "windows")
		if err != nil {
			return err
		}
		name += suffix(goos == "windows")
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			return err
		}
		all.add(name, data, list)
	}
	text, err := all.spdx()
	if err != nil {
		return err
	}
	name := fmt.Sprintf("shaderlift-%s.spdx.json", shaderlift.Version)
	if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
		return err
	}
	return checksums(dir)
}

// head returns the commit of the checkout, and its time or SOURCE_DATE_EPOCH.
func head() (commit string, made time.Time, err error) {
	state, err := output("git", "status", "--porcelain")
	if err == nil && state != "" {
		err = errors.New("the checkout has changes that are not committed")
	}
	if err != nil {
		return "", made, err
	}
	text, err := output("git", "log", "-1", "--format=%H %ct")
	if err != nil {
		return "", made, err
	}
	commit, at, _ := strings.Cut(text, " ")
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		at = epoch
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	return commit[:12], time.Unix(seconds, 0).UTC(), err
}

// build compiles the command for a system, without paths, symbols and identities of the machine.
func build(path, commit, goos, goarch string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags=-s -w -buildid= -X main.commit="+commit, "-o", path, command)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch, "GOFLAGS=", "GOWORK=off")
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// pages returns the manual pages and completions, which a command for this machine writes.
func pages(scratch, commit string) (list []file, err error) {
	program := filepath.Join(scratch, "host")
	if err := build(program, commit, runtime.GOOS, runtime.GOARCH); err != nil {
		return nil, err
	}
	man := filepath.Join(scratch, "man")
	if err := os.Mkdir(man, 0o777); err != nil {
		return nil, err
	}
	if err := exec.Command(program, "man", man).Run(); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(man)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(man, e.Name()))
		if err != nil {
			return nil, err
		}
		list = append(list, file{name: "man/" + e.Name(), data: data, mode: 0o644})
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		data, err := exec.Command(program, "completion", shell).Output()
		if err != nil {
			return nil, err
		}
		list = append(list, file{name: "completions/shaderlift." + shell, data: data, mode: 0o644})
	}
	return list, nil
}

// checksums writes SHA256SUMS for the files of a directory, in the form that sha256sum reads.
func checksums(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, e := range entries {
		f, err := os.Open(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
		fmt.Fprintf(&text, "%x  %s\n", h.Sum(nil), e.Name())
	}
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(text.String()), 0o666)
}
