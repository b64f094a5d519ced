"""Case files made of random options of PETSc with hostile values. Whatever is in them, no process is started and no file
is touched: strace watches.

    hostile_cases.py [--cases N] [--whole M] [--seed S]

N case files are checked or run in one process (many-cases), M more by whole drivers, each in a process of its own. The
names are all that PETSc's library has, the values shell commands, paths, viewers, types and numbers; half of the files
keep to the options of the linear solver, which reach PETSc, and run. Exit codes other than 0, 2, 3 and 4 are failures too.
"""

import argparse
import collections
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

import driver

MANY = driver.BUILD / "tests" / "security" / "many-cases"
CHANGES = ("execve,execveat,fork,vfork,clone,clone3,openat,open,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,"
           "mkdirat,rmdir,symlink,symlinkat,link,linkat,truncate,mknod,mknodat,chmod,fchmodat,chown,fchownat")
QUIET_MPI = {"OMPI_MCA_ess_singleton_isolated": "1", "HWLOC_COMPONENTS": "-gl", "DISPLAY": ""}
PREFIXES = ("", "", "dae_", "dae_", "dae_sub_", "dae_mg_levels_", "dae_mg_coarse_", "dae_fieldsplit_pressure_",
            "dae_fieldsplit_velocity_", "mesh_", "dm_")
# What PETSc acts on wherever it stands; one option in four is one of these.
SHARP = ("mat_view", "dm_view", "is_view", "vec_view", "section_view", "ksp_view", "ksp_view_mat", "ksp_view_rhs", "pc_view",
         "ksp_monitor", "log_view", "log_trace", "citations", "malloc_dump", "history", "options_view", "options_file",
         "on_error_attach_debugger", "start_in_debugger")
GOOD_CODES = {0, 2, 3, 4}
BATCH = 250  # case files to a process


def petsc_names():
    """Every literal of the library that looks like an option."""
    listed = subprocess.run(["ldd", str(MANY)], capture_output=True, text=True, check=True).stdout
    library = re.search(r"=> (\S*libpetsc\S*)", listed).group(1)
    found = set(re.findall(rb"-([a-z][a-z0-9_]{2,60})\x00", pathlib.Path(library).read_bytes()))
    return sorted(name.decode() for name in found)


def solver_rules():
    """The allow-list, from its source: name, then kind and permitted words."""
    text = (driver.SOURCE / "src" / "rhumb" / "run" / "solver_options.cpp").read_text()
    words = {name: " ".join(re.findall(r'"([^"]*)"', value))
             for name, value in re.findall(r'string_view (\w+) =\s*((?:"[^"]*"\s*)+);', text)}
    rules = {}
    for name, kind, last in re.findall(r'Rule\{"([a-z0-9_]+)",\s*Kind::(\w+)(?:,\s*([^}]*))?\}', text):
        rules[name] = kind, (words.get(last.strip()) or " ".join(re.findall(r'"([^"]*)"', last))).split()
    return {**rules, "mat_mumps_icntl_14": ("count", []), "mat_mumps_cntl_1": ("real", [])}


