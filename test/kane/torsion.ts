/**
 * Saint-Venant's torsion constant for tests, by Prandtl's stress function: ∇²φ = −2 inside, φ = 0 on the edge, J = 2 ∫ φ dA. Of a rectangle φ is a
 * double sine series; of an ellipse it is a²b²/(a² + b²) (1 − x²/a² − y²/b²).
 */

/** To about eight digits. */
export function torsionOfRectangle(width: number, height: number): number {
  let sum = 0;
  for (let m = 801; m > 0; m -= 2)
    for (let n = 801; n > 0; n -= 2) sum += 1 / ((m * n) ** 2 * ((m / width) ** 2 + (n / height) ** 2));
  return (256 / Math.PI ** 6) * width * height * sum;
}

/** ∫ (1 − r²) r dr dφ a b over the unit disc is π a b/2. */
export function torsionOfEllipse(a: number, b: number): number {
  return 2 * ((a * b) ** 2 / (a ** 2 + b ** 2)) * ((Math.PI * a * b) / 2);
}
