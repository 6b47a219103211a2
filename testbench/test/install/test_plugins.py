"""Blocks in shared libraries, built with the installed headers: tributary run --plugin.

usage: test_plugins.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]
"""
import json
import os
import re
import subprocess

from from_outside import COMPILERS, EXAMPLES, SOURCE, FromOutside, main, run


COUNTED_LISTS = """cmake_minimum_required(VERSION 3.23)
project(counted_table LANGUAGES CXX)
find_package(Tributary REQUIRED COMPONENTS platforms)
add_library(counted_table MODULE plugin.cpp)
target_link_libraries(counted_table PRIVATE Tributary::platforms)
"""
# All tables count in one variable, and remember the thread of the first one.
COUNTED_TABLE = """
#include <iostream>
#include <thread>

#include "modules/base/sysc/shared_state.h"
#include "platforms/nvswitch/blocks.h"
#include "platforms/plugin.h"
#include "set_associative_table.h"

namespace {

struct Count {
  ~Count() { if (operands > 0) std::cout << "counted " << (alone ? "in order" : "by several threads") << std::endl; }
  std::thread::id first;
  unsigned long operands = 0;
  bool alone = true;
} count;

class CountedTable : public SetAssociativeTable, public tributary::SharedStatePart {
 public:
  using SetAssociativeTable::SetAssociativeTable;

 private:
  void b_transport(tributary::TableTransaction& t, sc_core::sc_time& delay) override {
    if (count.operands++ == 0) count.first = std::this_thread::get_id();
    count.alone = count.alone && count.first == std::this_thread::get_id();
    SetAssociativeTable::b_transport(t, delay);
  }
};

}  // namespace

TRIBUTARY_PLUGIN(blocks) {
  blocks.add(tributary::reduction_table_slot, [](const char* name, const tributary::ReductionTableConfig& config) {
    return std::make_unique<CountedTable>(name, config, 1);
  });
}
"""


