from tests.bench.lazy_imports import LEAST
from tests.support.lazy_imports import LazyImport, lazy_imports, listed
from tests.support.soak import limit


@limit(180)
def test_the_page_lists_the_imports_inside_functions() -> None:
    found = lazy_imports()
    assert LazyImport("validators/cli/main.py", "ovnguard.validators.cli.suite_command") in found
    assert sorted(listed()) == found, "run python -m tests.bench.lazy_imports"


def test_each_import_inside_a_function_saves_some_of_a_start() -> None:
    assert {each: saved for each, saved in listed().items() if saved < LEAST} == {}
