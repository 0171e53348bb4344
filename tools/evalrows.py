# SPDX-License-Identifier: MIT
"""The figures of tools/eval: workloads, what is measured of them, bounds.

Each function of ROWS takes an Eval and returns a list of Figure.
"""
import random
import statistics

from evalsim import (NEVER, edf_misses, of_file, offline, offline_names, online, scenario, section,
                     without_offline)

US = 1000
MS = 1000 * US
S = 1000 * MS


class Figure:
    """One figure and its bound. @is_most: the bound is the largest value that is good."""

    def __init__(self, case, value, bound=None, is_most=True, unit="", note=""):
        self.case, self.value, self.bound, self.is_most = case, value, bound, is_most
        self.unit, self.note = unit, note

    def is_met(self):
        """None: there is no bound."""
        if self.bound is None or self.value is None:
            return None
        return self.value <= self.bound if self.is_most else self.value >= self.bound


def at_least(case, value, bound, unit="", note=""):
    return Figure(case, value, bound, False, unit, note)


# Workloads.

def tail(rate, mix="vgg", kernel="10ms", duration="3s", **more):
    return scenario(online(start="20ms", arrival=f"uniform {rate}/s", mix=mix),
                    offline(kernel=f"{kernel} fill 100%"), duration=duration, **more)


def many(nr, duration="2s"):
    """@nr online processes of 0.25 % load each beside one offline."""
    return scenario(online(processes=nr, arrival="poisson 5/s", kernel="100us x 5 fill 30%"),
                    offline(kernel="10ms"), duration=duration)


def dense(gap, duration="500ms"):
    return scenario(online(start="20ms", arrival=f"closed think {gap}us", kernel="60us"),
                    offline(kernel="10ms"), duration=duration)


def victims(nr, duration="1s"):
    return scenario(online(start="20ms", arrival="uniform 20/s", mix="vgg"),
                    offline(processes=nr, arrival="closed", kernel="10ms"), duration=duration)


def phase(gap, duration="1s"):
    """Pairs of requests: the second comes at any phase of the hand-back after the first."""
    return scenario(online(start="20ms", arrival=f"burst 2 every 10.007ms gap {gap}us",
                           kernel="200us"),
                    offline(kernel="endless", arrival="closed"), duration=duration)


def burst(gap, duration="3s"):
    return scenario(online(start="20ms", arrival=f"burst 32 every 50.013ms gap {gap}us",
                           kernel="180us"),
                    offline(kernel="10ms"), duration=duration)


def short(duration="3s"):
    """Requests at random: even ones lock in with kernels that are all alike."""
    return scenario(online(start="20ms", arrival="poisson 100/s", kernel="150us"),
                    offline(kernel="135us"), duration=duration)


def fitting(duration="2s"):
    """Both fit on the GPU: nothing has to leave."""
    return scenario(online(start="20ms", arrival="uniform 60/s", mix="bert"),
                    offline(kernel="10ms fill 50%"), duration=duration)


def llm(duration="6s"):
    """Decode steps above prefill, beside training of matrix products of 1 to 50 ms."""
    return scenario(online("decode", priority=13, arrival="uniform 60/s",
                           kernel="100us x 64 fill 25%"),
                    online("prefill", arrival="poisson 2/s", kernel="1ms x 20"),
                    offline("training", kernel=["1ms", "5ms", "20ms", "50ms"]),
                    duration=duration)


def tenants(policy, duration="3s"):
    lengths = ("200us", "1ms", "10ms", "50ms")
    return scenario(*(section(f"class k{k}", processes=16, arrival="closed 2", kernel=k)
                      for k in lengths), policy=policy, duration=duration)


def interactive(duration="20s"):
    """Light work: 2 ms after each pause; its deadline only counts what takes longer."""
    light = [section(f"class think{t}", arrival=f"closed think {t}ms", kernel="500us x 4",
                     deadline="10ms") for t in (20, 50, 100, 200)]
    return scenario(*light, section("class batch", processes=2, arrival="closed 2", kernel="5ms"),
                    policy="mlfq", duration=duration)


