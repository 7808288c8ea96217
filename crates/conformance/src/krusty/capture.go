// Package krusty, in a copy of the module: every Run of a test writes down what it got and what came of it.
package krusty

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

type captured struct {
	Name         string            `json:"name"`
	Path         string            `json:"path"`
	Base         string            `json:"base"`
	OnDisk       bool              `json:"on_disk"`
	Files        map[string][]byte `json:"files"`
	Links        map[string]string `json:"links"`
	Unrestricted bool              `json:"unrestricted"`
	Reorder      string            `json:"reorder"`
	ManagedBy    bool              `json:"managed_by"`
	Plugins      bool              `json:"plugins"`
	Helm         bool              `json:"helm"`
	Output       []byte            `json:"output"`
	Error        string            `json:"error"`
}

var (
	captureLock sync.Mutex
	captureSeen = map[string]int{}
)

// Run is what the tests call; the real one is renamed to run.
func (b *Kustomizer) Run(fSys filesys.FileSystem, path string) (resmap.ResMap, error) {
	c := captured{
		Path: path, Files: map[string][]byte{}, Links: map[string]string{},
		Unrestricted: b.options.LoadRestrictions == types.LoadRestrictionsNone,
		Reorder:      string(b.options.Reorder),
		ManagedBy:    b.options.AddManagedbyLabel,
		Plugins:      b.options.PluginConfig.PluginRestrictions != types.PluginRestrictionsBuiltinsOnly,
		Helm:         b.options.PluginConfig.HelmConfig.Enabled,
	}
	c.OnDisk = fmt.Sprintf("%T", fSys) == "filesys.fsOnDisk"
	c.Base = "/"
	if c.OnDisk {
		c.Base = captureBase(path)
		captureDisk(&c)
	} else {
		_ = fSys.Walk("/", func(p string, info os.FileInfo, err error) error {
			if err == nil && !info.IsDir() {
				if content, err := fSys.ReadFile(p); err == nil {
					c.Files[p] = content
				}
			}
			return nil
		})
	}
	c.Name = captureName()
	m, err := b.run(fSys, path)
	if err == nil {
		if yml, failed := m.AsYaml(); failed == nil {
			c.Output = yml
		} else {
			c.Error = failed.Error()
		}
	} else {
		c.Error = err.Error()
	}
	captureWrite(&c)
	return m, err
}

// captureBase is the folder below the temporary folder that holds path.
func captureBase(path string) string {
	tmp := filepath.Clean(os.TempDir())
	rel, err := filepath.Rel(tmp, path)
	if err != nil || strings.HasPrefix(rel, "..") || rel == "." {
		return path
	}
	return filepath.Join(tmp, strings.Split(rel, string(filepath.Separator))[0])
}

func captureDisk(c *captured) {
	_ = filepath.WalkDir(c.Base, func(p string, d fs.DirEntry, err error) error {
		if err != nil || len(c.Files) > 500 {
			return nil
		}
		if d.Type()&fs.ModeSymlink != 0 {
			if to, err := os.Readlink(p); err == nil {
				c.Links[p] = to
			}
			return nil
		}
		if d.Type().IsRegular() {
			if content, err := os.ReadFile(p); err == nil {
				c.Files[p] = content
			}
		}
		return nil
	})
}

// captureName is the file and function of the test that called, and a number.
func captureName() string {
	captureLock.Lock()
	defer captureLock.Unlock()
	name := "unknown"
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		frame, more := frames.Next()
		function := frame.Function[strings.LastIndex(frame.Function, "/")+1:]
		function = function[strings.Index(function, ".")+1:]
		if strings.HasSuffix(frame.File, "_test.go") && strings.HasPrefix(function, "Test") {
			name = strings.TrimSuffix(filepath.Base(frame.File), "_test.go") + "." + function
			break
		}
		if !more {
			break
		}
	}
	captureSeen[name]++
	return fmt.Sprintf("%s-%d", name, captureSeen[name])
}

func captureWrite(c *captured) {
	line, err := json.Marshal(c)
	if err != nil {
		panic(err)
	}
	captureLock.Lock()
	defer captureLock.Unlock()
	out, err := os.OpenFile(os.Getenv("KRUSTY_CASES"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	defer out.Close()
	if _, err := out.Write(append(line, '\n')); err != nil {
		panic(err)
	}
}