class Maker:
    def __init__(self, seed, harm):
        self.random = random.Random(seed)
        self.petsc, self.rules = petsc_names(), solver_rules()
        self.solver = sorted(self.rules)
        self.harm = harm
        commands = [f"touch {harm}", f"id>{harm}", f"rm -rf {harm}", f"echo x >> {harm}"]
        self.values = [form.format(c) for c in commands for form in
                       ("binary:x;{};.gz", "ascii:x;{}", "|{}", ";{};", "`{}`", "$({})", "'; {} #", "x\n{}", "{}")]
        self.values += [form.format(harm) for form in
                        ("{}", ":{}", "ascii:{}", "binary:{}", "hdf5:{}", "vtk:{}.vtu", ":{}:ascii_info_detail",
                         "ascii:{}::append", "matlab:{}", "file://{}", "{}.gz", "../../../../..{}", "draw:tikz:{}.tex",
                         "draw:image:{}.png", "http://127.0.0.1:9/{}")]
        self.values += ["true", "false", "", "0", "1", "-1", "2", "1e-3", "1e308", "nan", "inf", "99999999999", "0,5", "all",
                        "stdout", "stderr", "draw", "socket:127.0.0.1:5005", "gdb", "xterm", "python", "shell", "/etc/passwd",
                        "A" * 5000, "%s%n%s%n", "\t", "${HOME}", "~/x", "*", "null", "[1, 2]", "{a: b}"]

    def quoted(self, text):
        kind = self.random.randrange(4)
        if kind == 0 and not re.search(r"[\n\"'#:{}\[\],&*!|>%@`\t]", text) and text.strip() == text:
            return text
        if kind == 1 and "\n" not in text:
            return "'" + text.replace("'", "''") + "'"
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t") + '"'

    def entry(self, name, value):
        """The same option flat, nested, in a flow map or as a list."""
        kind, parts = self.random.randrange(6), name.split("_")
        if kind == 0 and len(parts) > 1:
            cut = self.random.randrange(1, len(parts))
            head, tail = "_".join(parts[:cut]), "_".join(parts[cut:])
            if head and tail:
                return f"{head}: {{{tail}: {self.quoted_always(value)}}}\n"
        if kind == 1:
            return f"{name}: [{self.quoted_always(value)}, {self.quoted_always(self.random.choice(self.values))}]\n"
        return f"{name}: {self.quoted(value)}\n"

    def quoted_always(self, text):
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t") + '"'

    def hostile(self):
        """Any options of PETSc, any values; sometimes what YAML or PETSc would include."""
        text = ""
        for _ in range(self.random.randint(1, 6)):
            names = SHARP if self.random.random() < 0.25 else self.petsc
            name = self.random.choice(PREFIXES) + self.random.choice(names)
            text += self.entry(name, self.random.choice(self.values))
        if self.random.random() < 0.1:
            text += self.random.choice((f"$$x: !include {self.harm}\n", f"options_file: {self.harm}\n", f"out: {self.harm}\n",
                                        f"options_file_yaml: {self.harm}\n", f"restart: {self.harm}\n", "a: &a 1\nb: *a\n",
                                        f"mesh: {self.harm}\n", f"prefix_push: dae_\nview: {self.harm}\n"))
        return text

    def solvers(self):
        """Options that PETSc will get, mostly with values that the list permits; half of the files keep to options of
        one preconditioner, which PETSc then reads."""
        kind = self.random.choice(self.fitting("pc_type"))
        marks = ("factor",) if kind in ("lu", "ilu", "icc", "cholesky") else (f"pc_{kind}_", f"{kind}_")
        own = [name for name in self.solver if any(mark in name for mark in marks)]
        names = {"dae_pc_type"} if self.random.random() < 0.5 else set()
        for _ in range(self.random.randint(1, 3)):
            names.add("dae_" + self.random.choice(own or ["ksp_type"]) if "dae_pc_type" in names else
                      self.random.choice(("dae_", "dae_", *PREFIXES[4:9])) + self.random.choice(self.solver))
        text = ""
        for name in sorted(names):
            good = self.random.random() < 0.95
            value = kind if name == "dae_pc_type" else self.random.choice(self.fitting(name) if good else self.values)
            text += f"{name}: {self.quoted(value)}\n"
        return text

    def fitting(self, name):
        """Values that the list permits for an option."""
        for rule, (kind, words) in self.rules.items():
            if name.endswith(rule):
                return {"string": words, "flag": ["true", "false"], "count": ["0", "1", "2", "3", "7", "100"],
                        "real": ["0", "1", "0.5", "1e-6", "-1", "2"], "reals": ["0,1", "0.1,0.2", "0,0.1,0,1.1"]}[kind]
        return ["1"]

    def case(self, number):
        return self.solvers() if number % 2 else self.hostile()


def watched(command, log, where, timeout):
    trace = [shutil.which("strace"), "-f", "-qq", "-s", "400", "--seccomp-bpf", "-e", "trace=" + CHANGES, "-o", str(log)]
    return subprocess.run([*trace, *map(str, command)], cwd=where, capture_output=True, text=True, errors="replace",
                          timeout=timeout, stdin=subprocess.DEVNULL, env={**os.environ, **QUIET_MPI})


def harmful(call):
    """Whether a line of strace starts something or changes a file. Open MPI's own folder comes and goes, and where another
    program has just removed its parent, all folders on the way are made once more, those that exist in vain."""
    name = call.split("(", 1)[0]
    if re.search(r'"(/dev/|[^"]*/ompi\.)', call) or (name == "mkdir" and "= -1 EEXIST" in call):
        return False
    if name in ("openat", "open"):
        return re.search(r"O_(WRONLY|RDWR|CREAT|TRUNC|APPEND)", call) is not None
    return name not in ("clone", "clone3") or "CLONE_THREAD" not in call


def calls_of(log):
    for line in log.read_text(errors="replace").splitlines():
        call = re.sub(r"^\d+ +", "", line)
        if re.match(r"[a-z0-9]+\(", call):
            yield call


