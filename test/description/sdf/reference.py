"""Mass matrices and forces at rates by brute force: each link is six point masses, D'Alembert's principle adds them up.

Places of points are differentiated by central differences in sixty digits. Usage: reference.py FOLDER, with crane.json and
four-bar.json as resolve.cc prints them; writes reference.json on standard output.
"""
import json
import random
import sys

from mpmath import cos, eigsy, matrix, mp, mpf, pi, sin, sqrt

mp.dps = 60
H = mpf(10) ** -15
IDENTITY = [[mpf(i == k) for k in range(3)] for i in range(3)]


def times(A, B):
    return [[sum(A[i][j] * B[j][k] for j in range(3)) for k in range(3)] for i in range(3)]


def turn(A, v):
    return [sum(A[i][j] * v[j] for j in range(3)) for i in range(3)]


def add(a, b):
    return [x + y for x, y in zip(a, b)]


def scaled(s, a):
    return [s * x for x in a]


def about(axis, angle):
    """Rotation by an angle about a unit vector."""
    x, y, z = axis
    K = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
    KK = times(K, K)
    return [[IDENTITY[i][k] + sin(angle) * K[i][k] + (1 - cos(angle)) * KK[i][k] for k in range(3)] for i in range(3)]


def of_quaternion(w, x, y, z):
    n = sqrt(w * w + x * x + y * y + z * z)
    w, x, y, z = w / n, x / n, y / n, z / n
    return [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]


def pose_of(entries):
    values = [mpf(x) for x in entries]
    return of_quaternion(*values[3:]), values[:3]


def compose(A, B):
    return times(A[0], B[0]), add(A[1], turn(A[0], B[1]))


def inverse(A):
    R = [[A[0][k][i] for k in range(3)] for i in range(3)]
    return R, scaled(-1, turn(R, A[1]))


