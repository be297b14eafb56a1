// src/symbolic/rational.ts
function greatestCommonDivisor(a, b) {
  let x = a < 0n ? -a : a;
  let y = b < 0n ? -b : b;
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}
function ratio(numerator, denominator = 1n) {
  let n = BigInt(numerator);
  let d = BigInt(denominator);
  if (d === 0n) throw new RangeError("division by zero in an exact constant");
  if (d === 1n) return { numerator: n, denominator: d };
  if (d < 0n) {
    n = -n;
    d = -d;
  }
  const divisor = greatestCommonDivisor(n, d);
  return divisor === 1n ? { numerator: n, denominator: d } : { numerator: n / divisor, denominator: d / divisor };
}
var ZERO = ratio(0n);
var ONE = ratio(1n);
var MINUS_ONE = ratio(-1n);
var HALF = ratio(1n, 2n);
var Rational = {
  add(a, b) {
    if (a.denominator === 1n && b.denominator === 1n) return { numerator: a.numerator + b.numerator, denominator: 1n };
    return ratio(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator);
  },
  subtract(a, b) {
    return Rational.add(a, Rational.negate(b));
  },
  multiply(a, b) {
    return ratio(a.numerator * b.numerator, a.denominator * b.denominator);
  },
  divide(a, b) {
    return ratio(a.numerator * b.denominator, a.denominator * b.numerator);
  },
  negate(a) {
    return { numerator: -a.numerator, denominator: a.denominator };
  },
  /** a^exponent for an integer exponent of either sign. */
  power(a, exponent) {
    if (exponent < 0n) return ratio(a.denominator ** -exponent, a.numerator ** -exponent);
    return { numerator: a.numerator ** exponent, denominator: a.denominator ** exponent };
  },
  equals(a, b) {
    return a.numerator === b.numerator && a.denominator === b.denominator;
  },
  compare(a, b) {
    const difference = a.numerator * b.denominator - b.numerator * a.denominator;
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  },
  isZero(a) {
    return a.numerator === 0n;
  },
  isOne(a) {
    return a.numerator === 1n && a.denominator === 1n;
  },
  isInteger(a) {
    return a.denominator === 1n;
  },
  isNegative(a) {
    return a.numerator < 0n;
  },
  absolute(a) {
    return a.numerator < 0n ? Rational.negate(a) : a;
  },
  /** The exact n-th root when it is rational, else undefined (n ≥ 1, a ≥ 0). */
  root(a, n) {
    const numerator = integerRoot(a.numerator, n);
    const denominator = integerRoot(a.denominator, n);
    return numerator === void 0 || denominator === void 0 ? void 0 : { numerator, denominator };
  },
  /** The nearest double, correctly rounded. */
  toNumber(a) {
    return toNearestDouble(a);
  },
  toString(a) {
    return a.denominator === 1n ? a.numerator.toString() : `${a.numerator}/${a.denominator}`;
  },
  /**
   * Reads a decimal literal (`12`, `-0.25`, `1e-9`, `.5`) exactly.
   * @returns undefined when the text is not a number.
   */
  parse(text) {
    const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/.exec(text.trim());
    if (!match) return void 0;
    const [, sign, whole = "", fraction2 = "", exponent = "0"] = match;
    if (whole === "" && fraction2 === "") return void 0;
    const shift = Number(exponent) - fraction2.length;
    const digits = BigInt(whole + fraction2) * (sign === "-" ? -1n : 1n);
    return shift >= 0 ? ratio(digits * 10n ** BigInt(shift)) : ratio(digits, 10n ** BigInt(-shift));
  },
  /** The exact value of a finite double, as its shortest decimal that reads back the same (0.1 is 1/10). */
  fromNumber(value) {
    if (!Number.isFinite(value)) throw new RangeError(`not a finite number: ${value}`);
    const parsed = Rational.parse(String(value));
    if (!parsed) throw new RangeError(`not a decimal number: ${value}`);
    return parsed;
  },
  /** The binary value of a finite double, exactly (0.1 is 3602879701896397/2^55). */
  fromDouble(value) {
    if (Number.isInteger(value)) return ratio(BigInt(value));
    const bits = new DataView(new ArrayBuffer(8));
    bits.setFloat64(0, value);
    const high = bits.getUint32(0);
    const exponentBits = high >>> 20 & 2047;
    const fraction2 = BigInt(high & 1048575) << 32n | BigInt(bits.getUint32(4));
    const mantissa = exponentBits === 0 ? fraction2 : fraction2 | 1n << 52n;
    const exponent = (exponentBits === 0 ? 1 : exponentBits) - 1075;
    const signed = high >>> 31 ? -mantissa : mantissa;
    return exponent >= 0 ? ratio(signed << BigInt(exponent)) : ratio(signed, 1n << BigInt(-exponent));
  }
};
function integerRoot(value, n) {
  if (value < 0n) return void 0;
  if (value < 2n) return value;
  let low = 1n;
  let high = 1n << BigInt(value.toString(2).length) / n + 1n;
  while (low < high) {
    const middle = low + high + 1n >> 1n;
    if (middle ** n <= value) low = middle;
    else high = middle - 1n;
  }
  return low ** n === value ? low : void 0;
}
function toNearestDouble({ numerator, denominator }) {
  const small = 1n << 53n;
  const magnitude = numerator < 0n ? -numerator : numerator;
  if (magnitude <= small && denominator <= small) return Number(numerator) / Number(denominator);
  const shift = 66 - (magnitude.toString(2).length - denominator.toString(2).length);
  const scaled = shift >= 0 ? magnitude << BigInt(shift) : magnitude;
  const divisor = shift >= 0 ? denominator : denominator << BigInt(-shift);
  let quotient = scaled / divisor;
  if (quotient * divisor !== scaled) quotient |= 1n;
  const value = Number(quotient);
  const half2 = Math.trunc(shift / 2);
  const result = value * 2 ** -half2 * 2 ** -(shift - half2);
  return numerator < 0n ? -result : result;
}

// src/symbolic/expr.ts
var interned = /* @__PURE__ */ new Map();
var nextId = 0;
function hashText(text) {
  let h1 = 2654435761 ^ text.length;
  let h2 = 2246822507;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    h1 = Math.imul(h1 ^ code, 2654435761);
    h2 = Math.imul(h2 ^ code, 1597334677);
  }
  h1 = Math.imul(h1 ^ h1 >>> 16, 2246822507) ^ Math.imul(h2 ^ h2 >>> 13, 3266489909);
  h2 = Math.imul(h2 ^ h2 >>> 16, 2246822507) ^ Math.imul(h1 ^ h1 >>> 13, 3266489909);
  return 4294967296 * (2097151 & h2) + (h1 >>> 0);
}
function intern(identity, structure, size, fields) {
  const found = interned.get(identity);
  if (found) return found;
  const node = { ...fields, id: nextId++, hash: hashText(structure), size: Math.min(size, 1e15) };
  interned.set(identity, node);
  return node;
}
var RANK = {
  rational: 0,
  constant: 1,
  symbol: 2,
  stumpff: 3,
  call: 4,
  product: 5,
  sum: 6,
  select: 7,
  compare: 8,
  logic: 9
};
function compareStructure(a, b) {
  if (a === b) return 0;
  if (a.kind !== b.kind) return RANK[a.kind] - RANK[b.kind];
  if (a.kind === "symbol" && b.kind === "symbol") return compareNames(a.name, b.name);
  if (a.kind === "rational" && b.kind === "rational") return Rational.compare(a.value, b.value);
  if (a.kind === "stumpff" && b.kind === "stumpff" && a.order !== b.order) return a.order - b.order;
  if (a.size !== b.size) return a.size - b.size;
  if (a.hash !== b.hash) return a.hash - b.hash;
  return compareColliding(a, b);
}
function compareNames(a, b) {
  const left = a.split(/(\d+)/);
  const right = b.split(/(\d+)/);
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    if (left[i] === right[i]) continue;
    if (i % 2 === 1) {
      const difference = Number(left[i]) - Number(right[i]);
      if (difference !== 0) return difference;
    }
    return left[i] < right[i] ? -1 : 1;
  }
  return left.length - right.length;
}
function compareColliding(a, b) {
  const left = children(a);
  const right = children(b);
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const order = compareStructure(left[i], right[i]);
    if (order !== 0) return order;
  }
  const leftText = describeShallow(a);
  const rightText = describeShallow(b);
  return left.length - right.length || (leftText < rightText ? -1 : 1);
}
function describeShallow(e) {
  if (e.kind === "sum")
    return e.terms.map((t) => Rational.toString(t.coefficient)).join(" ") + Rational.toString(e.constant);
  if (e.kind === "product")
    return e.factors.map((f) => Rational.toString(f.exponent)).join(" ") + Rational.toString(e.coefficient);
  if (e.kind === "call") return e.name;
  if (e.kind === "compare" || e.kind === "logic") return e.operator;
  return e.kind;
}
function children(e) {
  switch (e.kind) {
    case "rational":
    case "constant":
    case "symbol":
      return [];
    case "sum":
      return e.terms.map((t) => t.term);
    case "product":
      return e.factors.map((f) => f.base);
    case "call":
      return e.arguments;
    case "stumpff":
      return [e.argument];
    case "select":
      return [e.condition, e.then, e.otherwise];
    case "compare":
      return [e.left, e.right];
    case "logic":
      return e.operands;
  }
}
function rational(value) {
  const text = `r${Rational.toString(value)}`;
  return intern(text, text, 1, { kind: "rational", value });
}
function integer(value) {
  return rational(ratio(value));
}
function fraction(numerator, denominator) {
  return rational(ratio(numerator, denominator));
}
var zero = integer(0);
var one = integer(1);
var minusOne = integer(-1);
var half = fraction(1, 2);
var pi = intern("pi", "pi", 1, { kind: "constant", name: "pi" });
function symbol(name) {
  return intern(`s${name}`, `s${name}`, 1, { kind: "symbol", name });
}
function decimal(value) {
  return rational(Rational.fromNumber(value));
}
function splitCoefficient(e) {
  if (e.kind === "product" && !Rational.isOne(e.coefficient))
    return { coefficient: e.coefficient, term: makeProduct(ONE, e.factors) };
  return { coefficient: ONE, term: e };
}
function plus(...operands) {
  let constant = ZERO;
  const merged = /* @__PURE__ */ new Map();
  for (const operand of operands) {
    if (operand.kind === "rational") {
      constant = Rational.add(constant, operand.value);
      continue;
    }
    const { coefficient, term } = splitCoefficient(operand);
    const before = merged.get(term);
    merged.set(term, before ? Rational.add(before, coefficient) : coefficient);
  }
  return makeSum(constant, merged);
}
function makeSum(constant, merged) {
  const terms = [];
  for (const [term, coefficient] of merged) if (!Rational.isZero(coefficient)) terms.push({ coefficient, term });
  if (terms.length === 0) return rational(constant);
  if (terms.length === 1 && Rational.isZero(constant)) return scale(terms[0].coefficient, terms[0].term);
  if (terms.length === 1 && terms[0].term.kind === "sum") {
    const { coefficient, term } = terms[0];
    if (!Rational.isZero(term.constant)) {
      const flattened = new Map(term.terms.map((t) => [t.term, Rational.multiply(coefficient, t.coefficient)]));
      return makeSum(Rational.add(constant, Rational.multiply(coefficient, term.constant)), flattened);
    }
  }
  terms.sort((a, b) => compareStructure(a.term, b.term));
  if (Rational.isNegative(terms[0].coefficient)) {
    const flipped = terms.map((t) => ({ coefficient: Rational.negate(t.coefficient), term: t.term }));
    return scale(MINUS_ONE, internSum(Rational.negate(constant), flipped));
  }
  return internSum(constant, terms);
}
function internSum(constant, terms) {
  const head = `+${Rational.toString(constant)}`;
  const identity = head + terms.map((t) => `,${Rational.toString(t.coefficient)}*${t.term.id}`).join("");
  const found = interned.get(identity);
  if (found) return found;
  const structure = head + terms.map((t) => `,${Rational.toString(t.coefficient)}*${t.term.hash}`).join("");
  const size = terms.reduce((total, t) => total + t.term.size, 1);
  return intern(identity, structure, size, { kind: "sum", constant, terms });
}
function negate(e) {
  return scale(MINUS_ONE, e);
}
function minus(a, b) {
  return plus(a, negate(b));
}
function scale(coefficient, e) {
  if (Rational.isZero(coefficient)) return zero;
  if (e.kind === "rational") return rational(Rational.multiply(coefficient, e.value));
  if (e.kind === "product") return makeProduct(Rational.multiply(coefficient, e.coefficient), e.factors);
  return makeProduct(coefficient, [{ base: e, exponent: ONE }]);
}
function times(...operands) {
  let coefficient = ONE;
  const exponents = /* @__PURE__ */ new Map();
  const pending = operands.map((base) => ({ base, exponent: ONE }));
  while (pending.length > 0) {
    const { base, exponent } = pending.pop();
    if (base.kind === "rational") {
      if (Rational.isInteger(exponent)) {
        if (Rational.isZero(base.value) && !Rational.isNegative(exponent)) return zero;
        coefficient = Rational.multiply(coefficient, Rational.power(base.value, exponent.numerator));
        continue;
      }
    } else if (base.kind === "product" && Rational.isInteger(exponent)) {
      coefficient = Rational.multiply(coefficient, Rational.power(base.coefficient, exponent.numerator));
      for (const f of base.factors) pending.push({ base: f.base, exponent: Rational.multiply(f.exponent, exponent) });
      continue;
    }
    const before = exponents.get(base);
    const merged = before ? Rational.add(before, exponent) : exponent;
    if (before && Rational.isInteger(merged) && (base.kind === "product" || base.kind === "rational")) {
      exponents.delete(base);
      pending.push({ base, exponent: merged });
    } else exponents.set(base, merged);
  }
  const factors = [];
  for (const [base, exponent] of exponents) if (!Rational.isZero(exponent)) factors.push({ base, exponent });
  factors.sort((a, b) => compareStructure(a.base, b.base));
  return makeProduct(coefficient, factors);
}
function makeProduct(coefficient, factors) {
  if (Rational.isZero(coefficient)) return zero;
  if (factors.length === 0) return rational(coefficient);
  if (factors.length === 1 && Rational.isOne(coefficient) && Rational.isOne(factors[0].exponent))
    return factors[0].base;
  const head = `*${Rational.toString(coefficient)}`;
  const identity = head + factors.map((f) => `,${f.base.id}^${Rational.toString(f.exponent)}`).join("");
  const found = interned.get(identity);
  if (found) return found;
  const structure = head + factors.map((f) => `,${f.base.hash}^${Rational.toString(f.exponent)}`).join("");
  const size = factors.reduce((total, f) => total + f.base.size, 1);
  return intern(identity, structure, size, { kind: "product", coefficient, factors });
}
function power(base, exponent) {
  const e = typeof exponent === "number" ? ratio(exponent) : exponent;
  if (Rational.isZero(e)) return one;
  if (Rational.isOne(e)) return base;
  if (Rational.isInteger(e)) {
    if (base.kind === "rational") return rational(Rational.power(base.value, e.numerator));
    if (base.kind === "product") {
      const factors = base.factors.map((f) => ({ base: f.base, exponent: Rational.multiply(f.exponent, e) }));
      return times(
        rational(Rational.power(base.coefficient, e.numerator)),
        ...factors.map((f) => makeProduct(ONE, [f]))
      );
    }
    return makeProduct(ONE, [{ base, exponent: e }]);
  }
  if (base === zero) return Rational.isNegative(e) ? makeProduct(ONE, [{ base, exponent: e }]) : zero;
  if (base === one) return one;
  if (base.kind === "rational" && !Rational.isNegative(base.value)) {
    const root2 = Rational.root(base.value, e.denominator);
    if (root2) return rational(Rational.power(root2, e.numerator));
  }
  if (base.kind === "product" && !Rational.isOne(base.coefficient) && !Rational.isNegative(base.coefficient)) {
    const root2 = Rational.root(base.coefficient, e.denominator);
    if (root2)
      return scale(
        Rational.power(root2, e.numerator),
        makeProduct(ONE, [{ base: makeProduct(ONE, base.factors), exponent: e }])
      );
  }
  return makeProduct(ONE, [{ base, exponent: e }]);
}
function divide(a, b) {
  return times(a, power(b, -1));
}
function square(e) {
  return power(e, 2);
}
function sqrt(e) {
  return power(e, HALF);
}
var ODD = /* @__PURE__ */ new Set(["sin", "tan", "asin", "atan", "sinh", "tanh", "sign"]);
var EVEN = /* @__PURE__ */ new Set(["cos", "cosh", "abs"]);
function leadingCoefficientIsNegative(e) {
  if (e.kind === "rational") return Rational.isNegative(e.value);
  return e.kind === "product" && Rational.isNegative(e.coefficient);
}
function multipleOfPi(e) {
  if (e === zero) return ZERO;
  if (e === pi) return ONE;
  if (e.kind === "product" && e.factors.length === 1 && e.factors[0].base === pi && Rational.isOne(e.factors[0].exponent))
    return e.coefficient;
  return void 0;
}
function exactSine(turn) {
  const twelfths = Rational.multiply(turn, ratio(12n));
  if (!Rational.isInteger(twelfths)) return void 0;
  const index = Number((twelfths.numerator % 24n + 24n) % 24n);
  const sign = index < 12 ? 1 : -1;
  const folded = index % 12 > 6 ? 12 - index % 12 : index % 12;
  const values = {
    0: () => zero,
    2: () => half,
    3: () => times(half, sqrt(integer(2))),
    4: () => times(half, sqrt(integer(3))),
    6: () => one
  };
  const value = values[folded]?.();
  return value && (sign < 0 ? negate(value) : value);
}
function call(name, ...operands) {
  const [x] = operands;
  if (operands.length === 1 && (ODD.has(name) || EVEN.has(name)) && leadingCoefficientIsNegative(x)) {
    const positive = call(name, negate(x));
    return ODD.has(name) ? negate(positive) : positive;
  }
  if (x === zero) {
    if (ODD.has(name) || name === "abs") return zero;
    if (name === "cos" || name === "cosh" || name === "exp") return one;
  }
  if (name === "sin" || name === "cos") {
    const turn = multipleOfPi(x);
    const value = turn && exactSine(name === "sin" ? turn : Rational.add(turn, HALF));
    if (value) return value;
  }
  if (name === "log" && x === one) return zero;
  if (name === "abs" && x.kind === "rational") return rational(Rational.absolute(x.value));
  if (name === "sign" && x.kind === "rational") return x === zero ? zero : one;
  if (name === "atan2" && x === zero && operands[1].kind === "rational" && !leadingCoefficientIsNegative(operands[1]))
    return zero;
  if (name === "pow" && operands[1].kind === "rational") return power(x, operands[1].value);
  const identity = `f${name}(${operands.map((o) => o.id).join(",")})`;
  const structure = `f${name}(${operands.map((o) => o.hash).join(",")})`;
  const size = operands.reduce((total, o) => total + o.size, 1);
  return intern(identity, structure, size, { kind: "call", name, arguments: operands });
}
var sin = (x) => call("sin", x);
var cos = (x) => call("cos", x);
function factorial(n) {
  let value = 1n;
  for (let i = 2n; i <= BigInt(n); i++) value *= i;
  return value;
}
function inverseFactorial(n) {
  return ratio(1n, factorial(n));
}
function stumpff(order, argument) {
  if (!Number.isInteger(order) || order < 0)
    throw new RangeError(`Stumpff functions have orders 0, 1, 2, \u2026, not ${order}`);
  if (argument === zero) return rational(inverseFactorial(order));
  return intern(`c${order}(${argument.id})`, `c${order}(${argument.hash})`, argument.size + 1, {
    kind: "stumpff",
    order,
    argument
  });
}
var yes = () => compare("==", zero, zero);
function compare(operator, left, right) {
  const identity = `?${left.id}${operator}${right.id}`;
  const structure = `?${left.hash}${operator}${right.hash}`;
  return intern(identity, structure, left.size + right.size + 1, { kind: "compare", operator, left, right });
}
function logic(operator, ...operands) {
  const identity = `${operator}(${operands.map((o) => o.id).join(",")})`;
  const structure = `${operator}(${operands.map((o) => o.hash).join(",")})`;
  const size = operands.reduce((total, o) => total + o.size, 1);
  return intern(identity, structure, size, { kind: "logic", operator, operands });
}
function decided(condition) {
  if (condition.kind === "compare") {
    const { left, right, operator } = condition;
    if (left === right) return operator !== "<";
    if (left.kind !== "rational" || right.kind !== "rational") return void 0;
    const order = Rational.compare(left.value, right.value);
    return operator === "<" ? order < 0 : operator === "<=" ? order <= 0 : order === 0;
  }
  if (condition.kind === "logic") {
    const truths = condition.operands.map(decided);
    if (condition.operator === "not") return truths[0] === void 0 ? void 0 : !truths[0];
    const dominant = condition.operator === "or";
    if (truths.includes(dominant)) return dominant;
    return truths.includes(void 0) ? void 0 : !dominant;
  }
  return void 0;
}
function select(condition, then, otherwise) {
  if (then === otherwise) return then;
  const truth = condition === yes() ? true : decided(condition);
  if (truth !== void 0) return truth ? then : otherwise;
  const identity = `if${condition.id}:${then.id}:${otherwise.id}`;
  const structure = `if${condition.hash}:${then.hash}:${otherwise.hash}`;
  const size = condition.size + then.size + otherwise.size + 1;
  return intern(identity, structure, size, { kind: "select", condition, then, otherwise });
}

// src/symbolic/vector.ts
var zeroVector = [zero, zero, zero];
var identityMatrix = [one, zero, zero, zero, one, zero, zero, zero, one];
var identityFrame = { rotation: identityMatrix, translation: zeroVector };
var unitVectors = [
  [one, zero, zero],
  [zero, one, zero],
  [zero, zero, one]
];
function mapVector(v, f) {
  return [f(v[0]), f(v[1]), f(v[2])];
}
function addVectors(...vectors) {
  return [plus(...vectors.map((v) => v[0])), plus(...vectors.map((v) => v[1])), plus(...vectors.map((v) => v[2]))];
}
function subtractVectors(a, b) {
  return [minus(a[0], b[0]), minus(a[1], b[1]), minus(a[2], b[2])];
}
function scaleVector(factor, v) {
  return mapVector(v, (e) => times(factor, e));
}
function dot(a, b) {
  return plus(times(a[0], b[0]), times(a[1], b[1]), times(a[2], b[2]));
}
function cross(a, b) {
  return [
    minus(times(a[1], b[2]), times(a[2], b[1])),
    minus(times(a[2], b[0]), times(a[0], b[2])),
    minus(times(a[0], b[1]), times(a[1], b[0]))
  ];
}
function isZeroVector(v) {
  return v.every((e) => e === zero);
}
function multiplyVector(m, v) {
  return [dot([m[0], m[1], m[2]], v), dot([m[3], m[4], m[5]], v), dot([m[6], m[7], m[8]], v)];
}
function multiplyTransposed(m, v) {
  return multiplyVector(transpose(m), v);
}
function multiplyMatrices(a, b) {
  const columns = [column(b, 0), column(b, 1), column(b, 2)].map((c) => multiplyVector(a, c));
  return fromColumns(columns[0], columns[1], columns[2]);
}
function addMatrices(...matrices) {
  return matrices[0].map((_, i) => plus(...matrices.map((m) => m[i])));
}
function mapMatrix(m, f) {
  return m.map(f);
}
function transpose(m) {
  return [m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]];
}
function column(m, index) {
  return [m[index], m[3 + index], m[6 + index]];
}
function fromColumns(x, y, z) {
  return [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]];
}
function skew(v) {
  return [zero, negate(v[2]), v[1], v[2], zero, negate(v[0]), negate(v[1]), v[0], zero];
}
function unskew(m) {
  return [m[7], m[2], m[3]];
}
function multiplySymmetric(s, v) {
  const [xx, yy, zz, xy, xz, yz] = s;
  return [dot([xx, xy, xz], v), dot([xy, yy, yz], v), dot([xz, yz, zz], v)];
}
function addSymmetric(...terms) {
  return terms[0].map((_, i) => plus(...terms.map((s) => s[i])));
}
function composeFrames(outer, inner) {
  return {
    rotation: multiplyMatrices(outer.rotation, inner.rotation),
    translation: addVectors(outer.translation, multiplyVector(outer.rotation, inner.translation))
  };
}
function transformPoint(frame, point) {
  return addVectors(frame.translation, multiplyVector(frame.rotation, point));
}
function frameEntries(frame) {
  return [...frame.rotation, ...frame.translation];
}
function frameFromEntries(entries) {
  return {
    rotation: entries.slice(0, 9),
    translation: entries.slice(9, 12)
  };
}

// test/codegen/sample-robots.ts
var location = { file: "", line: 1, column: 1, path: "" };
function quantity(name, value, unit) {
  return { name, symbol: symbol(`body.${name}`), unit, value };
}
function planarCcType() {
  const [L, R, rho] = [quantity("L", decimal(0.2), "m"), quantity("R", decimal(0.02), "m"), quantity("rho", integer(1062), "kg/m^3")];
  const q = quantity("q", zero, "rad");
  const [s, x, y] = [symbol("material.s"), symbol("material.x"), symbol("material.y")];
  const theta = divide(times(q.symbol, s), L.symbol);
  const position = [
    plus(divide(times(L.symbol, minus(one, cos(theta))), q.symbol), times(x, cos(theta))),
    y,
    minus(divide(times(L.symbol, sin(theta)), q.symbol), times(x, sin(theta)))
  ];
  const at = (...entries) => new Map(entries);
  return {
    name: "planar-cc",
    summary: "planar constant-curvature segment",
    parameters: [L, R, rho],
    coordinates: [q],
    volume: { kind: "rod", axial: s, section: [x, y], start: zero, end: L.symbol, shape: { shape: "disc", radius: R.symbol }, density: rho.symbol },
    kinematics: {
      kind: "position",
      position,
      distal: {
        kind: "contact",
        contact: { pivot: at([s, L.symbol]), axes: { x: at([s, L.symbol], [x, R.symbol]), y: at([s, L.symbol], [y, R.symbol]) } }
      }
    },
    locations: { whole: location, kinematics: location, distal: location, volume: location }
  };
}
var fixed = { type: "fixed", coordinates: [], motions: [] };
function revolute(axis) {
  const angle = { name: "q", symbol: symbol("joint.q"), unit: "rad", value: zero };
  return { type: "revolute", coordinates: [angle], motions: [{ kind: "rotation", axis, angle: angle.symbol }] };
}
function softLink(index, parent, type, parameters, joint = fixed) {
  return {
    name: `soft${index}`,
    parent,
    offset: identityFrame,
    joint,
    mount: identityFrame,
    body: { kind: "deformable", type, parameters },
    location
  };
}
function rigidLink(name, parent, axis, mass) {
  return {
    name,
    parent,
    offset: { ...identityFrame, translation: [decimal(0.1), zero, decimal(0.3)] },
    joint: revolute(axis),
    mount: identityFrame,
    body: {
      kind: "rigid",
      mass,
      centreOfMass: [decimal(0.02), decimal(-0.01), decimal(0.15)],
      inertia: [decimal(0.021), decimal(0.019), decimal(0.011), decimal(1e-3), decimal(-2e-3), decimal(15e-4)],
      distal: { ...identityFrame, translation: [zero, decimal(0.05), decimal(0.3)] }
    },
    location
  };
}
function robotOf(name, links, parameters = []) {
  const coordinates = links.flatMap((link, index) => [
    ...link.joint.coordinates.map(() => ({ name: `${link.name}.joint`, link: index, part: "joint", unit: "rad", summary: "", value: 0 })),
    ...link.body.kind === "deformable" ? link.body.type.coordinates.map((c) => ({ name: `${link.name}.${c.name}`, link: index, part: "body", unit: c.unit, summary: "", value: 0 })) : []
  ]);
  return {
    name,
    summary: "a robot for tests",
    source: { file: `${name}.robot.yaml`, hash: "0".repeat(64) },
    gravity: [0.5, -0.25, -9.81],
    base: { ...identityFrame, translation: [zero, zero, one] },
    parameters,
    links,
    coordinates,
    frames: links.map((link, index) => ({ name: link.name, link: index, offset: identityFrame })),
    tip: links.length - 1,
    states: {},
    warnings: []
  };
}
function planarCcChain(links) {
  const type = planarCcType();
  const values = type.parameters.map((p) => p.value);
  return robotOf(`planar-cc-${links}`, Array.from({ length: links }, (_, i) => softLink(i + 1, i - 1, type, values)));
}
function branchedRobot() {
  const load = { name: "load", symbol: symbol("robot.load"), unit: "kg", value: decimal(0.7), summary: "mass of the gripper" };
  const type = planarCcType();
  const short = [decimal(0.15), decimal(0.01), integer(1100)];
  const links = [
    rigidLink("trunk", -1, [zero, zero, one], integer(3)),
    softLink(1, 0, type, type.parameters.map((p) => p.value)),
    rigidLink("gripper", 1, [one, zero, zero], load.symbol),
    rigidLink("shoulder", 0, [zero, one, zero], decimal(1.5)),
    softLink(2, 3, type, short, revolute([zero, zero, one]))
  ];
  return robotOf("branched", links, [load]);
}

