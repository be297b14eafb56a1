"""
Derivatives of the package `door_arm` against differences: first those that frameworks call, then PyTorch and JAX where they are installed.
Prints what was tested, as JSON. Differences are Richardson's (five levels of central differences in doubles, errors of order 10).
"""

import json
import sys

import numpy as np

import door_arm
from door_arm._derivatives import INPUTS, call

rng = np.random.default_rng(7)
robot = door_arm.Robot(threads=2)
N, U, STEPS = 3, 3, 100


def richardson(function, size=0.01):
    """The derivative at 0 of a function of one number."""
    table = [(function(h) - function(-h)) / (2 * h) for h in (size / 2**k for k in range(5))]
    for order in range(1, 5):
        table = [(4**order * fine - coarse) / (4**order - 1) for coarse, fine in zip(table, table[1:])]
    return table[0]


def near(found, expected, within, what):
    found, expected = np.asarray(found), np.asarray(expected)
    error = np.max(np.abs(found - expected)) / max(1e-30, np.max(np.abs(expected)))
    assert error < within, (what, error)


def arguments(function, lead):
    shapes = {name: [5 if size == "steps" else size for size in shape] for name, shape in INPUTS[function].items()}
    given = {name: 0.3 * rng.normal(size=(*lead, *shape)) for name, shape in shapes.items()}
    if "p" in given:
        given["p"] = np.broadcast_to([0.3, 0.2], (*lead, 2)) + 0.05 * rng.normal(size=(*lead, 2))
    return given


# A rollout is its steps, one after the other; parameters differ from row to row.
given = arguments("rollout", (4,))
own, arrays, lead = call(robot, "rollout", 1e-2, **given)
path, rates = own.value(*arrays)
for row in range(4):
    robot.parameters["load"], robot.parameters["lambda"] = given["p"][row]
    q, qd = given["q"][row], given["qd"][row]
    for k in range(5):
        q, qd = robot.implicit_step(q, qd, 1e-2, given["tau"][row, k] + robot.actuate(q, qd, given["u"][row, k]))
        near(path[row, k], q, 1e-14, "a step")
        near(rates[row, k], qd, 1e-14, "a step")
motion = arguments("forward_dynamics", (4,))
own, arrays, lead = call(robot, "forward_dynamics", **motion)
(together,) = own.value(*arrays)
for row in range(4):
    robot.parameters["load"], robot.parameters["lambda"] = motion["p"][row]
    near(together[row], robot.forward_dynamics(*(motion[name][row] for name in ("q", "qd", "tau"))), 1e-15, "parameters of a row")
robot.parameters["load"], robot.parameters["lambda"] = 0.2, 0.1
alone = robot.rollout(given["q"][0], given["qd"][0], 1e-2, given["u"][0])
assert (robot.rollout(given["q"], given["qd"], 1e-2, given["u"]).q[0] == alone.q).all()
assert robot.rollout([0, 0, 0], [0, 0, 0], 1e-2, steps=7).q.shape == (7, 3)

# Tangents are differences of values, adjoints the transposes of tangents.
for function in INPUTS:
    given = arguments(function, (2,))
    others = {"rollout": {"h": 1e-2}, "position": {"frame": "finger"}}.get(function, {})
    own, arrays, lead = call(robot, function, **others, **given)
    results = own.value(*arrays)
    directions = [rng.normal(size=x.shape) for x in arrays]
    weights = [rng.normal(size=x.shape) for x in results]
    changes = own.tangent(arrays, results, directions)
    for i, change in enumerate(changes):
        along = lambda s: own.value(*(x + s * d for x, d in zip(arrays, directions)))[i]
        near(change, richardson(along, 0.004), 1e-9, f"tangent of {function}")
    forwards = sum((w * change).sum() for w, change in zip(weights, changes))
    backwards = sum((by * d).sum() for by, d in zip(own.adjoint(arrays, results, weights), directions))
    near(backwards, forwards, 1e-12, f"adjoint of {function}")

# The gradient of 100 steps of a soft arm by its inputs, its start and its parameters.
start = {"q": np.array([0.2, 0.01, 0.4]), "qd": np.array([0.1, -0.02, 0.5]), "p": np.array([0.3, 0.2])}
start["u"] = np.column_stack([0.2 * np.sin(np.arange(STEPS) / 9), 0.1 * np.ones(STEPS), 2 + np.cos(np.arange(STEPS) / 7)])
NAMES = ("q", "qd", "u", "p")


def cost(framework, q, qd, u, p):
    path, rates = framework.rollout(q, qd, 1e-3, u=u, p=p)
    return (path[-1] ** 2).sum() + 0.1 * (rates[-1] ** 2).sum() + 1e-2 * (path**2).sum()


