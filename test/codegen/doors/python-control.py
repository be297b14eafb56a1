"""The shell, the observer and the environment of the package `shelled_arm`: what they compute, as JSON."""

import copy
import json
import pickle
import sys
import types

import numpy as np

try:
    import gymnasium
except ImportError:
    # What the environment asks of it.
    gymnasium = types.ModuleType("gymnasium")

    class Box:
        def __init__(self, low, high, shape=None, dtype=np.float64):
            self.low = np.broadcast_to(np.asarray(low, dtype), shape or np.shape(low))
            self.high = np.broadcast_to(np.asarray(high, dtype), self.low.shape)
            self.shape = self.low.shape

    class Env:
        def reset(self, *, seed=None, options=None):
            self.np_random = np.random.default_rng(seed)

        def __class_getitem__(cls, _):
            return cls

    gymnasium.Env, gymnasium.spaces = Env, types.SimpleNamespace(Box=Box)
    sys.modules["gymnasium"] = gymnasium
    stub = True
else:
    stub = False

import shelled_arm
from shelled_arm.environment import SCENARIOS, Environment

given = json.load(sys.stdin)
robot = shelled_arm.Robot()
shell = shelled_arm.TrackShell(robot)
shell.settings["blend"][0] = 0.05
shell.gains["kp"][:] = 100
inputs = []
for index, step in enumerate(given["steps"]):
    if index == 30:
        # What went through another process goes on where it was.
        shell = pickle.loads(pickle.dumps(shell))
    q = np.nan if step["q"] is None else step["q"]
    u = shell.step(getattr(shelled_arm, step["wanted"]), 1e-3, [q], [step["qd"]], [step["y"]])
    inputs.append([u[0], shell.mode, shell.reason, shell.status, shell.faults])
observer = shelled_arm.WatchObserver(robot)
observer.q[0] = 0.3
observer.settings["noise"][:] = 2e-3
estimates = []
for z in given["measured"]:
    observer = copy.deepcopy(observer)
    estimates.append([*np.concatenate(observer.step(1e-3, [0.5], [z])), observer.used])
deviations = observer.deviations.tolist()

environment = Environment(SCENARIOS[0], spread=0.1)
first, again = environment.reset(seed=3)[0], environment.reset(seed=3)[0]
assert (first == again).all() and first[0] != 0 and first.shape == environment.observation_space.shape
environment = Environment(SCENARIOS[0])
environment.reset()
law = shelled_arm.Track(environment.robot)
done, run = False, []
while not done:
    u = law.step(environment.q, environment.qd, environment.goal)
    observation, reward, terminated, done, information = environment.step(u)
    run.append([*observation.tolist(), reward])
assert not terminated
environment.reset()
clipped = environment.step([1e3])[4]["u"].tolist()
falling = Environment(SCENARIOS[1], reward=lambda *_: 0.0, substeps=3)
falling.reset()
start, steps = (falling.q, falling.qd), 3 * falling.scenario["periods"]
while not falling.step([0.0])[3]:
    pass
whole = shelled_arm.Robot().rollout(*start, falling.scenario["period"] / 3, steps=steps)
shaken = [falling.q[0], whole.q[-1, 0]]
errors = []
for wrong in (
    lambda: Environment("nothing"),
    lambda: Environment().step([0]),
    lambda: Environment(SCENARIOS[1]),
    lambda: shell.step(3, 1e-3, [[0]], [0], [0]),
    lambda: observer.step(-1, [0], [0]),
):
    try:
        wrong()
    except Exception as error:
        errors.append(f"{type(error).__name__}: {error.args[0]}")
found = {"inputs": inputs, "estimates": estimates, "deviations": deviations, "run": run, "clipped": clipped, "shaken": shaken}
json.dump({**found, "errors": errors, "stub": stub, "periods": environment.scenario["periods"]}, sys.stdout)
