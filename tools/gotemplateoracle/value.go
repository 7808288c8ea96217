package main

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
)

// decode turns JSON into Go values: {"$": type, "v": …} becomes a value of that type, everything else what
// encoding/json makes of it.
func decode(from any) (any, error) {
	switch from := from.(type) {
	case []any:
		items := make([]any, len(from))
		for index, item := range from {
			value, err := decode(item)
			if err != nil {
				return nil, err
			}
			items[index] = value
		}
		return items, nil
	case map[string]any:
		if typed, ok := from["$"].(string); ok {
			return decodeTyped(typed, from["v"])
		}
		entries := make(map[string]any, len(from))
		for key, item := range from {
			value, err := decode(item)
			if err != nil {
				return nil, err
			}
			entries[key] = value
		}
		return entries, nil
	default:
		return from, nil
	}
}

func decodeTyped(typed string, from any) (any, error) {
	switch typed {
	case "[]string":
		return list[string](from)
	case "[]int":
		return list[int](from)
	case "[]bool":
		return list[bool](from)
	case "[]float64":
		return list[float64](from)
	case "[]map[string]interface {}":
		return list[map[string]any](from)
	case "map[string]string":
		return entries[string](from)
	case "map[string]int":
		return entries[int](from)
	case "map[string][]interface {}":
		return entries[[]any](from)
	case "map[string]interface {}":
		if from == nil {
			return map[string]any(nil), nil
		}
		return entries[any](from)
	case "string", "[]uint8":
		bytes, err := base64.StdEncoding.DecodeString(from.(string))
		if typed == "string" {
			return string(bytes), err
		}
		// Without room behind it, which templates could see.
		return slices.Clip(bytes), err
	default:
		return number(typed, from.(string))
	}
}

func number(typed, text string) (any, error) {
	if typed == "float64" {
		return strconv.ParseFloat(text, 64)
	}
	signed, err := strconv.ParseInt(text, 10, 64)
	unsigned, wrong := strconv.ParseUint(text, 10, 64)
	switch typed {
	case "int":
		return int(signed), err
	case "int8":
		return int8(signed), err
	case "int16":
		return int16(signed), err
	case "int32":
		return int32(signed), err
	case "int64":
		return signed, err
	case "uint":
		return uint(unsigned), wrong
	case "uint8":
		return uint8(unsigned), wrong
	case "uint16":
		return uint16(unsigned), wrong
	case "uint32":
		return uint32(unsigned), wrong
	case "uint64":
		return unsigned, wrong
	}
	return nil, fmt.Errorf("no such type: %s", typed)
}

func list[T any](from any) ([]T, error) {
	if from == nil {
		return nil, nil
	}
	items := []T{}
	for _, item := range from.([]any) {
		value, err := decode(item)
		if err != nil {
			return nil, err
		}
		typed, _ := value.(T)
		items = append(items, typed)
	}
	return items, nil
}

func entries[T any](from any) (map[string]T, error) {
	items := map[string]T{}
	for key, item := range from.(map[string]any) {
		value, err := decode(item)
		if err != nil {
			return nil, err
		}
		typed, _ := value.(T)
		items[key] = typed
	}
	return items, nil
}
