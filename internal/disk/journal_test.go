package disk

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

type header struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Seed    uint64 `json:"seed"`
}

type row struct {
	Format  string    `json:"format"`
	Version int       `json:"version"`
	Number  int       `json:"number"`
	Text    string    `json:"text"`
	Values  []float64 `json:"values"`
	Some    *inner    `json:"some,omitempty"`
}

type inner struct {
	Zero int `json:"zero"`
}

// kind returns a kind of journals with a header or without one.
func kind(headed bool) JournalKind {
	k := JournalKind{Name: "the journal of a test", Rows: "numbers", Format: "test", Version: 3, MaxLine: 400}
	if headed {
		k.Header = header{"test", 3, 7}
	}
	return k
}

// drawRows draws rows of any content that JSON can have, invalid text included.
func drawRows(t *rapid.T) []row {
	rows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) row {
		r := row{Format: "test", Version: 3, Values: rapid.SliceOfN(rapid.Float64(), 0, 3).Draw(t, "values")}
		r.Number = rapid.IntRange(-3, 300).Draw(t, "number")
		r.Text = rapid.OneOf(rapid.StringN(0, 9, 20),
			rapid.SampledFrom([]string{"<&>\u2028", `\ufffd`, "\xff\xfe", "\x00\"\n"})).Draw(t, "text")
		if rapid.Bool().Draw(t, "some") {
			r.Some = &inner{rapid.IntRange(0, 2).Draw(t, "zero")}
		}
		return r
	}), 1, 4).Draw(t, "rows")
	for i := range rows {
		rows[i].Values = append([]float64{}, rows[i].Values...)
	}
	return rows
}

// content returns the bytes of a journal with these rows.
func content(tb fataler, k JournalKind, path string, rows []row) []byte {
	_ = os.Remove(path)
	j, err := k.Open(path, false)
	for i := range rows {
		err = errors.Join(err, j.Append(&rows[i]))
	}
	data, readErr := os.ReadFile(path)
	if err = errors.Join(err, readErr, j.Close()); err != nil {
		tb.Fatal(err)
	}
	return data
}

type fataler interface{ Fatal(args ...any) }

// readAll returns the rows of a journal, and the open journal.
func readAll(k JournalKind, path string) (rows []row, j *Journal, err error) {
	if j, err = k.Open(path, true); err != nil {
		return nil, nil, err
	}
	for err == nil {
		var r row
		var there bool
		if there, err = j.Next(&r); !there {
			break
		}
		rows = append(rows, r)
	}
	if err != nil {
		j.Close()
		return nil, nil, err
	}
	return rows, j, nil
}

// changed writes a changed journal and reads it: it is read, or refused in one line, and
// stays as it is. It returns the rows, and whether the journal was refused.
func changed(tb testing.TB, k JournalKind, path string, data []byte) ([]row, bool) {
	tb.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		tb.Fatal(err)
	}
	rows, j, err := readAll(k, path)
	if after, readErr := os.ReadFile(path); readErr != nil || !bytes.Equal(after, data) {
		tb.Fatalf("reading changed\n%q to\n%q (%v)", data, after, readErr)
	}
	if err == nil {
		return rows, j.Close() != nil
	}
	if !errors.Is(err, ErrRefused) || strings.ContainsFunc(err.Error(), func(r rune) bool { return !unicode.IsPrint(r) }) {
		tb.Fatalf("%q: error %q", data, err)
	}
	return nil, true
}

