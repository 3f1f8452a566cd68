"""Generates code that fills in a definition's defaults like `validators.structural.objects.defaulting.fill_defaults`.

An object without defaults is ordinary once they are filled in. The code modifies no object: it copies the objects
around a missing value, and shares the defaults.
"""

from ovnguard.validators.fast.generated_module import Body, Source
from ovnguard.validators.structural.objects.defaulting import fill_defaults
from ovnguard.validators.structural.schema.schema import NO_DEFAULT, Schema


class Defaults:
    """Generates the functions of one schema; a node without defaults below has none."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._names: dict[int, str] = {}

    def function(self, schema: Schema) -> str:
        """The name of a function from a value to the value with its defaults; "" if it would change nothing."""
        if id(schema) not in self._names:
            self._names[id(schema)] = self._write(schema)
        return self._names[id(schema)]

    def _write(self, schema: Schema) -> str:
        name = self.source.name("D")
        body = Body(name, "v")
        children = [(key, child, self.function(child)) for key, child in schema.properties.items()]
        children = [one for one in children if one[2] or one[1].default is not NO_DEFAULT]
        item = schema.items
        inner = "" if item is None or item.default is not NO_DEFAULT else self.function(item)
        if not children and not inner:
            return ""
        if children:
            self._object(children, body)
        if inner:
            with body.block("if type(v) is list:"):
                body.line(f"n = [{inner}(e) for e in v]")
                with body.block("for e, o in zip(n, v):"):
                    body.line("if e is not o: return n")
        self.source.add(body.text("return v"))
        return name

    def _object(self, children: list[tuple[str, Schema, str]], body: Body) -> None:
        with body.block("if type(v) is dict:"):
            body.line("c = v")
            for name, child, function in children:
                key = self.source.constant(name)
                if function:
                    with body.block(f"if {key} in v:"):
                        body.line(f"o = v[{key}]")
                        body.line(f"e = {function}(o)")
                        with body.block("if e is not o:"):
                            body.line("if c is v: c = dict(v)")
                            body.line(f"c[{key}] = e")
                if child.default is not NO_DEFAULT:
                    filled = self.source.constant(fill_defaults(child.default, child))
                    with body.block("else:" if function else f"if {key} not in v:"):
                        body.line("if c is v: c = dict(v)")
                        body.line(f"c[{key}] = {filled}")
            body.line("return c")
