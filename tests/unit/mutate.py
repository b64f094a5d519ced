"""Which change of the pure arithmetic would nobody notice? Changes every number and turns round every comparison of the files
below, one at a time, and runs the unit tests on each: a change that all tests pass is printed, and the script fails.

    python3 tests/unit/mutate.py [--build build] [file ...]

Needs a finished build: only the changed file is compiled, the rest is linked as it stands there."""

import argparse
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PURE = ["coefficients", "order", "step_size", "recovery", "diagnosis", "events", "amplification"]
HEADERS = {"rate_test": "bdf/rate_test.hpp", "sense": "core/sense.hpp"}  # each with a test file of its name
# Whose tests stand beside those: where an iteration begins and ends, and speed; what the others call.
BESIDE = ["hessenberg", "krylov_basis", "option_spelling"]
SECONDS = 60  # a changed loop may not end

NUMBER = re.compile(r"(?<![\w.])(\d+\.\d*(?:e[-+]?\d+)?|\d+e[-+]?\d+|\d+)(?![\w.])")
COMPARISON = re.compile(r"(?<![<>=!-])(<=|>=|==|!=|<|>)(?![<>=])")
OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}

# Changes that mean the same: (file, what the line holds, change). Each says why.
SAME = {
    ("step_size", "constexpr std::array<double, highest_order + 1> target{", "0.0"): "there is no order 0",
    ("step_size", "constexpr std::array<double, highest_order + 1> target{", "1"): "an entry for order 6, never used",
    ("rate_test", "double first_ = 0.0", "0.0"): "the first correction sets it",
    ("sense", "return sign > 0.0", "0.0"): "a sign is 1 or -1",
    ("amplification", "score_ = std::max(0.0", "0.0"): "scores are multiples of a half: a tenth more changes no decision",
}


def code_of(line):
    """The line without strings and comments, which no test should know by heart."""
    line = re.sub(r'"(\\.|[^"\\])*"', lambda m: " " * len(m.group()), line)
    return line.split("//")[0]


def number_changes(text):
    if re.fullmatch(r"\d+", text):
        return [str(int(text) + 1)]
    value = float(text)
    return [repr(value * 1.1 if value else 0.1), repr(value * 0.9 if value else -0.1)]


def mutants(path):
    """(line number, what was, what is, whole text) for every change."""
    lines = path.read_text().splitlines(keepends=True)
    for row, line in enumerate(lines):
        code = code_of(line)
        if code.lstrip().startswith(("#", "template", "namespace")):
            continue
        found = [(m, number_changes(m.group(1))) for m in NUMBER.finditer(code)]
        if "<" not in re.sub(r"\s<=?\s", "", code):  # brackets of types are no comparisons
            found += [(m, [OPPOSITE[m.group(1)]]) for m in COMPARISON.finditer(code)]
        else:
            found += [(m, [OPPOSITE[m.group(1)]]) for m in COMPARISON.finditer(code)
                      if code[m.start() - 1: m.end() + 1] == f" {m.group(1)} "]
        for match, changes in found:
            for change in changes:
                changed = line[:match.start(1)] + change + line[match.end(1):]
                yield row + 1, match.group(1), change, "".join(lines[:row] + [changed] + lines[row + 1:])


class Workshop:
    def __init__(self, build, folder):
        self.folder = folder
        commands = {entry["file"]: entry for entry in json.loads((build / "compile_commands.json").read_text())}
        self.commands = {name: commands[str(SOURCE / f"src/rhumb/bdf/{name}.cpp")] for name in PURE + BESIDE}
        self.objects = {name: self.object_of(entry) for name, entry in self.commands.items()}
        tests = {file: entry for file, entry in commands.items()
                 if f"{SOURCE}/tests/unit/" in file and "test_bdf_pure" in entry["command"]}
        self.tests = [str(self.object_of(entry)) for entry in tests.values()]
        for name in HEADERS:
            self.commands[name] = tests[str(SOURCE / f"tests/unit/{name}.cpp")]

    @staticmethod
    def object_of(entry):
        words = shlex.split(entry["command"])
        return pathlib.Path(entry["directory"]) / words[words.index("-o") + 1]

    def survives(self, name, text):
        source, obj, program = (self.folder / f for f in ("mutant.cpp", "mutant.o", "mutant"))
        words = shlex.split(self.commands[name]["command"])
        words[words.index("-o") + 1] = str(obj)
        tests = self.tests
        if name in HEADERS:  # its test is compiled, which finds the changed one first
            header = self.folder / "rhumb" / HEADERS[name]
            header.parent.mkdir(parents=True, exist_ok=True)
            header.write_text(text)
            words.insert(1, f"-I{self.folder}")
            tests = [test for test in tests if test != str(self.object_of(self.commands[name]))]
        else:
            source.write_text(text)
            words[words.index("-c") + 1] = str(source)
        words += ["-O0", "-w"]
        if subprocess.run(words, cwd=self.commands[name]["directory"], capture_output=True).returncode:
            return False  # the compiler noticed
        rest = [str(o) for other, o in self.objects.items() if other != name]
        subprocess.run(["c++", *tests, str(obj), *rest, "-lgtest_main", "-lgtest", "-lfmt", "-lpthread", "-o", str(program)],
                       check=True)
        try:
            return subprocess.run([program], capture_output=True, timeout=SECONDS).returncode == 0
        except subprocess.TimeoutExpired:
            return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    every = [*PURE, *HEADERS]
    parser.add_argument("files", nargs="*", default=every, help=f"of {', '.join(every)}; all without any")
    parser.add_argument("--build", default=os.environ.get("RHUMB_BUILD", "build"))
    wish = parser.parse_args()
    survivors = 0
    with tempfile.TemporaryDirectory(prefix="rhumb-") as folder:
        shop = Workshop(pathlib.Path(wish.build).resolve(), pathlib.Path(folder))
        for name in wish.files:
            path = SOURCE / "src/rhumb" / HEADERS.get(name, f"bdf/{name}.cpp")
            count = 0
            for row, was, now, text in mutants(path):
                line = path.read_text().splitlines()[row - 1]
                if any(f == name and part in line and was == w for (f, part, w) in SAME):
                    continue
                count += 1
                if shop.survives(name, text):
                    survivors += 1
                    print(f"{path.relative_to(SOURCE)}:{row}: nobody notices {was} -> {now}: {line.strip()}", flush=True)
            print(f"{name}: {count} changes tried", flush=True)
    print(f"{survivors} changes were not noticed")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
