"""Words that try to act: on a terminal, in a page, in a file's name. What tests of hostile text draw from."""

ESCAPES = (
    "\x1b[31mred\x1b[0m",
    "\x1b[2J\x1b[H cleared",
    "\x1b[1A\x1b[2K accuracy 99.9 [99.8, 100.0]",
    "\x1b]0;a new title\x07",
    "\x1b]8;;https://example.org/x\x1b\\a link\x1b]8;;\x1b\\",
    "\x1b]52;c;cm0gLXJmIH4=\x07 clipboard",
    '\x1bP$q"p\x1b\\ answer back',
    "\x1b[6n where am I",
    "\x1b[?1049h another screen",
    "\x1bc reset",
    "\x9b31m one byte",
    "\x9d0;title\x9c",
    "\x90payload\x9c",
    "over\rwritten",
    "back\x08\x08\x08\x08 space",
    "bell \x07",
    "del \x7f",
    "nul \x00",
    "shift \x0e out",
    "\u202egnp.exe",
    "\u2066isolated\u2069",
    "\u202dleft\u202c",
    "lone \udc9b",
)  # fmt: skip
SCRIPTS = (
    "می‌خواهم نان‌ها را", "क्‍ष श्री र्‍य", "👩‍👩‍👧‍👦 👩🏽‍🍳 🏴‍☠️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️", "שלום עולם\u200f!",
    "مرحبا\u061c بالعالم", "漢字とかな交じり文", "ไทยไม่เว้นวรรค",
    "ქართული", "አማርኛ", "Ελληνικά", "Русский", "e\u0301 n\u0303",
    "ᠮᠣᠩᠭᠣᠯ\u180e", "zero\u200bwidth", "soft\u00adhyphen", "no\u00a0break\ttab",
)  # fmt: skip
