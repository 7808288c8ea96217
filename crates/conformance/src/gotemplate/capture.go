// This file is put beside the sources of text/template while tests run, so that every Parse and Execute in them
// is written down: the texts, the data and what came of it, one JSON object per line.

package template

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"strconv"
	"sync"
	"text/template/parse"
)

type capturedText struct {
	Name  string `json:"name"`
	Text  string `json:"text"`
	Left  string `json:"left,omitempty"`
	Right string `json:"right,omitempty"`
}

type captured struct {
	Texts      []capturedText `json:"texts"`
	Name       string         `json:"name"`
	Executed   bool           `json:"executed"`
	Data       any            `json:"data"`
	MissingKey int            `json:"missingkey"`
	Output     []byte         `json:"output"`
	Error      string         `json:"error"`
	Foreign    bool           `json:"foreign"`
}

var (
	captureLock  sync.Mutex
	captureTexts = map[*common][]capturedText{}
	// Sets with trees that no text of theirs defined.
	captureForeign = map[*common]bool{}
)

func capture(line captured) {
	path := os.Getenv("TOWPATH_CASES")
	if path == "" {
		return
	}
	captureLock.Lock()
	defer captureLock.Unlock()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	text, err := json.Marshal(line)
	if err != nil {
		panic(err)
	}
	if _, err := file.Write(append(text, '\n')); err != nil {
		panic(err)
	}
}

// Parse is the real one, written down.
func (t *Template) Parse(text string) (*Template, error) {
	t.init()
	captureLock.Lock()
	texts := append([]capturedText{}, captureTexts[t.common]...)
	texts = append(texts, capturedText{t.name, text, t.leftDelim, t.rightDelim})
	captureTexts[t.common] = texts
	captureLock.Unlock()
	parsed, err := t.parseReal(text)
	if err != nil {
		capture(captured{Texts: texts, Name: t.name, Error: err.Error()})
	}
	return parsed, err
}

// Clone is the real one; what was parsed belongs to both.
func (t *Template) Clone() (*Template, error) {
	clone, err := t.cloneReal()
	if err == nil && t.common != nil {
		captureLock.Lock()
		captureTexts[clone.common] = append([]capturedText{}, captureTexts[t.common]...)
		captureForeign[clone.common] = captureForeign[t.common]
		captureLock.Unlock()
	}
	return clone, err
}

// AddParseTree is the real one; Parse does not come by here.
func (t *Template) AddParseTree(name string, tree *parse.Tree) (*Template, error) {
	t.init()
	captureLock.Lock()
	captureForeign[t.common] = true
	captureLock.Unlock()
	return t.addParseTreeReal(name, tree)
}

// Execute is the real one, written down.
func (t *Template) Execute(wr io.Writer, data any) error {
	var out bytes.Buffer
	// Before: templates may change maps.
	encoded := captureValue(reflect.ValueOf(data), 0)
	err := t.executeReal(io.MultiWriter(wr, &out), data)
	if t.common != nil {
		captureLock.Lock()
		line := captured{
			Texts: captureTexts[t.common], Name: t.name, Executed: true,
			Foreign: captureForeign[t.common] || t.common.tmpl[t.name] != t,
			Data:    encoded, MissingKey: int(t.option.missingKey), Output: out.Bytes(),
		}
		captureLock.Unlock()
		if err != nil {
			line.Error = err.Error()
		}
		capture(line)
	}
	return err
}

// TowpathValue is a value as the conformance run reads it.
func TowpathValue(value any) any {
	return captureValue(reflect.ValueOf(value), 0)
}

func typed(name string, value any) any {
	return map[string]any{"$": name, "v": value}
}

// captureValue is a value as the conformance run reads it: JSON, with {"$": type, "v": …} for what is not JSON.
func captureValue(value reflect.Value, depth int) any {
	if !value.IsValid() {
		return nil
	}
	name := value.Type().String()
	unknown := typed("go:"+name, nil)
	if depth > 20 {
		return unknown
	}
	// Of the struct that the package's tests define, the one value that most of them use.
	if name == "*template.T" && !value.IsNil() && value.Elem().FieldByName("I").Int() == 17 {
		return typed("subject", nil)
	}
	if value.Type().PkgPath() != "" {
		return unknown
	}
	switch value.Kind() {
	case reflect.Interface:
		return captureValue(value.Elem(), depth+1)
	case reflect.Bool:
		return value.Bool()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return typed(name, strconv.FormatInt(value.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return typed(name, strconv.FormatUint(value.Uint(), 10))
	case reflect.Float64:
		return typed(name, fmt.Sprint(value.Float()))
	case reflect.String:
		return typed(name, base64.StdEncoding.EncodeToString([]byte(value.String())))
	case reflect.Slice:
		if value.Type().Elem().Kind() == reflect.Uint8 && !value.IsNil() {
			return typed(name, base64.StdEncoding.EncodeToString(value.Bytes()))
		}
		if value.IsNil() {
			return typed(name, nil)
		}
		items := []any{}
		for i := range value.Len() {
			items = append(items, captureValue(value.Index(i), depth+1))
		}
		return typed(name, items)
	case reflect.Map:
		if value.Type().Key().Kind() != reflect.String {
			return unknown
		}
		if value.IsNil() {
			return typed(name, nil)
		}
		entries := map[string]any{}
		for _, key := range value.MapKeys() {
			entries[key.String()] = captureValue(value.MapIndex(key), depth+1)
		}
		return typed(name, entries)
	}
	return unknown
}
