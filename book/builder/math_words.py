"""A formula on one line of plain text: what the MathML of a built page says, in the characters there are."""

from html import escape
from re import DOTALL, sub
from xml.etree import ElementTree

LOW = str.maketrans("0123456789aehijklmnoprstuvx+−", "₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ₊₋")
HIGH = str.maketrans("0123456789in+−⊤⋆*", "⁰¹²³⁴⁵⁶⁷⁸⁹ⁱⁿ⁺⁻ᵀ⋆*")
RELATIONS = set("=≤≥≈<>→≠∈≪≫")
APPLIED = "\u2061"  # between a function and what it is applied to; a space where no bracket stands
UNSEEN = str.maketrans("", "", "\u2062\u2063\u2064")


def shifted(text, table, sign):
    """A subscript or superscript in small characters; where one of them is missing, after a sign."""
    whole = all(ord(char) in table for char in text)
    if whole:
        return text.translate(table)
    return f"{sign}{text} " if (text.isalpha() and sign == "_") or len(text) == 1 else f"{sign}({text})"


def spoken(node):
    """The text of one element of a formula and of all below it."""
    parts = [spoken(child) for child in node]
    match node.tag:
        case "mfrac":
            return "/".join(part if len(part) < 4 else f"({part})" for part in parts)
        case "msqrt":
            inside = "".join(parts)
            return f"√{inside}" if len(inside) < 3 else f"√({inside})"
        case "msub" | "munder":
            return parts[0] + shifted(parts[1], LOW, "_")
        case "msup" | "mover":
            return parts[0] + shifted(parts[1], HIGH, "^")
        case "msubsup" | "munderover":
            return parts[0] + shifted(parts[1], LOW, "_") + shifted(parts[2], HIGH, "^")
    text = (node.text or "").strip().translate(UNSEEN) + "".join(parts)
    return f" {text} " if node.tag == "mo" and text in RELATIONS else text


def in_plain_words(html):
    """A page in which each formula's MathML has become a line of text."""

    def line(found):
        text = spoken(ElementTree.fromstring(found[0])).replace(f"{APPLIED}(", "(").replace(APPLIED, " ")
        return escape(sub(r" +(?=[ ,.;:)⟩]|$)", "", text))

    return sub(r"<math\b.*?</math>", line, html, flags=DOTALL)