class Plugins(FromOutside):

    def plugin(self, name, source):
        """Builds a shared library of blocks from this text with the installed headers."""
        (self.folder / f"{name}.cpp").write_text(source)
        library = self.folder / f"{name}.so"
        run("g++", "-std=c++17", "-shared", "-fPIC", f"-I{self.prefix}/include/tributary", self.folder / f"{name}.cpp", "-o", library)
        return library

    def refused(self, plugin, *words):
        done = subprocess.run([self.prefix / "bin/tributary", "run", "--size", "1KiB", "--plugin", plugin], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1), done.stderr)
        for word in ("tributary: error: ", *words):
            self.assertIn(word, done.stderr)

    def test_bad_plugins_are_refused_in_one_line(self):
        slot = "tributary::BlockSlot<std::function<std::unique_ptr<int>(int)>>"
        named = '#include "platforms/plugin.h"\nTRIBUTARY_PLUGIN(blocks) { blocks.add(%s{"%s"}, nullptr); }\n'
        table = "nvswitch.switch.reduction_table"
        self.refused("missing.so", "there is no plugin missing.so")
        self.refused(SOURCE / "README.md", "--plugin: plugin ", "cannot be loaded")
        self.refused(self.plugin("bare", "int nothing;\n"), "has no entry")
        self.refused(self.plugin("old", 'struct { const char* tag; void* add; } old{"tributary 0.0.9, plugin 1", nullptr};\n'
                                        'extern "C" void* tributary_plugin() { return &old; }\n'), "'tributary 0.0.9, plugin 1'", "legal: 'tributary ")
        self.refused(self.plugin("first", 'struct { const char* tag; void* add; } first{"tributary 0.2.0, plugin 1", nullptr};\n'
                                          'extern "C" void* tributary_plugin() { return &first; }\n'), "'tributary 0.2.0, plugin 1'", "plugin 2'")
        self.refused(self.plugin("empty", '#include "platforms/plugin.h"\nTRIBUTARY_PLUGIN(blocks) {}\n'), "has no blocks")
        self.refused(self.plugin("unknown", named % (slot, "nvswitch.switch.reduction_tabel")), "unknown block", f"did you mean {table}")
        self.refused(self.plugin("elsewhere", named % (slot, "schedule_nic.nic.table")), "dgx2 has no block schedule_nic.nic.table", table)
        other = self.plugin("other", named % (slot, table))
        self.refused(other, table, "legal: built against this version")
        self.refused(f"{other}:nvswitch.gpu.dma", "unknown block 'nvswitch.gpu.dma'", "other.so")

    def plugged(self, library, *arguments, code=0, **options):
        """Runs a push of 1 MiB on a DGX-2 with two entries per port; returns its JSON."""
        run(self.prefix / "bin/tributary", "run", "--platform", "dgx2", "--collective", "allreduce", "--algorithm", "push", "--size", "1MiB",
            "--json", self.folder / "plugged.json", *(["--plugin", library] if library else []), *arguments, code=code, **options)
        return json.loads((self.folder / "plugged.json").read_text())

    def test_a_users_table_works_as_a_plugin(self):
        """At all 192 ports: the sums stay right, and the evictions of a direct-mapped table and its own probes are visible."""
        self.example("own_table")
        model = self.plugged(None)["results"][0]
        for compiler in COMPILERS:
            library = self.folder / f"own_table.{compiler}" / "libown_table_plugin.so"
            waveform = self.folder / "plugged.vcd"
            told = self.plugged(library, "--vcd", waveform, "--trace", "*.table.conflicts")
            self.assertEqual((told["plugins"], told["replaced_blocks"]), ([str(library)], ["nvswitch.switch.reduction_table"]))
            row = told["results"][0]
            self.assertEqual((row["status"], row["wrong"]), ("done", 0))
            self.assertGreater(row["counters"]["switch.evictions"], model["counters"]["switch.evictions"])
            # Every operand is inserted or added, regardless of evictions.
            self.assertEqual(row["counters"]["switch.merges"] + row["counters"]["switch.allocations"], 16 * 8192)
            self.assertGreater(waveform.read_text().count("\n1"), 1)
            self.assertEqual(self.plugged(f"{library}:nvswitch.switch.reduction_table")["results"], told["results"])
        scenario = self.folder / "plugged.yaml"
        scenario.write_text(f"plugin: {library}\n")
        self.assertEqual(self.plugged(None, scenario)["results"], told["results"])

    def test_tables_of_a_plugin_run_on_threads_unless_they_declare_shared_state(self):
        """A user's tables have the same results on two threads. Tables that count in one variable all run on one thread."""
        self.example("own_table")
        one = self.plugged(self.build / "libown_table_plugin.so", "--threads", "1")
        two = self.plugged(self.build / "libown_table_plugin.so", "--threads", "2")
        self.assertEqual(two["results"], one["results"])
        folder = self.folder / "counted_table"
        folder.mkdir()
        table = (EXAMPLES / "own_table" / "set_associative_table.h").read_text()
        (folder / "set_associative_table.h").write_text(table.replace(" private:", " protected:"))
        (folder / "CMakeLists.txt").write_text(COUNTED_LISTS)
        (folder / "plugin.cpp").write_text(COUNTED_TABLE)
        build = self.configure(folder, "counted_table.build", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build)
        arguments = ["--algorithm", "push", "--size", "256KiB", "--plugin", build / "libcounted_table.so"]
        for asked, line in ((["--threads", "2"], 1), ([], 0)):
            done = subprocess.run([self.prefix / "bin/tributary", "run", *arguments, *asked], capture_output=True, text=True, check=True)
            self.assertEqual(done.stderr.count("the run uses one thread, because dgx2."), line, done.stderr)
            self.assertEqual(done.stderr.count("shares state with modules of other devices"), line, done.stderr)
            self.assertIn("counted in order", done.stdout)

    def test_the_listed_headers_declare_the_factories(self):
        rows = [line.split(maxsplit=2) for line in run(self.prefix / "bin/tributary", "list", "blocks").splitlines()[1:]]
        lines = [f'#include "{header}"' for header in sorted({row[1] for row in rows})] + ["namespace tributary {"]
        lines += [f"static_assert(sizeof({re.search(r'[(]([^()]*)[)]$', row[2])[1]}) > 0);" for row in rows]
        self.assertGreater(len(rows), 20)
        self.plugin("factories", "\n".join(lines) + "\n}\n")

    def test_operands_in_a_table_without_events_are_shown_by_its_port(self):
        """Each of 16 operands of a block is one event, and the sum of all is the last one."""
        self.example("own_table")
        said = run(self.prefix / "bin/tributary", "run", "--algorithm", "push", "--size", "8KiB", "--trace-block", "62", "--quiet",
                   "--set", "nvswitch.switch.reduction_table.bytes=8KiB", "--plugin", self.build / "libown_table_plugin.so")
        shown = re.findall(r"port\d+\.table_socket +entry \d+ (\w+)", said)
        self.assertEqual(shown, ["allocated"] + 15 * ["adds"] + ["complete", "free"], said)
        self.assertRegex(said, r"table_socket +entry \d+ complete, 16 of 16, sum ")

    def test_a_plugin_works_in_sweeps_and_netlists(self):
        self.example("own_table")
        library = self.build / "libown_table_plugin.so"
        tributary = self.prefix / "bin" / "tributary"
        scenario, out = self.folder / "swept.yaml", self.folder / "swept"
        scenario.write_text(f"plugin: {library}\nsize: 64KiB\nparameters: {{ nvswitch.switch.reduction_table.bytes: [256B, 512B] }}\n")
        run(tributary, "sweep", scenario, "--out", out, "--quiet")
        points = [json.loads(point.read_text()) for point in (out / "points").glob("*.json")]
        self.assertEqual([(p["plugins"], p["results"][0]["wrong"]) for p in points], [([str(library)], 0)] * 2)
        before = run(tributary, "sweep", scenario, "--list")
        copy = self.folder / "copy.so"
        copy.write_bytes(library.read_bytes() + b"\0")  # a different build of the plugin
        scenario.write_text(scenario.read_text().replace(str(library), str(copy)))
        self.assertNotEqual(before.split()[1], run(tributary, "sweep", scenario, "--list").split()[1])
        self.assertIn("SetAssociativeTable", run(tributary, "netlist", "--plugin", library))
        self.assertIn("nvswitch.switch.reduction_table", run(tributary, "list", "blocks"))

    def test_a_users_copy_engine_works_as_a_plugin(self):
        """At half the rate of each link a broadcast on a DGX-1V takes nearly twice as long, and its data stay right."""
        self.example("own_copy_engine")
        times = []
        for plugin in ([], ["--plugin", self.build / "libown_copy_engine_plugin.so"]):
            run(self.prefix / "bin/tributary", "run", "--platform", "dgx1v", "--collective", "broadcast", "--size", "32MiB",
                "--json", self.folder / "copied.json", *plugin)
            row = json.loads((self.folder / "copied.json").read_text())["results"][0]
            self.assertEqual((row["status"], row["wrong"]), ("done", 0))
            times.append(row["time_ns"])
        self.assertTrue(1.6 < times[1] / times[0] < 2.05, times)

    def test_a_plugin_that_leaks_is_named(self):
        self.example("own_table")
        for monitors, line in (("off", r": an operand of block \d+ has not come back"), ("foreign", r" breaks the rule `\w+` at \d+ ps: block \d+ ")):
            done = subprocess.run([self.prefix / "bin/tributary", "run", "--algorithm", "push", "--size", "64KiB", "--quiet", "--check-blocks", monitors,
                                   "--plugin", self.build / "libown_table_plugin.so"], capture_output=True, text=True, check=False,
                                  env={**os.environ, "OWN_TABLE_LEAK": "dgx2.switch0_2.port5"})
            self.assertEqual(done.returncode, 3)
            self.assertRegex(done.stderr, r"dgx2\.switch0_2\.port5\.table" + line)


if __name__ == "__main__":
    main()
