"""Definitions with rules: transitions, what is said, the libraries, and what rules may cost."""

from tests.support.verdicts.definitions.build import INTEGER, SHORT, STRING, Sample, items, leaf, named, obj, rule

_TRANSITIONS_OBJECTS = (
    {
        "spec": {
            "fixed": "f",
            "strict": "s1",
            "entries": [{"name": "a", "size": 3, "state": "New"}, {"name": "b", "state": "New"}],
            "loose": [{"v": 3}, {"v": 5}],
            "atomic": {"a": 1},
            "limited": {"x": "abc"},
        }
    },
    {"spec": {"fixed": "f", "strict": "bad", "loose": [{"v": 4}, {"v": 1}], "limited": {"x": "abcdef", "y": "a"}}},
    {"spec": {"strict": "s", "entries": [{"name": "a", "state": "Done", "size": 9}]}},
)


def transitions() -> Sample:
    optional = {"optionalOldSelf": True}
    entry = obj(
        {
            "name": SHORT,
            "size": leaf("integer", rule("self >= oldSelf", "may only grow", reason="FieldValueForbidden")),
            "state": leaf(
                "string",
                rule("oldSelf.hasValue() || self == 'New'", "starts as New", **optional),
                rule("!oldSelf.hasValue() || oldSelf.value() != 'Done' || self == 'Done'", "done is done", **optional),
                enum=["New", "Busy", "Done"],
            ),
        },
        required=["name"],
    )
    keyed = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
    spec = obj(
        {
            "fixed": leaf("string", rule("self == oldSelf", "is immutable"), maxLength=8),
            "strict": leaf("string", rule("self.startsWith('s')", "starts with s"), maxLength=12),
            "entries": items(entry, rule("oldSelf.all(o, self.exists(n, n.name == o.name))"), maxItems=6, **keyed),
            "loose": items(obj({"v": leaf("integer", minimum=3)}, rule("self.v != 4", "no fours")), maxItems=4),
            "atomic": obj(
                {"a": leaf("integer", maximum=5)}, rule("self == oldSelf"), **{"x-kubernetes-map-type": "atomic"}
            ),
            "limited": {
                "type": "object",
                "additionalProperties": leaf("string", rule("self.size() < 4", "short, please"), maxLength=9),
                "maxProperties": 4,
            },
        },
        rule("has(self.fixed) == has(oldSelf.fixed)", "fixed neither comes nor goes", fieldPath=".fixed"),
        rule("oldSelf.optMap(o, o == self).orValue(true) || has(self.strict)", "changes say strict", **optional),
    )
    return Sample(named("Changing", obj({"spec": spec})), "v1", _TRANSITIONS_OBJECTS)


_MESSAGES_OBJECTS = tuple(
    {"spec": {"count": count, "text": text, "nested": {"a-b": count - 14, "list": [text]}, "reasons": {key: "x"}}}
    for count, text, key in (
        (9, "a", "one"),
        (12, "ab", "two"),
        (13, "abc", "three"),
        (14, 'a"b\\', "four"),
        (15, "x", "one"),
        (16, "é", "two"),
        (17, "x y", "three"),
        (18, "", "four"),
    )
)


def messages() -> Sample:
    key = "messageExpression"
    nested = obj(
        {"a-b": INTEGER, "list": items(STRING, maxItems=3), "map": {"type": "object", "additionalProperties": STRING}}
    )
    spec = obj(
        {
            "count": leaf(
                "integer",
                rule("self < 10", "plain", messageExpression="self == 10 ? 'ten' : 'more than ten'"),
                rule("self != 12", "after an error", **{key: "string(1 / (self - 12))"}),
                rule("self != 13", "after an empty text", **{key: "self == 13 ? '' : 'x'"}),
                rule("self != 14", "after blanks", **{key: "'  '"}),
                rule("self != 15", "after a newline", **{key: "'a\\nb'"}),
                rule("self != 16", **{key: "'  trimmed  '"}),
                rule("self != 17", 'with "quotes" and \\ and é'),
                rule("self != 18 &&\n  true", "over two lines"),
            ),
            "text": leaf(
                "string",
                rule("self.size() < 3", "", **{key: "'\"' + self + '\" is too long'"}),
                maxLength=100,
            ),
            "nested": nested,
            "reasons": obj(
                {"one": SHORT, "two": SHORT, "three": SHORT, "four": SHORT},
                *(
                    rule(
                        f"!has(self.{name}) || self.{name} != 'x'", f"{name} is x", reason=reason, fieldPath=f".{name}"
                    )
                    for name, reason in {
                        "one": "FieldValueRequired",
                        "two": "FieldValueForbidden",
                        "three": "FieldValueDuplicate",
                        "four": "FieldValueInvalid",
                    }.items()
                ),
            ),
        },
        rule(
            "!has(self.nested) || !has(self.nested.a__dash__b) || self.nested.a__dash__b > 0",
            "positive",
            fieldPath=".nested['a-b']",
        ),
        rule(
            "!has(self.nested) || !has(self.nested.list) || self.nested.list.all(x, x != 'x')",
            "no x",
            fieldPath=".nested.list",
        ),
    )
    return Sample(named("Messaged", obj({"spec": spec})), "v1", _MESSAGES_OBJECTS)