MODELS = {
    "DISB A": lambda: of_file("disb-a"),
    "DISB B": lambda: of_file("disb-b"),
    "DISB C": lambda: of_file("disb-c"),
    "DISB D": lambda: of_file("disb-d"),
    "DISB E": lambda: of_file("disb-e"),
    "REAL": lambda: of_file("real"),
    "LLM": llm,
}


# Prefill is below decode and gives way to it, so decode is held against decode by itself.
BELOW = ("prefill",)


def worst(result, reference, key):
    """The worst class of the reference against the same class there."""
    return max(result[n].latency(key) / reference[n].latency(key) if
               reference[n].latency(key) != NEVER else 0 for n in reference.classes)


def run_model(ev, name, gpu, **options):
    """The run, and the online classes together on the stock driver without offline work."""
    text = MODELS[name]()
    base = {"gpu": gpu, "duration": ev.duration("6s", "2s"), "model": options.get("model")}
    slug = name.lower().replace(" ", "-")
    return (ev.sim.run(slug, text, False, **{**base, **options}),
            ev.sim.run(slug + "-online", without_offline(text, BELOW), False,
                       **{**base, "mechanism": "none"}))


# Figures.

# Several online models share the GPU: which kernels meet is chance.
TOGETHER = ("DISB D", "DISB E", "REAL")


def chance(ev, name, gpu):
    """The worst p99 to online alone if one class begins later by less than a floor.

    Nothing but online classes on the stock driver: what a preemption does to them at least, as
    some requests wait for one and others find the GPU free.
    """
    text = without_offline(MODELS[name](), BELOW)
    options = {"gpu": gpu, "duration": ev.duration("6s", "2s"), "mechanism": "none"}
    slug = f"{name.lower().replace(' ', '-')}-chance"
    reference = ev.sim.run(slug, text, False, **options)
    most = 0
    for late in ev.few((25, 50, 75), (50,)):
        for part in reference.classes:
            header = f"[class {part}]\n"
            r = ev.sim.run(slug, text.replace(header, f"{header}host = {late}us\n"), False,
                           **options)
            # Its own wait is not counted.
            own = {part: late * US}
            most = max(most, *((r[n].latency("p99") - own.get(n, 0)) / reference[n].latency("p99")
                               for n in reference.classes))
    return f"online alone, one class begins 25 to 75 us later: up to {most:.3f}"


def models(ev):
    out = []
    for gpu in ev.gpus:
        for name in MODELS:
            note = chance(ev, name, gpu) if name in TOGETHER else ""
            for mechanism in ("cwsr", "cwsr-queue"):
                r, reference = run_model(ev, name, gpu, mechanism=mechanism)
                case = f"{name}, {gpu}, {mechanism}"
                out.append(Figure(f"{case}: p99", worst(r, reference, "p99"), 1.02,
                                  note=note or limit_p99(r, reference)))
                out.append(Figure(f"{case}: p99.9", worst(r, reference, "p999"), 1.05))
    return out


def left(ev, rate, mix, bounds, model=None, p99_bound=None):
    out = []
    for mechanism, bound in bounds.items():
        r = ev.sim.run(f"tail-{rate}", tail(rate, mix, duration=ev.duration("3s", "1s")),
                       mechanism=mechanism, model=model)
        out.append(Figure(f"{rate}/s, {mechanism}: p99",
                          r["online"].latency("p99") / r["online"].alone("p99"), p99_bound,
                          note=limit(r, r, "alone") if p99_bound else ""))
        out.append(at_least(f"{rate}/s, {mechanism}: offline",
                            100 * r.offline_of_rest(), bound, "%"))
    return out


def limit(r, reference, which="latency"):
    """The least p99 to alone of a mechanism that begins when the request comes, first class."""
    name = next(iter(reference.classes))
    alone = getattr(reference[name], which)("p50")
    return f"limit by the least floor {1 + r.floor_ns() / alone:.3f}" if r.floor_ns() else ""


def limit_p99(r, reference):
    """The same of a mechanism whose floor varies: of requests that are all alike."""
    first = reference[next(iter(reference.classes))]
    return f"limit by the least floor's p99 {1 + r.floor_p99_ns() / first.latency('p50'):.3f}"


