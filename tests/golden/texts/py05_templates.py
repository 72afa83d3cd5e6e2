import html
import re

TOKEN = re.compile(r"({{.*?}}|{%.*?%}|{#.*?#})", re.S)

GREETINGS = {
    "de": "Grüß Gott, {name}! Schön, dass du da bist.",
    "fr": "Ça va, {name} ? Déjà de retour…",
    "ja": "こんにちは、{name}さん。",
    "ru": "Привет, {name}! Как дела?",
    "en": "Hello, {name} 👋",
}


def greet(language, name):
    text = GREETINGS.get(language, GREETINGS["en"])
    return html.escape(text.format(name=name))


class Template:
    def __init__(self, source):
        self.parts = []
        for piece in TOKEN.split(source):
            if piece.startswith("{#"):
                continue
            elif piece.startswith("{{"):
                expression = piece[2:-2].strip()
                name, *filters = [p.strip() for p in expression.split("|")]
                self.parts.append(("var", name, filters))
            elif piece.startswith("{%"):
                raise SyntaxError("blocks are not supported: " + piece)
            elif piece:
                self.parts.append(("text", piece, ()))

    def render(self, **context):
        out = []
        for kind, value, filters in self.parts:
            if kind == "tex