"""Hypothesis strategies for type-correct CEL expressions over one schema, and the value that they are evaluated on."""

import json

from hypothesis import strategies as st

from tests.support.paths import CEL_DATA

_DATA = json.loads((CEL_DATA / "tables" / "data.json").read_text(encoding="utf-8"))
SCHEMA = _DATA["schema"]
VALUE = _DATA["value"]
_DEPTH = 3
_TEXTS = (
    "''",
    "'a'",
    "'abc'",
    "'10.0.0.0/8'",
    "'1.2.3.4'",
    "'é😀'",
    "'x-y'",
    "'5'",
    "'fd00::/8'",
    "'https://h:1/p?q=1'",
)
# A capital letter in braces is an expression of that type: String, Int, Double, Uint, Time, sPan, List of strings,
# Numbers (a list of ints), Bool. "#" numbers the variable of a macro.
_FORMS = {
    "S": (
        *_TEXTS,
        *("self.s", "self.namespace", "self.a__dash__b", "self.uni", "self.missing", "self.enum", "self.nul"),
        *("{S} + {S}", "{L}[{I}]", "self.m[{S}]", "({S}).substring({I})", "({S}).lowerAscii()", "string({I})"),
        *("({S}).replace({S}, {S})", "string({D})", "self.?missing.orValue({S})", "self.m[?{S}].orValue({S})"),
        *("{L}.join({S})", "({S}).charAt({I})", "string(cidr({S}).masked())", "string(ip({S}))", "string({U})"),
        *("url({S}).getHost()", "({S}).trim()", "self.ml[{I}].k", "'%s|%d'.format([{S}, {I}])", "string({T})"),
        *("({B} ? {S} : {S})", "strings.quote({S})", "string({P})"),
    ),
    "I": (
        *("0", "1", "2", "-1", "5", "9223372036854775807", "self.i", "self.mi.a", "self.li[0]", "self.o.b"),
        *("({I} + {I})", "({I} - {I})", "({I} * {I})", "({I} / {I})", "({I} % {I})", "size({S})", "size({L})"),
        *("int({D})", "int({S})", "({S}).indexOf({S})", "{N}.sum()", "{N}.max()", "{N}[{I}]", "self.mi[{S}]"),
        *("({B} ? {I} : {I})", "cidr({S}).prefixLength()", "self.ml.map(e, e.v)[{I}]", "-({I})", "int({U})"),
        *("{L}.indexOf({S})", "{T}.getHours()", "{P}.getSeconds()", "({S}).lastIndexOf({S})"),
    ),
    "D": (
        "1.5",
        "0.0",
        "-2.25",
        "1e10",
        "self.n",
        "({D} + {D})",
        "({D} / {D})",
        "({D} * {D})",
        "double({I})",
        "double({S})",
    ),
    "U": ("0u", "3u", "18446744073709551615u", "uint({I})", "({U} + {U})", "({U} - {U})"),
    "T": ("self.dt", "self.d", "timestamp('2020-02-03T04:05:06Z')", "({T} + {P})", "({T} - {P})", "timestamp({I})"),
    "P": ("self.du", "duration('90s')", "duration('-1h')", "({T} - {T})", "({P} + {P})"),
    "L": (
        *("self.l", "self.set", "['a', 'b']", "[self.s]", "({L} + {L})", "({S}).split({S})", "[{S}, {S}]"),
        *(
            "{L}.filter(v#, v# == {S})",
            "{L}.map(v#, v# + {S})",
            "self.ml.map(v#, v#.k)",
            "{L}.sort()",
            "{L}.distinct()",
        ),
        *("{L}.reverse()", "{L}.transformList(i#, v#, v# + string(i#))", "({B} ? {L} : {L})", "{L}.slice({I}, {I})"),
        "({S}).findAll('[a-z]')",
    ),
    "N": (
        *("self.li", "[1, 2]", "[self.i]", "({N} + {N})", "{L}.map(w#, size(w#))", "{N}.filter(w#, w# > {I})"),
        *("{N}.map(w#, w# * {I})", "{N}.sortBy(w#, -w#)", "self.ll[{I}]", "self.ll.flatten()", "[{I}, {I}]"),
    ),
    "B": (
        *("true", "false", "self.b", "has(self.s)", "has(self.missing)", "has(self.o.b)", "has(self.m.a)", "!({B})"),
        *("({B} && {B})", "({B} || {B})", "{S} == {S}", "{S} < {S}", "{I} == {I}", "{I} >= {I}", "{D} <= {D}"),
        *("{I} < {D}", "{L}.all(x#, x# != {S})", "{L}.exists(x#, ({S}).contains(x#))", "{U} > {U}", "{T} < {T}"),
        *("{N}.exists_one(x#, x# / {I} == {I})", "{N}.all(x#, {I} / x# < 1)", "{N}.exists(x#, {I} % x# > 1)"),
        *("{S} in {L}", "{S} in ['a', 'abc']", "{I} in [1, 2, 5]", "{S} in self.m", "{L} == {L}", "{N} == {N}"),
        *("({B} ? {B} : {B})", "({S}).startsWith({S})", "({S}).matches('^[a-c]+$')", "({S}).matches({S})"),
        *("isIP({S})", "isCIDR({S})", "cidr({S}).containsIP({S})", "cidr({S}).containsCIDR({S})", "isURL({S})"),
        *("self.ml.exists(x#, x#.k == {S} && x#.v > {I})", "self.ios == {I}", "self.ios != {S}", "dyn({I}) == {D}"),
        *("{P} <= {P}", "sets.contains({L}, {L})", "sets.equivalent({L}, {L})", "{L}.isSorted()", "dyn(self).s == {S}"),
        *("self.?o.?a.hasValue()", "self.?missing.optMap(x#, x# + 'x').orValue({S}) == {S}", "isQuantity({S})"),
        *("{L}.first().orValue({S}) == {S}", "format.dns1123Label().validate({S}).hasValue()", "self.ml == self.ml2"),
        "dyn({I}) < dyn({D})",
    ),
}
_LEAVES = {kind: tuple(form for form in forms if "{" not in form) for kind, forms in _FORMS.items()}


@st.composite
def predicates(draw: st.DrawFn) -> str:
    """A rule: an expression of type bool."""
    count = 0

    def expression(kind: str, depth: int) -> str:
        nonlocal count
        form = draw(st.sampled_from((_FORMS if depth else _LEAVES)[kind]))
        count += 1
        form = form.replace("#", str(count))
        parts = form.split("{")
        return parts[0] + "".join(expression(part[0], max(depth - 1, 0)) + part[2:] for part in parts[1:])

    return expression("B", _DEPTH)