def checked_gradient(gradient, value, kind):
    directions = {name: rng.normal(size=start[name].shape) for name in NAMES}
    directions["p"] *= 0.3
    for name in NAMES:
        along = lambda s: value(**{**start, name: start[name] + s * directions[name]})
        near((gradient[name] * directions[name]).sum(), richardson(along), 1e-10, f"{kind}: gradient by {name}")


def in_numpy(q, qd, u, p):
    own, arrays, _ = call(robot, "rollout", 1e-3, q=q, qd=qd, u=u, p=p)
    path, rates = own.value(*arrays)
    return (path[-1] ** 2).sum() + 0.1 * (rates[-1] ** 2).sum() + 1e-2 * (path**2).sum()


own, arrays, _ = call(robot, "rollout", 1e-3, **start)
path, rates = own.value(*arrays)
by_path, by_rates = 2e-2 * path, 0 * rates
by_path[-1] += 2 * path[-1]
by_rates[-1] += 0.2 * rates[-1]
checked_gradient(dict(zip(own.names, own.adjoint(arrays, (path, rates), (by_path, by_rates)))), in_numpy, "NumPy")

errors = []
for wrong in (
    lambda: call(robot, "rollout", 1e-3, q=start["q"], qd=start["qd"], u=start["u"][:, :2]),
    lambda: call(robot, "rollout", -1.0, q=start["q"], qd=start["qd"], steps=2),
    lambda: robot.rollout(start["q"], start["qd"], 1e-3),
):
    try:
        wrong()
    except ValueError as error:
        errors.append(str(error))

tested = {}
try:
    import torch
except ImportError:
    pass
else:
    from door_arm.torch import Dynamics

    dynamics = Dynamics(robot)
    tensors = {name: torch.tensor(x, requires_grad=True) for name, x in start.items()}
    cost(dynamics, **tensors).backward()
    checked_gradient({name: x.grad.numpy() for name, x in tensors.items()}, in_numpy, "PyTorch")
    single = {name: torch.tensor(x, dtype=torch.float32, requires_grad=True) for name, x in start.items()}
    cost(dynamics, **single).backward()
    for name in NAMES:
        assert single[name].grad.dtype == torch.float32
        near(single[name].grad.numpy(), tensors[name].grad.numpy(), 1e-5, f"float32: {name}")
    for function in INPUTS:
        own = {name: torch.tensor(x, requires_grad=True) for name, x in arguments(function, (2,)).items()}
        # Broadcast arguments take the sum of what rows say.
        own["q"] = own["q"][0].detach().requires_grad_()
        others = {"rollout": {"h": 1e-2}, "position": {"frame": "finger"}}.get(function, {})
        names = list(own)
        torch.autograd.gradcheck(
            lambda *x: getattr(dynamics, function)(**dict(zip(names, x)), **others), tuple(own.values()), check_forward_ad=True
        )
    q, qd = dynamics.step(tensors["q"], tensors["qd"], 1e-3, u=tensors["u"][0])
    near(q.detach().numpy(), robot.rollout(start["q"], start["qd"], 1e-3, start["u"][:1]).q[0], 1e-15, "step")
    if hasattr(torch, "func"):
        rows = torch.tensor(0.3 * rng.normal(size=(3, N)))
        last = lambda q: dynamics.rollout(q, q, 1e-3, u=tensors["u"].detach())[0].square().sum()
        mapped = torch.func.vmap(torch.func.grad(last))(rows)
        near(mapped, torch.stack([torch.func.grad(last)(q) for q in rows]), 1e-15, "vmap")
        tested["vmap"] = True
    try:
        dynamics.step(tensors["q"].float(), tensors["qd"], 1e-3)
    except TypeError as error:
        errors.append(str(error))
    tested["torch"] = torch.__version__

try:
    import jax
except ImportError:
    pass
else:
    jax.config.update("jax_enable_x64", True)
    from door_arm.jax import Dynamics

    dynamics = Dynamics(robot)
    gradient = jax.jit(jax.grad(lambda own: cost(dynamics, **own)))({name: jax.numpy.array(x) for name, x in start.items()})
    checked_gradient(gradient, in_numpy, "JAX")
    single = jax.grad(lambda own: cost(dynamics, **own))({name: jax.numpy.array(x, dtype="float32") for name, x in start.items()})
    for name in NAMES:
        near(single[name], gradient[name], 1e-5, f"float32: {name}")
    rows = jax.numpy.array(0.3 * rng.normal(size=(3, N)))
    last = lambda q: (dynamics.rollout(q, q, 1e-3, u=start["u"])[0] ** 2).sum()
    near(jax.vmap(jax.grad(last))(rows), [jax.grad(last)(q) for q in rows], 1e-15, "vmap")
    accelerations = lambda q: dynamics.forward_dynamics(q, q, q)
    near(jax.jacrev(accelerations)(rows[0]), jax.jacfwd(accelerations)(rows[0]), 1e-12, "JAX: forwards and backwards")
    tested["jax"] = jax.__version__

json.dump({"tested": tested, "errors": errors}, sys.stdout)
