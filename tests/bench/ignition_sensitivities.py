"""Which reaction rules the ignition delay of hydrogen: p/f df/dp of all 29 rates in one run, beside changed mechanisms.

    ./run bench ignition_sensitivities [--rtol 1e-9]

For each reaction the mechanism's file is written anew with its pre-exponential factors (both of a falloff reaction) 1e-3 higher and
lower, and run at rtol 1e-11; mass fractions have an absolute tolerance of 1e-22 there, since the radicals that the first reactions
make begin far below the usual one. The last column is the difference over the sensitivity itself.
"""

import argparse
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import driver  # noqa: E402

CASE = str(driver.SOURCE / "apps/ignite/delay.yaml")
MECHANISM = driver.SOURCE / "apps/ignite/h2_air.yaml"
STEP = 1e-3
TIGHT = ("-dae_rtol", 1e-11, *(word for name in ("H2", "H", "O", "O2", "OH", "H2O", "HO2", "H2O2")
                               for word in (f"-dae_atol_Y_{name}", 1e-22)))


def run(*words):
    done = driver.run("rhumb-ignite", CASE, "-quiet", *words, timeout=600)
    assert done.code == 0, done.errors
    return done.summary


def changed(number, factor):
    """The mechanism's text with another factor in front of a reaction."""
    head, *reactions = re.split(r"(?m)^(?=- equation)", MECHANISM.read_text())
    reactions[number - 1] = re.sub(r"(rate-constant: \{A: )([-+.e\d]+)", lambda m: f"{m[1]}{float(m[2]) * factor!r}",
                                   reactions[number - 1])
    return head + "".join(reactions)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rtol", default="1e-9", help="of the run with sensitivities")
    options = parser.parse_args()
    found = run("-dae_rtol", options.rtol, "-sensitivity", "A_*")
    delay, derivatives = found["results"]["ignition_delay"], found["sensitivities"]["ignition_delay"]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "changed.yaml"

        def delay_of(number, factor):
            file.write_text(changed(number, factor))
            return run("-mechanism", file, *TIGHT)["results"]["ignition_delay"]

        for name, value in found["sensitivity_parameters"].items():
            number = int(name.split("_")[1])
            difference = (delay_of(number, 1 + STEP) - delay_of(number, 1 - STEP)) / (2 * STEP) / delay
            rows.append((value * derivatives[name] / delay, difference, number, found["sensitivity_descriptions"][name]))
    rows.sort(key=lambda row: -abs(row[0]))
    largest = abs(rows[0][0])
    print("| reaction | sensitivity | by differences | off by, of itself |\n|---|---|---|---|")
    for own, other, number, text in rows:
        print(f"| {number}: {text.split(' of ', 1)[1]} | {own:.5g} | {other:.5g} | {abs(own - other) / abs(other or 1):.1e} |")
    print(f"largest difference of all: {max(abs(a - b) for a, b, *_ in rows) / largest:.1e} of the largest")


if __name__ == "__main__":
    main()
