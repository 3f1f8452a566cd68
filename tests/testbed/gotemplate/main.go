// gotemplate renders Go templates as the cluster network operator renders its manifests, and charts as helm does.
//
//	gotemplate VALUES.json PATH...         text/template: each file, and each file below a folder
//	gotemplate -chart VALUES.json FOLDER   the chart in FOLDER, with its dependencies and the values of their tags
//
// It prints one JSON object: the rendered text of each file by its path. A value that a template needs and VALUES.json
// lacks is an error, as in the operator.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
)

// version is that of helm.sh/helm/v3 in go.mod.
const version = "3.20.2"

func main() {
	if len(os.Args) == 2 && os.Args[1] == "-version" {
		fmt.Println(version)
		return
	}
	rendered, err := render(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	if err := out.Encode(rendered); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func render(args []string) (map[string]string, error) {
	chart := len(args) == 3 && args[0] == "-chart"
	if chart {
		args = args[1:]
	}
	if len(args) < 2 {
		return nil, errors.New("usage: gotemplate [-chart] VALUES.json PATH...")
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	if err := json.Unmarshal(text, &values); err != nil {
		return nil, fmt.Errorf("%s: %w", args[0], err)
	}
	if chart {
		return renderChart(args[1], values)
	}
	return renderFiles(args[1:], withIntegers(values).(map[string]any))
}

// withIntegers makes numbers without a fraction integers, as the operator's are: a template prints 1e+06 for a float.
func withIntegers(value any) any {
	switch each := value.(type) {
	case float64:
		if each == float64(int64(each)) {
			return int64(each)
		}
	case []any:
		for at := range each {
			each[at] = withIntegers(each[at])
		}
	case map[string]any:
		for key := range each {
			each[key] = withIntegers(each[key])
		}
	}
	return value
}

func renderFiles(paths []string, values map[string]any) (map[string]string, error) {
	rendered := map[string]string{}
	for _, path := range paths {
		err := filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			rendered[file], err = renderFile(file, values)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return rendered, nil
}

func renderFile(file string, values map[string]any) (string, error) {
	source, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	made := template.New(file).Option("missingkey=error").Funcs(sprig.TxtFuncMap()).Funcs(template.FuncMap{
		"getOr": func(object map[string]any, key, otherwise string) any {
			if value, ok := object[key]; ok && value != "" {
				return value
			}
			return otherwise
		},
		"isSet": func(object map[string]any, key string) any { _, ok := object[key]; return ok },
	})
	parsed, err := made.Parse(string(source))
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, values); err != nil {
		return "", err
	}
	return out.String(), nil
}

func renderChart(folder string, values map[string]any) (map[string]string, error) {
	loaded, err := loader.Load(folder)
	if err != nil {
		return nil, err
	}
	if err := chartutil.ProcessDependenciesWithMerge(loaded, values); err != nil {
		return nil, err
	}
	release := chartutil.ReleaseOptions{Name: "release", Namespace: "default", Revision: 1, IsInstall: true}
	full, err := chartutil.ToRenderValues(loaded, values, release, chartutil.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	rendered, err := engine.Render(loaded, full)
	if err != nil {
		return nil, err
	}
	for file := range rendered {
		if strings.HasSuffix(file, "NOTES.txt") || strings.HasPrefix(filepath.Base(file), "_") {
			delete(rendered, file)
		}
	}
	return rendered, nil
}