// src/symbolic/traverse.ts
function postorder(roots) {
  const order = [];
  const state = /* @__PURE__ */ new Map();
  for (const root2 of roots) {
    const stack = [root2];
    while (stack.length > 0) {
      const e = stack[stack.length - 1];
      const placed = state.get(e);
      if (placed === void 0) {
        state.set(e, false);
        const operands = children(e);
        for (let i = operands.length - 1; i >= 0; i--) if (!state.has(operands[i])) stack.push(operands[i]);
        continue;
      }
      stack.pop();
      if (placed) continue;
      state.set(e, true);
      order.push(e);
    }
  }
  return order;
}
function freeSymbols(roots) {
  return postorder(roots).filter((e) => e.kind === "symbol");
}
function dependsOn(e, symbols) {
  return postorder([e]).some((node) => symbols.has(node));
}
function rebuild(e, replaced) {
  switch (e.kind) {
    case "rational":
    case "constant":
    case "symbol":
      return e;
    case "sum":
      return plus(rational(e.constant), ...e.terms.map((t) => scale(t.coefficient, replaced(t.term))));
    case "product":
      return times(rational(e.coefficient), ...e.factors.map((f) => power(replaced(f.base), f.exponent)));
    case "call":
      return call(e.name, ...e.arguments.map(replaced));
    case "stumpff":
      return stumpff(e.order, replaced(e.argument));
    case "select":
      return select(replaced(e.condition), replaced(e.then), replaced(e.otherwise));
    case "compare":
      return compare(e.operator, replaced(e.left), replaced(e.right));
    case "logic":
      return logic(e.operator, ...e.operands.map(replaced));
  }
}
function substitute(roots, replacements) {
  if (replacements.size === 0) return [...roots];
  const results = /* @__PURE__ */ new Map();
  for (const e of postorder(roots)) {
    const replacement = replacements.get(e);
    if (replacement) results.set(e, replacement);
    else {
      const unchanged = children(e).every((o) => results.get(o) === o);
      results.set(e, unchanged ? e : rebuild(e, (o) => results.get(o)));
    }
  }
  return roots.map((root2) => results.get(root2));
}
function substituteOne(e, replacements) {
  return substitute([e], replacements)[0];
}

// src/symbolic/cost.ts
var STUMPFF_COST = 55;
function countOperations(roots, free = () => false) {
  const count = {
    additions: 0,
    multiplications: 0,
    divisions: 0,
    squareRoots: 0,
    calls: 0,
    stumpffArguments: 0
  };
  const stumpffArguments = /* @__PURE__ */ new Set();
  const powers = /* @__PURE__ */ new Set();
  for (const e of postorder(roots)) {
    if (free(e)) continue;
    if (e.kind === "sum") countSum(e, count);
    else if (e.kind === "product") countProduct(e, count, powers);
    else if (e.kind === "call") count.calls += 1;
    else if (e.kind === "stumpff") stumpffArguments.add(e.argument);
    else if (e.kind === "compare") count.additions += 1;
  }
  count.stumpffArguments = stumpffArguments.size;
  return count;
}
function countSum(e, count) {
  count.additions += e.terms.length - (Rational.isZero(e.constant) ? 1 : 0);
  for (const t of e.terms) if (!Rational.isOne(Rational.absolute(t.coefficient))) count.multiplications += 1;
}
function countProduct(e, count, powers) {
  let above = Rational.isOne(Rational.absolute(e.coefficient)) ? 0 : 1;
  let below = 0;
  for (const { base, exponent } of e.factors) {
    const magnitude = Rational.absolute(exponent);
    const key = `${base.id}^${Rational.toString(magnitude)}`;
    if (!powers.has(key)) {
      powers.add(key);
      if (magnitude.denominator === 2n) count.squareRoots += 1;
      else if (magnitude.denominator !== 1n) count.calls += 1;
      const bits = magnitude.numerator.toString(2);
      count.multiplications += bits.length - 1 + [...bits].filter((b) => b === "1").length - 1;
    }
    if (Rational.isNegative(exponent)) below += 1;
    else above += 1;
  }
  count.multiplications += Math.max(0, above - 1) + Math.max(0, below - 1);
  if (below > 0) count.divisions += 1;
}
function totalOperations(count) {
  return count.additions + count.multiplications + count.divisions + count.squareRoots + count.calls + STUMPFF_COST * count.stumpffArguments;
}

// src/symbolic/error.ts
var KanegenError = class _KanegenError extends Error {
  /** Kebab-case and stable: `unknown-symbol`, `singular-contact`, … */
  code;
  remedy;
  location;
  offset;
  others;
  constructor(code, message, options = {}) {
    super(message);
    this.name = "KanegenError";
    this.code = code;
    this.remedy = options.remedy;
    this.location = options.location;
    this.offset = options.offset;
    this.others = options.others ?? [];
  }
  /** This error and the others found with it, in the order they were found. */
  get problems() {
    return [this, ...this.others];
  }
  /** The same error at `location`, unless it has a place already. */
  at(location2) {
    if (this.location) return this;
    return new _KanegenError(this.code, this.message, { remedy: this.remedy, location: location2, others: this.others });
  }
};

// src/symbolic/evaluate.ts
import { Decimal } from "decimal.js";
function evaluateWith(arithmetic, roots, bindings) {
  const values = new Map(bindings);
  const truths = /* @__PURE__ */ new Map();
  const stack = [];
  const ready = (e) => values.has(e) || truths.has(e);
  const need = (operands) => {
    let complete = true;
    for (const operand of operands)
      if (!ready(operand)) {
        stack.push(operand);
        complete = false;
      }
    return complete;
  };
  const value = (e) => values.get(e);
  for (const root2 of roots) {
    stack.push(root2);
    while (stack.length > 0) {
      const e = stack[stack.length - 1];
      if (ready(e)) {
        stack.pop();
        continue;
      }
      switch (e.kind) {
        case "rational":
          values.set(e, arithmetic.rational(e.value));
          break;
        case "constant":
          values.set(e, arithmetic.pi());
          break;
        case "symbol":
          throw new Error(`no value for ${e.name}`);
        case "sum": {
          if (!need(e.terms.map((t) => t.term))) continue;
          let total = arithmetic.rational(e.constant);
          for (const t of e.terms) {
            const scaled = Rational.isOne(t.coefficient) ? value(t.term) : arithmetic.multiply(arithmetic.rational(t.coefficient), value(t.term));
            total = arithmetic.add(total, scaled);
          }
          values.set(e, total);
          break;
        }
        case "product": {
          if (!need(e.factors.map((f) => f.base))) continue;
          let total = arithmetic.rational(e.coefficient);
          for (const f of e.factors) total = arithmetic.multiply(total, arithmetic.power(value(f.base), f.exponent));
          values.set(e, total);
          break;
        }
        case "call":
          if (!need(e.arguments)) continue;
          values.set(e, arithmetic.call(e.name, e.arguments.map(value)));
          break;
        case "stumpff":
          if (!need([e.argument])) continue;
          values.set(e, arithmetic.stumpff(e.order, value(e.argument)));
          break;
        case "select": {
          if (!need([e.condition])) continue;
          const branch = truths.get(e.condition) ? e.then : e.otherwise;
          if (!need([branch])) continue;
          values.set(e, value(branch));
          break;
        }
        case "compare":
          if (!need([e.left, e.right])) continue;
          truths.set(e, holds(e, arithmetic.compare(value(e.left), value(e.right))));
          break;
        case "logic":
          if (!need(e.operands)) continue;
          truths.set(e, combine(e, truths));
          break;
      }
    }
  }
  return roots.map(value);
}
function holds(e, order) {
  return e.operator === "<" ? order < 0 : e.operator === "<=" ? order <= 0 : order === 0;
}
function combine(e, truths) {
  const operands = e.operands.map((o) => truths.get(o));
  if (e.operator === "not") return !operands[0];
  return e.operator === "and" ? operands.every(Boolean) : operands.some(Boolean);
}
var doubleArithmetic = {
  rational: Rational.toNumber,
  pi: () => Math.PI,
  add: (a, b) => a + b,
  multiply: (a, b) => a * b,
  power(base, exponent) {
    if (Rational.isOne(exponent)) return base;
    if (exponent.denominator === 2n) {
      const root2 = Math.sqrt(base);
      return exponent.numerator === 1n ? root2 : root2 ** Number(exponent.numerator);
    }
    return base ** Rational.toNumber(exponent);
  },
  call(name, operands) {
    const f = Math[name];
    return f(...operands);
  },
  stumpff: (order, argument) => Number(stumpffDecimal(new Precise(argument), order, Precise)),
  compare: (a, b) => a < b ? -1 : a > b ? 1 : a === b ? 0 : NaN
};
var Precise = Decimal.clone({ precision: 40 });
function decimalOfPrecision(digits) {
  return Decimal.clone({ precision: digits, toExpNeg: -9e15, toExpPos: 9e15 });
}
function stumpffDecimal(x, order, Number_) {
  const guard = Math.ceil(0.87 * Math.sqrt(Math.abs(x.toNumber()))) + 10;
  const Wide3 = Decimal.clone({ precision: Number_.precision + guard });
  let term = new Wide3(1);
  for (let i = 2; i <= order; i++) term = term.div(i);
  const factor = new Wide3(x).neg();
  let total = term;
  const scale2 = term.abs();
  for (let j = 1; ; j++) {
    term = term.times(factor).div((order + 2 * j) * (order + 2 * j - 1));
    total = total.plus(term);
    if (term.isZero()) break;
    if (term.abs().lt(scale2.times(Wide3.pow(10, -(Number_.precision + guard - 2)))) && j > 2) break;
  }
  return new Number_(total);
}
function decimalArithmetic(Number_) {
  return {
    rational: (r) => new Number_(r.numerator.toString()).div(r.denominator.toString()),
    pi: () => Number_.acos(-1),
    add: (a, b) => a.plus(b),
    multiply: (a, b) => a.times(b),
    power(base, exponent) {
      if (Rational.isOne(exponent)) return base;
      if (exponent.denominator === 2n) return base.sqrt().pow(exponent.numerator.toString());
      if (exponent.denominator === 1n) return base.pow(exponent.numerator.toString());
      return base.pow(new Number_(exponent.numerator.toString()).div(exponent.denominator.toString()));
    },
    call(name, operands) {
      const [x, y] = operands;
      if (name === "log") return x.ln();
      if (name === "pow") return x.pow(y);
      if (name === "atan2") return Number_.atan2(x, y);
      if (name === "sign") return new Number_(x.isZero() ? 0 : x.s);
      const f = Number_[name];
      return f.call(Number_, x);
    },
    stumpff: (order, argument) => stumpffDecimal(argument, order, Number_),
    compare: (a, b) => a.comparedTo(b)
  };
}
function evaluateDecimal(roots, bindings, Number_) {
  return evaluateWith(decimalArithmetic(Number_), roots, bindings);
}
var Folding = decimalOfPrecision(40);
function foldConstant(e) {
  return foldConstants([e])[0];
}
function foldConstants(roots, bindings = /* @__PURE__ */ new Map()) {
  const exact = roots.map((e) => e.kind === "rational" ? Rational.toNumber(e.value) : void 0);
  const values = /* @__PURE__ */ new Map();
  for (const [symbol2, value] of bindings) values.set(symbol2, evaluateDecimal([value], /* @__PURE__ */ new Map(), Folding)[0]);
  return roots.map((e, i) => exact[i] ?? Number(evaluateDecimal([e], values, Folding)[0]));
}
function isConstant(e) {
  return !postorder([e]).some((node) => node.kind === "symbol");
}

// src/symbolic/expand.ts
function keyOf(factors) {
  return [...factors].map(([base, exponent]) => `${base.id}^${Rational.toString(exponent)}`).sort().join(" ");
}
var Polynomial = class {
  terms = /* @__PURE__ */ new Map();
  add(monomial) {
    if (Rational.isZero(monomial.coefficient)) return;
    const key = keyOf(monomial.factors);
    const before = this.terms.get(key);
    const coefficient = before ? Rational.add(before.coefficient, monomial.coefficient) : monomial.coefficient;
    if (Rational.isZero(coefficient)) this.terms.delete(key);
    else this.terms.set(key, { coefficient, factors: monomial.factors });
  }
};
function multiplyMonomials(a, b) {
  const factors = new Map(a.factors);
  for (const [base, exponent] of b.factors) {
    const sum = Rational.add(factors.get(base) ?? ZERO, exponent);
    if (Rational.isZero(sum)) factors.delete(base);
    else factors.set(base, sum);
  }
  return { coefficient: Rational.multiply(a.coefficient, b.coefficient), factors };
}
function expandToMonomials(e, limit2) {
  const expanded = expandPolynomial(e, limit2);
  return expanded && [...expanded.terms.values()];
}
function expandPolynomial(e, limit2) {
  const result = new Polynomial();
  if (e.kind === "rational") {
    result.add({ coefficient: e.value, factors: /* @__PURE__ */ new Map() });
    return result;
  }
  if (e.kind === "sum") {
    result.add({ coefficient: e.constant, factors: /* @__PURE__ */ new Map() });
    for (const t of e.terms) {
      const inner = expandPolynomial(t.term, limit2);
      if (!inner) return void 0;
      for (const m of inner.terms.values())
        result.add({ coefficient: Rational.multiply(t.coefficient, m.coefficient), factors: m.factors });
      if (result.terms.size > limit2) return void 0;
    }
    return result;
  }
  if (e.kind !== "product") {
    result.add({ coefficient: ONE, factors: /* @__PURE__ */ new Map([[e, ONE]]) });
    return result;
  }
  return expandProduct(e.coefficient, e.factors, limit2);
}
function expandProduct(coefficient, factors, limit2) {
  let partial = [{ coefficient, factors: /* @__PURE__ */ new Map() }];
  for (const { base, exponent } of factors) {
    const repeat = base.kind === "sum" && Rational.isInteger(exponent) && !Rational.isNegative(exponent);
    if (!repeat) {
      partial = partial.map((m) => multiplyMonomials(m, { coefficient: ONE, factors: /* @__PURE__ */ new Map([[base, exponent]]) }));
      continue;
    }
    const inner = expandPolynomial(base, limit2);
    if (!inner) return void 0;
    for (let i = 0n; i < exponent.numerator; i++) {
      const next = new Polynomial();
      for (const a of partial) for (const b of inner.terms.values()) next.add(multiplyMonomials(a, b));
      if (next.terms.size > limit2) return void 0;
      partial = [...next.terms.values()];
    }
  }
  const result = new Polynomial();
  for (const m of partial) result.add(m);
  return result;
}
function monomialToExpr(m) {
  return times(rational(m.coefficient), ...[...m.factors].map(([base, exponent]) => power(base, exponent)));
}
function asMonomial(x) {
  if (x.kind === "symbol") return { coefficient: ONE, factors: /* @__PURE__ */ new Map([[x, ONE]]) };
  if (x.kind !== "product") return void 0;
  if (x.factors.some((f) => f.base.kind === "sum")) return void 0;
  return { coefficient: x.coefficient, factors: new Map(x.factors.map((f) => [f.base, f.exponent])) };
}
function divideMonomial(m, x) {
  const factors = new Map(m.factors);
  for (const [base, exponent] of x.factors) {
    const left = Rational.subtract(factors.get(base) ?? ZERO, exponent);
    if (!Rational.isNegative(exponent) && Rational.isNegative(left)) return void 0;
    if (Rational.isZero(left)) factors.delete(base);
    else factors.set(base, left);
  }
  return { coefficient: Rational.divide(m.coefficient, x.coefficient), factors };
}
function withStumpff(m, changes, coefficient) {
  const factors = new Map(m.factors);
  for (const [node, change] of changes) {
    const exponent = Rational.add(factors.get(node) ?? ZERO, ratio(change));
    if (Rational.isZero(exponent)) factors.delete(node);
    else factors.set(node, exponent);
  }
  return { coefficient: Rational.multiply(m.coefficient, coefficient), factors };
}
function rewriteMonomial(m) {
  for (const [node, exponent] of m.factors) {
    if (node.kind !== "stumpff" || Rational.isNegative(exponent) || !Rational.isInteger(exponent)) continue;
    const argument = asMonomial(node.argument);
    if (!argument) continue;
    const quotient = divideMonomial(m, argument);
    if (!quotient) continue;
    if (node.order >= 2) {
      const lower = stumpff(node.order - 2, node.argument);
      return [
        withStumpff(quotient, [[node, -1]], inverseFactorial(node.order - 2)),
        withStumpff(
          quotient,
          [
            [node, -1],
            [lower, 1]
          ],
          ratio(-1)
        )
      ];
    }
    if (node.order === 1 && exponent.numerator >= 2n) {
      const cosine = stumpff(0, node.argument);
      return [
        withStumpff(quotient, [[node, -2]], ONE),
        withStumpff(
          quotient,
          [
            [node, -2],
            [cosine, 2]
          ],
          ratio(-1)
        )
      ];
    }
  }
  return void 0;
}
function reduceStumpff(e, limit2 = 120) {
  const expanded = expandPolynomial(e, limit2);
  if (!expanded) return e;
  const done = new Polynomial();
  const pending = [...expanded.terms.values()];
  for (let steps = 0; pending.length > 0; steps++) {
    if (steps > 40 * limit2) return e;
    const m = pending.pop();
    const rewritten = rewriteMonomial(m);
    if (rewritten) pending.push(...rewritten);
    else done.add(m);
  }
  return collectByFactors([...done.terms.values()]);
}
function collectByFactors(monomials) {
  const groups = /* @__PURE__ */ new Map();
  for (const m of monomials) {
    const outer = /* @__PURE__ */ new Map();
    const inner = /* @__PURE__ */ new Map();
    for (const [base, exponent] of m.factors) (base.kind === "stumpff" ? inner : outer).set(base, exponent);
    const key = keyOf(outer);
    const group2 = groups.get(key) ?? { part: { coefficient: ONE, factors: outer }, inner: [] };
    group2.inner.push(monomialToExpr({ coefficient: m.coefficient, factors: inner }));
    groups.set(key, group2);
  }
  return plus(...[...groups.values()].map((g) => times(monomialToExpr(g.part), plus(...g.inner))));
}
function cancelsNearZero(e) {
  if (e.kind === "sum" && sumOfStumpffVanishes(e)) return true;
  const terms = e.kind === "sum" ? e.terms.map((t) => t.term) : [e];
  return terms.some((term) => {
    const bases = term.kind === "product" ? term.factors.map((f) => f.base) : [term];
    return bases.some((base) => base.kind === "sum" && sumOfStumpffVanishes(base));
  });
}
function sumOfStumpffVanishes(e) {
  let total = e.constant;
  for (const t of e.terms) {
    const factors = t.term.kind === "product" ? t.term.factors : [{ base: t.term, exponent: ONE }];
    let value = t.coefficient;
    for (const f of factors) {
      if (f.base.kind !== "stumpff" || !Rational.isInteger(f.exponent)) return false;
      value = Rational.multiply(value, Rational.power(inverseFactorial(f.base.order), f.exponent.numerator));
    }
    if (t.term.kind === "product") value = Rational.multiply(value, t.term.coefficient);
    total = Rational.add(total, value);
  }
  return Rational.isZero(total);
}
function reduceStumpffSafely(e, limit2) {
  const reduced = reduceStumpff(e, limit2);
  return cancelsNearZero(reduced) ? e : reduced;
}

// src/symbolic/print.ts
function bareName(name) {
  return name.slice(name.lastIndexOf(".") + 1);
}
function derivativeScope(name) {
  return name.slice(0, name.indexOf("."));
}
var plain = {
  number: (value) => Rational.toString(value),
  symbol: (name) => `${bareName(name)}${{ rate: "_dot", acceleration: "_ddot" }[derivativeScope(name)] ?? ""}`,
  pi: "pi",
  product: (parts) => parts.join("*"),
  quotient: (n, d) => `${n}/${d}`,
  power: (base, exponent) => `${base}^${exponent}`,
  root: (radicand) => `sqrt(${radicand})`,
  call: (name, operands) => `${name}(${operands.join(", ")})`,
  stumpff: (order, argument) => `c${order}(${argument})`,
  select: (c, a, b) => `select(${c}, ${a}, ${b})`,
  comparison: { "<": "<", "<=": "<=", "==": "==" },
  parenthesise: (text) => `(${text})`
};
var SUM = 1;
var PRODUCT = 2;
var POWER = 3;
var ATOM = 4;
var LIMIT = 4e3;
function print(e, notation, memo) {
  const known = memo.get(e);
  if (known) return known;
  if (e.size > LIMIT) {
    const ellipsis = { text: "\u2026", precedence: ATOM };
    memo.set(e, ellipsis);
    return ellipsis;
  }
  const sub = (child, minimum) => {
    const printed = print(child, notation, memo);
    return printed.precedence < minimum ? notation.parenthesise(printed.text) : printed.text;
  };
  let result;
  switch (e.kind) {
    case "rational": {
      const negative = Rational.isNegative(e.value);
      result = {
        text: notation.number(e.value),
        precedence: negative ? SUM : Rational.isInteger(e.value) ? ATOM : PRODUCT
      };
      break;
    }
    case "constant":
      result = { text: notation.pi, precedence: ATOM };
      break;
    case "symbol":
      result = { text: notation.symbol(e.name), precedence: ATOM };
      break;
    case "sum": {
      let text = "";
      if (!Rational.isZero(e.constant)) text = notation.number(e.constant);
      for (const { coefficient, term } of e.terms) {
        const negative = Rational.isNegative(coefficient);
        const magnitude = Rational.absolute(coefficient);
        const part = Rational.isOne(magnitude) ? sub(term, PRODUCT) : notation.product([notation.number(magnitude), sub(term, PRODUCT)]);
        if (text === "") text = negative ? `-${part}` : part;
        else text += negative ? ` - ${part}` : ` + ${part}`;
      }
      result = { text, precedence: SUM };
      break;
    }
    case "product":
      result = printProduct(e, notation, sub);
      break;
    case "call":
      result = {
        text: notation.call(
          e.name,
          e.arguments.map((a) => sub(a, 0))
        ),
        precedence: ATOM
      };
      break;
    case "stumpff":
      result = { text: notation.stumpff(e.order, sub(e.argument, 0)), precedence: ATOM };
      break;
    case "select":
      result = { text: notation.select(sub(e.condition, 0), sub(e.then, 0), sub(e.otherwise, 0)), precedence: ATOM };
      break;
    case "compare":
      result = { text: `${sub(e.left, SUM)} ${notation.comparison[e.operator]} ${sub(e.right, SUM)}`, precedence: 0 };
      break;
    case "logic":
      result = {
        text: e.operator === "not" ? `not (${sub(e.operands[0], 0)})` : e.operands.map((o) => sub(o, SUM)).join(` ${e.operator} `),
        precedence: 0
      };
      break;
  }
  memo.set(e, result);
  return result;
}
function printProduct(e, notation, sub) {
  const above = [];
  const below = [];
  const magnitude = Rational.absolute(e.coefficient);
  if (magnitude.numerator !== 1n) above.push(magnitude.numerator.toString());
  if (magnitude.denominator !== 1n) below.push(magnitude.denominator.toString());
  for (const { base, exponent } of e.factors) {
    const positive = Rational.absolute(exponent);
    const text2 = Rational.isOne(positive) ? sub(base, POWER) : Rational.equals(positive, HALF) ? notation.root(sub(base, 0)) : notation.power(
      sub(base, ATOM),
      Rational.isInteger(positive) ? Rational.toString(positive) : notation.parenthesise(Rational.toString(positive))
    );
    (Rational.isNegative(exponent) ? below : above).push(text2);
  }
  const numerator = above.length === 0 ? "1" : notation.product(above);
  const denominator = below.length > 1 && notation === plain ? notation.parenthesise(notation.product(below)) : notation.product(below);
  const text = below.length === 0 ? numerator : notation.quotient(numerator, denominator);
  const negative = Rational.isNegative(e.coefficient);
  const single2 = above.length + below.length === 1 && below.length === 0;
  return { text: negative ? `-${text}` : text, precedence: negative ? SUM : single2 ? POWER : PRODUCT };
}
function printAll(e, notation) {
  const memo = /* @__PURE__ */ new Map();
  for (const node of postorder([e])) print(node, notation, memo);
  return memo.get(e).text;
}
function toText(e) {
  return printAll(e, plain);
}

// src/integration/section.ts
function doubleFactorial(n) {
  let value = 1n;
  for (let i = n; i > 1; i -= 2) value *= BigInt(i);
  return value;
}
function unitDiscMoment(a, b) {
  if (a % 2 === 1 || b % 2 === 1) return zero;
  return times(fraction(2n * doubleFactorial(a - 1) * doubleFactorial(b - 1), doubleFactorial(a + b + 2)), pi);
}
function intervalMoment(width, a) {
  if (a % 2 === 1) return zero;
  return times(fraction(1n, BigInt(a + 1) * 2n ** BigInt(a)), power(width, a + 1));
}
function sectionMoment(section, a, b) {
  switch (section.shape) {
    case "disc":
      return times(unitDiscMoment(a, b), power(section.radius, a + b + 2));
    case "annulus":
      return times(
        unitDiscMoment(a, b),
        minus(power(section.outerRadius, a + b + 2), power(section.innerRadius, a + b + 2))
      );
    case "rectangle":
      return times(intervalMoment(section.width, a), intervalMoment(section.height, b));
    case "ellipse":
      return times(unitDiscMoment(a, b), power(section.semiAxisX, a + 1), power(section.semiAxisY, b + 1));
  }
}

