"""How Sphinx makes the site from README.md and docs/: `./run docs`."""

import pathlib
import re

SOURCE = pathlib.Path(__file__).resolve().parents[2]

project = "Rhumb"
author = "The Rhumb maintainers"
copyright = author
release = re.search(r"project\(rhumb VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text()).group(1)

extensions = ["myst_parser", "sphinx.ext.autodoc"]
include_patterns = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "meshes/README.md", "docs/**"]
exclude_patterns = ["docs/site"]
root_doc = "docs/index"
myst_heading_anchors = 3
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
nitpicky = False

default_role = "literal"  # `name` in a docstring is code
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_class_signature = "separated"

html_theme = "furo"
html_title = f"Rhumb {release}"
html_show_sourcelink = False
html_copy_source = False
html_extra_path = ["first_page"]  # index.html, which leads to docs/index.html

_LINK = re.compile(r"\]\(([^)#:]+\.(?:md|rst))\)")
_BESIDE_THE_INDEX = "/README /CHANGELOG /CONTRIBUTING /SECURITY /meshes/README".split()


def contents_of(index):
    """The tables of contents: of each section of docs/index.md the pages that it links."""
    for title, *sections in (part.split("\n") for part in re.split(r"^## ", index, flags=re.MULTILINE)[1:]):
        pages = dict.fromkeys(page for page in _LINK.findall("\n".join(sections)) if not page.startswith(".."))
        if pages:
            yield title.split(":")[0], [re.sub(r"\.\w+$", "", page) for page in pages]
    yield "Project", ["house", *_BESIDE_THE_INDEX]


def add_contents(app, page, text):
    if page == root_doc:
        for title, pages in contents_of(text[0]):
            text[0] += "\n```{toctree}\n:hidden:\n:caption: " + title + "\n\n" + "\n".join(pages) + "\n```\n"
    if page == "docs/reference/cpp":
        text[0] += '\n<p><a href="../../cpp/index.html">All classes, functions and files</a></p>\n'


def show_tables_as_written(app, what, name, item, options, lines):
    """The aligned lists of names in our docstrings are no reStructuredText: they become literal blocks."""
    blocks = re.split(r"\n\s*\n", "\n".join(lines))
    is_table = re.compile(r"\S[^\n]*?\S {2,}\S").match
    shown = ["::\n\n    " + block.replace("\n", "\n    ") if is_table(block) else block for block in blocks]
    lines[:] = "\n\n".join(shown).split("\n")


def setup(app):
    app.connect("source-read", add_contents)
    app.connect("autodoc-process-docstring", show_tables_as_written)
