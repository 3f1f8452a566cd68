"""Generated modules: what their names may stand for, and that they can be brought back from data."""

import marshal
import os
import sys
from importlib import import_module

import pytest

from ovnguard.validators.cel.checking.environments import newest
from ovnguard.validators.fast import accept_runtime
from ovnguard.validators.fast.generated_module import _MODULES, Body, Module, Source


def test_equal_constants_of_one_type_share_a_slot() -> None:
    source = Source()
    assert source.constant("a") == source.constant("a")
    assert len({source.constant(one) for one in (1, 1.0, True, "1", (1,), frozenset({1}), None)}) == 7


@pytest.mark.parametrize("value", [object(), accept_runtime.is_plain, os])
def test_only_data_can_be_a_constant(value: object) -> None:
    with pytest.raises(ValueError, match="unmarshallable"):
        Source().constant(value)


@pytest.mark.parametrize("function", [os.system, lambda: None, Source.constant, eval])
def test_only_our_own_functions_are_helpers(function: object) -> None:
    with pytest.raises(ValueError, match="is not a function that generated code may call"):
        Source().helper(function)  # type: ignore[arg-type]  # what must be refused


@pytest.mark.parametrize("helper", ["os:system", "builtins:eval", "validatorsx.y:z"])
def test_only_our_own_functions_are_loaded(helper: str) -> None:
    module = Module(compile("", "x", "exec"), (), (("H0", helper),), ())
    with pytest.raises(ValueError, match="is not a function that generated code may call"):
        module.load()


def test_a_module_survives_marshal() -> None:
    source = Source()
    body = Body("F", "v")
    body.refuse(f"v not in {source.constant(frozenset({'a'}))} or not {source.pattern('^a$')}(v)")
    body.refuse(f"not {source.helper(accept_runtime.is_plain)}(v)")
    source.add(body.text())
    made = source.module()
    data = marshal.dumps((made.code, made.constants, made.helpers, made.patterns))
    again = Module(*marshal.loads(data)).load()["F"]
    assert again("a") is True
    assert again("b") is False


def test_a_helper_is_imported_by_its_first_call_and_kept_in_its_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    home = "ovnguard.validators.fast.ordinary_metadata"
    monkeypatch.delitem(sys.modules, home, raising=False)
    names = Module(
        compile("def F(v): return H0(v)", "x", "exec"), (), (("H0", f"{home}:is_ordinary_resource"),), ()
    ).load()
    assert home not in sys.modules
    assert names["F"]({"apiVersion": "v1", "kind": "Pod"}) is True
    assert names["H0"] is sys.modules[home].is_ordinary_resource
    assert names["F"]({"apiVersion": "v1", "kind": "-"}) is False


def test_code_may_call_every_function_of_the_libraries() -> None:
    found = [one.implementation for functions in newest().functions.values() for one in functions]
    modules = {getattr(one, "__module__", "builtins") for one in found if one is not None}
    assert modules - {"builtins"} <= _MODULES
    assert {import_module(name).__name__ for name in _MODULES} == _MODULES