// src/integration/stumpff-integral.ts
function reduceOrder(order) {
  const h = Math.floor(order / 2);
  const parity = order % 2;
  const sign = (n) => ratio(n % 2 === 0 ? 1 : -1);
  const terms = [{ coefficient: sign(h), pole: h, power: 0, harmonic: "U", order: parity }];
  for (let i = 0; i < h; i++)
    terms.push({
      coefficient: Rational.negate(Rational.multiply(sign(h + i), inverseFactorial(parity + 2 * i))),
      pole: h - i,
      power: parity + 2 * i,
      harmonic: "one",
      order: 0
    });
  return terms;
}
function multiplyTerms(a, b) {
  const base = {
    coefficient: Rational.multiply(a.coefficient, b.coefficient),
    pole: a.pole + b.pole,
    power: a.power + b.power
  };
  if (a.harmonic === "one") return [{ ...base, harmonic: b.harmonic, order: b.order }];
  if (b.harmonic === "one") return [{ ...base, harmonic: a.harmonic, order: a.order }];
  const halved = Rational.multiply(base.coefficient, ratio(1, 2));
  if (a.order + b.order === 0)
    return [
      { ...base, coefficient: halved, harmonic: "one", order: 0 },
      { ...base, coefficient: halved, harmonic: "V", order: 0 }
    ];
  if (a.order + b.order === 1) return [{ ...base, harmonic: "V", order: 1 }];
  return [{ ...base, coefficient: Rational.multiply(base.coefficient, ratio(2)), harmonic: "V", order: 2 }];
}
var Accumulator = class _Accumulator {
  single = /* @__PURE__ */ new Map();
  double = /* @__PURE__ */ new Map();
  /** Coefficients of χ^(−p), p ≥ 0. */
  constants = [];
  static add(map, key, value) {
    const sum = Rational.add(map.get(key) ?? ZERO, value);
    if (Rational.isZero(sum)) map.delete(key);
    else map.set(key, sum);
  }
  addConstant(pole, value) {
    this.constants[pole] = Rational.add(this.constants[pole] ?? ZERO, value);
  }
  /** χ^(−pole) c_order(factor·χ), index raised until the pole is gone. */
  addStumpff(pole, order, factor, value) {
    let running = value;
    for (let i = 0; i < pole; i++) {
      this.addConstant(pole - i, Rational.multiply(running, inverseFactorial(order + 2 * i)));
      running = Rational.multiply(running, ratio(-factor));
    }
    _Accumulator.add(factor === 1 ? this.single : this.double, order + 2 * pole, running);
  }
  /** ∫_0^1 of an integrand term: ∫ s^i U_k ds = Σ_l (−1)^l i!/(i−l)! c_(k+1+l). */
  addIntegral(term) {
    if (term.harmonic === "one") {
      this.addConstant(term.pole, Rational.multiply(term.coefficient, ratio(1, term.power + 1)));
      return;
    }
    let running = term.coefficient;
    for (let l = 0; l <= term.power; l++) {
      this.addStumpff(term.pole, term.order + 1 + l, term.harmonic === "U" ? 1 : 4, running);
      running = Rational.multiply(running, ratio(-(term.power - l)));
    }
  }
  finish(what) {
    for (let pole = 1; pole < this.constants.length; pole++)
      if (!Rational.isZero(this.constants[pole] ?? ZERO)) throw new Error(`the pole of ${what} does not cancel`);
    return { constant: this.constants[0] ?? ZERO, single: this.single, double: this.double };
  }
};
var table = /* @__PURE__ */ new Map();
function integrateStumpff(power2, orders) {
  const sorted = [...orders].sort((a, b) => a - b);
  const key = `${power2}:${sorted.join(",")}`;
  const known = table.get(key);
  if (known) return known;
  const unit = { coefficient: ONE, pole: 0, power: power2, harmonic: "one", order: 0 };
  let integrand = [unit];
  if (sorted.length === 1) {
    integrand = [{ ...unit, harmonic: "U", order: sorted[0] }];
  } else
    for (const order of sorted)
      integrand = integrand.flatMap((a) => reduceOrder(order).flatMap((b) => multiplyTerms(a, b)));
  const sum = new Accumulator();
  for (const term of integrand) sum.addIntegral(term);
  const result = sum.finish(`\u222B s^${power2} ${sorted.map((k) => `U_${k}`).join(" ")} ds`);
  table.set(key, result);
  return result;
}

// src/integration/material-form.ts
function keyOf2(t) {
  return `${t.x},${t.y},${t.s},${t.harmonic ? `${t.harmonic.kind}${t.harmonic.frequency.id}` : ""}`;
}
function addTerm(into, term) {
  const key = keyOf2(term);
  const before = into.get(key);
  const coefficient = before ? plus(before.coefficient, term.coefficient) : term.coefficient;
  if (coefficient === zero) into.delete(key);
  else into.set(key, { ...term, coefficient });
}
function constantTerm(coefficient) {
  const result = /* @__PURE__ */ new Map();
  addTerm(result, { x: 0, y: 0, s: 0, coefficient });
  return result;
}
function notClosed(what) {
  return new KanegenError("no-closed-form", `${what} has no closed-form integral known here`, {
    remedy: "kinematics of this version are polynomials in x, y, s times sin or cos of (angle per length)\xB7s; integration by quadrature is not supported yet"
  });
}
function multiplySeparated(a, b) {
  const result = /* @__PURE__ */ new Map();
  for (const left of a.values())
    for (const right of b.values()) {
      const base = { x: left.x + right.x, y: left.y + right.y, s: left.s + right.s };
      const coefficient = times(left.coefficient, right.coefficient);
      if (!left.harmonic || !right.harmonic) {
        const harmonic = left.harmonic ?? right.harmonic;
        addTerm(result, { ...base, ...harmonic && { harmonic }, coefficient });
      } else
        for (const term of productToSum(left.harmonic, right.harmonic))
          addTerm(result, {
            ...base,
            ...term.harmonic && { harmonic: term.harmonic },
            coefficient: times(term.coefficient, coefficient)
          });
    }
  return result;
}
function productToSum(a, b) {
  if (a.kind === "cos" && b.kind === "sin") return productToSum(b, a);
  const kind = a.kind === b.kind ? "cos" : "sin";
  const half2 = rational(ratio(1, 2));
  const sum = harmonicTerm(kind, plus(a.frequency, b.frequency));
  const difference = harmonicTerm(kind, minus(a.frequency, b.frequency));
  const signOfSum = a.kind === "sin" && b.kind === "sin" ? minusOne : one;
  return [
    { ...sum, coefficient: times(half2, signOfSum, sum.coefficient) },
    { ...difference, coefficient: times(half2, difference.coefficient) }
  ];
}
function harmonicTerm(kind, frequency) {
  const canonical = factorContent(frequency);
  if (canonical === zero) return { coefficient: kind === "cos" ? one : zero };
  const negative = canonical.kind === "product" && Rational.isNegative(canonical.coefficient);
  return {
    harmonic: { kind, frequency: negative ? negate(canonical) : canonical },
    coefficient: negative && kind === "sin" ? minusOne : one
  };
}
function factorContent(e) {
  if (e.kind === "product")
    return times(
      rational(e.coefficient),
      ...e.factors.map((f) => Rational.isOne(f.exponent) ? factorContent(f.base) : power(f.base, f.exponent))
    );
  if (e.kind !== "sum" || !Rational.isZero(e.constant)) return e;
  const exponents = e.terms.map(
    ({ term }) => term.kind === "product" ? new Map(term.factors.map((f) => [f.base, f.exponent])) : /* @__PURE__ */ new Map([[term, ONE]])
  );
  const common = [];
  for (const [base, exponent] of exponents[0]) {
    let least = exponent;
    for (const other of exponents) {
      const there = other.get(base);
      if (!there) least = ratio(0);
      else if (Rational.compare(there, least) < 0) least = there;
    }
    const everywhere = exponents.every((other) => other.has(base));
    if (everywhere && !Rational.isZero(least)) common.push(power(base, least));
  }
  if (common.length === 0) return e;
  const content = times(...common);
  return times(content, plus(...e.terms.map((t) => scale(t.coefficient, divide(t.term, content)))));
}
function separateCall(e, operand) {
  if (e.name !== "sin" && e.name !== "cos") throw notClosed(`${e.name}(\u2026) of a material coordinate (${toText(e)})`);
  let frequency = zero;
  let phase = zero;
  for (const term of operand.values()) {
    if (term.harmonic || term.x + term.y > 0 || term.s > 1) throw notClosed(`${toText(e)}`);
    if (term.s === 1) frequency = term.coefficient;
    else phase = term.coefficient;
  }
  const result = /* @__PURE__ */ new Map();
  const cosine = harmonicTerm("cos", frequency);
  const sine = harmonicTerm("sin", frequency);
  const [cosineFactor, sineFactor] = e.name === "cos" ? [cos(phase), negate(sin(phase))] : [sin(phase), cos(phase)];
  for (const [term, factor] of [
    [cosine, cosineFactor],
    [sine, sineFactor]
  ]) {
    const coefficient = times(term.coefficient, factor);
    if (coefficient !== zero)
      addTerm(result, { x: 0, y: 0, s: 0, ...term.harmonic && { harmonic: term.harmonic }, coefficient });
  }
  return result;
}
var TERM_LIMIT = 400;
function separate(root2, coordinates) {
  const material = /* @__PURE__ */ new Set([coordinates.axial, ...coordinates.section]);
  const results = /* @__PURE__ */ new Map();
  const get = (e) => results.get(e) ?? constantTerm(e);
  for (const e of postorder([root2])) {
    if (e.kind === "symbol") {
      if (!material.has(e)) continue;
      const unit = { x: 0, y: 0, s: 0 };
      if (e === coordinates.axial) unit.s = 1;
      else if (e === coordinates.section[0]) unit.x = 1;
      else unit.y = 1;
      results.set(e, /* @__PURE__ */ new Map([[keyOf2(unit), { ...unit, coefficient: one }]]));
      continue;
    }
    const result = separateNode(e, results, get);
    if (!result) continue;
    if (result.size > TERM_LIMIT)
      throw new KanegenError(
        "formula-too-large",
        `expanding ${toText(e).slice(0, 80)} in the material coordinates gives more than ${TERM_LIMIT} terms`,
        {
          remedy: "factor the formula so that it is a short polynomial in the material coordinates"
        }
      );
    results.set(e, result);
  }
  return get(root2);
}
function separateNode(e, results, get) {
  switch (e.kind) {
    case "sum": {
      if (!e.terms.some((t) => results.has(t.term))) return void 0;
      const result = constantTerm(rational(e.constant));
      for (const t of e.terms)
        for (const inner of get(t.term).values())
          addTerm(result, { ...inner, coefficient: scale(t.coefficient, inner.coefficient) });
      return result;
    }
    case "product": {
      if (!e.factors.some((f) => results.has(f.base))) return void 0;
      let result = constantTerm(rational(e.coefficient));
      for (const { base, exponent } of e.factors) {
        if (!results.has(base)) {
          result = multiplySeparated(result, constantTerm(power(base, exponent)));
          continue;
        }
        if (!Rational.isInteger(exponent) || Rational.isNegative(exponent))
          throw notClosed(`a negative or fractional power of ${toText(base)}`);
        for (let i = 0n; i < exponent.numerator; i++) result = multiplySeparated(result, get(base));
      }
      return result;
    }
    case "call": {
      const operand = e.arguments.find((a) => results.has(a));
      if (!operand) return void 0;
      if (e.arguments.length > 1) throw notClosed(toText(e));
      return separateCall(e, get(operand));
    }
    case "select": {
      if (results.has(e.condition)) throw notClosed(`a condition on a material coordinate (${toText(e.condition)})`);
      if (!results.has(e.then) && !results.has(e.otherwise)) return void 0;
      const result = /* @__PURE__ */ new Map();
      const branches = [get(e.then), get(e.otherwise)];
      for (const key of /* @__PURE__ */ new Set([...branches[0].keys(), ...branches[1].keys()])) {
        const [a, b] = [branches[0].get(key), branches[1].get(key)];
        const coefficient = select(e.condition, a?.coefficient ?? zero, b?.coefficient ?? zero);
        addTerm(result, { ...a ?? b, coefficient });
      }
      return result;
    }
    case "stumpff":
      if (results.has(e.argument)) throw notClosed(toText(e));
      return void 0;
    case "compare":
      if (results.has(e.left) || results.has(e.right))
        throw notClosed(`a condition on a material coordinate (${toText(e)})`);
      return void 0;
    default:
      return void 0;
  }
}
function generators(frequency, coordinates) {
  if (frequency.kind !== "product") return dependsOn(frequency, coordinates) ? [frequency] : [];
  return frequency.factors.map((f) => f.base).filter((base) => dependsOn(base, coordinates));
}
function exponentOf(e, base) {
  if (e === base) return ONE;
  if (e.kind !== "product") return ratio(0);
  return e.factors.find((f) => f.base === base)?.exponent ?? ratio(0);
}
function summands(e) {
  if (e.kind === "sum")
    return [
      ...Rational.isZero(e.constant) ? [] : [rational(e.constant)],
      ...e.terms.map((t) => scale(t.coefficient, t.term))
    ];
  return [e];
}
function isSingular(e, bases) {
  return bases.some((base) => Rational.isNegative(exponentOf(e, base)));
}
var MAXIMUM_RAISES = 12;
function regularise(separated, coordinates, strict) {
  const result = /* @__PURE__ */ new Map();
  const parts = /* @__PURE__ */ new Map();
  const give = (f, coefficient) => {
    const key = functionKey(f);
    const entry = parts.get(key);
    if (entry) entry.parts.push(coefficient);
    else parts.set(key, { function: f, parts: [coefficient] });
  };
  const allGenerators = /* @__PURE__ */ new Set();
  for (const term of separated.values()) {
    const monomial = { x: term.x, y: term.y, s: term.s };
    if (!term.harmonic) {
      for (const part of summands(term.coefficient)) give(monomial, part);
      continue;
    }
    const { frequency, kind } = term.harmonic;
    const bases = generators(frequency, coordinates);
    for (const base of bases) allGenerators.add(base);
    const argument = square(frequency);
    for (const part of summands(term.coefficient)) {
      let order = kind === "cos" ? 0 : 1;
      let coefficient = kind === "cos" ? part : times(part, frequency);
      for (let raise = 0; isSingular(coefficient, bases); raise++) {
        if (raise === MAXIMUM_RAISES) throw irregular(toText(part), "the pole is of too high an order");
        give({ ...monomial, s: monomial.s + order }, times(rational(inverseFactorial(order)), coefficient));
        coefficient = negate(times(argument, coefficient));
        order += 2;
      }
      give({ ...monomial, order, argument }, coefficient);
    }
  }
  for (const [key, { function: f, parts: list }] of parts) {
    const sum = plus(...list);
    const coefficient = strict ? settle(sum, [...allGenerators]) : sum;
    if (coefficient !== zero) result.set(key, { function: f, coefficient });
  }
  return result;
}
function irregular(formula, why) {
  return new KanegenError("irregular-kinematics", `the kinematics is singular: ${why} in ${formula.slice(0, 200)}`, {
    remedy: "check the formula at the configuration where its denominator vanishes: a smooth kinematics has a finite limit there"
  });
}
function settle(coefficient, bases) {
  const offends = (e) => summands(e).some(
    (part) => bases.some((base) => {
      const exponent = exponentOf(part, base);
      return Rational.isNegative(exponent) || !Rational.isInteger(exponent) && base.kind === "sum";
    })
  );
  if (!offends(coefficient)) return coefficient;
  const monomials = expandToMonomials(coefficient, 200);
  const expanded = monomials ? plus(...monomials.map(monomialToExpr)) : coefficient;
  if (!offends(expanded)) return expanded;
  if (vanishesIdentically(expanded)) return zero;
  const odd = summands(expanded).some((part) => bases.some((base) => !Rational.isInteger(exponentOf(part, base))));
  throw irregular(
    toText(expanded),
    odd ? "an odd power of a square root is left, so the formula is not smooth where the root vanishes" : "a pole does not cancel"
  );
}
var Wide = decimalOfPrecision(60);
function vanishesIdentically(e) {
  if (e === zero) return true;
  const symbols = freeSymbols([e]);
  for (let trial = 0; trial < 3; trial++) {
    const bindings = new Map(
      symbols.map((s, i) => [
        s,
        new Wide(2 + trial).sqrt().plus(i * 7 + 3).sqrt().minus(1)
      ])
    );
    const [value] = evaluateDecimal([e], bindings, Wide);
    const parts = summands(e).map((part) => evaluateDecimal([part], bindings, Wide)[0].abs());
    const scaleOfParts = parts.reduce((a, b) => a.plus(b), new Wide(0));
    if (!value.isFinite() || value.abs().gt(scaleOfParts.times("1e-50"))) return false;
  }
  return true;
}
function functionKey(f) {
  return `${f.x},${f.y},${f.s},${f.order ?? ""},${f.argument?.id ?? ""}`;
}
function lowerIndices(form) {
  let current = [...form];
  for (const term of form) {
    const { order, argument } = term.function;
    if (order === void 0 || order < 2 || !argument) continue;
    const divided = term.coefficient.map((e) => e === zero ? zero : divide(e, argument));
    if (!divided.every((e, i) => e === zero || isPolynomialQuotient(e, term.coefficient[i]))) continue;
    const lowered = accumulate([
      ...current.filter((t) => t !== term),
      {
        function: { x: term.function.x, y: term.function.y, s: term.function.s + order - 2 },
        coefficient: divided.map((e) => times(rational(inverseFactorial(order - 2)), e))
      },
      { function: { ...term.function, order: order - 2 }, coefficient: divided.map(negate) }
    ]);
    if (lowered.length <= current.length) current = [...lowered];
  }
  return current;
}
function isPolynomialQuotient(quotient, dividend) {
  return summands(quotient).every(
    (part) => part.kind !== "product" || part.factors.every((f) => !Rational.isNegative(f.exponent) || Rational.isNegative(exponentOf(dividend, f.base)))
  );
}
function accumulate(terms) {
  const merged = /* @__PURE__ */ new Map();
  for (const t of terms) {
    const f = t.function.order === void 0 ? { x: t.function.x, y: t.function.y, s: t.function.s } : t.function;
    const key = functionKey(f);
    const before = merged.get(key);
    const coefficient = before ? before.coefficient.map((e, i) => plus(e, t.coefficient[i])) : t.coefficient;
    merged.set(key, { function: f, coefficient });
  }
  return [...merged.values()].filter((t) => t.coefficient.some((e) => e !== zero));
}
function toMaterialForm(position, coordinates, configuration2) {
  const terms = [];
  position.forEach((row, i) => {
    const prepared = regulariseConstantAngles(row, coordinates, configuration2);
    for (const { function: f, coefficient } of regularise(
      separate(prepared, coordinates),
      configuration2,
      true
    ).values()) {
      const vector2 = [zero, zero, zero];
      vector2[i] = coefficient;
      terms.push({ function: f, coefficient: vector2 });
    }
  });
  return lowerIndices(accumulate(terms));
}
function regulariseConstantAngles(row, coordinates, configuration2) {
  const material = /* @__PURE__ */ new Set([coordinates.axial, ...coordinates.section]);
  const angles = postorder([row]).filter(
    (e) => e.kind === "call" && (e.name === "sin" || e.name === "cos") && dependsOn(e, configuration2) && !dependsOn(e, material)
  );
  if (angles.length === 0) return row;
  const separated = separate(row, coordinates);
  const parts = [];
  for (const term of separated.values()) {
    const monomial = times(
      power(coordinates.section[0], term.x),
      power(coordinates.section[1], term.y),
      power(coordinates.axial, term.s)
    );
    const harmonic = term.harmonic ? call(term.harmonic.kind, times(term.harmonic.frequency, coordinates.axial)) : one;
    parts.push(times(regulariseCoefficient(term.coefficient, configuration2), monomial, harmonic));
  }
  return plus(...parts);
}
var unitLength = { axial: symbol("unit.s"), section: [symbol("unit.x"), symbol("unit.y")] };
function regulariseCoefficient(e, configuration2) {
  const singularBases = new Set(
    summands(e).flatMap(
      (part) => part.kind === "product" ? part.factors.filter((f) => Rational.isNegative(f.exponent)).map((f) => f.base) : []
    )
  );
  const replacements = /* @__PURE__ */ new Map();
  for (const node of postorder([e])) {
    if (node.kind !== "call" || node.name !== "sin" && node.name !== "cos") continue;
    const [angle] = node.arguments;
    const content = factorContent(angle);
    if (generators(content, configuration2).some((base) => singularBases.has(base)))
      replacements.set(node, call(node.name, times(content, unitLength.axial)));
  }
  if (replacements.size === 0) return e;
  const separated = separate(substituteOne(e, replacements), unitLength);
  const parts = [...regularise(separated, configuration2, false).values()].map(
    ({ function: f, coefficient }) => f.order === void 0 ? coefficient : times(coefficient, stumpff(f.order, f.argument))
  );
  return plus(...parts);
}

// src/integration/gram.ts
function single(f) {
  return { parts: [{ coefficient: ONE, function: f }] };
}
function differentiateCombination(c) {
  const merged = /* @__PURE__ */ new Map();
  const add = (coefficient, f) => {
    const key = functionKey(f);
    const sum = Rational.add(merged.get(key)?.coefficient ?? ratio(0), coefficient);
    merged.set(key, { coefficient: sum, function: f });
  };
  for (const { coefficient, function: f } of c.parts) {
    if (f.order === void 0) continue;
    add(Rational.multiply(coefficient, ratio(f.order, 2)), { ...f, order: f.order + 2 });
    add(Rational.multiply(coefficient, ratio(-1, 2)), { ...f, s: f.s + 1, order: f.order + 1 });
  }
  return { parts: [...merged.values()].filter((p) => !Rational.isZero(p.coefficient)) };
}
var RodIntegrals = class {
  geometry;
  moments = /* @__PURE__ */ new Map();
  integrals = /* @__PURE__ */ new Map();
  reports = [];
  constructor(geometry) {
    this.geometry = geometry;
  }
  /** ∫ β dm */
  weight(c) {
    return this.product(c, single({ x: 0, y: 0, s: 0 }));
  }
  /** ∫ β_1 β_2 dm */
  product(a, b) {
    const collected = new CollectedStumpff();
    for (const left of a.parts)
      for (const right of b.parts)
        this.addProduct(
          collected,
          Rational.multiply(left.coefficient, right.coefficient),
          left.function,
          right.function
        );
    const value = collected.toExpr();
    const key = this.describe(a, b);
    if (!this.integrals.has(key) && value !== zero) {
      this.integrals.set(key, value);
      this.reports.push({ integral: key, method: collected.isPolynomial ? "exact moments" : "Stumpff calculus" });
    }
    return value;
  }
  describe(a, b) {
    return `\u222B ${[a, b].map(describeCombination).filter((t) => t !== "1").join(" \xB7 ") || "1"} dm`;
  }
  addProduct(into, coefficient, f, g) {
    const moment = this.sectionMomentBySPower(f.x + g.x, f.y + g.y);
    if (moment.every((m) => m === zero)) return;
    const argument = f.argument ?? g.argument;
    if (f.argument && g.argument && f.argument !== g.argument)
      throw new KanegenError(
        "no-closed-form",
        `the integral of ${describeFunction(f)} \xB7 ${describeFunction(g)} along the rod mixes two angles, s\xB7sqrt(${toText(f.argument)}) and s\xB7sqrt(${toText(g.argument)}), and has no closed form known here`,
        { remedy: "use one bending angle per body; integration by quadrature is not supported yet" }
      );
    const orders = [f.order, g.order].filter((k) => k !== void 0);
    moment.forEach((factor, sPower) => {
      if (factor === zero) return;
      this.addAxial(into, times(rational(coefficient), factor), f.s + g.s + sPower, orders, argument);
    });
  }
  /** factor · ∫_start^end s^j Π U_k ds, with ∫_0^e s^j Π U_k ds = e^(j+Σk+1) W(χ e²). */
  addAxial(into, factor, power_, orders, argument) {
    const table2 = integrateStumpff(power_, orders);
    const exponent = power_ + orders.reduce((a, b) => a + b, 0) + 1;
    for (const [limit2, sign] of [
      [this.geometry.end, 1],
      [this.geometry.start, -1]
    ]) {
      if (limit2 === zero) continue;
      const scaled = times(integer(sign), factor, power(limit2, exponent));
      const x = argument && times(argument, power(limit2, 2));
      into.addConstant(times(rational(table2.constant), scaled));
      for (const [order, value] of table2.single) into.add(order, x, times(rational(value), scaled));
      for (const [order, value] of table2.double) into.add(order, times(integer(4), x), times(rational(value), scaled));
    }
  }
  /** density · ∫ x^a y^b dA as coefficients of powers of s. */
  sectionMomentBySPower(a, b) {
    const key = `${a},${b}`;
    const known = this.moments.get(key);
    if (known) return known;
    const { density, shape, axial } = this.geometry;
    const moment = times(density, sectionMoment(shape, a, b));
    const coefficients = polynomialCoefficients(moment, axial);
    if (!coefficients)
      throw new KanegenError(
        "no-closed-form",
        `the section moment ${toText(moment)} is not a polynomial in the axial coordinate`,
        {
          remedy: "use a section whose dimensions are linear in s; integration by quadrature is not supported yet"
        }
      );
    this.moments.set(key, coefficients);
    return coefficients;
  }
};
function polynomialCoefficients(e, variable) {
  const only = /* @__PURE__ */ new Set([variable]);
  if (!dependsOn(e, only)) return [e];
  const monomials = expandToMonomials(e, 400);
  if (!monomials) return void 0;
  const parts = [];
  for (const m of monomials) {
    const exponent = m.factors.get(variable) ?? ratio(0);
    if (!Rational.isInteger(exponent) || Rational.isNegative(exponent)) return void 0;
    const rest = new Map(m.factors);
    rest.delete(variable);
    if ([...rest.keys()].some((base) => dependsOn(base, only))) return void 0;
    const k = Number(exponent.numerator);
    (parts[k] ??= []).push(monomialToExpr({ coefficient: m.coefficient, factors: rest }));
  }
  return Array.from({ length: parts.length }, (_, k) => plus(...parts[k] ?? []));
}
var CollectedStumpff = class {
  constant = zero;
  terms = /* @__PURE__ */ new Map();
  addConstant(value) {
    this.constant = plus(this.constant, value);
  }
  add(order, argument, coefficient) {
    const node = stumpff(order, argument);
    const list = this.terms.get(node);
    if (list) list.push(coefficient);
    else this.terms.set(node, [coefficient]);
  }
  get isPolynomial() {
    return this.terms.size === 0;
  }
  toExpr() {
    const coefficients = [...this.terms].map(([node, list]) => [node, plus(...list)]);
    return factorShared(
      this.constant,
      coefficients.filter(([, c]) => c !== zero)
    );
  }
};
function factorShared(constant, terms) {
  const all = [...terms.map(([, c]) => c), ...constant === zero ? [] : [constant]];
  const shared = all.length > 0 ? monic(all[0]) : void 0;
  if (shared && all.every((c) => monic(c) === shared)) {
    const inner = terms.map(([node, c]) => times(rational(coefficientOf(c)), node));
    return times(shared, plus(rational(constant === zero ? ratio(0) : coefficientOf(constant)), ...inner));
  }
  return plus(constant, ...terms.map(([node, c]) => times(c, node)));
}
function coefficientOf(e) {
  if (e.kind === "rational") return e.value;
  return e.kind === "product" ? e.coefficient : ONE;
}
function monic(e) {
  return e === zero ? zero : times(rational(Rational.divide(ONE, coefficientOf(e))), e);
}
function describeFunction(f) {
  const parts = [
    ...["x", "y", "s"].flatMap(
      (name) => f[name] === 0 ? [] : [f[name] === 1 ? name : `${name}^${f[name]}`]
    ),
    ...f.order === void 0 ? [] : [`U${f.order}`]
  ];
  return parts.join(" ") || "1";
}
function describeCombination(c) {
  const parts = c.parts.map(({ coefficient, function: f }) => {
    const text = Rational.toString(coefficient);
    return text === "1" ? describeFunction(f) : `${text} ${describeFunction(f)}`;
  });
  return parts.length === 1 ? parts[0] : `(${parts.join(" + ")})`;
}

