"""The page docs/results/explore.md."""

from .spaces import combinations, exact_indices, volume

HEAD = """# Two design spaces, searched

Made by `scripts/reproduce explore`; do not edit. [Exploration](../explore.md) describes the command, `scripts/reproduction/explore/spaces` has both files.
Each space is small enough to run whole, so the fronts are exact, and the methods that run less can be compared with them.
"""


def table(heads, rows):
    return "\n".join(["| " + " | ".join(map(str, row)) + " |" for row in (heads, ["---"] * len(heads), *rows)]) + "\n"


def seen(row, *columns):
    return [row[column] for column in columns]


def push_text(spaces, folder):
    rows = [[f"{float(r['time_ns']):.0f}", f"{float(r['sram_mm2']):.4f}", f"{float(r['link_GBps']):g}", *seen(r, "table", "waves", "buffer")]
            for r in spaces.push.front()]
    base = spaces.push.found["baseline"]["objectives"]
    wide = next(r for r in spaces.push.front() if r["link"] == "50GB/s" and r["buffer"] == "1")
    fastest = spaces.push.front()[0]
    times = {tuple(seen(r, "table", "link", "waves", "buffer")): float(r["time_ns"]) for r in spaces.push.rows}
    alone = times["256B", "50GB/s", "16", "1"]
    buffers = max(1 - time / times[(*point[:3], "1")] for point, time in times.items())
    return f"""## Tables of a push

A push of 1 MiB among the 16 GPUs of a DGX-2: {combinations(spaces.push)} combinations of reduction table, link, waves and input buffer. A buffer of 1 holds a round trip of its link
(the automatic size). Three objectives: time, rate of a link, and SRAM of a switch: 16 ports x (table + input buffer), at 0.05 mm2 for 18 KiB (Klenk et al., IV-G).
The baseline is the machine of the paper: 256 B, 25 GB/s, 16 waves: {base['time_ns']:.0f} ns and {base['sram_mm2']:.4f} mm2.

![front of the push]({folder}push.svg)

{table(("time (ns)", "SRAM (mm2)", "link (GB/s)", "table", "waves", "buffer"), rows)}
* A link of twice the rate pays only with a larger table and more waves: with {wide['table']} and {wide['waves']} waves the push takes {float(wide['time_ns']):.0f} ns, with 256 B and 16 waves
  {alone:.0f} ns, more than at 25 GB/s.
* Beyond 50 GB/s the links buy {100 * (1 - float(fastest['time_ns']) / float(wide['time_ns'])):.0f} % of time, for {float(fastest['sram_mm2']) / float(wide['sram_mm2']):.1f} times the SRAM.
* Input buffers beyond the round trip buy at most {100 * buffers:.1f} % of time.
"""


def priced_text(spaces, folder):
    members = spaces.priced.front()
    rows = [[f"{float(r['time_ns']):.0f}", f"{float(r['area_mm2']):.2f}", f"{float(r['energy_pJ_per_B']):.1f}", *seen(r, "table", "link", "waves", "buffer")]
            for r in members]
    base = spaces.priced.found["baseline"]["objectives"]
    links = {float(r["area_mm2"]): r for r in members}
    most = max(links)
    return f"""### Area and energy

The same points with two other objectives: the [area](../energy.md#area) of a switch, which has the senders and receivers of its links as well as its SRAM, and the [energy](../energy.md) of a
reduced byte. The points do not run again. The baseline has {base['area_mm2']:.2f} mm2 and {base['energy_pJ_per_B']:.1f} pJ/B.

![energy and time of the push]({folder}priced.svg)

{table(("time (ns)", "area (mm2)", "energy (pJ/B)", "table", "link", "waves", "buffer"), rows)}
* Links decide the area: the fastest member has {most / base['area_mm2']:.1f} times the area of the baseline, for {base['time_ns'] / float(links[most]['time_ns']):.1f} times the speed.
* A faster push takes less energy, as the standing power of the switches lasts shorter: {float(links[most]['energy_pJ_per_B']):.0f} pJ/B against {base['energy_pJ_per_B']:.0f}. The power of faster links is not modelled.
"""


