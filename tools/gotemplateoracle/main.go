// Command gotemplateoracle answers what Go's text/template, with or without Sprig's functions, makes of a
// template, so that Towpath's can be compared with it.
//
// One JSON request per line, one JSON answer per line; see request and answer. Data is JSON in which an object
// {"$": type, "v": …} is a value of that Go type (see value.go).
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"text/template"

	"github.com/Masterminds/sprig/v3"
)

type request struct {
	// The name of the main template; it is parsed last and executed.
	Name string `json:"name"`
	Text string `json:"text"`
	// More templates, parsed before the main one.
	More []named `json:"more,omitempty"`
	Data any     `json:"data"`
	// "default", "zero" or "error"; empty for none.
	MissingKey string `json:"missingkey,omitempty"`
	Left       string `json:"left,omitempty"`
	Right      string `json:"right,omitempty"`
	Sprig      bool   `json:"sprig,omitempty"`
}

type named struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

type answer struct {
	Text  []byte `json:"text,omitempty"`
	Error string `json:"error,omitempty"`
	Panic string `json:"panic,omitempty"`
}

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "gotemplateoracle:", err)
		os.Exit(1)
	}
}

func serve(in io.Reader, out io.Writer) error {
	requests := json.NewDecoder(bufio.NewReaderSize(in, 1<<20))
	writer := bufio.NewWriter(out)
	answers := json.NewEncoder(writer)
	for {
		var asked request
		if err := requests.Decode(&asked); errors.Is(err, io.EOF) {
			return writer.Flush()
		} else if err != nil {
			return err
		}
		if err := answers.Encode(reply(asked)); err != nil {
			return err
		}
	}
}

func reply(asked request) (given answer) {
	defer func() {
		if cause := recover(); cause != nil {
			given = answer{Panic: fmt.Sprint(cause)}
		}
	}()
	data, err := decode(asked.Data)
	if err != nil {
		return answer{Panic: err.Error()}
	}
	root := template.New(asked.Name).Delims(asked.Left, asked.Right)
	if asked.Sprig {
		root.Funcs(sprig.TxtFuncMap())
	}
	if asked.MissingKey != "" {
		root.Option("missingkey=" + asked.MissingKey)
	}
	for _, more := range asked.More {
		if _, err := root.New(more.Name).Parse(more.Text); err != nil {
			return answer{Error: err.Error()}
		}
	}
	if _, err := root.Parse(asked.Text); err != nil {
		return answer{Error: err.Error()}
	}
	var text bytes.Buffer
	if err := root.Execute(&text, data); err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Text: text.Bytes()}
}