// src/symbolic/differentiate.ts
function differentiateStumpff(order, argument) {
  const next = stumpff(order + 1, argument);
  return times(half, order === 0 ? negate(next) : minus(times(integer(order), stumpff(order + 2, argument)), next));
}
function localDerivatives(e) {
  switch (e.kind) {
    case "rational":
    case "constant":
    case "symbol":
    case "compare":
    case "logic":
    case "select":
      return [];
    case "sum":
      return e.terms.map((t) => ({ operand: t.term, derivative: rational(t.coefficient) }));
    case "product":
      return e.factors.map((f, i) => {
        const others = e.factors.filter((_, j) => j !== i).map((g) => power(g.base, g.exponent));
        const lowered = power(f.base, Rational.subtract(f.exponent, ONE));
        return {
          operand: f.base,
          derivative: times(rational(Rational.multiply(e.coefficient, f.exponent)), lowered, ...others)
        };
      });
    case "stumpff":
      return [{ operand: e.argument, derivative: differentiateStumpff(e.order, e.argument) }];
    case "call":
      return callDerivatives(e);
  }
}
function callDerivatives(e) {
  const [x, y] = e.arguments;
  switch (e.name) {
    case "sin":
      return [{ operand: x, derivative: cos(x) }];
    case "cos":
      return [{ operand: x, derivative: negate(sin(x)) }];
    case "tan":
      return [{ operand: x, derivative: plus(one, square(e)) }];
    case "asin":
      return [{ operand: x, derivative: power(minus(one, square(x)), INVERSE_ROOT) }];
    case "acos":
      return [{ operand: x, derivative: negate(power(minus(one, square(x)), INVERSE_ROOT)) }];
    case "atan":
      return [{ operand: x, derivative: power(plus(one, square(x)), -1) }];
    case "atan2": {
      const inverse = power(plus(square(x), square(y)), -1);
      return [
        { operand: x, derivative: times(y, inverse) },
        { operand: y, derivative: negate(times(x, inverse)) }
      ];
    }
    case "sinh":
      return [{ operand: x, derivative: call("cosh", x) }];
    case "cosh":
      return [{ operand: x, derivative: call("sinh", x) }];
    case "tanh":
      return [{ operand: x, derivative: minus(one, square(e)) }];
    case "exp":
      return [{ operand: x, derivative: e }];
    case "log":
      return [{ operand: x, derivative: power(x, -1) }];
    case "pow":
      return [
        { operand: x, derivative: times(y, call("pow", x, minus(y, one))) },
        { operand: y, derivative: times(e, call("log", x)) }
      ];
    case "abs":
      return [{ operand: x, derivative: call("sign", x) }];
    case "sign":
      return [{ operand: x, derivative: zero }];
  }
}
var INVERSE_ROOT = { numerator: -1n, denominator: 2n };
function directionalDerivative(roots, direction) {
  const tangents = /* @__PURE__ */ new Map();
  for (const e of postorder(roots)) {
    if (e.kind === "symbol") {
      const d = direction.get(e);
      if (d && d !== zero) tangents.set(e, d);
      continue;
    }
    if (e.kind === "select") {
      const then = tangents.get(e.then) ?? zero;
      const otherwise = tangents.get(e.otherwise) ?? zero;
      if (then !== zero || otherwise !== zero) tangents.set(e, select(e.condition, then, otherwise));
      continue;
    }
    const local = localDerivativesAlong(e, tangents);
    if (local !== zero) tangents.set(e, local);
  }
  return roots.map((root2) => tangents.get(root2) ?? zero);
}
function localDerivativesAlong(e, tangents) {
  if (e.kind === "sum") {
    const terms2 = e.terms.flatMap((t) => {
      const tangent = tangents.get(t.term);
      return tangent ? [scale(t.coefficient, tangent)] : [];
    });
    return plus(...terms2);
  }
  if (e.kind === "product" && e.factors.length > 1) {
    if (!e.factors.some((f) => tangents.has(f.base))) return zero;
  }
  const terms = [];
  for (const { operand, derivative } of localDerivatives(e)) {
    const tangent = tangents.get(operand);
    if (tangent) terms.push(times(derivative, tangent));
  }
  return plus(...terms);
}
function differentiateAll(roots, variable) {
  return directionalDerivative(roots, /* @__PURE__ */ new Map([[variable, one]]));
}

// src/kane/body-kinematics.ts
function bodyKinematics(type) {
  const { kinematics, locations } = type;
  try {
    switch (kinematics.kind) {
      case "position":
        return positionKinematics(type, kinematics.position);
      case "pose":
        return poseKinematics(type, kinematics.pose);
      case "strain":
        return strainKinematics(type, kinematics.angular, kinematics.linear);
    }
  } catch (error) {
    if (error instanceof KanegenError) throw error.at(locations.kinematics);
    throw error;
  }
}
function configuration(type) {
  return new Set(type.coordinates.map((c) => c.symbol));
}
function positionKinematics(type, position) {
  const { kinematics } = type;
  if (kinematics.kind !== "position") throw new Error("position kinematics expected");
  const form = toMaterialForm(position, type.volume, configuration(type));
  const { distal } = kinematics;
  if (distal.kind === "none") return { form, distal: fixedStep(identityFrame) };
  if (distal.kind === "pose") return { form, distal: poseStep(type, regularFrame(type, distal.pose)) };
  try {
    return { form, distal: poseStep(type, contactFrame(type, form, distal.contact)) };
  } catch (error) {
    if (error instanceof KanegenError) throw error.at(type.locations.distal);
    throw error;
  }
}
function regularFrame(type, pose) {
  const entries = [...pose.rotation, ...pose.translation];
  const rows = [0, 3, 6, 9].map((i) => entries.slice(i, i + 3));
  return frameFromEntries(
    rows.flatMap((row) => [...evaluateForm(toMaterialForm(row, type.volume, configuration(type)), endPoint(type))])
  );
}
function evaluateForm(form, point) {
  const terms = form.map(({ function: f, coefficient }) => {
    const monomial = times(power(point.x, f.x), power(point.y, f.y), power(point.s, f.s));
    const stumpffPart = f.order === void 0 ? one : times(power(point.s, f.order), stumpff(f.order, times(f.argument, square(point.s))));
    return mapVector(coefficient, (e) => times(e, monomial, stumpffPart));
  });
  return addVectors(zeroVector, ...terms);
}
function endPoint(type) {
  return { x: zero, y: zero, s: type.volume.end };
}
function coordinatesOf(type, point) {
  const { axial, section } = type.volume;
  return { s: point.get(axial) ?? zero, x: point.get(section[0]) ?? zero, y: point.get(section[1]) ?? zero };
}
function contactFrame(type, form, contact) {
  const pivot = coordinatesOf(type, contact.pivot);
  const translation = evaluateForm(form, pivot);
  const axes = {};
  for (const name of ["x", "y", "z"]) {
    const point = contact.axes[name];
    if (!point) continue;
    const at = coordinatesOf(type, point);
    const distance = separation([minus(at.x, pivot.x), minus(at.y, pivot.y), minus(at.s, pivot.s)]);
    if (distance === zero) throw singularContact(`the ${name}-axis point coincides with the pivot`);
    axes[name] = mapVector(subtractVectors(evaluateForm(form, at), translation), (e) => divide(e, distance));
  }
  const { x, y, z } = axes;
  const columns = x && y ? [x, y, cross(x, y)] : y && z ? [cross(y, z), y, z] : x && z ? [x, cross(z, x), z] : void 0;
  if (!columns) throw singularContact("two axes are needed");
  requireRigid(type, columns);
  const rotation = mapMatrix(fromColumns(...columns), simplest);
  return { rotation, translation: mapVector(translation, simplest) };
}
function separation(d) {
  const moving = d.filter((e) => e !== zero);
  if (moving.length === 0) return zero;
  if (moving.length > 1) return sqrt(plus(...moving.map(square)));
  const [only] = moving;
  return only.kind === "product" && Rational.isNegative(only.coefficient) ? minus(zero, only) : only;
}
function singularContact(what) {
  return new KanegenError("singular-contact", `the distal frame cannot be built: ${what}`, {
    remedy: "name a pivot and two points of the rigid contact area on perpendicular lines through it, such as { s: L, x: R } and { s: L, y: R }"
  });
}
var Wide2 = decimalOfPrecision(50);
function requireRigid(type, columns) {
  const symbols = freeSymbols(columns.flat());
  const own = configuration(type);
  for (let trial = 1; trial <= 2; trial++) {
    const bindings = new Map(
      symbols.map((s, i) => [
        s,
        new Wide2(trial + 1).sqrt().plus(2 * i + 1).sqrt().minus(1).times(own.has(s) ? "0.01" : 1)
      ])
    );
    const numbers = columns.map((c) => evaluateDecimal(c, bindings, Wide2).map(Number));
    for (let i = 0; i < 3; i++)
      for (let j = 0; j <= i; j++) {
        const product = numbers[i].reduce((sum, e, k) => sum + e * numbers[j][k], 0);
        if (!(Math.abs(product - (i === j ? 1 : 0)) < 1e-12))
          throw singularContact(
            Number.isFinite(product) ? i === j ? "the contact area stretches with the coordinates" : "its axes are not perpendicular, or the contact area shears" : "its points are not finite"
          );
      }
  }
}
function cost(e) {
  return totalOperations(countOperations([e]));
}
function simplest(e) {
  const reduced = reduceStumpffSafely(e);
  return cost(reduced) < cost(e) ? reduced : e;
}
function poseStep(type, frame) {
  const coordinates = type.coordinates.map((_, i) => i);
  const linear = [];
  const angular = [];
  for (const { symbol: symbol2 } of type.coordinates) {
    const rotationRate = differentiateAll(frame.rotation, symbol2);
    linear.push(mapVector(differentiateAll(frame.translation, symbol2), simplest));
    angular.push(mapVector(unskew(multiplyMatrices(rotationRate, transpose(frame.rotation))), simplest));
  }
  return { frame, coordinates, linear, angular };
}
function fixedStep(frame) {
  return { frame, coordinates: [], linear: [], angular: [] };
}
function poseKinematics(type, pose) {
  const { axial, section } = type.volume;
  const columnAt = (i) => [pose.rotation[i], pose.rotation[3 + i], pose.rotation[6 + i]];
  const position = addVectors(
    pose.translation,
    scaleVector(section[0], columnAt(0)),
    scaleVector(section[1], columnAt(1))
  );
  const form = toMaterialForm(position, type.volume, configuration(type));
  const atEnd = (v) => evaluateForm(toMaterialForm(v, { axial, section }, configuration(type)), endPoint(type));
  const columns = [atEnd(columnAt(0)), atEnd(columnAt(1)), atEnd(columnAt(2))];
  requireRigid(type, columns);
  const frame = {
    rotation: mapMatrix(fromColumns(...columns), simplest),
    translation: mapVector(atEnd(pose.translation), simplest)
  };
  return { form, distal: poseStep(type, frame) };
}
function strainKinematics(type, angular, linear) {
  const { axial, start } = type.volume;
  const varying = [...angular, ...linear].find((e) => dependsOn(e, /* @__PURE__ */ new Set([axial, ...type.volume.section])));
  if (varying)
    throw new KanegenError(
      "not-supported",
      `strains that vary along the rod are not supported yet (${toText(varying)})`,
      {
        remedy: "use a strain that does not depend on s, or several bodies in a row"
      }
    );
  if (start !== zero)
    throw new KanegenError("not-supported", "a rod given by its strain starts at s = 0", {
      remedy: "write rod: { s: [0, L] }"
    });
  const argument = factorContent(plus(...angular.map(square)));
  const bent = argument !== zero;
  const backbone = (order, coefficient) => ({
    function: { x: 0, y: 0, s: 0, order, argument },
    coefficient
  });
  const first = cross(angular, linear);
  const terms = [{ function: { x: 0, y: 0, s: 1 }, coefficient: linear }];
  const form = [...terms];
  if (bent) form.push(backbone(2, first), backbone(3, cross(angular, first)));
  for (const [i, name] of [
    [0, "x"],
    [1, "y"]
  ]) {
    const axis = unitVectors[i];
    const monomial = { x: 0, y: 0, s: 0, [name]: 1 };
    form.push({ function: monomial, coefficient: axis });
    if (!bent) continue;
    const turned = cross(angular, axis);
    form.push({ function: { ...monomial, order: 1, argument }, coefficient: turned });
    form.push({ function: { ...monomial, order: 2, argument }, coefficient: cross(angular, turned) });
  }
  const lowered = lowerIndices(accumulate(form));
  return { form: lowered, distal: strainStep(type, lowered, angular, argument) };
}
function strainStep(type, form, kappa, argument) {
  const length = type.volume.end;
  const x = times(argument, square(length));
  const c = (order) => times(power(length, order), stumpff(order, x));
  const K = skew(kappa);
  const scaled = (m, factor) => mapMatrix(m, (e) => times(factor, e));
  const rotation = argument === zero ? identityMatrix : mapMatrix(addMatrices(identityMatrix, scaled(K, c(1)), scaled(multiplyMatrices(K, K), c(2))), simplest);
  const translation = mapVector(evaluateForm(form, endPoint(type)), simplest);
  const linear = [];
  const angular = [];
  for (const { symbol: symbol2 } of type.coordinates) {
    linear.push(mapVector(differentiateAll(translation, symbol2), simplest));
    const rate2 = differentiateAll(kappa, symbol2);
    const turned = cross(kappa, rate2);
    const w = addVectors(scaleVector(length, rate2), scaleVector(c(2), turned), scaleVector(c(3), cross(kappa, turned)));
    angular.push(mapVector(w, simplest));
  }
  return { frame: { rotation, translation }, coordinates: type.coordinates.map((_, i) => i), linear, angular };
}

// src/kane/recursion.ts
function timeDerivative(vectors, symbols) {
  const direction = /* @__PURE__ */ new Map();
  symbols.q.forEach((q, i) => direction.set(q, symbols.qd[i]));
  symbols.qd.forEach((qd, i) => direction.set(qd, symbols.qdd[i]));
  return directionalDerivative(vectors, direction);
}
function relativeMotion(step, symbols) {
  const combine2 = (projectors) => addVectors(zeroVector, ...projectors.map((p, i) => scaleVector(symbols.qd[step.coordinates[i]], p)));
  const angularVelocity = combine2(step.angular);
  const velocity = combine2(step.linear);
  const derivatives = timeDerivative([...angularVelocity, ...velocity], symbols);
  return {
    angularVelocity,
    velocity,
    angularAcceleration: derivatives.slice(0, 3),
    acceleration: derivatives.slice(3)
  };
}
function spinMatrix({ angularVelocity: w, angularAcceleration: alpha }) {
  const [xx, yy, zz] = [square(w[0]), square(w[1]), square(w[2])];
  const [xy, xz, yz] = [times(w[0], w[1]), times(w[0], w[2]), times(w[1], w[2])];
  return [
    negate(plus(yy, zz)),
    minus(xy, alpha[2]),
    plus(xz, alpha[1]),
    plus(xy, alpha[2]),
    negate(plus(xx, zz)),
    minus(yz, alpha[0]),
    minus(xz, alpha[1]),
    plus(yz, alpha[0]),
    negate(plus(xx, yy))
  ];
}
function stepVelocity(step, relative, angularVelocity) {
  return multiplyTransposed(step.frame.rotation, addVectors(angularVelocity, relative.angularVelocity));
}
function stepMotion(step, relative, motion, spin) {
  const { rotation, translation } = step.frame;
  const w = motion.angularVelocity;
  const angularAcceleration = addVectors(
    motion.angularAcceleration,
    relative.angularAcceleration,
    cross(w, relative.angularVelocity)
  );
  const acceleration2 = addVectors(
    motion.acceleration,
    multiplyVector(spin, translation),
    cross(addVectors(w, w), relative.velocity),
    relative.acceleration
  );
  return {
    angularVelocity: stepVelocity(step, relative, w),
    angularAcceleration: multiplyTransposed(rotation, angularAcceleration),
    acceleration: multiplyTransposed(rotation, acceleration2)
  };
}
function addWrenches(a, b) {
  return { force: addVectors(a.force, b.force), moment: addVectors(a.moment, b.moment) };
}
function stepWrench(step, wrench) {
  const force = multiplyVector(step.frame.rotation, wrench.force);
  const moment = multiplyVector(step.frame.rotation, wrench.moment);
  return {
    generalized: step.coordinates.map((_, i) => plus(dot(step.linear[i], force), dot(step.angular[i], moment))),
    wrench: { force, moment: addVectors(moment, cross(step.frame.translation, force)) }
  };
}
function addMassMoments(a, b) {
  return {
    mass: plus(a.mass, b.mass),
    first: addVectors(a.first, b.first),
    inertia: addSymmetric(a.inertia, b.inertia)
  };
}
function rotateSymmetric(rotation, s) {
  const [xx, yy, zz, xy, xz, yz] = s;
  const full = [xx, xy, xz, xy, yy, yz, xz, yz, zz];
  const m = multiplyMatrices(multiplyMatrices(rotation, full), transpose(rotation));
  return [m[0], m[4], m[8], m[1], m[2], m[5]];
}
function originShift(a, b) {
  const [x, y, z] = [times(a[0], b[0]), times(a[1], b[1]), times(a[2], b[2])];
  const double = (e) => plus(e, e);
  const mixed = (i, j) => negate(plus(times(a[i], b[j]), times(a[j], b[i])));
  return [double(plus(y, z)), double(plus(x, z)), double(plus(x, y)), mixed(0, 1), mixed(0, 2), mixed(1, 2)];
}
function stepMassMoments(step, body) {
  const { rotation, translation: t } = step.frame;
  const first = multiplyVector(rotation, body.first);
  const atChild = { mass: body.mass, first, inertia: rotateSymmetric(rotation, body.inertia) };
  if (isZeroVector(t)) return { atParent: atChild, atChild };
  const carried = scaleVector(body.mass, t);
  const middle = addVectors(first, scaleVector(body.mass, t.map((e) => times(half, e))));
  return {
    atChild,
    atParent: {
      mass: body.mass,
      first: addVectors(first, carried),
      inertia: addSymmetric(atChild.inertia, originShift(t, middle))
    }
  };
}
function unitWrench(step, i, atChild) {
  const t = step.linear[i];
  const w = step.angular[i];
  return {
    force: addVectors(scaleVector(atChild.mass, t), cross(w, atChild.first)),
    moment: addVectors(cross(atChild.first, t), multiplySymmetric(atChild.inertia, w))
  };
}
function project(step, i, wrench) {
  return plus(dot(step.linear[i], wrench.force), dot(step.angular[i], wrench.moment));
}
function shiftToParent(step, wrench) {
  return { force: wrench.force, moment: addVectors(wrench.moment, cross(step.frame.translation, wrench.force)) };
}
function stepTravel(step, relative, travel) {
  const { rotation, translation: t } = step.frame;
  return {
    angularVelocity: stepVelocity(step, relative, travel.angularVelocity),
    velocity: multiplyTransposed(
      rotation,
      addVectors(travel.velocity, cross(travel.angularVelocity, t), relative.velocity)
    ),
    gravity: multiplyTransposed(rotation, travel.gravity),
    potential: minus(travel.potential, dot(travel.gravity, t))
  };
}
function jacobianColumns(step, parentPose) {
  const origin = transformPoint(parentPose, step.frame.translation);
  return step.coordinates.map((_, i) => {
    const angular = multiplyVector(parentPose.rotation, step.angular[i]);
    const linear = multiplyVector(parentPose.rotation, step.linear[i]);
    return { angular, linear: subtractVectors(linear, cross(angular, origin)) };
  });
}
function gyroscopicMoment(inertia, motion, spin) {
  const [xx, yy, zz, xy, xz, yz] = inertia;
  const w = motion.angularVelocity;
  const alpha = motion.angularAcceleration;
  const U = (i, j) => spin[3 * i + j];
  const differenceOfSquares = (i, j) => minus(square(w[i]), square(w[j]));
  return [
    plus(
      times(xx, alpha[0]),
      times(minus(zz, yy), times(w[1], w[2])),
      negate(times(xy, U(2, 0))),
      times(xz, U(1, 0)),
      times(yz, differenceOfSquares(1, 2))
    ),
    plus(
      times(yy, alpha[1]),
      times(minus(xx, zz), times(w[2], w[0])),
      negate(times(yz, U(0, 1))),
      times(xy, U(2, 1)),
      times(xz, differenceOfSquares(2, 0))
    ),
    plus(
      times(zz, alpha[2]),
      times(minus(yy, xx), times(w[0], w[1])),
      negate(times(xz, U(1, 2))),
      times(yz, U(0, 2)),
      times(xy, differenceOfSquares(0, 1))
    )
  ];
}

// src/kane/contraction.ts
var MaterialFamily = class {
  form;
  /** 0: the constant function; then those of the form; then derivatives as they are needed. */
  combinations = [];
  derivatives = /* @__PURE__ */ new Map();
  integrals;
  gram = /* @__PURE__ */ new Map();
  constructor(form, integrals) {
    this.form = form;
    this.integrals = integrals;
    this.combinations.push(single({ x: 0, y: 0, s: 0 }));
    for (const t of form) this.combinations.push(single(t.function));
  }
  static constant = 0;
  /** Index of ∂β/∂χ, undefined when it vanishes. */
  derivative(index) {
    const known = this.derivatives.get(index);
    if (known !== void 0) return known;
    const combination = differentiateCombination(this.combinations[index]);
    if (combination.parts.length === 0) return void 0;
    this.combinations.push(combination);
    this.derivatives.set(index, this.combinations.length - 1);
    return this.combinations.length - 1;
  }
  /** W_ij = ∫ β_i β_j dm */
  product(i, j) {
    const key = i < j ? `${i},${j}` : `${j},${i}`;
    const known = this.gram.get(key);
    if (known) return known;
    const value = this.integrals.product(this.combinations[Math.min(i, j)], this.combinations[Math.max(i, j)]);
    this.gram.set(key, value);
    return value;
  }
};
function addField(into, index, v) {
  if (index === void 0 || v.every((e) => e === zero)) return;
  const before = into.get(index);
  into.set(index, before ? addVectors(before, v) : v);
}
var BodyFields = class {
  family;
  symbols;
  position;
  /** ∂p/∂q_a */
  partial;
  constructor(family, symbols) {
    this.family = family;
    this.symbols = symbols;
    this.position = new Map(family.form.map((t, i) => [i + 1, t.coefficient]));
    this.partial = symbols.q.map((q) => this.differentiated((entries) => differentiateAll(entries, q)));
  }
  /** Derivative of the position field by a derivation on expressions: b' β + (χ' b) ∂β/∂χ. */
  differentiated(derivation) {
    const result = /* @__PURE__ */ new Map();
    this.family.form.forEach((t, i) => {
      addField(result, i + 1, derivation(t.coefficient));
      const rate2 = t.function.argument ? derivation([t.function.argument])[0] : zero;
      if (rate2 !== zero) addField(result, this.family.derivative(i + 1), scaleVector(rate2, t.coefficient));
    });
    return result;
  }
  /** ṗ relative to the proximal frame. */
  velocity() {
    return this.differentiated((entries) => timeDerivative(entries, this.symbols));
  }
  /** p̈ relative to the proximal frame: b̈ β + (2 χ̇ ḃ + χ̈ b) β' + χ̇² b β''. */
  acceleration() {
    const result = /* @__PURE__ */ new Map();
    this.family.form.forEach((t, i) => {
      const b = t.coefficient;
      const bDot = timeDerivative(b, this.symbols);
      addField(result, i + 1, timeDerivative(bDot, this.symbols));
      const argument = t.function.argument;
      if (!argument) return;
      const [rate2] = timeDerivative([argument], this.symbols);
      const [second] = timeDerivative([rate2], this.symbols);
      const first = this.family.derivative(i + 1);
      if (first === void 0) return;
      addField(result, first, addVectors(scaleVector(plus(rate2, rate2), bDot), scaleVector(second, b)));
      addField(result, this.family.derivative(first), scaleVector(times(rate2, rate2), b));
    });
    return result;
  }
  /** Σ_j W_ij A_j */
  contract(i, field) {
    return addVectors(zeroVector, ...[...field].map(([j, v]) => scaleVector(this.family.product(i, j), v)));
  }
  /** ∫ f · g dm */
  inner(f, g) {
    return plus(...[...f].map(([i, v]) => dot(v, this.contract(i, g))));
  }
  /** ∫ f × g dm */
  outer(f, g) {
    return addVectors(zeroVector, ...[...f].map(([i, v]) => cross(v, this.contract(i, g))));
  }
  /** ∫ f dm */
  total(f) {
    return this.contract(MaterialFamily.constant, f);
  }
  /** ∫ (p·p 1 − p pᵀ) dm */
  inertia() {
    const moment = (r, c) => {
      const terms = [];
      for (const [i, v] of this.position)
        for (const [j, u] of this.position) terms.push(times(this.family.product(i, j), v[r], u[c]));
      return plus(...terms);
    };
    const [xx, yy, zz] = [moment(0, 0), moment(1, 1), moment(2, 2)];
    return [plus(yy, zz), plus(xx, zz), plus(xx, yy), negate(moment(0, 1)), negate(moment(0, 2)), negate(moment(1, 2))];
  }
  shapeIntegrals() {
    return {
      mass: this.family.product(MaterialFamily.constant, MaterialFamily.constant),
      first: this.total(this.position),
      inertia: this.inertia(),
      angular: this.partial.map((p) => this.outer(this.position, p)),
      gram: this.partial.map((a, i) => this.partial.map((b, j) => i <= j ? this.inner(a, b) : this.inner(b, a))),
      gyroscopic: this.partial.map(
        (a, i) => this.partial.map(
          (b, j) => i === j ? zeroVector : i < j ? this.outer(a, b) : scaleVector(minusOne, this.outer(b, a))
        )
      )
    };
  }
};
var ContractionModel = class {
  method = "contraction of Gram integrals";
  fields;
  constructor(fields) {
    this.fields = fields;
  }
  get moments() {
    const { fields } = this;
    return {
      mass: fields.family.product(MaterialFamily.constant, MaterialFamily.constant),
      first: fields.total(fields.position),
      inertia: fields.inertia()
    };
  }
  /** Wrench of an acceleration field over the body. */
  respond(acceleration2) {
    const { fields } = this;
    const reactions = /* @__PURE__ */ new Map();
    const reaction = (i) => {
      const known = reactions.get(i) ?? fields.contract(i, acceleration2);
      reactions.set(i, known);
      return known;
    };
    return {
      force: reaction(MaterialFamily.constant),
      moment: addVectors(zeroVector, ...[...fields.position].map(([i, b]) => cross(b, reaction(i)))),
      generalized: fields.partial.map((partial) => plus(...[...partial].map(([i, b]) => dot(b, reaction(i)))))
    };
  }
  wrench(motion, spin) {
    const { fields } = this;
    const total = /* @__PURE__ */ new Map([[MaterialFamily.constant, motion.acceleration]]);
    const w = motion.angularVelocity;
    for (const [i, b] of fields.position) addField(total, i, multiplyVector(spin, b));
    for (const [i, v] of fields.velocity()) addField(total, i, cross(addVectors(w, w), v));
    for (const [i, a] of fields.acceleration()) addField(total, i, a);
    return this.respond(total);
  }
  weight(acceleration2) {
    return this.respond(/* @__PURE__ */ new Map([[MaterialFamily.constant, acceleration2]]));
  }
  get unitWrenches() {
    return this.fields.partial.map((partial) => this.respond(partial));
  }
  kineticEnergy(w, v) {
    const { fields } = this;
    const total = /* @__PURE__ */ new Map([[MaterialFamily.constant, v]]);
    for (const [i, b] of fields.position) addField(total, i, cross(w, b));
    for (const [i, rate2] of fields.velocity()) addField(total, i, rate2);
    return times(half, fields.inner(total, total));
  }
};