def netreduce_text(spaces, folder):
    usual = [r for r in spaces.netreduce.front() if r["clock"] == "3103ps"]
    rows = [[f"{float(r['time_ns']):.0f}", f"{float(r['memory_B']):.0f}", *seen(r, "window", "packets")] for r in usual]
    base = spaces.netreduce.found["baseline"]["objectives"]
    better = next(r for r in reversed(usual) if float(r["time_ns"]) <= base["time_ns"])
    slow = next(r for r in spaces.netreduce.rows if (r["window"], r["packets"], r["clock"]) == (usual[0]["window"], usual[0]["packets"], "5000ps"))
    loss = float(slow["time_ns"]) / float(usual[0]["time_ns"]) - 1
    same = next(r for r in spaces.slow_hosts.rows if (r["window"], r["packets"]) == (usual[0]["window"], usual[0]["packets"]))
    fastest = spaces.slow_hosts.front()[0]
    return f"""## Windows of NetReduce

All-reduces of 64 KiB and 4 MiB on a rack of six hosts: {combinations(spaces.netreduce)} combinations of window, packets of a message and clock of the accelerator. Three objectives:
the geometric mean of both times, the [memory](../blocks/accelerator.md#memory) of the accelerator, and its clock rate. The front has {len(spaces.netreduce.front())} members; those at
322.3 MHz:

![front of NetReduce]({folder}netreduce.svg)

{table(("time (ns)", "memory (B)", "window", "packets"), rows)}
* The paper's choice, 2 messages of 170 packets, takes {base['time_ns']:.0f} ns and {base['memory_B']:.0f} B. A window of {better['window']} messages of {better['packets']} packets takes
  {float(better['time_ns']):.0f} ns in {base['memory_B'] / float(better['memory_B']):.1f} times less memory: short messages pad less, and the window covers the round trip.
* A clock of 200 MHz costs {100 * loss:.1f} % of time at the fastest member.
* `netreduce.flow_control.turnaround`, the time of a host's software between two messages, is 0 by assumption. With 2 us the first row of the table takes {float(same['time_ns']):.0f} ns. The fastest
  is then a window of {fastest['window']} messages of {fastest['packets']} packets, {float(fastest['time_ns']):.0f} ns in {float(fastest['memory_B']):.0f} B: the front rests on this assumption.
"""


def methods_text(spaces, folder):
    rows = []
    for name, explored in (("push", spaces.push), ("netreduce", spaces.netreduce)):
        found = spaces.sobol[name].found["sobol"]
        for variable, (first, total) in exact_indices(explored).items():
            by = found[variable]
            rows.append([name, variable, f"{first:.3f}", f"{total:.3f}", f"{by['S1']:.3f}", f"{by['ST']:.3f}"])
    volumes = []
    for name, explored in (("push", spaces.push), ("netreduce", spaces.netreduce)):
        evolved = spaces.evolved[name]
        members = {tuple(r[c] for c in explored.columns) for r in explored.front()}
        reached = members & {tuple(r[c] for c in explored.columns) for r in evolved.rows}
        volumes.append([name, len(explored.rows), len(evolved.rows), f"{volume(explored, evolved.rows) / volume(explored, explored.rows):.4f}",
                        f"{len(reached)} of {len(members)}"])
    answers = []
    for link, explored in spaces.bisected.items():
        found = explored.found["bisection"]
        drop = f"{found['drop'][1]} is slower than {found['drop'][0]}" if found["drop"] else "monotone"
        answers.append([link, found["answer"], len(explored.rows), drop])
    return f"""## Which variable matters

![indices]({folder}indices.svg)

{table(("space", "variable", "S1", "ST", "S1 by 128 rows", "ST by 128 rows"), rows)}
S1 is the share of the variance of ln(time) that a variable explains alone, ST that which it takes part in. The waves decide a push. Window and message of NetReduce act together: their
ST is far above their S1. The last two columns are estimates of `design: sobol`.

## Fewer runs

Evolution with a population of 20 over 8 generations, against all points:

{table(("space", "points", "points by evolution", "share of the hypervolume", "members of the front"), volumes)}
Bisection of the table that keeps 95 % of the bandwidth at 16 waves:

{table(("link", "table", "points", "check"), answers)}
A search by halves alone would not see that a larger table can be slower: the check does.
"""


def text(spaces, folder):
    return "\n".join([HEAD, push_text(spaces, folder), priced_text(spaces, folder), netreduce_text(spaces, folder), methods_text(spaces, folder)])