def left_100(ev):
    return left(ev, 100, "vgg", {"cwsr": 98, "cwsr-queue": 98.5})


def left_300(ev):
    return left(ev, 300, "vgg scale 0.5", {"cwsr": 75, "cwsr-queue": 90})


def pessimist(ev):
    """A quarter of the bandwidth, firmware five times as slow."""
    out = left(ev, 100, "vgg", {"cwsr": 92, "cwsr-queue": 92}, "pessimist", 1.05)
    for name in ev.few(MODELS, ("DISB A",)):
        for mechanism in ("cwsr", "cwsr-queue"):
            r, reference = run_model(ev, name, "mi300x", mechanism=mechanism, model="pessimist")
            out.append(Figure(f"{name}, {mechanism}: p99", worst(r, reference, "p99"), 1.05,
                              note=limit(r, reference)))
    return out


def sensitivity(ev):
    """100/s of VGG beside 10 ms kernels, one thing changed at a time."""
    changes = {
        "as it is": {},
        "fixed costs": {"model": "fixed"},
        "bandwidth / 4": {"gpu_keys": {"bandwidth": "25%"}},
        "firmware x 5": {"gpu_keys": {"firmware": "500%"}},
        "half of each cost varies": {"gpu_keys": {"spread": "50%"}},
        "cold caches 50 us": {"gpu_keys": {"cold": "50us"}},
        "every unmap sleeps 64 us once": {"gpu_keys": {"retry_chance": "100%"}},
        "8 us between dependent kernels": {"gpu_keys": {"barrier": "8us"}},
        "a wake-up in 20 is 200 us late": {"costs": {"tail": "200us", "tail_chance": "5%"}},
        "arming 20 us": {"costs": {"arm": "20us"}},
    }
    out = []
    for name, change in changes.items():
        text = tail(100, duration=ev.duration("3s", "1s"))
        text += section("gpu", **change["gpu_keys"]) if "gpu_keys" in change else ""
        text += section("costs", **change["costs"]) if "costs" in change else ""
        slug = "sensitivity-" + "".join(c if c.isalnum() else "-" for c in name)
        r = ev.sim.run(slug, text, model=change.get("model"))
        out.append(Figure(f"{name}: p99", r["online"].latency("p99") / r["online"].alone("p99"),
                          note=f"p99.9 {r['online'].latency('p999') / r['online'].alone('p999'):.3f}"))
        out.append(Figure(f"{name}: offline", 100 * r.offline_of_rest(),
                          unit="%"))
    return out


def processes(ev):
    duration = ev.duration("4s", "2s")
    twelve = ev.sim.run("processes-12", many(12, duration))["online"].latency("p99")
    out = []
    for nr in ev.few((14, 20, 32, 40, 63), (14, 40)):
        r = ev.sim.run(f"processes-{nr}", many(nr, duration))
        out.append(Figure(f"{nr} online: p99 to 12", r["online"].latency("p99") / twelve, 1.05))
        share = r["offline"].json["gpu_time_ns"] / r["offline"].json["alone_gpu_time_ns"]
        # Requests of 5 kernels of 100 us with 2 us before each, 5 a second.
        out.append(at_least(f"{nr} online: offline", 100 * share / (1 - nr * 5 * 510e-6), 95, "%"))
    return out


DENSE_GAPS = (50, 100, 150, 200, 250, 300, 400, 600, 1000, 2000)


def dense_requests(ev):
    """The bound is what one preemption costs at least, as its p99 is, and 10 us."""
    floor = ev.sim.run("dense-2000", dense(2000, ev.duration("4s", "500ms"))).floor_p99_ns()
    out = []
    for gap in ev.few(DENSE_GAPS, (50, 200, 300, 1000)):
        r = ev.sim.run(f"dense-{gap}", dense(gap, ev.duration("4s", "500ms")))
        alone = r["online"].alone("p99")
        out.append(Figure(f"gap {gap} us: p99", r["online"].latency("p99") / US,
                          (alone + floor) / US + 10, unit="us",
                          note=f"offline {100 * r.offline_of_rest():.0f} "
                               f"% of the rest, {r.json['switches']} switches"))
    return out


