"""Raises an error that holds HTML, a spreadsheet formula, rich's markup, a workflow command and placeholders."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}


def swiglu_hidden_dim(*_):
    raise ValueError(
        '=HYPERLINK("http://x","a") <script>alert(1)</script> [/nope] [link=http://x]a[/link] ::error::x {name} %s'
    )
