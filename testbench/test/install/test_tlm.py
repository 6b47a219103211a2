"""A memory of a tutorial of TLM-2.0 at the sockets of the installed library, and resolutions of time.

usage: test_tlm.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]
"""
import subprocess

from from_outside import COMPILERS, SOURCE, STRICT, FromOutside, main, run


class Tlm(FromOutside):

    def test_a_textbook_memory_binds_and_other_resolutions_are_refused(self):
        for compiler in COMPILERS:
            build = self.configure(SOURCE / "testbench/test/install/tlm", f"tlm.{compiler}", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                                   f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_CXX_FLAGS={STRICT}", f"-DTEXTBOOK={SOURCE / 'testbench/test/harness'}")
            run("cmake", "--build", build)
            self.assertEqual(run(build / "own_memory"), "4096 elements, 0 wrong, 0 breaches\n")
            self.assertEqual(run(build / "at_memories"), "8192 elements, 0 wrong, 0 breaches\n")
            for when in ("before", "after"):
                done = subprocess.run([build / "own_memory", when], capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stdout, done.stderr),
                                 (2, "", "tributary: error: time resolution is 100 fs; Tributary needs 1 ps: remove sc_set_time_resolution, and build RTL "
                                         "with verilator --timescale-override /1ps\n"))


if __name__ == "__main__":
    main()
