package main

import (
	"regexp"
	"runtime/debug"
)

// Set by the linker; see the Makefile.
var linkedVersion, linkedCommit string

// The program's version and commit, as samples, records and reports carry them.
var version, commit = stamp(linkedVersion, linkedCommit, debug.ReadBuildInfo)

// unknown stands for what a build does not tell.
const unknown = "unknown"

// commitLength is how many digits of a commit are shown.
const commitLength = 12

// pseudoVersion matches the version of a module at a commit without a tag.
var pseudoVersion = regexp.MustCompile(`[-.][0-9]{14}-([0-9a-f]{12})(?:\+.*)?$`)

// stamp returns the version and commit of a build: what the linker was told,
// else what the go command wrote into it. `go install` of a module knows its
// version, `go build` in a repository its commit.
func stamp(version, commit string, read func() (*debug.BuildInfo, bool)) (string, string) {
	info, ok := read()
	if ok && version == "" && info.Main.Version != "(devel)" {
		version = info.Main.Version
	}
	if ok && commit == "" {
		commit = revision(info)
	}
	if version == "" {
		version = unknown
	}
	if commit == "" {
		commit = unknown
	}
	return version, commit
}

// revision returns the commit that the go command knows of, "" if none.
func revision(info *debug.BuildInfo) string {
	var found, dirty string
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			found = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "-dirty"
		}
	}
	if found != "" {
		return found[:min(len(found), commitLength)] + dirty
	}
	if m := pseudoVersion.FindStringSubmatch(info.Main.Version); m != nil {
		return m[1]
	}
	return ""
}
