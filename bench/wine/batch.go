package wine

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Job is one draw: two programs as bytecode, a case in the text format of package
// interp, and the number of render targets. Direct3D 9 has pixel centres at whole
// numbers, so the case must say "offset 0.5 0.5".
type Job struct {
	Vertex, Pixel, Case []byte
	Targets             int
}

// Result holds the pixels of a job, or the error that prevented them. Pixels has the render targets in order,
// four floats per pixel, top row first.
type Result struct {
	Pixels []float32
	Err    error
}

// startAttempts limits the starts of the drawing program for one batch. A start is repeated if the program ends
// before the first job: on a busy machine, Wine once exited with status 1 and no message, and its next runs
// worked. After a permanent fault, such as a missing device, every attempt fails.
const startAttempts = 3

// DrawJobs draws jobs and returns a result for each. Equal jobs are drawn once. All run in one process, because
// starting a process under Wine takes far longer than a draw. An error concerns the whole batch.
func (r *Runner) DrawJobs(jobs []Job) ([]Result, error) {
	var list []Job
	place, at := make([]int, len(jobs)), map[string]int{}
	for i, job := range jobs {
		key := fmt.Sprintf("%q", job)
		if _, ok := at[key]; !ok {
			at[key] = len(list)
			list = append(list, job)
		}
		place[i] = at[key]
	}
	drawn, err := r.drawBatch(list)
	if drawn == nil {
		return nil, err
	}
	results := make([]Result, len(jobs))
	for i := range results {
		results[i] = drawn[place[i]]
	}
	return results, err
}

// drawBatch draws jobs that differ. It writes their programs and cases to files, and a list with a line for
// each job: the names of the vertex program, the pixel program and the case, the number of targets, and the
// name of the pixel file.
func (r *Runner) drawBatch(jobs []Job) ([]Result, error) {
	dir, err := os.MkdirTemp(r.dir, "batch")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)

	var list strings.Builder
	for i, job := range jobs {
		for _, part := range []struct {
			suffix string
			data   []byte
		}{{"vs", job.Vertex}, {"ps", job.Pixel}, {"case", job.Case}} {
			name := fmt.Sprintf("%d.%s", i, part.suffix)
			if err := os.WriteFile(filepath.Join(dir, name), part.data, 0o644); err != nil {
				return nil, err
			}
			list.WriteString(name + " ")
		}
		fmt.Fprintf(&list, "%d %d.out\n", max(job.Targets, 1), i)
	}
	listName := filepath.Join(dir, "list")
	if err := os.WriteFile(listName, []byte(list.String()), 0o644); err != nil {
		return nil, err
	}

	results := make([]Result, len(jobs))
	for i := range results {
		results[i].Err = errors.New("wine: the drawing program ended before this job")
	}
	var printed string
	for range startAttempts {
		// fixme+d3d_shader makes Wine report programs that it cannot translate; see complaints.
		printed, err = r.runProgram(r.program, listName, len(jobs), "WINEDEBUG=-all,fixme+d3d_shader")
		n := readStatus(printed, results)
		if n == len(jobs) {
			err = nil // Mesa's threads can crash at exit, after the last draw
		}
		if n > 0 || err == nil {
			break
		}
	}
	for i := range results {
		if results[i].Err == nil {
			results[i].Pixels, results[i].Err = readFloats(filepath.Join(dir, fmt.Sprintf("%d.out", i)))
		}
	}
	return results, err
}

// complaints lists parts of Wine's messages about programs that it cannot translate. Wine then draws with the
// rest of the program, or with the programs of an earlier draw.
var complaints = []string{"Backend can't handle opcode", "Predicates not implemented", "link status invalid"}

// readStatus stores the error of each job that has a status in printed, and returns their number. Wine prints
// its complaints about a job before the status of the job.
func readStatus(printed string, results []Result) (n int) {
	var complaint error
	for line := range strings.Lines(printed) {
		for _, c := range complaints {
			if at := strings.Index(line, c); at >= 0 && complaint == nil {
				complaint = fmt.Errorf("wine: a program is not translated: %s", strings.TrimSpace(line[at:]))
			}
		}
		if i, err, ok := parseStatus(line); ok && i < len(results) {
			results[i].Err = cmp.Or(err, complaint)
			complaint = nil
			n++
		}
	}
	return n
}

// parseStatus reads "ok N" or "failed N: reason".
func parseStatus(line string) (job int, err error, ok bool) {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	number, reason, _ := strings.Cut(rest, ": ")
	job, bad := strconv.Atoi(number)
	switch {
	case bad != nil || job < 0:
		return 0, nil, false
	case word == "ok":
		return job, nil, true
	case word == "failed":
		return job, errors.New("wine: " + reason), true
	}
	return 0, nil, false
}

// readFloats reads the little-endian float32 values that a job has drawn.
func readFloats(name string) ([]float32, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	floats := make([]float32, len(data)/4)
	for i := range floats {
		floats[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return floats, nil
}
