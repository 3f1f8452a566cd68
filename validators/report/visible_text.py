"""Texts on a terminal, which must not obey what is in a manifest."""


def visible(text: str) -> str:
    """Return the text with control and invisible characters escaped: its source may be untrusted."""
    if text.isprintable():
        return text
    return "".join(rune if rune.isprintable() else rune.encode("unicode_escape").decode() for rune in text)