// src/kane/joint.ts
function rotationAbout(axis, angle) {
  const [c, s] = [cos(angle), sin(angle)];
  const K = skew(axis);
  if (axis.filter((e) => e !== zero).length === 1)
    return identityMatrix.map((e, i) => {
      const squared = multiplyMatrices(K, K)[i];
      return squared === zero ? plus(e, times(s, K[i])) : c;
    });
  const versine = minus(one, c);
  return addMatrices(
    identityMatrix,
    mapMatrix(K, (e) => times(s, e)),
    mapMatrix(multiplyMatrices(K, K), (e) => times(versine, e))
  );
}
function rotationByVector(v) {
  const x = dot(v, v);
  const K = skew(v);
  const scaled = (m, factor) => mapMatrix(m, (e) => times(factor, e));
  const rotation = addMatrices(identityMatrix, scaled(K, stumpff(1, x)), scaled(multiplyMatrices(K, K), stumpff(2, x)));
  const jacobian = (rate2) => {
    const turned = cross(v, rate2);
    return addVectors(rate2, scaleVector(stumpff(2, x), turned), scaleVector(stumpff(3, x), cross(v, turned)));
  };
  return { rotation, jacobian };
}
function jointSteps(joint, offset = 0) {
  return joint.motions.map((motion) => motionStep(motion, joint, offset));
}
function motionStep(motion, joint, offset) {
  const symbols = joint.coordinates.map((c) => c.symbol);
  const moving = motion.kind === "rotation" ? [motion.angle] : motion.kind === "translation" ? motion.displacement : motion.vector;
  const involved = symbols.map((_, i) => i).filter((i) => moving.some((e) => dependsOn(e, /* @__PURE__ */ new Set([symbols[i]]))));
  const coordinates = involved.map((i) => offset + i);
  const rates = involved.map((i) => differentiateAll(moving, symbols[i]));
  const none = involved.map(() => zeroVector);
  if (motion.kind === "translation")
    return {
      frame: { rotation: identityMatrix, translation: motion.displacement },
      coordinates,
      linear: rates,
      angular: none
    };
  if (motion.kind === "rotation")
    return {
      frame: { rotation: rotationAbout(motion.axis, motion.angle), translation: zeroVector },
      coordinates,
      linear: none,
      angular: rates.map(([rate2]) => scaleVector(rate2, motion.axis))
    };
  const { rotation, jacobian } = rotationByVector(motion.vector);
  return {
    frame: { rotation, translation: zeroVector },
    coordinates,
    linear: none,
    angular: rates.map((rate2) => jacobian(rate2))
  };
}

// src/kane/link-builder.ts
var names = (prefix, list) => list.map((n) => symbol(`${prefix}.${n}`));
var XYZ = ["x", "y", "z"];
var xyz = (stem) => XYZ.map((axis) => `${stem}_${axis}`);
var SYMMETRIC = ["xx", "yy", "zz", "xy", "xz", "yz"];
var MATRIX = ["xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"];
function inputSymbols(coordinates, parameters, bodyCoordinates) {
  const generalized = Array.from({ length: bodyCoordinates }, (_, i) => `pi_${i + 1}`);
  return {
    parameters,
    q: coordinates.map((c) => c.symbol),
    qd: coordinates.map((c) => c.rate),
    qdd: coordinates.map((c) => c.acceleration),
    parentVelocity: names("parent", xyz("omega")),
    parentAcceleration: names("parent", [...xyz("alpha"), ...xyz("a")]),
    parentGravity: names("rest", xyz("a")),
    distalWrench: names("distal", [...xyz("force"), ...xyz("moment")]),
    bodyWrench: names("wrench", [...xyz("force"), ...xyz("moment"), ...generalized]),
    distalComposite: names("composite", ["mass", ...xyz("first"), ...SYMMETRIC.map((s) => `inertia_${s}`)]),
    parentPose: names("pose", [...MATRIX.map((s) => `R_${s}`), ...xyz("t")]),
    parentTravel: names("travel", [...xyz("omega"), ...xyz("v"), ...xyz("g"), "potential"])
  };
}
var vector = (symbols, from) => symbols.slice(from, from + 3);
var LinkKernelBuilder = class {
  parts;
  inputs;
  symbols;
  steps;
  relative = /* @__PURE__ */ new Map();
  /** Readable names for what the equations name. */
  hints = /* @__PURE__ */ new Map();
  constructor(parts, inputs) {
    this.parts = parts;
    this.inputs = inputs;
    this.symbols = { q: inputs.q, qd: inputs.qd, qdd: inputs.qdd };
    this.steps = [...parts.jointSteps, parts.bodyStep];
    for (const step of this.steps) this.relative.set(step, relativeMotion(step, this.symbols));
    this.nameConstituents();
  }
  name(values, labels) {
    values.forEach((e, i) => {
      if (labels[i] === void 0) return;
      const nameable = e.kind !== "rational" && e.kind !== "symbol" && e.kind !== "constant";
      if (nameable && !this.hints.has(e)) this.hints.set(e, labels[i]);
    });
  }
  nameConstituents() {
    const { bodyStep, model, coordinates } = this.parts;
    this.name(
      bodyStep.frame.rotation,
      MATRIX.map((entry) => `distal_R_${entry}`)
    );
    this.name(bodyStep.frame.translation, xyz("distal_t"));
    bodyStep.coordinates.forEach((index, i) => {
      this.name(bodyStep.linear[i], xyz(`linear_${coordinates[index].name}`));
      this.name(bodyStep.angular[i], xyz(`angular_${coordinates[index].name}`));
    });
    const { mass, first, inertia } = model.moments;
    this.name([mass], ["mass"]);
    this.name(first, xyz("first_moment"));
    this.name(
      inertia,
      SYMMETRIC.map((entry) => `inertia_${entry}`)
    );
  }
  nameMotion(motion, stem) {
    this.name(motion.angularVelocity, xyz(`omega_${stem}`));
    this.name(motion.angularAcceleration, xyz(`alpha_${stem}`));
    this.name(motion.acceleration, xyz(`a_${stem}`));
  }
  build() {
    return [
      this.velocity(),
      this.acceleration(),
      this.gravity(),
      this.backward(true),
      this.backward(false),
      this.composite(),
      this.pose(),
      this.jacobian(),
      this.energy()
    ];
  }
  velocity() {
    let w = vector(this.inputs.parentVelocity, 0);
    for (const step of this.steps) w = stepVelocity(step, this.relative.get(step), w);
    return { name: "velocity", outputs: [{ buffer: "ownVelocity", values: w }] };
  }
  acceleration() {
    let motion = {
      angularVelocity: vector(this.inputs.parentVelocity, 0),
      angularAcceleration: vector(this.inputs.parentAcceleration, 0),
      acceleration: vector(this.inputs.parentAcceleration, 3)
    };
    for (const step of this.parts.jointSteps)
      motion = stepMotion(step, this.relative.get(step), motion, spinMatrix(motion));
    this.nameMotion(motion, "proximal");
    const spin = spinMatrix(motion);
    this.name(
      spin,
      MATRIX.map((entry) => `spin_${entry}`)
    );
    const wrench = this.parts.model.wrench(motion, spin);
    this.name(flatten(wrench), [...xyz("force"), ...xyz("moment")]);
    const own = stepMotion(this.parts.bodyStep, this.relative.get(this.parts.bodyStep), motion, spin);
    return {
      name: "acceleration",
      outputs: [
        { buffer: "ownAcceleration", values: [...own.angularAcceleration, ...own.acceleration] },
        { buffer: "bodyWrench", values: flatten(wrench) }
      ]
    };
  }
  gravity() {
    let a = vector(this.inputs.parentGravity, 0);
    const rotate = (step, v) => stepVelocity(step, { ...this.relative.get(step), angularVelocity: zeroVector }, v);
    for (const step of this.parts.jointSteps) a = rotate(step, a);
    return {
      name: "gravity",
      outputs: [
        { buffer: "ownGravity", values: rotate(this.parts.bodyStep, a) },
        { buffer: "bodyWrench", values: flatten(this.parts.model.weight(a)) }
      ]
    };
  }
  /** With the body's own wrench (`backward`), or passing a distal wrench on (`propagate`). */
  backward(withBody) {
    const { distalWrench, bodyWrench } = this.inputs;
    const generalized = this.symbols.q.map(() => zero);
    const distal = { force: vector(distalWrench, 0), moment: vector(distalWrench, 3) };
    const through = stepWrench(this.parts.bodyStep, distal);
    this.parts.bodyStep.coordinates.forEach((index, i) => generalized[index] = through.generalized[i]);
    let wrench = through.wrench;
    if (withBody) {
      wrench = addWrenches({ force: vector(bodyWrench, 0), moment: vector(bodyWrench, 3) }, wrench);
      this.parts.bodyCoordinates.forEach(
        (index, i) => generalized[index] = plus(generalized[index], bodyWrench[6 + i])
      );
    }
    for (const step of [...this.parts.jointSteps].reverse()) {
      const stepped = stepWrench(step, wrench);
      step.coordinates.forEach((index, i) => generalized[index] = plus(generalized[index], stepped.generalized[i]));
      wrench = stepped.wrench;
    }
    return {
      name: withBody ? "backward" : "propagate",
      outputs: [
        { buffer: "generalizedForce", values: generalized },
        { buffer: "parentWrench", values: [...wrench.force, ...wrench.moment] }
      ]
    };
  }
  composite() {
    const { distalComposite: d } = this.inputs;
    const count = this.symbols.q.length;
    const block = this.symbols.q.map(() => this.symbols.q.map(() => zero));
    const columns = /* @__PURE__ */ new Map();
    const add = (a, b, value) => {
      block[a][b] = plus(block[a][b], value);
      if (a !== b) block[b][a] = plus(block[b][a], value);
    };
    let moments = { mass: d[0], first: vector(d, 1), inertia: d.slice(4) };
    for (const step of [...this.steps].reverse()) {
      const stepped = stepMassMoments(step, moments);
      for (const [a, wrench] of columns) {
        const turned = stepWrench(step, wrench);
        step.coordinates.forEach((b, i) => add(b, a, turned.generalized[i]));
        columns.set(a, turned.wrench);
      }
      step.coordinates.forEach((a, i) => {
        const wrench = unitWrench(step, i, stepped.atChild);
        step.coordinates.slice(i).forEach((b, j) => add(a, b, project(step, i + j, wrench)));
        columns.set(a, merge(columns.get(a), shiftToParent(step, wrench)));
      });
      moments = stepped.atParent;
      if (step !== this.parts.bodyStep) continue;
      moments = addMassMoments(moments, this.parts.model.moments);
      this.parts.model.unitWrenches.forEach((own, i) => {
        const a = this.parts.bodyCoordinates[i];
        own.generalized.forEach((value, j) => j >= i && add(a, this.parts.bodyCoordinates[j], value));
        columns.set(a, merge(columns.get(a), own));
      });
    }
    const ordered = Array.from(
      { length: count },
      (_, a) => columns.get(a) ?? { force: zeroVector, moment: zeroVector }
    );
    return {
      name: "composite",
      outputs: [
        { buffer: "parentComposite", values: [moments.mass, ...moments.first, ...moments.inertia] },
        { buffer: "massBlock", values: block.flat() },
        { buffer: "unitWrenches", values: ordered.flatMap((w) => [...w.force, ...w.moment]) }
      ]
    };
  }
  parentPose() {
    const p = this.inputs.parentPose;
    return { rotation: p.slice(0, 9), translation: vector(p, 9) };
  }
  pose() {
    let pose = this.parentPose();
    for (const step of this.steps) pose = composeFrames(pose, step.frame);
    return { name: "pose", outputs: [{ buffer: "ownPose", values: frameEntries(pose) }] };
  }
  jacobian() {
    let pose = this.parentPose();
    const columns = this.symbols.q.map(() => [zero, zero, zero, zero, zero, zero]);
    for (const step of this.steps) {
      jacobianColumns(step, pose).forEach(({ angular, linear }, i) => {
        const index = step.coordinates[i];
        columns[index] = [...angular, ...linear].map((e, k) => plus(columns[index][k], e));
      });
      pose = composeFrames(pose, step.frame);
    }
    return { name: "jacobian", outputs: [{ buffer: "jacobianColumns", values: columns.flat() }] };
  }
  energy() {
    const p = this.inputs.parentTravel;
    let travel = {
      angularVelocity: vector(p, 0),
      velocity: vector(p, 3),
      gravity: vector(p, 6),
      potential: p[9]
    };
    for (const step of this.parts.jointSteps) travel = stepTravel(step, this.relative.get(step), travel);
    const { model, bodyStep } = this.parts;
    const kinetic = model.kineticEnergy(travel.angularVelocity, travel.velocity);
    const { mass, first } = model.moments;
    const potential = minus(times(mass, travel.potential), dot(travel.gravity, first));
    const own = stepTravel(bodyStep, this.relative.get(bodyStep), travel);
    return {
      name: "energy",
      outputs: [
        { buffer: "ownTravel", values: [...own.angularVelocity, ...own.velocity, ...own.gravity, own.potential] },
        { buffer: "energy", values: [kinetic, potential] }
      ]
    };
  }
};
function merge(a, b) {
  return a ? addWrenches(a, b) : b;
}
function flatten(w) {
  return [...w.force, ...w.moment, ...w.generalized];
}

// src/kane/shape-integrals.ts
var ShapeIntegralModel = class {
  method;
  integrals;
  symbols;
  /** @param symbols the body's own coordinates. */
  constructor(integrals, symbols, method = "shape integrals") {
    this.integrals = integrals;
    this.symbols = symbols;
    this.method = method;
  }
  get moments() {
    return { mass: this.integrals.mass, first: this.integrals.first, inertia: this.integrals.inertia };
  }
  derivativeOf(vector2, a) {
    return differentiateAll(vector2, this.symbols.q[a]);
  }
  rateOf(values) {
    return timeDerivative(values, this.symbols);
  }
  /** h = Σ H_a q̇_a */
  get internalMomentum() {
    return addVectors(zeroVector, ...this.integrals.angular.map((H, a) => scaleVector(this.symbols.qd[a], H)));
  }
  wrench(motion, spin) {
    const { mass, first: c, inertia, angular } = this.integrals;
    const { angularVelocity: w, angularAcceleration: alpha, acceleration: a } = motion;
    const cDot = this.rateOf(c);
    const cDotDot = this.rateOf(cDot);
    const h = this.internalMomentum;
    const force = addVectors(scaleVector(mass, a), multiplyVector(spin, c), cross(addVectors(w, w), cDot), cDotDot);
    const moment = addVectors(
      cross(c, a),
      gyroscopicMoment(inertia, motion, spin),
      multiplySymmetric(this.rateOf(inertia), w),
      cross(w, h),
      this.rateOf(h)
    );
    const generalized = angular.map((H, index) => {
      const firstDerivative = this.derivativeOf(c, index);
      return plus(dot(firstDerivative, a), dot(H, alpha), this.centrifugal(index, w), this.local(index));
    });
    return { force, moment, generalized };
  }
  /** −½ ωᵀ (∂I/∂q_a) ω + 2 ω · Σ_b q̇_b Y_ba */
  centrifugal(a, w) {
    const derivative = this.derivativeOf(this.integrals.inertia, a);
    const coriolis = addVectors(
      zeroVector,
      ...this.symbols.qd.map((rate2, b) => scaleVector(rate2, this.integrals.gyroscopic[b][a]))
    );
    return plus(negate(times(half, dot(w, multiplySymmetric(derivative, w)))), times(TWO, dot(w, coriolis)));
  }
  /** Σ_b G_ab q̈_b + Σ_bc ½ (∂_b G_ca + ∂_c G_ba − ∂_a G_bc) q̇_b q̇_c */
  local(a) {
    const { gram } = this.integrals;
    const { qd, qdd } = this.symbols;
    const row = gram[a];
    const rates = this.rateOf(row);
    const terms = [];
    row.forEach((G, b) => {
      terms.push(times(G, qdd[b]), times(rates[b], qd[b]));
      gram[b].forEach((entry, k) => {
        const [derivative] = this.derivativeOf([entry], a);
        terms.push(negate(times(half, derivative, qd[b], qd[k])));
      });
    });
    return plus(...terms);
  }
  weight(acceleration2) {
    const { mass, first: c, angular } = this.integrals;
    return {
      force: scaleVector(mass, acceleration2),
      moment: cross(c, acceleration2),
      generalized: angular.map((_, a) => dot(this.derivativeOf(c, a), acceleration2))
    };
  }
  get unitWrenches() {
    return this.integrals.angular.map((H, a) => ({
      force: this.derivativeOf(this.integrals.first, a),
      moment: H,
      generalized: this.integrals.gram[a]
    }));
  }
  kineticEnergy(w, v) {
    const { mass, first: c, inertia, gram } = this.integrals;
    const { qd } = this.symbols;
    const local = plus(...gram.flatMap((row, a) => row.map((G, b) => times(G, qd[a], qd[b]))));
    return plus(
      times(half, mass, dot(v, v)),
      dot(v, addVectors(cross(w, c), this.rateOf(c))),
      times(half, dot(w, multiplySymmetric(inertia, w))),
      dot(w, this.internalMomentum),
      times(half, local)
    );
  }
};
var TWO = integer(2);
function rigidModel(mass, centreOfMass, inertiaAboutCentre) {
  const [x, y, z] = centreOfMass;
  const squares = [times(x, x), times(y, y), times(z, z)];
  const shift = [
    plus(squares[1], squares[2]),
    plus(squares[0], squares[2]),
    plus(squares[0], squares[1]),
    negate(times(x, y)),
    negate(times(x, z)),
    negate(times(y, z))
  ];
  const integrals = {
    mass,
    first: mapVector(centreOfMass, (e) => times(mass, e)),
    inertia: inertiaAboutCentre.map((e, i) => plus(e, times(mass, shift[i]))),
    angular: [],
    gram: [],
    gyroscopic: []
  };
  return new ShapeIntegralModel(integrals, { q: [], qd: [], qdd: [] }, "rigid body");
}
function mapIntegrals(s, f) {
  return {
    mass: f(s.mass),
    first: mapVector(s.first, f),
    inertia: s.inertia.map(f),
    angular: s.angular.map((v) => mapVector(v, f)),
    gram: s.gram.map((row) => row.map(f)),
    gyroscopic: s.gyroscopic.map((row, a) => row.map((v, b) => a === b ? zeroVector : mapVector(v, f)))
  };
}

// src/kane/compile.ts
var rate = (s) => symbol(`rate.${s.name}`);
var acceleration = (s) => symbol(`acceleration.${s.name}`);
function coordinateOf(c) {
  return {
    name: c.name,
    symbol: c.symbol,
    rate: rate(c.symbol),
    acceleration: acceleration(c.symbol),
    unit: c.unit,
    summary: c.summary ?? ""
  };
}
var SHAPE_INTEGRAL_LIMIT = 4;
var compiledBodies = /* @__PURE__ */ new Map();
function structureKey(type) {
  const { volume, kinematics } = type;
  const vectors = [[volume.start, volume.end, volume.density, volume.axial, ...volume.section]];
  const sectionKeys = Object.entries(volume.shape).map(([k, v]) => `${k}=${typeof v === "string" ? v : v.id}`);
  let distal = "";
  if (kinematics.kind === "position") {
    vectors.push(kinematics.position);
    if (kinematics.distal.kind === "pose") vectors.push(frameEntries(kinematics.distal.pose));
    if (kinematics.distal.kind === "contact") {
      const { pivot, axes } = kinematics.distal.contact;
      const point = (p) => [...p].map(([s, e]) => `${s.id}:${e.id}`).join(",");
      distal = `${point(pivot)};${Object.entries(axes).map(([name, p]) => `${name}@${point(p)}`).join(";")}`;
    }
  } else if (kinematics.kind === "pose") vectors.push(frameEntries(kinematics.pose));
  else vectors.push(kinematics.angular, kinematics.linear);
  const quantities = [...type.parameters, ...type.coordinates].map((quantity2) => [quantity2.symbol, quantity2.value]);
  const ids = [...vectors, ...quantities].map((v) => v.map((e) => e.id).join(","));
  return [kinematics.kind, type.parameters.length, ...ids, ...sectionKeys, distal].join("|");
}
function compileBody(type) {
  const key = structureKey(type);
  const known = compiledBodies.get(key);
  if (known) return known;
  const kinematics = bodyKinematics(type);
  const { volume, locations } = type;
  try {
    const integrals = new RodIntegrals({ ...volume, shape: volume.shape });
    const coordinates = type.coordinates.map(coordinateOf);
    const symbols = {
      q: coordinates.map((c) => c.symbol),
      qd: coordinates.map((c) => c.rate),
      qdd: coordinates.map((c) => c.acceleration)
    };
    const fields = new BodyFields(new MaterialFamily(kinematics.form, integrals), symbols);
    let shape;
    const shapeIntegrals = () => shape ??= mapIntegrals(fields.shapeIntegrals(), simplest);
    const contraction = new ContractionModel(fields);
    const parameters = new Set(type.parameters.map((p) => p.symbol));
    const costs = { shapeIntegrals: Infinity, contraction: costOf(type, kinematics, contraction, parameters) };
    let model = contraction;
    if (type.coordinates.length <= SHAPE_INTEGRAL_LIMIT) {
      const byShape = new ShapeIntegralModel(shapeIntegrals(), symbols);
      costs.shapeIntegrals = costOf(type, kinematics, byShape, parameters);
      if (costs.shapeIntegrals <= costs.contraction) model = byShape;
    }
    const result = {
      type,
      kinematics,
      symbols,
      fields,
      model,
      integrals: shapeIntegrals,
      reports: integrals.reports,
      costs
    };
    requireFinite(type, result);
    compiledBodies.set(key, result);
    return result;
  } catch (error) {
    if (error instanceof KanegenError) throw error.at(locations.kinematics);
    throw error;
  }
}
function costOf(type, kinematics, model, parameters) {
  const parts = {
    jointSteps: [],
    bodyStep: kinematics.distal,
    model,
    coordinates: type.coordinates.map(coordinateOf),
    bodyCoordinates: type.coordinates.map((_, i) => i)
  };
  const builder = new LinkKernelBuilder(
    parts,
    inputSymbols(parts.coordinates, [...parameters], type.coordinates.length)
  );
  const values = [builder.acceleration(), builder.backward(true)].flatMap(
    (k) => k.outputs.flatMap((o) => [...o.values])
  );
  return totalOperations(countOperations(values, constantNodes(values, parameters)));
}
function constantNodes(roots, parameters) {
  const constant = /* @__PURE__ */ new Set();
  for (const e of postorder(roots)) {
    const leaf = e.kind === "symbol" ? parameters.has(e) : children(e).every((o) => constant.has(o));
    if (leaf) constant.add(e);
  }
  return (e) => constant.has(e);
}
function requireFinite(type, body) {
  const entries = [
    ...frameEntries(body.kinematics.distal.frame),
    ...body.kinematics.form.flatMap((t) => [...t.coefficient])
  ];
  const known = new Map(
    [...type.parameters, ...type.coordinates].map((quantity2) => [quantity2.symbol, quantity2.value])
  );
  if (freeSymbols(entries).some((s) => !known.has(s))) return;
  const values = foldConstants(entries, known);
  if (values.every(Number.isFinite)) return;
  throw new KanegenError(
    "irregular-kinematics",
    "the kinematics is not finite at the default values of its coordinates",
    {
      remedy: "remove the pole that does not cancel, or give the coordinate a default where the formula is finite"
    }
  );
}
var ParameterTable = class {
  parameters = [];
  values = [];
  pattern = "";
  /** A stand-in for `value`: the value itself when it is exactly 0 (or ±1 where units fold), else a new parameter. */
  place(value, name, unit, summary, foldUnits = false) {
    if (value === zero || foldUnits && (value === one || value === minusOne)) {
      this.pattern += value === zero ? "0" : value === one ? "+" : "-";
      return value;
    }
    this.pattern += "#";
    const parameter = { name, symbol: symbol(`link.${name}`), unit, summary };
    this.parameters.push(parameter);
    this.values.push(value);
    return parameter.symbol;
  }
  add(parameter, value) {
    this.parameters.push(parameter);
    this.values.push(value);
  }
  get key() {
    return this.pattern;
  }
};
var AXES = ["x", "y", "z"];
var ENTRIES = AXES.flatMap((row) => AXES.map((col) => `${row}${col}`));
function placeFrame(table2, frame, stem) {
  const entries = frameEntries(frame).map(
    (e, i) => i < 9 ? table2.place(exactUnit(e), `${stem}_rotation_${ENTRIES[i]}`, "1", `${stem} rotation, entry ${ENTRIES[i]}`, true) : table2.place(e, `${stem}_${AXES[i - 9]}`, "m", `${stem} translation along ${AXES[i - 9]}`)
  );
  return frameFromEntries(entries);
}
function exactUnit(e) {
  if (e.kind === "rational" || !isConstant(e)) return e;
  const [value] = foldConstants([e]);
  return value === 0 || Math.abs(value) < 1e-35 ? zero : value === 1 ? one : value === -1 ? minusOne : e;
}
function isIdentity(frame) {
  return frameEntries(frame).every((e, i) => e === frameEntries(identityFrame)[i]);
}
var RIGID_INERTIA = ["xx", "yy", "zz", "xy", "xz", "yz"];
function prepareRigid(body, table2) {
  const mass = table2.place(body.mass, "mass", "kg", "mass");
  const centre = body.centreOfMass.map(
    (e, i) => table2.place(e, `com_${AXES[i]}`, "m", `centre of mass along ${AXES[i]}, proximal frame`)
  );
  const inertia = body.inertia.map(
    (e, i) => table2.place(
      e,
      `inertia_${RIGID_INERTIA[i]}`,
      "kg m^2",
      `inertia about the centre of mass, entry ${RIGID_INERTIA[i]}, proximal axes`
    )
  );
  return { model: rigidModel(mass, centre, inertia), step: fixedStep(placeFrame(table2, body.distal, "distal")) };
}
function prepareDeformable(body, table2, firstCoordinate) {
  const compiled = compileBody(body.type);
  body.type.parameters.forEach(
    (p, i) => table2.add(
      {
        name: p.name,
        symbol: p.symbol,
        unit: p.unit,
        summary: p.summary ?? `parameter ${p.name} of ${body.type.name}`
      },
      body.parameters[i]
    )
  );
  const { distal } = compiled.kinematics;
  return {
    model: compiled.model,
    step: { ...distal, coordinates: distal.coordinates.map((i) => firstCoordinate + i) }
  };
}
function prepareLink(link) {
  const table2 = new ParameterTable();
  const joint = jointSteps(link.joint);
  const merged = joint.length === 0;
  const offset = placeFrame(table2, merged ? composeFrames(link.offset, link.mount) : link.offset, "offset");
  const mount = merged ? identityFrame : placeFrame(table2, link.mount, "mount");
  const jointCount = link.joint.coordinates.length;
  const { model, step } = link.body.kind === "rigid" ? prepareRigid(link.body, table2) : prepareDeformable(link.body, table2, jointCount);
  const bodyCoordinates = link.body.kind === "rigid" ? [] : link.body.type.coordinates;
  const around = (frame) => isIdentity(frame) ? [] : [fixedStep(frame)];
  const parts = {
    jointSteps: [...around(offset), ...joint, ...around(mount)],
    bodyStep: step,
    model,
    coordinates: [...link.joint.coordinates, ...bodyCoordinates].map(coordinateOf),
    bodyCoordinates: bodyCoordinates.map((_, i) => jointCount + i)
  };
  const bodyName = link.body.kind === "rigid" ? "rigid" : link.body.type.name;
  const axis = axisName(link);
  const jointName = link.joint.type === "fixed" ? "" : `${link.joint.type}${axis}_`;
  return {
    parts,
    table: table2,
    key: [link.joint.type, motionKey(link), table2.key, bodyName].join("|"),
    name: `${jointName}${bodyName}`.replace(/[^A-Za-z0-9]+/g, "_"),
    summary: `${link.joint.type === "fixed" ? "" : `${link.joint.type} joint${axis.replace("_", " about ")}, then `}${link.body.kind === "rigid" ? "rigid body" : link.body.type.summary || link.body.type.name}`
  };
}
function axisName(link) {
  const axes = new Set(
    link.joint.motions.map((m) => {
      const v = m.kind === "rotation" ? m.axis : m.kind === "translation" ? m.displacement : m.vector;
      const along = v.map((e, i) => e === zero ? "" : AXES[i]).join("");
      return along.length === 1 ? along : "";
    })
  );
  const [only] = axes;
  return axes.size === 1 && only ? `_${only}` : "";
}
function motionKey(link) {
  return link.joint.motions.map((m) => {
    const entries = m.kind === "rotation" ? [...m.axis, m.angle] : m.kind === "translation" ? m.displacement : m.vector;
    return `${m.kind}:${entries.map((e) => e.id).join(",")}`;
  }).join(";");
}
function compileRobot(robot) {
  const types = /* @__PURE__ */ new Map();
  const usedNames = /* @__PURE__ */ new Set();
  const links = robot.links.map((link) => {
    const prepared = prepareLink(link);
    const body = link.body.kind === "deformable" ? link.body.type : void 0;
    let entry = types.get(prepared.key);
    if (!entry) {
      let name = prepared.name;
      for (let n = 2; usedNames.has(name); n++) name = `${prepared.name}_${n}`;
      usedNames.add(name);
      entry = { type: buildType(prepared, name), body };
      types.set(prepared.key, entry);
    }
    return { name: link.name, type: entry.type, parent: link.parent, parameters: prepared.table.values };
  });
  return { types: [...types.values()].map((t) => t.type), links };
}
function buildType(prepared, name) {
  const { parts, table: table2 } = prepared;
  const inputs = inputSymbols(
    parts.coordinates,
    table2.parameters.map((p) => p.symbol),
    parts.bodyCoordinates.length
  );
  const builder = new LinkKernelBuilder(parts, inputs);
  const kernels = builder.build();
  return {
    name,
    summary: prepared.summary,
    parameters: table2.parameters,
    coordinates: parts.coordinates,
    bodyWrenchSize: 6 + parts.bodyCoordinates.length,
    inputs,
    kernels,
    hints: builder.hints,
    method: parts.model.method
  };
}

