package wine

import (
	"bufio"
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

//go:embed draw/draw.c
var drawSource []byte

// Runner draws jobs through Wine. It owns a virtual display and a Wine server, which Close ends. It is
// not safe for concurrent use.
type Runner struct {
	dir     string   // absolute path of the folder of all files
	env     []string // environment of all started programs
	tools   tools
	program string    // the program that draws pairs
	display *exec.Cmd // Xvfb
	server  *exec.Cmd // wineserver
}

// Start starts a Runner that keeps all its files in dir: the Wine prefix, whose creation takes some seconds,
// the built program and Mesa's compiled shaders. A later Runner can use them again, but only one at a time.
func Start(dir string) (*Runner, error) { return StartModel(dir, 3) }

// StartModel is like Start for a device with shader models up to a version, 1 to 3. It sets Wine's
// MaxShaderModelVS and MaxShaderModelPS.
func StartModel(dir string, version int) (*Runner, error) {
	t, err := findTools()
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	r := &Runner{dir: dir, tools: t}
	r.env = append(os.Environ(), fmt.Sprintf("WINE_D3D_CONFIG=MaxShaderModelVS=%d,MaxShaderModelPS=%d", version, version))
	if err := r.start(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// start builds the drawing program, and starts the display and the server.
func (r *Runner) start() error {
	prefix := filepath.Join(r.dir, "prefix")
	if err := os.MkdirAll(prefix, 0o755); err != nil {
		return err
	}
	var err error
	if r.program, err = r.build("draw", drawSource, "-ld3d9"); err != nil {
		return err
	}
	number, err := r.startDisplay()
	if err != nil {
		return err
	}
	r.env = append(r.env,
		"DISPLAY=:"+number,
		"WINEPREFIX="+prefix,
		"WINEDEBUG=-all",
		// Do not install .NET, the browser and menus into a new prefix.
		"WINEDLLOVERRIDES=mscoree,mshtml,winemenubuilder.exe=",
		"LIBGL_ALWAYS_SOFTWARE=1",
		"GALLIUM_DRIVER=llvmpipe",
		// Nearly all the time goes into compiling shaders for a few hundred pixels. Without optimization and
		// with narrow vectors this takes a quarter of the time, and the pictures are the same.
		"GALLIVM_PERF=nopt",
		"LP_NATIVE_VECTOR_WIDTH=128",
		"MESA_SHADER_CACHE_DIR="+filepath.Join(r.dir, "shaders"),
	)
	// In the foreground the server is a child that Close can wait for. With --persistent it keeps running
	// between two batches.
	r.server = exec.Command(r.tools.server, "--foreground", "--persistent")
	r.server.Env = r.env
	return r.server.Start()
}

// build compiles a program for Windows.
func (r *Runner) build(name string, source []byte, libraries ...string) (program string, err error) {
	file := filepath.Join(r.dir, name+".c")
	if err := os.WriteFile(file, source, 0o644); err != nil {
		return "", err
	}
	program = filepath.Join(r.dir, name+".exe")
	out, err := exec.Command(r.tools.compiler,
		append([]string{"-O1", "-o", program, file}, libraries...)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("wine: building %s.c: %w\n%s", name, err, out)
	}
	return program, nil
}

// startDisplay starts an X server. The server chooses a free display number, and writes it to the pipe when it
// accepts connections.
func (r *Runner) startDisplay() (number string, err error) {
	read, write, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer read.Close()
	cmd := exec.Command(r.tools.display, "-displayfd", "3", "-screen", "0", "640x480x24", "-nolisten", "tcp")
	cmd.ExtraFiles = []*os.File{write}
	err = cmd.Start()
	write.Close()
	if err != nil {
		return "", err
	}
	r.display = cmd
	line, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("wine: the virtual display did not start: %w", err)
	}
	return strings.TrimSpace(line), nil
}

// Close stops the processes that the runner started.
func (r *Runner) Close() {
	stopProcess(r.server)
	stopProcess(r.display)
}

// stopProcess interrupts a process, and kills it after ten seconds. After an interrupt, unlike SIGTERM, a Wine
// server also ends its services.
func stopProcess(cmd *exec.Cmd) {
	if cmd == nil || cmd.Process == nil {
		return
	}
	cmd.Process.Signal(os.Interrupt)
	force := time.AfterFunc(10*time.Second, func() { cmd.Process.Kill() })
	defer force.Stop()
	cmd.Wait()
}

// runProgram runs a program on a list of jobs with additional environment variables, stops it if it hangs, and
// returns its output. The output goes through a file, because services that Wine starts inherit it and would
// keep a pipe open.
func (r *Runner) runProgram(program, list string, jobs int, env ...string) (string, error) {
	out, err := os.Create(list + ".out")
	if err != nil {
		return "", err
	}
	defer out.Close()
	// The limit is a minute for the start and ten seconds per job.
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute+time.Duration(jobs)*10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, r.tools.wine, program, list)
	// Clip makes append copy r.env, which other runs share.
	cmd.Env = append(slices.Clip(r.env), env...)
	cmd.Dir = filepath.Dir(list)
	cmd.Stdout, cmd.Stderr = out, out
	runErr := cmd.Run()
	printed, err := os.ReadFile(out.Name())
	if err != nil {
		return "", err
	}
	if runErr != nil {
		return string(printed), fmt.Errorf("wine: %s: %w\n%s", filepath.Base(program), runErr, printed)
	}
	return string(printed), nil
}
