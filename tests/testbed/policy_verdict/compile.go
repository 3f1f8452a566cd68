package main

import (
	"context"
	"fmt"
	"sync"

	requestv1 "k8s.io/api/admission/v1"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/cel/environment"
)

var (
	base     = environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
	plain    = sync.OnceValue(func() cel.Compiler { return cel.NewCompiler(base) })
	composed = sync.OnceValue(func() *cel.CompositedCompiler {
		made, err := cel.NewCompositedCompiler(base)
		if err != nil {
			panic(err)
		}
		return made
	})
)

// account adds up what all expressions of a question cost.
type account struct {
	units     int64
	exhausted bool
}

// metered passes everything on and keeps the account.
type metered struct {
	cel.ConditionEvaluator
	account *account
}

func (m metered) ForInput(
	ctx context.Context, attributes *admission.VersionedAttributes, request *requestv1.AdmissionRequest,
	bindings cel.OptionalVariableBindings, namespace *corev1.Namespace, budget int64,
) ([]cel.EvaluationResult, int64, error) {
	results, left, err := m.ConditionEvaluator.ForInput(ctx, attributes, request, bindings, namespace, budget)
	if left < 0 {
		m.account.exhausted = true
	} else {
		m.account.units += budget - left
	}
	return results, left, err
}

type expressions struct{ conditions, validations, annotations, messages []cel.ExpressionAccessor }

func expressionsOf(policy *admissionv1.ValidatingAdmissionPolicy) (all expressions) {
	for index := range policy.Spec.MatchConditions {
		all.conditions = append(all.conditions, (*matchconditions.MatchCondition)(&policy.Spec.MatchConditions[index]))
	}
	for _, each := range policy.Spec.Validations {
		condition := validating.ValidationCondition{Expression: each.Expression, Message: each.Message, Reason: each.Reason}
		all.validations = append(all.validations, &condition)
		var message cel.ExpressionAccessor
		if each.MessageExpression != "" {
			message = &validating.MessageExpressionCondition{MessageExpression: each.MessageExpression}
		}
		all.messages = append(all.messages, message)
	}
	for _, each := range policy.Spec.AuditAnnotations {
		condition := validating.AuditAnnotationCondition{Key: each.Key, ValueExpression: each.ValueExpression}
		all.annotations = append(all.annotations, &condition)
	}
	return all
}

// newCompiler knows no variable. It is the one of the policy before, emptied: to make one takes long.
func newCompiler() *cel.CompositedCompiler {
	made := composed()
	clear(made.CompositionEnv.MapType.Fields)
	made.CompositionEnv.CompiledVariables = map[string]cel.CompilationResult{}
	return made
}

func declarations(policy *admissionv1.ValidatingAdmissionPolicy, authorizer bool) cel.OptionalVariableDeclarations {
	return cel.OptionalVariableDeclarations{HasParams: policy.Spec.ParamKind != nil, HasAuthorizer: authorizer}
}

func compile(policy *admissionv1.ValidatingAdmissionPolicy, spent *account) validating.Validator {
	compiler, all := newCompiler(), expressionsOf(policy)
	with, without := declarations(policy, true), declarations(policy, false)
	for _, each := range policy.Spec.Variables {
		variable := &validating.Variable{Name: each.Name, Expression: each.Expression}
		compiler.CompileAndStoreVariable(variable, with, environment.StoredExpressions)
	}
	condition := func(list []cel.ExpressionAccessor, what cel.OptionalVariableDeclarations) cel.ConditionEvaluator {
		return metered{compiler.CompileCondition(list, what, environment.StoredExpressions), spent}
	}
	var matcher matchconditions.Matcher
	if len(all.conditions) > 0 {
		matcher = matchconditions.NewMatcher(condition(all.conditions, with), policy.Spec.FailurePolicy, "policy", "validate", policy.Name)
	}
	return validating.NewValidator(condition(all.validations, with), matcher, condition(all.annotations, with),
		condition(all.messages, without), policy.Spec.FailurePolicy)
}

// compileErrors are those that keep the policy from being created. Match conditions cannot read variables then.
func compileErrors(policy *admissionv1.ValidatingAdmissionPolicy) []compileError {
	all, found := expressionsOf(policy), []compileError{}
	with, without := declarations(policy, true), declarations(policy, false)
	note := func(path string, result cel.CompilationResult) {
		if result.Error != nil {
			found = append(found, compileError{path, string(result.Error.Type), result.Error.Detail})
		}
	}
	check := func(form string, list []cel.ExpressionAccessor, what cel.OptionalVariableDeclarations, compiler cel.Compiler) {
		for index, each := range list {
			if each != nil {
				note(fmt.Sprintf(form, index), compiler.CompileCELExpression(each, what, environment.NewExpressions))
			}
		}
	}
	check("spec.matchConditions[%d].expression", all.conditions, with, plain())
	compiler := plain()
	if len(policy.Spec.Variables) > 0 {
		inOrder := newCompiler()
		for index, each := range policy.Spec.Variables {
			variable := &validating.Variable{Name: each.Name, Expression: each.Expression}
			path := fmt.Sprintf("spec.variables[%d].expression", index)
			note(path, inOrder.CompileAndStoreVariable(variable, with, environment.NewExpressions))
		}
		compiler = inOrder
	}
	check("spec.validations[%d].expression", all.validations, with, compiler)
	check("spec.validations[%d].messageExpression", all.messages, without, compiler)
	check("spec.auditAnnotations[%d].valueExpression", all.annotations, with, compiler)
	return found
}

func selectors(match *admissionv1.MatchResources) {
	if match == nil {
		return
	}
	if match.NamespaceSelector == nil {
		match.NamespaceSelector = &metav1.LabelSelector{}
	}
	if match.ObjectSelector == nil {
		match.ObjectSelector = &metav1.LabelSelector{}
	}
}