// src/codegen/assets.ts
import { existsSync, readFileSync } from "node:fs";
var root = ["../", "../../"].map((up) => new URL(up, "file:///work/main/src/codegen/x.ts")).find((url) => existsSync(new URL("templates/c", url)));
var texts = /* @__PURE__ */ new Map();
function packageFile(path) {
  if (!root) throw new Error("the templates of kanegen are missing from its installation");
  let text = texts.get(path);
  if (text === void 0) {
    text = readFileSync(new URL(path, root), "utf8");
    texts.set(path, text);
  }
  return text;
}
function packageVersion() {
  return JSON.parse(packageFile("package.json")).version;
}

// src/codegen/names.ts
function snakeCase(name) {
  const words = name.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_+|_+$/g, "");
  return /^[A-Za-z]/.test(words) ? words.toLowerCase() : `robot_${words.toLowerCase()}`;
}
function pascalCase(name) {
  return snakeCase(name).split("_").map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}
function camelCase(name) {
  const pascal = pascalCase(name);
  return pascal.charAt(0).toLowerCase() + pascal.slice(1);
}
function distinct(names2, form) {
  const taken = /* @__PURE__ */ new Set();
  return names2.map((name) => {
    const base = form(name);
    let candidate = base;
    for (let i = 2; taken.has(candidate); i++) candidate = `${base}_${i}`;
    taken.add(candidate);
    return candidate;
  });
}
function identifier(name) {
  const text = name.replace(/[^A-Za-z0-9]+/g, "_").replace(/_+$/, "");
  return /^[A-Za-z]/.test(text) ? text : `v${text}`;
}
function commentText(text) {
  return text.replace(/\*\//g, "* /").replace(/\/\*/g, "/ *").replace(/\s+/g, " ").trim();
}
function wrapped(text, width) {
  const lines = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line ? `${line} ${word}` : word;
  }
  if (line) lines.push(line);
  return lines;
}

// src/codegen/operation.ts
function operandsOf(operation) {
  switch (operation.kind) {
    case "number":
    case "input":
      return [];
    case "add":
    case "subtract":
    case "multiply":
    case "divide":
    case "compare":
      return [operation.left, operation.right];
    case "negate":
    case "sqrt":
      return [operation.operand];
    case "call":
    case "logic":
      return operation.operands;
    case "stumpff":
      return [operation.argument];
    case "select":
      return [operation.condition, operation.then, operation.otherwise];
  }
}
var OperationGraph = class {
  /** Names proposed for operations. */
  names = /* @__PURE__ */ new Map();
  /** Highest order of Stumpff functions of each argument: every function evaluates the same set, so that all agree. */
  stumpffTop = /* @__PURE__ */ new Map();
  interned = /* @__PURE__ */ new Map();
  lowered = /* @__PURE__ */ new Map();
  constants = /* @__PURE__ */ new Set();
  sharedReciprocals;
  inputs;
  hints;
  /** @param roots all expressions that will be lowered: what is shared is decided on the whole. */
  constructor(roots, inputs, hints = /* @__PURE__ */ new Map()) {
    this.inputs = new Map(inputs.map((input) => [input.symbol, input]));
    this.hints = hints;
    this.sharedReciprocals = findSharedReciprocals(roots);
    for (const e of postorder(roots)) this.lower(e);
  }
  /** The operation of a lowered expression. */
  of(e) {
    const found = this.lowered.get(e);
    if (!found) throw new Error("expression was not among the roots of its graph");
    return found;
  }
  lower(e) {
    const operands = children(e);
    const isConstant2 = e.kind === "rational" || e.kind === "constant" || operands.length > 0 && operands.every((o) => this.constants.has(o));
    if (isConstant2) this.constants.add(e);
    const operation = isConstant2 && e.kind !== "compare" && e.kind !== "logic" ? this.constant(e) : this.lowerNode(e);
    this.lowered.set(e, operation);
    const hint = this.hints.get(e);
    const bare = operation.kind === "negate" ? operation.operand : operation;
    if (hint !== void 0 && bare.kind !== "number" && !this.names.has(bare)) this.names.set(bare, hint);
  }
  lowerNode(e) {
    switch (e.kind) {
      case "rational":
      case "constant":
        return this.constant(e);
      case "symbol": {
        const input = this.inputs.get(e);
        if (!input) throw new Error(`${e.name} is not an input of this kernel`);
        return this.intern(`i${input.place.buffer}[${input.place.index}]`, input.stage, { kind: "input", place: input.place, symbol: e });
      }
      case "sum":
        return this.sum(e);
      case "product":
        return this.signed(this.product(e.coefficient, e.factors));
      case "call":
        return this.node({ kind: "call", name: e.name, operands: e.arguments.map((o) => this.of(o)) });
      case "stumpff": {
        const argument = this.of(e.argument);
        this.stumpffTop.set(argument, Math.max(2, e.order, this.stumpffTop.get(argument) ?? 0));
        return this.node({ kind: "stumpff", order: e.order, argument });
      }
      case "select":
        return this.node({
          kind: "select",
          condition: this.of(e.condition),
          then: this.of(e.then),
          otherwise: this.of(e.otherwise)
        });
      case "compare":
        return this.node({ kind: "compare", operator: e.operator, left: this.of(e.left), right: this.of(e.right) });
      case "logic":
        return this.node({ kind: "logic", operator: e.operator, operands: e.operands.map((o) => this.of(o)) });
    }
  }
  // -------------------------------------------------------------------------------------------- sums and products
  sum(e) {
    const terms = this.collectTerms(e);
    if (!Rational.isZero(e.constant)) terms.unshift(this.splitSign(this.constant(rational(e.constant))));
    return this.signed(this.combine(terms));
  }
  /**
   * The terms of a sum, those with the same latest part as one: a x − b x becomes (a − b) x when a and b are known
   * before x, so that a − b is computed in an earlier stage.
   */
  collectTerms(e) {
    const groups = /* @__PURE__ */ new Map();
    for (const { coefficient, term } of e.terms) {
      const isProduct = term.kind === "product" && !this.constants.has(term);
      const factors = isProduct ? term.factors : [{ base: term, exponent: ONE }];
      const latest = Math.max(...factors.map((f) => this.of(f.base).stage));
      const isLate = (f) => !this.constants.has(f.base) && this.of(f.base).stage === latest;
      const late = factors.filter(isLate);
      const key = late.map((f) => `${f.base.id}^${Rational.toString(f.exponent)}`).join(" ");
      const group2 = groups.get(key) ?? { late, terms: [] };
      groups.set(key, group2);
      const whole = isProduct ? Rational.multiply(coefficient, term.coefficient) : coefficient;
      group2.terms.push({ coefficient: whole, early: factors.filter((f) => !isLate(f)) });
    }
    return [...groups.values()].map(({ late, terms }) => {
      const [only] = terms;
      if (terms.length === 1 || late.length === 0) return this.product(only.coefficient, [...only.early, ...late]);
      const early = this.combine(terms.map((term) => this.product(term.coefficient, term.early)));
      const common = this.product(ONE, late);
      const operation = this.node({ kind: "multiply", left: early.operation, right: common.operation });
      return { negative: early.negative !== common.negative, operation };
    });
  }
  /** Adds terms: what is known first is added first; a literal joins the first group that is not literal. */
  combine(terms) {
    const first = Math.min(...terms.filter((t) => t.operation.kind !== "number").map((t) => t.operation.stage));
    const stageOf = (t) => t.operation.kind === "number" ? first : t.operation.stage;
    let total;
    for (let stage = 0; stage <= 3; stage++) {
      let group2;
      for (const term of terms) if (stageOf(term) === stage) group2 = group2 ? this.add(group2, term) : term;
      if (group2) total = total ? this.add(total, group2) : group2;
    }
    return total;
  }
  add(a, b) {
    if (a.negative === b.negative)
      return { negative: a.negative, operation: this.node({ kind: "add", left: a.operation, right: b.operation }) };
    const [positive, negative] = a.negative ? [b, a] : [a, b];
    const difference = this.node({ kind: "subtract", left: positive.operation, right: negative.operation });
    return { negative: false, operation: difference };
  }
  product(coefficient, factors) {
    let negative = Rational.isNegative(coefficient);
    let exact = rational(Rational.absolute(coefficient));
    const numerators = [[], [], [], []];
    const denominators = [[], [], [], []];
    for (const { base, exponent } of factors) {
      if (this.constants.has(base)) {
        exact = times(exact, power(base, exponent));
        continue;
      }
      const { operation, negative: flips } = this.splitSign(this.of(base));
      const signPasses = Rational.isInteger(exponent);
      if (flips && signPasses && exponent.numerator % 2n !== 0n) negative = !negative;
      const bare = flips && !signPasses ? this.of(base) : operation;
      const inverse = Rational.isNegative(exponent);
      const divides = inverse && !this.sharedReciprocals.has(base);
      const raised = this.raise(bare, Rational.absolute(exponent), inverse && !divides);
      (divides ? denominators : numerators)[raised.stage].push(raised);
    }
    const literal2 = this.splitSign(this.constant(exact));
    if (literal2.negative) negative = !negative;
    const isUnit = literal2.operation.kind === "number" && literal2.operation.exact === one;
    return { negative, operation: this.multiplyGroups(isUnit ? void 0 : literal2.operation, numerators, denominators) };
  }
  multiplyGroups(literal2, numerators, denominators) {
    let total;
    let coefficient = literal2;
    for (let stage = 0; stage <= 3; stage++) {
      const above = this.chain(numerators[stage]);
      const below = this.chain(denominators[stage]);
      if (!above && !below) continue;
      let group2 = above;
      if (coefficient) {
        group2 = group2 ? this.node({ kind: "multiply", left: coefficient, right: group2 }) : coefficient;
        coefficient = void 0;
      }
      if (below && !group2 && total) {
        total = this.node({ kind: "divide", left: total, right: below });
        continue;
      }
      if (below) group2 = this.node({ kind: "divide", left: group2 ?? this.constant(one), right: below });
      total = total ? this.node({ kind: "multiply", left: total, right: group2 }) : group2;
    }
    return total ?? coefficient ?? this.constant(one);
  }
  chain(factors) {
    let total;
    for (const factor of factors) total = total ? this.node({ kind: "multiply", left: total, right: factor }) : factor;
    return total;
  }
  /** base^exponent for a positive exponent; of 1/base when `inverted`. */
  raise(base, exponent, inverted) {
    if (exponent.denominator > 2n) {
      const literal2 = this.constant(rational(inverted ? Rational.negate(exponent) : exponent));
      return this.node({ kind: "call", name: "pow", operands: [base, literal2] });
    }
    let factor = exponent.denominator === 2n ? this.node({ kind: "sqrt", operand: base }) : base;
    if (inverted) factor = this.node({ kind: "divide", left: this.constant(one), right: factor });
    let result;
    for (let n = exponent.numerator, square2 = factor; n > 0n; n /= 2n) {
      if (n % 2n === 1n) result = result ? this.node({ kind: "multiply", left: result, right: square2 }) : square2;
      if (n > 1n) square2 = this.node({ kind: "multiply", left: square2, right: square2 });
    }
    return result;
  }
  // -------------------------------------------------------------------------------------------- nodes
  splitSign(operation) {
    return operation.kind === "negate" ? { negative: true, operation: operation.operand } : { negative: false, operation };
  }
  signed({ negative, operation }) {
    return negative ? this.node({ kind: "negate", operand: operation }) : operation;
  }
  /** An exact constant as a literal, a negative one as a negated literal. */
  constant(exact) {
    const value = foldConstant(exact);
    if (value < 0) return this.node({ kind: "negate", operand: this.constant(negate(exact)) });
    return this.intern(`n${exact.id}`, 0, { kind: "number", exact, value });
  }
  node(fields) {
    const operands = operandsOf(fields);
    const stage = Math.max(0, ...operands.map((o) => o.stage));
    const detail = "name" in fields ? fields.name : "order" in fields ? fields.order : "operator" in fields ? fields.operator : "";
    return this.intern(`${fields.kind}${detail}(${operands.map((o) => o.id).join(",")})`, stage, fields);
  }
  intern(key, stage, fields) {
    const found = this.interned.get(key);
    if (found) return found;
    const operation = { ...fields, id: this.interned.size, stage };
    this.interned.set(key, operation);
    return operation;
  }
};
function findSharedReciprocals(roots) {
  const once = /* @__PURE__ */ new Set();
  const shared = /* @__PURE__ */ new Set();
  const products = postorder(roots).filter((e) => e.kind === "product");
  for (const { factors } of products)
    for (const { base, exponent } of factors)
      if (Rational.isNegative(exponent)) (once.has(base) ? shared : once).add(base);
  return shared;
}
function operationsBelow(roots, stop = () => false) {
  const order = [];
  const seen = /* @__PURE__ */ new Set();
  const placed = /* @__PURE__ */ new Set();
  for (const root2 of roots) {
    const stack = [root2];
    while (stack.length > 0) {
      const operation = stack[stack.length - 1];
      if (!seen.has(operation)) {
        seen.add(operation);
        if (!stop(operation)) {
          const operands = operandsOf(operation);
          for (let i = operands.length - 1; i >= 0; i--) if (!seen.has(operands[i])) stack.push(operands[i]);
        }
        continue;
      }
      stack.pop();
      if (placed.has(operation)) continue;
      placed.add(operation);
      order.push(operation);
    }
  }
  return order;
}
function expressionsOf(roots) {
  const expressions = /* @__PURE__ */ new Map();
  const of = (operation) => expressions.get(operation);
  for (const operation of operationsBelow(roots)) expressions.set(operation, expressionOf(operation, of));
  return roots.map(of);
}
function expressionOf(operation, of) {
  switch (operation.kind) {
    case "number":
      return operation.exact;
    case "input":
      return operation.symbol;
    case "add":
      return plus(of(operation.left), of(operation.right));
    case "subtract":
      return minus(of(operation.left), of(operation.right));
    case "multiply":
      return times(of(operation.left), of(operation.right));
    case "divide":
      return divide(of(operation.left), of(operation.right));
    case "negate":
      return negate(of(operation.operand));
    case "sqrt":
      return sqrt(of(operation.operand));
    case "call":
      return call(operation.name, ...operation.operands.map(of));
    case "stumpff":
      return stumpff(operation.order, of(operation.argument));
    case "select":
      return select(of(operation.condition), of(operation.then), of(operation.otherwise));
    case "compare":
      return compare(operation.operator, of(operation.left), of(operation.right));
    case "logic":
      return logic(operation.operator, ...operation.operands.map(of));
  }
}

// src/codegen/program.ts
var LINE_WIDTH = 84;
var TAKEN = new Set(
  `constants slot parameters q qd qdd parentVelocity parentAcceleration parentGravity distalWrench bodyWrench
  distalComposite parentPose parentTravel ownVelocity ownAcceleration ownGravity generalizedForce parentWrench
  parentComposite massBlock unitWrenches ownPose jacobianColumns ownTravel energy stumpff stumpffValues scratch
  base frames linkParameters p parent_velocity parent_acceleration parent_gravity distal_wrench body_wrench
  distal_composite parent_pose parent_travel own_velocity own_acceleration own_gravity generalized_force parent_wrench
  parent_composite mass_block unit_wrenches own_pose jacobian_columns own_travel stumpff_values link_parameters y0 y1 yn j0 j1 jn gamma signgam I E div exp log pow abs sin cos tan sqrt index time
  int float double char short long signed unsigned void auto register static extern const volatile restrict inline if
  else for while do switch case default break continue return goto sizeof struct union enum typedef class new delete
  this function var let in of typeof instanceof null true false undefined import export yield await async try catch
  finally throw with super extends implements interface package private protected public arguments eval NaN Infinity
  remainder round floor ceil trunc main errno linux unix`.split(/\s+/)
);
function buildProgram(source, graph, placeNames = () => void 0) {
  return new Builder(source, graph, placeNames).build();
}
var Scope = class {
  statements = [];
  named = /* @__PURE__ */ new Map();
  needed;
  parent;
  constructor(parent, needed) {
    this.parent = parent;
    this.needed = needed;
  }
  find(operation) {
    for (let scope = this; scope; scope = scope.parent) {
      const tree = scope.named.get(operation);
      if (tree) return tree;
    }
    return void 0;
  }
};
var Builder = class {
  source;
  graph;
  placeNames;
  uses = /* @__PURE__ */ new Map();
  loads = [];
  loaded = /* @__PURE__ */ new Map();
  namesTaken = /* @__PURE__ */ new Set();
  temporaries = 0;
  constructor(source, graph, placeNames) {
    this.source = source;
    this.graph = graph;
    this.placeNames = placeNames;
  }
  build() {
    const { outputs, name, reads, writes } = this.source;
    const roots = outputs.map((output) => output.value);
    this.countUses(roots);
    const scope = new Scope(void 0, new Set(this.unconditional(roots)));
    for (const { place, value } of outputs) scope.statements.push({ kind: "store", place, value: this.emit(value, scope) });
    const { statements } = scope;
    const rank = ({ place }) => 1e6 * reads.indexOf(place.buffer) + place.index;
    const loads = this.loads.sort((a, b) => rank(a) - rank(b));
    return { name, reads, writes, loads, statements, counts: countOperations2(statements) };
  }
  isReady(operation) {
    return this.source.ready.has(operation);
  }
  countUses(roots) {
    const count = (operation) => void this.uses.set(operation, (this.uses.get(operation) ?? 0) + 1);
    roots.forEach(count);
    for (const operation of operationsBelow(roots, (o) => this.isReady(o)))
      if (!this.isReady(operation)) operandsOf(operation).forEach(count);
  }
  /** What is computed whichever way the selects go. */
  unconditional(roots) {
    const found = /* @__PURE__ */ new Set();
    const pending = [...roots];
    while (pending.length > 0) {
      const operation = pending.pop();
      if (found.has(operation)) continue;
      found.add(operation);
      if (this.isReady(operation)) continue;
      if (operation.kind === "select") pending.push(operation.condition);
      else pending.push(...operandsOf(operation));
    }
    return [...found];
  }
  /** Appends what `root` needs to the block and returns the expression for it. */
  emit(root2, scope) {
    const trees = /* @__PURE__ */ new Map();
    const stack = [root2];
    const known = (operation) => scope.find(operation) ?? trees.get(operation);
    while (stack.length > 0) {
      const operation = stack[stack.length - 1];
      if (known(operation)) {
        stack.pop();
        continue;
      }
      const needs = this.isReady(operation) ? [] : operation.kind === "select" ? [operation.condition] : operandsOf(operation);
      const missing = needs.filter((operand) => !known(operand));
      if (missing.length > 0) {
        for (let i = missing.length - 1; i >= 0; i--) stack.push(missing[i]);
        continue;
      }
      stack.pop();
      const tree = this.form(operation, scope, (operand) => known(operand), trees);
      trees.set(operation, tree);
    }
    return known(root2);
  }
  form(operation, scope, of, inline) {
    const place = this.source.ready.get(operation) ?? (operation.kind === "input" ? operation.place : void 0);
    if (place) return this.load(operation, place);
    if (operation.kind === "number") return { kind: "number", value: operation.value };
    if (operation.kind === "stumpff") return this.stumpff(operation.argument, operation.order, scope, of);
    if (operation.kind === "select") return this.select(operation, scope, of);
    if (operation.kind === "call") this.pairSineAndCosine(operation, scope, of);
    const isRepeatedNegation = operation.kind === "negate" && this.uses.get(operation) > 1;
    if (isRepeatedNegation && isComputed(of(operation.operand))) {
      inline.set(operation.operand, this.name(operation.operand, of(operation.operand), scope));
    }
    const tree = this.fit(operation, scope, of, inline);
    const repeated = this.uses.get(operation) > 1 && operation.kind !== "negate";
    const isTruth = operation.kind === "compare" || operation.kind === "logic";
    const standsAlone = !isTruth && (repeated || operation.kind === "call" || this.graph.names.has(operation));
    return standsAlone ? this.name(operation, tree, scope) : tree;
  }
  /** The operation over its operands; the longest operands get statements of their own when the line is too long. */
  fit(operation, scope, of, inline) {
    for (; ; ) {
      const tree = treeOf(operation, of);
      if (treeWidth(tree) <= LINE_WIDTH) return tree;
      const operands = operandsOf(operation).filter((o) => treeWidth(of(o)) > 24 && o.kind !== "compare" && o.kind !== "logic");
      if (operands.length === 0) return tree;
      const longest = operands.reduce((a, b) => treeWidth(of(b)) > treeWidth(of(a)) ? b : a);
      inline.set(longest, this.name(longest, of(longest), scope));
    }
  }
  name(operation, value, scope) {
    const already = scope.find(operation);
    if (already) return already;
    const name = this.nameFor(operation);
    scope.statements.push({ kind: "let", name, value });
    const tree = { kind: "name", name };
    scope.named.set(operation, tree);
    return tree;
  }
  nameFor(operation) {
    const hint = this.graph.names.get(operation) ?? this.derivedName(operation);
    return hint ? this.unique(hint) : this.unique(`t${++this.temporaries}`);
  }
  derivedName(operation) {
    if (operation.kind === "call" && operation.operands.length === 1) return joined(operation.name, this.nameOfOperand(operation.operands[0]));
    if (operation.kind === "sqrt") return joined("root", this.nameOfOperand(operation.operand));
    if (operation.kind === "multiply" && operation.left === operation.right) return joined(this.nameOfOperand(operation.left), "squared");
    return void 0;
  }
  nameOfOperand(operation) {
    const hint = this.graph.names.get(operation);
    if (hint) return hint;
    return operation.kind === "input" ? this.placeNames(operation.place) : this.derivedName(operation);
  }
  unique(wanted) {
    const base = /^[A-Za-z][A-Za-z0-9_]*$/.test(wanted) ? wanted : `v_${wanted.replace(/[^A-Za-z0-9]+/g, "_")}`;
    let name = TAKEN.has(base) ? `${base}_` : base;
    for (let i = 2; this.namesTaken.has(name); i++) name = `${base}_${i}`;
    this.namesTaken.add(name);
    return name;
  }
  /** Table entries are read under their names; other inputs where they are used, unless that is more than once. */
  load(operation, place) {
    const key = `${place.buffer}[${place.index}]`;
    const found = this.loaded.get(key);
    if (found) return found;
    const isTable = place.buffer === "constants" || place.buffer === "slot";
    if (!isTable && this.uses.get(operation) === 1) return { kind: "load", place };
    const wanted = (isTable ? this.nameOfOperand(operation) : this.placeNames(place)) ?? `${place.buffer}_${place.index}`;
    const name = this.unique(wanted);
    this.loads.push({ name, place });
    const tree = { kind: "name", name };
    this.loaded.set(key, tree);
    return tree;
  }
  pairSineAndCosine(operation, scope, of) {
    if (operation.kind !== "call" || operation.name !== "sin" && operation.name !== "cos") return;
    const [angle] = operation.operands;
    for (const name of ["sin", "cos"])
      for (const other of scope.needed)
        if (other.kind === "call" && other.name === name && other.operands[0] === angle && !this.isReady(other) && !scope.find(other))
          this.name(other, treeOf(other, of), scope);
  }
  stumpff(argument, order, scope, of) {
    const wanted = [];
    for (const o of scope.needed)
      if (o.kind === "stumpff" && o.argument === argument && !this.isReady(o) && !scope.find(o)) wanted.push(o);
    wanted.sort((a, b) => a.order - b.order);
    const names2 = wanted.map((o) => {
      const name = this.unique(this.graph.names.get(o) ?? joined(`c${o.order}`, this.nameOfOperand(argument)) ?? `c${o.order}`);
      scope.named.set(o, { kind: "name", name });
      return { order: o.order, name };
    });
    scope.statements.push({ kind: "stumpff", argument: of(argument), top: this.graph.stumpffTop.get(argument), names: names2 });
    const found = names2.find((n) => n.order === order);
    if (!found) throw new Error("a Stumpff function was not announced in its block");
    return { kind: "name", name: found.name };
  }
  select(operation, scope, of) {
    const thenNeeds = this.unconditional([operation.then]);
    const both = new Set(this.unconditional([operation.otherwise]));
    for (const shared of operationsBelow(thenNeeds.filter((o) => both.has(o)), (o) => this.isReady(o) || o.kind === "select"))
      if (both.has(shared) && shared.kind !== "number" && shared.kind !== "compare" && shared.kind !== "logic") {
        const outer = new Scope(scope, new Set(this.unconditional([shared])));
        const tree2 = this.emit(shared, outer);
        scope.statements.push(...outer.statements);
        for (const [o, t] of outer.named) scope.named.set(o, t);
        if (tree2.kind !== "name") this.name(shared, tree2, scope);
      }
    const side = (value) => {
      const inner = new Scope(scope, new Set(this.unconditional([value])));
      const tree2 = this.emit(value, inner);
      return [inner.statements, tree2];
    };
    const [then, thenValue] = side(operation.then);
    const [otherwise, otherwiseValue] = side(operation.otherwise);
    const name = this.nameFor(operation);
    const condition = of(operation.condition);
    scope.statements.push({ kind: "select", name, condition, then, thenValue, otherwise, otherwiseValue });
    const tree = { kind: "name", name };
    scope.named.set(operation, tree);
    return tree;
  }
};
function isComputed(tree) {
  return tree.kind !== "name" && tree.kind !== "load" && tree.kind !== "number";
}
function joined(a, b) {
  return a && b && a.length + b.length < 28 ? `${a}_${b}` : void 0;
}
function treeOf(operation, of) {
  switch (operation.kind) {
    case "add":
    case "subtract":
    case "multiply":
    case "divide":
      return { kind: operation.kind, left: of(operation.left), right: of(operation.right) };
    case "negate":
    case "sqrt":
      return { kind: operation.kind, operand: of(operation.operand) };
    case "call":
      return { kind: "call", name: operation.name, operands: operation.operands.map(of) };
    case "compare":
      return { kind: "compare", operator: operation.operator, left: of(operation.left), right: of(operation.right) };
    case "logic":
      return { kind: "logic", operator: operation.operator, operands: operation.operands.map(of) };
    default:
      throw new Error(`${operation.kind} is not an expression`);
  }
}
var widths = /* @__PURE__ */ new WeakMap();
function treeWidth(tree) {
  let width = widths.get(tree);
  if (width === void 0) {
    width = measure(tree);
    widths.set(tree, width);
  }
  return width;
}
function measure(tree) {
  switch (tree.kind) {
    case "name":
      return tree.name.length;
    case "load":
      return tree.place.buffer.length + 4;
    case "number":
      return String(tree.value).length + 4;
    case "negate":
      return treeWidth(tree.operand) + 1;
    case "sqrt":
      return treeWidth(tree.operand) + 11;
    case "call":
    case "logic":
      return tree.operands.reduce((total, o) => total + treeWidth(o) + 4, 8);
    default:
      return treeWidth(tree.left) + treeWidth(tree.right) + 4;
  }
}
function treesOf(statements) {
  const found = [];
  const visit = (tree) => {
    found.push(tree);
    if ("left" in tree) [tree.left, tree.right].forEach(visit);
    else if ("operand" in tree) visit(tree.operand);
    else if ("operands" in tree) tree.operands.forEach(visit);
  };
  for (const statement of statements) {
    if (statement.kind === "stumpff") visit(statement.argument);
    else if (statement.kind === "select") {
      [statement.condition, statement.thenValue, statement.otherwiseValue].forEach(visit);
      found.push(...treesOf(statement.then), ...treesOf(statement.otherwise));
    } else visit(statement.value);
  }
  return found;
}
function countOperations2(statements) {
  const kinds = /* @__PURE__ */ new Map();
  for (const tree of treesOf(statements)) kinds.set(tree.kind, (kinds.get(tree.kind) ?? 0) + 1);
  const of = (kind) => kinds.get(kind) ?? 0;
  return {
    add: of("add") + of("subtract") + of("negate"),
    multiply: of("multiply"),
    divide: of("divide"),
    sqrt: of("sqrt"),
    call: of("call"),
    stumpff: statements.flatMap(stumpffTops)
  };
}
function stumpffTops(statement) {
  if (statement.kind === "stumpff") return [statement.top];
  if (statement.kind === "select") return [...statement.then, ...statement.otherwise].flatMap(stumpffTops);
  return [];
}

