package main

import (
	"runtime/debug"
	"testing"
)

func TestStamp(t *testing.T) {
	const hash = "38b2dffb6d26a2a3c1f0a7c7cbb4b1f9d3c2e1f0"
	for _, c := range []struct {
		what                        string
		linkedVersion, linkedCommit string
		module, revision, modified  string
		none                        bool
		wantVersion, wantCommit     string
	}{
		{what: "make", linkedVersion: "v1", linkedCommit: "abc", module: "v2", revision: hash, wantVersion: "v1", wantCommit: "abc"},
		{what: "install of a tag", module: "v1.2.3", wantVersion: "v1.2.3", wantCommit: "unknown"},
		{what: "install of a commit", module: "v0.0.0-20261121224800-38b2dffb6d26", wantVersion: "v0.0.0-20261121224800-38b2dffb6d26", wantCommit: "38b2dffb6d26"},
		{what: "install of a commit behind a tag", module: "v1.2.4-0.20261121224800-38b2dffb6d26", wantVersion: "v1.2.4-0.20261121224800-38b2dffb6d26", wantCommit: "38b2dffb6d26"},
		{what: "build in a repository", module: "(devel)", revision: hash, modified: "true", wantVersion: "unknown", wantCommit: "38b2dffb6d26-dirty"},
		{what: "a clean one", module: "v0.0.0-20261121224800-38b2dffb6d26", revision: hash, modified: "false", wantVersion: "v0.0.0-20261121224800-38b2dffb6d26", wantCommit: "38b2dffb6d26"},
		{what: "test binary", module: "", wantVersion: "unknown", wantCommit: "unknown"},
		{what: "nothing known", none: true, wantVersion: "unknown", wantCommit: "unknown"},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: c.module}}
		if c.revision != "" {
			info.Settings = []debug.BuildSetting{{Key: "vcs.revision", Value: c.revision}, {Key: "vcs.modified", Value: c.modified}}
		}
		version, commit := stamp(c.linkedVersion, c.linkedCommit, func() (*debug.BuildInfo, bool) { return info, !c.none })
		if version != c.wantVersion || commit != c.wantCommit {
			t.Errorf("%s: %s, %s; want %s, %s", c.what, version, commit, c.wantVersion, c.wantCommit)
		}
	}
}
