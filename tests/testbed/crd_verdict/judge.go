package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	genericvalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"
	genericrequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/warning"
)

// A question is a definition to create, or to write over an old one.
type question struct {
	Old json.RawMessage `json:"old"`
	New json.RawMessage `json:"new"`
}

// An answer is what the strategy finds. Strict are the complaints of strict decoding, which is all that kubectl shows.
type answer struct {
	Error    string       `json:"error,omitempty"`
	Strict   []string     `json:"strict"`
	Errors   []fieldError `json:"errors"`
	Warnings []string     `json:"warnings"`
}

type fieldError struct {
	Type  string `json:"type"`
	Field string `json:"field"`
	Text  string `json:"text"`
}

var (
	scheme   = runtime.NewScheme()
	strict   = serializer.NewCodecFactory(scheme, serializer.EnableStrict)
	stored   = serializer.NewCodecFactory(scheme)
	strategy = customresourcedefinition.NewStrategy(scheme)
)

func init() { install.Install(scheme) }

func judge(asked *question) (*answer, error) {
	made := &answer{Strict: []string{}, Errors: []fieldError{}, Warnings: []string{}}
	ctx := warning.WithWarningRecorder(genericrequest.WithNamespace(context.Background(), ""), made)
	crd, err := decode(strict, asked.New)
	if complaints, ok := runtime.AsStrictDecodingError(err); ok && crd != nil {
		for _, complaint := range complaints.Errors() {
			made.Strict = append(made.Strict, complaint.Error())
		}
	} else if err != nil {
		return nil, fmt.Errorf("new: %w", err)
	}
	var errs field.ErrorList
	if len(asked.Old) == 0 || string(asked.Old) == "null" {
		rest.WipeObjectMetaSystemFields(crd)
		rest.FillObjectMetaSystemFields(crd)
		_ = rest.BeforeCreate(created{strategy, &errs}, ctx, crd)
	} else {
		old, err := decode(stored, asked.Old)
		if err != nil {
			return nil, fmt.Errorf("old: %w", err)
		}
		if !hasStatus(asked.Old) {
			establish(ctx, old)
		}
		if err := address(crd, old); err != nil {
			return nil, err
		}
		_ = rest.BeforeUpdate(updated{strategy, &errs}, ctx, crd, old)
	}
	for _, e := range errs {
		made.Errors = append(made.Errors, fieldError{string(e.Type), e.Field, e.Error()})
	}
	return made, nil
}

// AddWarning keeps each text once, as the server does.
func (a *answer) AddWarning(_, text string) {
	for _, one := range a.Warnings {
		if one == text {
			return
		}
	}
	a.Warnings = append(a.Warnings, text)
}

func decode(codecs serializer.CodecFactory, raw []byte) (*apiextensions.CustomResourceDefinition, error) {
	obj, _, err := codecs.UniversalDecoder(apiextensions.SchemeGroupVersion).Decode(raw, nil, nil)
	crd, ok := obj.(*apiextensions.CustomResourceDefinition)
	if !ok && err == nil {
		err = errors.New("not a CustomResourceDefinition")
	}
	return crd, err
}

// hasStatus says whether a server has completed a definition: decoding fills stored versions in.
func hasStatus(raw []byte) bool {
	var head struct {
		Status struct{ StoredVersions []string }
	}
	return json.Unmarshal(raw, &head) == nil && len(head.Status.StoredVersions) > 0
}

// establish gives a definition the status that it has a moment after its creation.
func establish(ctx context.Context, crd *apiextensions.CustomResourceDefinition) {
	strategy.PrepareForCreate(ctx, crd)
	established := apiextensions.CustomResourceDefinitionCondition{
		Type: apiextensions.Established, Status: apiextensions.ConditionTrue,
	}
	apiextensions.SetCRDCondition(crd, established)
}

// address takes the new definition to come from a client that has read the old one.
func address(crd, old *apiextensions.CustomResourceDefinition) error {
	old.Namespace = ""
	old.Name = first(old.Name, crd.Name, "unnamed")
	old.ResourceVersion = first(old.ResourceVersion, crd.ResourceVersion, "1")
	crd.Name = first(crd.Name, old.Name)
	crd.ResourceVersion = first(crd.ResourceVersion, old.ResourceVersion)
	if crd.Name != old.Name || crd.ResourceVersion != old.ResourceVersion {
		return errors.New("an update of another object")
	}
	return rest.EnsureObjectNamespaceMatchesRequestNamespace("", crd)
}

func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// The observed strategies keep the errors as they are; the server passes on their texts only.
type created struct {
	rest.RESTCreateStrategy
	errs *field.ErrorList
}

func (c created) Validate(ctx context.Context, obj runtime.Object) field.ErrorList {
	*c.errs = c.RESTCreateStrategy.Validate(ctx, obj)
	return *c.errs
}

type updated struct {
	rest.RESTUpdateStrategy
	errs *field.ErrorList
}

// ValidateUpdate adds what rest.BeforeUpdate found in the metadata before.
func (u updated) ValidateUpdate(ctx context.Context, obj, old runtime.Object) field.ErrorList {
	found := u.RESTUpdateStrategy.ValidateUpdate(ctx, obj, old)
	at := field.NewPath("metadata")
	meta, oldMeta := obj.(metav1.Object), old.(metav1.Object)
	all := genericvalidation.ValidateObjectMetaAccessor(meta, false, path.ValidatePathSegmentName, at)
	all = append(all, genericvalidation.ValidateObjectMetaAccessorUpdate(meta, oldMeta, at)...)
	*u.errs = append(all, found...)
	return found
}