// src/codegen/split.ts
var STATEMENT_LIMIT = 1200;
function splitProgram(program, limit2 = STATEMENT_LIMIT) {
  const groups = group(program.statements, limit2);
  if (groups.length <= 1)
    return { parts: [{ loads: program.loads, restored: [], statements: program.statements, saved: [] }], scratchSize: 0 };
  const used = groups.map(namesUsed);
  const defined = groups.map((statements) => statements.flatMap(namesDefined));
  const scratch = /* @__PURE__ */ new Map();
  defined.forEach((names2, i) => {
    for (const name of names2) if (used.slice(i + 1).some((set) => set.has(name))) scratch.set(name, scratch.size);
  });
  const parts = groups.map((statements, i) => {
    const own = new Set(defined[i]);
    const restored = [...used[i]].filter((name) => scratch.has(name) && !own.has(name));
    return {
      loads: program.loads.filter((load) => used[i].has(load.name)),
      restored: restored.map((name) => ({ name, index: scratch.get(name) })),
      statements,
      saved: defined[i].filter((name) => scratch.has(name)).map((name) => ({ name, index: scratch.get(name) }))
    };
  });
  return { parts, scratchSize: scratch.size };
}
function group(statements, limit2) {
  const groups = [];
  let size = 0;
  for (const statement of statements) {
    const length = statementLength(statement);
    if (groups.length === 0 || size + length > limit2) {
      groups.push([]);
      size = 0;
    }
    groups[groups.length - 1].push(statement);
    size += length;
  }
  return groups;
}
function statementLength(statement) {
  if (statement.kind === "select")
    return [...statement.then, ...statement.otherwise].reduce((total, inner) => total + statementLength(inner), 3);
  return statement.kind === "stumpff" ? 1 + statement.names.length : 1;
}
function namesDefined(statement) {
  if (statement.kind === "let" || statement.kind === "select") return [statement.name];
  return statement.kind === "stumpff" ? statement.names.map((n) => n.name) : [];
}
function namesUsed(statements) {
  return new Set(treesOf(statements).flatMap((tree) => tree.kind === "name" ? [tree.name] : []));
}

// src/codegen/print-arithmetic.ts
var PRECEDENCE = { add: 1, subtract: 1, multiply: 2, divide: 2, negate: 3 };
var SIGN = { add: "+", subtract: "-", multiply: "*", divide: "/" };
function printProgram(program, target, limit2 = STATEMENT_LIMIT) {
  const { parts, scratchSize } = splitProgram(program, limit2);
  return {
    scratchSize,
    parts: parts.map((part) => [
      ...part.loads.map((load) => target.declare(load.name, target.read(load.place))),
      ...part.restored.map((value) => target.declare(value.name, target.scratch(value.index))),
      ...part.statements.flatMap((statement) => printStatement(statement, target)),
      ...part.saved.map((value) => `${target.scratch(value.index)} = ${value.name};`)
    ])
  };
}
function printStatement(statement, target) {
  switch (statement.kind) {
    case "let":
      return [target.declare(statement.name, printTree(statement.value, target))];
    case "store":
      return [`${target.write(statement.place)} = ${printTree(statement.value, target)};`];
    case "stumpff":
      return [
        `${target.stumpff(printTree(statement.argument, target), statement.top)};`,
        ...statement.names.map(({ order, name }) => target.declare(name, target.stumpffEntry(order)))
      ];
    case "select": {
      const side = (statements, value) => [
        ...statements.flatMap((inner) => printStatement(inner, target)).map((line) => `  ${line}`),
        `  ${statement.name} = ${printTree(value, target)};`
      ];
      return [
        target.declareOpen(statement.name),
        `if (${printTree(statement.condition, target)}) {`,
        ...side(statement.then, statement.thenValue),
        "} else {",
        ...side(statement.otherwise, statement.otherwiseValue),
        "}"
      ];
    }
  }
}
function printTree(tree, target, context = 0) {
  switch (tree.kind) {
    case "name":
      return tree.name;
    case "load":
      return target.read(tree.place);
    case "number":
      return target.number(tree.value);
    case "sqrt":
      return target.sqrt(printTree(tree.operand, target));
    case "call":
      return target.call(
        tree.name,
        tree.operands.map((operand) => printTree(operand, target))
      );
    case "negate":
      return parenthesised(`-${printTree(tree.operand, target, PRECEDENCE.negate + 1)}`, PRECEDENCE.negate, context);
    case "compare": {
      const sign = tree.operator === "==" ? target.equal : tree.operator;
      return `${printTree(tree.left, target, 1)} ${sign} ${printTree(tree.right, target, 1)}`;
    }
    case "logic": {
      const operands = tree.operands.map((operand) => `(${printTree(operand, target)})`);
      return tree.operator === "not" ? `!${operands[0]}` : operands.join(tree.operator === "and" ? " && " : " || ");
    }
    default: {
      const own = PRECEDENCE[tree.kind];
      const text = `${printTree(tree.left, target, own)} ${SIGN[tree.kind]} ${printTree(tree.right, target, own + 1)}`;
      return parenthesised(text, own, context);
    }
  }
}
function parenthesised(text, own, context) {
  return own < context ? `(${text})` : text;
}
function decimalText(value) {
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}
function countText(counts) {
  const parts = [`${counts.add} +`, `${counts.multiply} *`];
  if (counts.divide > 0) parts.push(`${counts.divide} /`);
  if (counts.sqrt > 0) parts.push(`${counts.sqrt} sqrt`);
  if (counts.call > 0) parts.push(counts.call === 1 ? "1 function" : `${counts.call} functions`);
  for (const top of counts.stumpff) parts.push(`Stumpff c0..c${top}`);
  return parts.join(", ");
}
function addCounts(all) {
  const sum = (of) => all.reduce((total, counts) => total + of(counts), 0);
  return {
    add: sum((c) => c.add),
    multiply: sum((c) => c.multiply),
    divide: sum((c) => c.divide),
    sqrt: sum((c) => c.sqrt),
    call: sum((c) => c.call),
    stumpff: all.flatMap((c) => c.stumpff)
  };
}

// src/codegen/header.ts
var PURPOSE = {
  prepare: "Constants of the link from its parameters.",
  configure: "Slot entries that depend on the configuration.",
  move: "Angular velocity of the own frame, and slot entries that depend on velocities.",
  accelerate: "Acceleration of the own frame and wrench of the body, for a staged state.",
  forward: "Velocity and acceleration of the own frame and wrench of the body in one go; stages what the way back needs.",
  weigh: "Acceleration that stands for gravity, in own axes, and wrench of the weight alone.",
  backward: "Generalized forces, and the wrench at the parent frame, from the wrench at the own frame and of the body.",
  propagate: "Generalized forces, and the wrench at the parent frame, from a wrench at the own frame alone.",
  composite: "Composite mass at the parent frame, own block of the mass matrix, wrenches of unit accelerations.",
  pose: "World pose of the own frame.",
  jacobian: "World motion per unit rate of each coordinate: angular velocity, velocity of the point at the origin.",
  energy: "Motion of the own frame; kinetic and potential energy of the body."
};
function provenance({ robot }) {
  const { file, hash } = robot.source;
  const origin = file ? `${commentText(file)} (sha256 ${hash})` : `an object (sha256 ${hash})`;
  return [`Generated by kanegen ${packageVersion()} from`, `${origin}.`, "Do not edit: change the source and compile again."];
}
function linkHeader(model, link) {
  const { type } = link;
  const list = (title, lines) => lines.length > 0 ? ["", title, ...lines] : [];
  return [
    ...wrapped(`Link type ${link.name}: ${commentText(type.summary) || "no description"}.`, 100),
    ...provenance(model),
    ...list(
      "Coordinates (q; their rates qd and accelerations qdd):",
      type.coordinates.map((c, i) => `  [${i}] ${c.name} [${commentText(c.unit)}] ${commentText(c.summary)}`.trimEnd())
    ),
    ...list(
      "Parameters (from which the table of constants is made):",
      type.parameters.map((p, i) => `  [${i}] ${p.name} [${commentText(p.unit)}] ${commentText(p.summary)}`.trimEnd())
    ),
    ...list("Integrals of the body:", wrapped(commentText(type.method), 96).map((line) => `  ${line}`)),
    ...list(
      "Operations:",
      link.programs.map((program) => `  ${program.name.padEnd(10)} ${countText(program.counts)}`)
    )
  ];
}
function robotCounts(model) {
  const total = (...names2) => {
    const programs = model.instances.flatMap(({ link }) => names2.map((name) => programOf(link, name)));
    const { stumpff: stumpff2, ...counts } = addCounts(programs.map((program) => program.counts));
    const evaluations = stumpff2.length > 0 ? `, ${stumpff2.length} Stumpff evaluations` : "";
    return countText({ ...counts, stumpff: [] }) + evaluations;
  };
  return [
    { call: "inverse dynamics in one call", counts: total("forward", "backward") },
    { call: "update", counts: total("configure", "move") },
    { call: "inverse dynamics after update", counts: total("accelerate", "backward") },
    { call: "gravity after update", counts: total("weigh", "backward") }
  ];
}
function programOf(link, name) {
  return link.programs.find((program) => program.name === name);
}
function robotHeader(model) {
  const { robot, instances } = model;
  const summary = commentText(robot.summary);
  return [
    ...wrapped(`Robot ${commentText(robot.name)}${summary ? `: ${summary}` : ""}.`, 100),
    ...provenance(model),
    "",
    `${robot.coordinates.length} coordinates, ${instances.length} links. SI units; matrices row-major; world axes.`,
    "Operations (of the links, without sequencing):",
    ...robotCounts(model).map(({ call: call2, counts }) => `  ${call2.padEnd(30)} ${counts}`)
  ];
}

// src/codegen/stages.ts
var STAGE = {
  parameters: 0,
  q: 1,
  qd: 2,
  parentVelocity: 2,
  qdd: 3,
  parentAcceleration: 3,
  parentGravity: 3,
  distalWrench: 3,
  bodyWrench: 3,
  distalComposite: 3,
  parentPose: 3,
  parentTravel: 3
};
var SIGNATURES = {
  prepare: { reads: ["parameters"], writes: ["constants"] },
  configure: { reads: ["constants", "q"], writes: ["slot"] },
  move: { reads: ["constants", "q", "qd", "parentVelocity"], writes: ["slot", "ownVelocity"] },
  accelerate: {
    reads: ["constants", "slot", "q", "qd", "qdd", "parentVelocity", "parentAcceleration"],
    writes: ["ownAcceleration", "bodyWrench"]
  },
  forward: {
    reads: ["constants", "q", "qd", "qdd", "parentVelocity", "parentAcceleration"],
    writes: ["slot", "ownVelocity", "ownAcceleration", "bodyWrench"]
  },
  weigh: { reads: ["constants", "slot", "q", "parentGravity"], writes: ["ownGravity", "bodyWrench"] },
  backward: {
    reads: ["constants", "slot", "q", "distalWrench", "bodyWrench"],
    writes: ["generalizedForce", "parentWrench"]
  },
  propagate: { reads: ["constants", "slot", "q", "distalWrench"], writes: ["generalizedForce", "parentWrench"] },
  composite: {
    reads: ["constants", "slot", "q", "distalComposite"],
    writes: ["parentComposite", "massBlock", "unitWrenches"]
  },
  pose: { reads: ["constants", "slot", "q", "parentPose"], writes: ["ownPose"] },
  jacobian: { reads: ["constants", "slot", "q", "parentPose"], writes: ["jacobianColumns"] },
  energy: { reads: ["constants", "slot", "q", "qd", "parentTravel"], writes: ["ownTravel", "energy"] }
};
var LATE = [
  ["backward", "backward"],
  ["propagate", "propagate"],
  ["acceleration", "accelerate"],
  ["gravity", "weigh"],
  ["composite", "composite"],
  ["pose", "pose"],
  ["jacobian", "jacobian"],
  ["energy", "energy"]
];
function isImmediate(operation) {
  return operation.kind === "number" || operation.kind === "negate";
}
function stageLink(type) {
  const roots = type.kernels.flatMap((kernel) => kernel.outputs.flatMap((output) => output.values));
  const graph = new OperationGraph(roots, inputDeclarations(type), type.hints);
  const outputs = new Map(type.kernels.map((kernel) => [kernel.name, kernelOutputs(type, kernel.name, graph)]));
  const late = LATE.map(([kernel, name]) => ({ name, outputs: outputs.get(kernel) ?? [] }));
  const tables = new Tables();
  for (const { outputs: wanted } of late) tables.collect(valuesOf(wanted), 3);
  const velocity = outputs.get("velocity") ?? [];
  tables.collect([...valuesOf(velocity), ...tables.moving], 2);
  tables.collect(tables.configured, 1);
  const slot = [...tables.configured, ...tables.moving];
  const constants = [...tables.constants];
  const inConstants = places("constants", constants);
  const inSlot = places("slot", slot);
  const inBoth = new Map([...inConstants, ...inSlot]);
  const configured = new Map([...inConstants, ...[...tables.configured].map((o) => [o, inSlot.get(o)])]);
  const store = (buffer, values) => [...values].map((value) => ({ place: buffer.get(value), value }));
  const acceleration2 = outputs.get("acceleration") ?? [];
  const forBackward = slotValuesOf(valuesOf(outputs.get("backward") ?? []), inSlot);
  const plan = (name, computed, ready) => ({
    name,
    reads: SIGNATURES[name].reads,
    writes: SIGNATURES[name].writes,
    outputs: computed,
    ready
  });
  const functions = [
    plan("prepare", store(inConstants, constants), /* @__PURE__ */ new Map()),
    plan("configure", store(inSlot, tables.configured), inConstants),
    plan("move", [...store(inSlot, tables.moving), ...velocity], configured),
    plan("forward", [...store(inSlot, forBackward), ...velocity, ...acceleration2], inConstants),
    ...late.map(({ name, outputs: wanted }) => plan(name, wanted, inBoth))
  ];
  return { type, graph, constants, slot, functions };
}
function inputDeclarations(type) {
  return Object.keys(STAGE).flatMap(
    (buffer) => type.inputs[buffer].map((symbol2, index) => ({ symbol: symbol2, place: { buffer, index }, stage: STAGE[buffer] }))
  );
}
function kernelOutputs(type, name, graph) {
  const kernel = type.kernels.find((candidate) => candidate.name === name);
  if (!kernel) throw new Error(`link type ${type.name} has no kernel ${name}`);
  return kernel.outputs.flatMap(
    ({ buffer, values }) => values.map((value, index) => ({ place: { buffer, index }, value: graph.of(value) }))
  );
}
function valuesOf(outputs) {
  return outputs.map((output) => output.value);
}
function places(buffer, operations) {
  return new Map(operations.map((operation, index) => [operation, { buffer, index }]));
}
function slotValuesOf(roots, inSlot) {
  return operationsBelow(roots, (operation) => inSlot.has(operation)).filter((operation) => inSlot.has(operation));
}
var Tables = class {
  constants = /* @__PURE__ */ new Set();
  configured = /* @__PURE__ */ new Set();
  moving = /* @__PURE__ */ new Set();
  /** Finds, below the roots of a function of `stage`, the maximal values of earlier stages. */
  collect(roots, stage) {
    const crosses = (operation) => operation.stage < stage && !isImmediate(operation) && !(operation.kind === "input" && operation.stage > 0);
    for (const operation of operationsBelow([...roots], crosses)) if (crosses(operation)) this.tableOf(operation.stage).add(operation);
  }
  tableOf(stage) {
    return [this.constants, this.configured, this.moving][stage];
  }
};

// src/codegen/robot-model.ts
var models = /* @__PURE__ */ new WeakMap();
function robotModel(robot, compiled) {
  const found = models.get(compiled);
  if (found?.robot === robot) return found;
  const names2 = distinct(
    compiled.types.map((type) => type.name),
    snakeCase
  );
  const links = compiled.types.map((type, i) => linkModel(type, names2[i]));
  const defaults = new Map(robot.parameters.map((p) => [p.symbol, p.value]));
  const parameterNames = distinct(["gravity", ...robot.parameters.map((p) => p.name)], identifier).slice(1);
  const base = frameEntries(robot.base);
  const frames = robot.frames.map((frame) => frameEntries(frame.offset));
  const instances = instanceModels(compiled, links);
  const model = {
    robot,
    name: snakeCase(robot.name),
    links,
    instances,
    base: foldConstants(base, defaults),
    frames: robot.frames.map((frame, i) => ({ name: frame.name, link: frame.link, offset: foldConstants(frames[i], defaults) })),
    parameters: robot.parameters.map((p, i) => ({
      name: parameterNames[i],
      unit: p.unit,
      value: foldConstants([p.value])[0],
      summary: p.summary ?? ""
    })),
    setup: setupProgram(robot, base, frames.flat(), instances)
  };
  models.set(compiled, model);
  return model;
}
var linkModels = /* @__PURE__ */ new WeakMap();
function linkModel(type, name) {
  const found = linkModels.get(type);
  if (found) return found.name === name ? found : { ...found, name };
  const staged = stageLink(type);
  const programs = staged.functions.map((plan) => buildProgram(plan, staged.graph, (place) => placeName(type, place)));
  const model = { type, name, staged, programs };
  linkModels.set(type, model);
  return model;
}
var WHOSE = { distalWrench: "distal", distalComposite: "distal", bodyWrench: "body" };
function placeName(type, { buffer, index }) {
  const coordinate = type.coordinates[index]?.name;
  if (buffer === "q") return coordinate;
  if (buffer === "qd") return `${coordinate}_dot`;
  if (buffer === "qdd") return `${coordinate}_ddot`;
  if (buffer === "parameters") return type.parameters[index]?.name;
  const name = type.inputs[buffer]?.[index]?.name.replace(/^.*\./, "");
  const prefix = WHOSE[buffer];
  return prefix && name ? `${prefix}_${name}` : name;
}
function instanceModels(compiled, links) {
  let first = 0;
  const folded = /* @__PURE__ */ new Map();
  return compiled.links.map((instance) => {
    const link = links[compiled.types.indexOf(instance.type)];
    const model = {
      name: instance.name,
      link,
      parent: instance.parent,
      first,
      constants: foldedConstants(instance, link, folded),
      expressions: instance.parameters
    };
    first += instance.type.coordinates.length;
    return model;
  });
}
function foldedConstants(instance, link, folded) {
  if (freeSymbols(instance.parameters).length > 0) return null;
  const key = `${link.name}:${instance.parameters.map((p) => p.id).join(",")}`;
  const found = folded.get(key);
  if (found) return found;
  const bindings = new Map(instance.type.parameters.map((p, i) => [p.symbol, instance.parameters[i]]));
  const values = foldConstants(expressionsOf(link.staged.constants), bindings);
  folded.set(key, values);
  return values;
}
function setupProgram(robot, base, frames, instances) {
  const runtime = instances.filter((instance) => instance.constants === null).flatMap((instance) => instance.expressions);
  const dependent = (values) => freeSymbols(values).length > 0 ? values : [];
  const all = [...dependent(base), ...dependent(frames), ...runtime];
  if (all.length === 0) return null;
  const inputs = robot.parameters.map((p, index) => ({ symbol: p.symbol, place: { buffer: "p", index }, stage: 1 }));
  const graph = new OperationGraph(all, inputs);
  const outputs = (buffer, values) => values.map((value, index) => ({ place: { buffer, index }, value: graph.of(value) }));
  const source = {
    name: "setup",
    reads: ["p"],
    writes: ["base", "frames", "linkParameters"],
    outputs: [...outputs("base", dependent(base)), ...outputs("frames", dependent(frames)), ...outputs("linkParameters", runtime)],
    ready: /* @__PURE__ */ new Map()
  };
  return buildProgram(source, graph, ({ index }) => `${identifier(robot.parameters[index].name)}_`);
}

