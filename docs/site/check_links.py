"""usage: check_links.py SITE
Fails when a page of the site, beside those of Doxygen, refers to a file that is not there or needs the network for a
script, a style or a picture."""

import html.parser
import pathlib
import sys
import urllib.parse

LOADED = {"script": "src", "img": "src", "link": "href"}


class References(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        name = LOADED.get(tag, "href" if tag == "a" else None)
        if name and attributes.get(name) and attributes.get("rel") not in ("canonical",):
            self.found.append((tag, attributes[name]))


def problems(site):
    for page in sorted(site.rglob("*.html")):
        if site / "cpp" in page.parents:
            continue
        for tag, target in References(page.read_text()).found:
            address = urllib.parse.urlsplit(target)
            if address.scheme in ("data", "mailto") or (address.scheme and tag == "a"):
                continue
            if address.scheme or address.netloc:
                yield page, f"needs the network: {target}"
            elif address.path and not (page.parent / urllib.parse.unquote(address.path)).exists():
                yield page, f"leads nowhere: {target}"


def main():
    site = pathlib.Path(sys.argv[1])
    found = [f"{page.relative_to(site)}: {what}" for page, what in problems(site)]
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)


main()