def in_one_process(count, seed, folder):
    """Returns what went wrong, and how often each exit code came."""
    cases, where = folder / "cases", folder / "where"
    cases.mkdir(), where.mkdir()
    maker = Maker(seed, folder / "where" / "harm")
    texts = [maker.case(number) for number in range(count)]
    wrong, codes, start = [], collections.Counter(), 0

    def run_some(numbers):
        lines = []
        for number in numbers:
            (cases / f"{number}.yaml").write_text(texts[number])
            app, mode = ("heat", "flow")[number // 2 % 2], "-check" if number % 4 == 0 else "-dae_check_jacobian"
            lines.append(f"{app} {mode} {cases / f'{number}.yaml'}\n")
        (folder / "list").write_text("".join(lines))
        done = watched([MANY, folder / "list"], folder / "log", where, 60 + len(numbers))
        wrong.extend(changes(folder / "log", str(cases), str(folder / "list.end")))
        return done, [int(code) for code in re.findall(r"^\d+ (\d+)$", done.stdout, re.MULTILINE)]

    while start < count and len(wrong) < 20:
        numbers = range(start, min(start + BATCH, count))
        done, ended = run_some(numbers)
        codes.update(ended)
        for number, code in zip(numbers, ended):  # hypre does not forget an error, so a bad one gets a process of its own
            if code not in GOOD_CODES and not GOOD_CODES & set(run_some([number])[1]):
                wrong.append(f"case {number} ends with {code}:\n{texts[number]}")
        start += len(ended)
        if done.returncode != 0 or len(ended) < len(numbers):
            wrong.append(f"case {start} ends the process with {done.returncode}:\n{texts[start]}\n{done.stderr[-2000:]}")
            start += 1
    if list(where.iterdir()):
        wrong.append(f"files appeared: {sorted(os.listdir(where))}")
    return wrong, codes


def changes(log, first, end):
    """Harmful calls between the first case file and the end."""
    found, case = [], None
    for call in calls_of(log):
        if first in call:
            case = re.search(r'"([^"]*)"', call).group(1)
        elif end in call:
            break
        elif case and harmful(call):
            found.append(f"{case}: {call}")
    return found


def kind_of(call):
    """The call without what differs from run to run: numbers, addresses, its result, whether another process came between."""
    call = re.sub(r", child_tidptr=0x[0-9a-f]+", "", call)
    return re.sub(r"\d+", "0", re.sub(r"( = .*| <unfinished \.\.\.>|\))$", "", re.sub(r" = .*", "", call)))


def of_whole_drivers(count, seed, folder):
    """Processes of their own: what PETSc does when it starts and ends is watched too, against a case file that is empty."""
    drivers = (("rhumb-heat", "-n", "6,6", "-k", "1"), ("rhumb-flow", "-problem", "cavity", "-n", "6,6"),
               ("rhumb-dae", "-problem", "robertson"))
    where, case, log = folder / "whole", folder / "case.yaml", folder / "log"
    where.mkdir()
    maker, wrong, codes = Maker(seed, where / "harm"), [], collections.Counter()

    def kinds(words, text):
        case.write_text(text)
        done = watched([driver.path(words[0]), case, *words[1:], "-t_end", "1e-3", "-dae_max_steps", "3", "-quiet", "-out",
                        folder / "out"], log, where, 120)
        return done, {kind_of(call) for call in calls_of(log) if harmful(call) and str(folder / "out") not in call}

    # Into a new folder and into one that is there, whose files are read in a process of their own (io/isolated).
    usual = {words: kinds(words, "# nothing\n")[1] | kinds(words, "# nothing\n")[1] for words in drivers}
    for number in range(count):
        words, text = drivers[number % len(drivers)], maker.case(number // 2)
        done, seen = kinds(words, text)
        codes[done.returncode] += 1
        wrong += [f"{words[0]}, case {number}: {call}\n{text}" for call in seen - usual[words]]
        if done.returncode not in GOOD_CODES:
            wrong.append(f"{words[0]}, case {number} ends with {done.returncode}:\n{text}\n{done.stderr[-1000:]}")
        if list(where.iterdir()):
            wrong.append(f"{words[0]}, case {number}: files appeared: {sorted(os.listdir(where))}\n{text}")
            break
    return wrong, codes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--whole", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    words = parser.parse_args([word for word in sys.argv[1:] if word != "-v"])
    failures = 0
    for what, count, job in (("in one process", words.cases, in_one_process), ("whole drivers", words.whole, of_whole_drivers)):
        with tempfile.TemporaryDirectory(prefix="rhumb-") as name:
            wrong, codes = job(count, words.seed, pathlib.Path(name))
        print(f"{what}: {count} case files of {len(petsc_names())} names, exit codes {dict(sorted(codes.items()))}, "
              f"{len(wrong)} wrong")
        for line in wrong[:20]:
            print(line)
        failures += len(wrong)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