def points_of(link):
    """Six masses with the mass, the centre and the inertia of a link, in its axes."""
    mass = mpf(link["mass"][0])
    xx, yy, zz, xy, xz, yz = [mpf(x) for x in link["inertia"]]
    values, vectors = eigsy(matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    half = sum(values) / 2
    centre = pose_of(link["centre"])
    points = []
    for k in range(3):
        reach = sqrt(3 * (half - values[k]) / mass)
        for sign in (1, -1):
            along = [sign * reach * vectors[i, k] for i in range(3)]
            points.append((mass / 6, add(centre[1], turn(centre[0], along))))
    return points


def about_line(axis, place, R, shift=None):
    """What turns by R about a place, and moves by a shift: of the world."""
    moved = add(place, scaled(-1, turn(R, place)))
    return R, add(moved, shift or [0, 0, 0])


class Robot:
    """Motions of links as products of motions in the world at zero: each joint moves all that is beyond it."""

    def __init__(self, data, chain):
        self.links = {link["name"]: link for link in data["links"]}
        self.joints = {joint["name"]: joint for joint in data["joints"]}
        self.gravity = [mpf(x) for x in data["gravity"]]
        self.chain = chain
        self.poses = {name: pose_of(link["pose"]) for name, link in self.links.items()}
        self.points = {name: points_of(link) for name, link in self.links.items() if any(name == step[1] for step in chain)}

    def motion(self, joint, q, is_reversed):
        data = self.joints[joint]
        place = [mpf(x) for x in data["pose"][:3]]
        axes = []
        for key in ("axis", "axis2"):
            if key in data:
                axis = [mpf(x) for x in data[key]]
                axes.append(scaled((-1 if is_reversed else 1) / sqrt(sum(x * x for x in axis)), axis))
        if data["type"] == PRISMATIC:
            return IDENTITY, scaled(q[0], axes[0])
        if data["type"] == SCREW:
            pitch = -2 * pi / mpf(data["pitch"][0])
            return about_line(axes[0], place, about(axes[0], q[0]), scaled(pitch / (2 * pi) * q[0], axes[0]))
        first = about_line(axes[0], place, about(axes[0], q[0]))
        if len(q) == 1:
            return first
        return compose(first, about_line(axes[1], place, about(axes[1], q[1])))

    def motions(self, q):
        """By link: motion of the world that carries it from where it is at zero."""
        found = {None: (IDENTITY, [mpf(0)] * 3)}
        at = 0
        for parent, link, joint, count, is_reversed in self.chain:
            own = q[at : at + count]
            at += count
            if joint == "fixed":
                found[link] = found[parent]
            elif joint == "free":
                # From where it is at zero, in axes of its own there: places, then a rotation vector.
                start, size = self.poses[link], sqrt(sum(x * x for x in own[3:]))
                moved = about(scaled(1 / size, own[3:]), size), own[:3]
                found[link] = compose(compose(start, moved), inverse(start))
            elif self.joints[joint]["type"] == BALL:
                size = sqrt(sum(x * x for x in own))
                # The rotation vector has axes of the child.
                axis = turn(self.poses[link][0], scaled(1 / size, own))
                place = [mpf(x) for x in self.joints[joint]["pose"][:3]]
                found[link] = compose(found[parent], about_line(axis, place, about(axis, size)))
            else:
                found[link] = compose(found[parent], self.motion(joint, own, is_reversed))
        return found

    def places(self, q):
        motions = self.motions(q)
        out = []
        for link, points in self.points.items():
            pose = compose(motions[link], self.poses[link])
            out += [(mass, add(pose[1], turn(pose[0], point))) for mass, point in points]
        return out

    def state(self, q, qd):
        n = len(q)
        here = self.places(q)

        def shifted(direction, h):
            return [place for _, place in self.places([x + h * d for x, d in zip(q, direction)])]

        columns = []
        for i in range(n):
            unit = [mpf(i == k) for k in range(n)]
            ahead, behind = shifted(unit, H), shifted(unit, -H)
            columns.append([scaled(1 / (2 * H), add(a, scaled(-1, b))) for a, b in zip(ahead, behind)])
        ahead, behind = shifted(qd, H), shifted(qd, -H)
        bends = [
            scaled(1 / H**2, add(add(a, b), scaled(-2, place))) for a, b, (_, place) in zip(ahead, behind, here)
        ]
        masses = [mass for mass, _ in here]

        def against(a, b):
            return sum(m * sum(x * y for x, y in zip(u, v)) for m, u, v in zip(masses, a, b))

        pulls = [add(bend, scaled(-1, self.gravity)) for bend in bends]
        return {
            "q": [float(x) for x in q],
            "qd": [float(x) for x in qd],
            "M": [float(against(columns[i], columns[k])) for i in range(n) for k in range(n)],
            "bias": [float(against(columns[i], pulls)) for i in range(n)],
        }


# As libsdformat 12 numbers types of joints.
BALL, PRISMATIC, SCREW = 1, 5, 8
# Carrier, link, joint, coordinates, from child to parent.
CHAINS = {
    "crane": [
        (None, "crane::tower", "crane::slew", 1, False),
        ("crane::tower", "crane::boom", "crane::cardan", 2, False),
        ("crane::boom", "crane::sled", "crane::run", 1, False),
        ("crane::sled", "crane::spindle", "crane::thread", 1, False),
        ("crane::spindle", "crane::hand::palm", "crane::wrist", 3, False),
        ("crane::hand::palm", "crane::hand::finger", "fixed", 0, False),
        (None, "loose::palm", "free", 6, False),
        ("loose::palm", "loose::finger", "fixed", 0, False),
    ],
    "four-bar": [
        (None, "crank", "a", 1, False),
        ("crank", "coupler", "b", 1, True),
        (None, "rocker", "c", 1, False),
        (None, "gear", "g", 1, False),
    ],
}


def main(folder):
    random.seed(7)
    out = {"source": "resolve.cc with libsdformat 12.3, then reference.py"}
    for name, chain in CHAINS.items():
        robot = Robot(json.load(open(f"{folder}/{name}.json")), chain)
        n = sum(step[3] for step in chain)
        draw = lambda: [mpf(random.uniform(-1, 1)) for _ in range(n)]
        out[name] = [robot.state(draw(), draw()) for _ in range(2)]
    print(json.dumps(out))


main(sys.argv[1])