_LIBRARY_OBJECTS = (
    {"spec": {"cidr": "10.0.0.0/16", "ip": "10.0.1.2", "url": "https://a.example:1/b?c=d", "amount": "500Mi"}},
    {"spec": {"version": "1.30.0", "names": ["a", "abc", "b"], "map": {"a": "b"}, "number": 7}},
    {
        "spec": {
            "when": "2026-01-02T03:04:05Z",
            "span": "1h",
            "bytes": "YQ==",
            "open": "5%",
            "text": "a,b",
            "real": 1.5,
        }
    },
    {"spec": {"cidr": "fd00::/48", "ip": "fd00::5", "names": ["c", "c"], "number": 1, "open": 4, "text": "c-z"}},
)


def library() -> Sample:
    rules = (
        "!has(self.cidr) || !isCIDR(self.cidr) || cidr(self.cidr).prefixLength() >= 8",
        "!has(self.cidr) || cidr(self.cidr).ip().family() in [4, 6]",
        "!has(self.ip) || !has(self.cidr) || cidr(self.cidr).containsIP(ip(self.ip))",
        "!has(self.url) || url(self.url).getScheme() == 'https'",
        "!has(self.amount) || quantity(self.amount).compareTo(quantity('1Gi')) <= 0",
        "!has(self.version) || semver(self.version).isGreaterThan(semver('1.2.3'))",
        "!has(self.names) || self.names.isSorted()",
        "!has(self.names) || self.names[0] != self.names[1]",
        "!has(self.names) || self.names.filter(n, n.matches('^[a-z]+$')).size() == self.names.size()",
        "!has(self.map) || self.map.all(k, k.upperAscii() != self.map[k])",
        "!has(self.map) || self.map['a'] != ''",
        "!has(self.number) || 100 / self.number > 3",
        "!has(self.number) || self.number * 4611686018427387904 != 5",
        "!has(self.when) || self.when.getFullYear() > 2000",
        "!has(self.span) || self.span < duration('2h')",
        "!has(self.bytes) || self.bytes.size() < 4",
        "!has(self.open) || type(self.open) == int || self.open.endsWith('%')",
        "!has(self.text) || self.text.replace('a', 'b').indexOf('c') < 2 && self.text.split(',').size() < 4",
        "!has(self.text) || optional.of(self.text).optMap(t, t.size()).orValue(0) < 9",
        "!has(self.text) || self.text.charAt(0) != 'z' || self.text.substring(1, 2) == 'y'",
        "!has(self.text) || format.named('dns1123Label').value().validate(self.text).orValue([]).size() == 0",
        "!has(self.names) || sets.contains(['a', 'b', 'c', 'abc'], self.names)",
        "!has(self.real) || double(int(self.real)) == self.real || self.real < 5.0",
        "!has(self.map) || self.map.transformList(k, v, k + v).exists_one(x, x == 'ab')",
    )
    spec = obj(
        {
            "cidr": leaf("string", maxLength=43),
            "ip": leaf("string", maxLength=45),
            "url": leaf("string", maxLength=100),
            "amount": SHORT,
            "version": SHORT,
            "names": items(SHORT, maxItems=5),
            "map": {"type": "object", "additionalProperties": SHORT, "maxProperties": 4},
            "number": INTEGER,
            "when": leaf("string", format="date-time"),
            "span": leaf("string", format="duration"),
            "bytes": leaf("string", format="byte", maxLength=40),
            "open": {"x-kubernetes-int-or-string": True},
            "text": SHORT,
            "real": leaf("number"),
        },
        *map(rule, rules),
    )
    return Sample(named("Libraried", obj({"spec": spec})), "v1", _LIBRARY_OBJECTS)


def budgets() -> Sample:
    text = leaf("string", maxLength=8)
    crossed = "self.all(x, self.all(y, x + y != 'never'))"
    spec = obj(
        {
            "call": items(text, rule(crossed, "crossed"), maxItems=700),
            "total": items(
                items(text, rule(crossed, "crossed"), maxItems=110),
                maxItems=50,
            ),
            "said": items(
                text, rule("size(self) < 600", "x", messageExpression="string(" + crossed + ")"), maxItems=700
            ),
            "after": leaf("string", rule("self != 'x'", "not x"), maxLength=4),
        },
        rule("!has(self.after) || self.after != 'y'", "not y"),
    )
    many = [f"n{index}" for index in range(690)]
    objects = (
        {"spec": {"call": many[:20], "after": "x"}},
        {"spec": {"call": many}},
        {"spec": {"total": [many[:110]] * 50, "after": "y"}},
        {"spec": {"said": many}},
    )
    return Sample(named("Costly", obj({"spec": spec})), "v1", objects, requests=8)
