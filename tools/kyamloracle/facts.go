package main

import (
	"bufio"
	"fmt"
	"io"
	"sort"
	"strings"

	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

const (
	gvkKey      = "x-kubernetes-group-version-kind"
	strategyKey = "x-kubernetes-patch-strategy"
	mergeKey    = "x-kubernetes-patch-merge-key"
	mapKeysKey  = "x-kubernetes-list-map-keys"
)

// facts writes what kyaml's built-in schema says about merging, one line per resource, then one per type, then one
// per definition:
//
//	apiVersion/Kind type scope      scope is n (namespaced), c (cluster) or - (not known)
//
//	o field=type field=type …       an object; * stands for any other field
//	a type strategy key,key         a list of a type; - where nothing is said
//
//	definition type                 the name of a definition that has fields or items
//
// Types are numbered from 0 in the order of their lines. Type 0 has neither fields nor items.
func facts(out io.Writer) error {
	// Any look-up loads the built-in documents.
	openapi.SchemaForResourceType(yaml.TypeMeta{APIVersion: "v1", Kind: "Pod"})
	schema := openapi.Schema()
	table := &table{
		definitions: schema.Definitions,
		named:       map[string]int{},
		known:       map[string]int{"o": 0},
		lines:       []string{"o"},
	}
	names := make([]string, 0, len(schema.Definitions))
	for name := range schema.Definitions {
		names = append(names, name)
	}
	sort.Strings(names)
	var resources []string
	for _, name := range names {
		definition := schema.Definitions[name]
		list, _ := definition.Extensions[gvkKey].([]interface{})
		for _, entry := range list {
			gvk, ok := entry.(map[string]interface{})
			if !ok {
				continue
			}
			version, _ := gvk["version"].(string)
			if group, _ := gvk["group"].(string); group != "" {
				version = group + "/" + version
			}
			kind, _ := gvk["kind"].(string)
			scope := "-"
			if namespaced, found := openapi.IsNamespaceScoped(yaml.TypeMeta{APIVersion: version, Kind: kind}); found {
				scope = "c"
				if namespaced {
					scope = "n"
				}
			}
			resources = append(resources, fmt.Sprintf("%s/%s %d %s", version, kind, table.definition(name), scope))
		}
	}
	sort.Strings(resources)
	var definitions []string
	for _, name := range names {
		if number := table.definition(name); number != 0 {
			definitions = append(definitions, fmt.Sprintf("%s %d", name, number))
		}
	}
	writer := bufio.NewWriter(out)
	fmt.Fprintln(writer, strings.Join(resources, "\n"))
	fmt.Fprintln(writer)
	fmt.Fprintln(writer, strings.Join(table.lines, "\n"))
	fmt.Fprintln(writer)
	fmt.Fprintln(writer, strings.Join(definitions, "\n"))
	return writer.Flush()
}

type table struct {
	definitions spec.Definitions
	named       map[string]int
	known       map[string]int
	lines       []string
}

// definition returns the number of a named type, which may contain itself.
func (t *table) definition(name string) int {
	if number, found := t.named[name]; found {
		return number
	}
	definition, found := t.definitions[name]
	if !found {
		return 0
	}
	if len(definition.Properties) == 0 && definition.AdditionalProperties == nil && definition.Items == nil {
		t.named[name] = 0
		return 0
	}
	number := len(t.lines)
	t.lines = append(t.lines, "")
	t.named[name] = number
	t.lines[number] = t.line(&definition)
	return number
}

func (t *table) number(schema *spec.Schema) int {
	if ref := schema.Ref.String(); ref != "" {
		return t.definition(strings.TrimPrefix(ref, "#/definitions/"))
	}
	line := t.line(schema)
	if number, found := t.known[line]; found {
		return number
	}
	number := len(t.lines)
	t.lines = append(t.lines, line)
	t.known[line] = number
	return number
}

func (t *table) line(schema *spec.Schema) string {
	if len(schema.Type) == 1 && schema.Type[0] == "array" {
		return t.list(schema)
	}
	line := "o"
	fields := make([]string, 0, len(schema.Properties))
	for field := range schema.Properties {
		fields = append(fields, field)
	}
	sort.Strings(fields)
	for _, field := range fields {
		property := schema.Properties[field]
		line += fmt.Sprintf(" %s=%d", field, t.number(&property))
	}
	if schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil {
		line += fmt.Sprintf(" *=%d", t.number(schema.AdditionalProperties.Schema))
	}
	return line
}

func (t *table) list(schema *spec.Schema) string {
	items := 0
	if schema.Items != nil && schema.Items.Schema != nil {
		items = t.number(schema.Items.Schema)
	}
	strategy, keys := "-", "-"
	if value, ok := schema.Extensions[strategyKey].(string); ok {
		strategy = value
		if list, ok := schema.Extensions[mapKeysKey].([]interface{}); ok {
			names := make([]string, len(list))
			for i := range list {
				names[i] = fmt.Sprint(list[i])
			}
			keys = strings.Join(names, ",")
		} else if key, ok := schema.Extensions[mergeKey].(string); ok {
			keys = key
		}
	}
	return fmt.Sprintf("a %d %s %s", items, strategy, keys)
}
