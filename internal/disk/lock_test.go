package disk

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Set for the processes that the tests start: what they do, and where.
const (
	childTask = "CAROZERO_LOCK_TEST_TASK"
	childPath = "CAROZERO_LOCK_TEST_PATH"
)

func TestMain(m *testing.M) {
	switch path := os.Getenv(childPath); os.Getenv(childTask) {
	case "hold":
		os.Exit(hold(path))
	case "count":
		os.Exit(count(path))
	case "write":
		os.Exit(writeRows(path))
	}
	os.Exit(m.Run())
}

// hold takes the lock, says so, and keeps it until standard input ends.
func hold(path string) int {
	l, err := LockFile(path)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("held")
	io.Copy(io.Discard, os.Stdin)
	l.Close()
	return 0
}

// rounds is how often each process of TestProcessesTakeTurns counts.
const rounds = 40

// count adds to the number in the file at path, under its lock.
func count(path string) int {
	for done := 0; done < rounds; {
		l, err := LockFile(path)
		if errors.Is(err, ErrHeld) {
			continue
		}
		if err != nil {
			fmt.Println(err)
			return 1
		}
		text, err := os.ReadFile(path)
		n, convErr := strconv.Atoi(string(text))
		err = errors.Join(err, convErr, os.WriteFile(path, []byte(strconv.Itoa(n+1)), 0o666), l.Close())
		if err != nil {
			fmt.Println(err)
			return 1
		}
		done++
	}
	return 0
}

// child returns this program, made to do a task.
func child(t *testing.T, task, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childTask+"="+task, childPath+"="+path)
	cmd.Stderr = os.Stderr
	return cmd
}

// holding starts a process that holds the lock of path.
func holding(t *testing.T, path string) *exec.Cmd {
	t.Helper()
	cmd := child(t, "hold", path)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("the other process says %q", line)
	}
	return cmd
}

// Death releases the lock; until then the second process learns who has it.
func TestDeathReleases(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	cmd := holding(t, path)
	_, err := LockFile(path)
	if want := fmt.Sprintf("%s is in use by process %d on ", path, cmd.Process.Pid); !errors.Is(err, ErrHeld) ||
		!strings.HasPrefix(err.Error(), want) ||
		!strings.Contains(err.Error(), os.Args[0]) || !strings.Contains(err.Error(), " since 20") ||
		strings.Contains(err.Error(), "\n") {
		t.Fatalf("error %v, want %q", err, want)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	l, err := LockFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if names, err := os.ReadDir(filepath.Dir(path)); err != nil || len(names) != 0 {
		t.Errorf("%v is left (%v)", names, err)
	}
}

// Processes that take, remove and make the lock's file all the time never have
// the lock together: no addition is lost.
func TestProcessesTakeTurns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "number")
	if err := os.WriteFile(path, []byte("0"), 0o666); err != nil {
		t.Fatal(err)
	}
	const processes = 4
	var all []*exec.Cmd
	for range processes {
		cmd := child(t, "count", path)
		cmd.Stdout = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, cmd)
	}
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != strconv.Itoa(processes*rounds) {
		t.Errorf("counted %s (%v), want %d", text, err, processes*rounds)
	}
}

// A directory or a file has one lock under all of its names.
func TestNamesOfOneThing(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	if err := os.Mkdir(real, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(real, "file")
	if err := errors.Join(os.WriteFile(file, nil, 0o666), os.Symlink(file, filepath.Join(dir, "other"))); err != nil {
		t.Fatal(err)
	}
	for _, names := range [][2]string{{file, filepath.Join(link, "file")}, {file, filepath.Join(dir, "other")},
		{filepath.Join(real, "new"), filepath.Join(link, "new")}} {
		l, err := LockFile(names[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := LockFile(names[1]); !errors.Is(err, ErrHeld) {
			t.Errorf("%s and %s: %v", names[0], names[1], err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	l, err := LockDir(link)
	if err != nil {
		t.Fatal(err)
	}
	if h, held := DirHolder(real); !held || !strings.HasPrefix(h, fmt.Sprintf("process %d on ", os.Getpid())) {
		t.Errorf("the holder is %v (%t)", h, held)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if h, held := DirHolder(real); held {
		t.Errorf("%v holds a lock that was released", h)
	}
}

// What a process left when it was killed is no obstacle.
func TestLeftLocks(t *testing.T) {
	for _, text := range []string{`{"format":"carozero-lock","version":1,"pid":1}` + "\n", "", "\x00\x00\x00"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, dirFile), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if l, err := LockDir(dir); err != nil || l.Close() != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A file that another program has named like a lock is not taken.
func TestForeignLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "poetry")
	for text, free := range map[string]bool{"[[package]]\n": false, "": true, "\x00\x00": true,
		`{"format":"carozero-lock","version":1}`: true, "process 1 on host (carozero) since then\n": true} {
		if err := os.WriteFile(path+".lock", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		l, err := LockFile(path)
		if (err == nil) != free {
			t.Errorf("%q: %v", text, err)
		}
		if err == nil {
			l.Close()
		} else if left, _ := os.ReadFile(path + ".lock"); string(left) != text {
			t.Errorf("%q became %q", text, left)
		}
	}
}
