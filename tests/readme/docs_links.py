"""Every link and picture of every page leads to a file that is there, and to a heading that is there; no page is lost; the
commands of the gallery are valid."""

import pathlib
import re
import subprocess
import tempfile
import unittest

from driver import BUILD, PATIENCE, SOURCE

LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([\w-]+))?\)")


def pages():
    """All pages of the tree, none of what was built or is a run's."""
    skipped = re.compile(r"(build.*|out|\.git|\.cache)$")
    return [page for page in sorted(SOURCE.rglob("*.md")) if not any(skipped.match(part) for part in page.relative_to(SOURCE).parts)]


def prose(page):
    """Without fenced and indented blocks, and without code in lines: lambdas are no links."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "", re.sub(r"(?:^|\n)\n(?:    .*\n)+", "\n", text))


def anchors(page):
    """The names of a page's headings, as GitHub and Sphinx make them."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


class Links(unittest.TestCase):
    def test_every_link_and_picture_leads_somewhere(self):
        found = 0
        for page in pages():
            for target, heading in LINK.findall(prose(page)):
                found += 1
                file = page.parent / target if target else page
                with self.subTest(page=str(page.relative_to(SOURCE)), target=target, heading=heading):
                    self.assertTrue(file.exists(), "no such file")
                    if heading and file.suffix == ".md":
                        self.assertIn(heading, anchors(file))
        self.assertGreater(found, 100)

    def test_every_page_of_the_docs_is_linked_from_the_index(self):
        index = SOURCE / "docs" / "index.md"
        linked = {(index.parent / target).resolve() for target, _ in LINK.findall(index.read_text())}
        for page in sorted((SOURCE / "docs").rglob("*.md")):
            if page != index:
                with self.subTest(page=str(page.relative_to(SOURCE))):
                    self.assertIn(page.resolve(), linked)

    def test_every_picture_is_shown_on_a_page(self):
        shown = {(page.parent / target).resolve() for page in pages() for target, _ in LINK.findall(page.read_text())}
        for picture in sorted((SOURCE / "docs" / "pictures").iterdir()):
            with self.subTest(picture=picture.name):
                self.assertIn(picture.resolve(), shown)


class Gallery(unittest.TestCase):
    def test_every_run_of_the_gallery_is_accepted(self):
        text = (SOURCE / "docs" / "guide" / "gallery.md").read_text()
        runs = re.findall(r"^ *(?:mpirun -n 2 )?(build/apps/rhumb-.*)$", text, re.MULTILINE)
        self.assertGreater(len(runs), 7)
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            (place / "build").symlink_to(BUILD)
            for name in ("apps", "meshes"):
                (place / name).symlink_to(SOURCE / name)
            for command in runs:
                with self.subTest(command=command):
                    done = subprocess.run([*command.split(), "-check"], cwd=place, capture_output=True, text=True,
                                          timeout=300 * PATIENCE)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