def thousand_victims(ev):
    nr = ev.few((1000,), (200,))[0]
    r = ev.sim.run(f"victims-{nr}", victims(nr))
    requests = r["online"].json["requests"]
    return [Figure(f"{nr} victims: cycles to take all off", r.json["switches"] / 2 / requests, 1.05,
                   note="switches, half of which give back, by requests"),
            Figure(f"{nr} victims: p99", r["online"].latency("p99") / r["online"].alone("p99"),
                   1.05)]


def any_phase(ev):
    """A thousand pairs a phase, and more: of a hundred, p99 would be the largest."""
    gaps, duration = ev.few(range(220, 820, 20), range(260, 620, 60)), ev.duration("10s", "1s")
    runs = [ev.sim.run(f"phase-{gap}", phase(gap, duration), False) for gap in gaps]
    one = ev.sim.run("phase-none", scenario(
        online(start="20ms", arrival="uniform every 10.007ms", kernel="200us"),
        offline(kernel="endless", arrival="closed"), duration=duration), False)
    ratio = one.preempt("p99") / one.floor_p99_ns()
    return [Figure("worst phase: preempt p99 to floor",
                   max(r.preempt("p99") / r.floor_p99_ns() for r in runs), 1.15,
                   note=f"the floor's own p99; without a second request {ratio:.3f}"),
            Figure("median phase: preempt p99 to floor",
                   statistics.median(r.preempt("p99") / r.floor_p99_ns() for r in runs))]


def bursts(ev):
    out = []
    for gap in (0, 250):
        r = ev.sim.run(f"burst-{gap}", burst(gap))
        out.append(Figure(f"burst of 32, {gap} us apart: p99",
                          r["online"].latency("p99") / r["online"].alone("p99"), 1.15,
                          note="one in 32 is the first of a burst: " + limit(r, r, "alone")
                          if gap else ""))
    return out


def short_kernels(ev):
    r = ev.sim.run("short", short())
    stock = ev.sim.run("short", short(), mechanism="none")["online"]
    out = [at_least("offline", 100 * r.offline_of_rest(), 97, "%")]
    for key in ("p50", "p99"):
        out.append(Figure(f"{key}", r["online"].latency(key) / US, stock.latency(key) / US + 10,
                          unit="us"))
    return out


def both_fit(ev):
    r = ev.sim.run("fitting", fitting())
    return [Figure("BERT beside half a GPU: p99",
                   r["online"].latency("p99") / r["online"].alone("p99"), 1.02),
            at_least("BERT beside half a GPU: offline of alone",
                     100 * r["offline"].json["gpu_time_ns"] /
                     r["offline"].json["alone_gpu_time_ns"], 95, "%")]


def deadline_text(ev, load, is_poisson, policy, duration_s):
    """Five classes, deadline = mean period. Return: text, arrivals by class."""
    rng, arrivals, classes = random.Random(1), {}, []
    for period in (10, 20, 40, 70, 100):
        name, at, times = f"p{period}", 0.0, []
        while at < duration_s * 1000:
            times.append(round(at * MS))
            at += rng.expovariate(1 / period) if is_poisson else period
        arrivals[name] = (period * MS, times)
        file = f"edf-{load}-{'poisson' if is_poisson else 'periodic'}-{name}.times"
        with open(f"{ev.sim.folder}/{file}", "w", encoding="ascii") as f:
            f.write("".join(f"{t}ns\n" for t in times))
        work = round(load / 5 * period * 1000 / 4) - 2
        classes.append(section(f"class {name}", arrival=f"trace {file}", deadline=f"{period}ms",
                               kernel=f"{work}us x 4"))
    return scenario(*classes, policy=policy, duration=f"{duration_s}s"), arrivals


