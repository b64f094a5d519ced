"""Includes go along the arrows of the house: a room knows the rooms below it and no other."""

import pathlib
import re
import unittest

from driver import SOURCE

TOP = SOURCE / "src" / "rhumb"

# Who may know whom. `USES` in a room's CMakeLists.txt says who does.
ARROWS = {
    "core": set(),
    "dae": {"core"},
    "grid": {"core"},
    "bdf": {"core", "dae"},
    "pde/box": {"core", "dae", "grid"},
    "pde/fem": {"core", "dae", "grid"},
    "pde/moving": {"core", "dae", "grid"},
    "pde/moving_box": {"core", "dae", "grid"},
    "pde/text": {"core", "dae", "grid", "io", "pde/box", "pde/fem", "pde/moving", "pde/moving_box"},
    "physics/heat": {"core", "dae", "grid", "pde/box", "pde/fem"},
    "physics/flow": {"core", "dae", "grid", "pde/box", "pde/fem"},
    "physics/mechanics": {"core", "dae"},
    "physics/combustion": {"core", "dae", "grid", "pde/moving"},
    "physics/network": {"core", "dae", "grid"},
    "io": {"core", "dae", "grid"},
    "run": {"core", "dae", "bdf", "io"},
    "ts": {"core", "dae", "bdf"},
}


def room_of(path):
    """The room of a path below src/rhumb; '' for what lies at the top."""
    return next((room for room in ARROWS if path.startswith(room + "/")), "")


def wrong_arrows(path, text):
    """What is included in a room's file against the arrows, as sentences."""
    room = room_of(path)
    wrong = [f"{path} includes \"{name}\": write <rhumb/...>" for name in re.findall(r'^\s*#\s*include\s*"([^"]+)"', text, re.M)]
    for name in re.findall(r"^\s*#\s*include\s*<rhumb/([^>]+)>", text, re.M):
        other = room_of(name)
        allowed = other in ARROWS[room] | {room} or name == "version.hpp"
        if not allowed:
            wrong.append(f"{path} includes <rhumb/{name}>: {room} must not know {other or 'the whole'}")
    return wrong


class TheHouse(unittest.TestCase):
    def test_every_file_is_in_a_room_that_the_picture_has(self):
        lost = [str(path.relative_to(TOP)) for path in TOP.rglob("*.[ch]pp") if not room_of(str(path.relative_to(TOP)))]
        self.assertEqual(lost, ["rhumb.hpp"])

    def test_no_include_goes_against_the_arrows(self):
        wrong = []
        for path in sorted(TOP.rglob("*.[ch]pp")):
            name = str(path.relative_to(TOP))
            if room_of(name):
                wrong += wrong_arrows(name, path.read_text())
        self.assertEqual(wrong, [], "\n".join(wrong))

    def test_rooms_link_what_the_picture_allows_and_all_that_they_include(self):
        short = {room.split("/")[-1]: room for room in ARROWS}
        for room, allowed in ARROWS.items():
            with self.subTest(room=room):
                said = re.search(r"^  USES ([\w ]+)", (TOP / room / "CMakeLists.txt").read_text(), re.M)
                uses = {short[name] for name in said.group(1).split()} if said else set()
                self.assertLessEqual(uses, allowed)
                text = "".join(path.read_text() for path in (TOP / room).glob("*.[ch]pp"))
                included = {room_of(name) for name in re.findall(r"^#include <rhumb/([^>]+)>", text, re.M)} - {room, ""}
                self.assertLessEqual(included, uses)

    def test_an_include_that_goes_up_or_sideways_is_noticed(self):
        self.assertEqual(wrong_arrows("dae/system.cpp", "#include <rhumb/core/check.hpp>\n#include <rhumb/dae/system.hpp>\n"), [])
        for path, name in [("dae/system.cpp", "bdf/options.hpp"), ("pde/fem/space.cpp", "pde/box/stencil.hpp"),
                           ("physics/heat/case.cpp", "run/run.hpp"), ("bdf/step.cpp", "rhumb.hpp"),
                           ("core/check.hpp", "ts/register.hpp")]:
            with self.subTest(path=path, name=name):
                self.assertEqual(len(wrong_arrows(path, f"  # include <rhumb/{name}> // why\n")), 1)
        self.assertEqual(len(wrong_arrows("dae/system.cpp", '#include "system.hpp"\n')), 1)


if __name__ == "__main__":
    unittest.main()
