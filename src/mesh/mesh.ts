/** Tetrahedral meshes: what a volume given as a mesh consists of. Read and checked by the readers of this folder. */

export interface TetrahedralMesh {
  /** Where it was read from, without directories, for headers and reports; `inline` for arrays in the robot file. */
  readonly source: string;
  /** SHA-256 of coordinates and connectivity in hexadecimal: part of the identity of a body type. */
  readonly hash: string;
  /** x, y, z of every node in metres. */
  readonly nodes: Float64Array;
  /** Four indices of nodes per tetrahedron, positively oriented: (b − a) × (c − a) · (d − a) > 0. */
  readonly tetrahedra: Int32Array;
  /** Of every node its place among all nodes of the source, in the order in which that lists them. */
  readonly places: Int32Array;
  /** How many nodes the source lists, with those that no tetrahedron has. */
  readonly listed: number;
}