def deadlines(ev):
    out, duration_s = [], ev.few((20,), (4,))[0]
    for load, is_poisson in ev.few(((0.5, True), (0.7, True), (0.85, True), (0.85, False),
                                    (0.95, False)), ((0.7, True), (0.95, False))):
        for policy in ("edf", "laxity"):
            text, arrivals = deadline_text(ev, load, is_poisson, policy, duration_s)
            kind = "Poisson" if is_poisson else "periodic"
            r = ev.sim.run(f"{policy}-{load}-{kind}".lower(), text)
            jobs = sorted((t, r[n].alone("p50"), t + deadline)
                          for n, (deadline, times) in arrivals.items() for t in times
                          if t < duration_s * S)
            nr = sum(c.json["requests"] for c in r.classes.values())
            best = 100 * edf_misses(jobs) / len(jobs)
            missed = 100 * sum(c.json["deadline_missed"] for c in r.classes.values()) / nr
            case = f"{policy}, load {load} {kind}"
            if load == 0.95:
                out.append(Figure(f"{case}: missed", missed, 1, unit="%"))
            else:
                out.append(Figure(f"{case}: missed above exact EDF", missed - best, 0.5,
                                  unit="points", note=f"EDF {best:.2f} %"))
    return out


def light_work(ev):
    r = ev.sim.run("mlfq", interactive(ev.duration("20s", "4s")))
    light = [c for n, c in r.classes.items() if n != "batch"]
    late = sum(c.json["deadline_missed"] for c in light)
    return [Figure("mlfq: light requests above 10 ms",
                   100 * late / sum(c.json["requests"] for c in light), 0, unit="%")]


def many_tenants(ev):
    r = ev.sim.run("tenants", tenants("slice", ev.duration("5s", "2s")))
    shares = [c.json["gpu_time_ns"] / r.json["virtual_ns"] for c in r.classes.values()]
    mean = sum(shares) / len(shares)
    return [at_least("64 tenants, slice: used", 100 * sum(shares), 95, "%"),
            Figure("64 tenants, slice: largest difference of a class's share",
                   100 * max(abs(s / mean - 1) for s in shares), 5, unit="%")]


# Contention: what crowding on few CUs costs, and others that have the whole GPU.
FACTORS = {"no contention": (0, 0), "5 % of contention": (5, 5), "10 %": (10, 10),
           "the profile's contention": (25, 60), "twice that": (50, 120)}
ACTIVE = {"LLM decode": ("uniform 84/s", {"kernel": "100us x 64 fill 25%"}),
          "BERT": ("uniform 68/s", {"mix": "bert"}),
          "VGG": ("uniform 100/s", {"mix": "vgg"}),
          "ResNet-152": ("uniform 33/s", {"mix": "resnet152"})}


def elastic(factors, mode, work, arrival, duration, **more):
    """Beside training of kernels of eight rounds of workgroups."""
    issue, memory = factors
    return scenario(online(start="20ms", arrival=arrival, **work, **more),
                    offline(kernel="1ms fill 800%", elastic=mode), duration=duration) + \
        section("gpu", contention="yes", issue=f"{issue}%", memory=f"{memory}%")


def run_elastic(ev, slug, factors, mode, work, arrival, **more):
    text = elastic(factors, mode, work, arrival, ev.duration("3s", "1s"), **more)
    r = ev.sim.run(f"elastic-{slug}-{mode}", text, mechanism="resize")
    return (r, r["online"].latency("p99") / r["online"].alone("p99"), 100 * r["offline"].done())


