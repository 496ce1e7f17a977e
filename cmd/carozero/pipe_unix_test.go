//go:build unix

package main

import (
	"net"
	"strings"
	"syscall"
	"testing"
)

// A named pipe that nobody writes to and a socket are refused at once, by whatever opens a file
// of the user's.
func TestPipesAndSocketsAreRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := syscall.Mkfifo("pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", "socket") // a short name: the system bounds them
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, args := range []string{
		"bitbase PIPE", "solve --game onitama --bitbase PIPE", "search --game onitama --model uniform --bitbase PIPE",
		"search --model PIPE", "search --engine alphabeta --net PIPE", "search --board PIPE", "play --book PIPE",
		"match --a alphabeta:nodes=5 --b alphabeta:nodes=6 --openings PIPE", "tactics --suite PIPE",
		"match --a alphabeta:nodes=5 --b alphabeta:nodes=6 --journal PIPE", "certificate check PIPE", "samples verify PIPE",
		"samples unpack PIPE --out unpacked", "loop run learning --config PIPE", "show PIPE",
		"convert PIPE --to text --out -", "fit --input PIPE --out weights.go", "crosscheck --input PIPE",
		"serve --addr 127.0.0.1:0 PIPE", "book query PIPE",
	} {
		for _, kind := range []string{"pipe", "socket"} {
			status, _, message := run(t, strings.Fields(strings.ReplaceAll(args, "PIPE", kind))...)
			if status == 0 || !strings.Contains(message, kind) || strings.Contains(message, "\n") {
				t.Errorf("%s: status %d, %q", args, status, message)
			}
		}
	}
}
