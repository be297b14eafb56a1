/** Which way a surface faces at its vertices. */

/**
 * Unit normals: means of those of the triangles around a vertex by their areas; zero where there are none.
 * @param position x, y, z of vertices. @param triangles three vertices each, counter-clockwise from outside. @param normal overwritten.
 */
export function vertexNormals(position: Float32Array, triangles: readonly number[], normal: Float32Array): void {
  normal.fill(0);
  for (let k = 0; k < triangles.length; k += 3) {
    const [a, b, c] = [3 * triangles[k]!, 3 * triangles[k + 1]!, 3 * triangles[k + 2]!];
    const [x, y, z] = [position[a]!, position[a + 1]!, position[a + 2]!];
    const [ux, uy, uz] = [position[b]! - x, position[b + 1]! - y, position[b + 2]! - z];
    const [vx, vy, vz] = [position[c]! - x, position[c + 1]! - y, position[c + 2]! - z];
    const [nx, ny, nz] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    for (let corner = k; corner < k + 3; corner++) {
      const at = 3 * triangles[corner]!;
      normal[at]! += nx;
      normal[at + 1]! += ny;
      normal[at + 2]! += nz;
    }
  }
  for (let i = 0; i < normal.length; i += 3) {
    const size = Math.sqrt(normal[i]! ** 2 + normal[i + 1]! ** 2 + normal[i + 2]! ** 2) || 1;
    for (let axis = i; axis < i + 3; axis++) normal[axis]! /= size;
  }
}
