"""How often a fit's parameters lie within two of their standard errors: the rod of the tests, a hundred draws of noise.

    ./run bench rod_fits [--seeds 100]
"""

import argparse
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "run"))
import fits  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=100)
    options = parser.parse_args()
    fits.Rod.setUpClass()
    rod = fits.Rod()
    one, both, chi_squared, runs = dict.fromkeys(fits.TRUTH, 0), 0, 0.0, 0
    for seed in range(options.seeds):
        found = rod.fit(rod.measured(seed)).summary["fit"]
        good = {name: abs(found["parameters"][name]["value"] - value) <= 2 * found["parameters"][name]["standard_error"]
                for name, value in fits.TRUTH.items()}
        for name, hit in good.items():
            one[name] += hit
        both += all(good.values())
        chi_squared += found["chi_squared"]
        runs += found["runs"]
    fits.Rod.tearDownClass()
    print(f"of {options.seeds} seeds within two standard errors: "
          + ", ".join(f"{name} {count}" for name, count in one.items()) + f", both {both}")
    print(f"mean chi squared per degree of freedom {chi_squared / options.seeds / (60 - 2):.3f}, {runs / options.seeds:.1f} runs per fit")


if __name__ == "__main__":
    main()
