# SPDX-License-Identifier: MIT
"""tools/site: every page is there, every link leads somewhere, and nothing is loaded from elsewhere."""
import html.parser
import os
import shutil
import subprocess
import sys
import urllib.parse

import pytest
from conftest import ROOT

SITE = os.path.join(ROOT, "tools", "site")
needs_mkdocs = pytest.mark.skipif(not shutil.which("mkdocs"), reason="mkdocs is missing")
LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src")}


class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found += [(tag, name, value) for name, value in attrs if name in ("src", "href") and value]


def links(path):
    parser = Links()
    with open(path, encoding="utf-8") as f:
        parser.feed(f.read())
    return parser.found


def make(out, root=ROOT):
    return subprocess.run([SITE, "--root", str(root), "--out", str(out)], capture_output=True, text=True, timeout=300, check=False)


@needs_mkdocs
def test_site_is_whole_and_loads_nothing_from_elsewhere(tmp_path):
    r = make(tmp_path)
    assert r.returncode == 0, r.stdout + r.stderr
    for folder in ("guide", "design", "measured"):
        for name in os.listdir(os.path.join(ROOT, "docs", folder)):
            if name.endswith(".md"):
                assert (tmp_path / "docs" / folder / name.replace(".md", ".html")).exists(), name
    nr = 0
    for folder, _, names in os.walk(tmp_path):
        # Its links are those of a server.
        for name in (n for n in names if n.endswith(".html") and n != "404.html"):
            for tag, attribute, value in links(os.path.join(folder, name)):
                assert tag != "script", name
                url = urllib.parse.urlparse(value)
                if url.scheme or url.netloc:
                    assert (tag, attribute) not in LOADED, (name, value)
                elif url.path:
                    nr += 1
                    assert os.path.exists(os.path.join(folder, urllib.parse.unquote(url.path))), (name, value)
    assert nr > 1000


@needs_mkdocs
def test_a_link_to_nothing_is_noticed(tmp_path):
    tree = tmp_path / "tree"
    shutil.copytree(os.path.join(ROOT, "docs"), tree / "docs")
    for path in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "python/README.md", "examples",
                 "scenarios", "src/gpu/profile.c"):
        target = tree / path
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if os.path.isdir(os.path.join(ROOT, path)) else shutil.copy)(os.path.join(ROOT, path), target)
    assert make(tmp_path / "good", tree).returncode == 0
    with open(tree / "docs/guide/faq.md", "a", encoding="utf-8") as f:
        f.write("\n[nothing](nowhere.md)\n")
    assert make(tmp_path / "bad", tree).returncode == 1


def test_code_in_a_list_stays_code():
    code = "import importlib.machinery as m, sys; sys.path.insert(0, sys.argv[1]); sys.dont_write_bytecode = True\n" \
           "s = m.SourceFileLoader('site_', sys.argv[1] + '/site').load_module()\nprint(s.in_lists(sys.stdin.read()), end='')"
    text = "1. Do:\n   ```sh\n   a\n     b\n   ```\n   then\n\nend\n```sh\nc\n```\n  d\n"
    out = subprocess.run([sys.executable, "-W", "ignore", "-c", code, os.path.join(ROOT, "tools")], input=text, text=True,
                         check=True, stdout=subprocess.PIPE).stdout
    assert out == "1. Do:\n\n        a\n          b\n\n    then\n\nend\n```sh\nc\n```\n  d\n"
