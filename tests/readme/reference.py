"""docs/reference/options holds every option that a driver's -help knows. `./run reference` writes the pages from the programs
themselves; the test fails where a page and its program differ."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

BUILD = pathlib.Path(os.environ["RHUMB_BUILD"])
SOURCE = pathlib.Path(os.environ["RHUMB_SOURCE"])
FOLDER = SOURCE / "docs/reference/options"

MESH = ["-mesh", SOURCE / "meshes/square.msh"]
NETLIST = ["-netlist", SOURCE / "apps/dae/lowpass.net"]
# What else a driver is asked for: options that its default problem has not. The key is what the page says.
MORE = {
    "heat": {"-n with three numbers": ["-n", "8,8,8"], "-mesh": MESH},
    "flow": {"-dim 3": ["-dim", 3], "-mesh": ["-mesh", SOURCE / "meshes/cylinder2d.msh"]},
    "mesh": {"-dim 2": ["-dim", 2, "-problem", "burgers"], "-dim 2 -mesh": ["-dim", 2, "-problem", "burgers", *MESH]},
    "pde": {"-mesh": MESH, "-moving -n 40": ["-moving", "-n", "40"], "-moving -n 40,40": ["-moving", "-n", "40,40"]},
    "pipes": {},
    "ignite": {},
    "dae": {"-problem circuit": ["-problem", "circuit", *NETLIST]},
}


def help_of(driver, words):
    done = subprocess.run([str(word) for word in (BUILD / f"apps/rhumb-{driver}", *words, "-help")], cwd=SOURCE,
                          capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=6000)
    if done.returncode:
        raise RuntimeError(f"rhumb-{driver} {words}: {done.stderr}")
    return done.stdout


def read(text):
    """{group: {option: meaning}} in the order of the help."""
    groups, group = {}, None
    for line in text.split("\n"):
        if found := re.match(r"  -(\S+)\s+(.*)", line):
            name, meaning = found.groups()
            if re.match("with -(problem|dim|n|mesh|moving)\\b", meaning):  # of another case, which is asked for itself
                continue
            if name.startswith("dae_atol_"):
                name, meaning = "dae_atol_FIELD", "absolute tolerance of this field (in its unit; default -dae_atol; >= 0)"
            groups[group][name] = re.sub(r"; now [^;)]*", "", meaning)
        elif line.endswith(")") or re.match(r"[A-Z][\w ,]*: ", line):
            group = line
            groups[group] = {}
    return groups


def variants(driver, first):
    """{condition: words}: the problems that the driver names itself, and those of MORE."""
    problems = next((group["problem"] for group in first.values() if "problem" in group), "")
    names = re.search(r"; (\w+(?:\|\w+)+)\)$", problems)
    default = re.search(r"default (\w+)", problems)
    found = {}
    for name in names.group(1).split("|") if names else ():
        if name != default.group(1) and f"-problem {name}" not in MORE[driver]:
            found[f"-problem {name}"] = ["-problem", name]
    return found | MORE[driver]


def escaped(text):
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def page(driver):
    groups = read(help_of(driver, []))
    only = {}  # option: the conditions under which it exists
    for condition, words in variants(driver, groups).items():
        for group, options in read(help_of(driver, words)).items():
            have = groups.setdefault(group, {})
            for name, meaning in options.items():
                if name not in have or name in only:
                    have.setdefault(name, meaning)
                    only.setdefault(name, []).append(condition)
    lines = [f"# Options of rhumb-{driver}", "",
             f"Written by `./run reference` from `rhumb-{driver} -help`. In a case file a key is the option without its minus,"
             " and groups of names can be nested: `dae: {rtol: 1e-5}` is `-dae_rtol 1e-5`.", ""]
    for group, options in groups.items():
        lines += [f"## {group}", "", "| option | meaning |", "|---|---|"]
        for name, meaning in options.items():
            where = f"with {', '.join(f'`{condition}`' for condition in only[name])}: " if name in only else ""
            lines.append(f"| `-{name}` | {where}{escaped(meaning)} |")
        lines.append("")
    return "\n".join(lines)


class TheReference(unittest.TestCase):
    def test_holds_every_option_of_every_driver_as_its_help_says_it(self):
        for driver in MORE:
            with self.subTest(driver=driver):
                self.assertEqual((FOLDER / f"rhumb-{driver}.md").read_text(), page(driver),
                                 f"rhumb-{driver}'s options have changed: ./run reference writes the page")

    def test_knows_every_driver(self):
        drivers = {path.name.removeprefix("rhumb-") for path in (BUILD / "apps").glob("rhumb-*")}
        self.assertEqual(drivers, set(MORE))


def write():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    for driver in MORE:
        (FOLDER / f"rhumb-{driver}.md").write_text(page(driver))


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write()
    else:
        unittest.main()