// src/codegen/typescript.ts
function typescriptTarget(readName = () => void 0) {
  return {
    declare: (name, value) => `const ${name} = ${value};`,
    declareOpen: (name) => `let ${name}: number;`,
    number: (value) => String(value),
    read: ({ buffer, index }) => readName(buffer, index) ?? `${buffer}[${index}]!`,
    write: ({ buffer, index }) => `${buffer}[${index}]`,
    sqrt: (operand) => `Math.sqrt(${operand})`,
    call: (name, operands) => `Math.${name}(${operands.join(", ")})`,
    equal: "===",
    stumpff: (argument, top) => `stumpff(${argument}, ${top}, stumpffValues)`,
    stumpffEntry: (order) => `stumpffValues[${order}]!`,
    scratch: (index) => `scratch[${index}]!`
  };
}
async function generateTypeScript(robot, compiled) {
  const model = robotModel(robot, compiled);
  const [morph, format] = await Promise.all([import("ts-morph"), loadFormatter()]);
  const project2 = new morph.Project({
    useInMemoryFileSystem: true,
    skipLoadingLibFiles: true,
    manipulationSettings: { indentationText: morph.IndentationText.TwoSpaces, quoteKind: morph.QuoteKind.Single }
  });
  return [
    { path: `${model.name}.ts`, text: await format(robotModule(project2, morph, model)) },
    ...model.links.map((link) => ({ path: `link_${link.name}.ts`, text: linkModule(project2, morph, model, link) })),
    ...["driver", "stumpff"].map((name) => ({ path: `runtime/${name}.ts`, text: packageFile(`src/runtime/${name}.ts`) }))
  ];
}
async function loadFormatter() {
  const [prettier, babel, estree] = await Promise.all([
    import("prettier/standalone"),
    import("prettier/plugins/babel"),
    import("prettier/plugins/estree")
  ]);
  const plugins = [babel, estree.default ?? estree];
  return (text) => prettier.format(text, { parser: "babel-ts", plugins, singleQuote: true, printWidth: 120 });
}
function comment(lines) {
  return `/**
${lines.map((line) => line ? ` * ${line}` : " *").join("\n")}
 */`;
}
function linkModule(project2, morph, model, link) {
  const printed = link.programs.map((program) => ({ program, ...printProgram(program, typescriptTarget()) }));
  const tops = link.programs.flatMap((program) => program.counts.stumpff);
  const scratchSize = Math.max(...printed.map((p) => p.scratchSize));
  const { StructureKind: kinds } = morph;
  const statements = [
    comment(linkHeader(model, link)),
    ...tops.length > 0 ? [importOf(kinds, "stumpff", "./runtime/stumpff.js", false)] : [],
    importOf(kinds, "LinkModule", "./runtime/driver.js", true)
  ];
  if (tops.length > 0) statements.push(`
const stumpffValues = new Float64Array(${Math.max(...tops) + 1});`);
  if (scratchSize > 0)
    statements.push(`
/** Values on their way between the parts of a long function. */
const scratch = new Float64Array(${scratchSize});`);
  for (const { program, parts } of printed) statements.push(...functionsOf(program, parts));
  statements.push(linkTable(link));
  return project2.createSourceFile(`link_${link.name}.ts`, { statements }, { overwrite: true }).getFullText();
}
function importOf(kinds, name, moduleSpecifier, isTypeOnly) {
  return { kind: kinds.ImportDeclaration, namedImports: [name], moduleSpecifier, isTypeOnly };
}
function functionsOf(program, parts) {
  const purpose = `${PURPOSE[program.name]} ${countText(program.counts)}.`;
  if (parts.length === 1) return [functionOf(program, program.name, purpose, parts[0])];
  const buffers = [...program.reads, ...program.writes];
  const calls = parts.map((_, i) => `${program.name}Part${i + 1}(${buffers.join(", ")});`);
  return [
    ...parts.map((lines, i) => functionOf(program, `${program.name}Part${i + 1}`, `Part ${i + 1} of \`${program.name}\`.`, lines)),
    functionOf(program, program.name, purpose, calls)
  ];
}
function functionOf(program, name, purpose, lines) {
  const body = lines.join("\n");
  const parameters = [...program.reads, ...program.writes].map(
    (buffer) => `${new RegExp(`\\b${buffer}\\b`).test(body) ? buffer : `_${buffer}`}: Float64Array`
  );
  const short = `function ${name}(${parameters.join(", ")}): void {`;
  const head = short.length <= 120 ? short : `function ${name}(
${parameters.map((p) => `  ${p},`).join("\n")}
): void {`;
  return `
${comment(wrapped(purpose, 116))}
${head}
${lines.map((line) => `  ${line}`).join("\n")}
}`;
}
function linkTable(link) {
  const { type, staged } = link;
  const sizes = {
    coordinates: type.coordinates.length,
    parameters: type.parameters.length,
    constants: staged.constants.length,
    slot: staged.slot.length,
    bodyWrench: type.bodyWrenchSize
  };
  const entries = [
    `name: '${link.name}'`,
    ...Object.entries(sizes).map(([name, size]) => `${name}: ${size}`),
    ...link.programs.map((program) => program.name)
  ];
  return `
/** Sizes and functions of the link type, for the driver. */
export const ${moduleName(link)}: LinkModule = {
${entries.map((e) => `  ${e},`).join("\n")}
};`;
}
function moduleName(link) {
  return `${camelCase(link.name)}Link`;
}
function robotModule(project2, morph, model) {
  const { StructureKind: kinds } = morph;
  const pascal = pascalCase(model.name);
  const camel = camelCase(model.name);
  const used = model.links.filter((link) => model.instances.some((instance) => instance.link === link));
  const statements = [
    comment(robotHeader(model)),
    importOf(kinds, "createDynamics, type Dynamics, type RobotTable", "./runtime/driver.js", false),
    ...used.map((link) => importOf(kinds, moduleName(link), `./link_${link.name}.js`, false)),
    parametersInterface(pascal, model),
    signalInterface(),
    `/** Coordinates in the order of q. */
export const ${camel}Coordinates: readonly Signal[] = ${coordinatesLiteral(model)};`,
    `/** Frames that \`frame\` reports, by index. */
export const ${camel}Frames = ${JSON.stringify(model.frames.map((f) => f.name))} as const;`,
    `/** Index of the tip among the frames. */
export const ${camel}Tip = ${model.robot.tip};`,
    ...constantTables(model),
    factory(pascal, camel, model)
  ];
  const separated = statements.map((s, i) => typeof s === "string" && i > 0 ? `
${s}` : s);
  return project2.createSourceFile(`${model.name}.ts`, { statements: separated }, { overwrite: true }).getFullText();
}
function parametersInterface(pascal, model) {
  const lines = model.parameters.map((p) => `/** ${commentText(p.summary) || p.name} [${commentText(p.unit)}] */
${p.name}: number;`);
  return `/** What may change between calls without compiling again. */
export interface ${pascal}Parameters {
/** Gravitational acceleration, world axes [m/s^2] */
readonly gravity: Float64Array;
${lines.join("\n")}
}`;
}
function signalInterface() {
  return `/** A coordinate: SI unit, default value and limits. */
export interface Signal {
readonly name: string;
readonly unit: string;
readonly value: number;
readonly lower: number;
readonly upper: number;
}`;
}
function numberText(value) {
  return value === Infinity ? "Infinity" : value === -Infinity ? "-Infinity" : String(value);
}
function coordinatesLiteral(model) {
  const lines = model.robot.coordinates.map((c) => {
    const range = `lower: ${numberText(c.lower ?? -Infinity)}, upper: ${numberText(c.upper ?? Infinity)}`;
    return `{ name: ${JSON.stringify(c.name)}, unit: ${JSON.stringify(c.unit)}, value: ${c.value}, ${range} },`;
  });
  return `[
${lines.join("\n")}
]`;
}
function tableNames(model) {
  const names2 = /* @__PURE__ */ new Map();
  for (const { constants, link } of model.instances)
    if (constants && constants.length > 0 && !names2.has(constants)) names2.set(constants, `${camelCase(link.name)}Constants${names2.size + 1}`);
  return names2;
}
function constantTables(model) {
  return [...tableNames(model)].map(([constants, name]) => {
    const users = model.instances.filter((instance) => instance.constants === constants).map((instance) => commentText(instance.name));
    const who = users.length > 3 ? `${users[0]} \u2026 ${users[users.length - 1]} (${users.length} links)` : users.join(", ");
    return `/** ${who} */
const ${name} = [${constants.join(", ")}];`;
  });
}
function factory(pascal, camel, model) {
  const names2 = tableNames(model);
  const links = model.instances.map(({ name, link, parent, constants }) => {
    const table2 = constants === null ? "null" : names2.get(constants) ?? "[]";
    return `/* ${commentText(name)} */ { module: ${moduleName(link)}, parent: ${parent}, constants: ${table2} },`;
  });
  const frames = model.frames.map((f) => `/* ${commentText(f.name)} */ { link: ${f.link}, offset: [${f.offset.join(", ")}] },`);
  const defaults = model.parameters.map((p) => `${p.name}: ${p.value},`);
  return `/** The dynamics of the robot with its run-time parameters. */
export interface ${pascal} extends Dynamics {
readonly parameters: ${pascal}Parameters;
}

/** A robot with its own parameters and workspace; make one for every thread or time line. */
export function create${pascal}(): ${pascal} {
const parameters: ${pascal}Parameters = { gravity: Float64Array.of(${model.robot.gravity.join(", ")}),${defaults.join("")} };
const table: RobotTable = {
links: ${camel}Links,
base: [${model.base.join(", ")}],
frames: ${camel}FrameOffsets,
setup: ${model.setup ? "(base, frames, linkParameters) => setup(parameters, base, frames, linkParameters)" : "null"},
};
return { ...createDynamics(table, parameters.gravity), parameters };
}

const ${camel}Links: RobotTable['links'] = [
${links.join("\n")}
];

const ${camel}FrameOffsets: RobotTable['frames'] = [
${frames.join("\n")}
];
${model.setup ? setupFunction(pascal, model, model.setup) : ""}`;
}
function setupFunction(pascal, model, setup) {
  const target = typescriptTarget((buffer, index) => buffer === "p" ? `p.${model.parameters[index].name}` : void 0);
  const lines = printProgram(setup, target, Infinity).parts[0];
  const body = lines.join("\n");
  const parameters = setup.writes.map((buffer) => `${body.includes(`${buffer}[`) ? buffer : `_${buffer}`}: Float64Array`);
  return `
/** What depends on the run-time parameters. ${countText(setup.counts)}. */
function setup(p: ${pascal}Parameters, ${parameters.join(", ")}): void {
${body}
}`;
}

// src/codegen/load.ts
async function loadGenerated(files) {
  const { ts } = await import("ts-morph");
  const sources = new Map(files.map((file) => [file.path.replace(/\.ts$/, ".js"), file.text]));
  const urls = /* @__PURE__ */ new Map();
  const urlOf = (path) => {
    const known = urls.get(path);
    if (known) return known;
    const source = sources.get(path);
    if (source === void 0) throw new Error(`generated module ${path} is missing`);
    const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true };
    const script = ts.transpileModule(source, { compilerOptions }).outputText;
    const linked = script.replace(/from '\.\/([^']+)'/g, (_, target) => `from '${urlOf(target)}'`);
    const url = `data:text/javascript;base64,${Buffer.from(linked).toString("base64")}`;
    urls.set(path, url);
    return url;
  };
  const [robotFile] = files;
  if (!robotFile) throw new Error("nothing was generated");
  const module = await import(
    /* @vite-ignore */
    urlOf(robotFile.path.replace(/\.ts$/, ".js"))
  );
  return module[`create${pascalCase(robotFile.path.replace(/\.ts$/, ""))}`];
}

// src/runtime/stumpff.ts
var MAXIMUM_STUMPFF_ORDER = 32;
var PI_SQUARED = 9.869604401089358;
var TERMS_ABOVE = 26;
var inverseFactorial2 = new Float64Array(MAXIMUM_STUMPFF_ORDER + 1);
var inverseProduct = new Float64Array(MAXIMUM_STUMPFF_ORDER + 2 * TERMS_ABOVE + 1);
var termsBelow = new Uint8Array(MAXIMUM_STUMPFF_ORDER + 1);
tabulate();
function tabulate() {
  let factorial2 = 1n;
  for (let k = 0; k <= MAXIMUM_STUMPFF_ORDER; k++) {
    if (k > 0) factorial2 *= BigInt(k);
    inverseFactorial2[k] = reciprocal(factorial2);
  }
  for (let n = 2; n < inverseProduct.length; n++) inverseProduct[n] = 1 / (n * (n - 1));
  for (let k = 0; k <= MAXIMUM_STUMPFF_ORDER; k++) termsBelow[k] = seriesTerms(k, 2e-17);
}
function seriesTerms(order, tolerance) {
  let remainder = 1;
  let terms = 0;
  while (remainder > tolerance) {
    terms++;
    remainder *= PI_SQUARED * inverseProduct[order + 2 * terms];
  }
  return terms;
}
function reciprocal(n) {
  if (n <= 9007199254740992n) return 1 / Number(n);
  const shift = n.toString(2).length + 65;
  const scaled = (1n << BigInt(shift)) / n;
  return Number(scaled | 1n) * 2 ** -shift;
}

// src/codegen/version.ts
var VERSION = packageVersion();

// src/codegen/workspace.ts
var BLOCK = 31;
var SHARED = 3 + BLOCK + 6 + 6;
function layOutWorkspace(model) {
  let next = SHARED;
  const take = (size) => {
    const start = next;
    next += size;
    return start;
  };
  const n = model.robot.coordinates.length;
  const widest = Math.max(0, ...model.instances.map(({ link }) => link.type.coordinates.length));
  const written = writtenBuffers(model);
  const shared = {
    n,
    q: take(n),
    qd: take(n),
    qdd: take(n),
    unitWrenches: take(6 * widest),
    columns: take(6 * widest),
    massBlock: take(widest * widest),
    share: take(widest),
    atBase: written.has("base") ? take(12) : null,
    atFrames: written.has("frames") ? take(12 * model.frames.length) : null,
    linkParameters: next
  };
  const parameters = model.instances.map(({ constants, link }) => constants ? 0 : take(link.type.parameters.length));
  const links = model.instances.map(({ link, constants }, i) => ({
    block: take(BLOCK),
    bodyWrench: take(link.type.bodyWrenchSize),
    slot: take(link.staged.slot.length),
    constants: constants ? 0 : take(link.staged.constants.length),
    parameters: parameters[i]
  }));
  return { ...shared, links, size: next };
}
function writtenBuffers(model) {
  const statements = model.setup?.statements ?? [];
  return new Set(statements.flatMap((statement) => statement.kind === "store" ? [statement.place.buffer] : []));
}

// src/codegen/c.ts
async function generateC(robot, compiled) {
  const render = await loadTemplates();
  const model = robotModel(robot, compiled);
  const layout = layOutWorkspace(model);
  const data = { ...robotData(model, layout), provenance: provenance(model), name: model.name, n: layout.n };
  const linkFiles = model.links.flatMap((link) => [
    { path: `${linkFile(link)}.h`, text: render("link.h", linkData(model, link)) },
    { path: `${linkFile(link)}.c`, text: render("link.c", linkData(model, link)) }
  ]);
  return [
    { path: `${model.name}.h`, text: render("robot.h", data) },
    { path: `${model.name}.c`, text: render("robot.c", data) },
    ...linkFiles,
    { path: "kanegen_runtime.h", text: render("kanegen_runtime.h", runtimeData()) },
    { path: "kanegen_runtime.c", text: render("kanegen_runtime.c", runtimeData()) },
    { path: "CMakeLists.txt", text: render("CMakeLists.txt", data) },
    ...layout.n > 0 ? [{ path: `${model.name}_selftest.c`, text: render("selftest.c", data) }] : []
  ];
}
async function evaluatorSource(robot, compiled) {
  const render = await loadTemplates();
  const model = robotModel(robot, compiled);
  const data = { name: model.name, upper: model.name.toUpperCase(), n: robot.coordinates.length };
  return { path: `${model.name}_evaluate.c`, text: render("evaluate.c", data) };
}
async function loadTemplates() {
  const { Eta } = await import("eta");
  const eta = new Eta({ autoEscape: false, autoTrim: [false, "nl"], cache: true });
  return (template, data) => eta.renderString(packageFile(`templates/c/${template}.eta`), data);
}
function cName(buffer) {
  return buffer.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
function literal(value) {
  return `KG_REAL(${decimalText(value)})`;
}
function cTarget(place) {
  return {
    declare: (name, value) => `const kg_real ${name} = ${value};`,
    declareOpen: (name) => `kg_real ${name};`,
    number: literal,
    read: ({ buffer, index }) => place(buffer, index),
    write: ({ buffer, index }) => place(buffer, index),
    sqrt: (operand) => `kg_sqrt(${operand})`,
    call: (name, operands) => `kg_${name}(${operands.join(", ")})`,
    equal: "==",
    stumpff: (argument, top) => `kg_stumpff(${argument}, ${top}, stumpff_values)`,
    stumpffEntry: (order) => `stumpff_values[${order}]`,
    scratch: (index) => `scratch[${index}]`
  };
}
var linkTarget = cTarget((buffer, index) => `${cName(buffer)}[${index}]`);
function linkFile(link) {
  return `link_${link.name}`;
}
function linkSymbol(model, link) {
  return `${model.name}_link_${link.name}`;
}
function linkData(model, link) {
  const { type, staged } = link;
  const symbol2 = linkSymbol(model, link);
  return {
    header: linkHeader(model, link).map(commentLine),
    provenance: provenance(model),
    guard: `${symbol2.toUpperCase()}_H`,
    file: linkFile(link),
    symbol: symbol2,
    functions: link.programs.flatMap(linkFunctions),
    sizes: [type.coordinates.length, type.parameters.length, staged.constants.length, staged.slot.length, type.bodyWrenchSize],
    names: link.programs.length > 0 ? TABLE_ORDER.map(functionName) : []
  };
}
var TABLE_ORDER = [
  "prepare",
  "configure",
  "move",
  "accelerate",
  "forward",
  "weigh",
  "backward",
  "propagate",
  "composite",
  "pose",
  "jacobian",
  "energy"
];
function functionName(name) {
  return `link_${name}`;
}
function linkFunctions(program) {
  const { parts, scratchSize } = printProgram(program, linkTarget);
  const purpose = `${PURPOSE[program.name]} ${countText(program.counts)}.`;
  const name = functionName(program.name);
  if (parts.length === 1) return [cFunction(program, name, purpose, parts[0], false)];
  const buffers = [...program.reads, ...program.writes].map(cName).join(", ");
  const calls = parts.map((_, i) => `${name}_part${i + 1}(${buffers}, scratch);`);
  return [
    ...parts.map((lines, i) => cFunction(program, `${name}_part${i + 1}`, `Part ${i + 1} of ${name}.`, lines, true)),
    cFunction(program, name, purpose, [`kg_real scratch[${scratchSize}];`, ...calls], false)
  ];
}
function cFunction(program, name, purpose, lines, takesScratch) {
  const body = lines.join("\n");
  const parameters = [
    ...program.reads.map((buffer) => ({ name: cName(buffer), type: "const kg_real *restrict " })),
    ...program.writes.map((buffer) => ({ name: cName(buffer), type: "kg_real *restrict " })),
    ...takesScratch ? [{ name: "scratch", type: "kg_real *restrict " }] : []
  ];
  const unused = parameters.filter((p) => !new RegExp(`\\b${p.name}\\b`).test(body)).map((p) => `(void)${p.name};`);
  const tops = [...body.matchAll(/kg_stumpff\(.*, (\d+), stumpff_values\)/g)].map((match) => Number(match[1]));
  const local = tops.length > 0 ? [`kg_real stumpff_values[${Math.max(...tops) + 1}];`] : [];
  const list = parameters.map((p) => p.type + p.name);
  const short = `static void ${name}(${list.join(", ")})`;
  const head = short.length <= 120 ? short : `static void ${name}(
${list.map((p) => `  ${p}`).join(",\n")})`;
  const comment2 = wrapped(purpose, 114).map((line, i) => i === 0 ? `/* ${line}` : ` * ${line}`);
  const statements = [...local, ...lines, ...unused].map((line) => `  ${line}`);
  return `${comment2.join("\n")} */
${head}
{
${statements.join("\n")}
}
`;
}
function commentLine(line) {
  return line.replace(/\*\//g, "* /").replace(/\/\*/g, "/ *");
}
function quoted(text) {
  const escaped = [...text].map((c) => /[ -~]/.test(c) && c !== '"' && c !== "\\" && c !== "?" ? c : octal(c)).join("");
  return `"${escaped}"`;
}
function octal(character) {
  return [...Buffer.from(character, "utf8")].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
}
function limit(value, missing) {
  return value === void 0 ? missing : signedLiteral(value);
}
function signedLiteral(value) {
  return value < 0 || Object.is(value, -0) ? `KG_REAL(-${decimalText(-value)})` : literal(value);
}
function rowsOf(values, width) {
  const rows = [];
  for (let i = 0; i < values.length; i += width) rows.push(`${values.slice(i, i + width).join(", ")},`);
  return rows;
}
function robotData(model, layout) {
  const { robot } = model;
  const upper = model.name.toUpperCase();
  const coordinateNames = distinct(robot.coordinates.map((c) => c.name), (name) => identifier(name).toUpperCase());
  const frameNames = distinct(model.frames.map((f) => f.name), (name) => identifier(name).toUpperCase());
  const tables = tablesOf(model, layout);
  const setup = setupLines(model, layout);
  return {
    upper,
    header: robotHeader(model).map(commentLine),
    guard: `${upper}_H`,
    work: layout.size,
    sizes: [
      ["NQ", layout.n],
      ["NU", 0],
      ["FRAMES", model.frames.length],
      ["TIP", robot.tip],
      ["WORK", layout.size]
    ],
    abi: `0x${signature(model, layout).toString(16).padStart(8, "0")}`,
    coordinates: coordinateNames.map((name, i) => `${upper}_Q_${name} = ${i}`),
    frames: frameNames.map((name, i) => `${upper}_FRAME_${name} = ${i}`),
    parameters: model.parameters.map((p) => ({ name: p.name, text: `${commentText(p.summary) || p.name} [${commentText(p.unit)}]` })),
    includes: model.links.map(linkFile),
    defaults: [`{${robot.gravity.map(signedLiteral).join(", ")}}`, ...model.parameters.map((p) => signedLiteral(p.value))],
    signals: signalsOf(model),
    frameNames: model.frames.map((f) => quoted(f.name)),
    frameLinks: model.frames.map((f) => f.link),
    tables: tables.list,
    links: model.instances.map((instance, i) => ({
      comment: commentText(instance.name),
      fields: linkFields(model, layout, instance, i, tables.nameOf(instance))
    })),
    robot: robotFields(model, layout),
    setup: setup.lines,
    setupCounts: setup.counts,
    sources: [`${model.name}.c`, ...model.links.map((link) => `${linkFile(link)}.c`), "kanegen_runtime.c"]
  };
}
function signalsOf(model) {
  const signals = model.robot.coordinates.map((c) => [
    quoted(c.name),
    quoted(c.unit),
    signedLiteral(c.value),
    limit(c.lower, "KG_REAL(-INFINITY)"),
    limit(c.upper, "KG_REAL(INFINITY)")
  ]);
  return signals.length > 0 ? signals : [['""', '""', literal(0), literal(0), literal(0)]];
}
function tablesOf(model, layout) {
  const names2 = /* @__PURE__ */ new Map();
  const list = [];
  const table2 = (name, comment2, values, width) => {
    list.push({ name, comment: comment2, size: values.length, rows: rowsOf(values.map(signedLiteral), width) });
  };
  for (const { constants, link, name } of model.instances) {
    if (!constants || constants.length === 0 || names2.has(constants)) continue;
    names2.set(constants, `constants_${names2.size + 1}`);
    const users = model.instances.filter((other) => other.constants === constants).length;
    table2(names2.get(constants), commentText(`${link.name}: ${name}${users > 1 ? ` and ${users - 1} more` : ""}`), constants, 4);
  }
  if (layout.atBase === null) table2("base_pose", "World -> base: rotation, origin", model.base, 3);
  if (layout.atFrames === null)
    table2("frame_offsets", "Frames on their links: rotation, origin", model.frames.flatMap((f) => f.offset), 12);
  const nameOf = ({ constants }) => constants ? names2.get(constants) ?? "no_constants" : "NULL";
  if (model.instances.some((instance) => nameOf(instance) === "no_constants")) table2("no_constants", "links without constants", [0], 1);
  return { list, nameOf };
}
function linkFields(model, layout, instance, index, constants) {
  const { instances } = model;
  const writesFirst = !instances.some((other, i) => i > index && other.parent === instance.parent);
  const isLeaf = !instances.some((other) => other.parent === index);
  const { block, bodyWrench, slot, constants: atConstants, parameters } = layout.links[index];
  const numbers = [instance.parent, instance.first, writesFirst ? 1 : 0, isLeaf ? 1 : 0, block, bodyWrench, slot, atConstants, parameters];
  return [`&${linkSymbol(model, instance.link)}`, constants, ...numbers.map(String)];
}
function robotFields(model, layout) {
  const fields = [
    `${model.instances.length}, ${layout.n}`,
    "links",
    layout.atBase === null ? "base_pose" : "NULL",
    "frame_link",
    layout.atFrames === null ? "frame_offsets" : "NULL"
  ];
  const { atBase, atFrames, q, qd, qdd, unitWrenches, columns, massBlock, share } = layout;
  return [...fields, [atBase ?? 0, atFrames ?? 0, q, qd, qdd, unitWrenches, columns, massBlock, share].join(", ")];
}
function setupLines(model, layout) {
  if (!model.setup) return { lines: [], counts: "" };
  const starts = { base: layout.atBase ?? 0, frames: layout.atFrames ?? 0, linkParameters: layout.linkParameters };
  const target = cTarget((buffer, index) => buffer === "p" ? `p->${model.parameters[index].name}` : `w->w[${starts[buffer] + index}]`);
  return { lines: printProgram(model.setup, target, Infinity).parts[0], counts: `${countText(model.setup.counts)}.` };
}
function signature(model, layout) {
  const seen = [
    model.robot.coordinates.map((c) => [c.name, c.unit]),
    model.frames.map((f) => f.name),
    model.parameters.map((p) => [p.name, p.unit]),
    layout.size
  ];
  let hash = 2166136261;
  for (const byte of Buffer.from(JSON.stringify(seen), "utf8")) hash = Math.imul(hash ^ byte, 16777619) >>> 0;
  return hash >>> 1;
}
function runtimeData() {
  const orders = Array.from({ length: MAXIMUM_STUMPFF_ORDER + 1 }, (_, k) => k);
  const numbers = (values) => rowsOf([...values].map(literal), 4);
  return {
    version: VERSION,
    maximum: MAXIMUM_STUMPFF_ORDER,
    termsAbove: TERMS_ABOVE,
    inverseFactorial: numbers(inverseFactorial2),
    inverseProduct: numbers(inverseProduct.slice(2)),
    termsDouble: rowsOf(orders.map((k) => String(seriesTerms(k, 2e-17))), 16),
    termsSingle: rowsOf(orders.map((k) => String(seriesTerms(k, 1e-8))), 16)
  };
}

// src/codegen/build-c.ts
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

// src/codegen/evaluation.ts
function evaluateState(dynamics, tip, state) {
  const n = dynamics.coordinates;
  const vector2 = (size = n) => new Float64Array(size);
  const [M, c, g, tau, elastic, damping, oneCall] = [vector2(n * n), vector2(), vector2(), vector2(), vector2(), vector2(), vector2()];
  const [energy, R, t] = [vector2(2), vector2(9), vector2(3)];
  if (dynamics.inverseDynamicsAt(state.q, state.qd, state.qdd, oneCall) !== 0 || dynamics.update(state.q, state.qd) !== 0)
    throw new RangeError("the state holds a number that is not finite");
  dynamics.massMatrix(M);
  dynamics.terms(c, g, elastic, damping);
  dynamics.inverseDynamics(state.qdd, tau);
  dynamics.energies(energy);
  dynamics.frame(tip, R, t, null);
  return resultFromNumbers([...M, ...c, ...g, ...tau, ...elastic, ...damping, ...energy, ...t, ...R, ...oneCall], n);
}
function resultFromNumbers(numbers, n) {
  const expected = n * n + 6 * n + 14;
  if (numbers.length !== expected) throw new Error(`expected ${expected} numbers for a state, got ${numbers.length}`);
  let next = 0;
  const take = (count) => numbers.slice(next, next += count);
  const rows = (count, width) => Array.from({ length: count }, () => take(width));
  return {
    M: rows(n, n),
    c: take(n),
    g: take(n),
    tau: take(n),
    elastic: take(n),
    damping: take(n),
    kinetic_energy: take(1)[0],
    potential_energy: take(1)[0],
    tip_position: take(3),
    tip_rotation: rows(3, 3),
    tau_one_call: take(n)
  };
}

// src/codegen/build-c.ts
var STRICT_FLAGS = "-std=c99 -pedantic -Wall -Wextra -Wconversion -Wdouble-promotion -Wshadow -Werror".split(" ");
var CompilerError = class extends Error {
  name = "CompilerError";
};
async function buildC(files, options = {}, leaveOut = () => false) {
  const directory = await mkdtemp(join(tmpdir(), "kanegen-"));
  const dispose = () => rm(directory, { recursive: true, force: true });
  try {
    await Promise.all(files.map((file) => writeFile(join(directory, file.path), file.text)));
    const sources = files.map((file) => file.path).filter((path) => path.endsWith(".c") && !leaveOut(path));
    const compiler = options.compiler ?? process.env["KANEGEN_CC"] ?? "cc";
    const single2 = options.precision === "single" ? ["-DKG_SINGLE"] : [];
    const flags = ["-O2", "-ffp-contract=off", ...STRICT_FLAGS, ...single2, ...options.flags ?? []];
    await run(compiler, [...flags, ...sources, "-o", "program", "-lm"], directory);
  } catch (error) {
    await dispose();
    throw error;
  }
  return { directory, executable: join(directory, "program"), dispose };
}
function run(command, parameters, directory) {
  return new Promise((resolve, reject) => {
    execFile(command, [...parameters], { cwd: directory, maxBuffer: 1 << 28 }, (error, output, problems) => {
      if (error) reject(new CompilerError(`${command}: ${problems.trim() || error.message}`));
      else resolve(output);
    });
  });
}
function runProgram(program, input = "") {
  return new Promise((resolve, reject) => {
    const child = execFile(program.executable, [], { maxBuffer: 1 << 28 }, (error, output, problems) => {
      if (error) reject(new Error(`the generated program failed: ${problems.trim() || output.trim() || error.message}`));
      else resolve(output);
    });
    child.stdin?.on("error", () => void 0);
    child.stdin?.end(input);
  });
}
async function buildEvaluator(robot, compiled, options = {}) {
  const files = [...await generateC(robot, compiled), await evaluatorSource(robot, compiled)];
  const program = await buildC(files, options, (path) => path.endsWith("_selftest.c"));
  const n = robot.coordinates.length;
  return {
    async evaluate(states) {
      const input = states.map((s) => [...s.q, ...s.qd, ...s.qdd].map(numberText2).join(" ")).join("\n");
      const output = await runProgram(program, `${input}
`);
      const lines = output.trim().split("\n");
      return states.map((_, i) => resultFromNumbers((lines[n === 0 ? 0 : i] ?? "").trim().split(/\s+/).map(Number), n));
    },
    dispose: () => program.dispose()
  };
}
function numberText2(value) {
  return Object.is(value, -0) ? "-0" : String(value);
}

// ../../tmp/tryc.ts
import { mkdirSync, writeFileSync } from "node:fs";
for (const robot of [planarCcChain(3), branchedRobot()]) {
  const c = compileRobot(robot);
  const t1 = performance.now();
  const files = await generateC(robot, c);
  console.log("gen", performance.now() - t1);
  mkdirSync("/tmp/outc/" + robot.name, { recursive: true });
  for (const f of files) writeFileSync("/tmp/outc/" + robot.name + "/" + f.path, f.text);
  const arm = (await loadGenerated(await generateTypeScript(robot, c)))();
  const n = arm.coordinates;
  const v = (k) => Array.from({ length: n }, (_, i) => Math.sin(k * (i + 1)));
  const states = [{ q: v(1), qd: v(2), qdd: v(3) }, { q: v(1).map((x) => 4 * x), qd: v(2), qdd: v(3) }, { q: v(0), qd: v(2), qdd: v(3) }];
  for (const compiler of ["gcc", "clang"]) for (const precision of ["double", "single"]) {
    const ev = await buildEvaluator(robot, c, { compiler, precision });
    const rc = await ev.evaluate(states);
    await ev.dispose();
    rc.forEach((r, i) => {
      const ts = evaluateState(arm, robot.tip, states[i]);
      let worst = 0;
      const walk = (a, b) => {
        if (typeof a === "number") worst = Math.max(worst, Math.abs(a - b) / (1e-3 + Math.abs(a)));
        else for (const k of Object.keys(a)) walk(a[k], b[k]);
      };
      walk(ts, r);
      console.log(compiler, precision, i, worst);
    });
    const prog = await buildC(files, { compiler, precision });
    console.log(await runProgram(prog));
    await prog.dispose();
  }
}