def shrinking(ev):
    """Online work is active 54 % of the time; what offline keeps is its throughput alone."""
    out = []
    for name in ev.few(ACTIVE, ("LLM decode", "VGG")):
        arrival, work = ACTIVE[name]
        fills = name in ("VGG", "ResNet-152")
        all_cases = ("no contention", "the profile's contention") if fills else FACTORS
        for case in ev.few(all_cases, ("no contention", "the profile's contention")):
            slug = f"{name}-{case}".lower().replace(" ", "-").replace("%", "").replace("'", "")
            _, old_p99, old = run_elastic(ev, slug, FACTORS[case], "off", work, arrival)
            _, p99, kept = run_elastic(ev, slug, FACTORS[case], "auto", work, arrival)
            # What fills the GPU, or costs twice what is assumed, must only not be worse off.
            bound = old - 0.1 if fills or case == "twice that" else 70
            out.append(Figure(f"{name}, {case}: p99", p99, max(1.05, old_p99),
                              note=f"all saved: {old_p99:.3f}, {old:.1f} %"))
            out.append(at_least(f"{name}, {case}: offline", kept, bound, "%"))
    for case in ev.few(FACTORS, ("no contention",)):
        r, _, kept = run_elastic(ev, f"reserve-{len(out)}", FACTORS[case], "auto",
                                 {"kernel": "60us fill 12%"}, "poisson 400/s", reserve=40)
        more_ns = r["online"].latency("p99") - r["online"].alone("p99")
        out.append(Figure(f"60 us, 40 CUs reserved, {case}: p99 above alone", more_ns / US, 5,
                          unit="us"))
    out.append(at_least("60 us, 40 CUs reserved: offline", kept, 86, "%",
                        "a kernel of eight full rounds takes ten on what is left"))
    return out


ROWS = {
    "p99 and p99.9 to online alone": models,
    "offline of the time left, 100/s": left_100,
    "offline of the time left, 300/s": left_300,
    "14 to 63 processes": processes,
    "60 us requests": dense_requests,
    "1000 victims": thousand_victims,
    "arrival at any phase": any_phase,
    "bursts": bursts,
    "offline kernels of 135 us": short_kernels,
    "both fit": both_fit,
    "shrink instead of leave": shrinking,
    "deadlines": deadlines,
    "interactive beside batch": light_work,
    "64 tenants": many_tenants,
    "bandwidth / 4 and firmware x 5": pessimist,
    "what the unknown does": sensitivity,
}

# Mechanisms.

BASELINES = (
    ("none", "the stock driver: queues of all processes share the GPU",
     "amdkfd of Linux 6.12 under its firmware scheduler"),
    ("hwprio", "the three pipe priorities; waves on the GPU stay there",
     "kfd_mqd_manager.c, pipe_priority_map; stronger here than documented: strict over all slots"),
    ("launch-block", "the host holds launches back, 16 commands in flight, a synchronisation every 8",
     "XSched (OSDI 2025), level 1, which is what its AMD backend has"),
    ("drain", "a queue launches no more workgroups and leaves when those on the GPU have ended",
     "CP_HQD_DEQUEUE_REQUEST 1; preemption at block boundaries as of FLEP, Tally"),
    ("reset", "waves are killed and their kernel starts again",
     "REEF (OSDI 2022); only for kernels that may be repeated"),
    ("cwsr", "waves are saved and restored by the firmware scheduler, all queues of the node in a cycle",
     "this project, gpreempt.ko over amdkfd"),
    ("cwsr-queue", "waves of one queue are saved and restored, nothing else is touched",
     "this project without the firmware scheduler (sched_policy=2)"),
)


def micro(rate):
    return lambda: tail(rate, "vgg scale 0.5")


WORKLOADS = {
    **MODELS,
    "micro 100/s": micro(100),
    "micro 200/s": micro(200),
    "micro 300/s": micro(300),
    "dense, gap 300 us": lambda: dense(300),
    "dense, gap 1 ms": lambda: dense(1000),
    "20 online processes": lambda: many(20),
}


def compare(ev, name, gpu, mechanism):
    """p50, p99, p99.9 to the online classes by themselves, offline of the rest; None: refused."""
    text, slug = WORKLOADS[name](), "compare-" + name.lower().replace(" ", "-").replace("/", "-")
    options = {"gpu": gpu, "duration": "2s"}
    stock = ev.sim.run(slug, text, mechanism="none", **options)
    r = ev.sim.run(slug, text, stock, mechanism=mechanism, **options) if mechanism != "none" else stock
    reference = ev.sim.run(slug + "-first", without_offline(text, BELOW), False,
                           mechanism="none", **options)
    others = ev.sim.run(slug + "-online", without_offline(text), False, mechanism="none", **options)
    if not r:
        return None
    return (*(worst(r, reference, key) for key in ("p50", "p99", "p999")),
            100 * r.offline_of(others.idle(), offline_names(text)))