// Cut at any byte, a journal is refused within its first line, and has the rows of its
// whole lines otherwise; what is appended gives the same bytes again. With a bit turned
// over it is read or refused in one line.
func TestCutAnywhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	rapid.Check(t, func(rt *rapid.T) {
		k := kind(rapid.Bool().Draw(rt, "header"))
		rows := drawRows(rt)
		data := content(rt, k, path, rows)
		want, _ := changed(t, k, path, data)
		spoilt := bytes.Clone(data)
		spoilt[rapid.IntRange(0, len(data)-1).Draw(rt, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(rt, "bit")
		changed(t, k, path, spoilt)
		cut := rapid.IntRange(1, len(data)).Draw(rt, "cut")
		got, refused := changed(t, k, path, data[:cut])
		lines := bytes.Count(data[:cut], []byte("\n"))
		known := k.Header == nil && cut >= len(`{"format":"test","version":3,`)
		if k.Header != nil {
			lines--
			known = lines >= 0
		}
		if refused == known {
			rt.Fatalf("%q: refused %t", data[:cut], refused)
		}
		if refused {
			return
		}
		if len(got) != lines || lines > 0 && !reflect.DeepEqual(got, want[:lines]) {
			rt.Fatalf("%q is read as %v", data[:cut], got)
		}
		_, j, err := readAll(k, path)
		for i := range rows[lines:] {
			err = errors.Join(err, j.Append(&rows[lines+i]))
		}
		after, readErr := os.ReadFile(path)
		if err = errors.Join(err, readErr, j.Close()); err != nil || !bytes.Equal(after, data) {
			rt.Fatalf("cut at %d it went on to\n%q (%v), want\n%q", cut, after, err, data)
		}
	})
}

// Files of others are refused in one line and stay as they are; no file and an empty one
// become a journal, through a symbolic link too.
func TestWhoseFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "j")
	for _, headed := range []bool{false, true} {
		k := kind(headed)
		for text, want := range map[string]string{
			"my thesis\nchapter 1\n":               "is not the journal of a test",
			`{"format":"other"}` + "\n":            "is not the journal of a test",
			strings.Repeat("\x00", 5000):           "is not the journal of a test",
			`{"format":"test","version":2}` + "\n": "the journal of a test of version 2, want 3",
		} {
			for _, resume := range []bool{false, true} {
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
				_, err := k.Open(path, resume)
				checked := k.Check(path, resume)
				after, readErr := os.ReadFile(path)
				if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") ||
					checked == nil || checked.Error() != err.Error() || readErr != nil || string(after) != text {
					t.Errorf("%q: %v, checked %v, want %q", text, err, checked, want)
				}
			}
		}
		data := content(t, k, path, []row{{Format: "test", Version: 3}})
		if _, err := k.Open(path, false); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(),
			"holds numbers already; resume it") {
			t.Errorf("begun anew over rows: %v", err)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, data) {
			t.Errorf("%q (%v)", after, err)
		}
		for _, bad := range []string{dir, os.DevNull, filepath.Join(dir, "none", "j")} {
			if _, err := k.Open(bad, true); err == nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %v", bad, err)
			}
		}
		link := filepath.Join(dir, fmt.Sprint("link", headed))
		real := filepath.Join(dir, fmt.Sprint("real", headed))
		if err := errors.Join(os.WriteFile(real, nil, 0o644), os.Symlink(real, link)); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(k.Check(link, false), k.Check(filepath.Join(dir, "new"), false)); err != nil {
			t.Error(err)
		}
		j, err := k.Open(link, false)
		if err != nil {
			t.Fatal(err)
		}
		j.Close()
		text, err := os.ReadFile(real)
		if info, statErr := os.Lstat(link); err != nil || statErr != nil || info.Mode()&os.ModeSymlink == 0 ||
			headed != (len(text) > 0) {
			t.Errorf("%q (%v), link %v", text, err, statErr)
		}
	}
	if names, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(names) != 5 {
		t.Errorf("left: %v", names)
	}
	if j, err := kind(true).Open("", false); err != nil || j.Append(row{}) != nil || j.Close() != nil {
		t.Errorf("without a file: %v", err)
	}
}

// What is dropped is overwritten by the next row, and a row that does not fit a line is
// not written.
func TestDropAfter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	k := kind(false)
	var rows []row
	for i := range 4 {
		rows = append(rows, row{Format: "test", Version: 3, Number: i, Text: strings.Repeat("x", 9*i), Values: []float64{}})
	}
	content(t, k, path, rows)
	j, err := k.Open(path, true)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	var r row
	if _, err := j.Next(&r); err != nil {
		t.Fatal(err)
	}
	end := j.End()
	for there := true; there; {
		if there, err = j.Next(&row{}); err != nil {
			t.Fatal(err)
		}
	}
	j.DropAfter(end)
	if err := j.Append(row{Text: strings.Repeat("x", 400)}); err == nil ||
		!strings.Contains(err.Error(), "want fewer than 400") {
		t.Errorf("a long row: %v", err)
	}
	if err := j.Append(rows[3]); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(path)
	if want := content(t, k, path+"2", []row{rows[0], rows[3]}); err != nil || !bytes.Equal(after, want) {
		t.Errorf("%q (%v), want %q", after, err, want)
	}
}

// writeRows adds numbers to a journal and says each, until the process is killed.
func writeRows(path string) int {
	rows, j, err := readAll(kind(true), path)
	for n := len(rows); err == nil; n++ {
		if err = j.Append(row{Format: "test", Version: 3, Number: n, Values: []float64{}}); err == nil {
			fmt.Println(n)
		}
	}
	fmt.Println(err)
	return 1
}

// A second process is refused while the first one writes; one that is killed leaves every
// row that it has told of, and another one goes on.
func TestKilledProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	told := 0
	for range 3 {
		cmd := child(t, "write", path)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReader(out)
		for range 20 {
			if line, err := in.ReadString('\n'); err != nil || line != fmt.Sprintln(told) {
				t.Fatalf("the process says %q (%v), want %d", line, err, told)
			}
			told++
		}
		if _, err := kind(true).Open(path, true); !errors.Is(err, ErrHeld) ||
			!strings.Contains(err.Error(), fmt.Sprint("process ", cmd.Process.Pid)) {
			t.Errorf("beside another process: %v", err)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		rows, j, err := readAll(kind(true), path)
		if err != nil || len(rows) < told {
			t.Fatalf("%d rows, want %d or more: %v", len(rows), told, err)
		}
		for i, r := range rows {
			if r.Number != i {
				t.Errorf("row %d is %d", i, r.Number)
			}
		}
		told = len(rows)
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}
}
